#!/usr/bin/env python3
"""Makes tests/vectors/tokpidjin by running tokpidjin's own Python on generated arguments.

    make_tokpidjin_vectors.py --tokpidjin DIR --out tests/vectors/tokpidjin

DIR is that of tokpidjin_run.py. Files and cases are those of make_vectors.py, with "tokpidjin" as the
dialect. The arguments are those of vector_cases.py, put into this dialect: cells are (i, j, colour), a
primitive that is split by type is replaced by one of its variants, and nan and the infinities turn up.

Every case is run in several processes that differ in the addresses of functions and nan, and is left out
if they disagree, or if a set in its arguments or result holds a value that is hashed by its address.
Aliases (the names that Leyden takes for another primitive) are checked on the way: they must answer
every case of that primitive alike.
"""

import argparse
import itertools
import json
import math
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import dslhost
from make_vectors import Dropped, attempt, check_portable, risks_overflow_inside, write
from tokpidjin_run import COPIES, Tokpidjin
from vector_cases import SIGNATURES, Gen, fn

SEED = 20251115
SECONDS = 0.2
ELEMENTS = 1500
LINE = 6000
CANDIDATES = 110
KEPT = {"ordinary": 18, "degenerate": 8, "error": 6, "special": 9}

# Primitives that this dialect has only by type or by another name.
SPLIT = {
    "mostcolor": "tf", "leastcolor": "tf", "height": "tfio", "width": "tfio", "shape": "tf", "portrait": "tf",
    "colorcount": "tf", "recolor": "io", "square": "tf", "vline": "io", "hline": "io", "palette": "tf",
    "numcolors": "tf", "hmirror": "tfio", "vmirror": "tfio", "dmirror": "tfio", "cmirror": "tf", "upscale": "tf",
}
VARIANTS = {base: [f"{base}_{suffix}" for suffix in suffixes] for base, suffixes in SPLIT.items()}
VARIANTS["ofcolor"] = ["f_ofcolor"]

# Cases that vector_cases.py lacks, in its form.
FURTHER = {
    "get_nth_t": "container rank", "get_nth_f": "container rank", "get_rank": "orderable rank",
    "get_arg_rank": "@ranked", "get_arg_rank_t": "@ranked", "get_arg_rank_f": "@ranked", "get_val_rank": "@ranked",
    "get_common_rank": "repeating rank", "get_common_rank_t": "repeating rank", "get_common_rank_f": "container rank",
    "get_color_rank_t": "grid rank", "get_color_rank_f": "object rank", "second": "container",
    "difference_tuple": "@difference", "ascell": "loc colour", "astriple": "int int colour", "toij": "cell",
    "celltuple": "@located", "p_g": "grid", "p_o": "object", "f_ofcolor": "grid colour", "col_row": "patch rank",
    "corner": "patch rank", "mir_rot_t": "grid kind", "mir_rot_f": "patch kind", "o_g": "grid kind",
    "o_g_t": "grid kind", "objects_t": "@objects_of_grid", "objects": "@objects_of_grid", "dedupe_pair_tuple": "samples", "c_iz": "samples finder",
    "c_zo": "samples finder", "c_iz_n": "samples finder picker", "c_zo_n": "samples finder picker", "a_mr": "turned",
    "colorfilter_t": "tuples colour", "combine_t": "@combined", "combine_f": "@combined",
}

ALIASES = {
    "argmax": "tf", "argmin": "tf", "valmax": "tf", "valmin": "tf", "merge": "tf", "size": "tf", "mfilter": "f",
    "mostcommon": "t", "leastcommon": "t", "get_val_rank": "tf",
}
ODD_ALIASES = {
    "palette_f": ["p_f"], "cmirror_f": ["cmirror_i", "cmirror_o"], "branch": ["c_branch"],
    "difference_tuple": ["difference_t"], "o_g_t": ["o_g_tuple"], "objects_t": ["objects_g"], "identity": ["normalize_t"],
}
# Huge numbers make these run out of memory, which CPython and Leyden report differently.
HUNGRY = {
    "interval", "repeat", "canvas", "connect", "shoot", "hupscale", "vupscale", "upscale_t", "upscale_f", "backdrop",
    "delta", "box", "inbox", "outbox", "hsplit", "vsplit", "hperiod", "vperiod",
}
HUGE = 2**31
NAN = {"float": "nan"}
# Found by running programs beside CPython: nan is in a container that holds it, and equals nothing.
SPECIALS = {
    "connect": [[[NAN, 0], [NAN, 0]], [[0, NAN], [0, NAN]], [[NAN, NAN], [NAN, NAN]]],
    "cellwise": [[[[NAN, 1]], [[NAN, 1]], 5]],
    "switch": [[[[NAN, 1]], NAN, 1]],
}
UNUSED = ("get_nth_by_key_f", "get_nth_by_key_t", "is_no_grid", "make_all_dsl_safe")


