//! Errors of devices.

use thiserror::Error;

/// The reason why a device is not available, or why it failed. Every message names a remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GpuError {
    /// The loader of drivers is missing.
    #[error(
        "no OpenCL loader (libOpenCL.so.1) on this machine; install one, such as the package ocl-icd-libopencl1, or run on the CPU"
    )]
    NoLoader,
    /// No driver, or no device behind it, exists.
    #[error(
        "the OpenCL loader knows no device; install the driver of your GPU, or PoCL (package pocl-opencl-icd) to use the processor, or run on the CPU"
    )]
    NoDevice,
    /// CUDA's driver is missing.
    #[error("no CUDA driver (libcuda) on this machine; install NVIDIA's driver, or run on the CPU")]
    NoCudaDriver,
    /// CUDA's driver exists, but has no device.
    #[error(
        "the CUDA driver knows no device; see what `nvidia-smi` says, and whether a GPU was given to this machine, or run on the CPU"
    )]
    NoCudaDevice,
    /// CUDA's driver lacks a function.
    #[error(
        "the CUDA driver is not complete, or older than CUDA 12 ({0}); install a newer one, or run on the CPU"
    )]
    OldCudaDriver(String),
    /// The machine has fewer devices than requested.
    #[error(
        "there is no device {wanted}: {found} found, counted from 0; `leyden gpu list` shows them"
    )]
    NoSuchDevice {
        /// The requested number.
        wanted: usize,
        /// The number of devices.
        found: usize,
    },
    /// The driver's compiler refused the kernel.
    #[error(
        "the device's driver could not compile the interpreter; a newer driver may help. It says:\n{0}"
    )]
    Build(String),
    /// A call of the driver failed.
    #[error("{call} failed with {error}; a smaller batch, a newer driver or the CPU may help")]
    Call {
        /// The call.
        call: &'static str,
        /// Its error.
        error: String,
    },
    /// The device cannot hold one group.
    #[error(
        "the device has {found} bytes of local memory for a group, {needed} are needed; use another device or the CPU"
    )]
    LocalMemory {
        /// The memory of the device.
        found: u64,
        /// The need of the smallest program.
        needed: u64,
    },
    /// Positions on the device are numbers of 31 bits.
    #[error(
        "{what} have {n_elements} parts, more than a device can number; send them in several batches"
    )]
    TooLarge {
        /// The data that is too large.
        what: &'static str,
        /// The number of its parts.
        n_elements: usize,
    },
    /// The device cannot hold a batch.
    #[error(
        "the device has {found} bytes of memory, {needed} are needed; use another device or the CPU"
    )]
    Memory {
        /// The memory of the device.
        found: u64,
        /// The need of the smallest batch.
        needed: u64,
    },
    /// The build has no such backend.
    #[error(
        "this build of leyden does not speak {name}; build it with `--features {name}`, or run on the CPU"
    )]
    NotBuilt {
        /// The missing backend, and the feature for it.
        name: &'static str,
    },
}
