//! The operations, tags and sizes on which host and device agree. `cargo xtask docs` writes them into
//! `kernels/interpreter/1_wire.cl`, too.

use std::fmt::Write;

use leyden_dsl::fault::Fault;
use leyden_dsl::marks::Mark;
use leyden_dsl::table::Prim;

/// The places that an operation uses for its result and its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// A register is enough.
    Register,
    /// A slot for cells.
    Slot,
    /// A register, and the table of numbers by object.
    Table,
    /// Both a slot and that table.
    SlotAndTable,
}

impl Room {
    pub(crate) fn has_slot(self) -> bool {
        matches!(self, Room::Slot | Room::SlotAndTable)
    }

    pub(crate) fn has_table(self) -> bool {
        matches!(self, Room::Table | Room::SlotAndTable)
    }
}

macro_rules! operations {
    ($( $name:ident = $number:literal, $phases:literal, $room:ident; )*) => {
        /// The operations of the device, by their names in the kernel source.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Op {
            $( $name = $number, )*
        }

        impl Op {
            pub(crate) const ALL: &[(Op, &str)] = &[$( (Op::$name, stringify!($name)), )*];

            /// The number of times that all lanes meet.
            pub(crate) fn phases(self) -> i32 {
                match self { $( Op::$name => $phases, )* }
            }

            pub(crate) fn room(self) -> Room {
                match self { $( Op::$name => Room::$room, )* }
            }
        }
    };
}

