//! Devices that CUDA knows.
//!
//! The loader finds the driver's library at run time. The interpreter is part of this crate, as
//! machine code for common GPUs and as PTX for all others, so no toolkit is needed. Two launches are
//! under way at a time, each with its own stream and page-locked memory, so that one copies while
//! the other computes.

mod calls;
mod images;

use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::session::Backend as _;
pub use crate::session::Settings;
pub use calls::Cuda;

/// A CUDA device that is ready to run programs.
pub type Session = crate::session::Session<Cuda>;

/// Samples on a CUDA device.
pub type Resident = crate::session::Resident<Cuda>;

/// The devices of this machine, in the order of their numbers.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let found = Cuda::find()?;
    Ok(found.into_iter().map(|(info, _)| info).collect())
}
