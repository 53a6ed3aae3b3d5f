"""leyden.dsl at the limits of the machine: results that no memory holds, stacks that are small."""

import json
import subprocess
import sys
import textwrap

import pytest

import leyden.dsl as dsl
import leyden.rearc as rearc

MEMORY = 1 << 30


def in_a_process(script):
    """Runs a script with little memory; returns its output. An abort would be a negative return code."""
    before = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({2 * MEMORY}, {2 * MEMORY}))\n"
    command = [sys.executable, "-c", before + textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


# Each set has a number, a pair, a grid, a set and a tuple.
BOMBS = """
    import json, resource, time
    import leyden.dsl as dsl, leyden.rearc as rearc
    from leyden import _leyden

    row = tuple(range(1500))
    nested = ((1, 2),)
    for k in range(400):
        nested = (nested, nested) if k < 12 else (nested, k)
    sets = [
        (10**6, (10**6, 10**6), ((0,),) * 100, frozenset((0, j) for j in range(900)), row),
        (10**30, (10**30, 10**30), ((10**30,) * 30,) * 30, frozenset({(10**30, 0)}), (10**30, 0)),
        (-2**63, (2**63 - 1, -2**63), ((-2**63,),), frozenset({(2**63 - 1, 0), (-2**63, 1)}), (2**63 - 1, 2)),
        (2**40 - 1, (2**40 - 1, 1 - 2**40), ((0,) * 9,) * 9, frozenset({(0, 0), (2**40 - 1, 2**40 - 1)}), row),
        (50000, (400000, -400000), ((),) + (row[:600],) * 9, frozenset({(-400000, 1), (400000, 2)}), (row[:600],) * 40),
        (3000, (3000, 3000), ((0,) * 60,) * 60, frozenset((3, (i, j)) for i in range(30) for j in range(30)), row),
        (10**5, (0, 10**5), ((0,) * 200,) * 200, frozenset({(1, (0, 0)), (2, (10**6, 10**6))}), ((0,) * 10**5,) * 20),
    ]
    anything = [
        [(10**6, 10**6), 10**6],
        [((),) * 1500, 99999, ()],
        [nested, nested],
        [dsl.power(dsl.increment, 900), dsl.fork(dsl.astuple, dsl.identity, dsl.identity), dsl.canvas],
        [frozenset({frozenset({frozenset({(1, 2)}), row})}), {1: 2}, b"x" * 1000, "abc" * 1000],
    ]

    def typed(values, kind):
        number, pair, grid, elements, items = values
        known = {"Integer": number, "Numerical": number, "Any": number, "IntegerTuple": pair, "Grid": grid,
                 "Element": grid, "Piece": grid, "Tuple": items, "TupleTuple": items, "Container": items,
                 "ContainerContainer": items, "Boolean": True, "Callable": dsl.identity}
        return known.get(kind, elements)

    endings, slowest = {}, {}
    for module in (_leyden.dsl, _leyden.rearc):
        for name, (kinds, _) in _leyden.signatures.items():
            calls = [[typed(values, kind) for kind in kinds] for values in sets]
            calls += [[values[k % len(values)] for k in range(len(kinds))] for values in anything]
            for k, arguments in enumerate(calls):
                started = time.process_time()
                try:
                    result = module[name](*arguments)
                    ending = "value"
                    del result
                except Exception as error:
                    ending = type(error).__name__
                endings[ending] = endings.get(ending, 0) + 1
                slowest[f"{name} {k}"] = time.process_time() - started
    seconds = sum(slowest.values())
    slowest = sorted(slowest.items(), key=lambda it: -it[1])[:9]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"endings": endings, "seconds": seconds, "peak": peak, "slowest": slowest}))
"""


def test_no_primitive_makes_what_no_memory_holds():
    found = json.loads(in_a_process(BOMBS))
    print(found)
    endings = found["endings"]
    assert endings.pop("value") > 500 and endings.pop("MemoryError") > 50
    assert endings.pop("TypeError") > 500
    assert set(endings) <= {"AttributeError", "IndexError", "KeyError", "OverflowError", "RecursionError",
                            "RuntimeError", "StopIteration", "ValueError", "ZeroDivisionError"}
    assert found["peak"] < MEMORY
    assert found["seconds"] < 5, found["slowest"]


@pytest.mark.parametrize("module", [dsl, rearc])
def test_what_filled_the_memory_is_a_memory_error(module):
    far = frozenset({(0, 0), (10**6, 10**6)})
    for call in (
        lambda: module.size(module.hsplit(module.canvas(0, (100, 1)), 1_000_000)),
        lambda: module.upscale(module.canvas(0, (300, 300)), 3_000),
        lambda: module.hupscale(module.canvas(1, (1_000_000, 1)), 1_000),
        lambda: module.canvas(0, (10**5, 10**5)),
        lambda: module.repeat(0, 10**9),
        lambda: module.interval(0, 10**12, 1),
        lambda: module.interval(0, 10**30, 1),
        lambda: module.product(range(10**5), range(10**5)),
        lambda: module.connect((0, 0), (0, 10**9)),
        lambda: module.shoot((0, 0), (10**6, 10**6)),
        lambda: module.multiply(((1, 2), 3), 10**9),
        lambda: module.merge(((0,) * 10**5,) * 10**5),
        lambda: module.rot90(((0,) * 10**5,) * 10**5),
        lambda: module.objects(((0,) * 10**5,) * 10**5, True, False, False),
        *(lambda name=name: getattr(module, name)(far) for name in ("backdrop", "delta", "box", "inbox", "outbox")),
    ):
        with pytest.raises(MemoryError):
            call()


def test_what_is_below_the_caps_is_made():
    assert len(dsl.canvas(0, (1_000, 1_000))) == 1_000
    assert dsl.interval(0, 10**6, 1)[-1] == 10**6 - 1
    assert len(dsl.product(range(700), range(700))) == 490_000
    assert len(dsl.vsplit(((1, 2),), 10**5)) == 10**5


SMALL_STACKS = """
    import sys, threading
    import leyden.dsl as dsl

    def deep(n):
        function = dsl.identity
        for _ in range(n):
            function = dsl.compose(dsl.identity, function)
        return function

    def call(n, found):
        try:
            found.append(deep(n)(7))
        except RecursionError:
            found.append("RecursionError")

    def on_a_stack(size, n):
        threading.stack_size(size)
        found = []
        thread = threading.Thread(target=call, args=(n, found))
        thread.start()
        thread.join()
        return found[0]

    print([on_a_stack(size, 990) for size in (65536, 131072, 262144, 524288)])
    sys.setrecursionlimit(10**6)
    print([on_a_stack(size << 20, 200_000) for size in (1, 2, 8, 64)], on_a_stack(16 << 20, 900))
    call(200_000, found := [])
    print(found)
"""


def test_small_stacks_end_in_a_recursion_error():
    """Each of these calls once crashed the interpreter."""
    small, large, main = in_a_process(SMALL_STACKS).splitlines()
    assert set(eval(small)) <= {"RecursionError", 7}
    assert large == "['RecursionError', 'RecursionError', 'RecursionError', 'RecursionError'] 7"
    assert main == "['RecursionError']"


PROGRAMS_ON_SMALL_STACKS = """
    import threading
    import leyden

    def nested(call, n):
        lines = [f"    x{k} = {call.format(k - 1)}\\n" for k in range(1, n)]
        return "def solve_a(I):\\n    x0 = initset(I)\\n" + "".join(lines)

    deep = nested("astuple(x{}, ONE)", 3000) + "    return x2999\\n"
    deep_sets = nested("initset(x{})", 3000) + "    return size(intersection(x2999, x2998))\\n"
    flat = "def solve_a(I):\\n    return hconcat(I, I)\\n"

    def ending(call):
        try:
            return repr(call())
        except RecursionError:
            return "RecursionError"

    def on_a_stack(size, *calls):
        threading.stack_size(size)
        found = []
        thread = threading.Thread(target=lambda: found.extend(ending(call) for call in calls))
        thread.start()
        thread.join()
        return found

    for source in (flat, deep_sets, deep):
        jit, program = leyden.jit(source).solve_a, leyden.Program.parse(source)
        calls = lambda: jit(((1, 2),)), lambda: program([[1, 2]])
        found = [on_a_stack(size << 10, *calls) for size in (128, 1024, 16384)]
        print(found, len(on_a_stack(1 << 18, lambda: program.trace([[1, 2]]))))
"""


def test_programs_run_on_small_stacks():
    """Values that nest deeply once crashed the interpreter."""
    flat, deep_sets, deep = map(eval, in_a_process(PROGRAMS_ON_SMALL_STACKS).replace("]] 1", "]]").splitlines())
    assert flat == [["((1, 2, 1, 2),)", "Grid([[1, 2, 1, 2]])"]] * 3
    assert deep_sets == [["0", "0"]] * 3
    assert deep == [["RecursionError", "RecursionError"]] * 3
