//! Tests the host's side with a device that checks all its input and answers with garbage.

use std::cell::RefCell;

use leyden_exec::random::{Case, Dice};
use leyden_grid::Grid;

use super::*;
use crate::compile::device_primitives;
use crate::wire::{
    INSTRUCTION_WORDS, Op, PARENT_WORDS, PROGRAM_WORDS, REGISTER_WORDS, SCRATCH_WORDS, SLOT_BYTES,
};

#[test]
fn what_has_more_than_two_thousand_million_parts_is_refused() {
    assert!(check_size("cells", i32::MAX as usize).is_ok());
    let error = check_size("cells", 1 << 31).unwrap_err();
    assert!(error.to_string().contains("2147483648"), "{error}");
}

/// Numbers from a seed.
#[derive(Clone)]
struct Rolls(u64);

impl Rolls {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A word as a record may have, or any other.
    fn word(&mut self) -> i32 {
        const EDGES: [i32; 6] = [i32::MIN, i32::MAX, -1, 2048, 1 << 16, 46_341];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.next() as i32,
            _ => self.below(32) as i32,
        }
    }

    /// A length around the right one.
    fn length(&mut self, right: usize) -> usize {
        match self.below(6) {
            0 => 0,
            1 => self.below(right + 1),
            2 => right + self.below(20),
            _ => right,
        }
    }
}

/// The behaviour of a device.
#[derive(Clone)]
struct Plan {
    rolls: Rolls,
    local_memory: u64,
    may_fail: bool,
}

thread_local! {
    static NEXT: RefCell<Plan> = const {
        RefCell::new(Plan { rolls: Rolls(0), local_memory: 49_152, may_fail: false })
    };
}

struct Hostile {
    rolls: RefCell<Rolls>,
    may_fail: bool,
}

impl Backend for Hostile {
    type Found = ();
    type SampleBuffers = Samples;
    type ProgramBuffers = Programs;
    type Started = (usize, usize);

    fn find() -> Result<Vec<(DeviceInfo, ())>, GpuError> {
        let info = DeviceInfo {
            name: "hostile".to_owned(),
            vendor: String::new(),
            driver: String::new(),
            is_gpu: true,
            memory: 0,
            local_memory: NEXT.with_borrow(|plan| plan.local_memory),
        };
        Ok(vec![(info, ())])
    }

    fn open((): &()) -> Result<Hostile, GpuError> {
        let plan = NEXT.with_borrow(Clone::clone);
        Ok(Hostile {
            rolls: RefCell::new(plan.rolls),
            may_fail: plan.may_fail,
        })
    }

    fn upload_samples(&self, samples: &Samples) -> Result<Samples, GpuError> {
        check_samples(samples);
        Ok(samples.clone())
    }

    fn upload_programs(&self, programs: &Programs) -> Result<Programs, GpuError> {
        Ok(programs.clone())
    }

    fn start(&self, launch: &Launch<'_, Hostile>) -> Result<(usize, usize), GpuError> {
        assert!(launch.n_jobs() > 0 && (1..=256).contains(&launch.lanes));
        for job in launch.jobs.chunks_exact(2) {
            assert!((job[1] as usize) < launch.samples.len());
            check_program(launch, job[0] as usize);
        }
        if self.may_fail && self.rolls.borrow_mut().below(50) == 0 {
            return Err(GpuError::NoDevice);
        }
        Ok((launch.n_record_words(), launch.n_output_bytes()))
    }

    fn finish(&self, (n_words, n_bytes): (usize, usize)) -> Result<Returned, GpuError> {
        let mut rolls = self.rolls.borrow_mut();
        let n_words = rolls.length(n_words);
        let n_bytes = rolls.length(n_bytes);
        Ok(Returned {
            records: (0..n_words).map(|_| rolls.word()).collect(),
            outputs: vec![rolls.next() as u8; n_bytes],
        })
    }
}

/// Checks that every grid lies within the cells and every sample names grids.
fn check_samples(samples: &Samples) {
    for grid in samples.grids.chunks_exact(3) {
        let n_cells = (grid[1] * grid[2]) as usize;
        assert!(n_cells <= MAX_GRID_CELLS && grid[0] as usize + n_cells <= samples.cells.len());
    }
    let n_grids = (samples.grids.len() / 3) as i32;
    for pair in samples.pairs.chunks_exact(2) {
        assert!((0..n_grids).contains(&pair[0]) && (-1..n_grids).contains(&pair[1]));
    }
}

