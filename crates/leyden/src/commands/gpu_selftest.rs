//! `leyden gpu selftest`: every primitive of a device against the CPU.

use leyden_gpu::{Backend, DeviceInfo, Session, Settings, Tally, Verdict};
use serde_json::json;

use super::on_device::{DeviceWork, on_device};
use crate::args::gpu::SelftestArgs;
use crate::failure::Failure;
use crate::report::write_both;

pub(super) fn run(args: &SelftestArgs) -> Result<(), Failure> {
    let settings = Settings {
        lanes: args.lanes,
        ..Settings::default()
    };
    let (info, verdict) = on_device(args.backend, args.device, settings, Test(args))?;
    let report = in_json(args, &info, &verdict);
    write_both(
        &in_words(args, &info, &verdict),
        args.json.as_ref(),
        &report,
    )?;
    if verdict.agrees() {
        Ok(())
    } else {
        Err(Failure::Other(anyhow::anyhow!(
            "the device gave {} wrong answers; do not use it, and report the lines above",
            verdict.differences.len()
        )))
    }
}

struct Test<'t>(&'t SelftestArgs);

impl DeviceWork for Test<'_> {
    type Done = (DeviceInfo, Verdict);

    fn run<B: Backend>(self, session: &Session<B>) -> Result<Self::Done, Failure> {
        let Test(args) = self;
        let verdict = leyden_gpu::selftest(session, args.n_programs, args.seed)?;
        Ok((session.info().clone(), verdict))
    }
}

fn in_words(args: &SelftestArgs, info: &DeviceInfo, verdict: &Verdict) -> String {
    let (version, backend) = (env!("CARGO_PKG_VERSION"), args.backend.name());
    let (name, driver) = (&info.name, &info.driver);
    let rows: String = verdict.by_primitive.iter().map(row).collect();
    let total = row((&"all", &verdict.total()));
    let shown = verdict.differences.iter().take(3);
    let differences: String = shown.map(|text| format!("{text}\n\n")).collect();
    format!(
        "leyden {version}, seed {}, {name} ({backend}, driver {driver})\n{:<14} {:>8} {:>8} {:>8} {:>8}\n{rows}{total}wrong answers {}\n{differences}",
        args.seed,
        "primitive",
        "batches",
        "answered",
        "faults",
        "wrong",
        verdict.differences.len(),
    )
}

fn in_json(args: &SelftestArgs, info: &DeviceInfo, verdict: &Verdict) -> serde_json::Value {
    let tallied = |tally: &Tally| {
        json!({
            "sent": tally.n_sent,
            "answered": tally.n_answered,
            "faults": tally.n_faults,
            "wrong": tally.n_different,
        })
    };
    let by_primitive = verdict.by_primitive.iter();
    let primitives: serde_json::Map<String, serde_json::Value> = by_primitive
        .map(|(name, tally)| ((*name).to_owned(), tallied(tally)))
        .collect();
    json!({
        "engine": env!("CARGO_PKG_VERSION"),
        "backend": args.backend.name(),
        "device": args.device,
        "name": info.name,
        "driver": info.driver,
        "seed": args.seed,
        "primitives": primitives,
        "total": tallied(&verdict.total()),
        "differences": verdict.differences,
    })
}

fn row((name, tally): (&&str, &Tally)) -> String {
    let (sent, answered) = (tally.n_sent, tally.n_answered);
    let (faults, wrong) = (tally.n_faults, tally.n_different);
    format!("{name:<14} {sent:>8} {answered:>8} {faults:>8} {wrong:>8}\n")
}
