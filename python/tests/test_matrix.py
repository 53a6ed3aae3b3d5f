"""Programs of every dialect in every form, through every entry point of the package."""

import os
from pathlib import Path

import pytest

import leyden
from leyden._commands import run_command

FORMS = Path(__file__).parents[2] / "tests/forms"
DIALECTS = ["arc-dsl", "re-arc", "tokpidjin", "mixed"]
IDS = ["1e7d0002", "1e7d0006", "1e7d0009", "1e7d0010", "1e7d0047"]


def plain(dialect: str, place: Path) -> Path:
    """One file of all programs."""
    parts = [dialect] if dialect != "mixed" else ["arc-dsl", "re-arc"]
    file = place / "solvers.py"
    file.write_text("\n".join((FORMS / f"{part}.py").read_text() for part in parts))
    return file


def form(name: str, dialect: str, place: Path) -> Path:
    """The programs of a dialect in a form."""
    file = plain(dialect, place)
    if name == "name":
        return place / "solvers"
    if name == "directory":
        files = place / "files"
        files.mkdir()
        for part in DIALECTS[:3] if dialect == "mixed" else [dialect]:
            (files / f"{part}.py").write_text((FORMS / f"{part}.py").read_text())
        return files
    made = place / {"text": "made.leyden", "batt": "made.batt", "store": "made.db"}.get(name, "")
    if name == "text":
        run_command(["import", file, "--out", made])
    elif name == "batt":
        run_command(["card", "--all", "--freeze", "--data", "demo", "--solvers", file, "--out", made])
    elif name == "store":
        run_command(["library", "import", file, "--store", made])
    else:
        return file
    return made


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.fixture(params=["file", "name", "directory", "text", "batt", "store"])
def path(request, dialect, tmp_path):
    return form(request.param, dialect, tmp_path)


@pytest.fixture(scope="module")
def tasks():
    demo = leyden.load("demo")
    return leyden.as_tasks({id: demo[id] for id in IDS})


def solved(battery, tasks):
    """The tasks that some program of a battery solves."""
    return sorted(id for id, programs in battery.run(tasks).solvers.items() if programs)


def test_programs_and_batteries_solve_their_tasks(path, tasks):
    programs = leyden.programs(path)
    assert solved(leyden.Battery.from_programs(programs), tasks) == IDS
    assert solved(leyden.Battery.load(path), tasks) == IDS


def test_commands_take_the_path(path, tasks, tmp_path):
    solution = leyden.solve(tasks, fuel_per_task=200_000, library=path)
    assert solution.raw["known_programs"] > 0
    evolution = leyden.evolve(tasks, rounds=1, programs=path, store=tmp_path / "out.db", islands=1)
    assert evolution.raw["own"] == len(IDS)
    assert leyden.profile("batch", tasks, programs=path).raw["primitives"]


def test_jit_runs_a_module(dialect, tasks, tmp_path):
    results = leyden.jit(plain(dialect, tmp_path)).on_tasks(tasks, jobs=1)
    assert all(all(right) for right in results.right.values())
    assert len(results.right) >= len(IDS)


def test_a_generated_batt_is_a_battery(tasks):
    battery = leyden.Battery.load(FORMS / "batt.py")
    assert solved(battery, tasks) == ["1e7d0006", "1e7d0047"]
    assert len(leyden.programs(FORMS / "batt.py")) == 3


def test_what_is_no_program_is_refused(tmp_path):
    for name in [tmp_path, tmp_path / "missing"]:
        with pytest.raises((ValueError, OSError)):
            leyden.programs(name)
    os.symlink("nowhere.py", tmp_path / "gone.py")
    with pytest.raises(ValueError, match="gone.py"):
        leyden.programs(tmp_path)
