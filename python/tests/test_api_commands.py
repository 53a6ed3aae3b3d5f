"""The commands as calls: profile, solve, submit, score, evolve."""

import json
import threading
import time
import warnings

import leyden
import pytest
from leyden import Grid, Program

DOUBLE = "def solve_00000001(I):\n    x1 = vmirror(I)\n    return hconcat(I, x1)\n"


@pytest.fixture(scope="module")
def three():
    return leyden.load("demo")[:3]


@pytest.mark.parametrize(
    ("kind", "first"),
    [("dsl", "name"), ("batch", "name"), ("framework", "layer"), ("pipeline", "phase")],
)
def test_profiles_are_tables_and_charts(kind, first):
    profile = leyden.profile(kind, "demo", jobs=1)
    columns = profile.columns
    assert profile.kind == kind and next(iter(columns)) == first
    assert sum(columns["share"]) == pytest.approx(100, abs=1)
    whole = profile.raw["totals"]["execute_ns" if first == "name" else "whole_ns"]
    assert sum(columns["self_ms"]) == pytest.approx(whole / 1e6, rel=0.05)
    assert "<svg" in profile.flame_graph and "<rect" in profile.svg()
    assert "<table>" in profile._repr_html_() and "tasks of demo" in str(profile)
    assert str(profile).startswith(profile.verdict) and profile.verdict.endswith(".")
    assert {"step", "saves", "gain", "effort"} == set(profile.advice().columns)
    assert len(profile.slow_path()) == len(profile.raw.get("slow_path", []))


def test_lines_of_a_program_are_profiled():
    demo = leyden.load("demo")
    profile = leyden.profile("lines", "demo", task=demo.ids[0])
    assert profile.columns["program"][0] == f"solve_{demo.ids[0]}"
    assert max(profile.columns["time_ms"]) > 0 and "def solve_" in profile.columns["text"][0]


def test_own_programs_on_own_tasks_are_profiled():
    pair = {"input": [[1, 2]], "output": [[1, 2, 2, 1]]}
    tasks = {"00000001": {"train": [pair] * 3, "test": [pair]}}
    for programs in (Program.parse(DOUBLE), leyden.Battery.from_programs(Program.parse(DOUBLE))):
        profile = leyden.profile("dsl", tasks, programs=programs)
        calls = dict(zip(profile.columns["name"], profile.columns["calls"], strict=True))
        assert calls["vmirror"] == calls["hconcat"] == 4
        assert profile.raw["setting"]["data"]["name"] == "tasks"
    with pytest.raises(ValueError, match="unknown profile 'gpu'; choose one of dsl"):
        leyden.profile("gpu")
    with pytest.raises(ValueError, match="^unknown option nonsense$"):
        leyden.profile("dsl", "demo", nonsense=1)


def test_tasks_are_solved_submitted_and_scored(three, tmp_path):
    solution = leyden.solve(three, fuel_per_task=3_000_000, library="none", jobs=1)
    assert solution.raw["data_hash"] == three.hash and solution.raw["data"] == "demo"
    assert list(solution.answers) == three.ids
    assert solution.columns["task"] == three.ids
    for id, texts in solution.programs.items():
        assert Program.parse(texts[0]).task_id == id
    out = leyden.submit(solution, three, tmp_path / "submission.json")
    score = leyden.score(out, three)
    assert score.outputs == score.solved == pytest.approx(solution.raw["solved"] / 3)
    assert score.raw["outputs"] == leyden.score(solution, three).raw["outputs"]
    assert "outputs" in str(score) and "<table>" in score._repr_html_()
    assert not [it for it in tmp_path.iterdir() if it != out]


def test_a_submission_that_would_not_be_taken_is_not_written(three, tmp_path):
    out = tmp_path / "submission.json"
    answers = {task.id: [output for _, output in task.test] for task in three}
    first = three.ids[0]
    with pytest.raises(ValueError, match=f"{first} the task is missing"):
        leyden.submit({id: it for id, it in answers.items() if id != first}, three, out)
    with pytest.raises(ValueError, match="31"):
        leyden.submit({**answers, first: [[[0] * 31]]}, three, out)
    assert not list(tmp_path.iterdir())
    leyden.submit({id: it for id, it in answers.items() if id != first}, three, out, fill=[[0]])
    assert leyden.score(out, three).solved == pytest.approx(2 / 3)
    assert json.loads(out.read_text())[first] == [{"attempt_1": [[0]], "attempt_2": [[0]]}]
    leyden.submit(answers, three, out)
    assert leyden.score(out, three).tasks == 1
    nowhere = tmp_path / "none" / "x.json"
    with pytest.raises(FileNotFoundError) as caught:
        leyden.submit(answers, three, nowhere)
    assert caught.value.filename == str(nowhere)


def test_attempts_may_be_two(three, tmp_path):
    wrong = Grid([[0]])
    answers = {task.id: [(wrong, output) for _, output in task.test] for task in three}
    assert leyden.score(answers, three).outputs == 1
    named = {
        id: [{"attempt_1": a, "attempt_2": b} for a, b in of_task] for id, of_task in answers.items()
    }
    out = leyden.submit(named, three, tmp_path / "s.json")
    assert leyden.score(out, three).outputs == 1


def test_programs_evolve(three, tmp_path):
    options = {"children": 4, "broad": 4, "jobs": 1, "store": tmp_path / "mine.db"}
    evolution = leyden.evolve(three, rounds=1, programs=Program.parse(DOUBLE), **options)
    assert evolution.raw["rounds"] == 1 and sorted(evolution.columns["task"]) == three.ids
    assert evolution.store == str(tmp_path / "mine.db")
    assert "1 round," in evolution.headline and "<rect" in evolution.svg()


