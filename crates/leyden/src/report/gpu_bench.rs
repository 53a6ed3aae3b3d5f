//! The times of batches on the CPU and on a device: a table, a chart, JSON, a picture.

use std::fmt::Write;
use std::time::Duration;

use leyden_gpu::bench::Measured;
use leyden_gpu::{DeviceInfo, Opening};
use serde_json::{Value, json};

use super::numbers::{count, duration};
use super::style::{BOLD, DIM, rendered};

/// Batches of growing size.
pub(crate) struct Bench {
    pub(crate) device: DeviceInfo,
    pub(crate) backend: &'static str,
    pub(crate) n_threads: usize,
    pub(crate) n_programs: usize,
    pub(crate) n_grids: usize,
    pub(crate) opening: Opening,
    pub(crate) measured: Vec<Measured>,
}

impl Bench {
    /// The number of runs from which on the device is faster. Between two measured sizes it is
    /// where the straight line between their gains, both as logarithms, reaches 1.
    fn break_even(&self) -> Option<f64> {
        let last_slower = self.measured.iter().rposition(|it| it.gain() <= 1.0);
        let Some(below) = last_slower else {
            return self.measured.first().map(|it| it.batch.n_jobs as f64);
        };
        let (a, b) = (&self.measured[below], self.measured.get(below + 1)?);
        let (from, to) = (a.gain().max(1e-9).ln(), b.gain().ln());
        let (small, large) = (a.batch.n_jobs as f64, b.batch.n_jobs as f64);
        Some(small * (large / small).powf(-from / (to - from)))
    }

    fn break_even_in_words(&self) -> String {
        let most = self.measured.last().map_or(0, |it| it.batch.n_jobs);
        match self.break_even() {
            Some(runs) => format!(
                "the device is faster from about {} runs on",
                count(runs as usize)
            ),
            None => format!(
                "the device is slower than the CPU up to {} runs",
                count(most as usize)
            ),
        }
    }

    pub(crate) fn to_text(&self) -> String {
        rendered(|out| {
            writeln!(
                out,
                "{BOLD}{}{BOLD:#} ({}, driver {}) against {} of the CPU; {} programs, {} grids",
                self.device.name,
                self.backend,
                self.device.driver,
                super::numbers::counted(self.n_threads, "thread"),
                self.n_programs,
                self.n_grids
            )?;
            writeln!(out, "{}", ready_in_words(&self.opening))?;
            self.write_table(out)?;
            writeln!(out, "\n{BOLD}{}{BOLD:#}\n", self.break_even_in_words())?;
            self.write_chart(out)
        })
    }

