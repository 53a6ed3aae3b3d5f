//! The interpreter in the forms that CUDA's driver loads. `tools/make_ptx.py` makes the files.

/// The interpreter for every GPU of compute capability 6.0 or later. The driver compiles it when it
/// loads it, which takes seconds.
pub(super) const PTX: &str = include_str!("../../kernels/interpreter.ptx");

/// Machine code of the interpreter, which the driver loads without compiling.
struct Cubin {
    /// The compute capability that it was compiled for.
    major: i32,
    minor: i32,
    code: &'static [u8],
}

/// P100, T4 and L4.
const CUBINS: [Cubin; 3] = [
    Cubin {
        major: 6,
        minor: 0,
        code: include_bytes!("../../kernels/interpreter.sm_60.cubin"),
    },
    Cubin {
        major: 7,
        minor: 5,
        code: include_bytes!("../../kernels/interpreter.sm_75.cubin"),
    },
    Cubin {
        major: 8,
        minor: 9,
        code: include_bytes!("../../kernels/interpreter.sm_89.cubin"),
    },
];

/// The machine code for a device of a compute capability. A device runs code for its major number
/// and for a minor number up to its own.
pub(super) fn cubin_for((major, minor): (i32, i32)) -> Option<&'static [u8]> {
    let runs = |cubin: &&Cubin| cubin.major == major && cubin.minor <= minor;
    CUBINS.iter().find(runs).map(|cubin| cubin.code)
}
