"""The results of commands: tables, charts and JSON."""

from __future__ import annotations

from functools import cached_property
from html import escape
from typing import Any

from leyden._chart import bars
from leyden._leyden import Grid
from leyden._table import Table, counted


class Report:
    """The result of a command: its JSON (`raw`), a headline, a table and a chart."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    @property
    def headline(self) -> str:
        """A summary in one line."""
        raise NotImplementedError

    def table(self) -> Table:
        """The main table."""
        raise NotImplementedError

    def svg(self) -> str:
        """A chart as SVG; empty if there is nothing to draw."""
        return ""

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The main table as lists by name: `pandas.DataFrame(report.columns)`."""
        return self.table().columns

    def to_json(self) -> dict[str, Any]:
        """The JSON that the command wrote."""
        return self.raw

    def to_pandas(self) -> Any:
        """The main table as a pandas data frame."""
        import pandas  # pyright: ignore[reportMissingImports]

        return pandas.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """The main table as a polars data frame."""
        import polars  # pyright: ignore[reportMissingImports]

        return polars.DataFrame(self.columns)

    def __str__(self) -> str:
        return f"{self.headline}\n{self.table()}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.headline)}</p>{self.svg()}{self.table()._repr_html_()}"


def _share(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


class Profile(Report):
    """A profile: where the time goes (docs/profiling.md). Self times add up to the whole run."""

    def __init__(self, raw: dict[str, Any], flame_graph: str) -> None:
        super().__init__(raw)
        self.flame_graph = flame_graph

    @property
    def kind(self) -> str:
        """`dsl`, `batch`, `framework`, `pipeline` or `lines`."""
        return str(self.raw["kind"])

    @property
    def verdict(self) -> str:
        """The result in one sentence: where the time goes, and what would reduce it."""
        return str(self.raw["verdict"])

    @property
    def headline(self) -> str:
        totals, setting = self.raw["totals"], self.raw["setting"]
        return (
            f"{self.kind}: {counted(len(self.raw['tasks']), 'task')} of {setting['data']['name']}, "
            f"{counted(totals['runs'], 'run')}, execution {totals['execute_ns'] / 1e6:.3g} ms, "
            f"all {totals['whole_ns'] / 1e6:.3g} ms"
        )

    def __str__(self) -> str:
        return f"{self.verdict}\n{super().__str__()}"

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.verdict)}</b></p>{super()._repr_html_()}"

    def advice(self) -> Table:
        """The steps to take first: the share that each saves, the speed-up and the effort."""
        rows = [(it["what"], _share(it["saved"], 1.0), it["gain"], it["effort"]) for it in self.raw["advice"]["steps"]]
        return Table(("step", "saves", "gain", "effort"), rows)

    def slow_path(self) -> Table:
        """The runs on the slow reference engine, with the reason; empty if the fast engine did everything."""
        rows = [
            (it["reason"], it.get("primitive") or "", it["n_programs"], it["n_runs"], it["time_ns"] / 1e6)
            for it in self.raw.get("slow_path", [])
        ]
        return Table(("reason", "primitive", "programs", "runs", "time_ms"), rows)

    def table(self) -> Table:
        tables = {"framework": self.layers, "pipeline": self.phases, "lines": self.lines}
        return tables.get(self.kind, self.primitives)()

    def primitives(self) -> Table:
        """Calls and times of each primitive, slowest first."""
        rows = [(it["name"], it["layer"], it["calls"], it["self_ns"], it["cumulative_ns"], it["faults"]) for it in self.raw["primitives"]]
        return _timed(("name", "layer", "calls", "self_ms", "cumulative_ms", "faults"), rows, (3, 4))

    def layers(self) -> Table:
        """The time of each layer of the engine."""
        rows = [(it["layer"], it["calls"], it["self_ns"]) for it in self.raw["layers"]]
        return _timed(("layer", "calls", "self_ms"), rows, (2,))

    def phases(self) -> Table:
        """The time of each phase of a run."""
        rows = [(it["phase"], it["units"], it["scales_with"], it["self_ns"]) for it in self.raw["phases"]]
        return _timed(("phase", "units", "scales_with", "self_ms"), rows, (3,))

    def lines(self) -> Table:
        """The time of each line of the programs, in their order."""
        sources = self.raw["sources"]
        rows = [
            (sources[it["source"]]["name"], it["line"], it["text"], it["hits"], it["time_ns"] / 1e6)
            for it in self.raw["lines"]
        ]
        return Table(("program", "line", "text", "hits", "time_ms"), rows)

    def tasks(self) -> Table:
        """Runs and time of each task."""
        rows = [(it["id"], it["runs"], it["faults"], it["self_ns"]) for it in self.raw["tasks"]]
        return _timed(("task", "runs", "faults", "self_ms"), rows, (3,))

    def svg(self) -> str:
        columns = self.columns
        labels = columns["text"] if self.kind == "lines" else next(iter(columns.values()))
        return bars(labels, columns["time_ms" if self.kind == "lines" else "self_ms"], "ms")


