#!/usr/bin/env python3
"""Calls primitives of `leyden.dsl` and of the Python original with equal random arguments.

Results are compared by type, value and order of sets, errors by their class.

    tools/fuzz_dropin.py --arc-dsl DIR [--re-arc DIR] [--calls 100000] [--seed 1]
"""

import argparse
import ast
import random
import signal
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

import dropin_modules as modules

Arguments = list[Any]


class Function:
    """A function that both modules make for themselves."""

    def __init__(self, text: str, make: Callable[[ModuleType], Callable]):
        self.text = text
        self.make = make

    def __repr__(self) -> str:
        return self.text


def raises_stop(_: Any) -> Any:
    raise StopIteration


def raises_value_error(_: Any) -> Any:
    raise ValueError("on purpose")


def calls_itself(x: Any) -> Any:
    return calls_itself(x)


USER_FUNCTIONS: dict[str, Callable] = {
    "lambda x: x": lambda x: x,
    "lambda x: (x, x)": lambda x: (x, x),
    "lambda x: None": lambda x: None,
    "lambda x: [x]": lambda x: [x],
    "lambda x: {x}": lambda x: {x},
    "lambda x, y: (y, x)": lambda x, y: (y, x),
    "lambda x, y, z: y": lambda x, y, z: y,
    "lambda: 0": lambda: 0,
    "len": len,
    "str": str,
    "raises_stop": raises_stop,
    "raises_value_error": raises_value_error,
    "calls_itself": calls_itself,
}


