"""The commands of the command line on Python's tasks and programs, with results as objects."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leyden import _leyden
from leyden._battery import Battery
from leyden._leyden import Grid, Program, TaskSet
from leyden._reports import Evolution, Profile, Score, Solution
from leyden._tasks import as_tasks, load

PROFILES = ("dsl", "batch", "framework", "pipeline", "lines")

Time = str | int | float | None


def run_command(args: Iterable[Any]) -> None:
    """Runs a command of the command line in this process, without a word.

    What was wrong with the arguments or files raises `ValueError`, other failures `RuntimeError`.

    >>> run_command(["show", "--data", "demo", "nowhere"])
    Traceback (most recent call last):
    ...
    ValueError: demo has no task nowhere
    """
    code, message = _leyden.command([str(it) for it in args])
    if code == 0:
        return
    message = message.strip().removeprefix("error: ")
    errors: dict[int, type[BaseException]] = {2: ValueError, 130: KeyboardInterrupt}
    raise errors.get(code, RuntimeError)(message or f"leyden ended with code {code}")


def profile(
    kind: str,
    tasks: Any = None,
    *,
    task: str | Iterable[str] | None = None,
    programs: Any = None,
    **options: Any,
) -> Profile:
    """Measures where time goes: `dsl`, `batch`, `framework`, `pipeline` or `lines`.

    `programs` are programs, a file of them, or a battery; `task` chooses tasks for `dsl` and
    `lines`. Other options are those of `leyden profile`, such as `top=10` or `keep_outliers=True`.
    """
    if kind not in PROFILES:
        raise ValueError(f"no profile {kind!r}; there are {', '.join(PROFILES)}")
    chosen = [task] if isinstance(task, str) else list(task or [])
    with _workplace() as place:
        out, flames = place / "profile.json", place / "flames.svg"
        args = ["profile", kind, *chosen, *_data(tasks, place), *_programs(programs, place)]
        args += [*_options(options), "--json", out, "--format", "svg", "--out", flames]
        run_command(args)
        return Profile(_named(_read(out), tasks), flames.read_text(encoding="utf-8"))


def solve(
    tasks: Any,
    per_task: Time = None,
    budget: Time = None,
    library: Any = None,
    out: str | os.PathLike[str] | None = None,
    *,
    fuel_per_task: int | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    **options: Any,
) -> Solution:
    """Answers tasks that nobody has programs for, within a time (seconds, or `"30m"`) or fuel.

    The submission is written to `out`, if it is given; a run that was stopped goes on from there
    with `resume=True`. `backend` (`"auto"`, `"cpu"`, `"cuda"`, `"opencl"`; docs/gpu.md) is where known
    programs are tried.
    """
    with _workplace() as place:
        report, target = place / "solve.json", Path(out or place / "submission.json")
        args = ["solve", *_data(tasks, place), *_time("per-task", per_task), *_time("budget", budget)]
        named = {"fuel_per_task": fuel_per_task, "jobs": jobs, "backend": backend}
        args += [*_library(library, place), *_options({**named, **options})]
        args += ["--out", target, "--json", report]
        run_command(args)
        return Solution(_named(_read(report), tasks), _read(target))


def evolve(
    tasks: Any,
    rounds: int | None = None,
    budget: Time = None,
    *,
    programs: Any = None,
    store: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    **options: Any,
) -> Evolution:
    """Changes known programs until they fit tasks they were not made for (docs/evolve.md).

    Programs go into `store`, or into the user's own. Without `rounds`, `budget` or `fuel` it takes
    ten minutes. `backend` (`"auto"`, `"cpu"`, `"cuda"`, `"opencl"`; docs/gpu.md) is where programs are
    tried first.
    """
    with _workplace() as place:
        report = place / "evolve.json"
        args = ["evolve", *_data(tasks, place), *_time("budget", budget), *_programs(programs, place)]
        args += [*_options({"rounds": rounds, "store": store, "backend": backend, **options})]
        args += ["--json", report]
        run_command(args)
        return Evolution(_named(_read(report), tasks))


def submit(
    answers: Any,
    tasks: Any,
    out: str | os.PathLike[str] = "submission.json",
    *,
    fill: Any = None,
) -> Path:
    """Writes a submission, if it is what Kaggle takes for these tasks.

    `answers` is a `Solution`, or has for each task id one answer for each test input: a grid, or two
    attempts. Where there is none, `fill` is the answer, if it is given.
    """
    data = as_tasks(tasks)
    given = answers.submission if isinstance(answers, Solution) else answers
    target = Path(out)
    with _workplace(target.absolute().parent) as place:
        draft = place / target.name
        draft.write_text(json.dumps(_submission(given, data, fill)), encoding="utf-8")
        _check(draft, data, place)
        draft.replace(target)
    return target


def score(submission: Any, tasks: Any) -> Score:
    """Scores a submission (a file, a `Solution` or answers) by the three rules in use."""
    with _workplace() as place:
        file, report = place / "submission.json", place / "score.json"
        if isinstance(submission, (str, os.PathLike)):
            file = Path(submission)
        else:
            given = submission.submission if isinstance(submission, Solution) else submission
            file.write_text(json.dumps({id: list(map(_attempts, it)) for id, it in given.items()}))
        run_command(["score", file, *_data(tasks, place), "--json", report])
        return Score(_named(_read(report), tasks))


@contextmanager
def _workplace(parent: Path | None = None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".leyden-" if parent else "leyden-", dir=parent) as place:
        yield Path(place)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _named(report: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """Tasks that were handed over as a file have their own name in the report."""
    if tasks is None or isinstance(tasks, (str, os.PathLike)):
        return report
    name = as_tasks(tasks).name
    if isinstance(report.get("data"), str):
        report["data"] = name
    data = report.get("setting", {}).get("data")
    if isinstance(data, dict):
        data["name"] = name
    return report


def _data(tasks: Any, place: Path) -> list[Any]:
    if tasks is None:
        return []
    if isinstance(tasks, (str, os.PathLike)):
        return ["--data", tasks]
    data = as_tasks(tasks)
    if _is_whole(data):
        return ["--data", data.name]
    file = place / "tasks.json"
    file.write_text(json.dumps(data.to_json()), encoding="utf-8")
    return ["--data", file]


def _is_whole(data: TaskSet) -> bool:
    """Is it, all of it, the data set of its name? Then programs may be known for it."""
    try:
        return load(data.name).hash == data.hash
    except (ValueError, RuntimeError):
        return False


def _programs(programs: Any, place: Path) -> list[Any]:
    if programs is None:
        return []
    if isinstance(programs, Battery):
        file = place / "programs.batt"
        file.write_text(programs.text, encoding="utf-8")
        return ["--file", file]
    if isinstance(programs, (str, os.PathLike)):
        return ["--solvers", programs]
    return ["--solvers", _program_file(programs, place)]


def _program_file(programs: Program | Iterable[Program], place: Path) -> Path:
    several = [programs] if isinstance(programs, Program) else list(programs)
    file = place / "programs.leyden"
    file.write_text("\n".join(_with_own_names(several)), encoding="utf-8")
    return file


def _with_own_names(programs: list[Program]) -> Iterator[str]:
    """Texts of programs for one file, where solvers of one task in two dialects cannot share a name."""
    taken: set[str] = set()
    for program in programs:
        name, n = program.name, 1
        while name in taken:
            n += 1
            name = f"{program.name}_{n}"
        taken.add(name)
        yield program.text.replace(f"program {program.name}(", f"program {name}(", 1)


def _library(library: Any, place: Path) -> list[Any]:
    if library is None or isinstance(library, (str, os.PathLike)):
        return _options({"library": library})
    return ["--library", _program_file(library, place)]


def _time(name: str, time: Time) -> list[Any]:
    if time is None:
        return []
    return [f"--{name}", time if isinstance(time, str) else f"{round(time * 1000)}ms"]


def _options(options: Mapping[str, Any]) -> list[Any]:
    """`top=10` as `--top 10`, `resume=True` as `--resume`, lists as several."""
    args: list[Any] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        for it in value if isinstance(value, (list, tuple)) else [value]:
            if it is True:
                args.append(flag)
            elif it is not None and it is not False:
                args += [flag, it]
    return args


def _attempts(answer: Any) -> dict[str, Any]:
    """One answer as two attempts."""
    if isinstance(answer, Mapping):
        return {name: _rows(grid) for name, grid in answer.items()}
    if isinstance(answer, (list, tuple)) and len(answer) == 2 and _is_grid(answer[0]):
        return {"attempt_1": _rows(answer[0]), "attempt_2": _rows(answer[1])}
    return {"attempt_1": _rows(answer), "attempt_2": _rows(answer)}


def _rows(grid: Any) -> list[list[int]]:
    return Grid(grid).tolist()


def _is_grid(it: Any) -> bool:
    try:
        Grid(it)
    except (TypeError, ValueError):
        return False
    return True


def _submission(answers: Mapping[str, Any], data: TaskSet, fill: Any) -> dict[str, Any]:
    submission = {id: list(map(_attempts, of_task)) for id, of_task in answers.items()}
    if fill is not None:
        for task in data:
            given = submission.setdefault(task.id, [])
            given += [_attempts(fill)] * (len(task.test) - len(given))
    return submission


def _check(draft: Path, data: TaskSet, place: Path) -> None:
    report = place / "check.json"
    try:
        run_command(["submit-check", draft, *_data(data, place), "--json", report])
    except ValueError as error:
        raise ValueError(_problems(report) or str(error)) from None


def _problems(report: Path) -> str | None:
    if not report.exists():
        return None
    problems = [
        " ".join(str(it) for it in (found["task"], _place_of(found), found["what"]) if it)
        for found in _read(report)["problems"]
    ]
    shown = problems[:10] + ([f"and {len(problems) - 10} more"] if len(problems) > 10 else [])
    return "not a submission: " + "; ".join(shown)


def _place_of(found: dict[str, Any]) -> str:
    parts = [f"test {found['test']}" if found["test"] is not None else "", found["attempt"] or "", found["cell"]]
    text = " ".join(part for part in parts if part)
    return f"{text}:" if text else ""