    fn write_table(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "\n{:>9}  {:>9}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}",
            "runs", "CPU", "device", "gain", "copies", "kernel", "host"
        )?;
        for it in &self.measured {
            writeln!(
                out,
                "{:>9}  {:>9}  {:>9}  {:>7.2}×  {:>9}  {:>9}  {:>9}",
                count(it.batch.n_jobs as usize),
                duration(it.cpu),
                duration(it.device),
                it.gain(),
                duration(it.times.transfer()),
                duration(it.times.kernel),
                duration(it.device.saturating_sub(it.times.whole())),
            )?;
        }
        Ok(())
    }

    /// Bars as long as the logarithm of the time of a run.
    fn write_chart(&self, out: &mut String) -> std::fmt::Result {
        const CELLS_FOR_TEN_TIMES: f64 = 8.0;
        writeln!(out, "time of a run; eight cells more are ten times as long")?;
        let bar = |ns: f64| {
            let n_cells = (ns.max(1.0).log10() * CELLS_FOR_TEN_TIMES).round() as usize;
            "█".repeat(n_cells.saturating_sub(8))
        };
        for it in &self.measured {
            let of_run = |time: Duration| time.as_nanos() as f64 / it.batch.n_jobs.max(1) as f64;
            let shown = |ns: f64| duration(Duration::from_nanos(ns as u64));
            let (cpu, device) = (of_run(it.cpu), of_run(it.device));
            let runs = count(it.batch.n_jobs as usize);
            writeln!(out, "{runs:>9}  CPU     {} {}", bar(cpu), shown(cpu))?;
            writeln!(
                out,
                "{:>9}  device  {DIM}{}{DIM:#} {}",
                "",
                bar(device),
                shown(device)
            )?;
        }
        Ok(())
    }

    pub(crate) fn to_json(&self) -> Value {
        let row = |it: &Measured| {
            let ns = |time: Duration| time.as_nanos() as u64;
            json!({
                "runs": it.batch.n_jobs,
                "programs": it.batch.n_programs,
                "instructions": it.batch.n_instructions,
                "samples": it.batch.n_samples,
                "cells": it.batch.n_cells,
                "cpu_ns": ns(it.cpu),
                "device_ns": ns(it.device),
                "to_device_ns": ns(it.times.to_device),
                "kernel_ns": ns(it.times.kernel),
                "from_device_ns": ns(it.times.from_device),
            })
        };
        json!({
            "format": "leyden-gpu-bench/2",
            "leyden": env!("CARGO_PKG_VERSION"),
            "device": self.device.name,
            "driver": self.device.driver,
            "backend": self.backend,
            "threads": self.n_threads,
            "break_even_runs": self.break_even(),
            "opening": opening_json(&self.opening),
            "batches": self.measured.iter().map(row).collect::<Vec<_>>(),
        })
    }

    /// A chart of the time of a run over the number of runs, both as logarithms.
    pub(crate) fn to_svg(&self) -> String {
        rendered(|out| self.write_svg(out))
    }

    fn write_svg(&self, out: &mut String) -> std::fmt::Result {
        let plot = Plot::of(&self.measured);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"20\">time of a run on {} against the CPU ({} threads)</text>",
            escaped(&self.device.name),
            self.n_threads
        )?;
        plot.write_axes(out)?;
        let lines: [Line; 4] = [
            ("CPU", "#1f77b4", |it| it.cpu),
            ("device", "#d62728", |it| it.device),
            ("kernel", "#ff7f0e", |it| it.times.kernel),
            ("copies", "#7f7f7f", |it| it.times.transfer()),
        ];
        for (k, (name, colour, time)) in lines.into_iter().enumerate() {
            plot.write_line(out, &self.measured, colour, time)?;
            let x = LEFT + 10.0 + 90.0 * k as f64;
            writeln!(
                out,
                "<text x=\"{x}\" y=\"40\" fill=\"{colour}\">{name}</text>"
            )?;
        }
        writeln!(out, "</svg>")
    }
}

/// The time until a device was ready.
pub(super) fn ready_in_words(opening: &Opening) -> String {
    let compiling = match opening.compile {
        Some(time) => format!(" ({} of it compiling)", duration(time)),
        None => " (the driver may compile then)".to_owned(),
    };
    format!(
        "ready: {} to find devices, {} to open this one{compiling}",
        duration(opening.find),
        duration(opening.open)
    )
}

pub(super) fn opening_json(opening: &Opening) -> Value {
    json!({
        "find_s": opening.find.as_secs_f64(),
        "open_s": opening.open.as_secs_f64(),
        "compile_s": opening.compile.map(|time| time.as_secs_f64()),
    })
}

/// The name of a line of the picture, its colour, and the time that it shows.
type Line = (&'static str, &'static str, fn(&Measured) -> Duration);

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const RIGHT: f64 = WIDTH - 20.0;
const BOTTOM: f64 = HEIGHT - 40.0;

/// Powers of ten of runs and of nanoseconds that the picture shows.
struct Plot {
    runs: i32,
    least: i32,
    most: i32,
}

fn nanoseconds_of_a_run(it: &Measured, time: Duration) -> f64 {
    (time.as_nanos() as f64 / it.batch.n_jobs.max(1) as f64).max(1.0)
}

impl Plot {
    fn of(measured: &[Measured]) -> Plot {
        let times = measured.iter().flat_map(|it| {
            let all = [it.cpu, it.device, it.times.kernel, it.times.transfer()];
            all.map(|time| nanoseconds_of_a_run(it, time).log10())
        });
        let (least, most) = times.fold((9.0f64, 1.0f64), |(a, b), x| (a.min(x), b.max(x)));
        let runs = measured.iter().map(|it| it.batch.n_jobs.max(1)).max();
        Plot {
            runs: ((runs.unwrap_or(1) as f64).log10().ceil() as i32).max(1),
            least: least.floor() as i32,
            most: (most.ceil() as i32).max(least.floor() as i32 + 1),
        }
    }

