"""Runs every example in the documentation."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ["leyden", *(f"leyden.{name}" for name in ("_battery", "_chart", "_commands", "_jit", "_programs", "_table", "_tasks"))]


def check(text, name):
    """Runs examples like a session; returns their number."""
    flags = doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=flags)
    runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    return len(test.examples)


def code(path):
    """The blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


def session(path):
    """The examples of a page with their results, as one session."""
    return "\n".join(block for block in code(path) if block.startswith(">>> "))


def test_the_page_about_python_is_true():
    assert check(session(ROOT / "docs" / "python.md"), "python.md") > 40


def test_the_tutorial_is_true(tmp_path, monkeypatch):
    """The page's files are blocks that begin with a name; the command's test runs the rest of the page."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "tutorial.md"
    for block in code(page):
        if name := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / name[1]).write_text(block, encoding="utf-8")
    assert (tmp_path / "mine.py").exists()
    assert check(session(page), "tutorial.md") > 5


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_code_are_true(name):
    module = importlib.import_module(name)
    tests = [it for it in doctest.DocTestFinder().find(module) if it.examples]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test)
    assert tests and runner.summarize(verbose=False).failed == 0


def test_the_readme_is_true(tmp_path, monkeypatch):
    """Every block runs, in order, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "README.md"
    assert len(code(page)) > 1
    namespace = {"__name__": "readme"}
    for block in code(page):
        exec(compile(block, "README.md", "exec"), namespace)
    assert (tmp_path / "submission.json").exists()
