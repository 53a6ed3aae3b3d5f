//! `cargo xtask bench` and `cargo xtask bench-compare`: figures of the workloads in `benches/`,
//! beside the recorded ones.
//!
//! Callgrind counts instructions, each workload in a separate process. The counts are equal from
//! run to run on a busy machine, too. Times are shown beside them, but decide nothing.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::baseline::{Baseline, Entry};
use crate::{Outcome, root, tidy};

pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [PART…] [--save] [--times] [--public]
       cargo xtask bench generate [--solvers FILE]… [--changed]
       cargo xtask bench-compare [PART…]

bench           Counts the instructions of every workload with callgrind, times it, and prints both
                with their ratio to what benches/baseline.txt has recorded.
                --save records the counts and times of this machine there instead.
                --times leaves the counts out; then valgrind is not needed.
                --public adds workloads on what `leyden get` has fetched; those are timed
                only, and never recorded.
bench generate  Times how 10 to 8,000 programs are sampled, mutated, merged and compiled, drawn from
                the built-in solvers or from those in a file; with --changed, none stays as it is.
bench-compare   Counts instructions only, and says which workloads moved by more than 1 % against
                the record. Exit code 1 if one takes more than 3 % more.

PART            Only workloads whose names contain one of these, such as `merge/` or `run/alone`.

The workloads are built like published binaries (profile dist), with symbols. The record belongs to one compiler and one C
library; where bench-compare says that those differ, record again before a change and compare after.";

/// The smallest move worth a line.
const NOTABLE: f64 = 0.01;
/// The largest tolerated increase; more is a failure.
const TOLERATED: f64 = 0.03;
/// Programs nest deeply, and only valgrind can give the main thread a larger stack.
const MAIN_STACK: &str = "--main-stacksize=268435456";
/// Counting begins and ends with this function of the harness.
const COUNTED: &str = "--toggle-collect=leyden_benches::measured*";

/// The prefix of workloads on fetched material, for which callgrind would take minutes.
const PUBLIC: &str = "public/";

type Fallible<T> = Result<T, Box<dyn Error>>;

#[derive(Default)]
struct Options<'a> {
    parts: Vec<&'a str>,
    save: bool,
    only_times: bool,
    public: bool,
}

