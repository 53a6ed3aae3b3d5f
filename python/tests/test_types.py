"""The package's own annotations hold."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("pyright", reason="pyright is not installed")

PACKAGE = pathlib.Path(__file__).parents[1] / "leyden"


def test_pyright_finds_nothing():
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, PACKAGE.name],
        # The sources come before what is installed.
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stdout
