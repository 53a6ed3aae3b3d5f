"""Solver modules on the fast engine."""

import importlib.util
import pickle
import subprocess
import sys
import textwrap

import leyden
import pytest

MODULE = """
def vmirror(grid):
    return tuple(row[::-1] for row in grid)

def hconcat(a, b):
    return tuple(i + j for i, j in zip(a, b))

def totuple(container):
    return tuple(container)
"""
SOLVERS = """
from mydsl import *

SECRET = 7

def solve_double(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O

def solve_loop(I):
    O = ()
    for row in I:
        O = O + (row[::-1],)
    return O

def solve_constant(I):
    O = hconcat(I, SECRET)
    return O

def solve_helper(I):
    O = helper(I)
    return O

def helper(grid):
    return vmirror(grid)
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "mydsl.py").write_text(MODULE)
    (tmp_path / "mysolvers.py").write_text(SOLVERS)
    return tmp_path / "mysolvers.py"


def test_what_can_be_compiled_is_and_the_rest_stays(path):
    solvers = leyden.jit(path)
    assert list(solvers.compiled) == ["solve_double"]
    assert sorted(solvers.not_compiled) == ["helper", "solve_constant", "solve_helper", "solve_loop"]
    assert solvers.solve_double(((1, 2),)) == ((1, 2, 2, 1),)
    assert type(solvers.solve_double(((1, 2),))[0]) is tuple
    assert solvers.solve_loop(((1, 2),)) == solvers.solve_helper(((1, 2),)) == ((2, 1),)
    assert solvers.SECRET == 7
    assert repr(solvers) == "<leyden.jit: 1 function compiled, 4 unchanged>"
    with pytest.raises(AttributeError, match="solve_nothing"):
        solvers.solve_nothing  # noqa: B018


def test_modules_and_texts_are_compiled(path, monkeypatch):
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location("mysolvers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for source in (module, SOLVERS):
        solvers = leyden.jit(source)
        assert solvers.solve_double(((3,),)) == ((3, 3),)
        assert solvers.solve_helper(((1, 2),)) == ((2, 1),)
    assert leyden.jit(module).solve_loop is module.solve_loop
    assert leyden.jit(module).solve_double.__wrapped__(((1, 2),)) == ((1, 2, 2, 1),)


def test_what_is_no_plain_grid_goes_to_the_original(path):
    double = leyden.jit(path).solve_double
    assert double((("a", "b"),)) == (("a", "b", "b", "a"),)
    assert double(((True, 12),)) == ((True, 12, 12, True),)
    assert double(((1,), (1, 2))) == ((1, 1), (1, 2, 2, 1))
    assert double(()) == ()
    with pytest.raises(TypeError):
        double(3)


def test_cells_are_told_apart_by_where_they_lie(path):
    double = leyden.jit(path).solve_double

    class Row(tuple):
        pass

    # Numbers just beyond the colours lie right after them in memory, or right before.
    for odd in (*range(-5, 0), *range(10, 40), 256, 257, 1 << 70, True, 1.0, None, "1", (1,)):
        assert double(((1, odd, 2), (3, 4, 5))) == ((1, odd, 2, 2, odd, 1), (3, 4, 5, 5, 4, 3))
        assert double(((1, 2), (3, odd)))[1] == (3, odd, odd, 3)
    assert double((Row((1, 2)),)) == ((1, 2, 2, 1),)
    assert double(Row(((1, 2),))) == ((1, 2, 2, 1),)
    assert double(((), ())) == ((), ())
    for width in range(1, 31):
        row = tuple(k % 10 for k in range(width))
        assert double((row, row[::-1])) == (row + row[::-1], row[::-1] + row)
    wide = tuple(k % 10 for k in range(31))
    assert double((wide,) * 31) == (wide + wide[::-1],) * 31


def test_references_to_numbers_are_counted(path):
    double = leyden.jit(path).solve_double
    grid = tuple(tuple((i + j) % 10 for j in range(30)) for i in range(30))
    double(grid)
    before = [sys.getrefcount(k) for k in range(10)]
    kept = [double(grid) for _ in range(50)]
    during = [sys.getrefcount(k) for k in range(10)]
    # 50 grids of 1,800 cells, a tenth of them for each number. Immortal numbers are not counted.
    assert all(b == a or abs(b - a - 9_000) < 500 for a, b in zip(before, during))
    del kept
    after = [sys.getrefcount(k) for k in range(10)]
    assert all(abs(b - a) < 500 for a, b in zip(before, after))


ROUND_OF_THREADS = """
import gc, sys, threading
import leyden
double = leyden.jit("def solve_a(I):\\n    return hconcat(I, vmirror(I))\\n").solve_a
grid = tuple(tuple((i + j) % 10 for j in range(30)) for i in range(30))

