"""ARC-AGI programs written in arc-dsl, run exactly as CPython runs them, and much faster."""

from leyden._leyden import __version__

__all__ = ["__version__"]
