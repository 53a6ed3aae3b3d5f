//! What stands in the way of a device.

use thiserror::Error;

/// Why a device cannot be had, or what it failed at. Every message names a remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GpuError {
    /// The library that knows the drivers is not there.
    #[error(
        "no OpenCL loader (libOpenCL.so.1) on this machine; install one, such as the package ocl-icd-libopencl1, or run on the CPU"
    )]
    NoLoader,
    /// There is no driver, or no device behind it.
    #[error(
        "the OpenCL loader knows no device; install the driver of your GPU, or PoCL (package pocl-opencl-icd) to use the processor, or run on the CPU"
    )]
    NoDevice,
    /// CUDA's driver is not there.
    #[error("no CUDA driver (libcuda) on this machine; install NVIDIA's driver, or run on the CPU")]
    NoCudaDriver,
    /// CUDA's driver is there, and no device behind it.
    #[error(
        "the CUDA driver knows no device; see what `nvidia-smi` says, and whether a GPU was given to this machine, or run on the CPU"
    )]
    NoCudaDevice,
    /// CUDA's driver lacks a function.
    #[error(
        "the CUDA driver is not complete, or older than CUDA 12 ({0}); install a newer one, or run on the CPU"
    )]
    OldCudaDriver(String),
    /// There are fewer devices than that.
    #[error(
        "there is no device {wanted}: {found} found, counted from 0; `leyden gpu list` shows them"
    )]
    NoSuchDevice {
        /// The number asked for.
        wanted: usize,
        /// How many there are.
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
        /// What was asked of the driver.
        call: &'static str,
        /// Its error.
        error: String,
    },
    /// The device cannot hold one group.
    #[error(
        "the device has {found} bytes of local memory for a group, {needed} are needed; use another device or the CPU"
    )]
    LocalMemory {
        /// What there is.
        found: u64,
        /// What the smallest program needs.
        needed: u64,
    },
    /// Positions on the device are numbers of 31 bits.
    #[error(
        "{what} have {n_elements} parts, more than a device can number; send them in several batches"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How many parts it has.
        n_elements: usize,
    },
    /// The device cannot hold a batch.
    #[error(
        "the device has {found} bytes of memory, {needed} are needed; use another device or the CPU"
    )]
    Memory {
        /// What there is.
        found: u64,
        /// What the smallest batch needs.
        needed: u64,
    },
    /// The build has no such backend.
    #[error(
        "this build of leyden does not speak {name}; build it with `--features {name}`, or run on the CPU"
    )]
    NotBuilt {
        /// What it does not speak, and the feature for it.
        name: &'static str,
    },
}