    fn x(&self, runs: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * runs.log10() / f64::from(self.runs)
    }

    fn y(&self, ns: f64) -> f64 {
        let share = (ns.log10() - f64::from(self.least)) / f64::from(self.most - self.least);
        BOTTOM - (BOTTOM - TOP) * share
    }

    fn write_axes(&self, out: &mut String) -> std::fmt::Result {
        for power in 0..=self.runs {
            let (x, runs) = (self.x(10f64.powi(power)), 10usize.pow(power as u32));
            writeln!(
                out,
                "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                BOTTOM + 18.0,
                count(runs)
            )?;
        }
        for power in self.least..=self.most {
            let ns = 10f64.powi(power);
            let y = self.y(ns);
            writeln!(
                out,
                "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                duration(Duration::from_nanos(ns as u64))
            )?;
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">runs in a batch</text>",
            HEIGHT - 6.0
        )
    }

    fn write_line(
        &self,
        out: &mut String,
        measured: &[Measured],
        colour: &str,
        time: impl Fn(&Measured) -> Duration,
    ) -> std::fmt::Result {
        let point = |it: &Measured| {
            let ns = nanoseconds_of_a_run(it, time(it));
            format!(
                "{:.1},{:.1} ",
                self.x(it.batch.n_jobs.max(1) as f64),
                self.y(ns)
            )
        };
        let points: String = measured.iter().map(point).collect();
        writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.trim_end()
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_gpu::Times;
    use leyden_gpu::bench::Batch;

    fn bench(times: &[(u64, u64, u64)]) -> Bench {
        let measured = |(n_jobs, cpu, device): &(u64, u64, u64)| Measured {
            batch: Batch {
                n_jobs: *n_jobs,
                ..Batch::default()
            },
            cpu: Duration::from_nanos(*cpu),
            device: Duration::from_nanos(*device),
            times: Times {
                kernel: Duration::from_nanos(device / 2),
                ..Times::default()
            },
            n_right: [0, 0],
        };
        Bench {
            device: DeviceInfo {
                name: "a <GPU> & more".to_owned(),
                vendor: String::new(),
                driver: "1.2".to_owned(),
                is_gpu: true,
                memory: 1,
                local_memory: 1,
            },
            backend: "opencl",
            n_threads: 2,
            n_programs: 3,
            n_grids: 4,
            opening: Opening::default(),
            measured: times.iter().map(measured).collect(),
        }
    }

    #[test]
    fn the_break_even_point_lies_between_the_sizes_around_it() {
        let bench = bench(&[(10, 100, 1_000), (1_000, 10_000, 1_000)]);
        let runs = bench.break_even().unwrap();
        assert!((runs - 100.0).abs() < 1.0, "{runs}");
        assert!(bench.to_text().contains("faster from about"));
    }

    #[test]
    fn reports_name_devices_that_are_always_or_never_faster() {
        assert_eq!(bench(&[(10, 2, 1), (100, 20, 10)]).break_even(), Some(10.0));
        let never = bench(&[(10, 1, 2), (100, 10, 20)]);
        assert_eq!(never.break_even(), None);
        assert!(
            never
                .to_text()
                .contains("slower than the CPU up to 100 runs")
        );
        assert_eq!(bench(&[]).break_even(), None);
    }

    #[test]
    fn the_picture_has_a_line_for_each_kind_of_time_and_no_bad_markup() {
        let svg = bench(&[(1, 500, 90_000), (10, 900, 95_000)]).to_svg();
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(svg.contains("a &lt;GPU&gt; &amp; more"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn the_json_has_a_row_for_each_batch_and_the_opening() {
        let json = bench(&[(1, 500, 90_000), (10, 900, 95_000)]).to_json();
        assert_eq!(json["batches"].as_array().unwrap().len(), 2);
        assert_eq!(json["batches"][1]["kernel_ns"], 47_500);
        assert_eq!(json["opening"]["open_s"], 0.0);
    }
}
