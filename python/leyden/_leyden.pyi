"""The engine: the compiled part of the package."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex, overload

__version__: str

class LimitError(RuntimeError):
    """A run reached one of Leyden's own limits."""

class FuelError(LimitError):
    """A program used up its fuel."""

class MemoryLimit(LimitError):
    """A value has too many elements or nests too deep."""

class OverflowLimit(LimitError):
    """An integer does not fit in 64 bits."""

class ParseError(ValueError):
    """The text is not a program; the message shows where."""

class Grid:
    """An ARC grid: 1 to 30 rows and columns of colours from 0 to 9.

    Make one from lists, tuples, an array or another grid: `Grid([[0, 1], [2, 3]])`. A grid is a
    sequence of rows, never changes, and equals the tuple of tuples that arc-dsl uses.
    """

    def __new__(cls, rows: Any, shape: tuple[int, int] | None = None) -> Grid: ...
    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
    @property
    def height(self) -> int:
        """The number of rows."""
    @property
    def width(self) -> int:
        """The number of columns."""
    def tolist(self) -> list[list[int]]:
        """The rows as lists of numbers."""
    def totuple(self) -> tuple[tuple[int, ...], ...]:
        """The rows as tuples of numbers, the form that arc-dsl uses."""
    def tobytes(self) -> bytes:
        """All cells as bytes, row after row."""
    def svg(self, compared: Any = None) -> str:
        """Draws the grid as SVG. `compared` is another grid; the drawing marks cells that differ."""
    def _repr_svg_(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: SupportsIndex) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, at: tuple[int, int]) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[int, ...], ...]: ...
    def __iter__(self) -> Iterator[tuple[int, ...]]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __buffer__(self, flags: int) -> memoryview: ...

