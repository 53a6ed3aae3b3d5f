"""Many programs on many tasks, and what came of it."""

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
from leyden._progress import Progress, Wanted
from leyden._table import Table
from leyden._tasks import as_tasks

DEFAULT_FUEL: int = _leyden.BATTERY_FUEL

# The pick of a program that was not run on a task.
MISSING = 0xFFFF_FFFF


class Member(NamedTuple):
    """A program of a battery."""

    name: str
    origin: str
    task: str | None
    hash: str


class Battery:
    """Programs merged into one graph, in which nothing is computed twice.

    >>> program = Program.parse("def solve_a(I):\\n    return vmirror(I)")
    >>> battery = Battery.from_programs([program])
    >>> battery.run("demo").solved_by["solve_a"]
    []
    """

    def __init__(self, raw: _leyden.RawBattery) -> None:
        self._raw = raw

    @staticmethod
    def from_programs(programs: Program | Iterable[Program]) -> Battery:
        """Merges programs."""
        several = [programs] if isinstance(programs, Program) else list(programs)
        return Battery(_leyden.RawBattery.from_programs(several))

    @staticmethod
    def parse(text: str) -> Battery:
        """Reads the text of a `.batt` file (docs/battery.md)."""
        return Battery(_leyden.RawBattery.parse(text))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Battery:
        """Reads a `.batt` file, or a batt that tokpidjin's card.py generated."""
        text = Path(path).read_text(encoding="utf-8")
        return Battery(_leyden.RawBattery.parse(text, None, str(path)))

    @property
    def text(self) -> str:
        """The text of a `.batt` file."""
        return self._raw.text

    @cached_property
    def members(self) -> list[Member]:
        """The programs: names, what they were made from, the tasks in their names, hashes."""
        members = zip(self._raw.members, self._raw.hashes, strict=True)
        return [Member(*member, hash) for member, hash in members]

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        raw = self._raw
        return f"<Battery: {len(self)} programs, {raw.n_lines} lines, {raw.n_nodes} nodes>"

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
        """Runs every program on every sample of every task, on `jobs` threads (all processors).

        Other threads of Python go on meanwhile, and Ctrl-C stops it. With `scores`, Leyden's scoring
        programs give partial credit for what comes close. Where `tasks` are a part of a larger data
        set, `data` is that, so that results of several parts can be merged.

        `backend` is where programs run: `"auto"`, `"cpu"`, `"cuda"` or `"opencl"`, on all GPUs or on
        the devices of these numbers (docs/gpu.md). Results stay the same; fuel is what the CPU burnt.
        A backend that cannot be had raises `RuntimeError`.
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
    """What results must have in common to be merged."""

    data_name: str
    data_hash: str
    engine: str
    fuel: int
    exact_order: bool
    scores: tuple[str, ...]


class Record(NamedTuple):
    """What one program gave on one task. Demonstrations come first, then tests."""

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
    """The partial score, 0 to 100, if it was asked for."""
    device_runs: int = 0
    """The samples on which a device ran the program, which `fuel` does not count."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Equal keys have equal results, on every machine."""
        return self[:4]

    @property
    def fits(self) -> bool:
        """Are all demonstrations right?"""
        demos = self.right[: self.n_demos]
        return bool(demos) and all(demos)

    @property
    def solves(self) -> bool:
        """Are all demonstrations and all known test outputs right?"""
        known = [it for it in self.right if it is not None]
        return bool(known) and all(known)

    @property
    def faults(self) -> list[str]:
        """The classes of the faults."""
        return [kind for kind in self.kinds if kind not in ("grid", "value")]

    @property
    def verdict(self) -> str:
        """`exact`, `fits` (all demonstrations, not all tests), `partial`, `fault` or `wrong`."""
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
    """What scoring programs made of the grids for a task's demonstrations."""

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
    """What all programs gave on one task."""

    task: str
    hash: str
    n_demos: int
    known: tuple[bool, ...]
    """For each sample, whether its output is known."""
    hashes: list[str]
    kinds: list[str]
    right: list[int | None]
    picks: bytes
    """For each sample and program the place of its outcome."""
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
        """For each sample the places of all programs' outcomes."""
        words, n = _words(self.picks, "I"), self.n_programs
        return [words[k * n : (k + 1) * n] for k in range(self.n_samples)]

    def row_of(self, program: int) -> tuple[int, ...]:
        """For each sample the place of a program's outcome."""
        return tuple(_words(self.picks, "I")[program :: self.n_programs].tolist())

    def is_missing(self, program: int) -> bool:
        return MISSING in self.row_of(program)

    def hits(self) -> list[tuple[int, int]]:
        """For each program how many demonstrations and how many tests are right."""
        demos, tests = [0] * self.n_programs, [0] * self.n_programs
        for k, (row, right) in enumerate(zip(self.rows(), self.right, strict=True)):
            counts = demos if k < self.n_demos else tests
            if right is not None:
                for program, pick in enumerate(row):
                    counts[program] += pick == right
        return list(zip(demos, tests, strict=True))


