"""Progress bars: tqdm's, if it is installed, and only for calls that take long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

PATIENCE = 1.0

Wanted = bool | None | Callable[[int, int], object]


class Progress:
    """Reports how many of `total` items are done.

    `wanted` is `True` (show a bar at once), `False` (no bar), a function that receives
    `(done, total)`, or `None` (show a bar after a second, in terminals and notebooks).
    """

    def __init__(self, wanted: Wanted, total: int, what: str) -> None:
        self.wanted, self.total, self.what = wanted, total, what
        self.started = time.monotonic()
        self.bar: Any = None
        self.tqdm: Any = None if wanted is False or callable(wanted) else _tqdm(wanted)

    def __call__(self, n_done: int) -> None:
        if callable(self.wanted):
            self.wanted(n_done, self.total)
        elif self._bar() is not None:
            self.bar.update(n_done - self.bar.n)

    def _bar(self) -> Any:
        is_time = self.wanted or time.monotonic() - self.started > PATIENCE
        if self.bar is None and self.tqdm is not None and is_time:
            self.bar = self.tqdm(total=self.total, desc=self.what, leave=bool(self.wanted))
        return self.bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and (callable(self.wanted) or self.bar is not None):
            self(self.total)
        if self.bar is not None:
            self.bar.close()


def _tqdm(wanted: bool | None) -> Any:
    if not wanted and not (sys.stderr is not None and sys.stderr.isatty() or _is_notebook()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules
