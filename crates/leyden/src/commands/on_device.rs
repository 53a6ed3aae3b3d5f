//! Work on a device of the backend that the user names.

use leyden_exec::with_large_stack;
use leyden_gpu::{Backend, Session, Settings};

use crate::args::gpu::TestedBackend;
use crate::failure::Failure;

/// Something to do with an open device.
pub(super) trait DeviceWork: Send {
    type Done: Send;

    fn run<B: Backend>(self, session: &Session<B>) -> Result<Self::Done, Failure>;
}

/// Opens a device by its number, and does the work on a thread with a large stack.
pub(super) fn on_device<W: DeviceWork>(
    backend: TestedBackend,
    number: usize,
    settings: Settings,
    work: W,
) -> Result<W::Done, Failure> {
    with_large_stack(|| match backend {
        #[cfg(feature = "cuda")]
        TestedBackend::Cuda => opened::<leyden_gpu::cuda::Cuda, W>(number, settings, work),
        #[cfg(feature = "opencl")]
        TestedBackend::Opencl => opened::<leyden_gpu::opencl::OpenCl, W>(number, settings, work),
        #[cfg(not(all(feature = "opencl", feature = "cuda")))]
        missing => {
            let name = missing.name();
            Err(leyden_gpu::GpuError::NotBuilt { name }.into())
        }
    })
}

fn opened<B: Backend, W: DeviceWork>(
    number: usize,
    settings: Settings,
    work: W,
) -> Result<W::Done, Failure> {
    work.run(&Session::<B>::open(number, settings)?)
}
