"""Any nested value passes through primitives unchanged."""

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import leyden.dsl as dsl  # noqa: E402

leaves = st.one_of(st.booleans(), st.integers(), st.integers(-3, 12))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=5).map(tuple), st.frozensets(inner, max_size=5)),
    max_leaves=25,
)
containers = st.one_of(st.lists(values, max_size=6).map(tuple), st.frozensets(values, max_size=6))


def alike(a, b):
    """Equal by type, value and order, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, frozenset)):
        return len(a) == len(b) and all(map(alike, a, b))
    return a == b


@given(values)
def test_identity_and_branches_give_the_very_object(value):
    assert dsl.identity(value) is value
    assert dsl.branch(True, value, None) is value
    assert dsl.compose(dsl.identity, dsl.identity)(value) is value
    assert dsl.repeat(value, 2)[1] is value
    assert dsl.first(dsl.astuple(value, 0)) is value
    assert dsl.first(dsl.initset(value)) is value


@given(containers)
def test_containers_come_out_as_pythons_own(container):
    kind = type(container)
    assert alike(dsl.apply(dsl.identity, container), kind(e for e in container))
    assert alike(dsl.sfilter(container, lambda e: True), kind(e for e in container if True))
    assert alike(dsl.totuple(container), tuple(container))
    assert alike(dsl.combine(container, container), kind((*container, *container)))
    assert alike(dsl.product(container, container), frozenset((i, j) for j in container for i in container))
    assert dsl.size(container) == len(container)


@given(st.frozensets(values, max_size=8), st.frozensets(values, max_size=8), values)
def test_sets_keep_their_order(a, b, value):
    assert alike(dsl.intersection(a, b), a & b)
    assert alike(dsl.intersection(a, a), a & a)
    assert alike(dsl.difference(a, b), frozenset(e for e in a if e not in b))
    assert alike(dsl.insert(value, a), a.union(frozenset({value})))
    assert alike(dsl.remove(value, a), frozenset(e for e in a if e != value))
    assert alike(dsl.merge(frozenset({a, b})), frozenset(e for c in frozenset({a, b}) for e in c))


@given(st.lists(st.integers(-40, 40), min_size=1), st.integers(-5, 5))
def test_orders_are_stable(numbers, modulus):
    key = lambda n: n % (abs(modulus) + 1)  # noqa: E731
    assert dsl.order(tuple(numbers), key) == tuple(sorted(numbers, key=key))
    assert dsl.argmax(tuple(numbers), key) == max(numbers, key=key)
    assert dsl.order(tuple(numbers), lambda n: (key(n),)) == tuple(sorted(numbers, key=key))


@settings(max_examples=300)
@given(st.integers(), st.integers())
def test_arithmetic_is_pythons(a, b):
    assert dsl.add(a, b) == a + b and dsl.subtract(a, b) == a - b and dsl.multiply(a, b) == a * b
    if b:
        assert dsl.divide((a, b), b) == (a // b, 1)
    assert dsl.greater(a, b) is (a > b) and dsl.equality(a, b) is (a == b) and dsl.even(a) is (a % 2 == 0)
