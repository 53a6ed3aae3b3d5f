#!/usr/bin/env python3
"""Measures the server of `leyden explore`: times of its calls, and its memory.

    tools/measure_explore.py --leyden leyden
    tools/measure_explore.py --leyden leyden --data demo --clients 2 --calls 500

The tool starts the server with a store of its own, reads all tasks, and prints a Markdown table of the
times that clients see (`sets/{set}/tasks`, `thumbs`, `programs`, `sets/{set}/tasks/{task}`, `eval`), with all
clients calling at once. Each client is a process with one connection. Then come the server's own time of `eval` for
the best program of each task, the resident memory after loading and after all calls, and the time of a plain
`leyden show` for comparison. Memory is read from /proc, so on other systems than Linux that row is missing.
The exit code is 1 if a target is missed: 20 ms for 95 % of all calls, 60 MB of memory.
"""

import argparse
import http.client
import json
import multiprocessing
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

CALL_TARGET_MS = 20
MEMORY_TARGET_MB = 60


class Client:
    """One connection to the server."""

    def __init__(self, address, token):
        self.connection = http.client.HTTPConnection(address)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, path, body=None):
        """The bytes of a reply."""
        try:
            response = self.response(path, body)
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            # The server closes connections that were silent for ten seconds.
            self.connection.close()
            response = self.response(path, body)
        content = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {content.decode()}")
        return content

    def response(self, path, body):
        method = "GET" if body is None else "POST"
        text = None if body is None else json.dumps(body)
        self.connection.request(method, f"/api/v1/{path}", body=text, headers=self.headers)
        return self.connection.getresponse()

    def json(self, path, body=None):
        return json.loads(self.call(path, body))


def started(leyden, data, store):
    """A server, its address and its token."""
    command = [leyden, "explore", "--data", data, "--store", store, "--no-open", "--json", "-"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if link := re.search(r"http://([^/]+)/#token=(\w+)", line):
            return server, *link.groups()
    sys.exit("the server gives no link")


def memory_mb(server):
    """The resident memory of a process; `None` where /proc is missing."""
    try:
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    except FileNotFoundError:
        return None
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


def work(address, token, calls, results):
    """Makes calls one after another; puts (kind, milliseconds) into the queue."""
    client = Client(address, token)
    times = []
    for kind, path, body in calls:
        begin = time.perf_counter()
        client.call(path, body)
        times.append((kind, 1000 * (time.perf_counter() - begin)))
    results.put(times)


def plan(data, tasks, texts, n_calls):
    """Calls of all kinds, as a user makes them: mostly `eval` and tasks."""
    calls = []
    for k in range(n_calls):
        task = tasks[k % len(tasks)]
        if k % 50 == 0:
            calls.append(("tasks", f"sets/{data}/tasks", None))
        elif k % 50 == 25:
            calls.append(("thumbs", f"sets/{data}/thumbs", None))
        elif k % 10 == 5:
            calls.append(("programs", f"programs?limit=50&offset={k % 300}", None))
        elif k % 2 == 0 and task in texts:
            body = {"text": texts[task], "set": data, "task": task, "sample": 0}
            calls.append(("eval", "eval", body))
        else:
            calls.append(("task", f"sets/{data}/tasks/{task}", None))
    return calls


def together(address, token, calls, n_clients):
    """The times of all calls, dealt out to clients that call at once."""
    results = multiprocessing.Queue()
    shares = [calls[k::n_clients] for k in range(n_clients)]
    clients = [multiprocessing.Process(target=work, args=(address, token, share, results)) for share in shares]
    for client in clients:
        client.start()
    times = [pair for _ in clients for pair in results.get()]
    for client in clients:
        client.join()
    return times


def quantile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def row(name, times):
    print(f"| {name} | {len(times)} | {quantile(times, 0.5):.2f} | {quantile(times, 0.95):.2f} | {max(times):.1f} |")


def show_ms(leyden, data, task):
    """The time of `leyden show`, the median of nine."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        subprocess.run([leyden, "show", task, "--data", data], check=True, stdout=subprocess.DEVNULL)
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def measured(args, server, address, token):
    """Prints all figures; returns the targets that were missed."""
    client = Client(address, token)
    name = client.json("about")["sets"][0]["id"]
    tasks = [task["id"] for task in client.json(f"sets/{name}/tasks")["tasks"]]
    texts = {}
    for task in tasks:
        programs = client.json(f"sets/{name}/tasks/{task}")["programs"]
        if programs:
            texts[task] = programs[0]["text"]
    loaded = memory_mb(server)
    times = together(address, token, plan(name, tasks, texts, args.calls), args.clients)
    print(f"{args.clients} clients, {len(times)} calls, {len(tasks)} tasks of {name}\n")
    print("| call | calls | p50 ms | p95 ms | most |\n|---|---|---|---|---|")
    for kind in sorted({kind for kind, _ in times}):
        row(kind, [ms for other, ms in times if other == kind])
    row("all", [ms for _, ms in times])
    bodies = [{"text": text, "set": name, "task": task} for task, text in texts.items()]
    row("eval, in the server, one client", [client.json("eval", body)["millis"] for body in bodies])
    row("eval, as one client sees it", alone(client, bodies))
    idle = memory_mb(server)
    if idle is not None:
        print(f"\nMemory: {loaded:.0f} MB after loading, {idle:.0f} MB after all calls.")
    print(f"`leyden show`, a process of its own: {show_ms(args.leyden, args.data, tasks[0]):.0f} ms.")
    p95 = quantile([ms for _, ms in times], 0.95)
    missed = []
    if p95 > CALL_TARGET_MS:
        missed.append(f"95 % of all calls take {p95:.1f} ms; the target is {CALL_TARGET_MS} ms")
    if idle is not None and idle > MEMORY_TARGET_MB:
        missed.append(f"the server has {idle:.0f} MB; the target is {MEMORY_TARGET_MB} MB")
    return missed


def alone(client, bodies):
    """The times of calls by one client."""
    times = []
    for body in bodies:
        begin = time.perf_counter()
        client.call("eval", body)
        times.append(1000 * (time.perf_counter() - begin))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leyden", default="leyden", help="the command to measure")
    parser.add_argument("--data", default="arc1:training", help="the tasks")
    parser.add_argument("--clients", type=int, default=8, help="how many clients call at once")
    parser.add_argument("--calls", type=int, default=2_000, help="how many calls they make together")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server, address, token = started(args.leyden, args.data, f"{directory}/library.db")
        try:
            missed = measured(args, server, address, token)
        finally:
            server.terminate()
            server.wait()
    for sentence in missed:
        print(f"missed: {sentence}", file=sys.stderr)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
