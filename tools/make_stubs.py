#!/usr/bin/env python3
"""Writes the type stubs of `leyden.dsl`, `leyden.rearc` and `leyden.constants` from the table of primitives.

    tools/make_stubs.py [--check]
"""

import argparse
import inspect
import sys
from pathlib import Path
from typing import Callable

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "leyden"

# Types that are declared wider than the table has them: a drop-in must not be stricter than Python itself.
WIDE_PARAMETERS = {
    "Container": "Iterable[Any]",
    "ContainerContainer": "Iterable[Any]",
    "FrozenSet": "Iterable[Any]",
    "Tuple": "Iterable[Any]",
    "TupleTuple": "Iterable[Any]",
    "Callable": "Callable[..., Any]",
}
NARROW_RESULTS = {"Boolean", "Integer", "IntegerTuple", "IntegerSet", "Grid", "Object", "Objects", "Indices"}
HEADER = '"""Made by tools/make_stubs.py from the table of primitives."""\n\nfrom typing import Any, Callable, Iterable\n\n'
TYPES = "from leyden._dsl_types import *\n"


def result_type(name: str) -> str:
    """The type of a result; Any if a primitive gives one of several types, since no checker could tell which."""
    if name == "Callable":
        return "Callable[..., Any]"
    return name if name in NARROW_RESULTS else "Any"


def stub_of(function: Callable, types: list[str], result: str) -> str:
    names = inspect.signature(function).parameters
    declared = [f"{name}: {WIDE_PARAMETERS.get(kind, kind)}" for name, kind in zip(names, types, strict=True)]
    first_line = (function.__doc__ or "").splitlines()[0]
    return f'def {function.__name__}({", ".join(declared)}) -> {result_type(result)}:\n    """{first_line}"""\n'


def constant_stubs(constants: dict[str, object]) -> str:
    def kind(value: object) -> str:
        return {bool: "bool", int: "int"}.get(type(value), "tuple[int, int]")

    return "".join(f"{name}: {kind(value)}\n" for name, value in constants.items())


def stubs() -> dict[str, str]:
    from leyden import _leyden

    def functions(primitives: dict[str, Callable]) -> str:
        return "\n".join(stub_of(function, *_leyden.signatures[name]) for name, function in primitives.items())

    constants = constant_stubs(_leyden.constants)
    return {
        "dsl.pyi": f"{HEADER}{TYPES}\n{functions(_leyden.dsl)}",
        "rearc.pyi": f"{HEADER}{TYPES}\n{constants}\n{functions(_leyden.rearc)}",
        "constants.pyi": f'"""Made by tools/make_stubs.py from the table of constants."""\n\n{constants}',
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the files are up to date")
    args = parser.parse_args()
    if args.check:
        stale = [name for name, text in stubs().items() if (PACKAGE / name).read_text() != text]
        print("\n".join(f"{name} is not what the table says" for name in stale), end="\n" if stale else "")
        return int(bool(stale))
    for name, text in stubs().items():
        (PACKAGE / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
