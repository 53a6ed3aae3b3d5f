"""leyden.dsl as a user sees it: names, signatures, plain values in and out, errors that are Python's."""

import gc
import inspect
import pickle
import sys
import threading

import pytest

import leyden
import leyden.constants as constants
import leyden.dsl as dsl
import leyden.rearc as rearc
from leyden import _leyden


def test_all_names_are_there():
    assert len(_leyden.dsl) == len(_leyden.rearc) == 160
    assert len(constants.__all__) == 28
    assert set(_leyden.dsl) <= set(dsl.__all__)
    assert set(_leyden.rearc) | set(constants.__all__) <= set(rearc.__all__)
    assert constants.THREE_BY_THREE == (3, 3) and constants.T is True


def test_functions_say_what_they_are():
    assert str(inspect.signature(dsl.objects)) == "(grid, univalued, diagonal, without_bg)"
    assert str(inspect.signature(dsl.branch)) == "(condition, a, b)"
    assert str(inspect.signature(rearc.branch)) == "(condition, if_value, else_value)"
    assert dsl.move.__name__ == "move" and dsl.box.__module__ == "leyden.dsl"
    assert "Example: add((1, 2), 3) is (4, 5)" in dsl.add.__doc__
    assert repr(dsl.add) == "<built-in function add>"


@pytest.mark.parametrize("name", sorted(_leyden.dsl))
def test_every_primitive_has_a_signature_and_survives_pickling(name):
    function = getattr(dsl, name)
    types, _ = _leyden.signatures[name]
    assert len(inspect.signature(function).parameters) == len(types)
    assert pickle.loads(pickle.dumps(function)) is function


def test_examples_of_the_table_hold():
    names = {**_leyden.dsl, **_leyden.constants}
    for function in _leyden.dsl.values():
        call, result = function.__doc__.split("Example: ")[1].split(" is ")
        # The table writes sets as `{…}`; a set within a set must be frozen.
        frozen = lambda text: text.replace("{", "frozenset({").replace("}", "})")  # noqa: E731
        given, expected = eval(frozen(call), names), eval(frozen(result), names)
        assert given == expected, call


def test_arguments_by_keyword():
    assert dsl.add(b=2, a=1) == 3
    assert dsl.canvas(7, dimensions=(1, 2)) == ((7, 7),)
    assert rearc.dedupe(iterable=(1, 1)) == (1,)
    for wrong in (lambda: dsl.add(1), lambda: dsl.add(1, 2, 3), lambda: dsl.add(1, c=2), lambda: dsl.add(1, 2, a=3),
                  lambda: dsl.add(), lambda: dsl.dedupe(iterable=(1,))):
        with pytest.raises(TypeError, match="add|dedupe"):
            wrong()


def test_made_functions_take_keywords_as_lambdas_do():
    assert dsl.compose(dsl.size, dsl.identity)(x=(1, 2)) == 2
    assert dsl.rbind(dsl.branch, 5)(True, y=3) == 3
    assert dsl.lbind(dsl.subtract, 5)(y=3) == 2
    for wrong in (lambda: dsl.compose(len, len)(), lambda: dsl.compose(len, len)(1, 2), lambda: dsl.compose(len, len)(y=1)):
        with pytest.raises(TypeError):
            wrong()


def test_closures_of_the_user_mix_with_ours():
    assert dsl.apply(lambda x: x * 2, (1, 2)) == (2, 4)
    assert dsl.compose(lambda x: x + 1, dsl.size)((1, 2, 3)) == 4
    assert dsl.chain(str, dsl.double, len)("abc") == "6"
    assert dsl.rbind(lambda a, b, c: (a, b, c), 3)(1, 2) == (1, 2, 3)
    assert dsl.fork(lambda a, b: (a, b), dsl.first, max)((3, 9)) == (3, 9)
    assert dsl.order([3, 1, 2], lambda x: -x) == (3, 2, 1)
    assert list(map(dsl.matcher(dsl.even, True), (1, 2))) == [False, True]


def test_power_is_made_of_composes():
    assert dsl.power(dsl.double, 5)(1) == 32
    assert dsl.power(dsl.double, 1) is dsl.double
    for endless in (0, -1, 1.5, 10**6):
        with pytest.raises(RecursionError):
            dsl.power(dsl.double, endless)


