//! Every call of the OpenCL driver. This file checks the sizes and kinds of all data passed to it.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::ClError;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::batch::{Programs, Returned, Samples};
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::session::{Backend, Launch};
use crate::times::timed;
use crate::wire::KERNEL;

/// The wrapper's error if the loader's library cannot be opened, or is not one.
const LOADER_IS_MISSING: i32 = -2000;
const LOADER_IS_SOMETHING_ELSE: i32 = -2001;
/// The error of a loader without a driver.
const NO_PLATFORM: i32 = -1001;
/// The error of a driver without a device.
const NO_DEVICE: i32 = -1;

/// A lock that is held while a driver starts or compiles. PoCL 3 crashes when two threads make it
/// do so at the same time, and it compiles when a kernel is made and again when it first runs.
static COMPILING: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, ()> {
    COMPILING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device that can be opened.
pub struct Found {
    device: Device,
    is_processor: bool,
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

fn devices() -> Result<Vec<(DeviceInfo, Found)>, GpuError> {
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
            let is_processor = !info.is_gpu;
            found.push((
                info,
                Found {
                    device,
                    is_processor,
                },
            ));
        }
    }
    if found.is_empty() {
        Err(GpuError::NoDevice)
    } else {
        Ok(found)
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

/// An OpenCL device with the interpreter compiled for it.
pub struct OpenCl {
    kernel: Kernel,
    queue: CommandQueue,
    context: Context,
    is_processor: bool,
    compiling: Duration,
}

fn open(found: &Found) -> Result<OpenCl, GpuError> {
    let _lock = lock();
    let context = Context::from_device(&found.device).map_err(failed("clCreateContext"))?;
    // SAFETY: the device belongs to the context that was just made from it.
    let queue = unsafe { CommandQueue::create(&context, found.device.id(), 0) };
    let queue = queue.map_err(failed("clCreateCommandQueue"))?;
    let (kernel, compiling) = timed(|| compiled(&context));
    Ok(OpenCl {
        kernel: kernel?,
        compiling,
        queue,
        context,
        is_processor: found.is_processor,
    })
}

fn compiled(context: &Context) -> Result<Kernel, GpuError> {
    let program = Program::create_and_build_from_source(context, KERNEL, "-cl-std=CL1.2");
    let program = program.map_err(GpuError::Build)?;
    Kernel::create(&program, "interpret").map_err(failed("clCreateKernel"))
}

/// Samples on the device.
pub struct SampleBuffers {
    grids: Buffer<i32>,
    cells: Buffer<u8>,
    pairs: Buffer<i32>,
}

/// Programs on the device.
pub struct ProgramBuffers {
    entries: Buffer<i32>,
    code: Buffer<i32>,
    constants: Buffer<i32>,
}

/// The buffers of a launch, kept until it is over.
pub struct Started {
    jobs: Buffer<i32>,
    records: Buffer<i32>,
    outputs: Buffer<u8>,
    n_record_words: usize,
    n_output_bytes: usize,
    kernel: Duration,
}

impl OpenCl {
    /// Makes a buffer of this many elements. An empty one gets one element, as OpenCL has no empty
    /// buffers.
    fn buffer<T>(&self, n_elements: usize, flags: u64) -> Result<Buffer<T>, GpuError> {
        // SAFETY: no memory of the host is passed.
        let buffer =
            unsafe { Buffer::create(&self.context, flags, n_elements.max(1), ptr::null_mut()) };
        buffer.map_err(failed("clCreateBuffer"))
    }

    fn upload<T: Copy>(&self, data: &[T]) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.buffer(data.len(), CL_MEM_READ_ONLY)?;
        if data.is_empty() {
            return Ok(buffer);
        }
        // SAFETY: the buffer has as many elements as the data, which is copied before the call
        // ends.
        let written = unsafe {
            self.queue
                .enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, data, &[])
        };
        written.map_err(failed("clEnqueueWriteBuffer"))?;
        Ok(buffer)
    }

    /// Reads a buffer that has at least as many elements.
    fn download<T: Copy + Default>(
        &self,
        buffer: &Buffer<T>,
        n_elements: usize,
    ) -> Result<Vec<T>, GpuError> {
        let mut data = vec![T::default(); n_elements];
        if n_elements == 0 {
            return Ok(data);
        }
        // SAFETY: the call reads as many elements as `data` has room for, before it ends.
        let read = unsafe {
            self.queue
                .enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut data, &[])
        };
        read.map_err(failed("clEnqueueReadBuffer"))?;
        Ok(data)
    }

    /// Queues the kernel behind everything queued before.
    fn enqueue(&self, launch: &Launch<'_, OpenCl>, started: &Started) -> Result<(), GpuError> {
        let wants_grids = i32::from(launch.wants_grids);
        // SAFETY: the arguments are those of `interpret`, in its order; jobs name programs and
        // samples that exist, and there is a record, and a grid if wanted, for each of them.
        let queued = unsafe {
            ExecuteKernel::new(&self.kernel)
                .set_arg(&launch.programs.entries)
                .set_arg(&launch.programs.code)
                .set_arg(&launch.programs.constants)
                .set_arg(&launch.samples.grids)
                .set_arg(&launch.samples.cells)
                .set_arg(&launch.samples.pairs)
                .set_arg(&started.jobs)
                .set_arg(&started.records)
                .set_arg(&started.outputs)
                .set_arg(&launch.n_registers)
                .set_arg(&launch.has_table)
                .set_arg(&wants_grids)
                .set_arg(&launch.fuel)
                .set_arg_local_buffer(launch.local_bytes)
                .set_global_work_size(launch.n_jobs() * launch.lanes)
                .set_local_work_size(launch.lanes)
                .enqueue_nd_range(&self.queue)
        };
        queued.map_err(failed("clEnqueueNDRangeKernel"))?;
        self.queue.flush().map_err(failed("clFlush"))
    }
}

