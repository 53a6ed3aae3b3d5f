#!/usr/bin/env python3
"""arc-dsl's own tests and solvers, unmodified, on `leyden.dsl` in place of its module `dsl`.

    tools/check_dropin.py --arc-dsl DIR --data arcagi_aa922be.json
"""

import argparse
import json
import sys
from pathlib import Path
from types import ModuleType

import dropin_modules as modules

# Its expectation depends on the order of a set; it fails in CPython too.
FAILS_IN_CPYTHON = {"test_mpapply"}
# The key of its `argmax` is a set; it is wrong in CPython too.
WRONG_IN_CPYTHON = {"e40b9e2f"}


def failing_tests(tests: ModuleType) -> tuple[int, set[str]]:
    """Returns the number of a module's tests, and those that fail."""
    found = {name: test for name, test in vars(tests).items() if name.startswith("test_")}
    return len(found), {name for name, test in found.items() if not passes(test)}


def passes(test) -> bool:
    try:
        test()
    except AssertionError:
        return False
    return True


def wrong_tasks(solvers: ModuleType, tasks: dict) -> set[str]:
    return {task for task, content in tasks.items() if not is_right(getattr(solvers, f"solve_{task}"), content)}


def is_right(solve, content: dict) -> bool:
    pairs = content["train"] + content["test"]
    return all(solve(grid(pair["input"])) == grid(pair["output"]) for pair in pairs)


def grid(rows: list[list[int]]) -> tuple:
    return tuple(map(tuple, rows))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arc-dsl", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    import leyden.constants
    import leyden.dsl

    n_tests, failing = failing_tests(modules.load(args.arc_dsl / "tests.py", dsl=leyden.dsl))
    print(f"tests: {n_tests - len(failing)} of {n_tests} pass, not: {sorted(failing)}")
    tasks = json.loads(args.data.read_text())["train"]
    solvers = modules.load(args.arc_dsl / "solvers.py", dsl=leyden.dsl, constants=leyden.constants)
    wrong = wrong_tasks(solvers, tasks)
    print(f"solvers: {len(tasks) - len(wrong)} of {len(tasks)} tasks right, not: {sorted(wrong)}")
    return int(failing != FAILS_IN_CPYTHON or wrong != WRONG_IN_CPYTHON)


if __name__ == "__main__":
    sys.exit(main())
