//! The share of the CPU's time that a device can take over: text and JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use leyden_gpu::share::{Class, ENDLESS, OfClass, Shares};
use leyden_gpu::{DeviceInfo, Opening};
use serde_json::{Value, json};

use super::gpu_bench::{opening_json, ready_in_words};
use super::numbers::{count, counted, duration, percent, percent_of};
use super::style::{BOLD, rendered};
use crate::failure::Failure;

/// At most this many places are printed.
const MOST_PLACES: usize = 12;

/// The measurements of programs on inputs.
pub(crate) struct Share<'s> {
    pub(crate) device: DeviceInfo,
    pub(crate) opening: Opening,
    pub(crate) backend: &'static str,
    pub(crate) n_threads: usize,
    pub(crate) data_name: &'s str,
    pub(crate) data_hash: &'s str,
    pub(crate) programs_hash: String,
    pub(crate) every: usize,
    pub(crate) fuel: u64,
    pub(crate) shares: Shares,
    pub(crate) whole: Whole,
}

/// The time of everything, on the CPU and with the device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Whole {
    pub(crate) cpu: Duration,
    /// From programs and inputs to outcomes, without opening the device.
    pub(crate) device: Duration,
    pub(crate) opening: Duration,
    pub(crate) n_different: usize,
}

impl Whole {
    fn gain(&self) -> f64 {
        self.cpu.as_secs_f64() / self.device.as_secs_f64().max(1e-9)
    }
}

impl Share<'_> {
    /// Fails if a result with the device differs from the CPU's.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.n_different() == 0 {
            return Ok(());
        }
        Err(Failure::Other(anyhow::Error::msg(
            "results differ: please report this with the JSON",
        )))
    }

    fn n_different(&self) -> usize {
        self.whole.n_different.max(self.shares.different.len())
    }

    pub(crate) fn to_text(&self) -> String {
        rendered(|out| {
            self.write_head(out)?;
            self.write_classes(out)?;
            self.write_reasons(out)?;
            self.write_places(out)?;
            self.write_limit(out)?;
            self.write_whole(out)
        })
    }

    fn write_head(&self, out: &mut String) -> std::fmt::Result {
        let shares = &self.shares;
        writeln!(
            out,
            "{BOLD}{}{BOLD:#} ({}, driver {}); {} on {} of {}, fuel {}",
            self.device.name,
            self.backend,
            self.device.driver,
            counted(shares.n_programs, "program"),
            counted(shares.n_inputs, "input"),
            self.data_name,
            count(self.fuel as usize),
        )?;
        let first = duration(shares.first_launch);
        let ready = ready_in_words(&self.opening);
        writeln!(out, "{ready}, {first} for the first launch\n")
    }

    fn write_classes(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "{:<13}  {:>8}  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}  {:>9}",
            "", "programs", "runs", "answered", "CPU time", "answered", "kernel", "copies"
        )?;
        for (class, of) in self.classes() {
            writeln!(
                out,
                "{:<13}  {:>8}  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}  {:>9}",
                class.name(),
                count(of.n_programs),
                count(of.all.n_runs),
                percent(of.answered.n_runs, of.all.n_runs),
                duration(of.all.cpu),
                percent_of(of.answered.of(&of.all)),
                duration(of.times.kernel),
                duration(of.times.transfer()),
            )?;
        }
        Ok(())
    }

    fn classes(&self) -> impl Iterator<Item = (Class, &OfClass)> {
        Class::ALL.into_iter().zip(&self.shares.classes)
    }

    fn write_reasons(&self, out: &mut String) -> std::fmt::Result {
        let shares = &self.shares;
        writeln!(
            out,
            "\n{:>8}  {:>8}  {:>8}\n{:>8}  {:>8}  {:>8}",
            "runs", "CPU time", "without", "", "", "runaways"
        )?;
        let answered = "answered".to_owned();
        let rows = std::iter::once((&answered, &shares.answered));
        for (name, share) in rows.chain(by_time(&shares.reasons)) {
            let of_ending = if name == ENDLESS {
                "–".to_owned()
            } else {
                percent_of(shares.of_ending(share))
            };
            writeln!(
                out,
                "{:>8}  {:>8}  {of_ending:>8}  {name}",
                percent(share.n_runs, shares.all.n_runs),
                percent_of(share.of(&shares.all)),
            )?;
        }
        Ok(())
    }

    fn write_places(&self, out: &mut String) -> std::fmt::Result {
        if self.shares.places.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nthe device gives up during a run at:")?;
        for (name, share) in by_time(&self.shares.places).into_iter().take(MOST_PLACES) {
            let of_all = percent_of(share.of(&self.shares.all));
            writeln!(out, "{of_all:>8} of the CPU time  {name}")?;
        }
        Ok(())
    }

    fn write_limit(&self, out: &mut String) -> std::fmt::Result {
        let shares = &self.shares;
        let (share, gain) = (percent_of(shares.share()), shares.most_gain());
        let of_parts = percent_of(shares.share_with_parts());
        writeln!(
            out,
            "\n{BOLD}devices can answer {share} of this battery's time: at most {gain:.1}×{BOLD:#}\n\
             {of_parts} of it would be lines that devices have, if all lines of a program took equally long"
        )
    }

    fn write_whole(&self, out: &mut String) -> std::fmt::Result {
        let Whole {
            cpu,
            device,
            opening,
            ..
        } = self.whole;
        writeln!(
            out,
            "all of it, {}: {} on the CPU, {} with the device ({:.2}×) after {} to open it",
            counted(self.n_threads, "thread"),
            duration(cpu),
            duration(device),
            self.whole.gain(),
            duration(opening),
        )?;
        if self.n_different() == 0 {
            let n_runs = count(self.shares.all.n_runs);
            return writeln!(out, "all {n_runs} results are equal");
        }
        let names: Vec<&str> = self.shares.different.iter().map(String::as_str).collect();
        let (n, names) = (count(self.n_different()), names.join(", "));
        writeln!(out, "{BOLD}{n} results DIFFER{BOLD:#} {names}")
    }

    pub(crate) fn to_json(&self) -> Value {
        let (shares, whole) = (&self.shares, &self.whole);
        let mut opening = opening_json(&self.opening);
        opening["first_launch_s"] = json!(shares.first_launch.as_secs_f64());
        json!({
            "format": "leyden-gpu-share/1",
            "leyden": env!("CARGO_PKG_VERSION"),
            "device": self.device.name,
            "driver": self.device.driver,
            "backend": self.backend,
            "threads": self.n_threads,
            "data": { "name": self.data_name, "hash": self.data_hash },
            "programs": { "count": shares.n_programs, "hash": self.programs_hash },
            "inputs": shares.n_inputs,
            "every": self.every,
            "fuel": self.fuel,
            "opening": opening,
            "classes": self.classes().map(class_json).collect::<Vec<_>>(),
            "all": share_json(&shares.all),
            "answered": share_json(&shares.answered),
            "reasons": named_json(&shares.reasons, "reason"),
            "places": named_json(&shares.places, "primitive"),
            "share_of_time": shares.share(),
            "share_without_runaways": shares.of_ending(&shares.answered),
            "share_with_parts": shares.share_with_parts(),
            "most_gain": shares.most_gain(),
            "whole": {
                "cpu_s": whole.cpu.as_secs_f64(),
                "device_s": whole.device.as_secs_f64(),
                "opening_s": whole.opening.as_secs_f64(),
                "gain": whole.gain(),
            },
            "equal": self.n_different() == 0,
            "different": whole.n_different,
            "different_programs": shares.different,
        })
    }
}

