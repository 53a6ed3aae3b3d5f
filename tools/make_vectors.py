#!/usr/bin/env python3
"""Makes tests/vectors by running the Python originals of both dialects on generated arguments.

    make_vectors.py --arc-dsl DIR --re-arc DIR --out tests/vectors

Each DIR holds the dialect's dsl.py. Equal commands give equal bytes.

<primitive>.jsonl has a case per line:

    {"d": "both" | "arc-dsl" | "re-arc", "args": [ARG, ...], "out": VALUE}
    {"d": ..., "args": [...], "err": "ClassName"}
    {"d": ..., "args": [...], "then": [[ARG, ...], ...], "out": [{"out": VALUE} | {"err": "ClassName"}, ...]}

With "then" the result is callable and is called with each argument list in turn. A case that both
dialects answer alike is written once, as "both"; otherwise there is a line for each.

VALUE: int, true/false, null; tuple = array; frozenset = {"set": [...]} in iteration order; a primitive
= {"fn": name}, another callable = {"fn": "<lambda>"}. ARG is the same ({"set": [...]} means insertion in
the listed order, where elements may repeat) and also {"call": [name, ARG, ...]}, the value of that
primitive call, and {"ref": k}, the very object that is argument k.

pyset.jsonl is about the order of frozensets alone: {"ops": [ARG, ...], "order": [VALUE, ...]}. Each op is
evaluated in turn, {"ref": k} being the value of op k; "order" is the iteration order of the last one.

Left out: outcomes that depend on memory addresses (see dslhost.py), hold a callable inside a
container, have an int beyond 64 bits or more than 5,000 elements, take more than 0.2 s, or run out
of memory.
"""

import argparse
import os
import pathlib
import random
import resource
import sys

import dslhost
from vector_cases import ENORMOUS, SIGNATURES, Gen, call, fn
from vector_specials import SPECIALS

SEED = 20240607
SECONDS = 0.2
ELEMENTS = 5000
LINE = 24_000
ATTEMPTS = 1500
QUOTA = {"ordinary": 32, "degenerate": 10, "error": 9}
IMPORTANT = set(
    "objects apply mapply sfilter merge combine difference intersection argmax argmin order mostcommon leastcommon "
    "mostcolor leastcolor paint underpaint first last extract totuple palette rapply prapply product occurrences fork "
    "compose rbind lbind power partition fgpartition delta toindices shift insert remove other".split()
)
UNPORTABLE = ("MemoryError", "OverflowError")
# There are many, so that the choice of cases does not depend on the address of None in this process.
PROBE_SEEDS = range(400)
MODES = ("ordinary", "degenerate", "error")


class Dropped(Exception):
    """The case is left out; the text gives the reason."""


# ------------------------------------------------------------------ evaluating


def decode(argument, dialect, refs):
    """The value an argument stands for, in this copy of the dialect."""
    if argument is None:
        return getattr(dialect, "nothing", None)
    if isinstance(argument, int):
        return argument
    if isinstance(argument, list):
        return tuple(decode(element, dialect, refs) for element in argument)
    (key, content), = argument.items()
    if key == "set":
        return frozenset([decode(element, dialect, refs) for element in content])
    if key == "fn":
        return dialect.primitives[content]
    if key == "ref":
        return refs[content]
    return dialect.primitives[content[0]](*[decode(part, dialect, refs) for part in content[1:]])


def decode_all(arguments, dialect):
    values = []
    for argument in arguments:
        values.append(decode(argument, dialect, values))
    return values


class Evaluator:
    """Runs cases in one copy of a dialect."""

    def __init__(self, dialect):
        self.dialect = dialect
        self.room = None

    def calibrate(self):
        """Finds the recursion limit under which `power(f, 999)` works and `power(f, 1000)` does not."""
        for self.room in range(990, 1050):
            if self.power_works(999):
                break
        assert self.power_works(999) and not self.power_works(1000)

    def power_works(self, n):
        power, identity = self.dialect.primitives["power"], self.dialect.primitives["identity"]
        done, result = self.called(power, (identity, n))
        return done and self.called(result, (0,))[0]

    def outcome(self, name, arguments, calls):
        """Returns {"out": ...} or {"err": ...}, with the calls made if the result is callable."""
        sys.setrecursionlimit(dslhost.DEEP)
        values = self.ready(arguments)
        further = [self.ready(each) for each in calls or []]
        done, result = self.called(self.dialect.primitives[name], values)
        if not done or not callable(result) or calls is None:
            return self.written(done, result)
        return {"out": [self.written(*self.called(result, each)) for each in further]}

    def called(self, function, values):
        sys.setrecursionlimit(frames() + self.room)
        try:
            dslhost.arm(SECONDS)
            return attempt(function, values)
        finally:
            dslhost.disarm()
            sys.setrecursionlimit(dslhost.DEEP)

    def ready(self, arguments):
        try:
            return decode_all(arguments, self.dialect)
        except Exception as error:
            raise Dropped("argument") from error

    def written(self, done, result):
        if not done and result in UNPORTABLE:
            raise Dropped("memory")
        if not done:
            return {"err": result}
        try:
            encoded = dslhost.encode_deep(self.dialect, result, ELEMENTS)
        except dslhost.TooBig:
            raise Dropped("size") from None
        check_portable(encoded)
        return {"out": encoded}


