"""re-arc's primitives and constants; replaces re-arc's module `dsl`.

>>> from leyden.rearc import *
>>> argmax((), identity) is None
True
>>> branch(condition=T, if_value=ONE, else_value=TWO)
1
"""

from ._dsl_types import *  # noqa: F403
from leyden._dsl_types import __all__ as _types
from leyden._leyden import constants as _constants
from leyden._leyden import rearc as _primitives

globals().update(_primitives)
globals().update(_constants)

__all__ = [*_primitives, *_constants, *_types]  # pyright: ignore[reportUnsupportedDunderAll]
