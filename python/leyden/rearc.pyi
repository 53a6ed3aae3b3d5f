"""Made by tools/make_stubs.py from the table of primitives."""

from typing import Any, Callable, Iterable

from leyden._dsl_types import *

F: bool
T: bool
ZERO: int
ONE: int
TWO: int
THREE: int
FOUR: int
FIVE: int
SIX: int
SEVEN: int
EIGHT: int
NINE: int
TEN: int
NEG_ONE: int
NEG_TWO: int
DOWN: tuple[int, int]
RIGHT: tuple[int, int]
UP: tuple[int, int]
LEFT: tuple[int, int]
ORIGIN: tuple[int, int]
UNITY: tuple[int, int]
NEG_UNITY: tuple[int, int]
UP_RIGHT: tuple[int, int]
DOWN_LEFT: tuple[int, int]
ZERO_BY_TWO: tuple[int, int]
TWO_BY_ZERO: tuple[int, int]
TWO_BY_TWO: tuple[int, int]
THREE_BY_THREE: tuple[int, int]

def identity(x: Any) -> Any:
    """Gives its argument back."""

def add(a: Numerical, b: Numerical) -> Any:
    """Adds numbers or pairs; a number is added to both parts of a pair."""

def subtract(a: Numerical, b: Numerical) -> Any:
    """Subtracts numbers or pairs, part by part."""

def multiply(a: Numerical, b: Numerical) -> Any:
    """Multiplies numbers or pairs, part by part."""

def divide(a: Numerical, b: Numerical) -> Any:
    """Divides numbers or pairs, rounding down."""

def invert(n: Numerical) -> Any:
    """Changes the sign of a number or of both parts of a pair."""

def even(n: Integer) -> Boolean:
    """Is the number even?"""

def double(n: Numerical) -> Any:
    """Two times a number or pair."""

def halve(n: Numerical) -> Any:
    """Half of a number or pair, rounding down."""

def flip(b: Boolean) -> Boolean:
    """Logical not."""

def equality(a: Any, b: Any) -> Boolean:
    """Are the two values equal?"""

def contained(value: Any, container: Iterable[Any]) -> Boolean:
    """Is the value an element of the container?"""