def _timed(names: tuple[str, ...], rows: list[tuple[Any, ...]], times: tuple[int, ...]) -> Table:
    """Converts nanoseconds to milliseconds, sorts slowest first and adds the share."""
    own = times[0]
    whole = sum(row[own] for row in rows)
    ordered = sorted(rows, key=lambda row: -row[own])
    in_ms = [tuple(it / 1e6 if k in times else it for k, it in enumerate(row)) for row in ordered]
    shares = [(*row, _share(old[own], whole)) for row, old in zip(in_ms, ordered, strict=True)]
    return Table((*names, "share"), shares)


class Solution(Report):
    """Answers to tasks, and the programs that give them.

    A task is *fitted* if one of its programs gives the right output for all demonstrations. It is
    *solved* if one of the two attempts is right for every test; this needs known test outputs.
    """

    def __init__(self, raw: dict[str, Any], submission: dict[str, Any]) -> None:
        super().__init__(raw)
        self.submission = submission

    @cached_property
    def answers(self) -> dict[str, list[tuple[Grid, Grid]]]:
        """For each task a list with two attempts for each test input."""
        return {
            id: [(Grid(it["attempt_1"]), Grid(it["attempt_2"])) for it in of_task]
            for id, of_task in self.submission.items()
        }

    @cached_property
    def programs(self) -> dict[str, list[str]]:
        """For each task with answers, the programs that give them as text, best first."""
        found: dict[str, list[str]] = {}
        for row in self.raw["rows"]:
            texts = [answer["program"] for of_test in row["answers"] for answer in of_test]
            if texts:
                found[row["task"]] = list(dict.fromkeys(texts))
        return found

    @property
    def headline(self) -> str:
        raw = self.raw
        known = "" if raw.get("solved") is None else f", {raw['solved']} solved"
        return f"{counted(raw['tasks'], 'task')} of {raw['data']}: {raw['fit_all_demos']} fitted{known}"

    def table(self) -> Table:
        names = ("task", "answered", "right", "states", "runs", "fuel", "seconds")
        return Table(names, map(self._row, self.raw["rows"]))

    def _row(self, row: dict[str, Any]) -> tuple[Any, ...]:
        answered = [of_test for of_test in row["answers"] if of_test]
        right = sum(any(it.get("is_right") for it in of_test) for of_test in answered)
        work = (row["states"], row["runs"], row["fuel"], row["wall_s"])
        return (row["task"], len(answered), right, *work)


class Score(Report):
    """The score of a submission by three rules: `outputs` (Kaggle's), `tasks` and `solved`."""

    @property
    def outputs(self) -> float:
        """Kaggle's rule: the share of test outputs where one of the two attempts is right."""
        return float(self.raw["outputs"]["share"])

    @property
    def tasks(self) -> float:
        """The mean over all tasks of their share of right outputs."""
        return float(self.raw["tasks"])

    @property
    def solved(self) -> float:
        """The share of tasks with all outputs right."""
        return float(self.raw["solved"]["share"])

    @property
    def headline(self) -> str:
        outputs, solved = self.raw["outputs"], self.raw["solved"]
        return (
            f"{self.raw['data']}: {outputs['right']} of {outputs['of']} outputs, "
            f"{solved['right']} of {solved['of']} tasks, {100 * self.tasks:.2f} % by tasks"
        )

    def table(self) -> Table:
        rows = [(it["task"], it["right"], it["of"], it["solved"]) for it in self.raw["per_task"]]
        return Table(("task", "right", "of", "solved"), rows)


class Evolution(Report):
    """The report of a run of `evolve`."""

    @property
    def headline(self) -> str:
        raw = self.raw
        return (
            f"{counted(raw['tasks'], 'task')} of {raw['data']}: {counted(raw['rounds'], 'round')}, "
            f"{counted(raw['evaluations'], 'evaluation')}, {raw['transferred']} transferred, "
            f"{raw['evolved']} evolved"
        )

    @property
    def store(self) -> str:
        """The path of the store with the programs."""
        return str(self.raw["store"])

    def table(self) -> Table:
        return Table(("task", "best_partial"), self.raw["best_partial"])

    def svg(self) -> str:
        columns = self.columns
        return bars(columns["task"], columns["best_partial"], "%")
