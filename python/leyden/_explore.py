"""The page of `leyden explore`, served by a process of its own."""

from __future__ import annotations

import atexit
import html
import json
import os
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from leyden._commands import _data, _options, _programs

# A server that was asked to stop has this long to stop its runs in order.
PATIENCE_S = 15


class Explorer:
    """A page that is served until `stop()` is called or the interpreter ends.

    - `link`: the address with its token, for the browser.
    - `stop()`: ends the server; its runs keep their finds and can be resumed later.

    It is also a context manager, and in a notebook it shows its link.
    """

    link: str

    def __init__(self, process: subprocess.Popen[str], link: str) -> None:
        self.link = link
        self._process = process
        # The data and programs that the server was given as objects.
        self._files = ExitStack()
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        """Whether the server answers."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends the server; a second call changes nothing."""
        atexit.unregister(self.stop)
        if self.is_running:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._files.close()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Explorer {self.link if self.is_running else 'stopped'}>"

    def _repr_html_(self) -> str:
        if not self.is_running:
            return "This page is closed; <code>leyden.explore()</code> opens another one."
        link = html.escape(self.link)
        return f'<a href="{link}" target="_blank" rel="noopener">{link}</a>'


def explore(
    data: Any = None,
    solvers: Any = None,
    store: str | os.PathLike[str] | None = None,
    *,
    files: Iterable[str | os.PathLike[str]] = (),
    open: bool = True,
    port: int = 0,
    **options: Any,
) -> Explorer:
    """Opens a page to look at tasks, programs and runs in the browser, and returns at once.

    - `data`: anything that `as_tasks` takes, or a list of names of data sets; `arc1:training` by
      default.
    - `solvers`: a program, a path, a list of these, or a `Battery`; the public programs by default.
    - `store`: the file that keeps the programs; your own store by default.
    - `files`: submissions, batteries, and the JSON of `leyden profile` and `leyden solve`.
    - `open`: whether the browser opens.
    - `port`: the port; 0 takes a free one.
    - other options: those of `leyden explore`, such as `dialect="re-arc"`.

    Wrong arguments and bad files raise `ValueError`.
    """
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="leyden-")))
        words = [*files, *_sets(data, place), *_programs(solvers, place, options)]
        words += _options({"store": store, "port": port, **options})
        explorer = _started(list(map(str, words)), place)
        explorer._files = stack.pop_all()
    if open:
        webbrowser.open(explorer.link)
    return explorer


def _sets(data: Any, place: Path) -> list[Any]:
    """The options for one data set or several."""
    names = data if isinstance(data, (list, tuple)) else None
    if names and all(isinstance(name, (str, os.PathLike)) for name in names):
        return [word for name in names for word in ("--data", name)]
    return _data(data, place)


def _started(words: list[str], place: Path) -> Explorer:
    command = [sys.executable, "-m", "leyden", "explore", "--no-open", "--json", "-", *words]
    complaints = place / "complaints.txt"
    with complaints.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            # Ctrl-C in a notebook or an interpreter stops its own work, and not the page.
            start_new_session=True,
        )
    try:
        link = _link(process)
    except BaseException:
        process.kill()
        process.wait()
        raise
    if link:
        return Explorer(process, link)
    code = process.wait()
    if process.stdout:
        process.stdout.close()
    message = complaints.read_text(encoding="utf-8").strip().removeprefix("error: ")
    error = ValueError if code == 2 else RuntimeError
    raise error(message or f"leyden explore ended with exit code {code}")


def _link(process: subprocess.Popen[str]) -> str | None:
    """Waits for the link; `None` if the server ends without one."""
    text = ""
    for line in process.stdout or ():
        text += line
        try:
            return str(json.loads(text)["link"])
        except ValueError:
            # The object is not whole yet.
            continue
    return None