def frames():
    """The number of frames up to the caller."""
    count, frame = 0, sys._getframe(1)
    while frame is not None:
        count, frame = count + 1, frame.f_back
    return count


def attempt(function, values):
    """Returns (True, result) or (False, class name). Every call of a primitive starts here."""
    try:
        return True, function(*values)
    except Exception as error:
        return False, type(error).__name__


def check_portable(encoded, inside=False):
    if isinstance(encoded, list):
        for element in encoded:
            check_portable(element, True)
    elif isinstance(encoded, dict):
        if inside and "fn" in encoded:
            raise Dropped("callable inside")
        check_portable(encoded.get("set"), True)
    elif isinstance(encoded, int) and not -(2**63) <= encoded < 2**63:
        raise Dropped("64 bits")


class Originals:
    """Both dialects, each unchanged and as a probe for address-dependent outcomes."""

    def __init__(self, directories):
        self.plain = {d: Evaluator(dslhost.Dialect(d, path)) for d, path in directories.items()}
        self.probes = {d: Evaluator(dslhost.Probe(d, path)) for d, path in directories.items()}

    def calibrate(self):
        """Calibrates. It is not part of __init__: a call through a class counts as more than its visible frames."""
        for dialect in dslhost.DIALECTS:
            self.plain[dialect].calibrate()
            self.probes[dialect].room = 5 * self.plain[dialect].room

    def outcomes(self, name, arguments, calls):
        """The outcome by dialect; raises Dropped."""
        made = {}
        for dialect, evaluator in self.plain.items():
            outcome = evaluator.outcome(name, arguments, calls)
            if may_hash_addresses(arguments, calls, outcome):
                self.check_addresses(dialect, name, arguments, calls, outcome)
            made[dialect] = outcome
        return made

    def check_addresses(self, dialect, name, arguments, calls, outcome):
        probe = self.probes[dialect]
        for seed in PROBE_SEEDS:
            probe.dialect.hashes.restart(seed)
            again = probe.outcome(name, arguments, calls)
            if not probe.dialect.hashes.asked:
                return
            if dslhost.compact(again) != dslhost.compact(outcome):
                raise Dropped("addresses")


def may_hash_addresses(*parts):
    text = dslhost.compact(parts[:2]), dslhost.compact(parts[2])
    return any('"fn"' in each or "null" in each for each in text)


def risks_overflow_inside(arguments):
    """A closure over huge ints may pass 64 bits on its way to a small result."""
    text = dslhost.compact(arguments)
    return '"fn"' in text and any(str(abs(n)) in text for n in ENORMOUS if abs(n) > 2**31)


# ------------------------------------------------------------------ cases of a primitive


