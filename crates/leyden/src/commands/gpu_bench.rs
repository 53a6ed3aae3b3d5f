//! `leyden gpu bench`: batches of growing size, on the CPU and on a device.

use leyden_dsl::meter::CancelToken;
use leyden_gpu::bench::{Workload, measure};
use leyden_gpu::{Backend, Session, Settings};
use leyden_grid::Grid;

use super::on_device::{DeviceWork, on_device};
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
    let settings = Settings {
        is_timed: true,
        ..Settings::default()
    };
    let work = Batches { args, most, cancel };
    let bench = on_device(args.backend, args.device, settings, work)?;
    if let Some(target) = svg {
        target.write(&bench.to_svg())?;
    }
    if svg == Some(&Target::Stdout) {
        Ok(())
    } else {
        write_both(&bench.to_text(), args.json.as_ref(), &bench.to_json())
    }
}

/// Batches of built-in programs, up to a size.
struct Batches<'b> {
    args: &'b BenchArgs,
    most: usize,
    cancel: &'b CancelToken,
}

impl DeviceWork for Batches<'_> {
    type Done = Bench;

    fn run<B: Backend>(self, session: &Session<B>) -> Result<Bench, Failure> {
        let Batches { args, most, cancel } = self;
        let workload = workload(session)?;
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
            measured.push(measure(session, &workload, n_jobs, args.n_threads)?);
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
}

/// The built-in programs on the built-in grids.
fn workload<B: Backend>(session: &Session<B>) -> Result<Workload, Failure> {
    let source = leyden_store::demo::SOLVERS;
    let programs = leyden_lang::parse(source, "demo", None).unwrap_or_default();
    let pair = |(input, output): (&Grid, Option<&Grid>)| (input.clone(), output.cloned());
    let tasks = leyden_store::demo::tasks();
    let grids = tasks.iter().flat_map(|task| task.pairs().map(pair));
    let workload = Workload::new(session, &programs, grids.collect())?;
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
