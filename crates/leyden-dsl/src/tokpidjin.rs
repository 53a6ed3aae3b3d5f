//! The part of the table that only tokpidjin's dialect has: primitives, further names and
//! constants.
//!
//! Tokpidjin splits many primitives of arc-dsl by type: `_t` for tuples and grids, `_f` for
//! frozensets and patches, `_i` for locations, `_o` for objects. A variant that does exactly what
//! its parent does is an alias. A variant that differs, if only for odd arguments, has its own
//! line.

use crate::table::{Constant, Prim};

/// Passes the primitives that only tokpidjin has to another macro, after the given tokens.
#[macro_export]
macro_rules! for_each_tokpidjin_primitive {
    ($callback:ident $( $before:tt )*) => {
        $callback! {
            $( $before )*
            // Ranks and picks.
            get_nth_t(container: Tuple, rank: Integer) -> Any, Containers, Unit, Blind,
                "The item at a position, from the end if negative; nan outside or if the value is not a tuple.",
                "get_nth_t((7, 8, 9), -1)" => "9";
            get_nth_f(container: FrozenSet, rank: Integer) -> Any, Containers, Linear, Observes,
                "The element at a position in the order of the set, from the end if negative; {} outside.",
                "get_nth_f({5, 6}, 1)" => "6";
            get_rank(container: IntegerSet, rank: Integer) -> Integer, Containers, Linear, Observes,
                "The n-th largest element, 0 outside.",
                "get_rank({4, 9, 2}, 1)" => "4";
            get_arg_rank(container: Container, compfunc: Callable, rank: Integer) -> Any, Containers, Linear, Observes,
                "The element with the n-th largest key; an empty container outside.",
                "get_arg_rank(((1, 5), (2, 3)), last, 0)" => "(1, 5)";
            get_arg_rank_t(container: Tuple, compfunc: Callable, rank: Integer) -> Any, Containers, Linear, Observes,
                "The element with the n-th largest key, () outside.",
                "get_arg_rank_t(((1, 5), (2, 3)), last, 1)" => "(2, 3)";
            get_arg_rank_f(container: FrozenSet, compfunc: Callable, rank: Integer) -> Any, Containers, Linear, Observes,
                "The element with the n-th largest key, {} outside.",
                "get_arg_rank_f({(1, 5), (2, 3)}, last, 0)" => "(1, 5)";
            get_val_rank(container: Container, compfunc: Callable, rank: Integer) -> Any, Containers, Linear, Observes,
                "The n-th smallest value of a key function; outside, its value for 0.",
                "get_val_rank({(1, 5), (2, 3)}, last, 0)" => "3";
            get_common_rank(container: Container, rank: Integer) -> Any, Containers, Square, Observes,
                "The n-th least common item of a tuple, () outside.",
                "get_common_rank((1, 2, 2), 0)" => "1";
            get_common_rank_t(container: Tuple, rank: Integer) -> Any, Containers, Square, Observes,
                "The n-th least common item of a tuple, () outside.",
                "get_common_rank_t((1, 2, 2), 1)" => "2";
            get_common_rank_f(container: FrozenSet, rank: Integer) -> Any, Containers, Square, Observes,
                "The n-th element in the order of a set, {} outside.",
                "get_common_rank_f({1, 2}, 1)" => "2";
            get_color_rank_t(grid: Grid, rank: Integer) -> Integer, Colour, Linear, Blind,
                "The n-th most common colour of a grid, the first seen among equals; () outside.",
                "get_color_rank_t(((1, 2, 2),), 0)" => "2";
            get_color_rank_f(obj: Object, rank: Integer) -> Integer, Colour, Linear, Observes,
                "The n-th most common colour of an object, the first seen among equals; {} outside.",
                "get_color_rank_f({(0, 0, 3), (0, 1, 3), (1, 0, 4)}, -1)" => "4";
            first_t(container: Tuple) -> Any, Containers, Unit, Blind,
                "The first item of a tuple, or () if it is empty.",
                "first_t((7, 8))" => "7";
            first_f(container: FrozenSet) -> Any, Containers, Unit, Observes,
                "The first element of a set, or {} if it is empty.",
                "first_f({7, 8})" => "8";
            second(container: Container) -> Any, Containers, Unit, Observes,
                "The second element, or None if there is only one.",
                "second((7, 8, 9))" => "8";
            last_t(container: Tuple) -> Any, Containers, Unit, Blind,
                "The last item of a tuple, or () if it is empty.",
                "last_t((7, 8))" => "8";
            last_f(container: FrozenSet) -> Any, Containers, Linear, Observes,
                "The last element of a set, or {} if it is empty.",
                "last_f({7, 8})" => "7";
            other_t(container: Tuple, value: Any) -> Any, Containers, Linear, Blind,
                "The first item that differs from the value, or ().",
                "other_t((3, 5), 3)" => "5";
            other_f(container: FrozenSet, value: Any) -> Any, Containers, Linear, Observes,
                "The first element that differs from the value, or {}.",
                "other_f({3, 5}, 3)" => "5";
            mostcommon_f(container: FrozenSet) -> Any, Containers, Square, Observes,
                "The first element of a new copy of a set.",
                "mostcommon_f({4, 2})" => "2";
            leastcommon_f(container: FrozenSet) -> Any, Containers, Square, Observes,
                "The first element of a new copy of a set.",
                "leastcommon_f({4, 2})" => "2";
            // Containers by type.
            difference_tuple(a: Tuple, b: Tuple) -> Tuple, Containers, Linear, Blind,
                "The items of the first tuple that the second lacks.",
                "difference_tuple((1, 2, 3), (2,))" => "(1, 3)";
            combine_t(a: Tuple, b: Tuple) -> Tuple, Containers, Linear, Blind,
                "One tuple after the other.",
                "combine_t((1, 2), (2, 3))" => "(1, 2, 2, 3)";
            combine_f(a: FrozenSet, b: FrozenSet) -> FrozenSet, Containers, Linear, Blind,
                "The union of two sets.",
                "combine_f({1, 2}, {2, 3})" => "{1, 2, 3}";
            remove_t(value: Any, container: Tuple) -> Tuple, Containers, Linear, Blind,
                "The items that differ from the value, as a tuple.",
                "remove_t(2, (1, 2, 3, 2))" => "(1, 3)";
            remove_f(value: Any, container: FrozenSet) -> FrozenSet, Containers, Linear, Blind,
                "The set without the value.",
                "remove_f(2, {1, 2, 3})" => "{1, 3}";
            sfilter_t(container: Tuple, condition: Callable) -> Tuple, Containers, Linear, Blind,
                "The elements for which the condition holds, as a tuple.",
                "sfilter_t((1, 2, 3, 4), even)" => "(2, 4)";
            sfilter_f(container: FrozenSet, condition: Callable) -> FrozenSet, Containers, Linear, Blind,
                "The elements for which the condition holds, as a set.",
                "sfilter_f({1, 2, 3, 4}, even)" => "{2, 4}";
            mfilter_t(container: Container, function: Callable) -> FrozenSet, Containers, Linear, Blind,
                "The elements for which the condition holds, as a set.",
                "mfilter_t((1, 2, 3, 4), even)" => "{2, 4}";
            sizefilter_t(container: Container, n: Integer) -> Tuple, Containers, Linear, Blind,
                "The elements of a size, as a tuple.",
                "sizefilter_t(((1,), (2, 3)), 2)" => "((2, 3),)";
            ascell(ij: IntegerTuple, c: Integer) -> Tuple, Containers, Unit, Blind,
                "The cell at a location.",
                "ascell((1, 2), 3)" => "(1, 2, 3)";
            astriple(i: Integer, j: Integer, c: Integer) -> Tuple, Containers, Unit, Blind,
                "The tuple of three values.",
                "astriple(1, 2, 3)" => "(1, 2, 3)";
            toij(c: Tuple) -> IntegerTuple, Containers, Unit, Blind,
                "The location of a cell.",
                "toij((1, 2, 3))" => "(1, 2)";
            celltuple(a: Tuple, b: Tuple) -> TupleTuple, Containers, Linear, Blind,
                "Cells of locations and colours, pair by pair.",
                "celltuple(((0, 0), (0, 1)), (4, 5))" => "((0, 0, 4), (0, 1, 5))";
            // Functions by type.
            apply_t(function: Callable, container: Container) -> Tuple, Functional, Linear, Blind,
                "A function's values on the elements, as a tuple.",
                "apply_t(double, (1, 2))" => "(2, 4)";
            apply_f(function: Callable, container: Container) -> FrozenSet, Functional, Linear, Blind,
                "A function's values on the elements, as the type of the container.",
                "apply_f(double, {1, 2})" => "{2, 4}";
            rapply_t(functions: Container, value: Any) -> Tuple, Functional, Linear, Blind,
                "The values of functions, as a tuple.",
                "rapply_t((double, increment), 5)" => "(10, 6)";
            rapply_f(functions: Container, value: Any) -> FrozenSet, Functional, Linear, Blind,
                "The values of functions, as the type of their container.",
                "rapply_f((double, increment), 5)" => "(10, 6)";
            mapply_t(function: Callable, container: Container) -> Tuple, Functional, Linear, Blind,
                "A function's values on the elements, merged into a tuple.",
                "mapply_t(totuple, ({1, 2}, {3}))" => "(1, 2, 3)";
            mapply_f(function: Callable, container: Container) -> FrozenSet, Functional, Linear, Blind,
                "A function's values on the elements, merged.",
                "mapply_f(identity, {{1, 2}, {3}})" => "{1, 2, 3}";
            // Colours by type.
            mostcolor_t(grid: Grid) -> Integer, Colour, Linear, Blind,
                "The most common colour of a grid.",
                "mostcolor_t(((1, 2), (2, 2)))" => "2";
            mostcolor_f(obj: Object) -> Integer, Colour, Linear, Observes,
                "The most common colour of an object.",
                "mostcolor_f({(0, 0, 3), (0, 1, 3), (1, 0, 4)})" => "3";
            leastcolor_t(grid: Grid) -> Integer, Colour, Linear, Blind,
                "The least common colour of a grid.",
                "leastcolor_t(((1, 2), (2, 2)))" => "1";
            leastcolor_f(obj: Object) -> Integer, Colour, Linear, Observes,
                "The least common colour of an object.",
                "leastcolor_f({(0, 0, 3), (0, 1, 3), (1, 0, 4)})" => "4";
            palette_t(element: Grid) -> IntegerSet, Colour, Linear, Blind,
                "The colours of a grid.",
                "palette_t(((1, 2), (2, 8)))" => "{8, 1, 2}";
            palette_f(element: Object) -> IntegerSet, Colour, Linear, Blind,
                "The colours of an object.",
                "palette_f({(0, 0, 3), (1, 0, 4)})" => "{3, 4}";
            p_g(grid: Grid) -> IntegerSet, Colour, Linear, Blind,
                "The colours of a grid as a tuple, in the order of a set.",
                "p_g(((1, 8), (2, 8)))" => "(8, 1, 2)";
            p_o(obj: Object) -> IntegerSet, Colour, Linear, Observes,
                "The colours of an object as a tuple, in the order of a set.",
                "p_o({(0, 0, 3), (1, 0, 4)})" => "(3, 4)";
            numcolors_t(grid: Grid) -> Integer, Colour, Linear, Blind,
                "The number of colours of a grid.",
                "numcolors_t(((1, 2), (2, 8)))" => "3";
            numcolors_f(obj: Object) -> Integer, Colour, Linear, Blind,
                "The number of colours of an object.",
                "numcolors_f({(0, 0, 3), (1, 0, 4)})" => "2";
            colorcount_t(grid: Grid, color: Integer) -> Integer, Colour, Linear, Blind,
                "How often a colour occurs in a grid.",
                "colorcount_t(((1, 2), (2, 8)), 2)" => "2";
            colorcount_f(obj: Object, color: Integer) -> Integer, Colour, Linear, Blind,
                "How often a colour occurs in an object.",
                "colorcount_f({(0, 0, 3), (1, 0, 4)}, 3)" => "1";
            colorfilter_t(objs: TupleTuple, color: Integer) -> TupleTuple, Colour, Linear, Blind,
                "The objects, tuples of cells, whose first cell has the colour.",
                "colorfilter_t((((0, 0, 3),), ((1, 0, 4),)), 4)" => "(((1, 0, 4),),)";
            f_ofcolor(grid: Grid, color: Integer) -> Indices, Grids, Linear, Blind,
                "The locations of a colour.",
                "f_ofcolor(((1, 2), (2, 8)), 2)" => "{(0, 1), (1, 0)}";
            // Extents by type.
            height_t(piece: Grid) -> Integer, Geometry, Unit, Blind,
                "The height of a grid.",
                "height_t(((1, 2), (3, 4)))" => "2";
            height_f(piece: Patch) -> Integer, Geometry, Linear, Observes,
                "The height of a patch.",
                "height_f({(0, 0), (2, 4)})" => "3";
            height_i(piece: Indices) -> Integer, Geometry, Linear, Observes,
                "The height of a set of locations.",
                "height_i({(0, 0), (2, 4)})" => "3";
            height_o(piece: Object) -> Integer, Geometry, Linear, Observes,
                "The height of an object.",
                "height_o({(0, 0, 3), (2, 4, 3)})" => "3";
            width_t(piece: Grid) -> Integer, Geometry, Unit, Blind,
                "The width of a grid.",
                "width_t(((1, 2), (3, 4)))" => "2";
            width_f(piece: Patch) -> Integer, Geometry, Linear, Observes,
                "The width of a patch.",
                "width_f({(0, 0), (2, 4)})" => "5";
            width_i(piece: Indices) -> Integer, Geometry, Linear, Observes,
                "The width of a set of locations.",
                "width_i({(0, 0), (2, 4)})" => "5";
            width_o(piece: Object) -> Integer, Geometry, Linear, Observes,
                "The width of an object.",
                "width_o({(0, 0, 3), (2, 4, 3)})" => "5";
            shape_t(grid: Grid) -> IntegerTuple, Geometry, Unit, Blind,
                "The height and width of a grid.",
                "shape_t(((1, 2, 3), (4, 5, 6)))" => "(2, 3)";
            shape_f(patch: Patch) -> IntegerTuple, Geometry, Linear, Observes,
                "The height and width of a patch.",
                "shape_f({(0, 0), (2, 4)})" => "(3, 5)";
            portrait_t(grid: Grid) -> Boolean, Geometry, Unit, Blind,
                "Is the grid higher than wide?",
                "portrait_t(((1,), (2,)))" => "T";
            portrait_f(patch: Patch) -> Boolean, Geometry, Linear, Observes,
                "Is the patch higher than wide?",
                "portrait_f({(0, 0), (2, 4)})" => "F";
            square_t(grid: Grid) -> Boolean, Geometry, Unit, Blind,
                "Is the grid as high as it is wide?",
                "square_t(((1, 2), (3, 4)))" => "T";
            square_f(patch: Patch) -> Boolean, Geometry, Linear, Observes,
                "Is the patch a full square?",
                "square_f({(0, 0), (0, 1), (1, 0), (1, 1)})" => "T";
            vline_i(patch: Indices) -> Boolean, Geometry, Linear, Observes,
                "Do the locations make a vertical line?",
                "vline_i({(0, 0), (1, 0)})" => "T";
            vline_o(patch: Object) -> Boolean, Geometry, Linear, Observes,
                "Is the object a vertical line?",
                "vline_o({(0, 0, 3), (1, 0, 3)})" => "T";
            hline_i(patch: Indices) -> Boolean, Geometry, Linear, Observes,
                "Do the locations make a horizontal line?",
                "hline_i({(0, 0), (0, 1)})" => "T";
            hline_o(patch: Object) -> Boolean, Geometry, Linear, Observes,
                "Is the object a horizontal line?",
                "hline_o({(0, 0, 3), (0, 1, 3)})" => "T";
            uppermost_i(indices: Indices) -> Integer, Geometry, Linear, Observes,
                "The first row of a set of locations, or nan if it is empty.",
                "uppermost_i({(1, 2), (3, 4)})" => "1";
            uppermost_o(obj: Object) -> Integer, Geometry, Linear, Observes,
                "The first row of an object, or nan if it is empty.",
                "uppermost_o({(1, 2, 5), (3, 4, 5)})" => "1";
            lowermost_i(indices: Indices) -> Integer, Geometry, Linear, Observes,
                "The last row of a set of locations, or nan if it is empty.",
                "lowermost_i({(1, 2), (3, 4)})" => "3";
            lowermost_o(obj: Object) -> Integer, Geometry, Linear, Observes,
                "The last row of an object, or nan if it is empty.",
                "lowermost_o({(1, 2, 5), (3, 4, 5)})" => "3";
            leftmost_i(indices: Indices) -> Integer, Geometry, Linear, Observes,
                "The first column of a set of locations, or nan if it is empty.",
                "leftmost_i({(1, 2), (3, 4)})" => "2";
            leftmost_o(obj: Object) -> Integer, Geometry, Linear, Observes,
                "The first column of an object, or nan if it is empty.",
                "leftmost_o({(1, 2, 5), (3, 4, 5)})" => "2";
            rightmost_i(indices: Indices) -> Integer, Geometry, Linear, Observes,
                "The last column of a set of locations, or 0 if it is empty.",
                "rightmost_i({(1, 2), (3, 4)})" => "4";
            rightmost_o(obj: Object) -> Integer, Geometry, Linear, Observes,
                "The last column of an object, or 0 if it is empty.",
                "rightmost_o({(1, 2, 5), (3, 4, 5)})" => "4";
            col_row(patch: Patch, r#type: Integer) -> Integer, Geometry, Linear, Observes,
                "The last row (0), first row (1), first column (2) or last column (3) of a patch.",
                "col_row({(1, 2), (3, 4)}, 0)" => "3";
            corner(patch: Patch, r#type: Integer) -> IntegerTuple, Geometry, Linear, Observes,
                "The upper left (0), upper right (1), lower left (2) or lower right (3) corner.",
                "corner({(1, 2), (3, 4)}, 1)" => "(1, 4)";
            ulcorner_i(indices: Indices) -> IntegerTuple, Geometry, Linear, Observes,
                "The upper left corner of a set of locations.",
                "ulcorner_i({(1, 2), (3, 4)})" => "(1, 2)";
            ulcorner_o(obj: Object) -> IntegerTuple, Geometry, Linear, Observes,
                "The upper left corner of an object.",
                "ulcorner_o({(1, 2, 5), (3, 4, 5)})" => "(1, 2)";
            urcorner_i(indices: Indices) -> IntegerTuple, Geometry, Linear, Observes,
                "The upper right corner of a set of locations.",
                "urcorner_i({(1, 2), (3, 4)})" => "(1, 4)";
            urcorner_o(obj: Object) -> IntegerTuple, Geometry, Linear, Observes,
                "The upper right corner of an object.",
                "urcorner_o({(1, 2, 5), (3, 4, 5)})" => "(1, 4)";
            llcorner_i(indices: Indices) -> IntegerTuple, Geometry, Linear, Observes,
                "The lower left corner of a set of locations.",
                "llcorner_i({(1, 2), (3, 4)})" => "(3, 2)";
            llcorner_o(obj: Object) -> IntegerTuple, Geometry, Linear, Observes,
                "The lower left corner of an object.",
                "llcorner_o({(1, 2, 5), (3, 4, 5)})" => "(3, 2)";
            lrcorner_i(indices: Indices) -> IntegerTuple, Geometry, Linear, Observes,
                "The lower right corner of a set of locations.",
                "lrcorner_i({(1, 2), (3, 4)})" => "(3, 4)";
            lrcorner_o(obj: Object) -> IntegerTuple, Geometry, Linear, Observes,
                "The lower right corner of an object.",
                "lrcorner_o({(1, 2, 5), (3, 4, 5)})" => "(3, 4)";
            // Patches and grids by type.
            toindices_i(indices: Indices) -> Indices, Patches, Unit, Blind,
                "Gives the locations back.",
                "toindices_i({(1, 2)})" => "{(1, 2)}";
            toindices_o(obj: Object) -> Indices, Patches, Linear, Blind,
                "The locations of an object.",
                "toindices_o({(1, 2, 5)})" => "{(1, 2)}";
            recolor_i(color: Integer, indices: Indices) -> Object, Patches, Linear, Blind,
                "Locations in a colour.",
                "recolor_i(7, {(1, 2)})" => "{(1, 2, 7)}";
            recolor_o(color: Integer, obj: Object) -> Object, Patches, Linear, Blind,
                "An object in another colour.",
                "recolor_o(7, {(1, 2, 5)})" => "{(1, 2, 7)}";
            normalize_i(indices: Indices) -> Indices, Patches, Linear, Observes,
                "Locations moved to the origin.",
                "normalize_i({(1, 2), (3, 4)})" => "{(2, 2), (0, 0)}";
            normalize_o(obj: Object) -> Object, Patches, Linear, Observes,
                "An object moved to the origin.",
                "normalize_o({(1, 2, 5), (3, 4, 5)})" => "{(0, 0, 5), (2, 2, 5)}";
            upscale_t(grid: Grid, factor: Integer) -> Grid, Grids, Linear, Blind,
                "Makes each cell of a grid a block.",
                "upscale_t(((1, 2),), 2)" => "((1, 1, 2, 2), (1, 1, 2, 2))";
            upscale_f(obj: Object, factor: Integer) -> Object, Patches, Linear, Observes,
                "Makes each cell of an object a block.",
                "upscale_f({(0, 0, 3)}, 2)" => "{(1, 1, 3), (0, 1, 3), (1, 0, 3), (0, 0, 3)}";
            hmirror_t(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A grid upside down.",
                "hmirror_t(((1, 2), (3, 4)))" => "((3, 4), (1, 2))";
            hmirror_f(patch: Patch) -> Patch, Patches, Linear, Observes,
                "A patch upside down.",
                "hmirror_f({(0, 0), (1, 1)})" => "{(0, 1), (1, 0)}";
            hmirror_i(indices: Indices) -> Indices, Patches, Linear, Observes,
                "Locations upside down.",
                "hmirror_i({(0, 0), (1, 1)})" => "{(0, 1), (1, 0)}";
            hmirror_o(obj: Object) -> Object, Patches, Linear, Observes,
                "An object upside down.",
                "hmirror_o({(0, 0, 3), (1, 1, 4)})" => "{(0, 1, 4), (1, 0, 3)}";
            vmirror_t(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A grid with left and right swapped.",
                "vmirror_t(((1, 2), (3, 4)))" => "((2, 1), (4, 3))";
            vmirror_f(patch: Patch) -> Patch, Patches, Linear, Observes,
                "A patch with left and right swapped.",
                "vmirror_f({(0, 0), (1, 1)})" => "{(1, 0), (0, 1)}";
            vmirror_i(indices: Indices) -> Indices, Patches, Linear, Observes,
                "Locations with left and right swapped.",
                "vmirror_i({(0, 0), (1, 1)})" => "{(1, 0), (0, 1)}";
            vmirror_o(obj: Object) -> Object, Patches, Linear, Observes,
                "An object with left and right swapped.",
                "vmirror_o({(0, 0, 3), (1, 1, 4)})" => "{(0, 1, 3), (1, 0, 4)}";
            dmirror_t(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A grid with rows and columns swapped.",
                "dmirror_t(((1, 2), (3, 4)))" => "((1, 3), (2, 4))";
            dmirror_f(patch: Patch) -> Patch, Patches, Linear, Observes,
                "A patch with rows and columns swapped.",
                "dmirror_f({(0, 0), (0, 1)})" => "{(1, 0), (0, 0)}";
            dmirror_i(indices: Indices) -> Indices, Patches, Linear, Observes,
                "Locations with rows and columns swapped.",
                "dmirror_i({(0, 0), (0, 1)})" => "{(1, 0), (0, 0)}";
            dmirror_o(obj: Object) -> Object, Patches, Linear, Observes,
                "An object with rows and columns swapped.",
                "dmirror_o({(0, 0, 3), (0, 1, 4)})" => "{(1, 0, 4), (0, 0, 3)}";
            cmirror_t(grid: Grid) -> Grid, Grids, Linear, Blind,
                "A grid mirrored at its other diagonal.",
                "cmirror_t(((1, 2), (3, 4)))" => "((4, 2), (3, 1))";
            cmirror_f(patch: Patch) -> Patch, Patches, Linear, Observes,
                "A patch mirrored at its other diagonal.",
                "cmirror_f({(0, 0), (0, 1)})" => "{(1, 0), (0, 0)}";
            mir_rot_t(grid: Grid, r#type: Integer) -> Grid, Grids, Linear, Blind,
                "Mirrors (0 to 3) or turns (4 to 6) a grid.",
                "mir_rot_t(((1, 2), (3, 4)), 4)" => "((3, 1), (4, 2))";
            mir_rot_f(patch: Patch, r#type: Integer) -> Patch, Patches, Linear, Observes,
                "Mirrors a patch (0 to 3).",
                "mir_rot_f({(0, 0), (0, 1)}, 1)" => "{(1, 0), (0, 0)}";
            // Objects.
            o_g(grid: Grid, r#type: Integer) -> Objects, Objects, Linear, Observes,
                "The objects of a grid; 4 stands for univalued, 2 for diagonal, 1 for without background.",
                "o_g(((0, 3), (0, 0)), 5)" => "{{(0, 1, 3)}}";
            o_g_t(grid: Grid, r#type: Integer) -> TupleTuple, Objects, Linear, Observes,
                "The objects of a grid as tuples of cells, in the order in which they are found.",
                "o_g_t(((0, 3), (0, 0)), 5)" => "(((0, 1, 3),),)";
            objects_t(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> TupleTuple, Objects, Linear, Observes,
                "The objects of a grid as tuples of cells, in the order in which they are found.",
                "objects_t(((0, 3), (0, 0)), T, F, T)" => "(((0, 1, 3),),)";
            // Samples.
            dedupe_pair_tuple(S: TupleTuple) -> TupleTuple, Containers, Linear, Blind,
                "The pairs whose parts differ.",
                "dedupe_pair_tuple(((1, 1), (1, 2)))" => "((1, 2),)";
            c_iz(S: TupleTuple, function: Callable) -> Any, Colour, Linear, Blind,
                "The values that a function finds in the inputs but not in the outputs.",
                "c_iz(((((1, 2),), ((1, 1),)),), p_g)" => "(2,)";
            c_zo(S: TupleTuple, function: Callable) -> Any, Colour, Linear, Blind,
                "The values that a function finds in the outputs but not in the inputs.",
                "c_zo(((((1, 2),), ((1, 3),)),), p_g)" => "(3,)";
            c_iz_n(S: TupleTuple, function: Callable, pick: Callable) -> Integer, Colour, Linear, Blind,
                "Picks from the values that a function finds in the inputs but not in the outputs.",
                "c_iz_n(((((1, 2),), ((1, 1),)),), p_g, first)" => "2";
            c_zo_n(S: TupleTuple, function: Callable, pick: Callable) -> Integer, Colour, Linear, Blind,
                "Picks from the values that a function finds in the outputs but not in the inputs.",
                "c_zo_n(((((1, 2),), ((1, 3),)),), p_g, first)" => "3";
            a_mr(S: TupleTuple) -> Integer, Grids, Linear, Blind,
                "The first mirror or turn that makes every output from its input, or None.",
                "a_mr(((((1, 2),), ((2, 1),)),))" => "2";
        }
    };
}

/// Primitives of arc-dsl that tokpidjin has only split by type, or under another name.
pub(crate) const SPLIT_BY_TYPE: &[Prim] = &[
    Prim::mostcolor,
    Prim::leastcolor,
    Prim::height,
    Prim::width,
    Prim::shape,
    Prim::portrait,
    Prim::colorcount,
    Prim::ofcolor,
    Prim::recolor,
    Prim::square,
    Prim::vline,
    Prim::hline,
    Prim::palette,
    Prim::numcolors,
    Prim::hmirror,
    Prim::vmirror,
    Prim::dmirror,
    Prim::cmirror,
    Prim::upscale,
];

/// Names that are only other names for a primitive.
pub(crate) static ALIASES: &[(&str, Prim)] = &[
    ("argmax_f", Prim::argmax),
    ("argmax_t", Prim::argmax),
    ("argmin_f", Prim::argmin),
    ("argmin_t", Prim::argmin),
    ("valmax_f", Prim::valmax),
    ("valmax_t", Prim::valmax),
    ("valmin_f", Prim::valmin),
    ("valmin_t", Prim::valmin),
    ("merge_f", Prim::merge),
    ("merge_t", Prim::merge),
    ("size_f", Prim::size),
    ("size_t", Prim::size),
    ("mfilter_f", Prim::mfilter),
    ("mostcommon_t", Prim::mostcommon),
    ("leastcommon_t", Prim::leastcommon),
    ("get_val_rank_f", Prim::get_val_rank),
    ("get_val_rank_t", Prim::get_val_rank),
    ("p_f", Prim::palette_f),
    ("cmirror_i", Prim::cmirror_f),
    ("cmirror_o", Prim::cmirror_f),
    ("c_branch", Prim::branch),
    ("difference_t", Prim::difference_tuple),
    ("o_g_tuple", Prim::o_g_t),
    ("objects_g", Prim::objects_t),
    ("normalize_t", Prim::identity),
];

/// The constants beyond arc-dsl's: ranks from the first (`F0`) and from the last (`L1`), numbers that
/// select a variant (`R0`), angles (`A0`), colours, scales and further numbers.
pub static TOKPIDJIN_CONSTANTS: &[(&str, Constant)] = &[
    ("F0", Constant::Int(0)),
    ("F1", Constant::Int(1)),
    ("F2", Constant::Int(2)),
    ("F3", Constant::Int(3)),
    ("F4", Constant::Int(4)),
    ("F5", Constant::Int(5)),
    ("F6", Constant::Int(6)),
    ("F7", Constant::Int(7)),
    ("F8", Constant::Int(8)),
    ("F9", Constant::Int(9)),
    ("L1", Constant::Int(-1)),
    ("L2", Constant::Int(-2)),
    ("L3", Constant::Int(-3)),
    ("L4", Constant::Int(-4)),
    ("L5", Constant::Int(-5)),
    ("L6", Constant::Int(-6)),
    ("L7", Constant::Int(-7)),
    ("L8", Constant::Int(-8)),
    ("L9", Constant::Int(-9)),
    ("L10", Constant::Int(-10)),
    ("R0", Constant::Int(0)),
    ("R1", Constant::Int(1)),
    ("R2", Constant::Int(2)),
    ("R3", Constant::Int(3)),
    ("R4", Constant::Int(4)),
    ("R5", Constant::Int(5)),
    ("R6", Constant::Int(6)),
    ("R7", Constant::Int(7)),
    ("R8", Constant::Int(8)),
    ("R9", Constant::Int(9)),
    ("A0", Constant::Int(0)),
    ("A1", Constant::Int(1)),
    ("A2", Constant::Int(2)),
    ("A3", Constant::Int(3)),
    ("A4", Constant::Int(4)),
    ("A5", Constant::Int(5)),
    ("A6", Constant::Int(6)),
    ("A7", Constant::Int(7)),
    ("A8", Constant::Int(8)),
    ("A9", Constant::Int(9)),
    ("BLACK", Constant::Int(0)),
    ("BLUE", Constant::Int(1)),
    ("RED", Constant::Int(2)),
    ("GREEN", Constant::Int(3)),
    ("YELLOW", Constant::Int(4)),
    ("GRAY", Constant::Int(5)),
    ("MAGENTA", Constant::Int(6)),
    ("ORANGE", Constant::Int(7)),
    ("CYAN", Constant::Int(8)),
    ("BURGUNDY", Constant::Int(9)),
    ("SM2", Constant::Int(2)),
    ("SM3", Constant::Int(3)),
    ("SD2", Constant::Int(-2)),
    ("SD3", Constant::Int(-3)),
    ("NEG_TEN", Constant::Int(-10)),
    ("NEG_NINE", Constant::Int(-9)),
    ("NEG_EIGHT", Constant::Int(-8)),
    ("NEG_SEVEN", Constant::Int(-7)),
    ("NEG_SIX", Constant::Int(-6)),
    ("NEG_FIVE", Constant::Int(-5)),
    ("NEG_FOUR", Constant::Int(-4)),
    ("NEG_THREE", Constant::Int(-3)),
    ("HUNDRED", Constant::Int(100)),
    ("THOUSAND", Constant::Int(1000)),
];
