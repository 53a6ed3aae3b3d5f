"""Small tables for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST_ROWS = 40
WIDEST = 60


class Table:
    """A table with named columns, printed as text or drawn as HTML.

    >>> print(Table(("name", "n"), [("a", 1), ("b", 22)]))
    name   n
    a      1
    b     22
    >>> Table(("name", "n"), [("a", 1)]).columns
    {'name': ['a'], 'n': [1]}
    """

    def __init__(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        self.names = list(names)
        self.rows = [tuple(row) for row in rows]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The columns as lists by name: `pandas.DataFrame(table.columns)`."""
        return {name: [row[k] for row in self.rows] for k, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        shown = [self.names, *([_cell(it) for it in row] for row in self.rows[:MOST_ROWS])]
        widths = [max(len(row[k]) for row in shown) for k in range(len(self.names))]
        lines = [self._line(row, widths) for row in shown]
        return "\n".join([*lines, *self._rest()])

    __repr__ = __str__

    def _line(self, row: Sequence[str], widths: list[int]) -> str:
        cells = zip(row, widths, range(len(row)), strict=True)
        padded = [f"{it:>{w}}" if self._is_number(k) else f"{it:<{w}}" for it, w, k in cells]
        return "  ".join(padded).rstrip()

    def _is_number(self, k: int) -> bool:
        return bool(self.rows) and isinstance(self.rows[0][k], (int, float))

    def _rest(self) -> list[str]:
        n = len(self.rows) - MOST_ROWS
        return [f"… and {n} more"] if n > 0 else []

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.names)
        rows = "".join(map(self._html_row, self.rows[:MOST_ROWS]))
        rest = "".join(f"<p>{it}</p>" for it in self._rest())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"

    def _html_row(self, row: Sequence[Any]) -> str:
        cells = "".join(f"<td>{escape(_cell(it))}</td>" for it in row)
        return f"<tr>{cells}</tr>"


def counted(n: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "task"), counted(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _cell(it: Any) -> str:
    text = f"{it:.4g}" if isinstance(it, float) else str("" if it is None else it)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
