"""arc-dsl's primitives on plain Python values; replaces its module `dsl`.

Arguments, results, exceptions and set orders equal those of the original.

>>> from leyden.dsl import *
>>> vmirror(((1, 2), (3, 4)))
((2, 1), (4, 3))
>>> compose(size, first)(((1, 2, 3),))
3
"""

from ._dsl_types import *  # noqa: F403
from leyden._dsl_types import __all__ as _types
from leyden._leyden import dsl as _primitives

globals().update(_primitives)

__all__ = [*_primitives, *_types]  # pyright: ignore[reportUnsupportedDunderAll]