class Collector:
    """The cases of one primitive, filled up to its quotas."""

    def __init__(self, originals, name):
        self.originals = originals
        self.name = name
        self.gen = Gen(random.Random(f"{SEED}/{name}"))
        factor = 2 if name in IMPORTANT else 1
        self.room = {kind: factor * quota for kind, quota in QUOTA.items()}
        self.room["degenerate"] += len(SPECIALS.get(name, []))
        self.room["error"] += len(SPECIALS.get(name, [])) // 3
        self.seen = set()
        self.cases = []

    def fill(self):
        for special in SPECIALS.get(self.name, []):
            arguments, calls = special if isinstance(special, tuple) else (special, None)
            self.consider("degenerate", arguments, calls)
        for _ in range(ATTEMPTS):
            if not any(self.room.values()):
                break
            mode = self.next_mode()
            self.consider(mode, *self.made(mode))
        return self.cases

    def next_mode(self):
        """Mostly the first kind that is not full, and never one kind for ever."""
        open_modes = [mode for mode in MODES if self.room[mode]]
        return self.gen.r.choice(open_modes + open_modes[:1])

    def consider(self, mode, arguments, calls):
        key = dslhost.compact([arguments, calls])
        if key in self.seen or len(key) > LINE or risks_overflow_inside([arguments, calls]):
            return
        self.seen.add(key)
        try:
            self.keep(mode, arguments, calls)
        except (Dropped, dslhost.Timeout):
            return

    def made(self, mode):
        if mode == "error":
            return self.gen.broken_case(self.name)
        return self.gen.case(self.name, mode == "degenerate")

    def keep(self, mode, arguments, calls):
        outcomes = self.originals.outcomes(self.name, arguments, calls)
        if calls is None and any(o.get("out") == {"fn": "<lambda>"} for o in outcomes.values()):
            calls = [[5], [[1, 2]], [[3, 4], 2]]
            outcomes = self.originals.outcomes(self.name, arguments, calls)
        kind = self.kind(mode, outcomes)
        lines = list(self.lines(arguments, calls, outcomes))
        if self.room[kind] and max(map(len, lines)) <= LINE:
            self.room[kind] -= 1
            self.cases.append((kind, lines))

    def kind(self, mode, outcomes):
        if any("err" in outcome for outcome in outcomes.values()):
            return "error"
        return "ordinary" if mode == "ordinary" else "degenerate"

    def lines(self, arguments, calls, outcomes):
        common = outcomes["arc-dsl"] == outcomes["re-arc"] and same_text(outcomes)
        for dialect in ("both",) if common else dslhost.DIALECTS:
            outcome = outcomes["arc-dsl" if common else dialect]
            case = {"d": dialect, "args": arguments}
            if calls is not None and isinstance(outcome.get("out"), list) and is_call_list(outcome["out"], calls):
                case["then"] = calls
            yield dslhost.compact({**case, **outcome})


def same_text(outcomes):
    # True == 1 in Python, but these are different arguments.
    return len({dslhost.compact(outcome) for outcome in outcomes.values()}) == 1


def is_call_list(out, calls):
    return len(out) == len(calls) and all(isinstance(o, dict) and o.keys() <= {"out", "err"} for o in out)


# ------------------------------------------------------------------ order of sets


class SetSequences:
    """Chains of set operations whose result is a frozenset with an interesting table."""

    KINDS = ("small", "ints", "bools", "pairs", "cells", "sets", "enormous", "multiples")

    def __init__(self, rng):
        self.r = rng

    def element(self, kind):
        r = self.r
        makers = {
            "small": lambda: r.randint(-2, 16),
            "ints": lambda: r.randint(-300, 3000),
            "bools": lambda: r.choice([True, False, 0, 1, 2, 8, 9]),
            "pairs": lambda: [r.randint(-3, 29), r.randint(-3, 29)],
            "cells": lambda: [r.randrange(10), [r.randint(-1, 29), r.randint(-1, 29)]],
            "sets": lambda: {"set": [r.randint(-2, 9) for _ in range(r.randint(0, 4))]},
            "enormous": lambda: r.choice(ENORMOUS) + r.randint(-2, 2),
            "multiples": lambda: 8 * r.randint(-4, 40) + r.choice([0, 0, 0, 1]),
        }
        return makers[kind]()

    def elements(self, kind, most):
        return [self.element(kind) for _ in range(self.r.randint(0, most))]

    def sequence(self, number):
        kind = self.KINDS[number % len(self.KINDS)]
        most = self.r.choice([3, 8, 8, 20, 20, 50, 130])
        ops = [{"set": self.elements(kind, most)}]
        for _ in range(self.r.randint(0, 5)):
            ops.append(self.step(ops, kind, most))
        return ops

    def step(self, ops, kind, most):
        r, last, new = self.r, {"ref": len(ops) - 1}, {"set": self.elements(kind, most)}
        few = {"set": self.elements(kind, 3)}
        return r.choice([
            call("combine", last, new), call("combine", new, last), call("combine", last, few),
            call("intersection", last, new), call("intersection", new, last), call("intersection", last, last),
            call("intersection", last, call("combine", {"set": []}, last)), call("intersection", call("combine", last, few), last),
            call("difference", last, few), call("difference", last, new), call("insert", self.element(kind), last),
            call("remove", self.element(kind), last), call("merge", {"set": [last, new, few]}),
            call("merge", {"set": [new, {"ref": r.randrange(len(ops))}]}), call("apply", fn("identity"), last),
            self.minus(last, few), self.minus(last, few), self.minus(last, new), self.minus(call("combine", last, new), few),
        ])

    def minus(self, a, b):
        """The operator `-`, which copies the table of `a` and discards when `b` is small."""
        return call("first", call("subtract", [a, 0], [b, 0]))

    def large(self, number):
        """Few words, many elements."""
        r = self.r
        n, m = r.randint(20, 54), r.randint(20, 54)
        rows, columns = call("interval", r.randint(-3, 2), n, 1), call("interval", 0, m, 1)
        pairs, ints = call("product", rows, columns), call("merge", {"set": [call("interval", 0, n * m, r.randint(1, 3)), call("interval", -40, 400, 7)]})
        few = {"set": [[r.randrange(n), r.randrange(m)] for _ in range(r.randint(1, 40))]}
        patterns = [
            [pairs], [call("combine", {"set": []}, ints)], [pairs, self.minus({"ref": 0}, few)],
            [pairs, call("difference", {"ref": 0}, few), call("intersection", {"ref": 1}, {"ref": 1})],
            [few, call("delta", {"ref": 0})], [pairs, call("sfilter", {"ref": 0}, call("compose", fn("even"), fn("first")))],
            [few, call("mapply", fn("neighbors"), {"ref": 0}), call("mapply", fn("neighbors"), {"ref": 1})],
            [few, call("recolor", 3, call("backdrop", {"ref": 0}))], [pairs, call("apply", fn("first"), {"ref": 0})],
            [few, call("outbox", {"ref": 0}), call("insert", [99, 99], {"ref": 1})],
        ]
        return patterns[number % len(patterns)]

    def primitives(self, number):
        """Sets that a primitive makes in its own way."""
        r = self.r
        at, patch = [r.randint(-4, 30), r.randint(-4, 30)], {"set": [[r.randrange(6), r.randrange(6)] for _ in range(r.randint(1, 9))]}
        grid = [[r.choice([0, 0, 8, 1, 9, 3]) for _ in range(r.randint(4, 4))] for _ in range(r.randint(1, 5))]
        makers = [
            [call("neighbors", at)], [call("dneighbors", at)], [call("ineighbors", at)], [call("palette", grid)],
            [patch, call("delta", {"ref": 0})], [patch, call("box", {"ref": 0})], [patch, call("inbox", {"ref": 0})],
            [call("objects", grid, r.random() < 0.5, r.random() < 0.5, r.random() < 0.5)], [call("fgpartition", grid)],
            [call("frontiers", grid)], [call("partition", grid)], [patch, call("corners", {"ref": 0})],
            [call("asobject", grid), call("upscale", {"ref": 0}, 2)], [call("connect", at, [at[0] + 9, at[1] + 9])],
        ]
        return makers[number % len(makers)]


