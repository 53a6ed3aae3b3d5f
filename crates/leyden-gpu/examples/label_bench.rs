//! `cargo run --release -p leyden-gpu --example label_bench -- DATA`
//!
//! Labels 10,000 random grids and 10,000 grids of a data set in each of the eight ways of
//! `objects`: by plain union-find grid by grid, by bits, and through the engine, which also makes
//! the objects. It prints the best wall time of some rounds, and fails unless bits are at least
//! twice as fast.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use leyden_exec::{Engine, Sample};
use leyden_gpu::labels::{Rule, label_all, label_plainly};
use leyden_grid::Grid;
use leyden_store::{Cache, DataSpec, load};

const N_GRIDS: usize = 10_000;
const ROUNDS: usize = 7;

fn main() -> ExitCode {
    let Some(data) = std::env::args().nth(1) else {
        println!("usage: label_bench DATA");
        return ExitCode::from(2);
    };
    match grids_of(&data) {
        Ok(grids) => {
            let on_noise = measure("random 30 x 30", &random_grids());
            let least = on_noise.min(measure(&data, &grids));
            println!("at least {least:.1} times as fast as union-find");
            ExitCode::from(u8::from(least < 2.0))
        }
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The inputs of a data set, repeated.
fn grids_of(data: &str) -> Result<Vec<Grid>, String> {
    let spec: DataSpec = data.parse().map_err(|e| format!("{e}"))?;
    let cache = Cache::from_env().map_err(|e| e.to_string())?;
    let tasks = load(&spec, None, &cache).map_err(|e| e.to_string())?;
    let inputs = tasks
        .tasks
        .iter()
        .flat_map(|task| task.pairs().map(|(input, _)| input.clone()));
    let inputs: Vec<Grid> = inputs.collect();
    Ok(inputs.iter().cycle().take(N_GRIDS).cloned().collect())
}

/// Noise of ten colours, half of it background.
fn random_grids() -> Vec<Grid> {
    let mut state = 1u64;
    let mut roll = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8 % 20
    };
    let grid = |_| {
        let cells: Vec<u8> = (0..900).map(|_| roll().saturating_sub(10)).collect();
        Grid::from_cells(30, 30, &cells)
    };
    (0..N_GRIDS).map(grid).filter_map(Result::ok).collect()
}

fn most_frequent(grid: &Grid) -> u8 {
    let mut counts = [0; 10];
    for colour in grid.cells() {
        counts[usize::from(*colour)] += 1;
    }
    (0..10)
        .rev()
        .max_by_key(|colour| counts[usize::from(*colour)])
        .unwrap_or(0)
}

/// Measures all ways; returns the smallest gain.
fn measure(name: &str, grids: &[Grid]) -> f64 {
    let mut least = f64::INFINITY;
    println!(
        "{name}: {} grids; ms by union-find, by bits (times as fast), by the engine",
        grids.len()
    );
    for flags in 0..8u8 {
        let (univalued, diagonal, without) = (flags & 4 != 0, flags & 2 != 0, flags & 1 != 0);
        let rule = Rule {
            univalued,
            diagonal,
        };
        let background = |grid: &Grid| without.then(|| most_frequent(grid));
        let with_background: Vec<_> = grids.iter().map(|grid| (grid, background(grid))).collect();
        let plain = best(|| {
            for (grid, background) in &with_background {
                black_box(label_plainly(grid, *background, rule));
            }
        });
        let together = best(|| {
            black_box(label_all(&with_background, rule));
        });
        let engine = best(|| through_engine(grids, flags));
        let times = plain.as_secs_f64() / together.as_secs_f64();
        least = least.min(times);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let letters: String = [univalued, diagonal, without]
            .map(|on| if on { 'T' } else { 'F' })
            .iter()
            .collect();
        println!(
            "  {letters}  {:7.1}  {:7.1} ({times:.1}x)  {:7.1}",
            ms(plain),
            ms(together),
            ms(engine)
        );
    }
    least
}

fn best(mut work: impl FnMut()) -> Duration {
    let time = |_| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

fn through_engine(grids: &[Grid], flags: u8) {
    let switch = |bit: u8| if flags & bit != 0 { 'T' } else { 'F' };
    let call = format!("objects(I, {}, {}, {})", switch(4), switch(2), switch(1));
    let source =
        format!("def solve_00000000(I):\n    x1 = {call}\n    O = size(x1)\n    return O\n");
    let Ok(programs) = leyden_lang::parse(&source, "bench", None) else {
        return;
    };
    let engine = Engine::default();
    for grid in grids {
        black_box(engine.run(&programs[0], &Sample::of(grid)));
    }
}
