//! The rows that the reports of `leyden run` and `leyden batt` share.

use std::fmt::Write;
use std::time::Duration;

use crate::devices::Devices;
use crate::report::numbers::{count, counted, duration, percent, rate, unit};
use crate::report::style::{BOLD, DIM, GOOD};

/// A part of a whole.
pub(super) type Share = (usize, usize);

/// Rows whose numbers have this width.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) width: usize,
}

impl Rows {
    /// `solved  391 of 400 tasks  97.8 %`
    pub(super) fn share(
        self,
        out: &mut String,
        label: &str,
        (part, whole): Share,
        plural: &str,
    ) -> std::fmt::Result {
        let style = if part == whole { GOOD } else { BOLD };
        let (width, unit) = (self.width, unit(whole, plural));
        let (share, part, whole) = (percent(part, whole), count(part), count(whole));
        writeln!(
            out,
            "  {label:<8} {style}{part:>width$}{style:#} of {whole:>width$} {unit:<5}  {style}{share:>7}{style:#}"
        )
    }

    /// A phase with its time, its number of items, and their rate.
    pub(super) fn phase(
        self,
        out: &mut String,
        (label, time): (&str, Duration),
        (n_items, plural): (usize, &str),
        remark: &str,
    ) -> std::fmt::Result {
        let (width, unit) = (self.width + 2, unit(n_items, plural));
        let (time, rate, n_items) = (duration(time), rate(n_items, time), count(n_items));
        writeln!(
            out,
            "  {label:<8} {time:>9} {n_items:>width$} {unit:<9} {DIM}{rate:>9}{remark}{DIM:#}"
        )
    }

    /// The devices' part: runs, lines of programs (each counted as often as it was to run), and
    /// programs all of whose runs were on devices.
    pub(super) fn on_devices(
        self,
        out: &mut String,
        devices: &Devices,
        [runs, lines, programs]: [Share; 3],
    ) -> std::fmt::Result {
        let names = &devices.names;
        writeln!(out, "\n{BOLD}on devices{BOLD:#}  {DIM}{names}{DIM:#}")?;
        self.share(out, "runs", runs, "")?;
        self.share(out, "lines", lines, "")?;
        self.share(out, "programs", programs, "in all their runs")
    }
}

/// The wall time of everything.
pub(super) fn write_whole(out: &mut String, whole: Duration) -> std::fmt::Result {
    writeln!(out, "  {:<8} {:>9}", "all", duration(whole))
}

/// A line about test inputs whose outputs the data lacks.
pub(super) fn write_unknown(out: &mut String, n_unknown: usize) -> std::fmt::Result {
    if n_unknown == 0 {
        return Ok(());
    }
    let inputs = counted(n_unknown, "test input");
    writeln!(
        out,
        "  {DIM}{inputs} without a known output: run, but not counted{DIM:#}"
    )
}