def aliases_of(name):
    return [f"{name}_{suffix}" for suffix in ALIASES.get(name, "")] + ODD_ALIASES.get(name, [])


# ------------------------------------------------------------------ arguments


class Tokens(Gen):
    """The generator of vector_cases.py with this dialect's further kinds of arguments."""

    def rank(self):
        return self.r.choice([True, None, [], 99, -99, 2**40, {"float": "nan"}]) if self.twist(0.4) else self.r.randint(-4, 4)

    def kind(self):
        return self.r.choice([True, 8, -1, None, 99]) if self.twist(0.3) else self.r.randrange(8)

    def ranked(self):
        return [*self.keyed(), self.rank()]

    def located(self):
        places = [self.place() for _ in range(self.r.randint(0, 5))]
        return [places if self.chance(0.7) else {"set": places}, self.tuple()]

    def combined(self):
        return self.two_sets() if self.chance(0.4) else self.combine()

    def tuples(self):
        return [[self.cell() for _ in range(self.r.randint(1, 4))] for _ in range(self.r.randint(0, 4))]

    def samples(self):
        pairs = [[self.grid(), self.grid()] for _ in range(self.r.randint(1, 3))]
        return pairs + [[pairs[0][0], pairs[0][0]]] if self.chance(0.3) else pairs

    def turned(self):
        """Pairs that one mirroring or turn explains half of the time."""
        if self.twist() or self.chance(0.2):
            return self.samples()
        grids, kind = [self.picture(self.h, self.w) for _ in range(self.r.randint(1, 3))], self.r.randrange(8)
        return [[grid, {"call": ["mir_rot_t", grid, kind]}] for grid in grids]

    def finder(self):
        return fn(self.r.choice(["p_g", "palette_t", "totuple", "dmirror_t", "f_ofcolor", "first"]))

    def picker(self):
        return fn(self.r.choice(["first", "last", "get_rank", "size", "maximum", "last_t", "identity"]))

    def signature(self, name):
        base = name.rsplit("_", 1)[0]
        known = FURTHER.get(name) or SIGNATURES.get(name) or SIGNATURES[base]
        return "@objects_of_grid" if known == "@objects" else known

    def case(self, name, odd):
        self.begin(odd)
        signature = self.signature(name)
        if signature.startswith("@"):
            made = getattr(self, signature[1:])()
        else:
            made = [self.value(tag) for tag in signature.split()]
        return made if isinstance(made, tuple) else (made, None)

    def put(self, argument):
        """An argument in this dialect."""
        if self.odd and self.chance(0.01):
            return {"float": self.r.choice(["nan", "inf", "-inf"])}
        if isinstance(argument, list):
            return self.put_list(argument)
        if not isinstance(argument, dict):
            return argument
        (key, content), = argument.items()
        if key == "set":
            return {"set": [self.put(element) for element in content]}
        if key == "fn":
            return fn(self.renamed(content))
        if key == "call":
            return {"call": [self.renamed(content[0]), *map(self.put, content[1:])]}
        return argument

    def put_list(self, items):
        is_cell = len(items) == 2 and isinstance(items[1], list) and len(items[1]) == 2 and not isinstance(items[0], list)
        if is_cell and self.chance(0.97):
            return [*map(self.put, items[1]), self.put(items[0])]
        return [self.put(item) for item in items]

    def renamed(self, name):
        return self.r.choice(VARIANTS.get(name, [name]))


def candidates(name):
    gen = Tokens(random.Random(f"{SEED}/{name}"))
    seen = set()
    for number in range(CANDIDATES):
        mode = ("ordinary", "ordinary", "degenerate", "error")[number % 4]
        arguments, calls = gen.broken_case(name) if mode == "error" else gen.case(name, mode == "degenerate")
        arguments = [gen.put(argument) for argument in arguments]
        calls = calls and [[gen.put(argument) for argument in each] for each in calls]
        key = dslhost.compact([arguments, calls])
        if name in HUNGRY and has_huge([arguments, calls]):
            continue
        if key not in seen and len(key) <= LINE and not risks_overflow_inside([arguments, calls]):
            seen.add(key)
            yield mode, arguments, calls


def has_huge(argument):
    if isinstance(argument, dict):
        return any(map(has_huge, argument.values()))
    if isinstance(argument, list):
        return any(map(has_huge, argument))
    return isinstance(argument, int) and abs(argument) >= HUGE


