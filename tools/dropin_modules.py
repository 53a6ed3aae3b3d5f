"""Loads public Python modules from their directories, with other modules in place of those they import."""

import importlib.util
import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Iterator


@contextmanager
def substituted(**modules: ModuleType) -> Iterator[None]:
    """Makes `import name` give these modules for a while."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def load(path: Path, **substitutes: ModuleType) -> ModuleType:
    """Executes a file as a new, separate module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader, path
    module = importlib.util.module_from_spec(spec)
    with substituted(**substitutes):
        spec.loader.exec_module(module)
    return module


def arc_dsl(directory: Path) -> ModuleType:
    """arc-dsl's own module `dsl`."""
    return load(directory / "dsl.py", arc_types=load(directory / "arc_types.py"))


def difference(ours: object, theirs: object) -> str | None:
    """Describes how two values differ: by type, by value, or by the order of sets all the way down."""
    if callable(ours) and callable(theirs):
        return None if name_of(ours) == name_of(theirs) else f"{ours} is not {theirs}"
    if type(ours) is not type(theirs):
        return f"{type(ours).__name__} is not {type(theirs).__name__}"
    if isinstance(ours, (set, frozenset)) and has_functions(ours):
        # Functions hash by their addresses, so a set of them has no order to compare.
        return None if len(ours) == len(theirs) else f"{len(ours)} items, not {len(theirs)}"
    if isinstance(ours, (tuple, list, frozenset, set)):
        return difference_of_items(list(ours), list(theirs))
    if isinstance(ours, float):
        return None if repr(ours) == repr(theirs) else f"{ours} is not {theirs}"
    return None if ours == theirs else f"{ours!r} is not {theirs!r}"


def name_of(function: object) -> str:
    return getattr(function, "__name__", repr(function))


def has_functions(value: object) -> bool:
    if isinstance(value, (tuple, list, frozenset, set)):
        return any(map(has_functions, value))
    return callable(value)


def difference_of_items(ours: list, theirs: list) -> str | None:
    if len(ours) != len(theirs):
        return f"{len(ours)} items, not {len(theirs)}"
    for k, (mine, yours) in enumerate(zip(ours, theirs)):
        found = difference(mine, yours)
        if found:
            return f"[{k}] {found}"
    return None
