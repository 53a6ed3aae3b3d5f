//! Devices that CUDA knows. They can be listed; programs do not run on them yet.
#![allow(unsafe_code)]

use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK;
use cudarc::driver::{CudaContext, DriverError, sys};

use crate::device::DeviceInfo;
use crate::error::GpuError;

fn failed(call: &'static str) -> impl Fn(DriverError) -> GpuError {
    move |error| GpuError::Call {
        call,
        error: format!("{error:?}"),
    }
}

/// The devices of this machine, in the order of their numbers.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    // Every other call panics without the library.
    // SAFETY: opening the driver's library runs its own start-up code and nothing of ours.
    if !unsafe { sys::is_culib_present() } {
        return Err(GpuError::NoCudaDriver);
    }
    let n_devices = CudaContext::device_count().map_err(|_| GpuError::NoCudaDevice)?;
    match usize::try_from(n_devices) {
        Ok(0) | Err(_) => Err(GpuError::NoCudaDevice),
        Ok(n) => (0..n).map(info).collect(),
    }
}

fn info(number: usize) -> Result<DeviceInfo, GpuError> {
    let context = CudaContext::new(number).map_err(failed("cuDevicePrimaryCtxRetain"))?;
    let ask = || -> Result<DeviceInfo, DriverError> {
        let (major, minor) = context.compute_capability()?;
        let shared = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?;
        Ok(DeviceInfo {
            name: context.name()?,
            vendor: "NVIDIA".to_owned(),
            driver: format!("compute capability {major}.{minor}"),
            is_gpu: true,
            memory: context.total_mem()? as u64,
            local_memory: shared.max(0) as u64,
        })
    };
    ask().map_err(failed("cuDeviceGetAttribute"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_cuda_is_an_error_that_helps() {
        match devices() {
            Ok(devices) => assert!(!devices.is_empty()),
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("install") || message.contains("nvidia-smi"),
                    "{message}"
                );
            }
        }
    }
}