/// Checks that a program touches only registers, slots and instructions that exist.
fn check_program(launch: &Launch<'_, Hostile>, number: usize) {
    let all = launch.programs;
    let entry = &all.entries[number * PROGRAM_WORDS..][..PROGRAM_WORDS];
    let (n_instructions, n_constants) = (entry[1] as usize, entry[3] as usize);
    let code = &all.code[entry[0] as usize..][..n_instructions * INSTRUCTION_WORDS];
    let constants = &all.constants[entry[2] as usize..][..4 * n_constants];
    let registers = 0..launch.n_registers;
    let table = if launch.has_table != 0 {
        PARENT_WORDS
    } else {
        0
    };
    let words = launch.n_registers as usize * REGISTER_WORDS + SCRATCH_WORDS + table;
    let n_slots = ((launch.local_bytes - 4 * words) / SLOT_BYTES) as i32;
    assert!(constants.chunks_exact(4).all(|c| registers.contains(&c[0])));
    for step in code.chunks_exact(INSTRUCTION_WORDS) {
        let (op, _) = Op::ALL
            .iter()
            .find(|(op, _)| *op as i32 == step[0])
            .expect("an operation");
        assert!(step[1] & 255 == op.phases() && step[1] >= 0);
        assert!(registers.contains(&step[2]) && step[4..9].iter().all(|r| registers.contains(r)));
        assert!((-1..n_slots).contains(&step[3]));
        assert!(step[3] >= 0 || !op.room().has_slot());
        assert!(launch.has_table != 0 || !op.room().has_table());
        assert!((0..n_instructions as i32).contains(&step[11]));
    }
}

fn programs(seed: u64, n: usize) -> Vec<Compiled> {
    let primitives = device_primitives();
    let mut dice = Dice::seeded(seed);
    let mut rolls = Rolls(seed);
    let mut roll = || match rolls.below(3) {
        0 => Case::random(&mut dice),
        _ => {
            let prim = primitives[rolls.below(primitives.len())];
            Case::random_around(&mut dice, prim, &primitives).0
        }
    };
    let cases = (0..n).map(|_| roll());
    let compiled = cases.map(|case| Compiled::of(&case.program));
    compiled.filter_map(Result::ok).collect()
}

fn index(rolls: &mut Rolls, n: usize) -> u32 {
    match rolls.below(8) {
        0 => u32::MAX,
        1 => n as u32,
        2 => 1 << 31,
        _ => rolls.below(n + 1) as u32,
    }
}

fn check_answer(answer: &Answer, is_possible: bool, wants_grids: bool) {
    assert!(is_possible || answer.is_unsure());
    if let Answer::Grid {
        height,
        width,
        cells,
        ..
    } = answer
    {
        let n_cells = height * width;
        assert!((1..=MAX_GRID_CELLS).contains(&n_cells));
        assert!(cells.as_ref().is_none_or(|cells| cells.len() == n_cells));
        assert!(wants_grids || cells.is_none());
    }
    // Any answer can be asked for its outcome.
    _ = answer.outcome();
}

fn check_round(seed: u64) {
    let mut rolls = Rolls(seed);
    NEXT.set(Plan {
        local_memory: [0, 1, 5_000, 16_384, 49_152, u64::MAX][rolls.below(6)],
        rolls: rolls.clone(),
        may_fail: true,
    });
    let settings = Settings {
        lanes: [None, Some(0), Some(7), Some(usize::MAX)][rolls.below(4)],
        fuel: [0, 1_000, u64::MAX][rolls.below(3)],
        local_memory: [None, Some(20_000), Some(u64::MAX)][rolls.below(3)],
        is_timed: rolls.below(2) == 0,
    };
    let session = Session::<Hostile>::open(0, settings).unwrap();
    let mut samples = Samples::default();
    let n_samples = rolls.below(6);
    for _ in 0..n_samples {
        let (h, w) = (1 + rolls.below(30), 1 + rolls.below(30));
        let grid = Grid::from_cells(h, w, &vec![rolls.below(10) as u8; h * w]).unwrap();
        samples.push(&grid, [None, Some(&grid)][rolls.below(2)]);
    }
    let resident = session.upload(&samples).unwrap();
    let n_rolled = rolls.below(20);
    let programs = programs(seed, n_rolled);
    let n_jobs = [0, 1, 100, 5_000][rolls.below(4)];
    let mut job = || Job {
        program: index(&mut rolls, programs.len()),
        sample: index(&mut rolls, n_samples),
    };
    let jobs: Vec<Job> = (0..n_jobs).map(|_| job()).collect();
    let wants_grids = rolls.below(2) == 0;
    if let Ok(answers) = session.run(&resident, &programs, &jobs, wants_grids) {
        assert_eq!(answers.len(), jobs.len());
        for (answer, job) in answers.iter().zip(&jobs) {
            let has_program = (job.program as usize) < programs.len();
            let has_sample = (job.sample as usize) < n_samples;
            check_answer(answer, has_program && has_sample, wants_grids);
        }
    }
}

#[test]
fn no_device_and_no_job_can_confuse_the_host() {
    (0..400).for_each(check_round);
}

#[test]
fn a_program_of_any_kind_is_refused_or_sound() {
    let session = Session::<Hostile>::open(0, Settings::default()).unwrap();
    let grid = Grid::from_rows(&[vec![1]]).unwrap();
    let mut samples = Samples::default();
    samples.push(&grid, None);
    let resident = session.upload(&samples).unwrap();
    let programs = programs(77, 3_000);
    assert!(programs.len() > 500, "{}", programs.len());
    let jobs: Vec<Job> = (0..programs.len() as u32)
        .map(|program| Job { program, sample: 0 })
        .collect();
    // `start` checks that the jobs are sound.
    let answers = session.run(&resident, &programs, &jobs, false).unwrap();
    assert_eq!(answers.len(), programs.len());
}
