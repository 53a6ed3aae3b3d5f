//! Every call of the CUDA driver. This file checks the sizes and kinds of all data passed to it.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig,
    PinnedHostSlice, PushKernelArg, ValidAsZeroBits, sys,
};
use cudarc::nvrtc::Ptx;

use super::images::{PTX, cubin_for};
use crate::batch::{Programs, Returned, Samples};
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::session::{Backend, Launch};
use crate::times::timed;

type Called<T> = Result<T, DriverError>;

/// The number of streams, which take turns.
const N_STREAMS: usize = 2;

fn failed(call: &'static str) -> impl Fn(DriverError) -> GpuError {
    move |error| GpuError::Call {
        call,
        error: error.to_string(),
    }
}

/// Turns a panic into an error. The wrapper panics if an old driver lacks a function.
fn guarded<T>(calls: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    catch_unwind(AssertUnwindSafe(calls)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        Err(GpuError::OldCudaDriver(said.unwrap_or_default()))
    })
}

/// The number of a device that can be opened.
pub struct Found(usize);

fn devices() -> Result<Vec<(DeviceInfo, Found)>, GpuError> {
    // Every other call panics without the library.
    // SAFETY: opening the driver's library runs only its own start-up code.
    if !unsafe { sys::is_culib_present() } {
        return Err(GpuError::NoCudaDriver);
    }
    let n_devices = CudaContext::device_count().map_err(|_| GpuError::NoCudaDevice)?;
    match usize::try_from(n_devices) {
        Ok(0) | Err(_) => Err(GpuError::NoCudaDevice),
        Ok(n) => (0..n).map(|k| Ok((info(k)?, Found(k)))).collect(),
    }
}