class Task:
    """A task: demonstration pairs (`train`) and test inputs (`test`).

    `Task(id, train, test)` takes pairs `(input, output)` or dictionaries with these keys. The output
    of a test may be missing or `None`.
    """

    def __new__(cls, id: str, train: Iterable[Any], test: Iterable[Any]) -> Task: ...
    @property
    def id(self) -> str:
        """The id, unique in its data set."""
    @property
    def train(self) -> list[tuple[Grid, Grid]]:
        """The demonstrations, as pairs of grids."""
    @property
    def test(self) -> list[tuple[Grid, Grid | None]]:
        """The tests, as pairs of grids; an unknown output is `None`."""
    @property
    def hash(self) -> str:
        """A hash of the id and the grids, as 32 hexadecimal digits."""
    def to_json(self) -> dict[str, list[dict[str, list[list[int]]]]]:
        """The task as in ARC's files: `{"train": [{"input": …, "output": …}, …], "test": […]}`."""
    def without_answers(self) -> Task:
        """A copy of the task without test outputs."""
    def svg(self) -> str:
        """Draws the task as SVG."""
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class TaskSet:
    """A data set: tasks in the order of their ids.

    `tasks[0]` and `tasks["1e7d0001"]` give a task, `tasks[:10]` gives a smaller set.
    """

    def __new__(cls, tasks: Iterable[Task], name: str = "tasks") -> TaskSet: ...
    @property
    def name(self) -> str:
        """The name of the data set."""
    @property
    def hash(self) -> str:
        """A hash of ids and grids, as 32 hexadecimal digits."""
    @property
    def ids(self) -> list[str]:
        """The ids, sorted."""
    def to_json(self) -> dict[str, Any]:
        """A dictionary of all tasks by id, each as in ARC's files."""
    def without_answers(self) -> TaskSet:
        """A copy without test outputs."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: SupportsIndex | str) -> Task: ...
    @overload
    def __getitem__(self, at: slice) -> TaskSet: ...
    def __iter__(self) -> Iterator[Task]: ...
    def __contains__(self, it: object) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Program:
    """A program written in arc-dsl (or re-arc's or tokpidjin's dialect), ready to run.

    `Program.parse(text)` makes one. Call it with a grid: `program([[1, 2], [3, 4]])`.
    """

    @staticmethod
    def parse(
        text: str,
        name: str | None = None,
        dialect: str | None = None,
        file: str = "<string>",
        first_line: int = 1,
        names: str | os.PathLike[str] | None = None,
    ) -> Program:
        """Reads a program from text.

        - `text`: one program, or several if `name` says which.
        - `dialect`: `arc-dsl`, `re-arc` or `tokpidjin`; by default Leyden decides by names.
        - `file`, `first_line`: the place of the text, for messages.
        - `names`: names of your own, as the path or the text of a file that `--names` takes.
        """
    @property
    def name(self) -> str:
        """The name of the function."""
    @property
    def dialect(self) -> str:
        """The dialect: `arc-dsl`, `re-arc`, `tokpidjin` or `tokpidjin-batt`."""
    @property
    def task_id(self) -> str | None:
        """The task id in the name, or `None`."""
    @property
    def source(self) -> str:
        """The text of the program as it was read."""
    @property
    def text(self) -> str:
        """The program in Leyden's text form, with one call per line."""
    @property
    def file(self) -> str:
        """The file of the program."""
    @property
    def hash(self) -> str:
        """A hash of the program without its name, as 32 hexadecimal digits."""
    @property
    def fuel(self) -> int:
        """The most fuel that a run may use."""
    def with_fuel(self, fuel: int) -> Program:
        """A copy of the program with another fuel limit."""
    def __call__(self, grid: Any, demos: Any = None, expected: Any = None) -> Any:
        """Runs the program on a grid.

        - `grid`: a `Grid` or anything that makes one.
        - `demos`: the demonstration pairs, or a `Task`, for programs that read `S`.
        - `expected`: the expected output, for programs that read `C`.

        Returns a `Grid`, or plain Python values if the result is not a grid. If the program fails, the
        call raises CPython's exception or a `LimitError`.
        """
    def trace(self, grid: Any, demos: Any = None, expected: Any = None) -> Any:
        """Runs the program and returns all steps as a `leyden.Trace`; the arguments are those of a call.

        With `expected`, the trace ends with a verdict: right, or how the result is wrong.
        """
    def _trace(self, grid: Any, demos: Any = None, expected: Any = None) -> list[dict[str, Any]]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class RawBattery:
    """The engine behind `leyden.Battery`: many programs merged into one graph."""

    @staticmethod
    def from_programs(programs: list[Program]) -> RawBattery: ...
    @staticmethod
    def parse(text: str, hashes: list[str] | None = None, file: str = "<string>") -> RawBattery: ...
    @property
    def text(self) -> str: ...
    @property
    def hashes(self) -> list[str]: ...
    @property
    def members(self) -> list[tuple[str, str, str | None]]: ...
    @property
    def n_lines(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    def run(
        self,
        tasks: TaskSet,
        jobs: int | None = None,
        fuel: int | None = None,
        exact_order: bool = False,
        scores: bool = False,
        look: Callable[[int], object] | None = None,
        backend: str | None = None,
        devices: list[int] | None = None,
    ) -> dict[str, Any]: ...

def load(name: str, solutions: str | None = None) -> TaskSet: ...
def load_programs(
    path: str | os.PathLike[str], dialect: str | None = None, names: str | os.PathLike[str] | None = None
) -> list[Program]: ...
def user_names(names: str | os.PathLike[str]) -> list[str]: ...
def parse_programs(
    text: str,
    dialect: str | None = None,
    file: str = "<string>",
    first_line: int = 1,
    names: str | os.PathLike[str] | None = None,
) -> list[Program]: ...
def language_names() -> list[str]: ...
def main(args: list[str]) -> int: ...
def command(args: list[str | os.PathLike[str]]) -> tuple[int, str]: ...

BATTERY_FUEL: int

# The content of leyden.dsl, leyden.rearc and leyden.constants.
dsl: dict[str, Any]
rearc: dict[str, Any]
constants: dict[str, Any]

class OwnRuns:
    """The engine's results behind `leyden.OwnResults`; it makes Python values on demand."""

    @property
    def names(self) -> list[tuple[str, str]]: ...
    def outputs(self, k: int) -> list[Any]: ...
    def right(self, k: int) -> list[bool | None]: ...
    def __len__(self) -> int: ...

def run_own(
    functions: list[JitFunction],
    tasks: TaskSet,
    jobs: int | None = None,
    look: Callable[[int], object] | None = None,
) -> OwnRuns: ...

class JitFunction:
    """A compiled function of a solver module.

    It takes and returns what the original does. If an argument is not a plain grid, or a run reaches
    one of Leyden's limits, it calls the original.
    """

    def __new__(cls, program: Program, original: Callable[..., Any] | None = None) -> JitFunction: ...
    @property
    def program(self) -> Program: ...
    @property
    def __wrapped__(self) -> Callable[..., Any] | None: ...
    @property
    def __name__(self) -> str: ...
    def __call__(self, I: Any, *more: Any) -> Any: ...
