"""The type names that arc-dsl's modules export for annotations."""

from typing import Any, Callable, Container, FrozenSet, Iterable, List, Tuple, Union

Boolean = bool
Integer = int
IntegerTuple = Tuple[Integer, Integer]
Numerical = Union[Integer, IntegerTuple]
IntegerSet = FrozenSet[Integer]
Grid = Tuple[Tuple[Integer, ...], ...]
Cell = Tuple[Integer, IntegerTuple]
Object = FrozenSet[Cell]
Objects = FrozenSet[Object]
Indices = FrozenSet[IntegerTuple]
IndicesSet = FrozenSet[Indices]
Patch = Union[Object, Indices]
Element = Union[Object, Grid]
Piece = Union[Grid, Patch]
TupleTuple = Tuple[Tuple[Any, ...], ...]
ContainerContainer = Container[Container[Any]]

__all__ = [
    "Any",
    "Boolean",
    "Callable",
    "Cell",
    "Container",
    "ContainerContainer",
    "Element",
    "FrozenSet",
    "Grid",
    "Indices",
    "IndicesSet",
    "Integer",
    "IntegerSet",
    "IntegerTuple",
    "Iterable",
    "List",
    "Numerical",
    "Object",
    "Objects",
    "Patch",
    "Piece",
    "Tuple",
    "TupleTuple",
    "Union",
]
