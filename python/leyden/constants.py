"""arc-dsl's named constants; replaces its module `constants`.

>>> from leyden.constants import *
>>> T, TEN, UP_RIGHT
(True, 10, (-1, 1))
"""

from leyden._leyden import constants as _constants

globals().update(_constants)

__all__ = list(_constants)  # pyright: ignore[reportUnsupportedDunderAll]