impl Backend for OpenCl {
    type Found = Found;
    type SampleBuffers = SampleBuffers;
    type ProgramBuffers = ProgramBuffers;
    type Started = Started;

    fn find() -> Result<Vec<(DeviceInfo, Found)>, GpuError> {
        devices()
    }

    fn open(found: &Found) -> Result<OpenCl, GpuError> {
        open(found)
    }

    fn compile_time(&self) -> Option<Duration> {
        Some(self.compiling)
    }

    fn upload_samples(&self, samples: &Samples) -> Result<SampleBuffers, GpuError> {
        Ok(SampleBuffers {
            grids: self.upload(&samples.grids)?,
            cells: self.upload(&samples.cells)?,
            pairs: self.upload(&samples.pairs)?,
        })
    }

    fn upload_programs(&self, programs: &Programs) -> Result<ProgramBuffers, GpuError> {
        Ok(ProgramBuffers {
            entries: self.upload(&programs.entries)?,
            code: self.upload(&programs.code)?,
            constants: self.upload(&programs.constants)?,
        })
    }

    fn start(&self, launch: &Launch<'_, OpenCl>) -> Result<Started, GpuError> {
        let _lock = self.is_processor.then(lock);
        let (n_record_words, n_output_bytes) = (launch.n_record_words(), launch.n_output_bytes());
        let mut started = Started {
            jobs: self.upload(launch.jobs)?,
            records: self.buffer(n_record_words, CL_MEM_READ_WRITE)?,
            outputs: self.buffer(n_output_bytes, CL_MEM_READ_WRITE)?,
            n_record_words,
            n_output_bytes,
            kernel: Duration::ZERO,
        };
        let (done, kernel) = timed(|| {
            self.enqueue(launch, &started)?;
            // A processor must not compile after the lock is released.
            if self.is_processor || launch.is_timed {
                self.queue.finish().map_err(failed("clFinish"))
            } else {
                Ok(())
            }
        });
        started.kernel = kernel;
        done.map(|()| started)
    }

    fn kernel_time(started: &Started) -> Duration {
        started.kernel
    }

    fn finish(&self, started: Started) -> Result<Returned, GpuError> {
        Ok(Returned {
            records: self.download(&started.records, started.n_record_words)?,
            outputs: self.download(&started.outputs, started.n_output_bytes)?,
        })
    }
}