def round_of(work):
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    return [sys.getrefcount(k) for k in range(10)]

round_of(lambda: None)
before = round_of(lambda: None)
after = round_of(lambda: [double(grid) for _ in range(200)])
print([b - a for a, b in zip(before, after)])
"""


def test_threads_leave_the_references_as_they_were():
    """The import takes ten references for ever, so that no later call does."""
    done = subprocess.run([sys.executable, "-c", ROUND_OF_THREADS], capture_output=True, text=True, check=True)
    assert done.stdout == "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"


def test_wide_rows_are_counted_too():
    lines = [f"    x{k} = hconcat(x{k - 1}, x{k - 1})\n" for k in range(1, 5)]
    widen = leyden.jit(f"def solve_a(I):\n    x0 = vmirror(I)\n{''.join(lines)}    return x4\n").solve_a
    for width in (3, 4, 7, 30):
        grid = tuple(tuple((i * j) % 10 for j in range(width)) for i in range(5))
        before = sys.getrefcount(7)
        wide = widen(grid)
        assert wide == tuple(row[::-1] * 16 for row in grid)
        n_sevens = sum(row.count(7) for row in wide)
        assert sys.getrefcount(7) == before or abs(sys.getrefcount(7) - before - n_sevens) < 10


def test_a_run_gives_the_same_however_long_it_takes():
    """From short runs on the caller's thread (40,000 units) to runs on a separate thread."""
    for length in (200, 2_000, 20_000):
        lines = [f"x1 = interval(0, {length}, 1)", "x2 = power(lbind(add, 1), 200)"]
        body = "".join(f"    {line}\n" for line in [*lines, "return maximum(apply(x2, x1))"])
        solvers = leyden.jit(f"def solve_a(I):\n{body}")
        assert [solvers.solve_a(((1, 2),)) for _ in range(3)] == [length + 199] * 3
        program = solvers.solve_a.program
        with pytest.raises(leyden.FuelError, match="line 4"):
            program.with_fuel(200 * length)([[1, 2]])


def test_a_name_of_arc_dsl_that_means_something_else_is_not_compiled():
    source = SOLVERS.replace("from mydsl import *", MODULE)
    solvers = leyden.jit(source)
    assert "vmirror" in solvers.not_compiled["solve_double"]
    assert solvers.solve_double(((1, 2),)) == ((1, 2, 2, 1),)


def test_faults_are_those_of_cpython():
    solvers = leyden.jit("def solve_a(I):\n    x1 = ofcolor(I, NINE)\n    return first(x1)\n")
    with pytest.raises(StopIteration, match=r"line 3: return first\(x1\)"):
        solvers.solve_a(((1,),))


def test_sets_come_back_as_frozensets():
    solvers = leyden.jit("def solve_a(I):\n    return ofcolor(I, ONE)\n")
    assert solvers.solve_a(((1, 0), (0, 1))) == frozenset({(0, 0), (1, 1)})
    assert type(solvers.solve_a(((1,),))) is frozenset


def test_a_function_is_compiled_by_a_decorator(path, tmp_path):
    text = """
    import leyden
    from mydsl import *

    ZERO = 3

    @leyden.jit
    def solve_double(I):
        x1 = vmirror(I)
        O = hconcat(I, x1)
        return O
    """
    file = tmp_path / "decorated.py"
    file.write_text(textwrap.dedent(text))
    namespace = {"__name__": "decorated"}
    import sys

    sys.path.insert(0, str(tmp_path))
    try:
        exec(compile(file.read_text(), str(file), "exec"), namespace)
    finally:
        sys.path.remove(str(tmp_path))
    double = namespace["solve_double"]
    assert double(((1, 2),)) == ((1, 2, 2, 1),) == double(I=((1, 2),))
    assert double.__name__ == "solve_double" and double((("a",),)) == (("a", "a"),)
    assert pickle.loads(pickle.dumps(double))(((1, 2),)) == ((1, 2, 2, 1),)
    file.write_text(textwrap.dedent(text).replace("hconcat(I, x1)", "canvas(ZERO, shape(I))"))
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(leyden.ParseError, match="defines itself: ZERO"):
            exec(compile(file.read_text(), str(file), "exec"), {"__name__": "decorated"})
    finally:
        sys.path.remove(str(tmp_path))