def set_lines(evaluator):
    sequences = SetSequences(random.Random(f"{SEED}/pyset"))
    ops = [sequences.sequence(k) for k in range(360)] + [sequences.primitives(k) for k in range(70)] + [sequences.large(k) for k in range(20)]
    seen, lines = set(), []
    for each in ops:
        text = dslhost.compact(each)
        if text not in seen:
            seen.add(text)
            lines.append(set_line(evaluator, each))
    return lines


def set_line(evaluator, ops):
    sys.setrecursionlimit(dslhost.DEEP)
    last = decode_all(ops, evaluator.dialect)[-1]
    order = dslhost.encode_deep(evaluator.dialect, last)["set"]
    return dslhost.compact({"ops": ops, "order": order})


# ------------------------------------------------------------------ files and the table


def write(path, lines):
    partial = path.with_suffix(".partial")
    partial.write_text("".join(line + "\n" for line in lines))
    os.replace(partial, path)


def make_all(originals, out):
    """The number of cases per primitive, after writing the files."""
    table = {}
    for name in SIGNATURES:
        cases = Collector(originals, name).fill()
        write(out / f"{name}.jsonl", [line for _, lines in cases for line in lines])
        table[name] = [kind for kind, _ in cases]
    return table


def print_table(table, out, n_sets):
    print(f"{'primitive':14} cases/dialect ordinary degenerate error error%")
    for name, kinds in table.items():
        counts = [kinds.count(mode) for mode in MODES]
        print(f"{name:14} {len(kinds):13} {counts[0]:8} {counts[1]:10} {counts[2]:5} {100 * counts[2] / len(kinds):6.0f}")
    total = sum(map(len, table.values()))
    errors = sum(kinds.count("error") for kinds in table.values())
    size = sum(path.stat().st_size for path in out.glob("*.jsonl"))
    print(f"{total} cases x 2 dialects = {2 * total} over {len(table)} primitives, {100 * errors / total:.1f} % errors")
    print(f"fewest per primitive and dialect: {min(map(len, table.values()))}; set sequences: {n_sets}; {size} bytes in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", required=True)
    parser.add_argument("--re-arc", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
    dslhost.install_timer()
    originals = Originals({"arc-dsl": options.arc_dsl, "re-arc": options.re_arc})
    originals.calibrate()
    table = make_all(originals, options.out)
    lines = set_lines(originals.plain["arc-dsl"])
    write(options.out / "pyset.jsonl", lines)
    print_table(table, options.out, len(lines))


if __name__ == "__main__":
    main()
