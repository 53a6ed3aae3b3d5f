//! THE table: one entry for each primitive. All other code reads it.
//!
//! An entry has these parts, in order: the name with its parameters and result, the theme, the
//! price in fuel, whether the result can depend on the order of a set, marks ([`crate::marks`]),
//! one line of documentation, and an example that is also a test. A second name of a parameter,
//! after `/`, is re-arc's and a third is tokpidjin's, if they differ. Macros make the enum and both
//! dispatchers from these lines; the reference page and the parser read them. The primitives that
//! only tokpidjin has are in [`crate::tokpidjin`], in the same form.

use std::fmt;

use crate::for_each_tokpidjin_primitive;
use crate::marks::{Mark, Marks};
use crate::tokpidjin::{self, ALIASES, TOKPIDJIN_CONSTANTS};
use crate::types::Type;

/// The subject of a primitive. The files of kernels follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theme {
    /// Numbers, pairs, truth.
    Arithmetic,
    /// Tuples and sets.
    Containers,
    /// Functions of functions.
    Functional,
    /// Colours of grids and objects.
    Colour,
    /// Extents, positions, distances.
    Geometry,
    /// Whole grids.
    Grids,
    /// Sets of cells.
    Patches,
    /// Lines and neighbourhoods.
    Lines,
    /// Finding objects and patterns.
    Objects,
}

/// The fuel that a call takes beyond one unit for the call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Nothing more.
    Unit,
    /// One unit for each element of its arguments and of its result.
    Linear,
    /// The number of elements of the first argument times that of the second.
    Product,
    /// A 64th of the product, for a search that seldom reads all elements.
    Scan,
    /// The square of the number of elements of the first argument.
    Square,
}

/// Whether the content of a result can depend on the order in which a set is iterated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderUse {
    /// Never: equal arguments give equal results.
    Blind,
    /// It can, if there is a tie or an odd value.
    Observes,
}

/// A dialect of the language. Most names mean the same in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Michael Hodel's arc-dsl (`solve_*`).
    #[default]
    ArcDsl,
    /// The dialect of re-arc's verifiers (`verify_*`).
    ReArc,
    /// The dialect of tokpidjin's solvers (`solve_*(S, I, C)`): cells are `(i, j, colour)`, many
    /// primitives come in one variant per type, and a fault becomes an empty value.
    Tokpidjin,
    /// The dialect of the batt files that tokpidjin's `card.py` generates: every line catches the
    /// exceptions of its call, so a function that fails gives `()`.
    TokpidjinBatt,
}

impl Dialect {
    /// The dialects that programs are written in.
    pub const ALL: [Dialect; 3] = [Dialect::ArcDsl, Dialect::ReArc, Dialect::Tokpidjin];

    /// All dialects, with the one that only generated batt files have.
    pub const NAMED: [Dialect; 4] = [
        Dialect::ArcDsl,
        Dialect::ReArc,
        Dialect::Tokpidjin,
        Dialect::TokpidjinBatt,
    ];

    /// The two dialects with equal primitives and equal cells.
    pub const CLASSIC: [Dialect; 2] = [Dialect::ArcDsl, Dialect::ReArc];

    /// Is it one of [`Dialect::CLASSIC`]?
    pub fn is_classic(self) -> bool {
        matches!(self, Dialect::ArcDsl | Dialect::ReArc)
    }

    /// Does every line catch the exceptions of the function that it calls?
    pub fn lines_catch(self) -> bool {
        self == Dialect::TokpidjinBatt
    }

    /// The primitives of the dialect.
    pub fn entries(self) -> impl Iterator<Item = &'static Entry> {
        ENTRIES.iter().filter(move |entry| entry.is_in(self))
    }

    /// Further names of primitives in the dialect.
    pub fn aliases(self) -> &'static [(&'static str, Prim)] {
        if self.is_classic() { &[] } else { ALIASES }
    }

    /// The named constants of the dialect.
    pub fn constants(self) -> impl Iterator<Item = &'static (&'static str, Constant)> {
        let more: &[_] = if self.is_classic() {
            &[]
        } else {
            TOKPIDJIN_CONSTANTS
        };
        CONSTANTS.iter().chain(more)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::ArcDsl => "arc-dsl",
            Dialect::ReArc => "re-arc",
            Dialect::Tokpidjin => "tokpidjin",
            Dialect::TokpidjinBatt => "tokpidjin-batt",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A parameter of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name in arc-dsl.
    pub name: &'static str,
    /// The name in re-arc.
    pub re_arc_name: &'static str,
    /// The name in tokpidjin.
    pub tokpidjin_name: &'static str,
    /// The type of the argument.
    pub ty: Type,
}

impl Param {
    /// The parameter's name in a dialect.
    pub fn name_in(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::ArcDsl => self.name,
            Dialect::ReArc => self.re_arc_name,
            Dialect::Tokpidjin | Dialect::TokpidjinBatt => self.tokpidjin_name,
        }
    }
}

/// A call and its result, in the notation of the reference page.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The call.
    pub call: &'static str,
    /// The result, with sets in their order.
    pub result: &'static str,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The primitive.
    pub prim: Prim,
    /// The name in every dialect that has the primitive.
    pub name: &'static str,
    /// The parameters, in order.
    pub params: &'static [Param],
    /// The type of the result.
    pub result: Type,
    /// The subject.
    pub theme: Theme,
    /// The price in fuel.
    pub cost: Cost,
    /// Whether the order of a set matters.
    pub order: OrderUse,
    /// Properties that the primitive shares with others.
    pub marks: Marks,
    /// A description in one line.
    pub doc: &'static str,
    /// A call to learn from and to test.
    pub example: Example,
}