def combine(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """All elements of both containers, as the type of the first."""

def intersection(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """The elements that two sets have in common."""

def difference(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """The elements of the first container that the second lacks."""

def dedupe(iterable: Iterable[Any]) -> Any:
    """Drops the later copies of equal elements."""

def order(container: Iterable[Any], compfunc: Callable[..., Any]) -> Any:
    """The elements sorted by a key function; equal keys keep their order."""

def repeat(item: Any, num: Integer) -> Any:
    """A tuple that holds an item a number of times."""

def greater(a: Integer, b: Integer) -> Boolean:
    """Is the first greater than the second?"""

def size(container: Iterable[Any]) -> Integer:
    """The number of elements."""

def merge(containers: Iterable[Any]) -> Any:
    """The elements of all inner containers, as the type of the outer one."""

def maximum(container: IntegerSet) -> Integer:
    """The largest element, or 0 if there is none."""

def minimum(container: IntegerSet) -> Integer:
    """The smallest element, or 0 if there is none."""

def valmax(container: Iterable[Any], compfunc: Callable[..., Any]) -> Integer:
    """The largest value a key function takes on the elements."""

def valmin(container: Iterable[Any], compfunc: Callable[..., Any]) -> Integer:
    """The smallest value a key function takes on the elements."""

def argmax(container: Iterable[Any], compfunc: Callable[..., Any]) -> Any:
    """The element with the largest key; the first of several."""

def argmin(container: Iterable[Any], compfunc: Callable[..., Any]) -> Any:
    """The element with the smallest key; the first of several."""

def mostcommon(container: Iterable[Any]) -> Any:
    """The element that occurs most often in a tuple."""

def leastcommon(container: Iterable[Any]) -> Any:
    """The element that occurs least often in a tuple."""

def initset(value: Any) -> Any:
    """The set of one value."""

def both(a: Boolean, b: Boolean) -> Boolean:
    """Logical and; gives back one of its operands, as Python does."""

def either(a: Boolean, b: Boolean) -> Boolean:
    """Logical or; gives back one of its operands, as Python does."""

def increment(x: Numerical) -> Any:
    """Adds one to a number or to both parts of a pair."""

def decrement(x: Numerical) -> Any:
    """Subtracts one from a number or from both parts of a pair."""

def crement(x: Numerical) -> Any:
    """Moves a number one step away from zero; zero stays."""

def sign(x: Numerical) -> Any:
    """-1, 0 or 1 by the sign, in both parts of a pair."""

def positive(x: Integer) -> Boolean:
    """Is the number above zero?"""

def toivec(i: Integer) -> IntegerTuple:
    """The pair that points down by i."""

def tojvec(j: Integer) -> IntegerTuple:
    """The pair that points right by j."""

def sfilter(container: Iterable[Any], condition: Callable[..., Any]) -> Any:
    """The elements for which the condition holds."""

def mfilter(container: Iterable[Any], function: Callable[..., Any]) -> Any:
    """The elements of the inner containers for which the condition holds, merged."""

def extract(container: Iterable[Any], condition: Callable[..., Any]) -> Any:
    """The first element for which the condition holds."""

def totuple(container: Iterable[Any]) -> Any:
    """The elements of a set as a tuple, in the order of the set."""

def first(container: Iterable[Any]) -> Any:
    """The first element."""

def last(container: Iterable[Any]) -> Any:
    """The last element."""

def insert(value: Any, container: Iterable[Any]) -> Any:
    """The set with one more value."""

def remove(value: Any, container: Iterable[Any]) -> Any:
    """The container without the value."""

def other(container: Iterable[Any], value: Any) -> Any:
    """The first element that differs from the value."""

def interval(start: Integer, stop: Integer, step: Integer) -> Any:
    """The numbers from start up to stop, step apart."""

def astuple(a: Integer, b: Integer) -> IntegerTuple:
    """The tuple of two values."""

def product(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """All pairs of an element of a and an element of b."""

def pair(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Zips two tuples."""

def branch(condition: Boolean, if_value: Any, else_value: Any) -> Any:
    """The first alternative if the condition holds, otherwise the second."""

def compose(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """The function that applies inner, then outer."""

def chain(h: Callable[..., Any], g: Callable[..., Any], f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that applies f, then g, then h."""

def matcher(function: Callable[..., Any], target: Any) -> Callable[..., Any]:
    """The function that tests whether another function gives the target."""

def rbind(function: Callable[..., Any], fixed: Any) -> Callable[..., Any]:
    """Fixes the rightmost argument of a function."""

def lbind(function: Callable[..., Any], fixed: Any) -> Callable[..., Any]:
    """Fixes the leftmost argument of a function."""

def power(function: Callable[..., Any], n: Integer) -> Callable[..., Any]:
    """The function that applies another n times."""

def fork(outer: Callable[..., Any], a: Callable[..., Any], b: Callable[..., Any]) -> Callable[..., Any]:
    """The function that passes the results of two functions to a third."""

def apply(function: Callable[..., Any], container: Iterable[Any]) -> Any:
    """Applies a function to each element."""

def rapply(functions: Iterable[Any], value: Any) -> Any:
    """Applies each function to the value."""

def mapply(function: Callable[..., Any], container: Iterable[Any]) -> Any:
    """Applies a function to each element and merges the results."""

def papply(function: Callable[..., Any], a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Applies a function of two arguments along two tuples."""

def mpapply(function: Callable[..., Any], a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Applies a function of two arguments along two tuples and merges the results."""

def prapply(function: Callable[..., Any], a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Applies a function of two arguments to all pairs."""

def mostcolor(element: Element) -> Integer:
    """The most frequent colour of a grid or object."""

def leastcolor(element: Element) -> Integer:
    """The least frequent colour of a grid or object."""

def height(piece: Piece) -> Integer:
    """The number of rows spanned."""

def width(piece: Piece) -> Integer:
    """The number of columns spanned."""

def shape(piece: Piece) -> IntegerTuple:
    """Height and width."""

def portrait(piece: Piece) -> Boolean:
    """Is it taller than wide?"""

def colorcount(element: Element, value: Integer) -> Integer:
    """The number of cells of a colour."""

def colorfilter(objs: Objects, value: Integer) -> Objects:
    """The objects whose first cell has a colour."""

def sizefilter(container: Iterable[Any], n: Integer) -> Any:
    """The elements of size n, as a set."""

def asindices(grid: Grid) -> Indices:
    """The indices of all cells of a grid."""

def ofcolor(grid: Grid, value: Integer) -> Indices:
    """The indices of all cells of a colour."""

def ulcorner(patch: Patch) -> IntegerTuple:
    """The upper left corner of the bounding box."""

def urcorner(patch: Patch) -> IntegerTuple:
    """The upper right corner of the bounding box."""

def llcorner(patch: Patch) -> IntegerTuple:
    """The lower left corner of the bounding box."""

def lrcorner(patch: Patch) -> IntegerTuple:
    """The lower right corner of the bounding box."""

def crop(grid: Grid, start: IntegerTuple, dims: IntegerTuple) -> Grid:
    """The part of a grid with the given start and size."""

def toindices(patch: Patch) -> Indices:
    """The indices of the cells of a patch."""

def recolor(value: Integer, patch: Patch) -> Object:
    """The patch as an object of one colour."""

def shift(patch: Patch, directions: IntegerTuple) -> Any:
    """The patch moved by a vector."""

def normalize(patch: Patch) -> Any:
    """The patch moved so that its bounding box starts at the origin."""

def dneighbors(loc: IntegerTuple) -> Indices:
    """The four cells beside a location."""

def ineighbors(loc: IntegerTuple) -> Indices:
    """The four cells diagonal to a location."""

def neighbors(loc: IntegerTuple) -> Indices:
    """The eight cells around a location."""

def objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Objects:
    """The connected objects of a grid: of one colour or many, diagonal contact or not, with or without background."""

def partition(grid: Grid) -> Objects:
    """One object for each colour of a grid."""

def fgpartition(grid: Grid) -> Objects:
    """One object for each colour of a grid except the most frequent one."""

def uppermost(patch: Patch) -> Integer:
    """The first occupied row."""

def lowermost(patch: Patch) -> Integer:
    """The last occupied row."""

def leftmost(patch: Patch) -> Integer:
    """The first occupied column."""

def rightmost(patch: Patch) -> Integer:
    """The last occupied column."""

def square(piece: Piece) -> Boolean:
    """Is it a full square?"""

def vline(patch: Patch) -> Boolean:
    """Is it a full vertical line?"""

def hline(patch: Patch) -> Boolean:
    """Is it a full horizontal line?"""

def hmatching(a: Patch, b: Patch) -> Boolean:
    """Do the two patches share a row?"""

def vmatching(a: Patch, b: Patch) -> Boolean:
    """Do the two patches share a column?"""

def manhattan(a: Patch, b: Patch) -> Integer:
    """The least distance between cells of the patches, in steps."""

def adjacent(a: Patch, b: Patch) -> Boolean:
    """Are the patches one step apart?"""

def bordering(patch: Patch, grid: Grid) -> Boolean:
    """Does the patch touch the border of the grid?"""

def centerofmass(patch: Patch) -> IntegerTuple:
    """The mean position of the cells, rounded down."""

def palette(element: Element) -> IntegerSet:
    """The set of colours."""

def numcolors(element: Element) -> Integer:
    """The number of colours."""

def color(obj: Object) -> Integer:
    """The colour of the first cell of an object."""

def toobject(patch: Patch, grid: Grid) -> Object:
    """The cells of a grid under a patch, as an object."""

def asobject(grid: Grid) -> Object:
    """A grid as an object."""

def rot90(grid: Grid) -> Grid:
    """A quarter turn clockwise."""

def rot180(grid: Grid) -> Grid:
    """A half turn."""

def rot270(grid: Grid) -> Grid:
    """A quarter turn anticlockwise."""

def hmirror(piece: Piece) -> Any:
    """Mirrors top and bottom."""

def vmirror(piece: Piece) -> Any:
    """Mirrors left and right."""

def dmirror(piece: Piece) -> Any:
    """Mirrors along the main diagonal."""

def cmirror(piece: Piece) -> Any:
    """Mirrors along the other diagonal."""

def fill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """Sets the cells of a patch to a value."""

def paint(grid: Grid, obj: Object) -> Grid:
    """Paints an object onto a grid."""

def underfill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """Sets the background cells of a patch to a value."""

def underpaint(grid: Grid, obj: Object) -> Grid:
    """Paints the part of an object that lies on background."""

def hupscale(grid: Grid, factor: Integer) -> Grid:
    """Repeats each column."""

def vupscale(grid: Grid, factor: Integer) -> Grid:
    """Repeats each row."""

def upscale(element: Element, factor: Integer) -> Any:
    """Makes each cell a block."""

def downscale(grid: Grid, factor: Integer) -> Grid:
    """Keeps every n-th row and column."""

def hconcat(a: Grid, b: Grid) -> Grid:
    """Puts two grids side by side."""

def vconcat(a: Grid, b: Grid) -> Grid:
    """Puts one grid on top of the other."""

def subgrid(patch: Patch, grid: Grid) -> Grid:
    """The part of a grid that a patch spans."""

def hsplit(grid: Grid, n: Integer) -> Any:
    """Splits a grid into n parts side by side."""

def vsplit(grid: Grid, n: Integer) -> Any:
    """Splits a grid into n parts on top of each other."""

def cellwise(a: Grid, b: Grid, fallback: Integer) -> Grid:
    """The cells in which two grids agree; elsewhere the fallback."""

def replace(grid: Grid, replacee: Integer, replacer: Integer) -> Grid:
    """Replaces one colour by another."""

def switch(grid: Grid, a: Integer, b: Integer) -> Grid:
    """Swaps two colours."""

def center(patch: Patch) -> IntegerTuple:
    """The middle of the bounding box."""

def position(a: Patch, b: Patch) -> IntegerTuple:
    """The direction from one patch to another."""

def index(grid: Grid, loc: IntegerTuple) -> Integer:
    """The colour at a location, None outside."""

def canvas(value: Integer, dimensions: IntegerTuple) -> Grid:
    """A grid of one colour."""

def corners(patch: Patch) -> Indices:
    """The corners of the bounding box."""

def connect(a: IntegerTuple, b: IntegerTuple) -> Indices:
    """The line between two locations, if they are aligned."""

def cover(grid: Grid, patch: Patch) -> Grid:
    """Paints the patch with the most frequent colour."""

def trim(grid: Grid) -> Grid:
    """The grid without its outer ring."""

def move(grid: Grid, obj: Object, offset: IntegerTuple) -> Grid:
    """Moves an object on a grid by a vector."""

def tophalf(grid: Grid) -> Grid:
    """The upper half."""

def bottomhalf(grid: Grid) -> Grid:
    """The lower half."""

def lefthalf(grid: Grid) -> Grid:
    """The left half."""

def righthalf(grid: Grid) -> Grid:
    """The right half."""

def vfrontier(location: IntegerTuple) -> Indices:
    """The column of a location, 30 cells long."""

def hfrontier(location: IntegerTuple) -> Indices:
    """The row of a location, 30 cells long."""

def backdrop(patch: Patch) -> Indices:
    """All indices of the bounding box."""

def delta(patch: Patch) -> Indices:
    """The indices of the bounding box that are not part of the patch."""

def gravitate(source: Patch, destination: Patch) -> IntegerTuple:
    """The way a patch moves until it touches another."""

def inbox(patch: Patch) -> Indices:
    """The box one cell inside the bounding box."""

def outbox(patch: Patch) -> Indices:
    """The box one cell outside the bounding box."""

def box(patch: Patch) -> Indices:
    """The outline of the bounding box."""

def shoot(start: IntegerTuple, direction: IntegerTuple) -> Indices:
    """The ray from a location in a direction, 42 steps long."""

def occurrences(grid: Grid, obj: Object) -> Indices:
    """The locations at which an object occurs in a grid."""

def frontiers(grid: Grid) -> Objects:
    """The rows and columns of one colour, as objects."""

def compress(grid: Grid) -> Grid:
    """The grid without its rows and columns of one colour."""

def hperiod(obj: Object) -> Integer:
    """The horizontal period of an object."""

def vperiod(obj: Object) -> Integer:
    """The vertical period of an object."""
