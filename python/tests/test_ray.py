"""Ray: the results from a cluster equal those of one machine."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import leyden
import pytest
from leyden import Battery, Task, TaskSet

ray = pytest.importorskip("ray", reason="ray is not installed and cannot be tested: pip install ray")

import leyden.ray  # noqa: E402

ROOT = Path(__file__).parents[2]
DEMO_SOLVERS = ROOT / "crates" / "leyden-store" / "demo" / "solvers.py"
CACHE = os.environ.get("LEYDEN_CACHE")


@pytest.fixture(scope="module", autouse=True)
def two_workers():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def battery():
    return Battery.from_programs(leyden.programs(DEMO_SOLVERS))


@pytest.fixture(scope="module")
def many():
    """400 tasks: those of the demo set under eight names each."""
    tasks = [Task(f"{task.id}-{k}", task.train, task.test) for task in leyden.load("demo") for k in range(8)]
    return TaskSet(tasks, "many")


def without_times(result):
    report = result.to_json()
    del report["phases"]
    return json.dumps(report).encode()


def check_same(result, expected):
    assert without_times(result) == without_times(expected)
    assert result == expected


def busy_workers():
    """The processes that are doing a chunk."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if (entry / "cmdline").read_bytes().startswith(b"ray::_run_chunk"):
                    found.append(int(entry.name))
    return found


def test_importing_leyden_does_not_import_ray():
    code = "import sys, leyden; leyden.Battery; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_two_workers_give_the_same_bytes(battery, many):
    expected = battery.run(many, jobs=1)
    assert len(expected.tasks) == 400 and len(expected.solved) > 300
    check_same(leyden.ray.run(battery, many), expected)
    check_same(leyden.ray.run(battery, many, chunk_seconds=0.001), expected)


def test_fuel_and_order_and_scores_go_along(battery, many):
    some = many[:60]
    options = {"fuel": 300, "exact_order": True, "scores": True}
    expected = battery.run(some, jobs=1, **options)
    assert expected.totals["outcomes"]["faults"]["Fuel"] > 0
    check_same(leyden.ray.run(battery, some, **options), expected)


def test_no_tasks_are_no_trouble(battery, many):
    check_same(leyden.ray.run(battery, many[:0]), battery.run(many[:0], jobs=1))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are found in /proc")
@pytest.mark.parametrize("max_retries", [0, 3], ids=["handed in again", "repeated by Ray"])
def test_a_killed_worker_costs_nothing_but_time(battery, many, max_retries, caplog):
    expected = battery.run(many, jobs=1, exact_order=True)
    killed = []

    def kill_one(n_done, n_all):
        if not killed and 0 < n_done < n_all:
            for pid in busy_workers()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    with caplog.at_level(logging.WARNING, "leyden.ray"):
        result = leyden.ray.run(battery, many, exact_order=True, progress=kill_one, max_retries=max_retries, chunk_seconds=0.01)
    assert killed
    check_same(result, expected)
    if max_retries == 0:
        assert "a worker died" in caplog.text


def test_ctrl_c_cancels(many):
    forever = "\n".join(
        f"def solve_{k:08x}(I):\n    x1 = objects(I, F, F, F)\n    x2 = product(x1, x1)\n    O = product(x2, x2)\n    return O\n"
        for k in range(50)
    )
    battery = Battery.from_programs(leyden.programs(forever))

    def interrupt():
        while not busy_workers():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=interrupt, daemon=True)
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        leyden.ray.run(battery, many, fuel=10**9)
    deadline = time.monotonic() + 10
    while busy_workers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert busy_workers() == []


def test_faults_of_the_caller_are_raised(battery, many):
    with pytest.raises(OverflowError):
        leyden.ray.run(battery, many[:4], fuel=-1)


def test_solve_gives_the_same_submission(tmp_path):
    tasks = leyden.load("demo")[:12]
    expected = leyden.solve(tasks, fuel_per_task=200_000, library="none", jobs=1)
    found = leyden.ray.solve(tasks, fuel_per_task=200_000, out=tmp_path / "submission.json")
    assert json.dumps(found.submission) == json.dumps(expected.submission)
    assert json.loads((tmp_path / "submission.json").read_text()) == expected.submission
    assert found.programs == expected.programs
    for key in ("tasks", "tried", "fit_all_demos", "solved", "data_hash"):
        assert found.raw[key] == expected.raw[key], key


def test_solve_sends_the_library_along():
    tasks = leyden.load("demo")[:4]
    known = leyden.solve(tasks, fuel_per_task=20_000, library=DEMO_SOLVERS, jobs=1)
    found = leyden.ray.solve(tasks, fuel_per_task=20_000, library=DEMO_SOLVERS)
    assert found.submission == known.submission and known.raw["solved"] == 4
    with pytest.raises(ValueError, match="no common clock"):
        leyden.ray.solve(tasks, budget="1m")


def test_islands_meet_in_one_store(tmp_path):
    tasks, store = leyden.load("demo")[:6], tmp_path / "found.db"
    options = {"rounds": 2, "programs": DEMO_SOLVERS, "children": 4, "broad": 8}
    reports = leyden.ray.evolve(tasks, store=store, islands=3, seed=7, **options)
    assert [report.raw["seed"] for report in reports] == [7, 8, 9]

    def content():
        leyden.run_command(["library", "--store", store, "list", "--json", tmp_path / "list.json"])
        return json.loads((tmp_path / "list.json").read_text())

    first = content()
    alone = tmp_path / "alone.db"
    leyden.evolve(tasks, store=alone, seed=7, jobs=1, **options)
    leyden.run_command(["library", "--store", store, "import", alone])
    assert content() == first, "an island's store is a part of the whole"


@pytest.mark.skipif(not CACHE, reason="LEYDEN_CACHE is not set: no public tasks to test with")
def test_public_tasks_with_two_workers():
    tasks = leyden.load("arc1:training")
    verifiers = next(Path(CACHE).glob("*/verifiers.py"))
    battery = Battery.from_programs(leyden.programs(verifiers)[:20])
    started = time.monotonic()
    expected = battery.run(tasks, jobs=1)
    plain, started = time.monotonic() - started, time.monotonic()
    result = leyden.ray.run(battery, tasks)
    spread = time.monotonic() - started
    assert len(expected.tasks) == 400
    check_same(result, expected)
    print(f"400 tasks, 20 programs: {plain:.2f} s on one thread, {spread:.2f} s on two workers")