def test_numbers_of_any_size():
    assert dsl.add(2**63 - 1, 1) == 2**63
    assert dsl.multiply((2**40, 3), 2**40) == (2**80, 3 * 2**40)
    assert dsl.divide(-(2**63), -1) == 2**63
    assert dsl.invert(-(2**63)) == 2**63
    assert dsl.increment(2**63 - 1) == 2**63
    assert dsl.shift(frozenset({(2**70, 0)}), (1, 1)) == {(2**70 + 1, 1)}


def test_truth_and_numbers_stay_apart():
    assert dsl.add(True, True) == 2 and dsl.add(True, True) is not True
    assert dsl.both(3, 4) == 4 and dsl.either(0, ()) == ()
    assert [type(v) for v in dsl.dedupe((True, 1, 0))] == [bool, int]


def test_stop_iteration_inside_a_generator_becomes_runtime_error():
    with pytest.raises(StopIteration):
        dsl.first(())
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        dsl.apply(dsl.first, ((),))
    with pytest.raises(RuntimeError):
        dsl.colorfilter(frozenset({frozenset()}), 1)
    with pytest.raises(StopIteration):
        dsl.extract((1, 3), dsl.even)


class OnPurpose(Exception):
    pass


def raises(*_):
    raise OnPurpose


CALLS_WITH_A_FUNCTION = {
    "apply": lambda f: dsl.apply(f, (1, 2)),
    "mapply": lambda f: dsl.mapply(f, ((1,), (2,))),
    "sfilter": lambda f: dsl.sfilter(frozenset({1, 2}), f),
    "order": lambda f: dsl.order((1, 2), f),
    "argmax": lambda f: dsl.argmax((1, 2), f),
    "valmin": lambda f: dsl.valmin((1, 2), f),
    "extract": lambda f: dsl.extract((1, 2), f),
    "papply": lambda f: dsl.papply(f, (1,), (2,)),
    "prapply": lambda f: dsl.prapply(f, (1,), (2,)),
    "rapply": lambda f: dsl.rapply((f,), 1),
    "compose": lambda f: dsl.compose(dsl.identity, f)(1),
    "fork": lambda f: dsl.fork(f, dsl.identity, dsl.identity)(1),
    "matcher": lambda f: dsl.matcher(f, 1)(1),
}


@pytest.mark.parametrize("name", CALLS_WITH_A_FUNCTION)
def test_what_a_users_function_raises_comes_through(name):
    with pytest.raises(OnPurpose):
        CALLS_WITH_A_FUNCTION[name](raises)


@pytest.mark.parametrize("name", CALLS_WITH_A_FUNCTION)
def test_a_users_function_that_never_ends_is_a_recursion_error(name):
    def endless(*_):
        return CALLS_WITH_A_FUNCTION[name](endless)

    with pytest.raises(RecursionError):
        endless()


@pytest.mark.parametrize("name", CALLS_WITH_A_FUNCTION)
@pytest.mark.parametrize("nonsense", [None, [], {}, object(), "x", float("nan"), 3])
def test_nonsense_gives_a_value_or_a_python_error(name, nonsense):
    for function in (nonsense, lambda *_: nonsense):
        try:
            CALLS_WITH_A_FUNCTION[name](function)
        except Exception as error:
            assert not isinstance(error, SystemError)


def deep(n):
    function = dsl.identity
    for _ in range(n):
        function = dsl.compose(dsl.identity, function)
    return function


def test_deep_functions_raise_and_go_away():
    with pytest.raises(RecursionError):
        deep(200_000)(1)
    gc.collect()


def test_deep_functions_on_a_thread():
    """Deep calls end well under any recursion limit: a thread has a smaller stack than the main program."""
    results = []

    def call():
        try:
            results.append(deep(200_000)(1))
        except RecursionError:
            results.append(RecursionError)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    assert results == [RecursionError]


def test_cycles_are_collected():
    class Holder:
        pass

    holder = Holder()
    holder.function = dsl.compose(dsl.identity, lambda x: holder)
    gone = []
    import weakref

    weakref.finalize(holder, gone.append, True)
    del holder
    gc.collect()
    assert gone == [True]