impl<'a> Options<'a> {
    fn parse(args: &[&'a str]) -> Fallible<Options<'a>> {
        let mut options = Options::default();
        for arg in args {
            match *arg {
                "--save" => options.save = true,
                "--times" => options.only_times = true,
                "--public" => options.public = true,
                flag if flag.starts_with('-') => return Err(USAGE.into()),
                part => options.parts.push(part),
            }
        }
        let is_partial = options.only_times || options.public || !options.parts.is_empty();
        if options.save && is_partial {
            Err("--save records everything built in; it goes with nothing else".into())
        } else {
            Ok(options)
        }
    }
}

/// `cargo xtask bench`.
pub(crate) fn run(args: &[&str]) -> Outcome {
    match args {
        ["--help" | "-h"] => help(),
        ["generate", options @ ..] => generate(options),
        _ => measure(&Options::parse(args)?),
    }
}

/// `cargo xtask bench-compare`.
pub(crate) fn compare(args: &[&str]) -> Outcome {
    match args {
        ["--help" | "-h"] => help(),
        _ if args.iter().any(|arg| arg.starts_with('-')) => Err(USAGE.into()),
        _ => compare_parts(args),
    }
}

fn help() -> Outcome {
    println!("{USAGE}");
    Ok(())
}

fn generate(options: &[&str]) -> Outcome {
    let harness = Harness::build()?;
    let mut command = harness.command("generate");
    // Paths are relative to the caller's directory, so the command runs there.
    let status = command.args(options).status()?;
    if status.success() {
        Ok(())
    } else {
        Err("the benchmarks failed".into())
    }
}

fn measure(options: &Options<'_>) -> Outcome {
    if !options.only_times {
        valgrind()?;
    }
    let harness = Harness::build()?;
    let recorded = Baseline::read()?;
    let mut measured = Baseline::here(machine()?);
    println!(
        "{:<26} {:>15} {:>9} {:>13} {:>9}",
        "workload", "instructions", "recorded", "ns", "recorded"
    );
    for name in harness.workloads(&options.parts, options.public)? {
        let entry = Entry {
            instructions: if options.only_times || name.starts_with(PUBLIC) {
                0
            } else {
                harness.count(&name)?
            },
            nanoseconds: harness.time(&name)?,
        };
        print(&name, entry, recorded.get(&name));
        measured.push(name, entry);
    }
    if options.save {
        measured.write()
    } else {
        Ok(())
    }
}

fn print(name: &str, entry: Entry, recorded: Option<Entry>) {
    let instructions = match entry.instructions {
        0 => "-".to_owned(),
        n => n.to_string(),
    };
    let counts = (entry.instructions, recorded.map(|e| e.instructions));
    let times = (entry.nanoseconds, recorded.map(|e| e.nanoseconds));
    println!(
        "{name:<26} {instructions:>15} {:>9} {:>13} {:>9}",
        ratio_text(counts),
        entry.nanoseconds,
        ratio_text(times)
    );
}

fn ratio_text((now, recorded): (u64, Option<u64>)) -> String {
    match recorded.filter(|recorded| *recorded > 0 && now > 0) {
        Some(recorded) => format!("× {:.3}", now as f64 / recorded as f64),
        None => "-".to_owned(),
    }
}

fn compare_parts(parts: &[&str]) -> Outcome {
    valgrind()?;
    let harness = Harness::build()?;
    let recorded = Baseline::read()?;
    recorded.note_other_tools(&machine()?);
    let names = harness.workloads(parts, false)?;
    let mut moves = Vec::new();
    for name in &names {
        let now = harness.count(name)?;
        let before = recorded.get(name).map(|entry| entry.instructions);
        match before.and_then(|before| change(before, now)) {
            Some(change) => moves.push((name, change)),
            None => println!("{name}: {now} instructions, not recorded"),
        }
    }
    if parts.is_empty() {
        let gone = recorded.names().filter(|name| !names.contains(name));
        gone.for_each(|name| println!("{name}: recorded, but there is no such workload"));
    }
    report(&mut moves)
}

/// The relative change of a count.
fn change(before: u64, now: u64) -> Option<f64> {
    (before > 0).then(|| now as f64 / before as f64 - 1.0)
}

fn report(moves: &mut Vec<(&String, f64)>) -> Outcome {
    let n_compared = moves.len();
    let changes = moves.iter().map(|(_, change)| change.abs());
    let largest = changes
        .filter(|change| *change <= NOTABLE)
        .fold(0.0, f64::max);
    moves.retain(|(_, change)| change.abs() > NOTABLE);
    moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (name, change) in moves.iter() {
        let word = if *change > 0.0 { "more" } else { "less" };
        println!("{name:<26} {:>6.1} % {word}", change.abs() * 100.0);
    }
    let n_still = n_compared - moves.len();
    println!(
        "{n_still} of {n_compared} workloads within 1 % of the record, {:.4} % at most",
        largest * 100.0
    );
    match moves
        .iter()
        .filter(|(_, change)| *change > TOLERATED)
        .count()
    {
        0 => Ok(()),
        n => Err(format!("{n} workloads take more than 3 % more instructions").into()),
    }
}

/// The version of valgrind, if there is one.
fn valgrind() -> Fallible<String> {
    let output = Command::new("valgrind").arg("--version").output();
    let output = output.map_err(|_| {
        "valgrind is not installed, and instructions are counted by its callgrind; \
         `cargo xtask bench --times` does without"
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The properties of the machine on which counts and times depend, without any names.
fn machine() -> Fallible<Vec<(&'static str, String)>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let rustc = Command::new(rustc).arg("--version").output()?;
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let cpu = cpu.map_or("unknown", |text| text.trim_start_matches(['\t', ' ', ':']));
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Ok(vec![
        ("machine", format!("{cpu}, {n_cores} cores, {os} {arch}")),
        (
            "rustc",
            String::from_utf8_lossy(&rustc.stdout).trim().to_owned(),
        ),
        ("libc", libc().unwrap_or_else(|| "unknown".to_owned())),
    ])
}

/// The C library. Its allocator is part of every count.
fn libc() -> Option<String> {
    let output = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The built benchmarks.
struct Harness {
    program: PathBuf,
}

impl Harness {
    fn build() -> Fallible<Harness> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args([
            "build",
            "--quiet",
            "--profile=bench",
            "--package=leyden-benches",
        ]);
        if !command.current_dir(root()).status()?.success() {
            return Err("the benchmarks do not build".into());
        }
        // Cargo puts this profile's programs beside those of release.
        let program = tidy::target_directory()?.join("release/leyden-benches");
        Ok(Harness { program })
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(what);
        command
    }

    /// The names of the wanted workloads, in the order of the list.
    fn workloads(&self, parts: &[&str], public: bool) -> Fallible<Vec<String>> {
        let mut command = self.command("list");
        command.args(public.then_some("--public"));
        let text = printed(command)?;
        let is_wanted =
            |name: &&str| parts.is_empty() || parts.iter().any(|part| name.contains(part));
        let names: Vec<String> = text.lines().filter(is_wanted).map(str::to_owned).collect();
        if names.is_empty() {
            Err(format!("no workload's name contains any of {parts:?}").into())
        } else {
            Ok(names)
        }
    }

    /// The median processor time of a workload, in nanoseconds.
    fn time(&self, name: &str) -> Fallible<u64> {
        let mut command = self.command("time");
        let text = printed_by(command.arg(name))?;
        let number = text.trim().rsplit(' ').next().unwrap_or_default();
        Ok(number.parse()?)
    }

    /// The instructions of one round of a workload.
    fn count(&self, name: &str) -> Fallible<u64> {
        let directory = tidy::target_directory()?.join("bench");
        fs::create_dir_all(&directory)?;
        let file = directory.join(format!("{}.callgrind", name.replace('/', "-")));
        let mut command = Command::new("valgrind");
        command
            .args(["--quiet", "--tool=callgrind", MAIN_STACK, COUNTED])
            .arg(format!("--callgrind-out-file={}", file.display()))
            .arg(&self.program)
            .args(["once", name]);
        printed(command)?;
        let profile = fs::read_to_string(&file)?;
        total(&profile).ok_or_else(|| format!("{}: nothing was counted", file.display()).into())
    }
}

/// The sum of a callgrind profile.
fn total(profile: &str) -> Option<u64> {
    let mut lines = profile.lines();
    let text = lines.find_map(|line| line.strip_prefix("summary: "))?;
    text.trim().parse().ok().filter(|count| *count > 0)
}

fn printed(mut command: Command) -> Fallible<String> {
    printed_by(&mut command)
}

fn printed_by(command: &mut Command) -> Fallible<String> {
    let output = command.output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_a_profile_is_found_and_none_is_no_sum() {
        assert_eq!(total("events: Ir\nsummary: 42\nfn=(1)\n"), Some(42));
        assert_eq!(total("events: Ir\nsummary: 0\n"), None);
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn only_what_got_much_worse_is_a_failure() {
        let name = "merge/10".to_owned();
        let verdict = |change| report(&mut vec![(&name, change)]);
        assert!(verdict(-0.5).is_ok());
        assert!(verdict(0.029).is_ok());
        assert!(verdict(0.031).is_err());
    }

    #[test]
    fn a_change_is_relative_to_the_record() {
        assert_eq!(change(200, 210), Some(210.0 / 200.0 - 1.0));
        assert_eq!(change(0, 210), None);
    }

    #[test]
    fn saving_a_part_is_refused() {
        assert!(Options::parse(&["--save", "merge/"]).is_err());
        assert!(Options::parse(&["--save"]).is_ok_and(|options| options.save));
        assert!(Options::parse(&["--sav"]).is_err());
    }
}