OWN = """
def solve_1e7d0003(I):
    O = vmirror(I)
    return O

def solve_1e7d0011(I):
    x1 = asindices(I)
    O = size(x1)
    return O

def solve_1e7d0012(I):
    x1 = objects(I, F, F, F)
    x2 = extract(x1, hline)
    O = subgrid(x2, x1)
    return O

def solve_1e7d0013(I):
    x1 = asobject(I)
    x2 = product(x1, x1)
    x3 = product(x2, x2)
    O = size(x3)
    return O

def solve_nowhere(I):
    O = hmirror(I)
    return O

def solve_1e7d0014(I):
    O = tuple(reversed(I))
    return O
"""


def plain(output):
    return output.totuple() if isinstance(output, leyden.Grid) else output


def called(function, grid):
    """The result of a function, or the class of its exception."""
    try:
        return function(grid)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_module_on_its_own_tasks_gives_what_its_functions_give(jobs):
    solvers, tasks = leyden.jit(OWN), leyden.load("demo")
    results = solvers.on_tasks(tasks, jobs)
    assert list(results) == [f"solve_1e7d00{k}" for k in ("03", "11", "12", "13")]
    assert results.tasks["solve_1e7d0011"] == "1e7d0011"
    assert sorted(results.left_out) == ["solve_1e7d0014", "solve_nowhere"]
    for name, id in results.tasks.items():
        inputs = [pair[0].totuple() for pair in [*tasks[id].train, *tasks[id].test]]
        # The originals have no dsl to fall back to here.
        alone = [called(solvers.compiled[name].program, grid) for grid in inputs]
        ours = [type(it) if isinstance(it, Exception) else it for it in results[name]]
        assert ours == alone, name
    assert all(isinstance(it, leyden.LimitError) for it in results["solve_1e7d0013"])
    assert "solve_1e7d0012" in str(results["solve_1e7d0012"][0])


def test_a_module_says_which_of_its_tasks_it_solves():
    tasks = leyden.load("demo")
    pairs = [{"input": [[1, 2]], "output": [[2, 1]]}, {"input": [[3, 4]], "output": [[3, 4]]}]
    mine = {"train": pairs, "test": [{"input": [[5, 6]]}]}
    solvers = leyden.jit("def solve_0a1b2c3d(I):\n    O = vmirror(I)\n    return O\n")
    results = solvers.on_tasks({"0a1b2c3d": mine})
    assert results.right == {"solve_0a1b2c3d": [True, False, None]}
    assert results.solved == []
    assert plain(results["solve_0a1b2c3d"][2]) == ((6, 5),)
    mine["train"].pop()
    assert solvers.on_tasks({"0a1b2c3d": mine}).solved == ["solve_0a1b2c3d"]
    assert len(solvers.on_tasks(tasks)) == 0
    with pytest.raises(KeyError):
        results["solve_other"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_sees_the_outputs_of_demonstrations_only(jobs):
    """As `leyden run` shows them."""
    pair = {"input": [[1]], "output": [[2]]}
    solvers = leyden.jit("def solve_0a1b2c3d(S, I, C):\n    return C\n")
    results = solvers.on_tasks({"0a1b2c3d": {"train": [pair, pair], "test": [pair]}}, jobs)
    assert results.right == {"solve_0a1b2c3d": [True, True, False]}


def test_progress_hears_of_every_function():
    seen = []
    leyden.jit(OWN).on_tasks("demo", jobs=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5, 5)


def test_a_message_names_the_line_of_the_file(tmp_path):
    file = tmp_path / "jj.py"
    above = "\n" * 15
    file.write_text(f"{above}def solve_a(I):\n    return apply(lambda x: x, I)\n")
    assert f"{file}:17:" in leyden.jit(file).not_compiled["solve_a"]
    text = "def solve_a(I):\n    return vmiror(I)\n"
    with pytest.raises(leyden.ParseError, match=r"nb\.py:41:12") as caught:
        leyden.Program.parse(text, file="nb.py", first_line=40)
    assert "41 |     return vmiror(I)" in str(caught.value)
    for far in (0, 2**32 - 1):
        with pytest.raises(leyden.ParseError, match="nb.py:"):
            leyden.Program.parse(text, file="nb.py", first_line=far)
