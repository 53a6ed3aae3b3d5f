"""Runs the examples of docs/cluster.md as their schedulers would."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import leyden
import pytest
from leyden import Battery

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
DEMO_SOLVERS = ROOT / "crates" / "leyden-store" / "demo" / "solvers.py"


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.S)[1]


@pytest.fixture
def job(tmp_path):
    """A directory with the files that the examples need."""
    battery = Battery.from_programs(leyden.programs(DEMO_SOLVERS))
    (tmp_path / "programs.batt").write_text(battery.text, encoding="utf-8")
    tasks = leyden.load("demo").to_json()
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    command = tmp_path / "bin" / "leyden"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m leyden "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def call(job, args, **env):
    package = str(Path(leyden.__file__).parents[1])
    paths = {"PATH": f"{job / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": package}
    subprocess.run(args, cwd=job, env={**os.environ, **paths, **env}, check=True, capture_output=True)


def without_times(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if '_s":' not in line]


def check_merged(job):
    parts = sorted(f"parts/{path.name}" for path in (job / "parts").iterdir())
    assert len(parts) == 10
    call(job, ["leyden", "merge", *parts, "--json", "all.json"])
    whole = ["leyden", "batt", "programs.batt", "--data", "tasks.json", "--json", "whole.json"]
    call(job, whole)
    assert without_times(job / "all.json") == without_times(job / "whole.json")


def test_the_slurm_example(job):
    script = block("sbatch")
    first, last = map(int, re.search(r"--array=(\d+)-(\d+)", script).groups())
    assert (first, last) == (0, 9)
    for index in range(first, last + 1):
        env = {"SLURM_ARRAY_TASK_ID": str(index), "SLURM_CPUS_PER_TASK": "1"}
        call(job, ["bash", "-c", script], **env)
    check_merged(job)


def test_the_kubernetes_example(job):
    yaml = pytest.importorskip("yaml", reason="pyyaml, which comes with ray, reads the example")
    document = yaml.safe_load(block("yaml"))
    spec = document["spec"]
    assert (document["apiVersion"], document["kind"]) == ("batch/v1", "Job")
    assert spec["completionMode"] == "Indexed" and spec["completions"] == 10
    pod = spec["template"]["spec"]
    assert pod["restartPolicy"] == "Never", "an indexed job with a limit per index asks for it"
    [container] = pod["containers"]
    assert {it["name"] for it in container["volumeMounts"]} == {it["name"] for it in pod["volumes"]}
    for index in range(spec["completions"]):
        call(job, [*container["command"], *container["args"]], JOB_COMPLETION_INDEX=str(index))
    check_merged(job)


def test_the_first_example(job):
    lines = block("sh").replace("arc1:training", "demo").splitlines()
    for line in lines:
        call(job, ["sh", "-euc", line])
    call(job, ["leyden", "run", "--data", "demo", "--json", "whole.json"])
    assert without_times(job / "all.json") == without_times(job / "whole.json")


def test_the_python_example_has_names_that_exist():
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    compile(code, "cluster.md", "exec")
    pytest.importorskip("ray", reason="ray is not installed")
    import leyden.ray

    for name in re.findall(r"leyden\.ray\.(\w+)", code):
        assert name in leyden.ray.__all__
