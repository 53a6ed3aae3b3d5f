"""ARC-AGI programs written in arc-dsl, run exactly as CPython runs them, and much faster.

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
    from leyden._programs import Trace, programs
    from leyden._tasks import as_tasks, load

__all__ = [
    "Battery",
    "BatteryResult",
    "FuelError",
    "Grid",
    "LimitError",
    "MemoryLimit",
    "OverflowLimit",
    "ParseError",
    "Program",
    "Record",
    "Task",
    "TaskSet",
    "Trace",
    "__version__",
    "as_tasks",
    "load",
    "programs",
]

# Where the rest is: it is imported when somebody asks for it.
_HOMES = {
    "Battery": "_battery",
    "BatteryResult": "_battery",
    "Record": "_battery",
    "Trace": "_programs",
    "programs": "_programs",
    "as_tasks": "_tasks",
    "load": "_tasks",
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
