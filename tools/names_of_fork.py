#!/usr/bin/env python3
"""Writes the file of names (`leyden run --names FILE`) that makes a renamed fork of arc-dsl readable.

    tools/names_of_fork.py --arc-dsl ARC_DSL --fork FORK --out names.txt

Both directories have `dsl.py` and `constants.py`. A function of the fork is the primitive with equal code,
except for names, annotations and documentation. Functions that call renamed functions are found once those are known. The fork
may need a newer Python to parse than arc-dsl: run the tool with that one. Exit code 1 means that a function of the fork
has no counterpart; its programs may still do without it.
"""

import argparse
import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType

Functions = dict[str, ast.FunctionDef]


def functions_of(path: Path) -> Functions:
    """The functions of a module; of several with one name, the last."""
    tree = ast.parse(path.read_text(), str(path))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


class Shape(ast.NodeTransformer):
    """Gives local names numbers and functions of the module their names in arc-dsl."""

    def __init__(self, local: set[str], known: dict[str, str]) -> None:
        self.local = local
        self.known = known
        self.numbers: dict[str, str] = {}

    def numbered(self, name: str) -> str:
        return self.numbers.setdefault(name, f"local {len(self.numbers)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = self.numbered(node.id) if node.id in self.local else self.known.get(node.id, node.id)
        return ast.Name(name, node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.numbered(node.arg))


def shape_of(function: ast.FunctionDef, known: dict[str, str]) -> str:
    nodes = list(ast.walk(function))
    local = {node.arg for node in nodes if isinstance(node, ast.arg)}
    local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    shape = Shape(local, known)
    # The parameters come first, so that their numbers are their places.
    parts = [shape.visit(parameter) for parameter in function.args.args]
    parts += [shape.visit(ast.parse(ast.unparse(statement)).body[0]) for statement in body]
    return " ".join(ast.dump(part) for part in parts)


def counterparts(originals: Functions, forked: Functions) -> dict[str, str]:
    """For each function of the fork the primitive that it is, as far as one can be found."""
    shapes = {shape_of(function, {}): name for name, function in originals.items()}
    known: dict[str, str] = {}
    while True:
        found = {name: shapes.get(shape_of(function, known)) for name, function in forked.items()}
        found = {name: original for name, original in found.items() if original is not None}
        if found == known:
            return known
        known = found


def constants_of(directory: Path, name: str) -> dict[str, object]:
    """The constants of a package that is imported under a name: a fork may compute them."""
    package = ModuleType(name)
    package.__path__ = [str(directory)]
    sys.modules[name] = package
    module = importlib.import_module(f"{name}.constants")
    return {name: value for name, value in vars(module).items() if is_constant(value) and not name.startswith("_")}


def is_constant(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, tuple) and all(map(is_constant, value)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", type=Path, required=True)
    parser.add_argument("--fork", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    originals, forked = functions_of(args.arc_dsl / "dsl.py"), functions_of(args.fork / "dsl.py")
    found = counterparts(originals, forked)
    lines = [f"{name} = {original}" for name, original in found.items() if name != original]
    own, constants = constants_of(args.arc_dsl, "original"), constants_of(args.fork, "fork")
    lines += [f"{name} = {value!r}" for name, value in constants.items() if own.get(name) != value]
    args.out.write_text("dialect = arc-dsl\n" + "".join(f"{line}\n" for line in lines))

    missing = [name for name in forked if name not in found]
    print(f"{len(found)} of {len(forked)} functions found, {len(lines)} names written", file=sys.stderr)
    for name in missing:
        print(f"no primitive is like {name}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
