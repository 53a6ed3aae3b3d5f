"""Makes fresh pairs with re-arc's generators.

Arguments: the directory of re-arc's files, a file for the results, a seed, the number of pairs, and
ids of tasks. Each line of the results is JSON: `{"dsl": NAME}` first, then `{"id": …, "pairs": […]}`
for each task. `leyden.rearc` takes the place of re-arc's own `dsl` if it is installed. Both give
equal pairs.
"""

import importlib.util
import json
import random
import sys
import types


def load(name, path):
    """Executes a file as the module `name`, so that its relative imports find its neighbours."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def package(name):
    module = types.ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module


def load_rearc(directory):
    """Loads generators and verifiers; gives their functions by name, and the name of the dsl."""
    package("rearc")
    try:
        import leyden.rearc as dsl

        sys.modules["rearc.dsl"] = dsl
        name = "leyden.rearc"
    except ImportError:
        load("rearc.dsl", f"{directory}/dsl.py")
        name = "re-arc"
    load("rearc.utils", f"{directory}/utils.py")
    functions = dict(vars(load("rearc.verifiers", f"{directory}/verifiers.py")))
    package("rearc.generators")
    for part in ("00_99", "100_199", "200_299", "300_399"):
        file = f"generators_{part}"
        functions.update(vars(load(f"rearc.generators.{file}", f"{directory}/{file}.py")))
    return functions, name


def is_grid(value):
    """Whether a value is a grid of at most 30 rows and columns of colours."""
    if not isinstance(value, tuple) or not 0 < len(value) <= 30:
        return False
    if not all(isinstance(row, tuple) and 0 < len(row) <= 30 for row in value):
        return False
    if len({len(row) for row in value}) != 1:
        return False
    return all(isinstance(cell, int) and 0 <= cell <= 9 for row in value for cell in row)


def pairs_of(functions, task, seed, n_pairs):
    """Different pairs that the verifier of the task confirms."""
    generate, verify = functions[f"generate_{task}"], functions[f"verify_{task}"]
    rng = random.Random(f"leyden {seed} {task}")
    pairs, seen = [], set()
    # A generator may fail or repeat itself; this many tries are enough for all of them.
    for _ in range(20 * n_pairs + 200):
        if len(pairs) == n_pairs:
            break
        try:
            pair = generate(rng, 0, 1)
            given, wanted = pair["input"], pair["output"]
            is_good = is_grid(given) and is_grid(wanted) and verify(given) == wanted
        except Exception:  # noqa: BLE001, S112
            continue
        if is_good and given not in seen:
            seen.add(given)
            pairs.append({"input": given, "output": wanted})
    return pairs


def main():
    directory, out, seed, n_pairs, *tasks = sys.argv[1:]
    functions, name = load_rearc(directory)
    with open(out, "w", encoding="utf-8") as results:
        print(json.dumps({"dsl": name}), file=results)
        for task in tasks:
            pairs = pairs_of(functions, task, seed, int(n_pairs))
            print(json.dumps({"id": task, "pairs": pairs}), file=results, flush=True)


main()
