#!/usr/bin/env python3
"""Runs that are killed, signalled, out of disk or not alone end like runs that nothing disturbs.

    tools/check_disturbed.py --leyden target/release/leyden [--times 50] [--seed 0] [--only PART ...]

Each part first makes an undisturbed run under fuel or a number of rounds, then an equal run in pieces:

    evolve-KILL, evolve-TERM, solve-KILL, solve-TERM   a signal at random moments, then `--resume`, until as many
                    signals as requested have met a run. A run that gets to its end is compared and started again.
    disk-evolve, disk-solve   a small disk (in a separate namespace) that fills and empties while the run goes on
    two             two runs of `evolve` on one store, both killed at random moments and resumed

It checks every piece: the store is sound, every reported round is saved, a run that SIGTERM ended has its
exit code and a valid submission, no temporary file stays behind. It prints counts; the exit code is 1 if a check fails.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EVOLVE = ["evolve", "--data", "demo", "--tasks", "20", "--children", "8", "--broad", "16", "--rounds", "150"]
SOLVE = ["solve", "--data", "demo", "--library", "none", "--fuel-per-task", "1000000", "--jobs", "2"]
# The differences between equal runs, and between stores that one of two runs has written.
TIMES = ["times", "store"]
SHARED = [*TIMES, "programs_saved", "content_hash"]
PATIENCE_S = 3
# The bytes before the JSON of a run's state.
SEAL, HASH_BYTES = b"leyden state 1\n", 16


class Place:
    """A separate directory, and the command in it."""

    def __init__(self, leyden, directory):
        self.leyden, self.directory = leyden, pathlib.Path(directory)
        self.directory.mkdir(exist_ok=True)

    def path(self, name):
        return self.directory / name

    def start(self, *args):
        words = [self.leyden, *map(str, args)]
        return subprocess.Popen(words, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *args, codes=(0,)):
        process = self.start(*args)
        out, err = process.communicate()
        must(process.returncode in codes, f"{args}: exit code {process.returncode}: {err}")
        return out

    def leftovers(self):
        return [path.name for path in self.directory.iterdir() if path.name.startswith(".leyden-")]


def must(holds, what):
    if not holds:
        raise AssertionError(what)


def comparable(report, without):
    report = json.loads(report)
    return {name: value for name, value in report.items() if name not in without}


def rounds_reported(err):
    return max((int(n) for n in re.findall(r"^round (\d+):.*, saved$", err, re.MULTILINE)), default=0)


def rounds_saved(place, store):
    """The rounds of the last run in a store, by its state; a run that has ended has none."""
    import sqlite3

    with sqlite3.connect(f"file:{place.path(store)}?mode=ro", uri=True) as connection:
        row = connection.execute("SELECT state FROM run ORDER BY id DESC LIMIT 1").fetchone()
    if not row or row[0] is None:
        return None
    state = bytes(row[0]).removeprefix(SEAL)[HASH_BYTES:]
    return json.loads(state.split(b"\n")[0])["totals"][0]


def struck(process, sign, after_s):
    """Sends a signal after some time; returns the output of the process and whether the signal met it."""
    try:
        out, err = process.communicate(timeout=after_s)
        return out, err, False
    except subprocess.TimeoutExpired:
        pass
    began = time.monotonic()
    process.send_signal(sign)
    out, err = process.communicate()
    took = time.monotonic() - began
    must(took < PATIENCE_S, f"it took {took:.1f} s to end")
    # The process may have ended by itself just then.
    return out, err, process.returncode != 0


class Evolve:
    """A run of `evolve`, in pieces."""

    def __init__(self, place, seed):
        self.place, self.n_begun = place, 0
        self.args = [*EVOLVE, "--seed", seed, "--json", "-"]
        began = time.monotonic()
        self.calm = comparable(place.run(*self.args, "--store", "calm.db"), TIMES)
        self.whole_s = time.monotonic() - began
        self.programs = place.run("library", "export", "--store", "calm.db")
        self.begin()

    def begin(self):
        self.n_begun += 1
        self.store, self.n_reported = f"run{self.n_begun}.db", 0

    def start(self):
        return self.place.start(*self.args, "--store", self.store, "--resume")

    def look(self, err):
        """Checks the state after an unfinished piece."""
        self.n_reported = max(self.n_reported, rounds_reported(err))
        if self.place.path(self.store).exists():
            n_saved = rounds_saved(self.place, self.store)
            must(self.n_reported == 0 or n_saved >= self.n_reported, f"{n_saved} of {self.n_reported} rounds")
            self.place.run("library", "check", "--store", self.store)

    def compare(self, out):
        must(comparable(out, TIMES) == self.calm, f"{self.store} differs from the undisturbed run")
        must(self.place.run("library", "export", "--store", self.store) == self.programs, f"other programs in {self.store}")


class Solve:
    """A run of `solve`, in pieces."""

    def __init__(self, place, _seed):
        self.place = place
        began = time.monotonic()
        place.run(*SOLVE, "--out", "calm.json")
        self.whole_s = time.monotonic() - began
        self.calm = place.path("calm.json").read_text()

    def begin(self):
        self.place.path("s.json").unlink()

    def start(self):
        return self.place.start(*SOLVE, "--out", "s.json", "--resume")

    def look(self, err):
        if "the submission is complete" in err:
            self.place.run("submit-check", "s.json", "--data", "demo")

    def compare(self, _out):
        must(self.place.path("s.json").read_text() == self.calm, "the submission differs from the undisturbed run's")
        must(not self.place.path("s.json.journal").exists(), "a journal is left")


def signalled(make, sign):
    def part(place, times, chance):
        run = make(place, 3)
        n_struck = n_ended = 0
        while n_struck < times:
            process = run.start()
            out, err, is_struck = struck(process, sign, chance.uniform(0, run.whole_s / 4))
            if not is_struck:
                must(process.returncode == 0, f"exit code {process.returncode}: {err}")
                run.compare(out)
                run.begin()
                n_ended += 1
                continue
            n_struck += 1
            expected = -sign if sign == signal.SIGKILL else 128 + sign
            # A process that does not handle the signal yet ends by the signal itself.
            must(process.returncode in (expected, -sign), f"exit code {process.returncode}: {err}")
            must(sign == signal.SIGKILL or not place.leftovers(), f"left: {place.leftovers()}")
            run.look(err)
        out, err = run.start().communicate()
        run.compare(out)
        must(not place.leftovers(), f"left at the end: {place.leftovers()}")
        return f"{n_struck} signals, {n_ended + 1} runs got to their end, all equal"

    return part


def on_small_disk(make, size):
    def part(place, times, chance):
        run = make(place, 3)
        # The disk hides this directory. Only this process and its children see it.
        disk = Place(place.leyden, place.path("disk"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk.directory], check=True)
        try:
            return fill_and_empty(run, disk, times, chance)
        finally:
            subprocess.run(["umount", "--lazy", disk.directory], check=True)

    return part


def fill_and_empty(run, disk, times, chance):
    run.place = disk
    n_full = n_failed = n_ended = 0
    process = run.start()
    while process is not None:
        time.sleep(chance.uniform(0, run.whole_s / 10))
        if n_full < times:
            n_full += fill(disk.path("ballast"))
            time.sleep(chance.uniform(0, run.whole_s / 10))
            disk.path("ballast").unlink()
        if chance.random() < 0.1:
            process.kill()
        if process.poll() is None:
            continue
        out, err = process.communicate()
        if process.returncode == 0:
            run.compare(out)
            run.begin()
            n_ended += 1
        else:
            must(process.returncode in (1, -signal.SIGKILL), f"exit code {process.returncode}: {err}")
            must(process.returncode != 1 or "full" in err or "No space left" in err, err)
            run.look(err)
            n_failed += 1
        is_over = n_full >= times and process.returncode == 0
        process = None if is_over else run.start()
    return f"full {n_full} times, {n_failed} pieces failed or were killed, {n_ended} runs got to their end, all equal"


def fill(path):
    """Fills the disk to the last byte."""
    block = b"\0" * 4096
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(block)
        except OSError:
            return 1


def two(place, times, chance):
    """Starts and stops run A. A copy shows the results of A and B alone. Then both go on together."""
    a, b = ([*EVOLVE, "--seed", seed, "--json", "-"] for seed in (1, 2))
    process = place.start(*a, "--store", "s.db")
    begun(process, 3)
    process.kill()
    process.communicate()
    calm = []
    for args, name in ((a, "a.db"), (b, "b.db")):
        place.run("library", "export", "--store", "s.db", "--format", "store", "--out", name)
        calm.append(comparable(place.run(*args, "--store", name, "--resume"), SHARED))
    first = place.start(*b, "--store", "s.db", "--resume")
    begun(first, 1)
    runs, found, n_struck, n_busy = [a, b], [None, None], 0, 0
    processes = [place.start(*a, "--store", "s.db", "--resume"), first]
    while None in found:
        time.sleep(chance.uniform(0, 0.5))
        for k, process in enumerate(processes):
            if found[k] is None and n_struck < times and chance.random() < 0.5 and process.poll() is None:
                process.kill()
                n_struck += 1
            if found[k] is not None or process.poll() is None:
                continue
            out, err = process.communicate()
            if process.returncode == 0:
                found[k] = comparable(out, SHARED)
            else:
                is_busy = process.returncode == 1 and "another process is writing" in err
                must(process.returncode == -signal.SIGKILL or is_busy, f"exit code {process.returncode}: {err}")
                n_busy += is_busy
                processes[k] = place.start(*runs[k], "--store", "s.db", "--resume")
    must(found == calm, "together they differ from each alone")
    place.run("library", "check", "--store", "s.db")
    return f"{n_struck} kills, {n_busy} times busy, both runs equal to undisturbed ones"


def begun(process, n_rounds):
    """Waits until a number of rounds is saved."""
    for line in process.stderr:
        if rounds_reported(line) >= n_rounds:
            return
    raise AssertionError("it ended before")


PARTS = {
    "evolve-KILL": signalled(Evolve, signal.SIGKILL),
    "evolve-TERM": signalled(Evolve, signal.SIGTERM),
    "solve-KILL": signalled(Solve, signal.SIGKILL),
    "solve-TERM": signalled(Solve, signal.SIGTERM),
    "two": two,
    "disk-evolve": on_small_disk(Evolve, "40m"),
    "disk-solve": on_small_disk(Solve, "8m"),
}


def in_namespace(args, name):
    """Runs a part in a namespace where it may mount a disk."""
    words = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, __file__, "--leyden", args.leyden]
    words += ["--times", str(args.times), "--seed", str(args.seed), "--inside", "--only", name]
    return subprocess.run(words).returncode == 0


def passes(args, name):
    if name.startswith("disk") and not args.inside:
        return in_namespace(args, name)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        os.environ["LEYDEN_CACHE"] = os.path.join(directory, "cache")
        os.environ["LEYDEN_STORE"] = os.path.join(directory, "library.db")
        try:
            said = PARTS[name](Place(args.leyden, directory), args.times, random.Random(f"{args.seed} {name}"))
        except AssertionError as error:
            print(f"{name}: FAILED: {error}")
            return False
    print(f"{name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", required=True)
    parser.add_argument("--times", type=int, default=50, help="signals, fillings or kills of each part")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.leyden = os.path.abspath(shutil.which(args.leyden) or args.leyden)
    failed = [name for name in args.only if not passes(args, name)]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