class Values:
    """Random values of the types that arc-dsl's annotations name."""

    def __init__(self, rng: random.Random, signatures: dict[str, list[str]]):
        self.rng = rng
        self.by_arity: dict[int, list[str]] = {}
        for name, types in signatures.items():
            if name not in ("power", "objects"):
                self.by_arity.setdefault(len(types), []).append(name)

    def of(self, annotation: str) -> Any:
        if self.rng.random() < 0.03:
            return self.odd()
        return getattr(self, annotation, self.Any)()

    def odd(self) -> Any:
        rng = self.rng
        return rng.choice([
            lambda: None, lambda: "ab", lambda: 1.5, lambda: rng.random() < 0.5, lambda: [], lambda: (),
            lambda: frozenset(), lambda: {1: 2}, lambda: list(self.Grid()), lambda: set(self.Indices()),
            lambda: [list(row) for row in self.Grid()], lambda: list(self.Object()), lambda: self.ragged(),
            lambda: ((),), lambda: tuple(self.Indices()), lambda: frozenset({(1, 2, 3), (4, 5, 6)}),
            lambda: frozenset({(True, (False, 1)), (2, (3, True))}), lambda: frozenset({(True, False), (2, 1)}),
            lambda: ((True, 1), (0, False)), lambda: frozenset({1, (2, 3)}), lambda: range(4), self.Any,
            lambda: ((1.5, 2), (2, 1.5)), lambda: frozenset({(3, ("a", "b"))}), lambda: (1,), lambda: (1, 2, 3),
            lambda: frozenset({(0, 0), (1, (1, 1))}), lambda: ((1, 0), [0, 1]), self.Callable,
        ])()

    def ragged(self) -> Any:
        return tuple(tuple(self.colour() for _ in range(self.rng.randrange(4))) for _ in range(self.rng.randrange(1, 5)))

    def colour(self) -> int:
        return self.rng.choice((0, 0, 0, 1, 2, 8, 9, self.rng.randrange(10)))

    def Boolean(self) -> Any:
        return self.rng.random() < 0.5

    def Integer(self) -> Any:
        rng = self.rng
        return rng.choice((rng.randrange(10), rng.randrange(-3, 5), rng.randrange(-40, 40), rng.randrange(2, 4), 0, 1))

    def IntegerTuple(self) -> Any:
        spread = self.rng.choice((2, 5, 35))
        return (self.rng.randrange(-spread, spread), self.rng.randrange(-spread, spread))

    def Numerical(self) -> Any:
        number = self.rng.choice((self.Integer, self.Integer, self.IntegerTuple, self.huge))()
        return number

    def huge(self) -> int:
        return self.rng.choice((2**62, 2**63 - 1, -(2**63), 2**64, 10**30, -(10**25))) + self.rng.randrange(-2, 3)

    def Grid(self) -> Any:
        rng = self.rng
        side = rng.choice((3, 3, 6, 6, 12, 30))
        h, w = rng.randrange(1, side + 1), rng.randrange(1, side + 1)
        palette = [self.colour() for _ in range(rng.randrange(1, 5))]
        if rng.random() < 0.03:
            palette.append(rng.choice((10, 77, -1, True, 2**40)))
        return tuple(tuple(rng.choice(palette) for _ in range(w)) for _ in range(h))

    def Indices(self) -> Any:
        rng = self.rng
        spread, low = rng.choice((2, 4, 10, 30)), rng.choice((0, 0, 0, -3))
        n = rng.choice((0, 1, 2, 4, 9, 40))
        return frozenset((rng.randrange(low, spread), rng.randrange(low, spread)) for _ in range(n))

    def Object(self) -> Any:
        one = self.rng.random() < 0.5
        c = self.colour()
        cells = frozenset((c if one else self.colour(), index) for index in self.Indices())
        if self.rng.random() < 0.1:
            cells |= frozenset((self.colour(), index) for index in self.Indices())
        return cells

    def Objects(self) -> Any:
        return frozenset(self.Object() for _ in range(self.rng.randrange(5)))

    def IndicesSet(self) -> Any:
        return frozenset(self.Indices() for _ in range(self.rng.randrange(5)))

    def Patch(self) -> Any:
        return self.rng.choice((self.Object, self.Indices))()

    def Element(self) -> Any:
        return self.rng.choice((self.Object, self.Grid))()

    def Piece(self) -> Any:
        return self.rng.choice((self.Object, self.Indices, self.Grid))()

    def IntegerSet(self) -> Any:
        return frozenset(self.Integer() for _ in range(self.rng.randrange(9)))

    def numbers(self) -> Any:
        return tuple(self.Integer() for _ in range(self.rng.randrange(9)))

    def Container(self) -> Any:
        return self.rng.choice((self.Object, self.Indices, self.Grid, self.Objects, self.IntegerSet, self.numbers, self.functions))()

    def FrozenSet(self) -> Any:
        return self.rng.choice((self.Object, self.Indices, self.Objects, self.IntegerSet))()

    def Tuple(self) -> Any:
        pick = self.rng.choice((self.Grid, self.numbers, self.TupleTuple, self.numbers))
        return pick()

    def TupleTuple(self) -> Any:
        return tuple(self.IntegerTuple() for _ in range(self.rng.randrange(6)))

    def ContainerContainer(self) -> Any:
        return self.rng.choice((self.Objects, self.IndicesSet, self.Grid, self.TupleTuple))()

    def functions(self) -> Any:
        return tuple(self.Callable() for _ in range(self.rng.randrange(3)))

    def Any(self) -> Any:
        return self.rng.choice((self.Integer, self.IntegerTuple, self.Grid, self.Patch, self.Container, self.Boolean))()

    def Callable(self) -> Function:
        return self.function(1 if self.rng.random() < 0.8 else 2, 3)

    def function(self, arity: int, depth: int) -> Function:
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            name = rng.choice(list(USER_FUNCTIONS))
            return Function(name, lambda _: USER_FUNCTIONS[name])
        if kind < 0.6 or depth == 0 or arity == 2:
            name = rng.choice(self.by_arity[arity])
            return Function(name, lambda module: getattr(module, name))
        maker = rng.choice(("compose", "chain", "matcher", "rbind", "lbind", "fork", "power"))
        if maker == "matcher":
            parts: Arguments = [self.function(1, depth - 1), self.Integer()]
        elif maker == "power":
            parts = [self.function(1, depth - 1), rng.choice((1, 2, 3))]
        elif maker in ("rbind", "lbind"):
            parts = [self.function(2, depth - 1), self.Any()]
        elif maker == "fork":
            parts = [self.function(2, depth - 1), self.function(1, depth - 1), self.function(1, depth - 1)]
        else:
            parts = [self.function(1, depth - 1) for _ in range(3 if maker == "chain" else 2)]
        text = f"{maker}({', '.join(map(repr, parts))})"
        return Function(text, lambda module: getattr(module, maker)(*given(parts, module)))