operations! {
    CONSTANTS = 0, 1, Register;
    LOAD = 1, 1, Slot;
    OUTPUT = 2, 3, Register;
    BRANCH = 3, 1, Slot;
    NEXT_ELEMENT = 4, 3, Register;
    JUMP = 5, 1, Register;
    JUMP_UNLESS = 18, 1, Register;
    CHARGE = 19, 1, Register;
    ONLY = 6, 3, Register;
    FIRST = 7, 3, Slot;
    ELEMENT = 8, 3, Slot;
    BEST_RESET = 9, 1, Register;
    BEST_OFFER = 10, 1, Register;
    BEST_TAKE = 11, 1, Register;
    MARKS_RESET = 12, 1, Register;
    MARK = 13, 1, Register;
    MARKED = 14, 3, Slot;
    EMPTY_SET = 15, 1, Register;
    UNITE = 16, 3, Slot;
    GATHER = 17, 3, Slot;
    HMIRROR = 20, 3, Slot;
    VMIRROR = 21, 3, Slot;
    DMIRROR = 22, 3, Slot;
    CMIRROR = 23, 3, Slot;
    UPSCALE = 24, 3, Slot;
    ROT90 = 25, 1, Slot;
    ROT180 = 26, 1, Slot;
    ROT270 = 27, 1, Slot;
    CROP = 28, 1, Slot;
    SUBGRID = 29, 1, Slot;
    HCONCAT = 30, 1, Slot;
    VCONCAT = 31, 1, Slot;
    TOPHALF = 32, 1, Slot;
    BOTTOMHALF = 33, 1, Slot;
    LEFTHALF = 34, 1, Slot;
    RIGHTHALF = 35, 1, Slot;
    HUPSCALE = 36, 1, Slot;
    VUPSCALE = 37, 1, Slot;
    DOWNSCALE = 38, 1, Slot;
    CANVAS = 39, 1, Slot;
    REPLACE = 40, 1, Slot;
    SWITCH = 41, 1, Slot;
    FILL = 42, 1, Slot;
    PAINT = 43, 1, Slot;
    UNDERFILL = 44, 1, Slot;
    UNDERPAINT = 45, 1, Slot;
    TRIM = 46, 1, Slot;
    CELLWISE = 47, 1, Slot;
    HPIECE = 48, 1, Slot;
    VPIECE = 49, 1, Slot;
    OFCOLOR = 50, 3, Slot;
    ASINDICES = 51, 3, Slot;
    ASOBJECT = 52, 3, Slot;
    TOINDICES = 53, 3, Slot;
    RECOLOR = 54, 3, Slot;
    SHIFT = 55, 3, Slot;
    NORMALIZE = 56, 3, Slot;
    BACKDROP = 57, 3, Slot;
    DELTA = 58, 3, Slot;
    BOX = 59, 3, Slot;
    INBOX = 60, 3, Slot;
    OUTBOX = 61, 3, Slot;
    CORNERS = 62, 3, Slot;
    TOOBJECT = 63, 3, Slot;
    COMBINE = 64, 3, Slot;
    DIFFERENCE = 65, 4, SlotAndTable;
    INTERSECTION = 66, 4, SlotAndTable;
    MERGE = 67, 3, Slot;
    CONNECT = 68, 3, Slot;
    SHOOT = 69, 3, Slot;
    VFRONTIER = 70, 3, Slot;
    HFRONTIER = 71, 3, Slot;
    NEIGHBORS = 72, 3, Slot;
    DNEIGHBORS = 73, 3, Slot;
    INEIGHBORS = 74, 3, Slot;
    INITSET = 75, 3, Slot;
    REMOVE = 77, 4, SlotAndTable;
    OCCURRENCES = 78, 3, Slot;
    PRODUCT = 79, 3, Slot;
    MOSTCOLOR = 80, 3, Register;
    LEASTCOLOR = 81, 3, Register;
    COLORCOUNT = 82, 3, Register;
    PALETTE = 83, 3, Register;
    NUMCOLORS = 84, 3, Register;
    EQUALITY = 85, 3, Register;
    CENTEROFMASS = 86, 3, Register;
    HMATCHING = 87, 3, Register;
    VMATCHING = 88, 3, Register;
    MANHATTAN = 89, 3, Register;
    ADJACENT = 90, 3, Register;
    HPERIOD = 91, 3, Register;
    VPERIOD = 92, 3, Register;
    GRAVITATE = 93, 4, Register;
    OBJECTS = 100, 4, SlotAndTable;
    PARTITION = 101, 4, Slot;
    FGPARTITION = 102, 4, Slot;
    COLORFILTER = 103, 4, SlotAndTable;
    SIZEFILTER = 104, 4, SlotAndTable;
    LARGEST_LABEL = 105, 5, Table;
    SMALLEST_LABEL = 106, 5, Table;
    COMPRESS = 107, 3, SlotAndTable;
    FRONTIERS = 108, 3, Slot;
    ADD = 120, 1, Register;
    SUBTRACT = 121, 1, Register;
    MULTIPLY = 122, 1, Register;
    DIVIDE = 123, 1, Register;
    INVERT = 124, 1, Register;
    DOUBLE = 125, 1, Register;
    HALVE = 126, 1, Register;
    INCREMENT = 127, 1, Register;
    DECREMENT = 128, 1, Register;
    CREMENT = 129, 1, Register;
    SIGN = 130, 1, Register;
    EVEN = 131, 1, Register;
    FLIP = 132, 1, Register;
    GREATER = 133, 1, Register;
    POSITIVE = 134, 1, Register;
    BOTH = 135, 1, Slot;
    EITHER = 136, 1, Slot;
    TOIVEC = 137, 1, Register;
    TOJVEC = 138, 1, Register;
    ASTUPLE = 139, 1, Register;
    HEIGHT = 140, 1, Register;
    WIDTH = 141, 1, Register;
    SHAPE = 142, 1, Register;
    SIZE = 143, 1, Register;
    UPPERMOST = 144, 1, Register;
    LOWERMOST = 145, 1, Register;
    LEFTMOST = 146, 1, Register;
    RIGHTMOST = 147, 1, Register;
    ULCORNER = 148, 1, Register;
    URCORNER = 149, 1, Register;
    LLCORNER = 150, 1, Register;
    LRCORNER = 151, 1, Register;
    CENTER = 152, 1, Register;
    POSITION = 153, 1, Register;
    PORTRAIT = 154, 1, Register;
    SQUARE = 155, 1, Register;
    VLINE = 156, 1, Register;
    HLINE = 157, 1, Register;
    INDEX = 158, 1, Register;
    COLOR = 159, 1, Register;
    CONTAINED = 160, 1, Register;
    BORDERING = 161, 1, Register;
    LAST = 162, 1, Register;
    MAXIMUM = 163, 1, Register;
    MINIMUM = 164, 1, Register;
    INTERVAL = 165, 1, Register;
}

