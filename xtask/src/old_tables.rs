//! `cargo xtask profile-of-leyden`: measures the tables of tokpidjin's reports on this engine and
//! writes both to a page, side by side.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::{Outcome, root, tidy};

const PAGE: &str = "docs/profile-of-leyden.md";

const USAGE: &str = "\
usage: cargo xtask profile-of-leyden --solvers FILE [--leyden PROGRAM] [--rounds N]

Profiles leyden on ARC-AGI-1's 400 training tasks with the programs in FILE (arc-dsl's solvers.py), and
writes docs/profile-of-leyden.md. Builds leyden in the release profile unless PROGRAM is given. The data
must have been fetched before (`leyden get`). Of N rounds (5) each profile is the one that took least.";

/// The primitives that the old reports named as slowest: the number of calls, and the time of one.
const OLD_PRIMITIVES: [(&str, &str, &str); 3] = [
    ("connect", "319,000", "0.053 ms"),
    ("dneighbors", "261,000", "0.052 ms"),
    ("objects", "3,400", "3.8 ms"),
];

/// The number of programs that the old system's loop merged in a round.
const N_MERGED: &str = "32";
const BUDGET_S: f64 = 8.0 * 3600.0;
const N_TOP: usize = 8;

type Fallible<T> = Result<T, Box<dyn Error>>;

struct Options {
    solvers: PathBuf,
    leyden: Option<PathBuf>,
    rounds: usize,
}

impl Options {
    fn parse(args: &[&str]) -> Fallible<Options> {
        let (mut solvers, mut leyden, mut rounds) = (None, None, 5);
        for pair in args.chunks(2) {
            match pair {
                ["--solvers", file] => solvers = Some(fs::canonicalize(file)?),
                ["--leyden", program] => leyden = Some(fs::canonicalize(program)?),
                ["--rounds", n] => rounds = n.parse::<usize>()?.max(1),
                _ => return Err(USAGE.into()),
            }
        }
        let solvers = solvers.ok_or(USAGE)?;
        Ok(Options {
            solvers,
            leyden,
            rounds,
        })
    }
}

/// `cargo xtask profile-of-leyden`.
pub(crate) fn run(args: &[&str]) -> Outcome {
    let options = Options::parse(args)?;
    let leyden = match &options.leyden {
        Some(program) => program.clone(),
        None => build()?,
    };
    let directory = tidy::target_directory()?.join("profile-of-leyden");
    fs::create_dir_all(&directory)?;
    let page = Measured::take(&leyden, &options, &directory)?.page(&options)?;
    let path = root().join(PAGE);
    let temporary = path.with_extension("md.new");
    fs::write(&temporary, page)?;
    Ok(fs::rename(&temporary, &path)?)
}

fn build() -> Fallible<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--release", "--package", "leyden"]);
    if command.current_dir(root()).status()?.success() {
        Ok(tidy::target_directory()?.join("release/leyden"))
    } else {
        Err("leyden does not build".into())
    }
}

/// The measurements for the page.
struct Measured {
    thousand: Json,
    own: Json,
    card: Json,
    merged: Json,
}

impl Measured {
    fn take(leyden: &Path, options: &Options, directory: &Path) -> Fallible<Measured> {
        // File names are equal on every machine; their directories are not.
        let programs = directory.join(name_of(&options.solvers));
        fs::copy(&options.solvers, &programs)?;
        let programs = name_of(&options.solvers);
        let shell = Shell { leyden, directory };
        let profile = |args: &[&str]| shell.least(options.rounds, args);
        let pipeline = ["profile", "pipeline", "--format", "json", "--data"];
        let with = |more: &[&'static str]| -> Vec<&str> {
            pipeline
                .iter()
                .copied()
                .chain(more.iter().copied())
                .collect()
        };
        let own = |data: &'static str| {
            let mut args = with(&[data, "--solvers"]);
            args.push(&programs);
            profile(&args)
        };
        let card = [
            "card",
            "-c",
            N_MERGED,
            "--seed",
            "1",
            "--data",
            "arc1:training",
            "--solvers",
            &programs,
            "--out",
            "32.batt",
            "--json",
            "-",
        ];
        Ok(Measured {
            thousand: own("arc2:training")?,
            own: own("arc1:training")?,
            card: shell.json(&card)?,
            merged: profile(&with(&["arc1:training", "--battery", "32.batt"]))?,
        })
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Runs leyden in a separate directory.
struct Shell<'a> {
    leyden: &'a Path,
    directory: &'a Path,
}

