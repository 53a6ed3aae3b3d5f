"""Programs of tokpidjin's dialect in Python, alone and mixed with others."""

import pickle
import textwrap

import leyden
import pytest

THEIRS = textwrap.dedent(
    """
    def solve_1e7d0042(S, I, C):
        x1 = righthalf(I)
        x2 = lefthalf(I)
        return hconcat(x1, x2)

    def solve_1e7d0006(S, I, C):
        x1 = f_ofcolor(I, BLACK)
        x2 = mir_rot_t(I, R5)
        return subgrid(x1, x2)

    def solve_1e7d0047(S, I, C):
        x1 = index(I, ORIGIN)
        x2 = c_iz_n(S, p_g, rbind(get_nth_t, F0))
        return replace(I, x2, x1)
    """
)
OURS = "def solve_1e7d0042(I):\n    return hconcat(righthalf(I), lefthalf(I))\n"


def test_programs_know_their_dialect():
    assert {program.dialect for program in leyden.programs(THEIRS)} == {"tokpidjin"}
    alone = "def solve_1e7d0042(S, I, C):\n    return righthalf(I)\n"
    assert leyden.Program.parse(alone).dialect == "arc-dsl"
    assert leyden.Program.parse(alone, dialect="tokpidjin").dialect == "tokpidjin"
    told = leyden.Program.parse("# dialect: tokpidjin\n" + alone)
    assert told.dialect == "tokpidjin"
    assert pickle.loads(pickle.dumps(told)).dialect == "tokpidjin"


def test_mixed_programs_make_a_battery():
    programs = leyden.programs(THEIRS) + leyden.programs(OURS)
    battery = leyden.Battery.from_programs(programs)
    names = [member.name for member in battery.members]
    assert names == ["solve_1e7d0042", "solve_1e7d0006", "solve_1e7d0047", "solve_1e7d0042_2"]
    assert len(leyden.Battery.parse(battery.text)) == 4
    again = pickle.loads(pickle.dumps(battery))
    assert again == battery
    result = again.run("demo")
    assert sorted(result.solved) == ["1e7d0006", "1e7d0042", "1e7d0047"]
    assert result.solvers["1e7d0042"] == ["solve_1e7d0042", "solve_1e7d0042_2"]


def test_compiled_functions_take_what_the_originals_take():
    solvers = leyden.jit(THEIRS)
    grid, demos = ((3, 0), (5, 2)), ((((3, 5),), ((3, 3),)),)
    assert solvers.solve_1e7d0042(demos, grid, None) == ((0, 3), (2, 5))
    assert solvers.solve_1e7d0042(demos, grid, grid) == ((0, 3), (2, 5))
    # The colour that only the inputs of the demonstrations have.
    assert solvers.solve_1e7d0047(demos, grid, None) == ((3, 0), (3, 2))
    with pytest.raises(TypeError, match="takes 3 positional arguments but 2 were given"):
        solvers.solve_1e7d0042(demos, grid)
    assert solvers.on_tasks("demo").solved == list(solvers.compiled)


def test_functions_are_compiled_where_they_stand():
    namespace = {"R5": 5}
    assert leyden.jit(_function("return mir_rot_t(I, R5)", namespace))((), ((1, 2),), None) == ((2, 1),)
    namespace["R5"] = 4
    with pytest.raises(leyden.ParseError, match="R5"):
        leyden.jit(_function("return mir_rot_t(I, R5)", namespace))


def _function(body, namespace):
    import linecache

    text = f"def solve_1e7d0042(S, I, C):\n    {body}\n"
    linecache.cache["<made>"] = (len(text), None, text.splitlines(keepends=True), "<made>")
    exec(compile(text, "<made>", "exec"), namespace)
    return namespace["solve_1e7d0042"]


def test_searches_use_programs_of_any_dialect(tmp_path):
    programs = leyden.programs(THEIRS) + leyden.programs(OURS)
    solved = leyden.solve("demo", library=programs, task="1e7d0006", fuel_per_task=2_000_000)
    answers = solved.raw["rows"][0]["answers"]
    assert answers[0][0]["dialect"] == "tokpidjin"
    assert solved.raw["known_programs"] == 4
    store = tmp_path / "a.db"
    evolved = leyden.evolve("demo", 2, programs=programs, store=store, task="1e7d0042", children=4, broad=8)
    assert evolved.raw["library"] == 4