impl Op {
    /// The operation that equals a primitive, with the same arguments.
    pub(crate) fn plain(prim: Prim) -> Option<Op> {
        if prim.entry().marks.has(Mark::Lowered) {
            return None;
        }
        let mut all = Op::ALL.iter();
        let (op, _) = all.find(|(_, name)| name.eq_ignore_ascii_case(prim.name()))?;
        Some(*op)
    }
}

/// Defines numbers for both sides: constants here, and `NUMBERS` for the kernel's text.
macro_rules! shared {
    ($( $(#[$doc:meta])* $name:ident: $number:ty = $value:literal; )*) => {
        $( $(#[$doc])* pub(crate) const $name: $number = $value; )*

        pub(super) const NUMBERS: &[(&str, i64)] = &[$( (stringify!($name), $name as i64), )*];
    };
}

/// Tags of values.
pub(crate) mod tag {
    shared! {
        INT: i32 = 1;
        BOOL: i32 = 2;
        PAIR: i32 = 3;
        GRID: i32 = 4;
        INDICES: i32 = 5;
        OBJECT: i32 = 6;
        EMPTY: i32 = 7;
        OBJECTS: i32 = 8;
        COLOURS: i32 = 9;
        CELL: i32 = 10;
        LINES: i32 = 11;
        RANGE: i32 = 12;
    }
}

/// The ways in which a run ends on the device.
pub(crate) mod status {
    shared! {
        RUNNING: i32 = 0;
        UNSURE: i32 = 1;
        DONE: i32 = 2;
        FAULT: i32 = 16;
    }
}

/// Flags of operations.
pub(crate) mod flag {
    shared! {
        /// `objects`: one colour for each object.
        UNIVALUED: i32 = 1;
        /// `objects`: diagonal neighbours belong together.
        DIAGONAL: i32 = 2;
        /// `objects`: without the background, whose colour is the second argument.
        WITHOUT_BACKGROUND: i32 = 4;
        /// The colours of grids only.
        GRIDS_ONLY: i32 = 1;
        /// Elements of tuples are allowed, too.
        TAKES_TUPLES: i32 = 1;
        /// The best is the largest.
        WANTS_MOST: i32 = 1;
        /// Fuel for all pairs of two sets.
        ALL_PAIRS: i32 = 1;
        /// The first of several best elements wins.
        FIRST_WINS: i32 = 8;
        /// The best of an empty container is a fault.
        FAULT_IF_EMPTY: i32 = 2;
        /// The result is the best key, not its element.
        WANTS_KEY: i32 = 4;
    }
}

mod size {
    shared! {
        /// Words of an instruction.
        INSTRUCTION_WORDS: usize = 12;
        /// Words of a program's entry.
        PROGRAM_WORDS: usize = 8;
        /// Words of a constant.
        CONSTANT_WORDS: usize = 4;
        /// Words of a result.
        RECORD_WORDS: usize = 8;
        /// Words of a register.
        REGISTER_WORDS: usize = 8;
        /// Words that all lanes share.
        SCRATCH_WORDS: usize = 128;
        /// Words of the marks of a filter.
        MARK_WORDS: usize = 64;
        /// Words of the table of numbers by object.
        PARENT_WORDS: usize = 1024;
        /// Bytes of a slot.
        SLOT_BYTES: usize = 2048;
        /// The largest number of cells of a grid on the device.
        MAX_GRID_CELLS: usize = 2048;
        /// The largest number of cells among which the device finds objects.
        MAX_LABELLED_CELLS: usize = 1024;
        /// The largest height and width of a set of locations.
        MAX_BITS_SIDE: usize = 128;
        /// The largest colour.
        MAX_COLOUR: usize = 14;
        /// The largest number of cells of the rectangle around a patch.
        MAX_FRAME_CELLS: usize = 65536;
        /// The largest height and width of a grid in which the device finds frontiers.
        MAX_LINES: usize = 30;
        /// The largest number of elements of a range.
        MAX_RANGE: usize = 4096;
        /// The largest number of pairs of elements of two sets.
        MAX_PAIRS: usize = 100000;
        /// The largest number of pairs of cells that one operation goes through.
        MAX_WORK: usize = 1048576;
    }
}

pub(crate) use size::{
    INSTRUCTION_WORDS, MAX_GRID_CELLS, PARENT_WORDS, PROGRAM_WORDS, RECORD_WORDS, REGISTER_WORDS,
    SCRATCH_WORDS, SLOT_BYTES,
};

/// The faults that the device finds by itself.
const FAULTS: [(&str, Fault); 3] = [
    ("STOP_ITERATION", Fault::StopIteration),
    ("VALUE_ERROR", Fault::ValueError),
    ("ZERO_DIVISION", Fault::ZeroDivisionError),
];

/// The numbers as text of the kernel: `kernels/interpreter/1_wire.cl`.
pub fn wire_text() -> String {
    let named = |numbers: &[(&str, i64)], prefix: &str| -> Vec<(String, i64)> {
        let named = |(name, number): &(&str, i64)| (format!("{prefix}{name}"), *number);
        numbers.iter().map(named).collect()
    };
    let number = |fault: &Fault| Fault::ALL.iter().position(|other| other == fault);
    let faults = FAULTS.map(|(name, fault)| (name, number(&fault).unwrap_or(0) as i64));
    let mut operations: Vec<(&str, i64)> = Op::ALL
        .iter()
        .map(|(op, name)| (*name, *op as i64))
        .collect();
    operations.sort_by_key(|(_, number)| *number);
    let mut text = "/* ---- The numbers on which host and device agree. `cargo xtask docs` writes \
                    this file from src/wire.rs. ---- */\n"
        .to_owned();
    for numbers in [
        named(tag::NUMBERS, "TAG_"),
        named(status::NUMBERS, "STATUS_"),
        named(&faults, "FAULT_"),
        named(flag::NUMBERS, ""),
        named(size::NUMBERS, ""),
        named(&operations, "OP_"),
    ] {
        text.push('\n');
        for (name, number) in numbers {
            let _ = writeln!(text, "#define {name} {number}");
        }
    }
    text.push('\n');
    text
}

macro_rules! joined {
    ($( $name:literal )*) => {
        /// The text of the kernel, which is OpenCL C and CUDA C.
        #[cfg(any(test, feature = "opencl"))]
        pub(crate) const KERNEL: &str =
            concat!($( include_str!(concat!("../kernels/interpreter/", $name)), )*);

        /// The files of the kernel's text.
        #[cfg(test)]
        const PARTS: &[&str] = &[$( $name, )*];
    };
}

joined! {
    "0_languages.cl" "1_wire.cl" "2_machine.cl" "3_grids.cl" "4_patches.cl" "5_facts.cl"
    "6_objects.cl" "7_elements.cl" "8_numbers.cl" "9_interpret.cl"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_all_files_in_the_order_of_their_names() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/interpreter");
        let entries = std::fs::read_dir(directory).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        assert_eq!(names, PARTS);
    }

    #[test]
    fn the_kernel_has_these_numbers_and_no_second_definition() {
        assert!(
            KERNEL.contains(&wire_text()),
            "`cargo xtask docs` writes kernels/interpreter/1_wire.cl"
        );
        let text = wire_text();
        for line in text.lines().filter(|line| line.starts_with("#define")) {
            let (definition, _) = line.rsplit_once(' ').unwrap();
            let definition = format!("{definition} ");
            assert_eq!(KERNEL.matches(&definition).count(), 1, "{line}");
        }
    }

    #[test]
    fn numbers_of_operations_are_distinct() {
        let mut numbers: Vec<i32> = Op::ALL.iter().map(|(op, _)| *op as i32).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), Op::ALL.len());
    }
}
