"""Batteries: many programs on many tasks, and their results."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal, NamedTuple

from leyden import _leyden
from leyden._leyden import Program, Task, TaskSet, __version__
from leyden._programs import programs
from leyden._progress import Progress, Wanted
from leyden._table import Table, counted
from leyden._tasks import as_tasks

DEFAULT_FUEL: int = _leyden.BATTERY_FUEL

# Marks a program that did not run on a task.
MISSING = 0xFFFF_FFFF


class Member(NamedTuple):
    """A program of a battery."""

    name: str
    origin: str
    """The name of the program that this one was made from, or its own name."""
    task: str | None
    """The task id in the name."""
    hash: str


class Battery:
    """Many programs merged into one graph that computes shared lines once.

    Make one with `from_programs`, `load` or `parse`, then call `run`.

    >>> program = Program.parse("def solve_a(I):\\n    return vmirror(I)")
    >>> battery = Battery.from_programs([program])
    >>> battery.run("demo").solved_by["solve_a"]
    []
    """

    def __init__(self, raw: _leyden.RawBattery) -> None:
        if not isinstance(raw, _leyden.RawBattery):
            makers = "Battery.load(path), Battery.from_programs(programs) or Battery.parse(text)"
            raise TypeError(f"make a battery with {makers}, not with Battery({type(raw).__name__})")
        self._raw = raw

    @staticmethod
    def from_programs(programs: Program | Iterable[Program]) -> Battery:
        """Merges one or more programs into a battery."""
        several = [programs] if isinstance(programs, Program) else list(programs)
        return Battery(_leyden.RawBattery.from_programs(several))

    @staticmethod
    def parse(text: str) -> Battery:
        """Reads a battery from the text of a `.batt` file (docs/battery.md)."""
        return Battery(_leyden.RawBattery.parse(text))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Battery:
        """Reads a `.batt` file, or reads and merges the programs of any other file or directory."""
        if Path(path).suffix != ".batt":
            return Battery.from_programs(programs(path))
        text = Path(path).read_text(encoding="utf-8")
        return Battery(_leyden.RawBattery.parse(text, None, str(path)))

    @property
    def text(self) -> str:
        """The battery as the text of a `.batt` file."""
        return self._raw.text

    @cached_property
    def members(self) -> list[Member]:
        """The programs, in order: names, origins, task ids and hashes."""
        members = zip(self._raw.members, self._raw.hashes, strict=True)
        return [Member(*member, hash) for member, hash in members]

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        sizes = (len(self), "program"), (self._raw.n_lines, "line"), (self._raw.n_nodes, "node")
        return f"<Battery: {', '.join(counted(*size) for size in sizes)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Battery):
            return NotImplemented
        return self.members == other.members and self.text == other.text

    def __hash__(self) -> int:
        return hash(tuple(self.members))

    def __reduce__(self) -> tuple[Any, ...]:
        return Battery, (self._raw,)

    def run(
        self,
        tasks: Any,
        jobs: int | None = None,
        fuel: int | None = None,
        progress: Wanted = None,
        *,
        scores: bool = False,
        exact_order: bool = False,
        data: TaskSet | None = None,
        backend: str | None = None,
        device: int | list[int] | None = None,
    ) -> BatteryResult:
        """Runs every program on every input of every task.

        Other Python threads continue meanwhile, and Ctrl-C stops the run.

        - `tasks`: a `TaskSet`, or anything that `as_tasks` takes.
        - `jobs`: number of threads; one per processor by default.
        - `fuel`: the most work that one program may do on one input.
        - `progress`: `True` shows a bar, `False` hides it, a function receives `(done, total)`. By
          default a bar appears after a second in terminals and notebooks.
        - `scores`: also compute partial scores for outputs that come close.
        - `exact_order`: use only the reference engine; slower, with equal results.
        - `data`: the whole data set, if `tasks` is a part of it. Then the results of several parts
          can be merged.
        - `backend`: `"auto"`, `"cpu"`, `"cuda"` or `"opencl"` (docs/gpu.md). Results are equal; fuel
          counts only the CPU's work. Raises `RuntimeError` if there is no such device.
        - `device`: numbers of the devices to use; all GPUs by default.
        """
        chosen = as_tasks(tasks)
        fuel = DEFAULT_FUEL if fuel is None else fuel
        with Progress(progress, len(chosen), "executing") as look:
            devices = [device] if isinstance(device, int) else device
            ran = self._raw.run(chosen, jobs, fuel, exact_order, scores, look, backend, devices)
        for remark in ran["remarks"]:
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
        whole = chosen if data is None else data
        names = tuple(ran["score_names"])
        run = Run(whole.name, whole.hash, __version__, fuel, exact_order, names)
        parts = [Part.of(task, of) for task, of in zip(chosen, ran["tasks"], strict=True)]
        size = (self._raw.n_lines, self._raw.n_nodes)
        return BatteryResult(run, self.members, parts, size, ran["execute_s"])


class Run(NamedTuple):
    """The settings that results must share so that `merge` accepts them."""

    data_name: str
    data_hash: str
    engine: str
    fuel: int
    exact_order: bool
    scores: tuple[str, ...]


class Record(NamedTuple):
    """The results of one program on one task. In all lists demonstrations come before tests."""

    program_hash: str
    task_hash: str
    data_hash: str
    engine: str
    program: str
    task: str
    hashes: tuple[str, ...]
    kinds: tuple[str, ...]
    right: tuple[bool | None, ...]
    n_demos: int
    fuel: int
    most_fuel: int
    most_fuel_on: int
    partial: float | None
    """The partial score, 0 to 100, or `None` without `scores=True`."""
    device_runs: int = 0
    """Number of inputs that a device answered; `fuel` does not count them."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Hashes of program, task and data, and the engine: equal keys have equal results everywhere."""
        return self[:4]

    @property
    def fits(self) -> bool:
        """Whether all demonstrations are right."""
        demos = self.right[: self.n_demos]
        return bool(demos) and all(demos)

    @property
    def solves(self) -> bool:
        """Whether all demonstrations and all known test outputs are right."""
        known = [it for it in self.right if it is not None]
        return bool(known) and all(known)

    @property
    def faults(self) -> list[str]:
        """The exception classes and limits of the runs that failed."""
        return [kind for kind in self.kinds if kind not in ("grid", "value")]

    @property
    def verdict(self) -> str:
        """`exact`, `fits` (all demonstrations but not all tests), `partial`, `fault` or `wrong`."""
        if self.solves:
            return "exact"
        if self.fits:
            return "fits"
        if any(self.right):
            return "partial"
        return "fault" if self.faults else "wrong"