impl Shell<'_> {
    fn json(&self, args: &[&str]) -> Fallible<Json> {
        let output = Command::new(self.leyden)
            .args(args)
            .current_dir(self.directory)
            .output()?;
        if output.status.success() {
            Ok(serde_json::from_slice(&output.stdout)?)
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
        }
    }

    /// The least disturbed of several profiles, with the median cost of recording over all of them:
    /// a single figure of that says little.
    fn least(&self, rounds: usize, args: &[&str]) -> Fallible<Json> {
        let mut profiles = Vec::new();
        for _ in 0..rounds {
            profiles.push(self.json(args)?);
        }
        profiles.sort_by(|a, b| recorder_share(a).total_cmp(&recorder_share(b)));
        let median = recorder_share(&profiles[rounds / 2]);
        profiles.sort_by(|a, b| whole_s(a).total_cmp(&whole_s(b)));
        let mut least = profiles.swap_remove(0);
        least["recorder"]["share_of_execute"] = median.into();
        Ok(least)
    }
}

fn recorder_share(profile: &Json) -> f64 {
    number(profile, "/recorder/share_of_execute")
}

fn number(json: &Json, pointer: &str) -> f64 {
    json.pointer(pointer)
        .and_then(Json::as_f64)
        .unwrap_or(f64::NAN)
}

fn text<'j>(json: &'j Json, pointer: &str) -> &'j str {
    json.pointer(pointer).and_then(Json::as_str).unwrap_or("?")
}

/// The entry of a list that has this value under this key.
fn entry<'j>(json: &'j Json, list: &str, key: &str, value: &str) -> &'j Json {
    let entries = json[list].as_array().map_or(&[][..], Vec::as_slice);
    entries
        .iter()
        .find(|entry| entry[key] == value)
        .unwrap_or(&Json::Null)
}

fn whole_s(profile: &Json) -> f64 {
    number(profile, "/totals/whole_ns") / 1e9
}

fn phase_s(profile: &Json, phase: &str) -> f64 {
    number(entry(profile, "phases", "phase", phase), "/self_ns") / 1e9
}

fn samples(profile: &Json) -> f64 {
    number(entry(profile, "phases", "phase", "validate"), "/units")
}

fn right(profile: &Json, what: &str) -> String {
    let row = entry(profile, "accuracy", "what", what);
    format!("{} of {} {what}", number(row, "/right"), number(row, "/of"))
}

/// The seconds of drawing, mutating and merging programs.
fn card_s(card: &Json) -> f64 {
    ["sample_s", "mutate_s", "merge_s"]
        .iter()
        .map(|name| number(&card["phases"], &format!("/{name}")))
        .sum()
}

/// Writes seconds with a suitable unit.
fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 0.9995 => (s, "s"),
        s if s >= 0.000_999_5 => (s * 1e3, "ms"),
        s if s >= 0.000_000_999_5 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    match value {
        v if v >= 99.95 => format!("{v:.0} {unit}"),
        v if v >= 9.995 => format!("{v:.1} {unit}"),
        v => format!("{v:.2} {unit}"),
    }
}

/// Writes a number with separated thousands.
fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

impl Measured {
    fn page(&self, options: &Options) -> Fallible<String> {
        let mut page = String::new();
        self.head(&mut page, options)?;
        self.pipeline(&mut page)?;
        self.primitives(&mut page)?;
        self.setting(&mut page, options)?;
        Ok(page)
    }

    fn head(&self, out: &mut String, options: &Options) -> std::fmt::Result {
        let own = &self.own;
        writeln!(out, "# A profile of Leyden\n")?;
        writeln!(
            out,
            "Made by `cargo xtask profile-of-leyden --solvers {}{} --rounds {}`; do not edit.\n",
            name_of(&options.solvers),
            options.leyden.as_ref().map_or("", |_| " --leyden leyden"),
            options.rounds
        )?;
        writeln!(
            out,
            "This page puts figures from the reports of tokpidjin, the system that Leyden replaces, beside figures \
             of Leyden. tokpidjin measured by other means, on other machines with GPUs and with programs in its own \
             dialect, and some of its reports contradict each other. So compare only orders of magnitude. The \
             figures of Leyden come from two workloads:\n"
        )?;
        writeln!(
            out,
            "- **own**: {} programs, each on its own task, {} tasks, {} samples;\n\
             - **merged**: {N_MERGED} programs, mutated and merged into one battery (seed 1) as in a round of tokpidjin's \
             loop, on all {} tasks, {} runs.\n",
            count(number(own, "/setting/programs/n_programs")),
            count(number(own, "/setting/data/n_tasks")),
            count(samples(own)),
            count(number(&self.merged, "/setting/data/n_tasks")),
            count(number(&self.merged, "/totals/runs")),
        )
    }

