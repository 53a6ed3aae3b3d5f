"""Executes the notebooks of examples/; those for Kaggle without a network, from the wheel alone."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import leyden

pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

ROOT = pathlib.Path(__file__).parents[2]

# Kernels talk through files, because an empty network namespace has no loopback.
EXECUTE = """
import json, sys
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
manager = AsyncKernelManager(transport="ipc", kernel_name="python3")
NotebookClient(notebook, km=manager, timeout=300).execute()
outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
with open("outputs.json", "w") as file:
    json.dump(outputs, file)
"""


def execute(name, place, command=(), **environment):
    """Runs a notebook in a directory; returns the outputs of its cells."""
    notebook = ROOT / "examples" / f"{name}.ipynb"
    done = subprocess.run(
        [*command, sys.executable, "-c", EXECUTE, str(notebook)],
        cwd=place,
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(place / "runtime"), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((place / "outputs.json").read_text())


@pytest.fixture
def offline():
    """A command that runs another without a network."""
    command = ["unshare", "--net", "--map-root-user"]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces here: {error}")
    return command


@pytest.fixture
def attached(tmp_path):
    """Makes the files that Kaggle shows below /kaggle/input: a wheel, tasks without answers, programs."""
    wheel = os.environ.get("LEYDEN_WHEEL")
    if not wheel:
        pytest.skip("LEYDEN_WHEEL does not name a wheel")
    place = tmp_path / "input"
    place.mkdir()
    shutil.copy(wheel, place)
    tasks = {task.id: task.to_json() for task in list(leyden.load("demo"))[:6]}
    for task in tasks.values():
        task["test"] = [{"input": test["input"]} for test in task["test"]]
    (place / "arc-agi_test_challenges.json").write_text(json.dumps(tasks))
    shutil.copy(ROOT / "crates/leyden-store/demo/solvers.py", place / "solvers.py")
    return place


def from_wheel(tmp_path, attached):
    """An environment that can import Leyden only from the attached wheel."""
    site = tmp_path / "site"
    return {
        "LEYDEN_INPUT": str(attached),
        "LEYDEN_BUDGET": "6s",
        "PIP_TARGET": str(site),
        "PYTHONPATH": str(site),
        "PATH": os.pathsep.join([str(site / "bin"), os.environ["PATH"]]),
        "PYTHONNOUSERSITE": "1",
    }


def test_the_tour(tmp_path):
    text = json.dumps(execute("tour", tmp_path))
    assert "StopIteration" in text
    assert "((1, 2, 2, 1), (3, 4, 4, 3))" in text


def test_solving_on_kaggle(tmp_path, attached, offline):
    execute("kaggle-solve", tmp_path, offline, **from_wheel(tmp_path, attached))
    assert (tmp_path / "site/leyden/__init__.py").exists()
    submission = json.loads((tmp_path / "submission.json").read_text())
    tasks = json.loads((attached / "arc-agi_test_challenges.json").read_text())
    assert {id: len(answers) for id, answers in submission.items()} == {
        id: len(task["test"]) for id, task in tasks.items()
    }
    assert leyden.score(submission, list(leyden.load("demo"))[:6]).raw


def test_profiling_on_kaggle(tmp_path, attached, offline):
    outputs = execute("kaggle-profile", tmp_path, offline, **from_wheel(tmp_path, attached))
    pages = [out["data"]["text/html"] for out in outputs if "text/html" in out.get("data", {})]
    assert len(pages) == 4
    assert "objects" in pages[0]


def test_measuring_a_gpu_on_kaggle(tmp_path, attached, offline):
    outputs = execute("kaggle-gpu", tmp_path, offline, **from_wheel(tmp_path, attached))
    # Without devices every command says so, and the notebook goes on.
    said = "".join(out.get("text", "") for out in outputs)
    assert len(re.findall("knows no devices|no CUDA driver", said)) == 3, said
