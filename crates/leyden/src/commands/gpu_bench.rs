//! `leyden gpu bench`: batches of growing size, on the CPU and on a device.

use leyden_dsl::meter::CancelToken;
use leyden_exec::with_large_stack;
use leyden_gpu::bench::{Workload, measure};
use leyden_gpu::{Backend, GpuError, Session, Settings};
use leyden_grid::Grid;

use crate::args::gpu::TestedBackend;
use crate::args::gpu_bench::{BenchArgs, Subject};
use crate::failure::Failure;
use crate::output::Target;
use crate::progress::Progress;
use crate::report::gpu_bench::Bench;
use crate::report::write_both;

pub(super) fn run(args: &BenchArgs, cancel: &CancelToken) -> Result<(), Failure> {
    match &args.subject {
        Subject::BuiltIn { most, svg } => built_in(args, *most, svg.as_ref(), cancel),
        Subject::Solvers(share) => super::gpu_share::run(args, share, cancel),
    }
}

fn built_in(
    args: &BenchArgs,
    most: usize,
    svg: Option<&Target>,
    cancel: &CancelToken,
) -> Result<(), Failure> {
    let bench = with_large_stack(|| match args.backend {
        TestedBackend::Cuda => on_cuda(args, most, cancel),
        TestedBackend::Opencl => on_opencl(args, most, cancel),
    })?;
    if let Some(target) = svg {
        target.write(&bench.to_svg())?;
    }
    if svg == Some(&Target::Stdout) {
        Ok(())
    } else {
        write_both(&bench.to_text(), args.json.as_ref(), &bench.to_json())
    }
}

type Benched = Result<Bench, Failure>;

#[cfg(feature = "cuda")]
fn on_cuda(args: &BenchArgs, most: usize, cancel: &CancelToken) -> Benched {
    bench::<leyden_gpu::cuda::Cuda>(args, most, cancel)
}

#[cfg(feature = "opencl")]
fn on_opencl(args: &BenchArgs, most: usize, cancel: &CancelToken) -> Benched {
    bench::<leyden_gpu::opencl::OpenCl>(args, most, cancel)
}

#[cfg(not(feature = "cuda"))]
fn on_cuda(_args: &BenchArgs, _most: usize, _cancel: &CancelToken) -> Benched {
    Err(not_built("cuda"))
}

#[cfg(not(feature = "opencl"))]
fn on_opencl(_args: &BenchArgs, _most: usize, _cancel: &CancelToken) -> Benched {
    Err(not_built("opencl"))
}

/// The failure of a command that needs a backend which this build lacks.
#[cfg(not(all(feature = "opencl", feature = "cuda")))]
pub(super) fn not_built(name: &'static str) -> Failure {
    Failure::NoDevice(GpuError::NotBuilt { name }.to_string())
}

fn bench<B: Backend>(args: &BenchArgs, most: usize, cancel: &CancelToken) -> Benched {
    let no_device = |error: GpuError| Failure::NoDevice(error.to_string());
    let settings = Settings {
        is_timed: true,
        ..Settings::default()
    };
    let session = Session::<B>::open(args.device, settings).map_err(no_device)?;
    let workload = workload(&session)?;
    let sizes = sizes(most);
    let progress = Progress::new("measuring batches", sizes.len());
    let mut measured = Vec::new();
    for n_jobs in sizes {
        if cancel.is_cancelled() {
            return Err(Failure::Stopped(format!(
                "{} batch sizes were measured",
                measured.len()
            )));
        }
        measured.push(measure(&session, &workload, n_jobs, args.n_threads).map_err(no_device)?);
        progress.advance(1);
    }
    Ok(Bench {
        device: session.info().clone(),
        backend: args.backend.name(),
        n_threads: args.n_threads,
        n_programs: workload.n_programs(),
        n_grids: workload.n_grids(),
        opening: session.opening(),
        measured,
    })
}

/// The built-in programs on the built-in grids.
fn workload<B: Backend>(session: &Session<B>) -> Result<Workload, Failure> {
    let source = leyden_store::demo::SOLVERS;
    let programs = leyden_lang::parse(source, "demo", None).unwrap_or_default();
    let pair = |(input, output): (&Grid, Option<&Grid>)| (input.clone(), output.cloned());
    let tasks = leyden_store::demo::tasks();
    let grids = tasks.iter().flat_map(|task| task.pairs().map(pair));
    let workload = Workload::new(session, &programs, grids.collect());
    let workload = workload.map_err(|error| Failure::NoDevice(error.to_string()))?;
    if workload.is_empty() {
        Err(Failure::NoDevice(
            "the device is not sure about any of the built-in programs; `leyden gpu selftest` may say why".to_owned(),
        ))
    } else {
        Ok(workload)
    }
}

/// 1, 3, 10, 30 and so on.
fn sizes(most: usize) -> Vec<usize> {
    let tens = (0..8).map(|power| 10usize.pow(power));
    let all = tens.flat_map(|ten| [ten, 3 * ten]);
    all.filter(|size| *size <= most).collect()
}
