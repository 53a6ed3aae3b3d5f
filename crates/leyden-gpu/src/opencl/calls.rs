//! Every call of the OpenCL driver. The only unsafe code of this crate: sizes and kinds of all that
//! is handed over are checked here.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::ClError;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::batch::{Programs, Samples};
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::wire::{KERNEL, MAX_GRID_CELLS, RECORD_WORDS};

/// What the wrapper says when the loader's library cannot be opened, or is none.
const LOADER_IS_MISSING: i32 = -2000;
const LOADER_IS_SOMETHING_ELSE: i32 = -2001;
/// What a loader says that knows no driver.
const NO_PLATFORM: i32 = -1001;
/// What a driver says that has no device.
const NO_DEVICE: i32 = -1;

/// Taken while a driver starts or compiles: PoCL 3 crashes when two threads let it do so at the same
/// time, and it compiles when a kernel is made and again when it first runs.
static COMPILING: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, ()> {
    COMPILING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device and its facts.
pub(super) struct Found {
    device: Device,
    pub(super) info: DeviceInfo,
}

fn failed(call: &'static str) -> impl Fn(ClError) -> GpuError {
    move |error| match error.0 {
        LOADER_IS_MISSING | LOADER_IS_SOMETHING_ELSE => GpuError::NoLoader,
        NO_PLATFORM => GpuError::NoDevice,
        _ => GpuError::Call {
            call,
            error: error.to_string(),
        },
    }
}

pub(super) fn devices() -> Result<Vec<Found>, GpuError> {
    let _lock = lock();
    let mut found = Vec::new();
    for platform in get_platforms().map_err(failed("clGetPlatformIDs"))? {
        let ids = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Err(error) if error.0 == NO_DEVICE => continue,
            ids => ids.map_err(failed("clGetDeviceIDs"))?,
        };
        for id in ids {
            let device = Device::new(id);
            let info = info(&device).map_err(failed("clGetDeviceInfo"))?;
            found.push(Found { device, info });
        }
    }
    match found.is_empty() {
        true => Err(GpuError::NoDevice),
        false => Ok(found),
    }
}

fn info(device: &Device) -> Result<DeviceInfo, ClError> {
    Ok(DeviceInfo {
        name: device.name()?,
        vendor: device.vendor()?,
        driver: device.driver_version()?,
        is_gpu: device.dev_type()? & CL_DEVICE_TYPE_GPU != 0,
        memory: device.global_mem_size()?,
        local_memory: device.local_mem_size()?,
    })
}

/// A device with the interpreter compiled for it.
pub(super) struct Opened {
    kernel: Kernel,
    queue: CommandQueue,
    context: Context,
    is_processor: bool,
}

pub(super) fn open(found: &Found) -> Result<Opened, GpuError> {
    let _lock = lock();
    let context = Context::from_device(&found.device).map_err(failed("clCreateContext"))?;
    // SAFETY: the device belongs to the context that was just made from it.
    let queue = unsafe { CommandQueue::create(&context, found.device.id(), 0) };
    let queue = queue.map_err(failed("clCreateCommandQueue"))?;
    let program = Program::create_and_build_from_source(&context, KERNEL, "-cl-std=CL1.2");
    let program = program.map_err(GpuError::Build)?;
    let kernel = Kernel::create(&program, "interpret").map_err(failed("clCreateKernel"))?;
    Ok(Opened {
        kernel,
        queue,
        context,
        is_processor: !found.info.is_gpu,
    })
}

/// Samples on the device.
pub(super) struct SampleBuffers {
    grids: Buffer<i32>,
    cells: Buffer<u8>,
    pairs: Buffer<i32>,
}

/// Programs on the device.
pub(super) struct ProgramBuffers {
    entries: Buffer<i32>,
    code: Buffer<i32>,
    constants: Buffer<i32>,
}

/// One start of the kernel.
pub(super) struct Launch<'a> {
    pub(super) samples: &'a SampleBuffers,
    pub(super) programs: &'a ProgramBuffers,
    pub(super) jobs: &'a [i32],
    /// A record for each job.
    pub(super) records: &'a mut [i32],
    /// A grid for each job, or nothing.
    pub(super) outputs: &'a mut [u8],
    pub(super) n_registers: i32,
    pub(super) has_table: i32,
    pub(super) fuel: i32,
    pub(super) local_bytes: usize,
    pub(super) lanes: usize,
}