def test_failures_are_exceptions(tmp_path):
    with pytest.raises(ValueError, match="nowhere.json"):
        leyden.solve("nowhere.json", per_task=1)
    with pytest.raises(ValueError, match="nonsense"):
        leyden.run_command(["nonsense"])
    with pytest.raises(ValueError, match="per-task"):
        leyden.solve("demo", per_task="yesterday")
    with pytest.raises(ValueError, match=r"^unknown option pertask; did you mean per_task\?$"):
        leyden.solve("demo", pertask=1)
    with pytest.raises(ValueError, match="--top <N>") as caught:
        leyden.profile("dsl", "demo", top="x")
    assert "--help" not in str(caught.value)
    with pytest.raises(TypeError, match="known programs go to library="):
        leyden.solve("demo", programs=[Program.parse(DOUBLE)])


def test_ctrl_c_stops_a_command():
    import signal

    sent = []

    def send():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    threading.Timer(0.4, send).start()
    with pytest.raises(KeyboardInterrupt):
        leyden.solve("demo", per_task=60, library="none")
    # A search finishes its step and closes its journal; on a busy machine that takes a while.
    assert time.monotonic() - sent[0] < 3


def test_tables_convert_to_data_frames():
    with pytest.warns(RuntimeWarning, match="no task in common: .* any task of demo"):
        score = leyden.score({}, leyden.load("demo")[:2])
    pandas = pytest.importorskip("pandas")
    assert isinstance(score.to_pandas(), pandas.DataFrame)
    polars = pytest.importorskip("polars")
    assert isinstance(score.to_polars(), polars.DataFrame)
    assert list(score.to_pandas().columns) == score.to_polars().columns == ["task", "right", "of", "solved"]


@pytest.mark.parametrize("backend", ["cpu", "auto"])
def test_a_backend_changes_no_result(three, backend):
    battery = leyden.Battery.from_programs(Program.parse(DOUBLE))
    expected = battery.run(three).to_json()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = battery.run(three, backend=backend).to_json()
    assert [str(it.message)[:11] for it in said] == (["on the CPU:"] if backend == "auto" else [])
    for key in ("per_task", "programs", "outcomes"):
        assert found[key] == expected[key]
    answers = leyden.solve(three, per_task=0.05, library="none", backend=backend)
    assert set(answers.submission) == set(three.ids)


def test_a_device_gives_what_the_cpu_gives_or_says_why_not(three, tmp_path):
    battery = leyden.Battery.from_programs(Program.parse(DOUBLE))
    try:
        there = battery.run(three, backend="opencl")
    except RuntimeError as refusal:
        assert "or run on the CPU" in str(refusal)
        with pytest.raises(RuntimeError, match="or run on the CPU"):
            leyden.solve(three, per_task=0.05, backend="opencl")
        with pytest.raises(RuntimeError, match="or run on the CPU"):
            leyden.evolve(three, 1, store=tmp_path / "store.db", backend="opencl")
        return
    here = battery.run(three, backend="cpu")
    assert [it.hashes for it in there.records] == [it.hashes for it in here.records]
    assert sum(it.device_runs for it in there.records) > 0
    assert there.to_json()["work"]["device_runs"] > 0
    assert leyden.BatteryResult.merge(there, here).to_json()["right"] == here.to_json()["right"]


def test_backends_have_names(three):
    battery = leyden.Battery.from_programs(Program.parse(DOUBLE))
    with pytest.raises(ValueError, match="auto, cpu, cuda and opencl"):
        battery.run(three, backend="gpu")
    with pytest.raises(ValueError, match="auto, cpu, cuda, opencl"):
        leyden.solve(three, per_task=0.05, backend="gpu")


def test_programs_may_be_paths_and_have_another_name(tmp_path):
    pair = {"input": [[1, 2]], "output": [[1, 2, 2, 1]]}
    tasks = {"00000001": {"train": [pair] * 3, "test": [pair]}}
    file = tmp_path / "mine.py"
    file.write_text(DOUBLE)
    for programs in (file, [file], [str(file)], [Program.parse(DOUBLE)]):
        assert "vmirror" in leyden.profile("dsl", tasks, solvers=programs).columns["name"]
    solution = leyden.solve(tasks, fuel_per_task=100_000, library=[file, Program.parse(DOUBLE)], jobs=1)
    assert solution.raw["solved"] == 1
    with pytest.raises(TypeError, match="another name for `programs`"):
        leyden.profile("dsl", tasks, programs=file, solvers=file)
    with pytest.raises(TypeError, match="programs= takes a Program, a path or a list of these, not int"):
        leyden.profile("dsl", tasks, programs=[3])
    with pytest.raises(TypeError, match="library= takes a Program, a path or a list of these, not int"):
        leyden.solve(tasks, library=3)


def test_a_part_of_a_data_set_keeps_its_programs(three):
    profile = leyden.profile("dsl", three)
    assert profile.tasks().columns["task"] and set(profile.tasks().columns["task"]) == set(three.ids)
    one = leyden.profile("lines", three, task=three.ids[1])
    assert set(one.columns["program"]) == {f"solve_{three.ids[1]}"}
    with pytest.raises(ValueError, match="1e7d0009"):
        leyden.profile("dsl", three, task="1e7d0009")