fn info(number: usize) -> Result<DeviceInfo, GpuError> {
    let context = CudaContext::new(number).map_err(failed("cuDevicePrimaryCtxRetain"))?;
    let ask = || -> Called<DeviceInfo> {
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

/// A CUDA device with the interpreter loaded.
pub struct Cuda {
    kernel: CudaFunction,
    context: Arc<CudaContext>,
    /// Lanes that no launch uses.
    spare: RefCell<Vec<Lane>>,
}

fn open(found: &Found) -> Result<Cuda, GpuError> {
    let context = CudaContext::new(found.0).map_err(failed("cuDevicePrimaryCtxRetain"))?;
    let kernel = interpreter(&context)?;
    let lanes = (0..N_STREAMS).map(|_| Lane::new(&context));
    let lanes: Called<Vec<Lane>> = lanes.collect();
    Ok(Cuda {
        kernel,
        spare: RefCell::new(lanes.map_err(failed("cuStreamCreate"))?),
        context,
    })
}

/// Loads machine code if the crate has some for the device and the driver accepts it, otherwise PTX.
fn interpreter(context: &Arc<CudaContext>) -> Result<CudaFunction, GpuError> {
    let capability = context
        .compute_capability()
        .map_err(failed("cuDeviceGetAttribute"))?;
    let cubin = cubin_for(capability).map(|code| Ptx::from_binary(code.to_vec()));
    if let Some(Ok(kernel)) = cubin.map(|cubin| loaded(context, cubin)) {
        return Ok(kernel);
    }
    loaded(context, Ptx::from_src(PTX)).map_err(|error| GpuError::Build(error.to_string()))
}

fn loaded(context: &Arc<CudaContext>, image: Ptx) -> Called<CudaFunction> {
    context.load_module(image)?.load_function("interpret")
}

/// Memory on the device, and page-locked memory of that size on the host.
struct Mirrored<T> {
    there: CudaSlice<T>,
    here: PinnedHostSlice<T>,
}

impl<T: DeviceRepr + ValidAsZeroBits> Mirrored<T> {
    fn new(stream: &Arc<CudaStream>, n_elements: usize) -> Called<Mirrored<T>> {
        let there = stream.alloc_zeros(n_elements)?;
        // SAFETY: `send` or `fetch` fills a part of it before the part is read.
        let here = unsafe { stream.context().alloc_pinned_with_flags(n_elements, 0) }?;
        Ok(Mirrored { there, here })
    }

    /// Makes it large enough; the content is lost.
    fn reserve(&mut self, stream: &Arc<CudaStream>, n_elements: usize) -> Called<()> {
        if self.there.len() < n_elements {
            *self = Mirrored::new(stream, n_elements.next_power_of_two())?;
        }
        Ok(())
    }
}

impl<T: DeviceRepr + ValidAsZeroBits + Copy> Mirrored<T> {
    /// Starts copying to the device.
    fn send(&mut self, stream: &Arc<CudaStream>, data: &[T]) -> Called<()> {
        let here = &mut self.here.as_mut_slice()?[..data.len()];
        here.copy_from_slice(data);
        stream.memcpy_htod(here, &mut self.there.slice_mut(..data.len()))
    }

    /// Starts copying from the device. The copy may go on after the call. `here` stays untouched
    /// until the stream was waited for, and `Lane::drop` keeps it alive until then.
    fn fetch(&mut self, stream: &Arc<CudaStream>, n_elements: usize) -> Called<()> {
        if n_elements == 0 {
            return Ok(());
        }
        let here = &mut self.here.as_mut_slice()?[..n_elements];
        stream.memcpy_dtoh(&self.there.slice(..n_elements), here)
    }
}

/// A stream with memory for the jobs and results of one launch.
struct Lane {
    stream: Arc<CudaStream>,
    jobs: Mirrored<i32>,
    records: Mirrored<i32>,
    outputs: Mirrored<u8>,
}

impl Lane {
    fn new(context: &Arc<CudaContext>) -> Called<Lane> {
        let stream = context.new_stream()?;
        Ok(Lane {
            jobs: Mirrored::new(&stream, 1)?,
            records: Mirrored::new(&stream, 1)?,
            outputs: Mirrored::new(&stream, 1)?,
            stream,
        })
    }

    fn reserve(&mut self, launch: &Launch<'_, Cuda>) -> Called<()> {
        self.jobs.reserve(&self.stream, launch.jobs.len())?;
        self.records
            .reserve(&self.stream, launch.n_record_words())?;
        self.outputs.reserve(&self.stream, launch.n_output_bytes())
    }
}

impl Drop for Lane {
    /// Waits for the stream, so that no copy goes to freed memory.
    fn drop(&mut self) {
        _ = self.stream.synchronize();
    }
}

/// Samples on the device.
pub struct SampleBuffers {
    grids: CudaSlice<i32>,
    cells: CudaSlice<u8>,
    pairs: CudaSlice<i32>,
}

/// Programs on the device.
pub struct ProgramBuffers {
    entries: CudaSlice<i32>,
    code: CudaSlice<i32>,
    constants: CudaSlice<i32>,
}

/// A lane with a launch on it.
pub struct Started {
    lane: Lane,
    n_record_words: usize,
    n_output_bytes: usize,
    kernel: Duration,
}

impl Cuda {
    /// Copies data to the device. Empty data gets memory for one element, as empty memory does not
    /// exist.
    fn upload<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        data: &[T],
    ) -> Result<CudaSlice<T>, GpuError> {
        let stream = self.context.default_stream();
        let copied = if data.is_empty() {
            stream.alloc_zeros(1)
        } else {
            stream.clone_htod(data)
        };
        copied.map_err(failed("cuMemcpyHtoD"))
    }

    /// Takes a free lane, or makes another.
    fn lane(&self) -> Result<Lane, GpuError> {
        match self.spare.borrow_mut().pop() {
            Some(lane) => Ok(lane),
            None => Lane::new(&self.context).map_err(failed("cuStreamCreate")),
        }
    }

    fn enqueue(&self, launch: &Launch<'_, Cuda>, lane: &mut Lane) -> Called<()> {
        let wants_grids = i32::from(launch.wants_grids);
        let config = LaunchConfig {
            grid_dim: (launch.n_jobs() as u32, 1, 1),
            block_dim: (launch.lanes as u32, 1, 1),
            shared_mem_bytes: launch.local_bytes as u32,
        };
        let mut call = lane.stream.launch_builder(&self.kernel);
        call.arg(&launch.programs.entries)
            .arg(&launch.programs.code)
            .arg(&launch.programs.constants)
            .arg(&launch.samples.grids)
            .arg(&launch.samples.cells)
            .arg(&launch.samples.pairs)
            .arg(&lane.jobs.there)
            .arg(&mut lane.records.there)
            .arg(&mut lane.outputs.there)
            .arg(&launch.n_registers)
            .arg(&launch.has_table)
            .arg(&wants_grids)
            .arg(&launch.fuel);
        // SAFETY: the arguments are those of `interpret`, in its order; jobs name programs and
        // samples that exist, and there is a record, and a grid if wanted, for each of them.
        unsafe { call.launch(config) }.map(|_| ())
    }

    /// Queues a whole launch; returns the time of the kernel, if it is timed.
    fn queue_all(&self, launch: &Launch<'_, Cuda>, lane: &mut Lane) -> Called<Duration> {
        let wait = |lane: &Lane| {
            if launch.is_timed {
                lane.stream.synchronize()
            } else {
                Ok(())
            }
        };
        lane.reserve(launch)?;
        lane.jobs.send(&lane.stream, launch.jobs)?;
        wait(lane)?;
        let (done, kernel) = timed(|| {
            self.enqueue(launch, lane)?;
            wait(lane)
        });
        done?;
        lane.records.fetch(&lane.stream, launch.n_record_words())?;
        lane.outputs.fetch(&lane.stream, launch.n_output_bytes())?;
        Ok(kernel)
    }

    fn read(&self, started: &Started) -> Called<Returned> {
        started.lane.stream.synchronize()?;
        let (records, outputs) = (&started.lane.records.here, &started.lane.outputs.here);
        Ok(Returned {
            records: records.as_slice()?[..started.n_record_words].to_vec(),
            outputs: outputs.as_slice()?[..started.n_output_bytes].to_vec(),
        })
    }
}

impl Backend for Cuda {
    type Found = Found;
    type SampleBuffers = SampleBuffers;
    type ProgramBuffers = ProgramBuffers;
    type Started = Started;

    fn find() -> Result<Vec<(DeviceInfo, Found)>, GpuError> {
        guarded(devices)
    }

    fn open(found: &Found) -> Result<Cuda, GpuError> {
        guarded(|| open(found))
    }

    fn upload_samples(&self, samples: &Samples) -> Result<SampleBuffers, GpuError> {
        guarded(|| {
            Ok(SampleBuffers {
                grids: self.upload(&samples.grids)?,
                cells: self.upload(&samples.cells)?,
                pairs: self.upload(&samples.pairs)?,
            })
        })
    }

    fn upload_programs(&self, programs: &Programs) -> Result<ProgramBuffers, GpuError> {
        guarded(|| {
            Ok(ProgramBuffers {
                entries: self.upload(&programs.entries)?,
                code: self.upload(&programs.code)?,
                constants: self.upload(&programs.constants)?,
            })
        })
    }

    fn start(&self, launch: &Launch<'_, Cuda>) -> Result<Started, GpuError> {
        guarded(|| {
            let mut started = Started {
                lane: self.lane()?,
                n_record_words: launch.n_record_words(),
                n_output_bytes: launch.n_output_bytes(),
                kernel: Duration::ZERO,
            };
            let queued = self.queue_all(launch, &mut started.lane);
            started.kernel = queued.map_err(failed("cuLaunchKernel"))?;
            Ok(started)
        })
    }

    fn kernel_time(started: &Started) -> Duration {
        started.kernel
    }

    fn finish(&self, started: Started) -> Result<Returned, GpuError> {
        guarded(|| {
            let returned = self.read(&started).map_err(failed("cuStreamSynchronize"))?;
            self.spare.borrow_mut().push(started.lane);
            Ok(returned)
        })
    }
}
