"""Every example in the documentation, run."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ["leyden", *(f"leyden.{name}" for name in ("_battery", "_chart", "_commands", "_jit", "_programs", "_table", "_tasks"))]


def check(text, name):
    """Runs examples like a session; gives how many there were."""
    flags = doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=flags)
    runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    return len(test.examples)


def blocks(path):
    """The Python examples of a page, one session."""
    return "\n".join(re.findall(r"```python\n(>>> .*?)```", path.read_text(encoding="utf-8"), re.S))


def test_the_page_about_python_is_true():
    assert check(blocks(ROOT / "docs" / "python.md"), "python.md") > 40


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_code_are_true(name):
    module = importlib.import_module(name)
    tests = [it for it in doctest.DocTestFinder().find(module) if it.examples]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test)
    assert tests and runner.summarize(verbose=False).failed == 0


def test_the_python_part_of_the_readme_is_true(tmp_path, monkeypatch):
    """Every line of the section's code runs, in its order, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## Python\n", 1)[1].split("\n## ", 1)[0]
    code = re.findall(r"```python\n(.*?)```", section, re.S)
    assert code
    namespace = {"__name__": "readme"}
    for block in code:
        exec(compile(block, "README.md", "exec"), namespace)
    assert (tmp_path / "submission.json").exists()
