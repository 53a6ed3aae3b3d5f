//! Runs whole programs on a GPU: grids are uploaded once, one work-group runs one program on one
//! grid, and a few bytes come back.
//!
//! [`Compiled`] is a program as the device reads it. A [`Session`] (`opencl::Session`,
//! `cuda::Session`, with the features of these names) keeps [`Samples`] on a device and runs
//! batches of compiled programs on them. The device never guesses: if it is not sure, it answers
//! [`Answer::Unsure`], which has no [`Answer::outcome`], and the CPU has to decide. So an answer is
//! right or absent.
//!
//! ```
//! use leyden_gpu::Compiled;
//!
//! let source = "def solve_0a1b2c3d(I):\n    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = subgrid(x2, I)\n    return O\n";
//! let program = leyden_lang::parse(source, "mine.py", None).unwrap().remove(0);
//! assert!(Compiled::of(&program).is_ok());
//! ```

// Without a backend, no code runs compiled programs.
#![cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]

mod backend;
mod batch;
pub mod bench;
mod compile;
pub mod cost;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
mod error;
pub mod fleet;
mod hash;
#[cfg(feature = "opencl")]
pub mod opencl;
mod selftest;
mod session;
pub mod share;
mod times;
mod wire;

pub use backend::Devices;
pub use batch::{Answer, Job, Samples, Transfers};
pub use compile::{Compiled, Refusal, count_supported_lines, device_primitives};
pub use device::DeviceInfo;
pub use error::GpuError;
pub use hash::hash_of_grid;
pub use selftest::{Tally, Verdict, selftest};
pub use session::{Backend, Opening, Resident, Session, Settings};
pub use times::Times;
pub use wire::wire_text;

/// The features that this build has, of `cuda` and `opencl`.
pub fn backends() -> &'static [&'static str] {
    match (cfg!(feature = "cuda"), cfg!(feature = "opencl")) {
        (true, true) => &["cuda", "opencl"],
        (true, false) => &["cuda"],
        (false, true) => &["opencl"],
        (false, false) => &[],
    }
}
