#!/usr/bin/env python3
"""Finds programs for tasks by chance and by credit: a small proposer for `leyden judge`.

    examples/proposer.py --data demo --per-task 2000 --seed 1

For each task, the search begins with the program that returns its input. It changes the best program so
far in many random ways, asks the judge about all changes at once, and goes on with the change that has
the most credit. After some steps without more credit it begins again. `leyden primitives` tells which functions
exist and which types they take, so most changes at least run. The programs that fit are printed.

Python 3.11 is enough; nothing has to be installed beside `leyden`.
"""

import argparse
import json
import random
import subprocess
import sys

# A step of the search proposes this many changes. They and their verdicts must fit into the pipes between
# the two processes (64 KB on Linux), because the search writes all of them before it reads.
BATCH = 40
# The search begins again after this many steps without more credit.
PATIENCE = 8
MOST_LINES = 8

NUMBERS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"]
PAIRS = ["ORIGIN", "UNITY", "UP", "DOWN", "LEFT", "RIGHT", "TWO_BY_TWO", "THREE_BY_THREE"]
# The plain kinds of value behind a type. A value of any other type may be of every kind.
CONSTANTS = [({"number"}, NUMBERS), ({"pair"}, PAIRS), ({"truth"}, ["T", "F"])]
KINDS = {
    "Boolean": {"truth"},
    "Integer": {"number"},
    "IntegerTuple": {"pair"},
    "Numerical": {"number", "pair"},
    "Grid": {"grid"},
    "Object": {"object"},
    "Indices": {"indices"},
    "Objects": {"objects"},
    "Patch": {"object", "indices"},
    "Element": {"grid", "object"},
    "Piece": {"grid", "object", "indices"},
}
EVERY_KIND = set().union(*KINDS.values())


def kinds_of(name):
    """The kinds of a type."""
    return KINDS.get(name, EVERY_KIND)


class Judge:
    """A running `leyden judge`."""

    def __init__(self, leyden, data, fuel):
        command = [leyden, "judge", "--data", data, "--fuel", str(fuel)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.proposals = 0

    def verdicts(self, task, programs):
        """The verdicts on some programs, in their order."""
        for program in programs:
            self.proposals += 1
            proposal = {"id": self.proposals, "task": task, "program": text_of(program)}
            self.process.stdin.write(json.dumps(proposal) + "\n")
        self.process.stdin.flush()
        return [json.loads(self.process.stdout.readline()) for _ in programs]

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise SystemExit("the judge ended with an error")


class Language:
    """Arc-dsl's functions of plain values, with the kinds of their arguments and results."""

    def __init__(self, leyden):
        command = [leyden, "primitives", "--json", "-"]
        table = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        table = [entry for entry in table if "arc-dsl" in entry["dialects"] and is_plain(entry)]
        self.arguments = {entry["name"]: [kinds_of(it["type"]) for it in entry["params"]] for entry in table}
        self.results = {entry["name"]: kinds_of(entry["result"]) for entry in table}
        self.names = list(self.arguments)


def is_plain(entry):
    """Whether a primitive neither takes nor makes functions."""
    return "Callable" not in [entry["result"], *(it["type"] for it in entry["params"])]


# A program is a list of lines, each a function and its arguments: numbers stand for the results of
# earlier lines (0 for the input), texts for constants. The last line is the result.


def text_of(program):
    """The program as a Python function."""
    text = "def solve(I):\n"
    for k, (name, args) in enumerate(program, 1):
        text += f"    x{k} = {name}({', '.join(word(arg) for arg in args)})\n"
    return text + f"    return {word(len(program))}\n"


def word(argument):
    """An argument as a word of the text."""
    if isinstance(argument, str):
        return argument
    return f"x{argument}" if argument else "I"


def proposed(best, language, chance, seen):
    """A program that the judge has not seen yet: a change of the best one, or a new one."""
    while True:
        program = [] if chance.random() < 0.4 else [(name, list(args)) for name, args in best]
        for _ in range(chance.choice((1, 2, 3))):
            change = chance.choice((add, add, remove, rename, replace))
            change(program, language, chance)
        gives_grid = not program or "grid" in language.results[program[-1][0]]
        if gives_grid and len(program) <= MOST_LINES and text_of(program) not in seen:
            seen.add(text_of(program))
            return program


def add(program, language, chance):
    """Adds a line that reads the one before it."""
    k = len(program)
    while True:
        name, args = line(program, k, language, chance)
        if k in args:
            program.append((name, args))
            return


def remove(program, language, chance):
    """Removes a line. Later lines read the one before it instead."""
    if program:
        k = chance.randrange(len(program))
        del program[k]
        for _, args in program[k:]:
            args[:] = [arg - 1 if isinstance(arg, int) and arg > k else arg for arg in args]


def rename(program, language, chance):
    """Replaces a line."""
    if program:
        k = chance.randrange(len(program))
        program[k] = line(program, k, language, chance)


def replace(program, language, chance):
    """Replaces an argument of a line."""
    if program:
        k = chance.randrange(len(program))
        name, args = program[k]
        at = chance.randrange(len(args))
        args[at] = argument(language.arguments[name][at], program, k, language, chance)


def line(program, k, language, chance):
    """A random line that reads only lines before line `k`."""
    name = chance.choice(language.names)
    return name, [argument(wanted, program, k, language, chance) for wanted in language.arguments[name]]


def argument(wanted, program, k, language, chance):
    """A result or a constant of a wanted kind. Later results are likelier than earlier ones."""
    kinds = [{"grid"}, *(language.results[name] for name, _ in program[:k])]
    results = [at for at, kind in enumerate(kinds) if kind & wanted]
    constants = [names for kind, names in CONSTANTS if kind & wanted]
    if results and (not constants or chance.random() < 0.7):
        return max(chance.choice(results), chance.choice(results))
    return chance.choice(chance.choice(constants)) if constants else 0


def search(task, judge, language, chance, budget):
    """A program that fits the task, or None after `budget` proposals."""
    best, credit, stale, seen = [], -1.0, 0, set()
    for _ in range(budget // BATCH):
        programs = [proposed(best, language, chance, seen) for _ in range(BATCH)]
        verdicts = judge.verdicts(task, programs)
        program, verdict = max(zip(programs, verdicts), key=lambda it: it[1]["credit"])
        if verdict["fit"]:
            return program
        stale = 0 if verdict["credit"] > credit else stale + 1
        if stale == 0:
            best, credit = program, verdict["credit"]
        if stale == PATIENCE:
            best, credit, stale = [], -1.0, 0
    return None


def ids_of(leyden, data):
    """The ids of all tasks."""
    command = [leyden, "run", "--data", data, "--json", "-"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [row["task"] for row in report["per_task"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leyden", default="leyden", help="the command")
    parser.add_argument("--data", default="demo")
    parser.add_argument("--task", action="append", help="only this task; may be repeated")
    parser.add_argument("--per-task", type=int, default=2000, help="proposals for each task")
    parser.add_argument("--fuel", type=int, default=200_000, help="the limit of a run")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    language, judge = Language(args.leyden), Judge(args.leyden, args.data, args.fuel)
    chance = random.Random(args.seed)
    tasks = args.task or ids_of(args.leyden, args.data)
    n_solved = 0
    for task in tasks:
        program = search(task, judge, language, chance, args.per_task)
        if program is not None:
            n_solved += 1
            print(text_of(program).replace("solve", f"solve_{task}", 1), flush=True)
    judge.close()
    print(f"# {n_solved} of {len(tasks)} tasks, {judge.proposals:,} proposals")
    return 0


if __name__ == "__main__":
    sys.exit(main())