    fn pipeline(&self, out: &mut String) -> std::fmt::Result {
        let (own, merged) = (&self.own, &self.merged);
        let n_tasks = number(own, "/setting/data/n_tasks");
        let card = card_s(&self.card);
        let generate = (phase_s(own, "generate"), card + phase_s(merged, "generate"));
        let execute = (phase_s(own, "execute"), phase_s(merged, "execute"));
        let whole = (whole_s(own), card + whole_s(merged));
        let load = entry(&self.thousand, "one_time", "name", "reading the data set");
        let n_loaded = count(number(&self.thousand, "/setting/data/n_tasks"));
        let validate = |profile| time(phase_s(profile, "validate"));
        let runs = |seconds: f64| count((BUDGET_S / seconds).floor());
        let per_second =
            |profile: &Json, seconds: f64| count(number(profile, "/totals/runs") / seconds);
        let rows = [
            [
                format!("load {n_loaded} tasks"),
                "0.277 s".to_owned(),
                time(number(load, "/self_ns") / 1e9),
                "equal".to_owned(),
            ],
            [
                "generate, per task".to_owned(),
                "195 ms".to_owned(),
                time(generate.0 / n_tasks),
                format!("{}, once for all tasks", time(generate.1)),
            ],
            [
                "generate, 400 tasks".to_owned(),
                "78 s".to_owned(),
                time(generate.0),
                time(generate.1),
            ],
            [
                "run solvers, per sample".to_owned(),
                "5.3 to 27.5 ms".to_owned(),
                time(execute.0 / samples(own)),
                format!(
                    "{} for {N_MERGED} programs",
                    time(execute.1 / samples(merged))
                ),
            ],
            [
                "run solvers, 400 tasks".to_owned(),
                "38.5 s (1,400 samples)".to_owned(),
                format!("{} ({} samples)", time(execute.0), count(samples(own))),
                time(execute.1),
            ],
            [
                "program × sample runs, per second".to_owned(),
                "about 40 (our run of its loop)".to_owned(),
                per_second(own, execute.0),
                per_second(merged, execute.1),
            ],
            [
                "validation".to_owned(),
                "0 of 35 right".to_owned(),
                format!(
                    "{}, {}; {}",
                    right(own, "tasks"),
                    right(own, "pairs"),
                    validate(own)
                ),
                validate(merged),
            ],
            [
                "whole pipeline, 400 tasks".to_owned(),
                "42.5 s, 116.8 s, 1,757 s, 4,216 s".to_owned(),
                time(whole.0),
                time(whole.1),
            ],
            [
                "… planned after all optimisations".to_owned(),
                "4.3 to 8.5 s".to_owned(),
                String::new(),
                String::new(),
            ],
            [
                "runs over 400 tasks in 8 h".to_owned(),
                "16 to 246, planned 3,388 (four L4 GPUs)".to_owned(),
                format!("{} (one core)", runs(whole.0)),
                format!("{} (one core)", runs(whole.1)),
            ],
        ];
        writeln!(
            out,
            "## The pipeline\n\n| measure | tokpidjin, reported | own | merged |\n|---|---|---|---|"
        )?;
        rows.iter()
            .try_for_each(|row| writeln!(out, "| {} |", row.join(" | ")))?;
        writeln!(
            out,
            "\ntokpidjin's validation compared a pair of candidates and scores with a grid, which are never equal. Its \
             solvers are better than 0 of 35.\n"
        )
    }