def _words(numbers: bytes, kind: Literal["I", "Q"]) -> memoryview[int]:
    return memoryview(numbers).cast(kind)


@dataclass(slots=True)
class PartScores:
    """The partial scores of all programs on one task."""

    partial: bytes
    closest: str | None
    unscored: list[int]
    runs: int
    exact_runs: int
    cpu_s: float = field(compare=False)

    def of_program(self, k: int) -> float:
        return memoryview(self.partial).cast("d")[k]


@dataclass(slots=True)
class Part:
    """The results of all programs on one task."""

    task: str
    hash: str
    n_demos: int
    known: tuple[bool, ...]
    """For each input, whether the right output is known."""
    hashes: list[str]
    kinds: list[str]
    right: list[int | None]
    picks: bytes
    """For each input and program, the position of the outcome in `hashes`."""
    fuel: bytes
    most: bytes
    most_on: bytes
    device_runs: bytes
    nodes: int
    exact_runs: int
    exact_nodes: int
    cpu_s: float = field(compare=False)
    scores: PartScores | None = None

    @staticmethod
    def of(task: Task, ran: dict[str, Any]) -> Part:
        tests = [output is not None for _, output in task.test]
        known = (*[True] * len(task.train), *tests)
        scores = ran.pop("scores")
        made = None if scores is None else PartScores(**scores)
        return Part(task.id, task.hash, len(task.train), known, **ran, scores=made)

    @property
    def n_samples(self) -> int:
        return len(self.right)

    @property
    def n_programs(self) -> int:
        return len(self.fuel) // 8

    def rows(self) -> list[memoryview]:
        """For each input, the positions of all outcomes."""
        words, n = _words(self.picks, "I"), self.n_programs
        return [words[k * n : (k + 1) * n] for k in range(self.n_samples)]

    def row_of(self, program: int) -> tuple[int, ...]:
        """For each input, the position of one program's outcome."""
        return tuple(_words(self.picks, "I")[program :: self.n_programs].tolist())

    def is_missing(self, program: int) -> bool:
        return MISSING in self.row_of(program)

    def hits(self) -> list[tuple[int, int]]:
        """For each program, the numbers of right demonstrations and right tests."""
        demos, tests = [0] * self.n_programs, [0] * self.n_programs
        for k, (row, right) in enumerate(zip(self.rows(), self.right, strict=True)):
            counts = demos if k < self.n_demos else tests
            if right is not None:
                for program, pick in enumerate(row):
                    counts[program] += pick == right
        return list(zip(demos, tests, strict=True))


