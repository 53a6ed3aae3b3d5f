//! The operations, tags and sizes on which host and device agree. `kernels/interpreter/1_wire.cl`
//! has these numbers, too; a test compares them.

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

/// The first operation that equals the primitive of its name, with the same arguments.
const FIRST_PLAIN: i32 = Op::HMIRROR as i32;

impl Op {
    /// The operation that equals a primitive, with the same arguments.
    pub(crate) fn plain(primitive: &str) -> Option<Op> {
        let (op, _) = Op::ALL
            .iter()
            .find(|(op, name)| *op as i32 >= FIRST_PLAIN && name.eq_ignore_ascii_case(primitive))?;
        let needs_more = matches!(
            op,
            Op::UNDERFILL | Op::UNDERPAINT | Op::OBJECTS | Op::FGPARTITION
        );
        (!needs_more).then_some(*op)
    }
}

/// Tags of values.
pub(crate) mod tag {
    pub(crate) const INT: i32 = 1;
    pub(crate) const BOOL: i32 = 2;
    pub(crate) const PAIR: i32 = 3;
    pub(crate) const GRID: i32 = 4;
}

/// The ways in which a run ends on the device.
pub(crate) mod status {
    pub(crate) const UNSURE: i32 = 1;
    pub(crate) const DONE: i32 = 2;
    pub(crate) const FAULT: i32 = 16;
}

/// Flags of operations.
pub(crate) mod flag {
    /// `objects`: one colour for each object.
    pub(crate) const UNIVALUED: i32 = 1;
    /// `objects`: diagonal neighbours belong together.
    pub(crate) const DIAGONAL: i32 = 2;
    /// `objects`: without the background, whose colour is the second argument.
    pub(crate) const WITHOUT_BACKGROUND: i32 = 4;
    /// The colours of grids only.
    pub(crate) const GRIDS_ONLY: i32 = 1;
    /// Elements of tuples are allowed, too.
    pub(crate) const TAKES_TUPLES: i32 = 1;
    /// The best is the largest.
    pub(crate) const WANTS_MOST: i32 = 1;
    /// Fuel for all pairs of two sets.
    pub(crate) const ALL_PAIRS: i32 = 1;
    /// The first of several best elements wins.
    pub(crate) const FIRST_WINS: i32 = 8;
    /// The best of an empty container is a fault.
    pub(crate) const FAULT_IF_EMPTY: i32 = 2;
    /// The result is the best key, not its element.
    pub(crate) const WANTS_KEY: i32 = 4;
}

/// Words of an instruction.
pub(crate) const INSTRUCTION_WORDS: usize = 12;
/// Words of a program's entry.
pub(crate) const PROGRAM_WORDS: usize = 8;
/// Words of a result.
pub(crate) const RECORD_WORDS: usize = 8;
/// Words of a register.
pub(crate) const REGISTER_WORDS: usize = 8;
/// Words that all lanes share.
pub(crate) const SCRATCH_WORDS: usize = 128;
/// Words of the table of numbers by object.
pub(crate) const PARENT_WORDS: usize = 1024;
/// Bytes of a slot.
pub(crate) const SLOT_BYTES: usize = 2048;
/// The largest number of cells of a grid on the device.
pub(crate) const MAX_GRID_CELLS: usize = 2048;

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

/// The kernel as PTX; `tools/make_ptx.py` makes it.
#[cfg(feature = "cuda")]
pub(crate) const PTX: &str = include_str!("../kernels/interpreter.ptx");

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn defined() -> BTreeMap<&'static str, i32> {
        let definition = |line: &'static str| {
            let (name, number) = line.strip_prefix("#define ")?.split_once(' ')?;
            Some((name, number.parse().ok()?))
        };
        KERNEL.lines().filter_map(definition).collect()
    }

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
    fn operations_have_the_numbers_of_the_kernel() {
        let there: BTreeMap<String, i32> = defined()
            .into_iter()
            .filter_map(|(name, number)| Some((name.strip_prefix("OP_")?.to_owned(), number)))
            .collect();
        let here = Op::ALL
            .iter()
            .map(|(op, name)| ((*name).to_owned(), *op as i32));
        assert_eq!(here.collect::<BTreeMap<_, _>>(), there);
    }

    #[test]
    fn sizes_tags_and_flags_are_those_of_the_kernel() {
        let there = defined();
        for (name, here) in [
            ("TAG_INT", tag::INT),
            ("TAG_BOOL", tag::BOOL),
            ("TAG_PAIR", tag::PAIR),
            ("TAG_GRID", tag::GRID),
            ("STATUS_UNSURE", status::UNSURE),
            ("STATUS_DONE", status::DONE),
            ("STATUS_FAULT", status::FAULT),
            ("UNIVALUED", flag::UNIVALUED),
            ("DIAGONAL", flag::DIAGONAL),
            ("WITHOUT_BACKGROUND", flag::WITHOUT_BACKGROUND),
            ("GRIDS_ONLY", flag::GRIDS_ONLY),
            ("TAKES_TUPLES", flag::TAKES_TUPLES),
            ("ALL_PAIRS", flag::ALL_PAIRS),
            ("FIRST_WINS", flag::FIRST_WINS),
            ("FAULT_IF_EMPTY", flag::FAULT_IF_EMPTY),
            ("WANTS_KEY", flag::WANTS_KEY),
            ("INSTRUCTION_WORDS", INSTRUCTION_WORDS as i32),
            ("PROGRAM_WORDS", PROGRAM_WORDS as i32),
            ("RECORD_WORDS", RECORD_WORDS as i32),
            ("REGISTER_WORDS", REGISTER_WORDS as i32),
            ("SCRATCH_WORDS", SCRATCH_WORDS as i32),
            ("PARENT_WORDS", PARENT_WORDS as i32),
            ("SLOT_BYTES", SLOT_BYTES as i32),
            ("MAX_GRID_CELLS", MAX_GRID_CELLS as i32),
        ] {
            assert_eq!(there.get(name), Some(&here), "{name}");
        }
    }

    #[test]
    fn faults_have_the_numbers_of_the_kernel() {
        use leyden_dsl::fault::Fault;
        let number = |fault: Fault| Fault::ALL.iter().position(|other| *other == fault);
        for (name, fault) in [
            ("FAULT_STOP_ITERATION", Fault::StopIteration),
            ("FAULT_VALUE_ERROR", Fault::ValueError),
            ("FAULT_ZERO_DIVISION", Fault::ZeroDivisionError),
        ] {
            assert_eq!(defined().get(name).map(|n| *n as usize), number(fault));
        }
    }
}
