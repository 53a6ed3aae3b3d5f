#!/usr/bin/env python3
"""Writes random programs that are spliced from real ones, for running beside CPython.

    splice.py --dialect arc-dsl --programs solvers.py --dsl DIR --count 5000 --seed 1 --out spliced.py
    crossrun.py --dialect arc-dsl --programs spliced.py --dsl DIR --inputs GRIDS.json --out THEIRS.jsonl
    leyden eval --dialect arc-dsl --solvers spliced.py --inputs GRIDS.json --out OURS.jsonl
    crossrun.py compare OURS.jsonl THEIRS.jsonl

A program takes lines from one to three donors and then changes in up to four places: another primitive,
another constant, another argument, arguments in another order, one too few or too many, arguments by
name, a variable replaced by the expression that it stands for. Such programs are near to real ones: most
of their lines run, and their faults lie where a mutation would put them. For tokpidjin's dialect,
`tokpidjin_run.py --programs spliced.py --inputs GRIDS.json` takes the place of crossrun.py.
"""

import argparse
import ast
import copy
import inspect
import pathlib
import random
import sys

import crossrun
import dslhost
from tokpidjin_run import Tokpidjin

# Functions of tokpidjin's dsl.py that look like primitives but are not.
HELPERS = ("is_no_grid",)
NUMBERS = (-31, -10, -2, -1, 0, 1, 2, 3, 4, 5, 9, 10, 11, 30, 100)
MOST_LINES = 60
MOST_CHANGES = 4
MOST_NODES = 400


# ------------------------------------------------------------------ the donors


class Names:
    """The names of a dialect: primitives with their parameters, and constants."""

    def __init__(self, dialect, directory):
        signatures = {name: parameters_of(it) for name, it in dialect.primitives.items() if name not in HELPERS}
        self.parameters = {name: parameters for name, parameters in signatures.items() if parameters is not None}
        constants = constants_of(pathlib.Path(directory))
        self.constants = [name for name in constants if is_plain(dialect.names[name])]
        self.by_count = {}
        for name, parameters in self.parameters.items():
            self.by_count.setdefault(len(parameters), []).append(name)

    def is_primitive(self, node):
        return isinstance(node, ast.Name) and node.id in self.parameters

    def is_constant(self, node):
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self.constants)


def parameters_of(function):
    """The names of its parameters; None if a call may leave some out."""
    parameters = inspect.signature(function).parameters.values()
    plain = all(it.kind is it.POSITIONAL_OR_KEYWORD and it.default is it.empty for it in parameters)
    return [it.name for it in parameters] if plain else None


def is_plain(value):
    """Whether it is a number or a pair of numbers; types and ranges are not constants of the language."""
    return isinstance(value, int) or (isinstance(value, tuple) and all(isinstance(it, int) for it in value))


def constants_of(directory):
    """The names of values in `constants.py`, or in `dsl.py` if that file is missing."""
    file = directory / "constants.py"
    tree = ast.parse((file if file.exists() else directory / "dsl.py").read_text())
    targets = [it.targets[0] for it in tree.body if isinstance(it, ast.Assign)]
    return [it.id for it in targets if isinstance(it, ast.Name) and it.id.isupper()]


def donors_of(path):
    """The straight-line functions of a file, each as its parameters and its lines."""
    for node in ast.parse(pathlib.Path(path).read_text()).body:
        if isinstance(node, ast.FunctionDef):
            lines = [line_of(statement) for statement in node.body]
            if all(lines):
                yield [it.arg for it in node.args.args], lines


def line_of(statement):
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    if isinstance(statement, ast.Return) and statement.value is not None:
        return "", statement.value
    return None


# ------------------------------------------------------------------ splicing