class BatteryResult:
    """The results of a battery: which program solves which task, and the outcome of every run.

    `print(result)` shows a summary, `columns` has a table for pandas or polars, and `records` has
    every detail. `merge` joins results of parts of a data set from several machines.
    """

    def __init__(
        self,
        run: Run,
        members: Sequence[Member],
        parts: Iterable[Part],
        size: tuple[int, int],
        execute_s: float | None = None,
    ) -> None:
        self.run = run
        self.members = list(members)
        self.parts = sorted(parts, key=lambda part: part.task)
        self.size = size
        self.execute_s = execute_s

    @property
    def programs(self) -> list[str]:
        """The names of the programs."""
        return [member.name for member in self.members]

    @property
    def tasks(self) -> list[str]:
        """The ids of the tasks."""
        return [part.task for part in self.parts]

    def __len__(self) -> int:
        return len(self.parts) * len(self.members)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BatteryResult):
            return NotImplemented
        ours = (self.run, self.members, self.parts)
        return ours == (other.run, other.members, other.parts)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        names = ("run", "members", "parts", "size", "execute_s")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def _hits(self) -> list[list[tuple[int, int]]]:
        return [part.hits() for part in self.parts]

    def _solved(self, part: Part, hits: tuple[int, int]) -> bool:
        n_known = sum(part.known)
        return n_known > 0 and sum(hits) == n_known

    def _fits(self, part: Part, hits: tuple[int, int]) -> bool:
        return part.n_demos > 0 and hits[0] == part.n_demos

    @cached_property
    def _by_task(self) -> list[tuple[list[int], list[int]]]:
        """For each task, the positions of programs that solve it and of those that only fit."""
        found = []
        for part, hits in zip(self.parts, self._hits, strict=True):
            solving = [k for k, it in enumerate(hits) if self._solved(part, it)]
            fitting = [k for k, it in enumerate(hits) if self._fits(part, it)]
            found.append((solving, [k for k in fitting if not self._solved(part, hits[k])]))
        return found

    @property
    def solved(self) -> list[str]:
        """The ids of the tasks that at least one program solves."""
        pairs = zip(self.parts, self._by_task, strict=True)
        return [part.task for part, (solving, _) in pairs if solving]

    @property
    def solvers(self) -> dict[str, list[str]]:
        """For each task, the names of the programs that solve it."""
        names = self.programs
        pairs = zip(self.parts, self._by_task, strict=True)
        return {part.task: [names[k] for k in solving] for part, (solving, _) in pairs}

    @property
    def solved_by(self) -> dict[str, list[str]]:
        """For each program, the ids of the tasks it solves."""
        found: dict[str, list[str]] = {name: [] for name in self.programs}
        for part, (solving, _) in zip(self.parts, self._by_task, strict=True):
            for k in solving:
                found[self.members[k].name].append(part.task)
        return found

    @cached_property
    def totals(self) -> dict[str, Any]:
        """Counts of tasks, inputs, runs, right runs, solved tasks, and kinds of outcomes."""
        kinds = self._kinds
        return {
            "tasks": len(self.parts),
            "samples": sum(part.n_samples for part in self.parts),
            "runs": sum(kinds.values()),
            "right": sum(sum(map(sum, hits)) for hits in self._hits),
            "solved": len(self.solved),
            "transferred": self._n_transferred(),
            "only_fitted": sum(not solving and bool(fit) for solving, fit in self._by_task),
            "outcomes": {
                "grids": kinds.get("grid", 0),
                "values": kinds.get("value", 0),
                "faults": _only_faults(kinds),
            },
        }

    @cached_property
    def _kinds(self) -> Counter[str]:
        kinds: Counter[str] = Counter()
        for part in self.parts:
            for pick, n in Counter(_words(part.picks, "I")).items():
                if pick != MISSING:
                    kinds[part.kinds[pick]] += n
        return kinds

    def _n_transferred(self) -> int:
        def is_foreign(part: Part, k: int) -> bool:
            own = self.members[k].task
            return own is not None and own != part.task

        pairs = zip(self.parts, self._by_task, strict=True)
        return sum(any(is_foreign(part, k) for k in solving) for part, (solving, _) in pairs)

    @property
    def records(self) -> Iterator[Record]:
        """A `Record` for each program and task, ordered by task."""
        for part in self.parts:
            for k, member in enumerate(self.members):
                if not part.is_missing(k):
                    yield self._record(part, k, member)

    def record(self, program: str, task: str) -> Record:
        """The `Record` of one program on one task; raises `KeyError` if it did not run there."""
        k = self.programs.index(program)
        part = self.parts[self.tasks.index(task)]
        if part.is_missing(k):
            raise KeyError(f"{program} did not run on {task}")
        return self._record(part, k, self.members[k])

    def _record(self, part: Part, k: int, member: Member) -> Record:
        row = part.row_of(k)
        right = [pick == it if known else None for pick, it, known in zip(row, part.right, part.known, strict=True)]
        return Record(
            program_hash=member.hash,
            task_hash=part.hash,
            data_hash=self.run.data_hash,
            engine=self.run.engine,
            program=member.name,
            task=part.task,
            hashes=tuple(part.hashes[pick] for pick in row),
            kinds=tuple(part.kinds[pick] for pick in row),
            right=tuple(right),
            n_demos=part.n_demos,
            fuel=_words(part.fuel, "Q")[k],
            most_fuel=_words(part.most, "Q")[k],
            most_fuel_on=_words(part.most_on, "Q")[k],
            partial=None if part.scores is None else part.scores.of_program(k),
            device_runs=_words(part.device_runs, "Q")[k],
        )

    @staticmethod
    def merge(*results: BatteryResult) -> BatteryResult:
        """Joins results of parts of a data set. A record in several results counts once."""
        if not results:
            raise ValueError("no results to merge")
        merged = results[0]
        for result in results[1:]:
            merged = _merge_two(merged, result)
        return merged

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """A table with one row for each program and task: `pandas.DataFrame(result.columns)`."""
        names = ["program", "task", "verdict", "right", "known", "samples", "faults", "fuel"]
        rows: list[tuple[Any, ...]] = [
            (it.program, it.task, it.verdict, *_counts(it), it.fuel, it.partial)
            for it in self.records
        ]
        if self.run.scores:
            names.append("partial")
        else:
            rows = [row[:-1] for row in rows]
        values = zip(*rows, strict=True) if rows else ([] for _ in names)
        return {name: list(column) for name, column in zip(names, values, strict=True)}

    def to_pandas(self) -> Any:
        """The columns as a pandas data frame."""
        import pandas  # pyright: ignore[reportMissingImports]

        return pandas.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """The columns as a polars data frame."""
        import polars  # pyright: ignore[reportMissingImports]

        return polars.DataFrame(self.columns)

    def to_json(self) -> dict[str, Any]:
        """The JSON that `leyden batt --json` writes (docs/batt-format.md), without the times of other phases."""
        from leyden._battery_json import to_json

        return to_json(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON to a file."""
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        draft.write_text(json.dumps(self.to_json()), encoding="utf-8")
        draft.replace(target)

    def table(self) -> Table:
        """The programs that solve tasks, best first."""
        rows = [(name, len(tasks), " ".join(tasks)) for name, tasks in self.solved_by.items()]
        rows = sorted((row for row in rows if row[1]), key=lambda row: (-row[1], row[0]))
        return Table(("program", "solves", "tasks"), rows)

    def _headline(self) -> str:
        totals = self.totals
        return (
            f"{counted(len(self.members), 'program')} on {counted(totals['tasks'], 'task')} of "
            f"{self.run.data_name}: {totals['solved']} solved, {totals['only_fitted']} only fitted; "
            f"{totals['right']} of {totals['runs']} runs right"
        )

    def __repr__(self) -> str:
        return f"<BatteryResult: {self._headline()}>"

    def __str__(self) -> str:
        return f"{self._headline()}\n{self.table()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._headline())}</p>{self.table()._repr_html_()}"


def _only_faults(kinds: Counter[str]) -> dict[str, int]:
    return {kind: n for kind, n in sorted(kinds.items()) if kind not in ("grid", "value")}


def _counts(record: Record) -> tuple[int, int, int, int]:
    n_known = sum(it is not None for it in record.right)
    return sum(map(bool, record.right)), n_known, len(record.right), len(record.faults)


def _merge_two(a: BatteryResult, b: BatteryResult) -> BatteryResult:
    if a.run != b.run:
        raise ValueError(f"results of different runs: {a.run} and {b.run}")
    members = [*a.members, *(member for member in b.members if member not in a.members)]
    ours = {part.hash: part for part in a.parts}
    theirs = {part.hash: part for part in b.parts}
    parts = [
        _join([(a, ours.get(hash)), (b, theirs.get(hash))], members) for hash in ours | theirs
    ]
    size = a.size if a.size == b.size else (0, 0)
    return BatteryResult(a.run, members, parts, size, None)


def _join(sources: list[tuple[BatteryResult, Part | None]], members: list[Member]) -> Part:
    """Joins the parts of one task, for these programs in this order."""
    there = [(source.members, part) for source, part in sources if part is not None]
    for own, part in there:
        if own == members and (len(there) == 1 or all(part == other for _, other in there)):
            return part
    return _Joiner(members, there[0][1]).join(there)


Row = tuple[tuple[int, ...], tuple[int, int, int, int]]
"""For each input the position of the outcome; then fuel, most fuel, its input, runs on devices."""


class _Joiner:
    """Joins parts of one task, outcome by outcome."""

    def __init__(self, members: list[Member], model: Part) -> None:
        self.members, self.model = members, model
        self.places: dict[str, int] = {}
        self.kinds: list[str] = []
        self.right: list[int | None] = [None] * model.n_samples
        self.rows: dict[str, Row] = {}
        self.partial: dict[str, float] = {}

    def join(self, there: list[tuple[list[Member], Part]]) -> Part:
        for own, part in there:
            self._take(own, part)
        model = self.model
        nowhere = ((MISSING,) * model.n_samples, (0, 0, 0, 0))
        rows = [self.rows.get(member.hash, nowhere) for member in self.members]
        picks = [row[k] for k in range(model.n_samples) for row, _ in rows]
        fuel, most, most_on, on_devices = (_packed([it[k] for _, it in rows], "Q") for k in range(4))
        return Part(
            model.task,
            model.hash,
            model.n_demos,
            model.known,
            list(self.places),
            self.kinds,
            self.right,
            _packed(picks, "I"),
            fuel,
            most,
            most_on,
            on_devices,
            max(part.nodes for _, part in there),
            max(part.exact_runs for _, part in there),
            max(part.exact_nodes for _, part in there),
            max(part.cpu_s for _, part in there),
            self._scores(there),
        )

    def _scores(self, there: list[tuple[list[Member], Part]]) -> PartScores | None:
        scores = [part.scores for _, part in there if part.scores is not None]
        if not scores:
            return None
        partial = [self.partial.get(member.hash, 0.0) for member in self.members]
        unscored = [max(it) for it in zip(*(it.unscored for it in scores), strict=True)]
        most = (max(it.runs for it in scores), max(it.exact_runs for it in scores))
        cpu_s = max(it.cpu_s for it in scores)
        return PartScores(_packed(partial, "d"), self._closest(there), unscored, *most, cpu_s)

    def _closest(self, there: list[tuple[list[Member], Part]]) -> str | None:
        """The program with the most credit, or `None` if a program fits the task."""
        best: tuple[float, int, dict[str, Any]] | None = None
        for own, part in there:
            if part.scores is None or part.scores.closest is None:
                return None
            closest = json.loads(part.scores.closest)
            member = own[closest["program"]]
            found = (self.partial[member.hash], -self.members.index(member), closest)
            best = found if best is None or found[:2] > best[:2] else best
        if best is None:
            return None
        return json.dumps({**best[2], "program": -best[1]})

    def _take(self, own: list[Member], part: Part) -> None:
        places = [self._place(*it) for it in zip(part.hashes, part.kinds, strict=True)]
        for k, right in enumerate(part.right):
            if right is not None:
                self.right[k] = places[right]
        columns = (part.fuel, part.most, part.most_on, part.device_runs)
        fuel, most, most_on, elsewhere = (_words(it, "Q") for it in columns)
        for k, member in enumerate(own):
            if not part.is_missing(k):
                row = tuple(places[pick] for pick in part.row_of(k))
                self._keep(member, part, (row, (fuel[k], most[k], most_on[k], elsewhere[k])))
                if part.scores is not None:
                    self.partial[member.hash] = part.scores.of_program(k)

    def _place(self, hash: str, kind: str) -> int:
        if hash not in self.places:
            self.places[hash] = len(self.kinds)
            self.kinds.append(kind)
        return self.places[hash]

    def _keep(self, member: Member, part: Part, row: Row) -> None:
        if self.rows.setdefault(member.hash, row)[0] != row[0]:
            raise ValueError(f"two different results of {member.name} on {part.task}")


def _packed(numbers: Sequence[float], kind: str) -> bytes:
    from array import array

    return array(kind, numbers).tobytes()
