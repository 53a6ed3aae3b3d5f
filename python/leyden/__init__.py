"""Run ARC-AGI programs written in arc-dsl, with CPython's exact results and much faster.

Start here:

- `load` reads a data set: `leyden.load("demo")`, `"arc1:training"` or a path.
- `Program.parse` and `programs` read programs; call a `Program` with a grid.
- `Battery` runs many programs on many tasks.
- `jit` compiles a module of solvers, `leyden.dsl` has arc-dsl's primitives as functions.
- `solve` searches for answers, `submit` and `score` handle Kaggle's submissions.
- `profile` measures where time goes, `evolve` improves programs.
- `explore` opens a page to look at all of them in the browser.

docs/python.md in the repository shows an example of each.

>>> import leyden
>>> program = leyden.Program.parse("def solve_0a1b2c3d(I):\\n    return hconcat(I, vmirror(I))")
>>> program([[1, 2]]).tolist()
[[1, 2, 2, 1]]
"""

from typing import TYPE_CHECKING, Any

from leyden._leyden import (
    FuelError,
    Grid,
    LimitError,
    MemoryLimit,
    OverflowLimit,
    ParseError,
    Program,
    Task,
    TaskSet,
    __version__,
)

if TYPE_CHECKING:
    from leyden._battery import Battery, BatteryResult, Record
    from leyden._commands import evolve, profile, run_command, score, solve, submit
    from leyden._explore import Explorer, explore
    from leyden._jit import OwnResults, jit
    from leyden._programs import Trace, programs
    from leyden._reports import Evolution, Profile, Score, Solution
    from leyden._tasks import as_tasks, load

__all__ = [
    "Battery",
    "BatteryResult",
    "Evolution",
    "Explorer",
    "FuelError",
    "Grid",
    "LimitError",
    "MemoryLimit",
    "OverflowLimit",
    "OwnResults",
    "ParseError",
    "Profile",
    "Program",
    "Record",
    "Score",
    "Solution",
    "Task",
    "TaskSet",
    "Trace",
    "__version__",
    "as_tasks",
    "evolve",
    "explore",
    "jit",
    "load",
    "profile",
    "programs",
    "run_command",
    "score",
    "solve",
    "submit",
]

# The modules of all other names. Python imports them on first use, so `import leyden` is fast.
_HOMES = {
    "Battery": "_battery",
    "BatteryResult": "_battery",
    "Evolution": "_reports",
    "Explorer": "_explore",
    "OwnResults": "_jit",
    "Profile": "_reports",
    "Record": "_battery",
    "Score": "_reports",
    "Solution": "_reports",
    "Trace": "_programs",
    "as_tasks": "_tasks",
    "evolve": "_commands",
    "explore": "_explore",
    "jit": "_jit",
    "load": "_tasks",
    "profile": "_commands",
    "programs": "_programs",
    "run_command": "_commands",
    "score": "_commands",
    "solve": "_commands",
    "submit": "_commands",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'leyden' has no attribute {name!r}")
    value = getattr(import_module(f"leyden.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
