"""Batteries, searches and evolution on a Ray cluster (`pip install ray`; docs/cluster.md).

Leyden sends tasks in chunks and merges the results. If a worker dies, another one repeats its chunk.
A chunk that runs twice counts once.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import ray
from ray import exceptions

from leyden._battery import Battery, BatteryResult
from leyden._commands import evolve as evolve_here
from leyden._commands import run_command
from leyden._commands import solve as solve_here
from leyden._leyden import TaskSet
from leyden._progress import Progress, Wanted
from leyden._reports import Evolution, Solution
from leyden._tasks import as_tasks

__all__ = ["evolve", "run", "solve"]

log = logging.getLogger("leyden.ray")

LEAST_SECONDS = 0.1
"""The least time of a chunk; a shorter one costs more to send than to run."""

RESUBMISSIONS = 3
"""How often Leyden submits a chunk again after Ray gave up."""

# Ray's exceptions for a failed machine, in contrast to failed work.
_LOST = (
    exceptions.WorkerCrashedError,
    exceptions.NodeDiedError,
    exceptions.ObjectLostError,
    exceptions.OutOfMemoryError,
    exceptions.RaySystemError,
)

T = TypeVar("T")


def run(
    battery: Battery,
    tasks: Any,
    address: str | None = None,
    *,
    fuel: int | None = None,
    scores: bool = False,
    exact_order: bool = False,
    progress: Wanted = None,
    chunk_seconds: float = LEAST_SECONDS,
    max_retries: int = 3,
) -> BatteryResult:
    """Runs a battery on a Ray cluster and returns what `battery.run(tasks)` returns.

    - `address`: the cluster. By default the one this process is connected to, then `RAY_ADDRESS`,
      then a new one on this machine.
    - `fuel`, `scores`, `exact_order`, `progress`: as in `Battery.run`.
    - `chunk_seconds`: the least time of a chunk of tasks.
    - `max_retries`: how often Ray repeats a chunk after a worker died.
    """
    data = as_tasks(tasks)
    _connect(address)
    shared = _Shared(ray.put(battery), ray.put(data))
    options = {"fuel": fuel, "scores": scores, "exact_order": exact_order}
    started = time.monotonic()

    def submit(chunk: range) -> Any:
        return _run_chunk.options(max_retries=max_retries).remote(shared, chunk, options)

    with Progress(progress, len(data), "executing") as look:
        results = list(_spread(len(data), submit, look, chunk_seconds))
    if not results:
        return battery.run(data, jobs=1, progress=False, **options)
    merged = BatteryResult.merge(*results)
    merged.execute_s = time.monotonic() - started
    return merged


def solve(
    tasks: Any,
    address: str | None = None,
    *,
    library: Any = "none",
    out: str | os.PathLike[str] | None = None,
    progress: Wanted = None,
    chunk_seconds: float = LEAST_SECONDS,
    max_retries: int = 3,
    **options: Any,
) -> Solution:
    """Solves tasks on a Ray cluster and returns what `leyden.solve(tasks, …)` returns.

    - `fuel_per_task` or `per_task`: what to spend. `fuel_per_task` gives equal answers on every
      machine.
    - `library`: `"none"`, `"public"`, programs, or the path of a file or store, which Leyden sends to
      the workers.
    - `out`: the file for the submission.
    - `address`, `progress`, `chunk_seconds`, `max_retries`: as in `run`.
    """
    if options.get("budget") is not None or options.get("resume"):
        raise ValueError("a cluster has no common clock and no journal; use fuel_per_task or per_task")
    data = as_tasks(tasks)
    _connect(address)
    shared = _Shared(ray.put(_Shelf.of(library)), ray.put(data))
    options = {**options, "jobs": 1}

    def submit(chunk: range) -> Any:
        return _solve_chunk.options(max_retries=max_retries).remote(shared, chunk, options)

    with Progress(progress, len(data), "solving") as look:
        solutions = list(_spread(len(data), submit, look, chunk_seconds))
    merged = _merge_solutions(solutions, data)
    if out is not None:
        _write_json(Path(out), merged.submission)
    return merged


def evolve(
    tasks: Any,
    rounds: int | None = None,
    budget: float | str | None = None,
    address: str | None = None,
    *,
    store: str | os.PathLike[str],
    islands: int | None = None,
    seed: int = 0,
    programs: Any = None,
    progress: Wanted = None,
    max_retries: int = 3,
    **options: Any,
) -> list[Evolution]:
    """Runs independent evolutions on a Ray cluster and collects their programs in `store`.

    Returns one report for each island.

    - `rounds`, `budget`: when each island stops.
    - `store`: the file that collects the programs. If it exists, all islands start with its programs.
    - `islands`: number of evolutions; one per processor of the cluster by default.
    - `seed`: the seed of the first island; the next ones use `seed + 1` and so on.
    - `programs`: programs to start with.
    - `address`, `progress`, `max_retries`: as in `run`.
    """
    data = as_tasks(tasks)
    _connect(address)
    n_islands = _n_workers() if islands is None else islands
    first = Path(store).read_bytes() if Path(store).exists() else None
    shared = _Shared(ray.put((programs, first)), ray.put(data))
    common = {**options, "rounds": rounds, "budget": budget, "jobs": 1}

    def submit(chunk: range) -> Any:
        own = {**common, "seed": seed + chunk.start}
        return _evolve_island.options(max_retries=max_retries).remote(shared, own)

    with Progress(progress, n_islands, "evolving") as look:
        found = list(_spread(n_islands, submit, look, math.inf, size=1))
    found.sort(key=lambda island: island[0].raw["seed"])
    for _, content in found:
        _bring(content, store)
    return [report for report, _ in found]


@dataclass(frozen=True)
class _Shared:
    """Data that all chunks need. Leyden sends it once, and a worker keeps the latest."""

    what: Any
    data: Any

    def fetch(self) -> tuple[Any, TaskSet]:
        name = self.what.hex()
        if name not in _kept:
            _kept.clear()
            _kept[name] = (ray.get(self.what), ray.get(self.data))
        return _kept[name]


_kept: dict[str, tuple[Any, TaskSet]] = {}


@ray.remote
def _run_chunk(shared: _Shared, chunk: range, options: dict[str, Any]) -> tuple[BatteryResult, float]:
    battery, data = shared.fetch()
    some = _part(data, chunk)
    started = time.monotonic()
    result = battery.run(some, jobs=1, progress=False, data=data, **options)
    return result, time.monotonic() - started


@ray.remote
def _solve_chunk(shared: _Shared, chunk: range, options: dict[str, Any]) -> tuple[Solution, float]:
    shelf, data = shared.fetch()
    started = time.monotonic()
    with shelf.here() as library:
        solution = solve_here(_part(data, chunk), library=library, **options)
    return solution, time.monotonic() - started


@ray.remote
def _evolve_island(shared: _Shared, options: dict[str, Any]) -> tuple[tuple[Evolution, bytes], float]:
    (programs, first), data = shared.fetch()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="leyden-") as place:
        store, copy = Path(place, "store.db"), Path(place, "copy.db")
        if first is not None:
            store.write_bytes(first)
        report = evolve_here(data, programs=programs, store=store, **options)
        run_command(["library", "--store", store, "export", "--format", "store", "--out", copy])
        return (report, copy.read_bytes()), time.monotonic() - started


def _part(data: TaskSet, chunk: range) -> TaskSet:
    return data[chunk.start : chunk.stop]


def _connect(address: str | None) -> None:
    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=None if address else False, logging_level=logging.WARNING)


def _n_workers() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _spread(
    n_items: int,
    submit: Callable[[range], Any],
    look: Callable[[int], None],
    chunk_seconds: float,
    size: int | None = None,
) -> Iterator[Any]:
    """Submits all items in chunks and yields the results in any order.

    It measures a small first chunk. Later chunks are as large as possible while every worker gets
    several, and take at least `chunk_seconds`.
    """
    plan = _Plan(n_items, _n_workers(), chunk_seconds, size)
    running: dict[Any, tuple[range, int]] = {}
    n_done = 0
    try:
        while plan.is_more() or running:
            for chunk in plan.next_chunks(len(running)):
                running[submit(chunk)] = (chunk, 0)
            ready, _ = ray.wait(list(running), num_returns=1, timeout=0.1)
            for ref in ready:
                chunk, n_failed = running.pop(ref)
                try:
                    result, seconds = ray.get(ref)
                except _LOST as error:
                    if n_failed >= RESUBMISSIONS:
                        raise
                    log.warning("a worker died with %d tasks; another worker repeats them (%s)", len(chunk), type(error).__name__)
                    running[submit(chunk)] = (chunk, n_failed + 1)
                    continue
                plan.learn(chunk, seconds)
                n_done += len(chunk)
                yield result
            look(n_done)
    finally:
        _cancel(running)


class _Plan:
    """How to cut the items into chunks."""

    FIRST = 8
    PER_WORKER = 4

    def __init__(self, n_items: int, n_workers: int, chunk_seconds: float, size: int | None) -> None:
        self.n_items, self.n_workers, self.size = n_items, n_workers, size
        self.chunk_seconds = chunk_seconds
        self.n_given = 0
        self.n_measured, self.seconds = 0, 0.0

    def is_more(self) -> bool:
        return self.n_given < self.n_items

    def learn(self, chunk: range, seconds: float) -> None:
        self.n_measured += len(chunk)
        self.seconds += seconds

    def next_chunks(self, n_running: int) -> Iterator[range]:
        """The chunks to submit while `n_running` run: two per worker, so that no worker waits, but only
        one until a chunk was measured."""
        is_known = self.size is not None or self.n_measured > 0
        most = 2 * self.n_workers if is_known else 1
        while n_running < most and self.is_more():
            start = self.n_given
            self.n_given = min(self.n_items, start + self._next_size())
            n_running += 1
            yield range(start, self.n_given)

    def _next_size(self) -> int:
        if self.size is not None:
            return self.size
        if self.n_measured == 0:
            return self.FIRST
        mean = max(self.seconds / self.n_measured, 1e-6)
        n_left = self.n_items - self.n_given
        fair = n_left // (self.PER_WORKER * self.n_workers)
        size = max(1, fair, math.ceil(self.chunk_seconds / mean))
        # If the rest is too small for a chunk of its own, this chunk takes it.
        return n_left if n_left < 2 * size and n_left * mean < 2 * self.chunk_seconds else size


def _cancel(running: dict[Any, Any]) -> None:
    for ref in running:
        with contextlib.suppress(Exception):
            ray.cancel(ref)


@dataclass(frozen=True)
class _Shelf:
    """Known programs, in a form that Ray can send."""

    library: Any
    content: bytes | None = None

    @staticmethod
    def of(library: Any) -> _Shelf:
        if library == "own":
            raise ValueError("workers cannot see your own store; give its path instead")
        is_path = isinstance(library, os.PathLike) or isinstance(library, str) and library not in ("none", "public")
        if not is_path:
            return _Shelf(library)
        path = Path(library)
        return _Shelf(path.name, path.read_bytes())

    @contextlib.contextmanager
    def here(self) -> Iterator[Any]:
        """The library as `leyden.solve` takes it on this machine."""
        if self.content is None:
            yield self.library
            return
        with tempfile.TemporaryDirectory(prefix="leyden-") as place:
            path = Path(place, self.library)
            path.write_bytes(self.content)
            yield path


def _merge_solutions(solutions: Sequence[Solution], data: TaskSet) -> Solution:
    rows = {row["task"]: row for solution in solutions for row in solution.raw["rows"]}
    submission = {id: of for solution in solutions for id, of in solution.submission.items()}
    raws = [solution.raw for solution in solutions]
    raw = {**(raws[0] if raws else {}), "data": data.name, "data_hash": data.hash}
    for key in ("tasks", "tried", "fit_all_demos"):
        raw[key] = sum(one[key] for one in raws)
    # The number of right answers is known only if it is known for every chunk.
    raw.pop("solved", None)
    if all(one.get("solved") is not None for one in raws):
        raw["solved"] = sum(one["solved"] for one in raws)
    raw["rows"] = [rows[id] for id in data.ids if id in rows]
    return Solution(raw, {id: submission[id] for id in data.ids})


def _write_json(path: Path, content: Any) -> None:
    import json

    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    draft.write_text(json.dumps(content), encoding="utf-8")
    draft.replace(path)


def _bring(content: bytes, store: str | os.PathLike[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="leyden-") as place:
        island = Path(place, "island.db")
        island.write_bytes(content)
        run_command(["library", "--store", store, "import", island])