def given(value: Any, module: ModuleType) -> Any:
    """A value for one module, with that module's own functions in it."""
    if isinstance(value, Function):
        return value.make(module)
    if type(value) in (tuple, list):
        return type(value)([given(part, module) for part in value])
    return value


def signatures(path: Path) -> dict[str, list[str]]:
    """The annotations of every function of a file."""
    def annotation(node: ast.expr | None) -> str:
        return node.id if isinstance(node, ast.Name) else "Callable" if node is None else "Any"

    definitions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    return {node.name: [annotation(arg.annotation) for arg in node.args.args] for node in definitions}


def outcome(module: ModuleType, name: str, arguments: Arguments, more: Arguments | None) -> tuple[str, Any]:
    """The result of a call. If the result is a function, the result of calling that."""
    try:
        result = getattr(module, name)(*given(arguments, module))
        if callable(result) and more is not None:
            result = result(*given(more, module))
        return ("value", result)
    except Exception as error:  # noqa: BLE001
        return ("error", type(error).__name__)


def is_defined(name: str, arguments: Arguments, theirs: tuple[str, Any]) -> bool:
    """Whether no address decides the result: a set of functions has no order, and `str` shows a generator's address."""
    has_functions = any(isinstance(part, Function) for part in flat(arguments))
    makes_set_of_items = "common" in f"{name} {arguments}"
    is_shown = " at 0x" in repr(theirs[1]) and any(isinstance(leaf, str) for leaf in flat(theirs[1]))
    return not (is_shown or has_functions and makes_set_of_items)


def flat(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in flat(part)] if type(value) in (tuple, list) else [value]


def disagreement(ours: tuple[str, Any], theirs: tuple[str, Any]) -> str | None:
    if ours[0] == theirs[0] == "value" and callable(ours[1]) and callable(theirs[1]):
        return None
    if ours[0] != theirs[0]:
        return f"{ours} is not {theirs}"
    return modules.difference(ours[1], theirs[1])


class TooLong(BaseException):
    """The original takes too long over a call."""


def in_time(call: Callable[[], Any], seconds: float = 2) -> Any:
    def stop(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return call()
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def fuzz(ours: ModuleType, theirs: ModuleType, path: Path, n_calls: int, seed: int) -> tuple[list[str], Counter]:
    rng = random.Random(seed)
    known = signatures(path)
    values = Values(rng, known)
    names = sorted(known)
    found, kinds = [], Counter()
    for k in range(n_calls):
        name = names[k % len(names)]
        arguments = [values.of(annotation) for annotation in known[name]]
        more = [values.Any() for _ in range(rng.choice((1, 1, 1, 2)))]
        yours = in_time(lambda: outcome(theirs, name, arguments, more))
        kinds[yours[0] if yours else "too long"] += 1
        if not yours or not is_defined(name, [arguments, more], yours):
            continue
        wrong = disagreement(outcome(ours, name, arguments, more), yours)
        if wrong:
            found.append(f"{name}({', '.join(map(repr, arguments))}) then {more}: {wrong}")
    return found, kinds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", type=Path)
    parser.add_argument("--re-arc", type=Path)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    n_wrong = 0
    if args.arc_dsl:
        import leyden.dsl

        n_wrong += report("arc-dsl", leyden.dsl, modules.arc_dsl(args.arc_dsl), args.arc_dsl / "dsl.py", args)
    if args.re_arc:
        import leyden.rearc

        n_wrong += report("re-arc", leyden.rearc, modules.load(args.re_arc / "dsl.py"), args.re_arc / "dsl.py", args)
    return int(n_wrong > 0)


def report(dialect: str, ours: ModuleType, theirs: ModuleType, path: Path, args: argparse.Namespace) -> int:
    found, kinds = fuzz(ours, theirs, path, args.calls, args.seed)
    for line in found[:40]:
        print(line[:600])
    print(f"{dialect}: {args.calls} calls ({dict(kinds)}), seed {args.seed}, Python {sys.version.split()[0]}: {len(found)} differ")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