def test_functions_in_sets_and_as_keys():
    function = dsl.compose(dsl.identity, dsl.identity)
    assert dsl.rapply(frozenset({dsl.size, function}), (1, 2)) == {2, (1, 2)}
    assert {function: 1}[function] == 1


def test_duck_types_are_welcome():
    grid = [[1, 0], [0, 1]]
    assert dsl.mostcolor(((1, 0), [0, 0])) == 0
    assert dsl.fill(grid, 5, [(0, 0)]) == ((5, 0), (0, 1))
    assert dsl.mapply(dsl.dneighbors, {(0, 0)}) == {(-1, 0), (1, 0), (0, -1), (0, 1)}
    assert type(dsl.sfilter([1, 2], dsl.even)) is list and type(dsl.remove(1, {1, 2})) is set


def test_no_room_is_a_memory_error():
    for call in (lambda: dsl.repeat(1, 2**62), lambda: dsl.interval(0, 2**62, 1), lambda: dsl.canvas(0, (2**62, 1)),
                 lambda: dsl.hupscale(((1,),), 2**62)):
        with pytest.raises((MemoryError, OverflowError)):
            call()


def test_dialects_differ_where_they_should():
    with pytest.raises(ValueError):
        dsl.argmax((), dsl.identity)
    assert rearc.argmin((), rearc.identity) is None
    assert len(dsl.occurrences(((1,),), frozenset())) == 4
    assert len(rearc.occurrences(((1,),), frozenset())) == 1
    # A function keeps the dialect it comes from.
    assert dsl.apply(rearc.rbind(rearc.argmax, rearc.identity), ((),)) == (None,)


def test_sets_iterate_as_cpythons_do():
    assert list(dsl.insert(0, frozenset({8}))) == list(frozenset({8}).union(frozenset({0})))
    grid = tuple(tuple((3 * i + j) % 4 for j in range(9)) for i in range(9))
    assert list(dsl.asindices(grid)) == list(frozenset((i, j) for i in range(9) for j in range(9)))
    assert list(dsl.merge(((8, 0), (1,)))) == [8, 0, 1]


def test_stubs_are_what_the_table_says():
    from pathlib import Path
    import subprocess

    script = Path(__file__).resolve().parents[2] / "tools" / "make_stubs.py"
    if not script.exists():
        pytest.skip("only from a clone: tools/make_stubs.py is not here")
    checked = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("container", [range(4), memoryview(b"ab")])
def test_types_that_take_no_generator_refuse_it_before_it_runs(container):
    def fails(*_):
        raise ZeroDivisionError

    for call in (
        lambda: dsl.sfilter(container, fails),
        lambda: dsl.apply(fails, container),
        lambda: dsl.difference(container, frozenset()),
    ):
        with pytest.raises(TypeError):
            call()


def test_what_is_no_set_says_so_before_anything_is_hashed():
    with pytest.raises(AttributeError):
        dsl.insert([], ())
    with pytest.raises(TypeError):
        dsl.insert([], frozenset())


@pytest.mark.parametrize("rows", [((1, 2), (3, 4)), ((0, 3, 3), (5, 0, 0))])
def test_a_grid_counts_as_its_tuple(rows):
    grid = leyden.Grid(rows)
    for name in ("vmirror", "hmirror", "dmirror", "rot90", "palette", "shape", "identity", "leastcolor"):
        found, expected = getattr(dsl, name)(grid), getattr(dsl, name)(rows)
        assert found == expected and type(found) is type(expected)
    assert dsl.objects(grid, True, False, True) == dsl.objects(rows, True, False, True)
    assert dsl.objects(grid=grid, univalued=True, diagonal=False, without_bg=True) == dsl.objects(rows, True, False, True)
    assert dsl.hconcat(grid, rows) == dsl.hconcat(rows, rows)
    assert dsl.apply(dsl.palette, (grid, rows)) == (dsl.palette(rows),) * 2
    assert dsl.compose(dsl.vmirror, dsl.identity)(grid) == dsl.vmirror(rows)