class BatteryResult:
    """Which program solves which task, and what every run gave, by hashes.

    Results of parts of a data set, from whichever machines, merge into that of the whole.
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
        """For each task the places of the programs that solve it, and of those that only fit."""
        found = []
        for part, hits in zip(self.parts, self._hits, strict=True):
            solving = [k for k, it in enumerate(hits) if self._solved(part, it)]
            fitting = [k for k, it in enumerate(hits) if self._fits(part, it)]
            found.append((solving, [k for k in fitting if not self._solved(part, hits[k])]))
        return found

    @property
    def solved(self) -> list[str]:
        """The tasks that some program solves."""
        pairs = zip(self.parts, self._by_task, strict=True)
        return [part.task for part, (solving, _) in pairs if solving]

    @property
    def solvers(self) -> dict[str, list[str]]:
        """For each task the programs that solve it."""
        names = self.programs
        pairs = zip(self.parts, self._by_task, strict=True)
        return {part.task: [names[k] for k in solving] for part, (solving, _) in pairs}

    @property
    def solved_by(self) -> dict[str, list[str]]:
        """For each program the tasks it solves."""
        found: dict[str, list[str]] = {name: [] for name in self.programs}
        for part, (solving, _) in zip(self.parts, self._by_task, strict=True):
            for k in solving:
                found[self.members[k].name].append(part.task)
        return found

    @cached_property
    def totals(self) -> dict[str, Any]:
        """How many tasks, samples, runs, right runs, solved tasks, grids, values and faults."""
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
        """What each program gave on each task, task by task."""
        for part in self.parts:
            for k, member in enumerate(self.members):
                if not part.is_missing(k):
                    yield self._record(part, k, member)

    def record(self, program: str, task: str) -> Record:
        """What a program gave on a task."""
        k = self.programs.index(program)
        part = self.parts[self.tasks.index(task)]
        if part.is_missing(k):
            raise KeyError(f"{program} was not run on {task}")
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
        """The union: the same record from two places counts once."""
        if not results:
            raise ValueError("no results to merge")
        merged = results[0]
        for result in results[1:]:
            merged = _merge_two(merged, result)
        return merged

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """A table of a row for each program and task, as `pandas.DataFrame` and `polars.DataFrame`
        take it."""
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
        """What `leyden batt --json` writes (with `--no-scores`, if there are none), but for the times
        of phases that are not this result's."""
        from leyden._battery_json import to_json

        return to_json(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON to a file."""
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        draft.write_text(json.dumps(self.to_json()), encoding="utf-8")
        draft.replace(target)

    def table(self) -> Table:
        """The programs that solve most, and what they do elsewhere."""
        rows = [(name, len(tasks), " ".join(tasks)) for name, tasks in self.solved_by.items()]
        rows = sorted((row for row in rows if row[1]), key=lambda row: (-row[1], row[0]))
        return Table(("program", "solves", "tasks"), rows)

    def _headline(self) -> str:
        totals = self.totals
        return (
            f"{len(self.members)} programs on {totals['tasks']} tasks of {self.run.data_name}: "
            f"{totals['solved']} solved, {totals['only_fitted']} only fitted; "
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
    """One part of several for the same task, for these programs in their order."""
    there = [(source.members, part) for source, part in sources if part is not None]
    for own, part in there:
        if own == members and (len(there) == 1 or all(part == other for _, other in there)):
            return part
    return _Joiner(members, there[0][1]).join(there)


Row = tuple[tuple[int, ...], tuple[int, int, int, int]]
"""For each sample the place of the outcome; the fuel, the most, on which sample, runs on devices."""


class _Joiner:
    """Puts parts of the same task together, outcome by outcome."""

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
        """That of the program with the most credit; none where a program fits all."""
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
