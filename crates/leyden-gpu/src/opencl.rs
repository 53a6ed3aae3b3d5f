//! Devices that OpenCL knows.

mod calls;

use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::session::Backend as _;
pub use crate::session::Settings;
pub use calls::OpenCl;

/// An OpenCL device that is ready to run programs.
pub type Session = crate::session::Session<OpenCl>;

/// Samples on an OpenCL device.
pub type Resident = crate::session::Resident<OpenCl>;

/// The devices of this machine, in the order of their numbers.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let found = OpenCl::find()?;
    Ok(found.into_iter().map(|(info, _)| info).collect())
}
