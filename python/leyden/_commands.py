"""The commands of the command line as functions that return objects."""

from __future__ import annotations

import difflib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leyden import _leyden
from leyden._battery import Battery
from leyden._leyden import Grid, Program, TaskSet
from leyden._programs import programs as read_programs
from leyden._reports import Evolution, Profile, Score, Solution
from leyden._tasks import as_tasks, load

PROFILES = ("dsl", "batch", "framework", "pipeline", "lines")

Time = str | int | float | None


def run_command(args: Iterable[Any]) -> None:
    """Runs a command of the command line in this process, without printing.

    `args` are the words after `leyden`. Wrong arguments and bad files raise `ValueError`, other
    failures `RuntimeError`.

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
    raise errors.get(code, RuntimeError)(message or f"leyden ended with exit code {code}")


def _run_with(args: Iterable[Any], options: Mapping[str, Any], names: Iterable[str] = ()) -> None:
    """Runs a command; `options` came as keywords, beside the parameters of these `names`."""
    try:
        run_command(args)
    except ValueError as error:
        raise ValueError(_in_python(str(error), options, names)) from None


def _in_python(message: str, options: Mapping[str, Any], names: Iterable[str]) -> str:
    """Rewrites a message about an option of the command line in the words of a call."""
    unknown = re.match(r"unexpected argument '--([\w-]+)' found", message)
    name = unknown[1].replace("-", "_") if unknown else ""
    if name not in options:
        return re.sub(r"\n\n(Usage:|For more information)(?s:.*)", "", message)
    tip = re.search(r"similar argument exists: '--([\w-]+)'", message)
    near = [tip[1].replace("-", "_")] if tip else difflib.get_close_matches(name, names, 1)
    return f"unknown option {name}" + (f"; did you mean {near[0]}?" if near else "")


def profile(
    kind: str,
    tasks: Any = None,
    *,
    task: str | Iterable[str] | None = None,
    programs: Any = None,
    **options: Any,
) -> Profile:
    """Measures where the time goes (docs/profiling.md).

    - `kind`: `dsl` (by primitive), `batch` (over many tasks), `framework` (by layer), `pipeline` (by
      phase, with projections) or `lines` (by line).
    - `tasks`: anything that `as_tasks` takes; `arc1:training` by default.
    - `task`: ids of tasks, for `dsl` and `lines`.
    - `programs`: a program, a path, a list of these, or a `Battery`; `solvers` is another name for it.
      By default the public programs, or those of the data set that the tasks come from.
    - other options: those of `leyden profile`, such as `top=10` or `keep_outliers=True`.
    """
    if kind not in PROFILES:
        raise ValueError(f"unknown profile {kind!r}; choose one of {', '.join(PROFILES)}")
    chosen = [task] if isinstance(task, str) else list(task or [])
    programs = _named_solvers(programs, options)
    with _workplace() as place:
        out, flames = place / "profile.json", place / "flames.svg"
        part = _part(tasks, chosen) if programs is None else None
        data = _data(tasks, place) if part is None else part
        args = ["profile", kind, *chosen, *data, *_work(programs, place, options)]
        args += [*_options(options), "--json", out, "--format", "svg", "--out", flames]
        _run_with(args, options, ("tasks", "task", "programs"))
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
    """Searches for answers to tasks without known programs (docs/solve.md).

    - `tasks`: anything that `as_tasks` takes.
    - `per_task`: processor time for each task, in seconds or as text (`"500ms"`).
    - `budget`: wall time for all tasks, in seconds or as text (`"30m"`).
    - `fuel_per_task`: counted work for each task; gives equal answers on every machine.
    - `library`: known programs to try first: `"own"`, `"public"`, `"none"`, a path, a program,
      or a list of programs and paths.
    - `out`: the file for the submission. `resume=True` continues a stopped run with the same file.
    - `jobs`: number of threads; one per processor by default.
    - `backend`: `"auto"`, `"cpu"`, `"cuda"` or `"opencl"`, for known programs (docs/gpu.md).
    - other options: those of `leyden solve`, such as `programs`, a directory for the programs found.
    """
    if not isinstance(options.get("programs"), (str, os.PathLike, type(None))):
        raise TypeError("programs= names a directory for the programs found; known programs go to library=")
    with _workplace() as place:
        report, target = place / "solve.json", Path(out or place / "submission.json")
        args = ["solve", *_data(tasks, place), *_time("per-task", per_task), *_time("budget", budget)]
        named = {"fuel_per_task": fuel_per_task, "jobs": jobs, "backend": backend}
        args += [*_library(library, place, options), *_options({**named, **options})]
        args += ["--out", target, "--json", report]
        _run_with(args, options, ("tasks", "library"))
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
    """Changes known programs until they fit tasks they were not written for (docs/evolve.md).

    - `tasks`: anything that `as_tasks` takes.
    - `rounds`, `budget` (wall time, in seconds or as text), `total_fuel`: when to stop; ten minutes
      by default.
    - `programs`: programs to start with: a program, a path, a list of these, or a `Battery`;
      `solvers` is another name for it.
    - `store`: the file that keeps the programs; your own store by default.
    - `backend`: `"auto"`, `"cpu"`, `"cuda"` or `"opencl"`, to sort out programs (docs/gpu.md).
    - other options: those of `leyden evolve`, such as `seed=1`.
    """
    programs = _named_solvers(programs, options)
    with _workplace() as place:
        report = place / "evolve.json"
        args = ["evolve", *_data(tasks, place), *_time("budget", budget), *_programs(programs, place, options)]
        args += [*_options({"rounds": rounds, "store": store, "backend": backend, **options})]
        args += ["--json", report]
        _run_with(args, options, ("tasks", "programs"))
        return Evolution(_named(_read(report), tasks))


def submit(
    answers: Any,
    tasks: Any,
    out: str | os.PathLike[str] = "submission.json",
    *,
    fill: Any = None,
) -> Path:
    """Checks answers and writes them as a submission for Kaggle.

    Raises `ValueError` and writes nothing if Kaggle would not accept the submission.

    - `answers`: a `Solution`, or a dictionary with a list for each task id. The list has one answer
      for each test input: a grid, or a pair of attempts.
    - `tasks`: the tasks of the submission.
    - `out`: the file to write; the function returns its path.
    - `fill`: a grid that replaces missing answers.
    """
    data = as_tasks(tasks)
    given = answers.submission if isinstance(answers, Solution) else answers
    target = Path(out)
    submission = json.dumps(_submission(given, data, fill))
    try:
        with _workplace(target.absolute().parent) as place:
            draft = place / target.name
            draft.write_text(submission, encoding="utf-8")
            _check(draft, data, place)
            draft.replace(target)
    except OSError as error:
        # The caller knows nothing of the draft.
        raise OSError(error.errno, error.strerror, str(target)) from None
    return target


def score(submission: Any, tasks: Any) -> Score:
    """Scores a submission against the known test outputs, by three rules.

    - `submission`: a file, a `Solution`, or answers as in `submit`.
    - `tasks`: the tasks with their test outputs. Missing answers count as wrong. If no task has an
      answer, the function issues a `RuntimeWarning`.
    """
    with _workplace() as place:
        file, report = place / "submission.json", place / "score.json"
        if isinstance(submission, (str, os.PathLike)):
            file = Path(submission)
        else:
            given = submission.submission if isinstance(submission, Solution) else submission
            file.write_text(json.dumps({id: list(map(_attempts, it)) for id, it in given.items()}))
        run_command(["score", file, *_data(tasks, place), "--json", report])
        score = Score(_named(_read(report), tasks))
        if all(answer == "missing" for it in score.raw["per_task"] for answer in it["answers"]):
            said = f"no task in common: the submission has no answer for any task of {score.raw['data']}"
            warnings.warn(said, RuntimeWarning, stacklevel=2)
        return score


@contextmanager
def _workplace(parent: Path | None = None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".leyden-" if parent else "leyden-", dir=parent) as place:
        yield Path(place)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _named(report: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """Replaces the name of the temporary file by the name of the tasks."""
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
    """Whether this is the complete data set of its name, for which public programs may exist."""
    try:
        return load(data.name).hash == data.hash
    except (ValueError, RuntimeError):
        return False


def _part(tasks: Any, chosen: list[str]) -> list[Any] | None:
    """The options for some tasks of a known data set, whose own programs they keep; `None` for others."""
    if tasks is None or isinstance(tasks, (str, os.PathLike)):
        return None
    data = as_tasks(tasks)
    try:
        whole = load(data.name)
    except (ValueError, RuntimeError):
        return None
    known = {task.id: task for task in whole}
    is_part = len(data) > 0 and all(known.get(task.id) == task for task in data)
    if not is_part or not set(chosen) <= set(data.ids):
        return None
    ids = [] if chosen or len(data) == len(whole) else data.ids
    return ["--data", data.name, *(word for id in ids for word in ("--task", id))]


def _named_solvers(programs: Any, options: dict[str, Any]) -> Any:
    """The programs of a call, which may name them `solvers` as the command line does."""
    solvers = options.pop("solvers", None)
    if programs is not None and solvers is not None:
        raise TypeError("`solvers` is another name for `programs`; give one of them")
    return solvers if programs is None else programs


def _programs(programs: Any, place: Path, options: dict[str, Any]) -> list[Any]:
    if programs is None:
        return []
    if isinstance(programs, Battery):
        return ["--solvers", _battery_file(programs, place)]
    if isinstance(programs, (str, os.PathLike)):
        return ["--solvers", programs]
    return ["--solvers", _program_file(programs, place, "programs", options)]


def _work(programs: Any, place: Path, options: dict[str, Any]) -> list[Any]:
    """The options for the programs: a battery runs on all tasks, other programs run on their own."""
    if isinstance(programs, Battery):
        return ["--battery", _battery_file(programs, place)]
    return _programs(programs, place, options)


def _battery_file(battery: Battery, place: Path) -> Path:
    file = place / "programs.batt"
    file.write_text(battery.text, encoding="utf-8")
    return file


def _program_file(programs: Any, place: Path, option: str, options: dict[str, Any]) -> Path:
    """Programs and files of programs as one file, in the names of their dialects: it needs no `names=`."""
    several = [programs] if isinstance(programs, Program) else programs
    if not isinstance(several, Iterable):
        raise _no_programs(option, programs)
    dialect, names = options.get("dialect"), options.pop("names", None)
    read = [program for it in several for program in _read_programs(it, option, dialect, names)]
    file = place / "programs.leyden"
    file.write_text("\n".join(_with_own_names(read)), encoding="utf-8")
    return file


def _read_programs(it: Any, option: str, dialect: Any, names: Any) -> list[Program]:
    if isinstance(it, Program):
        return [it]
    if isinstance(it, (str, os.PathLike)):
        return read_programs(it, dialect, names)
    raise _no_programs(option, it)


def _no_programs(option: str, it: Any) -> TypeError:
    return TypeError(f"{option}= takes a Program, a path or a list of these, not {type(it).__name__}")


def _with_own_names(programs: list[Program]) -> Iterator[str]:
    """The texts of programs for one file, with a number after each name that occurs twice."""
    taken: set[str] = set()
    for program in programs:
        name, n = program.name, 1
        while name in taken:
            n += 1
            name = f"{program.name}_{n}"
        taken.add(name)
        yield program.text.replace(f"program {program.name}(", f"program {name}(", 1)


def _library(library: Any, place: Path, options: dict[str, Any]) -> list[Any]:
    if library is None or isinstance(library, (str, os.PathLike)):
        return _options({"library": library})
    return ["--library", _program_file(library, place, "library", options)]


def _time(name: str, time: Time) -> list[Any]:
    if time is None:
        return []
    return [f"--{name}", time if isinstance(time, str) else f"{round(time * 1000)}ms"]


def _options(options: Mapping[str, Any]) -> list[Any]:
    """`top=10` becomes `--top 10`, `resume=True` becomes `--resume`, a list repeats the option."""
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
    """An answer as two attempts; a single grid becomes both."""
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
    return "Kaggle would not accept this submission: " + "; ".join(shown)


def _place_of(found: dict[str, Any]) -> str:
    parts = [f"test {found['test']}" if found["test"] is not None else "", found["attempt"] or "", found["cell"]]
    text = " ".join(part for part in parts if part)
    return f"{text}:" if text else ""
