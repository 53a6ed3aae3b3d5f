"""Reading programs from files, and traces of programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from leyden import _leyden
from leyden._leyden import Grid, Program
from leyden._table import counted

# Python reads these files itself; the engine reads directories, stores and names without suffix.
TEXT_SUFFIXES = (".py", ".leyden", ".batt")


def programs(
    source: str | os.PathLike[str], dialect: str | None = None, names: str | os.PathLike[str] | None = None
) -> list[Program]:
    """Reads all programs of a file, a directory, a store or a text.

    - `source`: a path, or the text of one or more programs. docs/program-files.md lists all formats.
    - `dialect`: `arc-dsl`, `re-arc` or `tokpidjin`; by default Leyden decides by names.
    - `names`: names of your own for primitives and constants, as the path or the text of a file that `--names` takes.

    >>> source = "def solve_a(I):\\n    return vmirror(I)\\ndef solve_b(I):\\n    return hmirror(I)"
    >>> [program.name for program in programs(source)]
    ['solve_a', 'solve_b']
    """
    if not is_text(source) and _is_more_than_text(Path(source)):
        return _leyden.load_programs(source, dialect, names)
    text, file = read_source(source)
    return _leyden.parse_programs(text, dialect, file, names=names)


def _is_more_than_text(path: Path) -> bool:
    """Whether the path is a directory, a store, or a name without its suffix."""
    if path.suffix in TEXT_SUFFIXES:
        return path.is_dir()
    return path.exists() or any(Path(f"{path}{suffix}").exists() for suffix in TEXT_SUFFIXES)


def is_text(source: str | os.PathLike[str]) -> bool:
    """Whether the source is the text of a program and not a path."""
    return isinstance(source, str) and ("\n" in source or source.startswith(("def ", "program ")))


def read_source(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The text of the source and the name of its file."""
    if isinstance(source, str) and is_text(source):
        return source, "<string>"
    path = Path(source)
    return path.read_text(encoding="utf-8"), str(path)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program: the expression and its value or error."""

    name: str | None
    line: int
    text: str
    source: str
    value: Any = None
    error: str | None = None
    omitted: int = 0
    """The number of parts of a value that is too large to keep; otherwise 0."""

    def __str__(self) -> str:
        head = f"{self.line:4}  {self.name or '':>6} = {self.text}"
        if isinstance(self.value, Grid):
            return "\n".join([head, *_indented(self.value)])
        return f"{head} -> {self.error or self._size() or _short(self.value)}"

    def _size(self) -> str:
        return f"a value of {self.omitted} parts" if self.omitted else ""


class Trace(Sequence[Step]):
    """All steps of a program on a grid; the last step has the result.

    `print(trace)` lists the steps, and notebooks draw them. If the expected output is known, a verdict
    follows, and below a wrong result the expected output.

    >>> program = Program.parse("def solve_a(I):\\n    x1 = vmirror(I)\\n    return x1")
    >>> [(step.name, step.text) for step in program.trace([[1, 2]])]
    [('x1', 'vmirror(I)')]
    """

    def __init__(
        self, program: Program, grid: Any, steps: list[dict[str, Any]], expected: Any = None
    ) -> None:
        self.program = program
        self.input = Grid(grid)
        self.expected = None if expected is None else Grid(expected)
        kept = [step for step in steps if not step.pop("repeats", False)]
        self.steps = [Step(**step) for step in kept]

    @property
    def output(self) -> Any:
        """The result of the program; `None` if it failed."""
        return self.steps[-1].value if self.steps else None

    @property
    def error(self) -> str | None:
        """The exception class or limit if the program failed; otherwise `None`."""
        return self.steps[-1].error if self.steps else None

    @property
    def verdict(self) -> str | None:
        """`right`, or how the result is wrong; `None` without an expected output.

        >>> program = Program.parse("def solve_a(I):\\n    return vmirror(I)")
        >>> program.trace([[1, 2, 3]], expected=[[3, 2, 2]]).verdict
        'wrong: 1 of 3 cells differ from the expected output'
        """
        if self.expected is None:
            return None
        if self.error is not None:
            return f"ended with a fault: {self.error}"
        if self.output == self.expected:
            return "right"
        return f"wrong: {_difference(self.output, self.expected)}"

    @property
    def _missed(self) -> Grid | None:
        """The expected output, if the result is another."""
        return None if self.verdict == "right" else self.expected

    def __getitem__(self, at: Any) -> Any:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __str__(self) -> str:
        parts = [self.program.name, *map(str, self.steps)]
        if self.verdict is not None:
            parts.append(self.verdict)
        if self._missed is not None:
            parts += ["expected output:", *_indented(self._missed)]
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(map(_row, self.steps))
        head = f"<tr><td></td><td>I</td><td></td><td>{self.input.svg()}</td></tr>"
        drawn = f"<p>{escape(self.program.name)}</p><table>{head}{rows}</table>"
        if self.verdict is not None:
            drawn += f"<p>{escape(self.verdict)}</p>"
        if self._missed is not None:
            drawn += f"<p>expected output:</p>{self._missed.svg()}"
        return drawn


def _row(step: Step) -> str:
    shown = f"<b>{step.error}</b>" if step.error else step._size() or _drawn(step.value)
    name, text = escape(step.name or ""), escape(step.text)
    cells = f"<td>{step.line}</td><td>{name}</td><td><code>{text}</code></td><td>{shown}</td>"
    return f"<tr>{cells}</tr>"


def _drawn(value: Any) -> str:
    return value.svg() if isinstance(value, Grid) else f"<code>{escape(_short(value))}</code>"


def _indented(grid: Grid) -> list[str]:
    """The rows of a grid for printing below a step."""
    return [f"{'':14} {row}" for row in str(grid).splitlines()]


def _difference(output: Any, expected: Grid) -> str:
    """How far a wrong result is from the expected output."""
    if not isinstance(output, Grid):
        return "the result is not a grid of colours"
    if output.shape != expected.shape:
        shapes = [" × ".join(map(str, grid.shape)) for grid in (output, expected)]
        return f"the result has {shapes[0]} cells, expected {shapes[1]}"
    cells = list(zip(output.tobytes(), expected.tobytes(), strict=True))
    n_wrong = sum(ours != right for ours, right in cells)
    return f"{n_wrong} of {counted(len(cells), 'cell')} differ from the expected output"


def _short(value: Any, width: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def trace(program: Program, grid: Any, demos: Any = None, expected: Any = None) -> Trace:
    """Runs a program on a grid and returns all steps, with CPython's values."""
    return Trace(program, grid, program._trace(grid, demos, expected), expected)