# ------------------------------------------------------------------ answers


class Answers:
    """The answers of one copy of the dialect."""

    def __init__(self, dialect):
        self.dialect = dialect

    def decode(self, argument, refs):
        if argument is None or isinstance(argument, int):
            return argument
        if isinstance(argument, list):
            return tuple(self.decode(element, refs) for element in argument)
        (key, content), = argument.items()
        if key == "set":
            return frozenset([self.decode(element, refs) for element in content])
        if key == "float":
            return math.nan if content == "nan" else float(content)
        if key == "fn":
            return self.dialect.primitives[content]
        if key == "ref":
            return refs[content]
        return self.dialect.primitives[content[0]](*[self.decode(part, refs) for part in content[1:]])

    def decode_all(self, arguments):
        values = []
        for argument in arguments:
            values.append(self.decode(argument, values))
        return values

    def written(self, done, result):
        if not done:
            return {"err": result}
        encoded = dslhost.encode_deep(self.dialect, result, ELEMENTS)
        check_portable(encoded)
        return {"out": encoded}

    def outcome(self, name, arguments, calls):
        try:
            values, further = self.decode_all(arguments), [self.decode_all(each) for each in calls or []]
            dslhost.arm(SECONDS)
            done, result = attempt(self.dialect.primitives[name], values)
            if hashes_addresses([*values, *further, result]):
                return None
            if not done or not callable(result) or calls is None:
                return self.written(done, result)
            return {"then": calls, "out": [self.written(*attempt(result, each)) for each in further]}
        except (Dropped, dslhost.TooBig, dslhost.Timeout, TypeError, RecursionError):
            return None
        finally:
            dslhost.disarm()


def hashes_addresses(value, inside=False):
    """Whether a set holds, at any depth, a value that CPython hashes by its address."""
    if isinstance(value, (list, tuple, frozenset)):
        return any(hashes_addresses(element, inside or isinstance(value, frozenset)) for element in value)
    return inside and (value is None or callable(value) or value != value)


def primitives_of(dialect):
    aliases = {alias for name in dialect.primitives for alias in aliases_of(name)}
    return sorted(set(dialect.primitives) - aliases - set(UNUSED))


def answer_all(options):
    kept = [eval("lambda: None") for _ in range(53 * options.copy)]
    resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
    dslhost.install_timer()
    answers = Answers(Tokpidjin(options.tokpidjin))
    made = []
    for name in primitives_of(answers.dialect):
        specials = (("special", arguments, None) for arguments in SPECIALS.get(name, ()))
        for mode, arguments, calls in itertools.chain(candidates(name), specials):
            outcome = answers.outcome(name, arguments, calls)
            if outcome is not None:
                check_aliases(answers, name, arguments, calls, outcome)
            made.append(dslhost.compact([name, mode, arguments, outcome]))
    write(options.out, made)
    return 0 if len(kept) == 53 * options.copy else 1


def check_aliases(answers, name, arguments, calls, outcome):
    for alias in aliases_of(name):
        other = answers.outcome(alias, arguments, calls)
        if other is not None and dslhost.compact(other) != dslhost.compact(outcome):
            raise SystemExit(f"{alias} is not {name}: {arguments} gives {other}, not {outcome}")


def collect(options):
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        outs = [pathlib.Path(directory) / f"{copy}.jsonl" for copy in range(COPIES)]
        for copy, out in enumerate(outs):
            words = [sys.executable, __file__, "--tokpidjin", options.tokpidjin, "--copy", str(copy), "--out", str(out)]
            subprocess.run(words, check=True)
        copies = [out.read_text().splitlines() for out in outs]
    files, dropped = {}, 0
    for same_case in zip(*copies, strict=True):
        name, mode, arguments, outcome = json.loads(same_case[0])
        room = files.setdefault(name, {"lines": [], **KEPT})
        if outcome is None or len(set(same_case)) > 1:
            dropped += 1
        elif room[mode] and len(same_case[0]) <= LINE:
            room[mode] -= 1
            room["lines"].append(dslhost.compact({"d": "tokpidjin", "args": arguments, **outcome}))
    for name, room in files.items():
        write(options.out / f"{name}.jsonl", room["lines"])
    sizes = [len(room["lines"]) for room in files.values()]
    print(f"{sum(sizes)} cases of {len(files)} primitives, at least {min(sizes)} each; {dropped} dropped")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokpidjin", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--copy", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    return collect(options) if options.copy is None else answer_all(options)


if __name__ == "__main__":
    sys.exit(main())
