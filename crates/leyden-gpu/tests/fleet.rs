//! Counts the transfers of all OpenCL devices as one fleet. Without a device the tests print a note
//! and pass.
#![cfg(feature = "opencl")]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

use std::sync::Arc;

use leyden_exec::{Asked, Elsewhere, Engine, Sample};
use leyden_gpu::fleet::{Choice, DeviceKind, Fleet, Wants, Wish, open};
use leyden_gpu::{Answer, Compiled, Devices, GpuError};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules};

const FUEL: u64 = 1_000_000;

fn fleet() -> Option<Fleet> {
    let wish = Wish {
        choice: Choice::All,
        fuel: Devices::fuel_for(FUEL),
        ..Wish::default()
    };
    match open(DeviceKind::OpenCl, &wish, Box::new(|text| panic!("{text}"))) {
        Ok(opened) => Some(opened.fleet),
        Err(reason @ (GpuError::NoLoader | GpuError::NoDevice)) => {
            eprintln!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn programs() -> Vec<Program> {
    let bodies = [
        "vmirror(I)",
        "hmirror(I)",
        "rot180(I)",
        "hmirror(I)",
        "height(I)",
    ];
    let program = |(k, body): (usize, &&str)| {
        format!("def solve_{k:08x}(I):\n    O = {body}\n    return O\n\n")
    };
    let source: String = bodies.iter().enumerate().map(program).collect();
    leyden_lang::parse(&source, "test.py", None).unwrap()
}

/// Grids whose mirror images all differ, and the number of their cells.
fn grids() -> (Vec<Grid>, u64) {
    let grid = |n: u8| {
        let row = |i: u8| (0..n).map(|j| (i * 3 + j) % 7).collect();
        Grid::from_rows(&(0..n).map(row).collect::<Vec<Vec<u8>>>()).unwrap()
    };
    let grids: Vec<Grid> = (2..12).map(grid).collect();
    let n_cells = grids.iter().map(|grid| grid.cells().len() as u64).sum();
    (grids, n_cells)
}

/// The offset, height and width of a grid, and the grids of a sample.
const BYTES_ABOUT_A_SAMPLE: u64 = 3 * 4 + 2 * 4;

#[test]
fn for_matching_grids_go_there_once_and_at_most_64_bytes_come_back() {
    let Some(fleet) = fleet() else { return };
    let (grids, n_cells) = grids();
    let asked = |input| Asked {
        input,
        expected: None,
    };
    let samples: Vec<Asked<'_>> = grids.iter().map(asked).collect();
    let compiled: Vec<Compiled> = programs()
        .iter()
        .map(|it| Compiled::of(it).unwrap())
        .collect();
    let lists = vec![(0..compiled.len() as u32).collect(); grids.len()];
    let answers = fleet.answers(&samples, &compiled, &lists, Wants::Matches);
    let is_known = |it: &Answer| !it.is_unsure();
    assert!(answers.iter().flatten().all(is_known));
    let n_jobs = (grids.len() * compiled.len()) as u64;
    let transfers = fleet.transfers();
    let expected = n_cells + BYTES_ABOUT_A_SAMPLE * grids.len() as u64;
    assert_eq!(transfers.grids, expected);
    assert_eq!(transfers.outputs, 0);
    assert!(transfers.results <= 64 * n_jobs, "{transfers:?}");
}

#[test]
fn every_different_grid_comes_back_once_and_grids_go_there_once_still() {
    let Some(fleet) = fleet() else { return };
    let (fleet, programs) = (Arc::new(fleet), programs());
    let (grids, n_cells) = grids();
    let asked = |input| Asked {
        input,
        expected: None,
    };
    let samples: Vec<Asked<'_>> = grids.iter().map(asked).collect();
    let battery = Battery::from_programs(&programs, Rules::ALL);
    let devices = Devices::new(fleet.clone(), FUEL);
    let told = devices
        .load(&battery, FUEL)
        .unwrap()
        .outcomes(&samples, &|_, _| true);
    for (grid, told) in grids.iter().zip(&told) {
        assert_eq!(told.len(), programs.len());
        for (program, outcome) in told {
            let on_cpu = Engine::default().run(&programs[*program], &Sample::of(grid));
            assert_eq!(*outcome, on_cpu);
        }
    }
    // Three mirror images of each grid; a grid of results has room for 2,048 cells.
    let transfers = fleet.transfers();
    assert_eq!(transfers.outputs, 2_048 * 3 * grids.len() as u64);
    let expected = n_cells + BYTES_ABOUT_A_SAMPLE * grids.len() as u64;
    assert_eq!(transfers.grids, expected);
}
