"""Names of the user's own: `names=` of everything that reads programs."""

import pickle

import leyden
import pytest

NAMES = "turn_half = rot180\nBLACK = 0\n"
PROGRAM = "def solve_a(I):\n    return replace(turn_half(I), BLACK, 3)\n"
GRID = ((0, 1), (2, 2))
TURNED = ((2, 2), (1, 3))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text(NAMES, encoding="utf-8")
    return path


@pytest.mark.parametrize("of_file", [True, False])
def test_programs_are_read_with_names(file, tmp_path, of_file):
    names = file if of_file else NAMES
    (tmp_path / "fork.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "fork").mkdir()
    (tmp_path / "fork" / "solve_00000001.py").write_text(PROGRAM, encoding="utf-8")
    read = [
        leyden.Program.parse(PROGRAM, names=names),
        *leyden.programs(PROGRAM, names=names),
        *leyden.programs(tmp_path / "fork.py", names=names),
        *leyden.programs(tmp_path / "fork", names=names),
    ]
    assert len(read) == 4
    for program in read:
        assert program(GRID).totuple() == TURNED
        assert "rot180" in program.source and "turn_half" not in program.source
        assert pickle.loads(pickle.dumps(program))(GRID).totuple() == TURNED


def test_jit_compiles_a_fork(file):
    module = leyden.jit(PROGRAM, names=file)
    assert list(module.compiled) == ["solve_a"]
    assert module.solve_a(GRID) == TURNED
    own = leyden.jit("def turn_half(I):\n    return I\n\n\n" + PROGRAM, names=file)
    assert "turn_half" in own.not_compiled["solve_a"]


def test_mistakes_in_names_are_errors():
    with pytest.raises(leyden.ParseError, match="<names>:1:5"):
        leyden.Program.parse(PROGRAM, names="a = rot18\n")
    with pytest.raises(ValueError, match="missing.txt"):
        leyden.programs(PROGRAM, names="missing.txt")
    with pytest.raises(ValueError, match="dialect = re-arc"):
        leyden.Program.parse(PROGRAM, dialect="arc-dsl", names="dialect = re-arc\n")


def test_commands_take_names(file, tmp_path):
    fork = tmp_path / "fork.py"
    fork.write_text("def solve_1e7d0006(I):\n    return turn_half(I)\n", encoding="utf-8")
    with pytest.raises(ValueError, match="turn_half"):
        leyden.solve("demo", library=fork, task="1e7d0006", fuel_per_task=100_000)
    leyden.solve("demo", library=fork, task="1e7d0006", fuel_per_task=100_000, names=file)


def test_lists_of_paths_are_read_with_names(file, tmp_path):
    fork = tmp_path / "fork.py"
    fork.write_text("def solve_1e7d0006(I):\n    return turn_half(I)\n", encoding="utf-8")
    other = leyden.Program.parse(PROGRAM, names=file)
    how = {"task": "1e7d0006", "fuel_per_task": 100_000}
    with pytest.raises(leyden.ParseError, match="turn_half"):
        leyden.solve("demo", library=[fork], **how)
    solution = leyden.solve("demo", library=[fork, other], names=file, **how)
    assert solution.raw["known_programs"] == 2
    profile = leyden.profile("dsl", "demo", task="1e7d0006", programs=[fork], names=file)
    assert "rot180" in [row["name"] for row in profile.raw["primitives"]]
