"""The package's own annotations hold."""

import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pyright", reason="pyright is not installed")

PACKAGE = pathlib.Path(__file__).parents[1] / "leyden"


def test_pyright_finds_nothing(tmp_path):
    # The copy is in a separate directory, so that pyright checks this package, not an installed one.
    shutil.copytree(PACKAGE, tmp_path / "leyden", ignore=shutil.ignore_patterns("*.so"))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "leyden"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stdout