type OfRuns = leyden_gpu::share::Share;

fn by_time(shares: &BTreeMap<String, OfRuns>) -> Vec<(&String, &OfRuns)> {
    let mut all: Vec<_> = shares.iter().collect();
    all.sort_by_key(|(_, share)| std::cmp::Reverse(share.cpu));
    all
}

fn share_json(share: &OfRuns) -> Value {
    json!({ "runs": share.n_runs, "cpu_s": share.cpu.as_secs_f64() })
}

fn named_json(shares: &BTreeMap<String, OfRuns>, key: &str) -> Vec<Value> {
    let row = |(name, share): (&String, &OfRuns)| {
        let mut row = share_json(share);
        row[key] = json!(name);
        row
    };
    by_time(shares).into_iter().map(row).collect()
}

fn class_json((class, of): (Class, &OfClass)) -> Value {
    json!({
        "name": class.name(),
        "programs": of.n_programs,
        "instructions": of.n_instructions,
        "all": share_json(&of.all),
        "answered": share_json(&of.answered),
        "kernel_s": of.times.kernel.as_secs_f64(),
        "to_device_s": of.times.to_device.as_secs_f64(),
        "from_device_s": of.times.from_device.as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(whole: Whole) -> Share<'static> {
        let of = |n_runs, seconds| OfRuns {
            n_runs,
            cpu: Duration::from_secs(seconds),
        };
        let mut shares = Shares {
            n_programs: 2,
            n_inputs: 5,
            all: of(10, 10),
            answered: of(6, 5),
            ..Shares::default()
        };
        shares.reasons.insert(ENDLESS.to_owned(), of(1, 4));
        shares.reasons.insert("memory".to_owned(), of(3, 1));
        Share {
            device: DeviceInfo {
                name: "a GPU".to_owned(),
                vendor: String::new(),
                driver: "1.2".to_owned(),
                is_gpu: true,
                memory: 1,
                local_memory: 1,
            },
            opening: Opening::default(),
            backend: "cuda",
            n_threads: 2,
            data_name: "demo",
            data_hash: "00",
            programs_hash: "11".to_owned(),
            every: 1,
            fuel: 1_000,
            shares,
            whole,
        }
    }

    #[test]
    fn the_report_states_the_limit_and_the_reasons_by_time() {
        let whole = Whole {
            cpu: Duration::from_secs(3),
            device: Duration::from_secs(2),
            ..Whole::default()
        };
        let share = share(whole);
        let text = anstream::adapter::strip_str(&share.to_text()).to_string();
        let limit = "devices can answer 50.0 % of this battery's time: at most 2.0×";
        assert!(text.contains(limit), "{text}");
        assert!(text.contains("with the device (1.50×)"), "{text}");
        assert!(text.find(ENDLESS) < text.find("memory"), "{text}");
        assert!(text.ends_with("all 10 results are equal\n"), "{text}");
        assert!(share.check().is_ok());
        let json = share.to_json();
        assert_eq!(json["reasons"][0]["reason"], ENDLESS);
        assert!((json["share_without_runaways"].as_f64().unwrap() - 5.0 / 6.0).abs() < 1e-9);
        assert_eq!(json["equal"], true);
    }

    #[test]
    fn results_that_differ_are_a_failure() {
        let mut share = share(Whole::default());
        share.shares.different.insert("solve_0a1b2c3d".to_owned());
        assert!(share.to_text().contains("DIFFER"));
        assert!(share.to_text().contains("solve_0a1b2c3d"));
        assert!(share.check().is_err());
        assert_eq!(share.to_json()["equal"], false);
    }
}
