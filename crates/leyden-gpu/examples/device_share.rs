//! `cargo run --release -p leyden-gpu --features opencl --example device_share -- DATA PROGRAMS
//! [--every N] [--fuel N]`
//!
//! Runs the programs of a module or a battery on every N-th input of some tasks, on the CPU and on
//! the first OpenCL device. Prints which share of the CPU's processor time goes into runs that the
//! device answers, the reasons for the rest with their shares, and the best that a device of any
//! speed could do. The exit code is 1 if an answer differs from the CPU's.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::Instant;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_dsl::table::{OrderUse, Prim};
use leyden_exec::{Engine, Outcome, Ready, Sample, with_large_stack};
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::{Answer, Compiled, Devices, Job, Refusal, Samples};
use leyden_gpu::{count_supported_lines, device_primitives, hash_of_grid};
use leyden_grid::Grid;
use leyden_lang::{Op, Operand, Program, Scripts, parse, parse_battery};
use leyden_store::{Cache, DataSpec, load};

/// The primitives that programs miss most.
const MISSED: [&str; 5] = ["order", "totuple", "dedupe", "mostcommon", "leastcommon"];
const ENDLESS: &str = "runs out of fuel";
/// Programs that run on the device at a time.
const CHUNK: usize = 100;

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!("usage: device_share DATA PROGRAMS [--every N] [--fuel N]");
        return ExitCode::from(2);
    };
    match with_large_stack(|| measure(&options)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(n_wrong) => {
            println!("answers that differ: {n_wrong}");
            ExitCode::FAILURE
        }
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    data: String,
    programs: String,
    every: usize,
    fuel: u64,
}

fn options() -> Option<Options> {
    let mut args = std::env::args().skip(1);
    let mut options = Options {
        data: args.next()?,
        programs: args.next()?,
        every: 1,
        fuel: DEFAULT_FUEL,
    };
    while let Some(arg) = args.next() {
        let number: u64 = args.next()?.parse().ok().filter(|n| *n > 0)?;
        match arg.as_str() {
            "--every" => options.every = number as usize,
            "--fuel" => options.fuel = number,
            _ => return None,
        }
    }
    Some(options)
}

fn programs(path: &str) -> Result<Vec<Program>, String> {
    let source = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    if !path.ends_with(".batt") {
        return parse(&source, path, None).map_err(|e| format!("{path}: {} errors", e.len()));
    }
    let file = parse_battery(&source).map_err(|e| format!("{path}: {} errors", e.len()))?;
    let mut battery = file.battery;
    battery.sweep();
    let mut scripts = Scripts::new(&battery);
    Ok((0..battery.outs.len())
        .map(|k| scripts.program(k))
        .collect())
}

fn inputs(options: &Options) -> Result<Vec<Grid>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = options.data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let all = data.tasks.iter().flat_map(|task| task.pairs());
    let chosen = all.map(|(input, _)| input.clone()).step_by(options.every);
    Ok(chosen.collect())
}

/// Runs with one end, and their processor time.
#[derive(Clone, Copy, Default)]
struct Share {
    n_runs: usize,
    seconds: f64,
}

impl Share {
    fn add(&mut self, seconds: f64) {
        self.n_runs += 1;
        self.seconds += seconds;
    }
}

#[derive(Default)]
struct Tally {
    all: Share,
    answered: Share,
    reasons: BTreeMap<String, Share>,
    places: BTreeMap<String, Share>,
    /// The time in lines of kinds that the device has, in runs that it does not answer. Lines of a
    /// program weigh alike.
    cut_s: f64,
    n_wrong: usize,
}

fn measure(options: &Options) -> Result<usize, String> {
    let programs = programs(&options.programs)?;
    let inputs = inputs(options)?;
    let settings = Settings {
        fuel: Devices::fuel_for(options.fuel),
        ..Settings::default()
    };
    let session = Session::open(0, settings).map_err(|e| e.to_string())?;
    let mut samples = Samples::default();
    for input in &inputs {
        samples.push(input, None);
    }
    let resident = session.upload(&samples).map_err(|e| e.to_string())?;
    let engine = Engine {
        fuel: options.fuel,
        ..Engine::default()
    };
    let mut tally = Tally::default();
    for chunk in programs.chunks(CHUNK) {
        let (mut compiled, mut refusals) = (Vec::new(), Vec::new());
        for program in chunk {
            match Compiled::of(program) {
                Ok(code) => {
                    compiled.push(code);
                    refusals.push(None);
                }
                Err(refusal) => refusals.push(Some(refusal)),
            }
        }
        let jobs: Vec<Job> = (0..compiled.len() as u32)
            .flat_map(|program| (0..inputs.len() as u32).map(move |sample| Job { program, sample }))
            .collect();
        let answers = session
            .run(&resident, &compiled, &jobs, false)
            .map_err(|e| e.to_string())?;
        let mut answers = answers.chunks(inputs.len());
        for (program, refusal) in chunk.iter().zip(refusals) {
            let answers = match refusal {
                None => answers.next(),
                Some(_) => None,
            };
            tally.add(&engine, program, &inputs, refusal, answers);
        }
    }
    tally.report(programs.len(), inputs.len());
    Ok(tally.n_wrong)
}

