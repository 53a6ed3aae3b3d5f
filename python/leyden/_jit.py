"""`leyden.jit`: a module of solvers on the fast engine."""

from __future__ import annotations

import ast
import inspect
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from leyden import _leyden
from leyden._leyden import JitFunction, ParseError, Program
from leyden._programs import read_source
from leyden._progress import Progress, Wanted
from leyden._table import counted
from leyden._tasks import as_tasks


class Jitted:
    """A module of solvers with compiled functions.

    It has the attributes of the original module. `compiled` holds the compiled functions.
    `not_compiled` names the functions that stay as they are, with the reason.
    """

    def __init__(
        self,
        compiled: dict[str, JitFunction],
        not_compiled: dict[str, str],
        original: Callable[[str], Any],
    ) -> None:
        self.compiled = compiled
        self.not_compiled = not_compiled
        self._original = original
        self.__dict__.update(compiled)

    def on_tasks(
        self, tasks: Any, jobs: int | None = None, progress: Wanted = None
    ) -> OwnResults:
        """Runs every compiled function on all pairs of the task in its name.

        One call does all the work outside Python; it creates Python values when you look at them.

        - `tasks`: anything that `as_tasks` takes.
        - `jobs`: number of threads; one per processor by default.
        - `progress`: as in `Battery.run`.

        >>> solvers = jit("def solve_1e7d0011(I):\\n    return vmirror(I)\\n")
        >>> solvers.on_tasks("demo")
        <OwnResults: 1 function, 0 of 1 tasks solved, 0 of 5 outputs right>
        """
        chosen, functions = as_tasks(tasks), list(self.compiled.values())
        with Progress(progress, len(functions), "executing") as look:
            raw = _leyden.run_own(functions, chosen, jobs, look)
        return OwnResults(raw, self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_original" not in self.__dict__:
            raise AttributeError(name)
        return self._original(name)

    def __iter__(self) -> Iterator[JitFunction]:
        return iter(self.compiled.values())

    def __len__(self) -> int:
        return len(self.compiled)

    def __repr__(self) -> str:
        n, m = len(self.compiled), len(self.not_compiled)
        return f"<leyden.jit: {counted(n, 'function')} compiled, {m} unchanged>"


class OwnResults(Mapping[str, list[Any]]):
    """The outputs of a module's functions on the pairs of their own tasks, by function name.

    An output is a `Grid` or another value. If a run raised an exception, the exception is in its
    place. Demonstrations come before tests.
    """

    def __init__(self, raw: _leyden.OwnRuns, module: Jitted) -> None:
        self._raw = raw
        self._module = module

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: k for k, (name, _) in enumerate(self._raw.names)}

    @cached_property
    def tasks(self) -> dict[str, str]:
        """For each function, the id of its task."""
        return dict(self._raw.names)

    @property
    def left_out(self) -> dict[str, str]:
        """The functions that did not run, with the reason."""
        missing = (name for name in self._module.compiled if name not in self._places)
        without = {name: "these tasks do not include its own" for name in missing}
        return {**self._module.not_compiled, **without}

    @cached_property
    def right(self) -> dict[str, list[bool | None]]:
        """For each function, which outputs are right; `None` if the right output is unknown."""
        return {name: self._raw.right(k) for name, k in self._places.items()}

    @cached_property
    def solved(self) -> list[str]:
        """The functions with all known outputs right."""
        known = {name: [it for it in right if it is not None] for name, right in self.right.items()}
        return [name for name, right in known.items() if right and all(right)]

    def __getitem__(self, name: str) -> list[Any]:
        return self._raw.outputs(self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        n, known = len(self), [it for right in self.right.values() for it in right if it is not None]
        tasks, solved = set(self.tasks.values()), {self.tasks[name] for name in self.solved}
        return (
            f"<OwnResults: {counted(n, 'function')}, {len(solved)} of {len(tasks)} tasks "
            f"solved, {sum(known)} of {len(known)} outputs right>"
        )


def jit(source: Any, dialect: str | None = None, names: str | os.PathLike[str] | None = None) -> Any:
    """Compiles a module of solvers, or (as a decorator) one function.

    Compiled functions take and return plain tuples, like the originals. If an argument is not a
    plain grid, or a run reaches one of Leyden's limits, Leyden calls the original.

    Functions of a module that use more than arc-dsl stay as they are, and `not_compiled` lists them.
    As a decorator, `jit` raises `ParseError` for such a function.

    - `source`: a module, the path of one, its text, or a function.
    - `dialect`: `arc-dsl`, `re-arc` or `tokpidjin`; by default Leyden decides by names.
    - `names`: names of your own for primitives and constants, as the path or the text of a file that `--names` takes.

    >>> solvers = jit("def solve_a(I):\\n    return hconcat(I, vmirror(I))\\n")
    >>> solvers.solve_a(((1, 2),))
    ((1, 2, 2, 1),)
    """
    language = _Language(dialect, names)
    if isinstance(source, FunctionType):
        return _function(source, language)
    if isinstance(source, ModuleType):
        file = inspect.getsourcefile(source) or source.__name__
        return _module(inspect.getsource(source), file, language, _of_module(source))
    text, file = read_source(source)
    run = cache(lambda: _executed(text, file))
    return _module(text, file, language, lambda name: _looked_up(run(), name, file))


@dataclass(frozen=True, slots=True)
class _Language:
    """The arguments of `jit` that say what names mean."""

    dialect: str | None
    names: str | os.PathLike[str] | None

    def own(self) -> set[str]:
        """The names of all primitives and constants, the user's own included."""
        theirs = [] if self.names is None else _leyden.user_names(self.names)
        return {*_leyden.language_names(), *theirs}


def _function(function: FunctionType, language: _Language) -> Any:
    lines, first_line = inspect.getsourcelines(function)
    # The decorators are above the line with `def`.
    start = next(k for k, line in enumerate(lines) if line.lstrip().startswith("def "))
    text = textwrap.dedent("".join(lines[start:]))
    file = inspect.getsourcefile(function) or "<string>"
    program = Program.parse(text, None, language.dialect, file, first_line + start, language.names)
    names = _names(ast.parse(text))
    taken = {name for name in names if _is_own(function.__globals__, name, program.dialect, language)}
    if taken:
        raise ParseError(f"{function.__name__} uses names that its module defines itself: {_listed(taken)}")
    return JitFunction(program, function)


def _is_own(module: dict[str, Any], name: str, dialect: str, language: _Language) -> bool:
    """Whether a module defines this name itself, or gives a constant of the dialect another value."""
    if name not in module:
        return False
    if callable(module[name]):
        return getattr(module[name], "__module__", None) == module.get("__name__")
    ours = Program.parse(f"def constant(I):\n    return {name}\n", None, dialect, names=language.names)(((0,),))
    return bool(ours != module[name])


def _module(
    text: str, file: str, language: _Language, original: Callable[[str], Any]
) -> Jitted:
    tree = ast.parse(text, file)
    functions = {it.name: it for it in tree.body if isinstance(it, ast.FunctionDef)}
    # Names of arc-dsl that mean something else in this module.
    taken = (_assigned(tree) | set(functions)) & language.own()
    compiled, problems = {}, {}
    parsed = _parsed_together(text, file, language)
    for name, function in functions.items():
        own = taken and taken & _names(function)
        if own:
            problems[name] = f"it uses names that the module defines itself: {_listed(own)}"
            continue
        program = parsed.get(name) or _parsed_alone(text, function, file, language)
        if isinstance(program, str):
            problems[name] = program
        else:
            compiled[name] = JitFunction(program, _Late(name, original))
    return Jitted(compiled, problems, original)


class _Late:
    """Looks up the original of a function when it is called."""

    def __init__(self, name: str, original: Callable[[str], Any]) -> None:
        self.name, self.original = name, original

    def __call__(self, *args: Any) -> Any:
        return self.original(self.name)(*args)


def _parsed_together(text: str, file: str, language: _Language) -> dict[str, Program]:
    try:
        return {it.name: it for it in _leyden.parse_programs(text, language.dialect, file, 1, language.names)}
    except ParseError:
        return {}


def _parsed_alone(
    text: str, function: ast.FunctionDef, file: str, language: _Language
) -> Program | str:
    if function.decorator_list:
        return "it has decorators"
    lines = text.splitlines(keepends=True)[function.lineno - 1 : function.end_lineno]
    try:
        return Program.parse(
            "".join(lines), function.name, language.dialect, file, function.lineno, language.names
        )
    except ValueError as error:
        return str(error)


def _assigned(tree: ast.Module) -> set[str]:
    """The names that a module assigns itself."""
    names: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(statement, (ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(statement.name)
        stored = (it for it in ast.walk(statement) if isinstance(it, ast.Name))
        names |= {it.id for it in stored if isinstance(it.ctx, ast.Store)}
    return names


def _names(tree: ast.AST) -> set[str]:
    """The global names that a function reads."""
    names = [it for it in ast.walk(tree) if isinstance(it, ast.Name)]
    own = {it.id for it in names if isinstance(it.ctx, ast.Store)}
    own |= {it.arg for it in ast.walk(tree) if isinstance(it, ast.arg)}
    return {it.id for it in names if isinstance(it.ctx, ast.Load)} - own


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _of_module(module: ModuleType) -> Callable[[str], Any]:
    return lambda name: getattr(module, name)


def _looked_up(namespace: dict[str, Any], name: str, file: str) -> Any:
    try:
        return namespace[name]
    except KeyError:
        raise AttributeError(f"{file} has no {name!r}") from None


def _executed(text: str, file: str) -> dict[str, Any]:
    """Executes a module given as text or path, so that it can import its neighbours."""
    namespace: dict[str, Any] = {"__name__": Path(file).stem, "__file__": file}
    neighbours = [os.path.dirname(os.path.abspath(file))] if os.path.exists(file) else []
    sys.path[:0] = neighbours
    try:
        exec(compile(text, file, "exec"), namespace)
    finally:
        for path in neighbours:
            sys.path.remove(path)
    return namespace
