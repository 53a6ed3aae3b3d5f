"""The JSON of a battery's results, as `leyden batt --json` writes it."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leyden._battery import BatteryResult, Part


def to_json(result: BatteryResult) -> dict[str, Any]:
    run, parts = result.run, result.parts
    n_lines, n_nodes = result.size
    pairs = zip(parts, result._by_task, strict=True)
    return {
        "engine": {"name": "leyden", "version": run.engine},
        "switches": {
            "share": True,
            "batch": True,
            "cache": True,
            "rules": True,
            "exact_order": run.exact_order,
            "fuel": run.fuel,
        },
        "data": {"name": run.data_name, "hash": run.data_hash},
        "battery": {"programs": len(result.members), "lines": n_lines, "nodes": n_nodes},
        **result.totals,
        "scores": _scores(result),
        "work": {
            **_device_runs(sum(_on_devices(parts))),
            "nodes": sum(part.nodes for part in parts),
            "exact_runs": sum(part.exact_runs for part in parts),
            "exact_nodes": sum(part.exact_nodes for part in parts),
            "score_runs": sum(part.scores.runs for part in parts if part.scores),
            "score_exact_runs": sum(part.scores.exact_runs for part in parts if part.scores),
        },
        "phases": {
            "execute_s": result.execute_s,
            "execute_cpu_s": sum(part.cpu_s for part in parts),
            "score_cpu_s": sum(part.scores.cpu_s for part in parts if part.scores),
        },
        "programs": _programs(result),
        "per_task": [_task(part, *by) for part, by in pairs],
    }


def _scores(result: BatteryResult) -> list[dict[str, Any]]:
    unscored = [part.scores.unscored for part in result.parts if part.scores]
    failed = [sum(it) for it in zip(*unscored, strict=True)] or [0] * len(result.run.scores)
    named = zip(result.run.scores, failed, strict=True)
    return [{"name": name, "failed": n} for name, n in named]


def _tenths(score: float) -> float:
    """Cuts after one decimal, so that 99.99 does not become 100."""
    return math.floor(score * 10) / 10


def _of_scores(part: Part) -> dict[str, Any]:
    if part.scores is None:
        return {}
    partial = memoryview(part.scores.partial).cast("d")
    found = {"partial": [_tenths(it) for it in partial]} if len(partial) else {}
    closest = part.scores.closest
    return found if closest is None else {**found, "closest": json.loads(closest)}


def _task(part: Part, solving: list[int], fitting: list[int]) -> dict[str, Any]:
    return {
        "task": part.task,
        "demos": part.n_demos,
        "tests": part.n_samples - part.n_demos,
        "solved_by": solving,
        "fitted_by": fitting,
        **_of_scores(part),
        "hashes": part.hashes,
        "right": part.right,
        "outputs": [row.tolist() for row in part.rows()],
    }


def _programs(result: BatteryResult) -> list[dict[str, Any]]:
    lines = [_line(member) for member in result.members]
    if result.run.scores:
        _add_partial(lines, result)
    per_part = zip(result.parts, result._hits, result._by_task, strict=True)
    for part, hits, (solving, fitting) in per_part:
        for line, it in zip(lines, hits, strict=True):
            line["right"] += sum(it)
        for places, key in ((solving, "solves"), (fitting, "fits")):
            for k in places:
                lines[k][key].append(part.task)
        _add_faults(lines, part)
        _add_fuel(lines, part)
    elsewhere = _on_devices(result.parts) or [0] * len(lines)
    sorted_faults = ({"faults": dict(sorted(line["faults"].items()))} for line in lines)
    columns = zip(lines, sorted_faults, elsewhere, strict=True)
    return [{**line, **faults, **_device_runs(n)} for line, faults, n in columns]


def _line(member: Any) -> dict[str, Any]:
    origin = {} if member.origin == member.name else {"origin": member.origin}
    return {
        "name": member.name,
        **origin,
        "task": member.task,
        "right": 0,
        "solves": [],
        "fits": [],
        "faults": Counter(),
        "fuel": 0,
        "most_fuel": 0,
        "most_fuel_on": None,
    }


def _add_partial(lines: list[dict[str, Any]], result: BatteryResult) -> None:
    """Adds the mean partial score over all tasks."""
    sums = [0.0] * len(lines)
    for part in result.parts:
        if part.scores is not None:
            for k, partial in enumerate(memoryview(part.scores.partial).cast("d")):
                sums[k] += partial
    for line, total in zip(lines, sums, strict=True):
        line["partial"] = _tenths(total / max(len(result.parts), 1))


def _add_faults(lines: list[dict[str, Any]], part: Part) -> None:
    faults = {k: kind for k, kind in enumerate(part.kinds) if kind not in ("grid", "value")}
    if not faults:
        return
    for row in part.rows():
        for line, pick in zip(lines, row, strict=True):
            if pick in faults:
                line["faults"][faults[pick]] += 1


def _on_devices(parts: list[Part]) -> list[int]:
    """For each program, the number of runs on devices."""
    columns = (memoryview(part.device_runs).cast("Q") for part in parts)
    return [sum(it) for it in zip(*columns, strict=True)]


def _device_runs(n: int) -> dict[str, int]:
    return {"device_runs": n} if n else {}


def _add_fuel(lines: list[dict[str, Any]], part: Part) -> None:
    """Adds the fuel of the runs on the CPU."""
    numbers = (part.fuel, part.most, part.most_on, part.device_runs)
    columns = (memoryview(it).cast("Q") for it in numbers)
    for line, fuel, most, most_on, elsewhere in zip(lines, *columns, strict=True):
        line["fuel"] += fuel
        if elsewhere and not most:
            continue
        if line["most_fuel_on"] is None or line["most_fuel"] < most:
            line["most_fuel"] = most
            line["most_fuel_on"] = {"task": part.task, "sample": most_on}