impl Tally {
    fn add(
        &mut self,
        engine: &Engine,
        program: &Program,
        inputs: &[Grid],
        refusal: Option<Refusal>,
        answers: Option<&[Answer]>,
    ) {
        let ready = Ready::of(program);
        let refused = refusal.map(|refusal| reason_of_refusal(program, refusal));
        let supported = count_supported_lines(program) as f64 / program.lines.len().max(1) as f64;
        for (k, input) in inputs.iter().enumerate() {
            let (outcome, seconds) = timed(engine, program, &ready, input);
            self.all.add(seconds);
            let answer = answers.map(|all| &all[k]);
            match answer {
                Some(answer) if !answer.is_unsure() => {
                    self.answered.add(seconds);
                    self.n_wrong += usize::from(!is_equal(answer, &outcome));
                    continue;
                }
                Some(answer) => {
                    let (reason, place) = reason_of_doubt(program, answer, &outcome);
                    self.reasons.entry(reason).or_default().add(seconds);
                    self.places.entry(place).or_default().add(seconds);
                }
                None => {
                    let reason = match outcome.fault() {
                        Some(Fault::Fuel) => ENDLESS.to_owned(),
                        _ => refused.clone().unwrap_or_default(),
                    };
                    self.reasons.entry(reason).or_default().add(seconds);
                }
            }
            self.cut_s += seconds * supported;
        }
    }

    fn report(&self, n_programs: usize, n_inputs: usize) {
        let percent = |seconds: f64| 100.0 * seconds / self.all.seconds;
        let endless_s = self.reasons.get(ENDLESS).map_or(0.0, |it| it.seconds);
        let ending_s = self.all.seconds - endless_s;
        let row = |name: &str, share: &Share| {
            let runs = 100.0 * share.n_runs as f64 / self.all.n_runs as f64;
            let time = percent(share.seconds);
            let of_ending = match name {
                ENDLESS => String::new(),
                _ => format!("{:.1} %", 100.0 * share.seconds / ending_s),
            };
            println!("| {name} | {runs:.1} % | {time:.1} % | {of_ending} |");
        };
        println!(
            "{n_programs} programs on {n_inputs} inputs: {} runs, {:.2} s on one core",
            self.all.n_runs, self.all.seconds
        );
        println!("| | runs | processor time | of it without runaways |\n|---|---|---|---|");
        row("answered", &self.answered);
        for (name, share) in by_time(&self.reasons) {
            row(name, share);
        }
        println!("not sure at:");
        for (name, share) in by_time(&self.places).into_iter().take(12) {
            println!("  {:5.1} %  {name}", percent(share.seconds));
        }
        let cut = percent(self.answered.seconds + self.cut_s);
        println!("with cuts at every line: at most {cut:.1} %");
        let rest = 1.0 - self.answered.seconds / self.all.seconds;
        println!(
            "devices can answer {:.0} % of this time: at most {:.1}×",
            percent(self.answered.seconds),
            1.0 / rest
        );
    }
}

fn by_time(shares: &BTreeMap<String, Share>) -> Vec<(&String, &Share)> {
    let mut all: Vec<_> = shares.iter().collect();
    all.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
    all
}

/// The outcome on the CPU, and the lesser time of two runs: a run may be interrupted.
fn timed(engine: &Engine, program: &Program, ready: &Ready, input: &Grid) -> (Outcome, f64) {
    let sample = Sample::of(input);
    let run = || {
        let start = Instant::now();
        let ran = engine.run_again(program, ready, &sample);
        (ran.outcome, start.elapsed().as_secs_f64())
    };
    let (outcome, first) = run();
    (outcome, first.min(run().1))
}

fn is_equal(answer: &Answer, outcome: &Outcome) -> bool {
    match (answer, outcome) {
        (Answer::Grid { hash, .. }, Outcome::Grid(grid)) => grid
            .to_grid()
            .is_none_or(|grid| hash_of_grid(&grid) == *hash),
        _ => answer.outcome().as_ref() == Some(outcome),
    }
}

fn reason_of_refusal(program: &Program, refusal: Refusal) -> String {
    let Refusal::Primitive(_) = refusal else {
        return match refusal {
            Refusal::Use(_) => "a use of a primitive that the device does not know".to_owned(),
            other => other.to_string(),
        };
    };
    let known: BTreeSet<Prim> = device_primitives().into_iter().collect();
    let operands = program.lines.iter().flat_map(|line| line.op.operands());
    let missing = operands.filter_map(|operand| match operand {
        Operand::Prim(prim) if !known.contains(&prim) => Some(prim.name()),
        _ => None,
    });
    match missing.into_iter().all(|name| MISSED.contains(&name)) {
        true => format!("lacks only some of {}", MISSED.join(", ")),
        false => "lacks other primitives".to_owned(),
    }
}

/// Why the device is not sure, and where.
fn reason_of_doubt(program: &Program, answer: &Answer, outcome: &Outcome) -> (String, String) {
    let Answer::Unsure { line: Some(line) } = answer else {
        return ("no memory for its values".to_owned(), "memory".to_owned());
    };
    let prim = match program.lines.get(*line as usize).map(|line| &line.op) {
        Some(Op::Call {
            callee: Operand::Prim(prim),
            ..
        }) => Some(*prim),
        _ => None,
    };
    let place = prim.map_or("a call of a function, or the output", Prim::name);
    let is_ordered = prim.is_some_and(|prim| prim.entry().order == OrderUse::Observes);
    let reason = match outcome.fault() {
        Some(Fault::Fuel) => ENDLESS,
        Some(_) => "a fault within an iteration or on an odd value",
        None if is_ordered => "the order of a set may decide",
        None => "a value of another size or kind",
    };
    (reason.to_owned(), place.to_owned())
}