    fn primitives(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "## The slowest primitives of tokpidjin\n\n\
             Times per call include nested calls. Leyden counts only the calls that programs make: its fast engine \
             finds objects and lines without calling `neighbors` for each cell.\n\n\
             | primitive | tokpidjin: calls | per call | own: calls | per call | merged: calls | per call |\n\
             |---|--:|--:|--:|--:|--:|--:|"
        )?;
        for (name, calls, per_call) in OLD_PRIMITIVES {
            let ours = [&self.own, &self.merged].map(|profile| cells(profile, name));
            writeln!(
                out,
                "| {name} | {calls} | {per_call} | {} |",
                ours.join(" | ")
            )?;
        }
        writeln!(
            out,
            "\n## The slowest primitives of Leyden\n\nShares are self time in the execute phase. Rows in parentheses are work around primitives.\n\n\
             | own | share | calls | merged | share | calls |\n|---|--:|--:|---|--:|--:|"
        )?;
        let (own, merged) = (top(&self.own), top(&self.merged));
        own.iter()
            .zip(&merged)
            .try_for_each(|(a, b)| writeln!(out, "| {a} | {b} |"))?;
        writeln!(out)
    }

    fn setting(&self, out: &mut String, options: &Options) -> std::fmt::Result {
        let own = &self.own;
        let cost = |profile| 100.0 * recorder_share(profile);
        writeln!(
            out,
            "## Measured\n\n\
             - {} {}, built {}, {}; {}, {} cores, {}; one job.\n\
             - Data: {} ({}), {} ({}). Programs: {} ({}).",
            text(own, "/setting/versions/0/name"),
            text(own, "/setting/versions/0/version"),
            match &options.leyden {
                Some(_) => "beforehand",
                None => "in the release profile",
            },
            text(own, "/setting/date"),
            text(own, "/setting/hardware/cpu"),
            number(own, "/setting/hardware/cores"),
            text(own, "/setting/hardware/os"),
            text(own, "/setting/data/name"),
            text(own, "/setting/data/hash"),
            text(&self.thousand, "/setting/data/name"),
            text(&self.thousand, "/setting/data/hash"),
            text(own, "/setting/programs/name"),
            text(own, "/setting/programs/hash"),
        )?;
        writeln!(
            out,
            "- Times include the recorder: {:.0} % (own) and {:.0} % (merged) of the execute phase (median). \
             Each profile is the fastest of {}. Times leave out waits for a processor.",
            cost(own),
            cost(&self.merged),
            options.rounds
        )?;
        for (name, profile) in [("own", own), ("merged", &self.merged)] {
            let notes = profile["notes"].as_array().map_or(&[][..], Vec::as_slice);
            let mut notes = notes.iter().filter_map(Json::as_str);
            notes.try_for_each(|note| writeln!(out, "- {name}: {note}"))?;
        }
        writeln!(out, "- Commands:\n\n```sh")?;
        for profile in [&self.thousand, own] {
            writeln!(out, "{}", text(profile, "/setting/command"))?;
        }
        writeln!(
            out,
            "leyden card -c {N_MERGED} --seed 1 --data arc1:training --solvers {} --out 32.batt --json -\n{}\n```",
            name_of(&options.solvers),
            text(&self.merged, "/setting/command")
        )
    }
}

/// A primitive's number of calls, and the time of one.
fn cells(profile: &Json, name: &str) -> String {
    let row = entry(profile, "primitives", "name", name);
    let calls = number(row, "/calls");
    if calls > 0.0 {
        let per_call = number(row, "/cumulative_ns") / calls / 1e9;
        format!("{} | {}", count(calls), time(per_call))
    } else {
        "0 | –".to_owned()
    }
}

/// The largest rows.
fn top(profile: &Json) -> Vec<String> {
    let rows = profile["primitives"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let whole = number(profile, "/totals/execute_ns");
    let cells = |row: &Json| {
        let share = 100.0 * number(row, "/self_ns") / whole;
        format!(
            "{} | {share:.1} % | {}",
            text(row, "/name"),
            count(number(row, "/calls"))
        )
    };
    rows.iter().take(N_TOP).map(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let words = [0.0, 52.3e-9, 0.000_999_96, 0.195, 0.9996, 78.04, 4216.0].map(time);
        assert_eq!(
            words,
            [
                "0.00 ns", "52.3 ns", "1.00 ms", "195 ms", "1.00 s", "78.0 s", "4216 s"
            ]
        );
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!(
            [7.0, 400.0, 1718.0, 319_000.0].map(count),
            ["7", "400", "1,718", "319,000"]
        );
    }

    #[test]
    fn solvers_are_asked_for() {
        assert!(Options::parse(&[]).is_err());
        assert!(Options::parse(&["--solvers"]).is_err());
    }
}