class Splicer:
    def __init__(self, names, donors, seed):
        self.names = names
        self.donors = donors
        self.rng = random.Random(seed)

    def program(self):
        """Lines of donors one after the other, then changed."""
        parameters, _ = self.rng.choice(self.donors)
        lines = []
        for _ in range(self.rng.choice((1, 1, 2, 2, 3))):
            self.append_slice(lines, parameters)
        lines = lines[:MOST_LINES]
        for _ in range(self.rng.randrange(MOST_CHANGES + 1)):
            self.change(lines, parameters)
        return parameters, lines

    def append_slice(self, lines, parameters):
        """Adds some lines of a donor under new names. Missing variables come from the lines before."""
        _, given = self.rng.choice(self.donors)
        start = 0 if self.rng.random() < 0.6 else self.rng.randrange(len(given))
        stop = len(given) if self.rng.random() < 0.6 else self.rng.randrange(start, len(given)) + 1
        renamed = {}
        for target, value in given[start:stop]:
            scope = self.scope(lines, parameters)
            value = Rename(self, renamed, scope).visit(copy.deepcopy(value))
            new = f"x{len(lines) + 1}"
            lines.append((new, value))
            renamed[target] = new

    def scope(self, lines, parameters):
        return [*parameters, *(target for target, _ in lines)]

    def variable(self, scope):
        """Picks a variable, late ones more often: early ones would make all lines between them dead."""
        return scope[max(self.rng.randrange(len(scope)) for _ in range(2))]

    def change(self, lines, parameters):
        at = self.rng.randrange(len(lines))
        target, value = lines[at]
        scope = self.scope(lines[:at], parameters)
        changes = (self.primitive, self.primitive, self.constant, self.argument, self.argument, self.order)
        changes += (self.number_of_arguments, self.by_name, self.by_name)
        if self.rng.random() < 0.3:
            lines[at] = target, self.nest(value, dict(lines[:at]))
        else:
            self.rng.choice(changes)(value, scope)

    def calls(self, value):
        return [node for node in ast.walk(value) if isinstance(node, ast.Call)]

    def primitive(self, value, _scope):
        """Picks another primitive, called or passed on; most have as many parameters."""
        known = [node for node in ast.walk(value) if self.names.is_primitive(node)]
        if known:
            node = self.rng.choice(known)
            alike = self.names.by_count[len(self.names.parameters[node.id])]
            forget_names(value, node)
            node.id = self.rng.choice(alike if self.rng.random() < 0.85 else list(self.names.parameters))

    def constant(self, value, _scope):
        known = [node for node in ast.walk(value) if self.names.is_constant(node)]
        if known:
            replace(value, self.rng.choice(known), self.any_constant())

    def any_constant(self):
        kind = self.rng.random()
        if kind < 0.6 and self.names.constants:
            return ast.Name(self.rng.choice(self.names.constants))
        if kind < 0.9:
            return ast.Constant(self.rng.choice(NUMBERS))
        return ast.Tuple([ast.Constant(self.rng.choice(NUMBERS)) for _ in range(self.rng.randrange(4))])

    def argument(self, value, scope):
        calls = [call for call in self.calls(value) if call.args]
        if calls:
            call = self.rng.choice(calls)
            at = self.rng.randrange(len(call.args))
            call.args[at] = self.any_argument(call, scope)

    def any_argument(self, call, scope):
        kind = self.rng.random()
        if kind < 0.6:
            return ast.Name(self.variable(scope))
        if kind < 0.75:
            return self.any_constant()
        if kind < 0.9:
            return ast.Name(self.rng.choice(list(self.names.parameters)))
        return copy.deepcopy(self.rng.choice(call.args))

    def order(self, value, _scope):
        calls = [call for call in self.calls(value) if len(call.args) > 1]
        if calls:
            self.rng.shuffle(self.rng.choice(calls).args)

    def number_of_arguments(self, value, scope):
        calls = [call for call in self.calls(value) if call.args and not call.keywords]
        if calls and self.rng.random() < 0.3:
            call = self.rng.choice(calls)
            if self.rng.random() < 0.5:
                call.args.pop()
            else:
                call.args.append(self.any_argument(call, scope))

    def by_name(self, value, _scope):
        """The last arguments of a call by name, in any order."""
        calls = [call for call in self.calls(value) if self.takes_names(call)]
        if calls:
            call = self.rng.choice(calls)
            first = self.rng.randrange(len(call.args))
            names = self.names.parameters[call.func.id][first:]
            call.keywords = [ast.keyword(name, it) for name, it in zip(names, call.args[first:], strict=True)]
            self.rng.shuffle(call.keywords)
            del call.args[first:]

    def takes_names(self, call):
        known = self.names.is_primitive(call.func) and self.names.parameters[call.func.id]
        return known and not call.keywords and len(call.args) == len(known)

    def nest(self, value, values):
        """The expression of a variable in its place."""
        known = [node for node in ast.walk(value) if isinstance(node, ast.Name) and node.id in values]
        if not known:
            return value
        node = self.rng.choice(known)
        inner = copy.deepcopy(values[node.id])
        if sum(1 for _ in ast.walk(inner)) + sum(1 for _ in ast.walk(value)) > MOST_NODES:
            return value
        return inner if node is value else replace(value, node, inner)


class Rename(ast.NodeTransformer):
    """Variables of a donor under the names of the program that takes its lines."""

    def __init__(self, splicer, renamed, scope):
        self.splicer, self.renamed, self.scope = splicer, renamed, scope

    def visit_Name(self, node):
        names = self.splicer.names
        if node.id in self.renamed:
            return ast.Name(self.renamed[node.id])
        if node.id in self.scope[:3] or node.id in names.parameters or node.id in names.constants:
            return node
        return ast.Name(self.splicer.variable(self.scope))

    def visit_UnaryOp(self, node):
        """A number with its sign is one constant, so that a tuple never gets a sign."""
        return ast.Constant(ast.literal_eval(node))


def forget_names(value, function):
    """Drops the names of arguments, since another primitive has other names for its parameters."""
    for call in ast.walk(value):
        if isinstance(call, ast.Call) and call.func is function and call.keywords:
            call.args += [it.value for it in call.keywords]
            call.keywords = []


def replace(root, old, new):
    """`root` with `new` in the place of `old`."""

    class Replace(ast.NodeTransformer):
        def visit(self, node):
            return new if node is old else self.generic_visit(node)

    return Replace().visit(root)


# ------------------------------------------------------------------ writing


def text_of(name, parameters, lines):
    body = [f"    {target} = {ast.unparse(value)}" for target, value in lines]
    return [f"def {name}({', '.join(parameters)}):", *body, f"    return {lines[-1][0]}", "", ""]


def write(options):
    dialect = Tokpidjin(options.dsl) if options.dialect == "tokpidjin" else dslhost.Dialect(options.dialect, options.dsl)
    donors = list(donors_of(options.programs))
    if not donors:
        raise SystemExit(f"{options.programs}: no straight-line functions")
    splicer = Splicer(Names(dialect, options.dsl), donors, options.seed)
    prefix = "verify" if options.dialect == "re-arc" else "solve"
    programs = ((f"{prefix}_{k:08x}", *splicer.program()) for k in range(options.count))
    crossrun.write_lines(options.out, (text_of(*program) for program in programs))
    print(f"{options.count} programs of {len(donors)} donors")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", choices=(*dslhost.DIALECTS, "tokpidjin"), required=True)
    parser.add_argument("--programs", required=True, help="the donors")
    parser.add_argument("--dsl", required=True, help="directory with the original's dsl.py")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    return write(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
