#!/usr/bin/env python3
"""Lets a language model work on a task with the tools of `leyden judge --mcp`.

    examples/tool_loop.py --task 1e7d0010 --model my_model:answer

The model is yours: `--model MODULE:FUNCTION` names a Python function that takes the conversation so far and
the tools, and returns the model's next turn. Both have the forms that most interfaces of models expect:

    messages = [{"role": "system", "content": "..."}, {"role": "user", "content": "..."}, ...]
    tools = [{"name": "judge_program", "description": "...", "inputSchema": {...}}, ...]
    answer(messages, tools) -> {"text": "...", "calls": [{"id": "1", "name": "judge_program", "arguments": {...}}]}

A turn without calls ends the conversation. So does a program that fits all demonstrations, and `--turns`.
The turns of the model come back as {"role": "model", ...}, the results of calls as {"role": "tool", "id": "1", "content": "..."}.

Without `--model`, a stand-in replays the turns of a file, one JSON object on each line, so that the loop runs
without a model:

    examples/tool_loop.py --replay examples/tool_loop.jsonl

Python 3.11 is enough; nothing has to be installed beside `leyden`.
"""

import argparse
import importlib
import json
import pathlib
import subprocess
import sys

VERSION = "2025-06-18"
SYSTEM = """You solve a task of ARC-AGI by writing a program in arc-dsl: a Python function `def solve(I):` of lines \
`x1 = f(a, b)` and a last `return`. Look at the task, search for functions with `primitives`, and ask `judge_program` \
about a program as often as you like. It tells how close the program is and where it goes wrong first."""


class Refused(Exception):
    """The server refuses a request."""


class Server:
    """A running `leyden judge --mcp`."""

    def __init__(self, leyden, data):
        command = [leyden, "judge", "--mcp", "--data", data]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.n_requests = 0
        client = {"name": "tool_loop", "version": "1"}
        self.about = self.request("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        """The result of a method."""
        self.n_requests += 1
        self.send({"id": self.n_requests, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"]["message"])
        return answer["result"]

    def tools(self):
        return self.request("tools/list", {})["tools"]

    def call(self, name, arguments):
        """The text of a tool's result, and the result as data. The model reads refusals, too."""
        try:
            result = self.request("tools/call", {"name": name, "arguments": arguments})
        except Refused as refused:
            return str(refused), {}
        return result["content"][0]["text"], result.get("structuredContent", {})

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise SystemExit("the judge ended with an error")


def replay(path):
    """A stand-in for a model: it repeats the turns of a file."""
    turns = iter(pathlib.Path(path).read_text().splitlines())
    return lambda messages, tools: json.loads(next(turns, '{"text": "There are no more turns.", "calls": []}'))


def loaded(name):
    """The user's function MODULE:FUNCTION, from the working directory or any installed package."""
    sys.path.insert(0, ".")
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function or "answer")


def converse(server, model, task, most_turns):
    """Runs the loop; returns the first program that fits, or None."""
    tools = server.tools()
    messages = [{"role": "system", "content": SYSTEM},
                {"role": "user", "content": server.call("show_task", {"task": task})[0]}]
    for _ in range(most_turns):
        turn = model(messages, tools)
        messages.append({"role": "model", "content": turn.get("text", ""), "calls": turn.get("calls", [])})
        print(f"model: {turn.get('text', '')}")
        if not turn.get("calls"):
            return None
        for call in turn["calls"]:
            text, data = server.call(call["name"], call["arguments"])
            messages.append({"role": "tool", "id": call.get("id"), "content": text})
            print(f"{call['name']}: {text.splitlines()[0]}")
            if data.get("fit") and data.get("task") == task:
                return call["arguments"]["program"]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", default="leyden", help="the command")
    parser.add_argument("--data", default="demo")
    parser.add_argument("--task", default="1e7d0010")
    parser.add_argument("--model", help="your function, as MODULE:FUNCTION")
    parser.add_argument("--replay", default=pathlib.Path(__file__).with_suffix(".jsonl"),
                        help="the turns of the stand-in")
    parser.add_argument("--turns", type=int, default=20)
    args = parser.parse_args()
    model = loaded(args.model) if args.model else replay(args.replay)
    server = Server(args.leyden, args.data)
    program = converse(server, model, args.task, args.turns)
    server.close()
    print("no program fits" if program is None else f"this program fits:\n{program}")
    return int(program is None)


if __name__ == "__main__":
    sys.exit(main())