impl Entry {
    /// Does the dialect have this primitive?
    pub fn is_in(&self, dialect: Dialect) -> bool {
        if dialect.is_classic() {
            self.prim.is_classic()
        } else {
            !tokpidjin::SPLIT_BY_TYPE.contains(&self.prim)
        }
    }
}

/// Hands the primitives of arc-dsl to another macro.
#[macro_export]
macro_rules! for_each_primitive {
    ($callback:ident) => {
        $callback! {
            identity(x: Any) -> Any, Functional, Unit, Blind + Lowered,
                "Gives its argument back.",
                "identity(7)" => "7";
            add(a: Numerical, b: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Adds numbers or pairs; a number is added to both parts of a pair.",
                "add((1, 2), 3)" => "(4, 5)";
            subtract(a: Numerical, b: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Subtracts numbers or pairs, part by part.",
                "subtract(5, (1, 2))" => "(4, 3)";
            multiply(a: Numerical, b: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Multiplies numbers or pairs, part by part.",
                "multiply((2, 3), (4, 5))" => "(8, 15)";
            divide(a: Numerical, b: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Divides numbers or pairs, rounding down.",
                "divide((-7, 7), 2)" => "(-4, 3)";
            invert(n: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Changes the sign of a number or of both parts of a pair.",
                "invert((1, -2))" => "(-1, 2)";
            even(n: Integer) -> Boolean, Arithmetic, Unit, Blind,
                "Is the number even?",
                "even(4)" => "T";
            double(n: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Two times a number or pair.",
                "double((1, 3))" => "(2, 6)";
            halve(n: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Half of a number or pair, rounding down.",
                "halve(7)" => "3";
            flip(b: Boolean) -> Boolean, Arithmetic, Unit, Blind,
                "Logical not.",
                "flip(F)" => "T";
            equality(a: Any, b: Any) -> Boolean, Arithmetic, Linear, Blind,
                "Are the two values equal?",
                "equality((1, 2), (1, 2))" => "T";
            contained(value: Any, container: Container) -> Boolean, Containers, Linear, Blind + AnyOrder,
                "Is the value an element of the container?",
                "contained(2, (1, 2))" => "T";
            combine(a: Container, b: Container) -> Container, Containers, Linear, Blind,
                "All elements of both containers, as the type of the first.",
                "combine({1, 2}, {2, 3})" => "{1, 2, 3}";
            intersection(a: FrozenSet, b: FrozenSet) -> FrozenSet, Containers, Linear, Blind,
                "The elements that two sets have in common.",
                "intersection({1, 2}, {2, 3})" => "{2}";
            difference(a: FrozenSet, b: FrozenSet) -> FrozenSet, Containers, Linear, Blind,
                "The elements of the first container that the second lacks.",
                "difference({1, 2, 3}, {2})" => "{1, 3}";
            dedupe(tup / iterable: Tuple) -> Tuple, Containers, Square, Blind,
                "Drops the later copies of equal elements.",
                "dedupe((1, 2, 1))" => "(1, 2)";
            order(container: Container, compfunc: Callable) -> Tuple, Containers, Linear, Observes + Each,
                "The elements sorted by a key function; equal keys keep their order.",
                "order({(0, 3), (1, 1)}, last)" => "((1, 1), (0, 3))";
            repeat(item: Any, num: Integer) -> Tuple, Containers, Linear, Blind + Lowered,
                "A tuple that holds an item a number of times.",
                "repeat(4, 3)" => "(4, 4, 4)";
            greater(a: Integer, b: Integer) -> Boolean, Arithmetic, Unit, Blind,
                "Is the first greater than the second?",
                "greater(2, 1)" => "T";
            size(container: Container) -> Integer, Containers, Unit, Blind,
                "The number of elements.",
                "size({4, 5, 6})" => "3";
            merge(containers: ContainerContainer) -> Container, Containers, Linear, Blind,
                "The elements of all inner containers, as the type of the outer one.",
                "merge(((1, 2), (2, 3)))" => "(1, 2, 2, 3)";
            maximum(container: IntegerSet) -> Integer, Containers, Linear, Observes + AnyOrder,
                "The largest element, or 0 if there is none.",
                "maximum({1, 5, 3})" => "5";
            minimum(container: IntegerSet) -> Integer, Containers, Linear, Observes + AnyOrder,
                "The smallest element, or 0 if there is none.",
                "minimum({4, 2})" => "2";
            valmax(container: Container, compfunc: Callable) -> Integer, Containers, Linear, Observes + Each + Lowered,
                "The largest value a key function takes on the elements.",
                "valmax({(1, 5), (2, 3)}, last)" => "5";
            valmin(container: Container, compfunc: Callable) -> Integer, Containers, Linear, Observes + Each + Lowered,
                "The smallest value a key function takes on the elements.",
                "valmin({(1, 5), (2, 3)}, last)" => "3";
            argmax(container: Container, compfunc: Callable) -> Any, Containers, Linear, Observes + Each + Lowered,
                "The element with the largest key; the first of several.",
                "argmax({(1, 5), (2, 3)}, last)" => "(1, 5)";
            argmin(container: Container, compfunc: Callable) -> Any, Containers, Linear, Observes + Each + Lowered,
                "The element with the smallest key; the first of several.",
                "argmin({(1, 5), (2, 3)}, last)" => "(2, 3)";
            mostcommon(container: Container) -> Any, Containers, Square, Observes,
                "The element that occurs most often in a tuple.",
                "mostcommon((1, 2, 2, 3))" => "2";
            leastcommon(container: Container) -> Any, Containers, Square, Observes,
                "The element that occurs least often in a tuple.",
                "leastcommon((1, 1, 2, 3, 3))" => "2";
            initset(value: Any) -> FrozenSet, Containers, Unit, Blind,
                "The set of one value.",
                "initset(5)" => "{5}";
            both(a: Boolean, b: Boolean) -> Boolean, Arithmetic, Unit, Blind,
                "Logical and; gives back one of its operands, as Python does.",
                "both(T, F)" => "F";
            either(a: Boolean, b: Boolean) -> Boolean, Arithmetic, Unit, Blind,
                "Logical or; gives back one of its operands, as Python does.",
                "either(T, F)" => "T";
            increment(x: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Adds one to a number or to both parts of a pair.",
                "increment((0, 4))" => "(1, 5)";
            decrement(x: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Subtracts one from a number or from both parts of a pair.",
                "decrement(3)" => "2";
            crement(x: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "Moves a number one step away from zero; zero stays.",
                "crement((-2, 0))" => "(-3, 0)";
            sign(x: Numerical) -> Numerical, Arithmetic, Unit, Blind,
                "-1, 0 or 1 by the sign, in both parts of a pair.",
                "sign((-5, 3))" => "(-1, 1)";
            positive(x: Integer) -> Boolean, Arithmetic, Unit, Blind,
                "Is the number above zero?",
                "positive(1)" => "T";
            toivec(i: Integer) -> IntegerTuple, Arithmetic, Unit, Blind,
                "The pair that points down by i.",
                "toivec(2)" => "(2, 0)";
            tojvec(j: Integer) -> IntegerTuple, Arithmetic, Unit, Blind,
                "The pair that points right by j.",
                "tojvec(2)" => "(0, 2)";
            sfilter(container: Container, condition: Callable) -> Container, Containers, Linear, Blind + Each + Lowered,
                "The elements for which the condition holds.",
                "sfilter((1, 2, 3, 4), even)" => "(2, 4)";
            mfilter(container: Container, function: Callable) -> FrozenSet, Containers, Linear, Blind + Each + Lowered,
                "The elements of the inner containers for which the condition holds, merged.",
                "mfilter(((1, 2), (3, 4, 5)), matcher(size, 2))" => "(1, 2)";
            extract(container: Container, condition: Callable) -> Any, Containers, Linear, Observes + Each + Lowered,
                "The first element for which the condition holds.",
                "extract((1, 4, 6), even)" => "4";
            totuple(container: FrozenSet) -> Tuple, Containers, Linear, Observes,
                "The elements of a set as a tuple, in the order of the set.",
                "totuple({3, 1, 2})" => "(1, 2, 3)";
            first(container: Container) -> Any, Containers, Unit, Observes + Lowered,
                "The first element.",
                "first((7, 8, 9))" => "7";
            last(container: Container) -> Any, Containers, Linear, Observes,
                "The last element.",
                "last((7, 8, 9))" => "9";
            insert(value: Any, container: FrozenSet) -> FrozenSet, Containers, Linear, Blind + Lowered,
                "The set with one more value.",
                "insert(4, {1, 2})" => "{1, 2, 4}";
            remove(value: Any, container: Container) -> Container, Containers, Linear, Blind,
                "The container without the value.",
                "remove(2, (1, 2, 3, 2))" => "(1, 3)";
            other(container: Container, value: Any) -> Any, Containers, Linear, Observes + Lowered,
                "The first element that differs from the value.",
                "other({3, 5}, 3)" => "5";
            interval(start: Integer, stop: Integer, step: Integer) -> Tuple, Containers, Linear, Blind,
                "The numbers from start up to stop, step apart.",
                "interval(1, 8, 3)" => "(1, 4, 7)";
            astuple(a: Integer, b: Integer) -> IntegerTuple, Containers, Unit, Blind,
                "The tuple of two values.",
                "astuple(3, 4)" => "(3, 4)";
            product(a: Container, b: Container) -> FrozenSet, Containers, Linear, Blind + AnyOrder,
                "All pairs of an element of a and an element of b.",
                "product({0, 1}, {5})" => "{(0, 5), (1, 5)}";
            pair(a: Tuple, b: Tuple) -> TupleTuple, Containers, Linear, Blind + Lowered,
                "Zips two tuples.",
                "pair((1, 2), (3, 4))" => "((1, 3), (2, 4))";
            branch(condition: Boolean, a / if_value: Any, b / else_value: Any) -> Any, Functional, Unit, Blind + Lowered,
                "The first alternative if the condition holds, otherwise the second.",
                "branch(T, 1, 2)" => "1";
            compose(outer: Callable, inner: Callable) -> Callable, Functional, Unit, Blind + Lowered,
                "The function that applies inner, then outer.",
                "apply(compose(double, increment), (1, 2))" => "(4, 6)";
            chain(h: Callable, g: Callable, f: Callable) -> Callable, Functional, Unit, Blind + Lowered,
                "The function that applies f, then g, then h.",
                "apply(chain(even, double, increment), (1, 2))" => "(T, T)";
            matcher(function: Callable, target: Any) -> Callable, Functional, Unit, Blind + Lowered,
                "The function that tests whether another function gives the target.",
                "apply(matcher(sign, 1), (3, -2))" => "(T, F)";
            rbind(function: Callable, fixed: Any) -> Callable, Functional, Unit, Blind + Lowered,
                "Fixes the rightmost argument of a function.",
                "apply(rbind(subtract, 1), (5, 7))" => "(4, 6)";
            lbind(function: Callable, fixed: Any) -> Callable, Functional, Unit, Blind + Lowered,
                "Fixes the leftmost argument of a function.",
                "apply(lbind(subtract, 10), (1, 2))" => "(9, 8)";
            power(function: Callable, n: Integer) -> Callable, Functional, Unit, Blind + Lowered,
                "The function that applies another n times.",
                "apply(power(double, 3), (1, 5))" => "(8, 40)";
            fork(outer: Callable, a: Callable, b: Callable) -> Callable, Functional, Unit, Blind + Lowered,
                "The function that passes the results of two functions to a third.",
                "apply(fork(add, double, identity), (1, 2))" => "(3, 6)";
            apply(function: Callable, container: Container) -> Container, Functional, Linear, Blind + Each + Lowered,
                "Applies a function to each element.",
                "apply(double, (1, 2))" => "(2, 4)";
            rapply(functions: Container, value: Any) -> Container, Functional, Linear, Blind + Lowered,
                "Applies each function to the value.",
                "rapply((double, halve), 6)" => "(12, 3)";
            mapply(function: Callable, container: ContainerContainer) -> FrozenSet, Functional, Linear, Blind + Each + Lowered,
                "Applies a function to each element and merges the results.",
                "mapply(dneighbors, {(0, 0)})" => "{(-1, 0), (1, 0), (0, -1), (0, 1)}";
            papply(function: Callable, a: Tuple, b: Tuple) -> Tuple, Functional, Linear, Blind + Each + Lowered,
                "Applies a function of two arguments along two tuples.",
                "papply(add, (1, 2), (10, 20))" => "(11, 22)";
            mpapply(function: Callable, a: Tuple, b: Tuple) -> Tuple, Functional, Linear, Blind + Each,
                "Applies a function of two arguments along two tuples and merges the results.",
                "mpapply(astuple, (1, 2), (3, 4))" => "(1, 3, 2, 4)";
            prapply(function: Callable, a: Container, b: Container) -> FrozenSet, Functional, Linear, Blind + Each + Lowered,
                "Applies a function of two arguments to all pairs.",
                "prapply(add, {1, 2}, {10, 20})" => "{11, 12, 21, 22}";
            mostcolor(element: Element) -> Integer, Colour, Linear, Observes,
                "The most frequent colour of a grid or object.",
                "mostcolor(((0, 1), (0, 0)))" => "0";
            leastcolor(element: Element) -> Integer, Colour, Linear, Observes,
                "The least frequent colour of a grid or object.",
                "leastcolor(((0, 1), (0, 0)))" => "1";
            height(piece: Piece) -> Integer, Geometry, Linear, Observes + Opens,
                "The number of rows spanned.",
                "height(((1, 2), (3, 4), (5, 6)))" => "3";
            width(piece: Piece) -> Integer, Geometry, Linear, Observes + Opens,
                "The number of columns spanned.",
                "width({(0, 1), (2, 4)})" => "4";
            shape(piece: Piece) -> IntegerTuple, Geometry, Linear, Observes + Opens,
                "Height and width.",
                "shape(((1, 2, 3), (4, 5, 6)))" => "(2, 3)";
            portrait(piece: Piece) -> Boolean, Geometry, Linear, Observes + Opens,
                "Is it taller than wide?",
                "portrait(((1,), (2,)))" => "T";
            colorcount(element: Element, value: Integer) -> Integer, Colour, Linear, Blind,
                "The number of cells of a colour.",
                "colorcount(((0, 1), (1, 1)), 1)" => "3";
            colorfilter(objs: Objects, value / value / color: Integer) -> Objects, Colour, Linear, Observes + OneByOne,
                "The objects whose first cell has a colour.",
                "colorfilter({{(1, (0, 0))}, {(2, (0, 1))}}, 2)" => "{{(2, (0, 1))}}";
            sizefilter(container: Container, n: Integer) -> FrozenSet, Containers, Linear, Blind,
                "The elements of size n, as a set.",
                "sizefilter(((1, 2), (3,)), 1)" => "{(3,)}";
            asindices(grid: Grid) -> Indices, Grids, Linear, Blind + ByRows,
                "The indices of all cells of a grid.",
                "asindices(((1, 2), (3, 4)))" => "{(0, 1), (1, 0), (1, 1), (0, 0)}";
            ofcolor(grid: Grid, value: Integer) -> Indices, Grids, Linear, Blind + ByRows,
                "The indices of all cells of a colour.",
                "ofcolor(((1, 2), (2, 1)), 2)" => "{(0, 1), (1, 0)}";
            ulcorner(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The upper left corner of the bounding box.",
                "ulcorner({(1, 4), (3, 2)})" => "(1, 2)";
            urcorner(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The upper right corner of the bounding box.",
                "urcorner({(1, 4), (3, 2)})" => "(1, 4)";
            llcorner(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The lower left corner of the bounding box.",
                "llcorner({(1, 4), (3, 2)})" => "(3, 2)";
            lrcorner(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The lower right corner of the bounding box.",
                "lrcorner({(1, 4), (3, 2)})" => "(3, 4)";
            crop(grid: Grid, start: IntegerTuple, dims: IntegerTuple) -> Grid, Grids, Linear, Blind,
                "The part of a grid with the given start and size.",
                "crop(((1, 2, 3), (4, 5, 6)), (0, 1), (2, 2))" => "((2, 3), (5, 6))";
            toindices(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples + AnyOrder,
                "The indices of the cells of a patch.",
                "toindices({(3, (1, 1))})" => "{(1, 1)}";
            recolor(value: Integer, patch: Patch) -> Object, Patches, Linear, Observes + OneByOne + Opens + OpensTuples + AnyOrder,
                "The patch as an object of one colour.",
                "recolor(7, {(0, 0)})" => "{(7, (0, 0))}";
            shift(patch: Patch, directions: IntegerTuple) -> Patch, Patches, Linear, Observes + OneByOne + Opens,
                "The patch moved by a vector.",
                "shift({(0, 0)}, (2, 3))" => "{(2, 3)}";
            normalize(patch / patch / indices: Patch) -> Patch, Patches, Linear, Observes + Opens + OpensTuples,
                "The patch moved so that its bounding box starts at the origin.",
                "normalize({(4, 5)})" => "{(0, 0)}";
            dneighbors(loc: IntegerTuple) -> Indices, Lines, Unit, Blind + OneByOne,
                "The four cells beside a location.",
                "dneighbors((1, 1))" => "{(0, 1), (1, 0), (1, 2), (2, 1)}";
            ineighbors(loc: IntegerTuple) -> Indices, Lines, Unit, Blind + OneByOne,
                "The four cells diagonal to a location.",
                "ineighbors((1, 1))" => "{(2, 2), (0, 2), (2, 0), (0, 0)}";
            neighbors(loc: IntegerTuple) -> Indices, Lines, Unit, Blind + OneByOne,
                "The eight cells around a location.",
                "size(neighbors((1, 1)))" => "8";
            objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Objects, Objects, Linear, Observes + OneByOne + Lowered,
                "The connected objects of a grid: of one colour or many, diagonal contact or not, with or without background.",
                "size(objects(((1, 0, 2), (1, 0, 2)), T, F, T))" => "2";
            partition(grid: Grid) -> Objects, Objects, Linear, Blind,
                "One object for each colour of a grid.",
                "size(partition(((1, 0), (0, 2))))" => "3";
            fgpartition(grid: Grid) -> Objects, Objects, Linear, Observes + Lowered,
                "One object for each colour of a grid except the most frequent one.",
                "size(fgpartition(((1, 0), (0, 2))))" => "2";
            uppermost(patch: Patch) -> Integer, Geometry, Linear, Observes + Opens + OpensTuples,
                "The first occupied row.",
                "uppermost({(1, 4), (3, 2)})" => "1";
            lowermost(patch: Patch) -> Integer, Geometry, Linear, Observes + Opens + OpensTuples,
                "The last occupied row.",
                "lowermost({(1, 4), (3, 2)})" => "3";
            leftmost(patch: Patch) -> Integer, Geometry, Linear, Observes + Opens + OpensTuples,
                "The first occupied column.",
                "leftmost({(1, 4), (3, 2)})" => "2";
            rightmost(patch: Patch) -> Integer, Geometry, Linear, Observes + Opens + OpensTuples,
                "The last occupied column.",
                "rightmost({(1, 4), (3, 2)})" => "4";
            square(piece: Piece) -> Boolean, Geometry, Linear, Observes + Opens,
                "Is it a full square?",
                "square({(0, 0), (0, 1), (1, 0), (1, 1)})" => "T";
            vline(patch: Patch) -> Boolean, Geometry, Linear, Observes + Opens,
                "Is it a full vertical line?",
                "vline({(0, 1), (1, 1)})" => "T";
            hline(patch: Patch) -> Boolean, Geometry, Linear, Observes + Opens,
                "Is it a full horizontal line?",
                "hline({(0, 1), (1, 1)})" => "F";
            hmatching(a: Patch, b: Patch) -> Boolean, Geometry, Linear, Observes + Opens,
                "Do the two patches share a row?",
                "hmatching({(0, 1)}, {(0, 5)})" => "T";
            vmatching(a: Patch, b: Patch) -> Boolean, Geometry, Linear, Observes + Opens,
                "Do the two patches share a column?",
                "vmatching({(0, 1)}, {(0, 5)})" => "F";
            manhattan(a: Patch, b: Patch) -> Integer, Geometry, Product, Observes + Opens,
                "The least distance between cells of the patches, in steps.",
                "manhattan({(0, 0)}, {(2, 3)})" => "5";
            adjacent(a: Patch, b: Patch) -> Boolean, Geometry, Product, Observes + Opens,
                "Are the patches one step apart?",
                "adjacent({(0, 0)}, {(0, 1)})" => "T";
            bordering(patch: Patch, grid: Grid) -> Boolean, Geometry, Linear, Observes + Opens,
                "Does the patch touch the border of the grid?",
                "bordering({(0, 1)}, ((0, 0, 0), (0, 0, 0), (0, 0, 0)))" => "T";
            centerofmass(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The mean position of the cells, rounded down.",
                "centerofmass({(0, 0), (2, 4)})" => "(1, 2)";
            palette(element: Element) -> IntegerSet, Colour, Linear, Blind,
                "The set of colours.",
                "palette(((1, 2), (2, 1)))" => "{1, 2}";
            numcolors(element: Element) -> Integer, Colour, Linear, Blind,
                "The number of colours.",
                "numcolors(((1, 2), (2, 1)))" => "2";
            color(obj: Object) -> Integer, Colour, Unit, Observes + OneByOne,
                "The colour of the first cell of an object.",
                "color({(3, (0, 0))})" => "3";
            toobject(patch: Patch, grid: Grid) -> Object, Patches, Linear, Observes + OneByOne + Opens,
                "The cells of a grid under a patch, as an object.",
                "toobject({(0, 1)}, ((4, 5), (6, 7)))" => "{(5, (0, 1))}";
            asobject(grid: Grid) -> Object, Grids, Linear, Blind + ByRows,
                "A grid as an object.",
                "asobject(((4, 5),))" => "{(5, (0, 1)), (4, (0, 0))}";
            rot90(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A quarter turn clockwise.",
                "rot90(((1, 2), (3, 4)))" => "((3, 1), (4, 2))";
            rot180(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A half turn.",
                "rot180(((1, 2), (3, 4)))" => "((4, 3), (2, 1))";
            rot270(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A quarter turn anticlockwise.",
                "rot270(((1, 2), (3, 4)))" => "((2, 4), (1, 3))";
            hmirror(piece: Piece) -> Piece, Patches, Linear, Observes + Opens,
                "Mirrors top and bottom.",
                "hmirror(((1, 2), (3, 4)))" => "((3, 4), (1, 2))";
            vmirror(piece: Piece) -> Piece, Patches, Linear, Observes + Opens,
                "Mirrors left and right.",
                "vmirror(((1, 2), (3, 4)))" => "((2, 1), (4, 3))";
            dmirror(piece: Piece) -> Piece, Patches, Linear, Observes + Opens,
                "Mirrors along the main diagonal.",
                "dmirror(((1, 2), (3, 4)))" => "((1, 3), (2, 4))";
            cmirror(piece: Piece) -> Piece, Patches, Linear, Observes + Opens,
                "Mirrors along the other diagonal.",
                "cmirror(((1, 2), (3, 4)))" => "((4, 2), (3, 1))";
            fill(grid: Grid, value / value / color: Integer, patch: Patch) -> Grid, Grids, Linear, Observes + OneByOne + Opens + AnyOrder,
                "Sets the cells of a patch to a value.",
                "fill(((0, 0), (0, 0)), 5, {(0, 1)})" => "((0, 5), (0, 0))";
            paint(grid: Grid, obj: Object) -> Grid, Grids, Linear, Observes + OneByOne + AnyOrder,
                "Paints an object onto a grid.",
                "paint(((0, 0), (0, 0)), {(3, (1, 0))})" => "((0, 0), (3, 0))";
            underfill(grid: Grid, value / value / color: Integer, patch: Patch) -> Grid, Grids, Linear, Observes + OneByOne + Opens + AnyOrder + Lowered,
                "Sets the background cells of a patch to a value.",
                "underfill(((0, 0), (0, 1)), 5, {(1, 0), (1, 1)})" => "((0, 0), (5, 1))";
            underpaint(grid: Grid, obj: Object) -> Grid, Grids, Linear, Observes + OneByOne + AnyOrder + Lowered,
                "Paints the part of an object that lies on background.",
                "underpaint(((0, 0), (0, 1)), {(3, (1, 0)), (3, (1, 1))})" => "((0, 0), (3, 1))";
            hupscale(grid: Grid, factor: Integer) -> Grid, Grids, Linear, Blind,
                "Repeats each column.",
                "hupscale(((1, 2),), 2)" => "((1, 1, 2, 2),)";
            vupscale(grid: Grid, factor: Integer) -> Grid, Grids, Linear, Blind,
                "Repeats each row.",
                "vupscale(((1, 2),), 2)" => "((1, 2), (1, 2))";
            upscale(element: Element, factor: Integer) -> Element, Patches, Linear, Observes,
                "Makes each cell a block.",
                "upscale(((1, 2),), 2)" => "((1, 1, 2, 2), (1, 1, 2, 2))";
            downscale(grid: Grid, factor: Integer) -> Grid, Grids, Linear, Blind,
                "Keeps every n-th row and column.",
                "downscale(((1, 1, 2, 2), (1, 1, 2, 2)), 2)" => "((1, 2),)";
            hconcat(a: Grid, b: Grid) -> Grid, Grids, Linear, Blind,
                "Puts two grids side by side.",
                "hconcat(((1,), (2,)), ((3,), (4,)))" => "((1, 3), (2, 4))";
            vconcat(a: Grid, b: Grid) -> Grid, Grids, Linear, Blind + OneByOne,
                "Puts one grid on top of the other.",
                "vconcat(((1, 2),), ((3, 4),))" => "((1, 2), (3, 4))";
            subgrid(patch: Patch, grid: Grid) -> Grid, Grids, Linear, Observes + Opens,
                "The part of a grid that a patch spans.",
                "subgrid({(0, 1), (1, 1)}, ((1, 2), (3, 4)))" => "((2,), (4,))";
            hsplit(grid: Grid, n: Integer) -> Tuple, Grids, Linear, Blind + Lowered,
                "Splits a grid into n parts side by side.",
                "hsplit(((1, 2),), 2)" => "(((1,),), ((2,),))";
            vsplit(grid: Grid, n: Integer) -> Tuple, Grids, Linear, Blind + Lowered,
                "Splits a grid into n parts on top of each other.",
                "vsplit(((1,), (2,)), 2)" => "(((1,),), ((2,),))";
            cellwise(a: Grid, b: Grid, fallback: Integer) -> Grid, Grids, Linear, Blind + OneByOne,
                "The cells in which two grids agree; elsewhere the fallback.",
                "cellwise(((1, 2),), ((1, 3),), 0)" => "((1, 0),)";
            replace(grid: Grid, replacee: Integer, replacer: Integer) -> Grid, Grids, Linear, Blind,
                "Replaces one colour by another.",
                "replace(((1, 2),), 2, 5)" => "((1, 5),)";
            switch(grid: Grid, a: Integer, b: Integer) -> Grid, Grids, Linear, Blind,
                "Swaps two colours.",
                "switch(((1, 2, 3),), 1, 2)" => "((2, 1, 3),)";
            center(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens + OpensTuples,
                "The middle of the bounding box.",
                "center({(0, 0), (2, 4)})" => "(1, 2)";
            position(a: Patch, b: Patch) -> IntegerTuple, Geometry, Linear, Observes + Opens,
                "The direction from one patch to another.",
                "position({(0, 0)}, {(3, 3)})" => "(1, 1)";
            index(grid: Grid, loc: IntegerTuple) -> Integer, Grids, Unit, Blind + OneByOne,
                "The colour at a location, None outside.",
                "index(((1, 2), (3, 4)), (1, 0))" => "3";
            canvas(value / value / color: Integer, dimensions: IntegerTuple) -> Grid, Grids, Linear, Blind + OneByOne,
                "A grid of one colour.",
                "canvas(3, (1, 2))" => "((3, 3),)";
            corners(patch: Patch) -> Indices, Geometry, Linear, Observes + Opens + OpensTuples,
                "The corners of the bounding box.",
                "corners({(0, 0), (1, 1)})" => "{(0, 1), (1, 0), (1, 1), (0, 0)}";
            connect(a: IntegerTuple, b: IntegerTuple) -> Indices, Lines, Linear, Blind,
                "The line between two locations, if they are aligned.",
                "connect((0, 0), (2, 2))" => "{(1, 1), (2, 2), (0, 0)}";
            cover(grid: Grid, patch: Patch) -> Grid, Grids, Linear, Observes + OneByOne + Opens + AnyOrder + Lowered,
                "Paints the patch with the most frequent colour.",
                "cover(((0, 1), (0, 0)), {(0, 1)})" => "((0, 0), (0, 0))";
            trim(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The grid without its outer ring.",
                "trim(((1, 1, 1), (1, 2, 1), (1, 1, 1)))" => "((2,),)";
            r#move(grid: Grid, obj: Object, offset: IntegerTuple) -> Grid, Grids, Linear, Observes + Lowered,
                "Moves an object on a grid by a vector.",
                "move(((3, 0, 0),), {(3, (0, 0))}, (0, 2))" => "((0, 0, 3),)";
            tophalf(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The upper half.",
                "tophalf(((1,), (2,), (3,)))" => "((1,),)";
            bottomhalf(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The lower half.",
                "bottomhalf(((1,), (2,), (3,)))" => "((3,),)";
            lefthalf(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The left half.",
                "lefthalf(((1, 2, 3),))" => "((1,),)";
            righthalf(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The right half.",
                "righthalf(((1, 2, 3),))" => "((3,),)";
            vfrontier(location: IntegerTuple) -> Indices, Lines, Linear, Blind,
                "The column of a location, 30 cells long.",
                "size(vfrontier((3, 4)))" => "30";
            hfrontier(location: IntegerTuple) -> Indices, Lines, Linear, Blind,
                "The row of a location, 30 cells long.",
                "size(hfrontier((3, 4)))" => "30";
            backdrop(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples,
                "All indices of the bounding box.",
                "backdrop({(0, 0), (1, 1)})" => "{(0, 1), (1, 0), (1, 1), (0, 0)}";
            delta(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples,
                "The indices of the bounding box that are not part of the patch.",
                "delta({(0, 0), (1, 1)})" => "{(0, 1), (1, 0)}";
            gravitate(source: Patch, destination: Patch) -> IntegerTuple, Geometry, Product, Observes,
                "The way a patch moves until it touches another.",
                "gravitate({(0, 0)}, {(0, 4)})" => "(0, 3)";
            inbox(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples,
                "The box one cell inside the bounding box.",
                "inbox({(0, 0), (2, 2)})" => "{(1, 1)}";
            outbox(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples,
                "The box one cell outside the bounding box.",
                "size(outbox({(1, 1)}))" => "8";
            r#box(patch: Patch) -> Indices, Patches, Linear, Observes + Opens + OpensTuples,
                "The outline of the bounding box.",
                "box({(0, 0), (1, 1)})" => "{(0, 1), (1, 0), (1, 1), (0, 0)}";
            shoot(start: IntegerTuple, direction: IntegerTuple) -> Indices, Lines, Linear, Blind,
                "The ray from a location in a direction, 42 steps long.",
                "size(shoot((0, 0), (1, 1)))" => "43";
            occurrences(grid: Grid, obj: Object) -> Indices, Objects, Scan, Observes,
                "The locations at which an object occurs in a grid.",
                "occurrences(((0, 1), (1, 0)), {(1, (0, 0))})" => "{(0, 1), (1, 0)}";
            frontiers(grid: Grid) -> Objects, Objects, Linear, Blind,
                "The rows and columns of one colour, as objects.",
                "size(frontiers(((1, 0), (0, 0))))" => "2";
            compress(grid: Grid) -> Grid, Grids, Linear, Blind,
                "The grid without its rows and columns of one colour.",
                "compress(((1, 0, 2), (0, 0, 0), (3, 0, 4)))" => "((1, 2), (3, 4))";
            hperiod(obj: Object) -> Integer, Objects, Linear, Observes,
                "The horizontal period of an object.",
                "hperiod({(1, (0, 0)), (2, (0, 1)), (1, (0, 2))})" => "2";
            vperiod(obj: Object) -> Integer, Objects, Linear, Observes,
                "The vertical period of an object.",
                "vperiod({(1, (0, 0)), (2, (1, 0)), (1, (2, 0))})" => "2";
        }
    };
}

/// An identifier without `r#`: `move` and `box` are keywords of Rust, so the table writes `r#move`
/// and `r#box`.
const fn plain(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

macro_rules! re_arc_name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $re_arc:ident $($tokpidjin:ident)?) => {
        stringify!($re_arc)
    };
}

macro_rules! tokpidjin_name {
    ($name:ident $re_arc:ident $tokpidjin:ident) => {
        stringify!($tokpidjin)
    };
    ($name:ident $($re_arc:ident)?) => {
        plain(stringify!($name))
    };
}

macro_rules! define_table {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        /// A primitive, by its name.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Prim {
            $( #[doc = $doc] $prim, )*
        }

        /// The whole table: arc-dsl's primitives, then those that only tokpidjin has. The index is
        /// the primitive's number.
        pub static ENTRIES: &[Entry] = &[$(
            Entry {
                prim: Prim::$prim,
                name: plain(stringify!($prim)),
                params: &[$( Param {
                    name: plain(stringify!($param)),
                    re_arc_name: re_arc_name!($param $($other)*),
                    tokpidjin_name: tokpidjin_name!($param $($other)*),
                    ty: Type::$ty,
                } ),*],
                result: Type::$result,
                theme: Theme::$theme,
                cost: Cost::$cost,
                order: OrderUse::$order,
                marks: Marks::NONE$(.with(Mark::$mark))*,
                doc: $doc,
                example: Example { call: $call, result: $value },
            }
        ),*];
    };
}

macro_rules! define_whole_table {
    ($( $arc_dsl:tt )*) => { for_each_tokpidjin_primitive!(define_table $( $arc_dsl )*); };
}

for_each_primitive!(define_whole_table);

macro_rules! count_classic {
    ($( $prim:ident $params:tt -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        /// The number of arc-dsl's primitives.
        pub const N_CLASSIC: usize = [$( Prim::$prim ),*].len();
    };
}

for_each_primitive!(count_classic);

/// The number of primitives of all dialects. Their ids are the numbers below it.
pub const N_PRIMITIVES: usize = ENTRIES.len();

/// The primitives of arc-dsl and re-arc, in arc-dsl's order.
pub static TABLE: &[Entry] = ENTRIES.split_at(N_CLASSIC).0;

/// The primitives that only tokpidjin has.
pub static TOKPIDJIN_TABLE: &[Entry] = ENTRIES.split_at(N_CLASSIC).1;

impl Prim {
    /// The primitive's line of the table.
    #[inline]
    pub fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Is it a primitive of arc-dsl and re-arc?
    pub fn is_classic(self) -> bool {
        (self as usize) < N_CLASSIC
    }

    /// The primitive's name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The number of arguments.
    #[inline]
    pub fn arity(self) -> usize {
        self.entry().params.len()
    }

    /// The primitive with this name, in any dialect.
    pub fn by_name(name: &str) -> Option<Prim> {
        ENTRIES
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| entry.prim)
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a named constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// `T` or `F`.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A pair.
    Pair(i64, i64),
}

/// The named constants, in arc-dsl's order.
pub static CONSTANTS: &[(&str, Constant)] = &[
    ("F", Constant::Bool(false)),
    ("T", Constant::Bool(true)),
    ("ZERO", Constant::Int(0)),
    ("ONE", Constant::Int(1)),
    ("TWO", Constant::Int(2)),
    ("THREE", Constant::Int(3)),
    ("FOUR", Constant::Int(4)),
    ("FIVE", Constant::Int(5)),
    ("SIX", Constant::Int(6)),
    ("SEVEN", Constant::Int(7)),
    ("EIGHT", Constant::Int(8)),
    ("NINE", Constant::Int(9)),
    ("TEN", Constant::Int(10)),
    ("NEG_ONE", Constant::Int(-1)),
    ("NEG_TWO", Constant::Int(-2)),
    ("DOWN", Constant::Pair(1, 0)),
    ("RIGHT", Constant::Pair(0, 1)),
    ("UP", Constant::Pair(-1, 0)),
    ("LEFT", Constant::Pair(0, -1)),
    ("ORIGIN", Constant::Pair(0, 0)),
    ("UNITY", Constant::Pair(1, 1)),
    ("NEG_UNITY", Constant::Pair(-1, -1)),
    ("UP_RIGHT", Constant::Pair(-1, 1)),
    ("DOWN_LEFT", Constant::Pair(1, -1)),
    ("ZERO_BY_TWO", Constant::Pair(0, 2)),
    ("TWO_BY_ZERO", Constant::Pair(2, 0)),
    ("TWO_BY_TWO", Constant::Pair(2, 2)),
    ("THREE_BY_THREE", Constant::Pair(3, 3)),
];

/// The constant with this name.
pub fn constant(name: &str) -> Option<Constant> {
    CONSTANTS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_in_enum_order_and_complete() {
        assert_eq!(TABLE.len() + TOKPIDJIN_TABLE.len(), N_PRIMITIVES);
        assert!(Prim::vperiod.is_classic() && !Prim::get_nth_t.is_classic());
        assert!(
            ENTRIES
                .iter()
                .enumerate()
                .all(|(k, entry)| entry.prim as usize == k)
        );
    }

    #[test]
    fn names_are_unique_and_apart_from_constants() {
        let mut names: BTreeSet<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), ENTRIES.len());
        assert_eq!(CONSTANTS.len(), 28);
        let constants = Dialect::Tokpidjin.constants().map(|(name, _)| *name);
        let others = constants.chain(ALIASES.iter().map(|(name, _)| *name));
        assert!(others.into_iter().all(|name| names.insert(name)));
    }

    #[test]
    fn docs_are_one_sentence_and_arities_small() {
        for entry in ENTRIES {
            assert!(entry.doc.ends_with(['.', '?']), "{}", entry.name);
            assert!((1..=4).contains(&entry.params.len()), "{}", entry.name);
        }
    }

    #[test]
    fn dialects_have_their_own_names() {
        let has = |dialect: Dialect, name| dialect.entries().any(|entry| entry.name == name);
        for dialect in Dialect::CLASSIC {
            assert_eq!(dialect.entries().count(), N_CLASSIC);
            assert!(has(dialect, "height") && !has(dialect, "height_f"));
        }
        assert!(has(Dialect::Tokpidjin, "height_f") && !has(Dialect::Tokpidjin, "height"));
        let is_there = |(_, prim): &(_, Prim)| prim.entry().is_in(Dialect::Tokpidjin);
        assert!(Dialect::Tokpidjin.aliases().iter().all(is_there));
    }

    #[test]
    fn dialects_rename_some_parameters() {
        let renamed = |dialect: Dialect| -> Vec<&str> {
            let params = TABLE.iter().flat_map(|entry| entry.params);
            let renamed = params.filter(|param| param.name_in(dialect) != param.name);
            renamed.map(|param| param.name_in(dialect)).collect()
        };
        assert_eq!(
            renamed(Dialect::ReArc),
            ["iterable", "if_value", "else_value"]
        );
        let colours = ["color", "indices", "color", "color", "color"];
        assert_eq!(renamed(Dialect::Tokpidjin), colours);
    }
}
