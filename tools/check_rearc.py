#!/usr/bin/env python3
"""Runs re-arc's generators and verifiers on `leyden.rearc` and on the original, and compares.

    tools/check_rearc.py --reasoning-gym DIR [--tasks 100] [--pairs 10] [--seed 1]

DIR is the directory `reasoning_gym` of the PyPI package reasoning-gym 0.1.25.
"""

import argparse
import importlib
import importlib.util
import random
import sys
import time
from pathlib import Path
from types import ModuleType

import dropin_modules as modules


def load_package(name: str, directory: Path, dsl: ModuleType | None) -> ModuleType:
    """Loads re-arc's package under a separate name, with another module `dsl` if one is given."""
    spec = importlib.util.spec_from_file_location(
        name, directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    assert spec, directory
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    if dsl:
        sys.modules[f"{name}.dsl"] = dsl
    package.generators = importlib.import_module(f"{name}.generators")
    package.verifiers = importlib.import_module(f"{name}.verifiers")
    return package


def task_ids(package: ModuleType) -> list[str]:
    prefix = "generate_"
    return [name.removeprefix(prefix) for name in dir(package.generators) if name.startswith(prefix)]


def generate(package: ModuleType, task: str, seed: int) -> tuple[str, object]:
    """Generates a pair; returns the error if that fails."""
    try:
        return ("pair", getattr(package.generators, f"generate_{task}")(random.Random(seed), 0, 1))
    except Exception as error:  # noqa: BLE001
        return ("error", type(error).__name__)


def verify(package: ModuleType, task: str, grid: object) -> tuple[str, object]:
    try:
        return ("output", getattr(package.verifiers, f"verify_{task}")(grid))
    except Exception as error:  # noqa: BLE001
        return ("error", type(error).__name__)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reasoning-gym", type=Path, required=True)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    import leyden.rearc

    directory = args.reasoning_gym / "arc" / "rearc_utils"
    theirs = load_package("rearc_theirs", directory, None)
    ours = load_package("rearc_ours", directory, leyden.rearc)
    assert ours.generators.__dict__["objects"] is leyden.rearc.objects
    assert ours.verifiers.__dict__["objects"] is leyden.rearc.objects
    return check(ours, theirs, args)


def check(ours: ModuleType, theirs: ModuleType, args: argparse.Namespace) -> int:
    tasks = random.Random(args.seed).sample(sorted(task_ids(theirs)), args.tasks)
    n_pairs = n_differ = n_agree = 0
    seconds = {"ours": 0.0, "theirs": 0.0}
    for task in tasks:
        for k in range(args.pairs):
            seed = args.seed * 1_000_000 + k
            made = {}
            for name, package in (("ours", ours), ("theirs", theirs)):
                start = time.process_time()
                made[name] = generate(package, task, seed)
                if made[name][0] == "pair":
                    made[name] += verify(package, task, made[name][1]["input"])
                seconds[name] += time.process_time() - start
            n_pairs += made["theirs"][0] == "pair"
            n_agree += made["theirs"][0] == "pair" and made["theirs"][3] == made["theirs"][1]["output"]
            wrong = modules.difference(plain(made["ours"]), plain(made["theirs"]))
            if wrong:
                n_differ += 1
                print(f"{task} seed {seed}: {wrong}"[:400])
    times = ", ".join(f"{name} {spent:.1f} s" for name, spent in seconds.items())
    print(f"{args.tasks} tasks x {args.pairs}: {n_pairs} pairs, {n_agree} verified by the original, {n_differ} differ ({times})")
    return int(n_differ > 0)


def plain(made: tuple) -> tuple:
    """Turns the pair from a dictionary into a tuple."""
    return tuple(tuple(part.items()) if isinstance(part, dict) else part for part in made)


if __name__ == "__main__":
    sys.exit(main())
