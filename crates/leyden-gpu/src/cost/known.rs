//! The devices that the model knows.

use super::Costs;

/// A device, its constants and their origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Its name in the model.
    pub name: &'static str,
    /// Whether it is a GPU and not a processor.
    pub is_gpu: bool,
    /// Whether the constants were measured. Otherwise they are a prediction.
    pub is_measured: bool,
    /// The constants.
    pub costs: Costs,
}

impl Known {
    /// Whether a device is of this kind: its name contains one of the words.
    pub(super) fn names(&self, device: &str) -> bool {
        device.split([' ', '-']).any(|word| word == self.name)
    }
}

/// The processor under PoCL and the CPU's own engine, both on one core of a 2-core machine (`leyden
/// gpu bench`).
const PROCESSOR: Costs = Costs {
    start_us: 100.0,
    launch_us: 200.0,
    copy_us: 20.0,
    bus_gb_per_s: 4.0,
    instruction_us: 2.8,
    cell_ns: 74.0,
    n_groups: 2.0,
    cpu_run_us: 0.2,
    cpu_instruction_ns: 40.0,
    cpu_cell_ns: 1.2,
};

/// The number of lanes of a group, which share the cells of an instruction.
const LANES: f64 = 64.0;

/// The data sheet of a GPU.
struct Sheet {
    gigahertz: f64,
    n_multiprocessors: f64,
    /// The number of groups of 16 KB that fit into one (`tools/make_ptx.py --resources`).
    groups_of_each: f64,
    bus_gb_per_s: f64,
}

/// The clock of the measured processor, and the factor of cycles that a lane takes for the same
/// code, since it waits for each instruction before it starts the next. All predictions rest on
/// this guess, which may be wrong by a factor of three.
const GIGAHERTZ_OF_PROCESSOR: f64 = 3.0;
const CYCLES_OF_A_LANE: f64 = 5.0;

const fn predicted(name: &'static str, sheet: Sheet) -> Known {
    let slowness = CYCLES_OF_A_LANE * GIGAHERTZ_OF_PROCESSOR / sheet.gigahertz;
    Known {
        name,
        is_gpu: true,
        is_measured: false,
        costs: Costs {
            start_us: 50.0,
            launch_us: 10.0,
            copy_us: 10.0,
            bus_gb_per_s: sheet.bus_gb_per_s,
            instruction_us: PROCESSOR.instruction_us * slowness,
            cell_ns: PROCESSOR.cell_ns * slowness / LANES,
            n_groups: sheet.n_multiprocessors * sheet.groups_of_each,
            ..PROCESSOR
        },
    }
}

/// The devices that the model knows. Any other processor or GPU counts as the first of its kind.
pub const KNOWN: &[Known] = &[
    Known {
        name: "PoCL",
        is_gpu: false,
        is_measured: true,
        costs: PROCESSOR,
    },
    predicted(
        "T4",
        Sheet {
            gigahertz: 1.3,
            n_multiprocessors: 40.0,
            groups_of_each: 4.0,
            bus_gb_per_s: 8.0,
        },
    ),
    predicted(
        "P100",
        Sheet {
            gigahertz: 1.3,
            n_multiprocessors: 56.0,
            groups_of_each: 4.0,
            bus_gb_per_s: 8.0,
        },
    ),
    predicted(
        "L4",
        Sheet {
            gigahertz: 1.8,
            n_multiprocessors: 58.0,
            groups_of_each: 5.0,
            bus_gb_per_s: 16.0,
        },
    ),
];