impl Opened {
    /// A buffer of that many elements; of none, one of one, as OpenCL knows no empty buffers.
    fn buffer<T>(&self, n_elements: usize, flags: u64) -> Result<Buffer<T>, GpuError> {
        // SAFETY: no memory of ours is handed over.
        let buffer =
            unsafe { Buffer::create(&self.context, flags, n_elements.max(1), ptr::null_mut()) };
        buffer.map_err(failed("clCreateBuffer"))
    }

    fn upload<T: Copy>(&self, data: &[T]) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.buffer(data.len(), CL_MEM_READ_ONLY)?;
        if data.is_empty() {
            return Ok(buffer);
        }
        // SAFETY: the buffer has as many elements as the data, which is copied before the call ends.
        let written = unsafe {
            self.queue
                .enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, data, &[])
        };
        written.map_err(failed("clEnqueueWriteBuffer"))?;
        Ok(buffer)
    }

    fn download<T: Copy>(&self, buffer: &Buffer<T>, data: &mut [T]) -> Result<(), GpuError> {
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: buffers are read in full into room of their own size, before the call ends.
        let read = unsafe {
            self.queue
                .enqueue_read_buffer(buffer, CL_BLOCKING, 0, data, &[])
        };
        read.map_err(failed("clEnqueueReadBuffer")).map(|_| ())
    }

    pub(super) fn upload_samples(&self, samples: &Samples) -> Result<SampleBuffers, GpuError> {
        Ok(SampleBuffers {
            grids: self.upload(&samples.grids)?,
            cells: self.upload(&samples.cells)?,
            pairs: self.upload(&samples.pairs)?,
        })
    }

    pub(super) fn upload_programs(&self, programs: &Programs) -> Result<ProgramBuffers, GpuError> {
        Ok(ProgramBuffers {
            entries: self.upload(&programs.entries)?,
            code: self.upload(&programs.code)?,
            constants: self.upload(&programs.constants)?,
        })
    }

    pub(super) fn launch(&self, launch: Launch<'_>) -> Result<(), GpuError> {
        let n_jobs = launch.jobs.len() / 2;
        debug_assert_eq!(launch.records.len(), n_jobs * RECORD_WORDS);
        debug_assert!(launch.outputs.is_empty() || launch.outputs.len() == n_jobs * MAX_GRID_CELLS);
        if n_jobs == 0 {
            return Ok(());
        }
        let _lock = self.is_processor.then(lock);
        let jobs = self.upload(launch.jobs)?;
        let records: Buffer<i32> = self.buffer(launch.records.len(), CL_MEM_READ_WRITE)?;
        let outputs: Buffer<u8> = self.buffer(launch.outputs.len(), CL_MEM_READ_WRITE)?;
        let wants_grids = i32::from(!launch.outputs.is_empty());
        // SAFETY: the arguments are those of `interpret`, in its order; jobs name programs and
        // samples that exist, and there is a record, and a grid if wanted, for each of them.
        let started = unsafe {
            ExecuteKernel::new(&self.kernel)
                .set_arg(&launch.programs.entries)
                .set_arg(&launch.programs.code)
                .set_arg(&launch.programs.constants)
                .set_arg(&launch.samples.grids)
                .set_arg(&launch.samples.cells)
                .set_arg(&launch.samples.pairs)
                .set_arg(&jobs)
                .set_arg(&records)
                .set_arg(&outputs)
                .set_arg(&launch.n_registers)
                .set_arg(&launch.has_table)
                .set_arg(&wants_grids)
                .set_arg(&launch.fuel)
                .set_arg_local_buffer(launch.local_bytes)
                .set_global_work_size(n_jobs * launch.lanes)
                .set_local_work_size(launch.lanes)
                .enqueue_nd_range(&self.queue)
        };
        started.map_err(failed("clEnqueueNDRangeKernel"))?;
        self.queue.finish().map_err(failed("clFinish"))?;
        self.download(&records, launch.records)?;
        self.download(&outputs, launch.outputs)
    }
}
