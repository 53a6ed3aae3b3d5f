use std::sync::{Arc, Mutex};

use leyden_exec::{Asked, Elsewhere, Engine, Outcome, Sample};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules};

use super::device::{Choice, Wish, check_room, opened};
use super::simulated::{Simulated, Temper, info};
use super::{Device, DeviceKind, Fleet, Tell, Wants, split};
use crate::backend::Devices;
use crate::batch::Answer;
use crate::compile::Compiled;
use crate::error::GpuError;

const SOURCE: &str = "
def solve_00000001(I):
    O = vmirror(I)
    return O

def solve_00000002(I):
    x1 = subtract(ONE, ONE)
    O = divide(SEVEN, x1)
    return O

def solve_00000003(I):
    O = hmirror(I)
    return O

def solve_00000004(I):
    O = hconcat(I, I)
    return O
";

fn programs() -> Vec<Program> {
    leyden_lang::parse(SOURCE, "test.py", None).unwrap()
}

fn grids() -> Vec<Grid> {
    let grid = |k: u8| Grid::from_rows(&[vec![k, 2], vec![k, k]]).unwrap();
    (0..9).map(grid).collect()
}

/// A fleet of devices with these tempers, and its messages.
fn fleet(tempers: &[Temper]) -> (Fleet, Arc<Mutex<Vec<String>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let theirs = said.clone();
    let tell: Tell = Box::new(move |text| theirs.lock().unwrap().push(text.to_owned()));
    // The programs have the form that the battery gives them.
    let battery = Battery::from_programs(&programs(), Rules::ALL);
    let programs: Vec<Program> = (0..battery.outs.len())
        .map(|k| battery.program(k))
        .collect();
    let device = |(k, temper): (usize, &Temper)| {
        Simulated::boxed(&format!("device {k}"), *temper, &programs)
    };
    let devices: Vec<Box<dyn Device>> = tempers.iter().enumerate().map(device).collect();
    (Fleet::new(devices, tell), said)
}

/// Runs everything on a fleet. With any tempers, no answer may be wrong.
fn check(tempers: &[Temper], n_left: usize, expected_words: &[&str], is_complete: bool) {
    let (fleet, said) = fleet(tempers);
    let (programs, grids) = (programs(), grids());
    let mirrored = Grid::from_rows(&[vec![2, 3], vec![3, 3]]).unwrap();
    let asked = |input| Asked {
        input,
        expected: Some(&mirrored),
    };
    let samples: Vec<Asked<'_>> = grids.iter().map(asked).collect();
    let devices = Devices::new(Arc::new(fleet), 1_000);
    let battery = Battery::from_programs(&programs, Rules::ALL);
    let loaded = devices.load(&battery, 1_000).unwrap();
    assert_eq!(loaded.n_programs(), programs.len());
    let told = loaded.outcomes(&samples, &|sample, program| (sample + program) % 5 != 0);
    let mut n_told = 0;
    for (sample, told) in told.iter().enumerate() {
        assert!(told.is_sorted_by_key(|(program, _)| *program));
        for (program, outcome) in told {
            assert_ne!((sample + program) % 5, 0);
            let on_cpu = Engine::default().run(&programs[*program], &Sample::of(&grids[sample]));
            assert_eq!(*outcome, on_cpu);
            n_told += 1;
        }
    }
    let n_wanted = (0..9 * 4).filter(|k| (k / 4 + k % 4) % 5 != 0).count();
    assert_eq!(n_told == n_wanted, is_complete, "{n_told} of {n_wanted}");
    let said = said.lock().unwrap();
    assert_eq!(said.len(), expected_words.len(), "{said:?}");
    for words in expected_words {
        assert!(said.iter().any(|it| it.contains(words)), "{said:?}");
    }
    let is_left = devices.load(&battery, 1_000).is_some();
    assert_eq!(is_left, n_left > 0);
}

#[test]
fn samples_are_shared_out_and_answers_stay_in_order() {
    for n in [1, 2, 5] {
        check(&vec![Temper::Sound; n], n, &[], true);
    }
}

#[test]
fn a_device_that_is_full_is_dropped_and_another_does_its_part() {
    let full = "device 0 is dropped: clCreateBuffer failed with CL_MEM_OBJECT_ALLOCATION_FAILURE";
    check(&[Temper::FullAtOnce, Temper::Sound], 1, &[full], true);
    check(
        &[Temper::FullAtOnce, Temper::Sound],
        1,
        &["; another device does its part"],
        true,
    );
}

#[test]
fn a_device_that_fails_midway_is_dropped_and_others_do_its_part() {
    let tempers = [Temper::Sound, Temper::FailsAt(1), Temper::Sound];
    check(&tempers, 2, &["; 2 other devices do its part"], true);
}

#[test]
fn what_no_device_can_do_is_for_the_cpu() {
    check(
        &[Temper::FailsAt(0)],
        0,
        &["; the CPU does its part"],
        false,
    );
    let all = [Temper::FailsAt(1), Temper::FullAtOnce, Temper::FailsAt(0)];
    check(&all, 0, &["device 0", "device 1", "device 2"], false);
}

#[test]
fn what_a_device_forgets_is_for_the_cpu() {
    check(&[Temper::Forgetful], 1, &[], false);
}

#[test]
fn without_devices_nothing_is_loaded() {
    let (fleet, _) = fleet(&[]);
    let devices = Devices::new(Arc::new(fleet), 1_000);
    let battery = Battery::from_programs(&programs(), Rules::ALL);
    assert!(devices.load(&battery, 1_000).is_none());
}

#[test]
fn who_may_burn_less_is_not_answered() {
    let (fleet, _) = fleet(&[Temper::Sound]);
    let devices = Devices::new(Arc::new(fleet), 1_000);
    let battery = Battery::from_programs(&programs(), Rules::ALL);
    assert!(devices.load(&battery, 999).is_none());
}

#[test]
fn grids_go_there_once_and_for_matching_few_bytes_come_back() {
    let (fleet, _) = fleet(&[Temper::Sound, Temper::Sound]);
    let grids = grids();
    let asked = |input| Asked {
        input,
        expected: None,
    };
    let samples: Vec<Asked<'_>> = grids.iter().map(asked).collect();
    let compiled: Vec<Compiled> = programs()
        .iter()
        .filter_map(|it| Compiled::of(it).ok())
        .collect();
    let lists = vec![vec![0, 1, 2, 3]; 9];
    let answers = fleet.answers(&samples, &compiled, &lists, Wants::Matches);
    assert!(answers.iter().flatten().all(|it| !it.is_unsure()));
    let has_cells = |it: &&Answer| matches!(it, Answer::Grid { cells: Some(_), .. });
    assert_eq!(answers.iter().flatten().filter(has_cells).count(), 0);
    let transfers = fleet.transfers();
    assert_eq!(transfers.grids, 9 * 4);
    assert!(transfers.results + transfers.outputs <= 64 * 9 * 4);
    assert_eq!(transfers.launches, 2);
}

#[test]
fn too_little_memory_is_an_error_that_says_what_is_missing() {
    let mut small = info("small");
    small.local_memory = 1 << 10;
    let error = check_room(&small).unwrap_err();
    assert!(matches!(error, GpuError::LocalMemory { found: 1024, .. }));
    assert!(error.to_string().contains("use another device or the CPU"));
    small = info("small");
    small.memory = 1 << 20;
    let error = check_room(&small).unwrap_err().to_string();
    assert!(
        error.starts_with("the device has 1048576 bytes of memory"),
        "{error}"
    );
    assert_eq!(check_room(&info("large enough")), Ok(()));
    let both = [small, info("a GPU that Leyden never heard of")];
    let wish = Wish::default();
    assert_eq!(wish.fit(&both, &[0, 1]), Ok(vec![1]));
    assert_eq!(wish.fit(&both, &[0]), Err(error));
}

#[test]
fn devices_that_cannot_be_opened_are_remarks_unless_there_is_no_other() {
    let missing = || {
        Err(GpuError::NoSuchDevice {
            wanted: 1,
            found: 1,
        })
    };
    let sound = Simulated::boxed("sound", Temper::Sound, &programs());
    let tell = || -> Tell { Box::new(|_| {}) };
    let both = opened(DeviceKind::OpenCl, vec![missing(), Ok(sound)], tell()).unwrap();
    assert_eq!(both.fleet.n_devices(), 1);
    assert!(both.remarks[0].contains("there is no device 1"));
    let error = opened(DeviceKind::OpenCl, vec![missing()], tell()).unwrap_err();
    assert_eq!(
        error,
        GpuError::NoSuchDevice {
            wanted: 1,
            found: 1
        }
    );
}

#[test]
fn usually_all_gpus_are_taken_or_the_first_device() {
    let mut processor = info("processor");
    processor.is_gpu = false;
    let gpu = info("gpu");
    let devices = [processor.clone(), gpu.clone(), gpu];
    assert_eq!(Choice::Usual.among(&devices), Ok(vec![1, 2]));
    assert_eq!(Choice::Usual.among(&[processor]), Ok(vec![0]));
    assert_eq!(Choice::All.among(&devices), Ok(vec![0, 1, 2]));
    assert_eq!(Choice::These(vec![2, 0, 2]).among(&devices), Ok(vec![0, 2]));
    let missing = Choice::These(vec![3]).among(&devices);
    assert_eq!(
        missing,
        Err(GpuError::NoSuchDevice {
            wanted: 3,
            found: 3
        })
    );
}

#[test]
fn a_processor_may_pay_only_if_its_number_is_chosen() {
    let mut processor = info("processor");
    processor.is_gpu = false;
    let fit = |choice| {
        let wish = Wish {
            choice,
            ..Wish::default()
        };
        wish.fit(std::slice::from_ref(&processor), &[0])
    };
    assert_eq!(fit(Choice::These(vec![0])), Ok(vec![0]));
    assert_eq!(fit(Choice::All), Ok(vec![0]));
    let reason = fit(Choice::Usual).unwrap_err();
    assert_eq!(reason, "processor is a processor, not a GPU");
}

#[test]
fn a_range_is_split_into_parts_that_are_not_empty() {
    assert_eq!(split(&(2..9), 3), [2..4, 4..6, 6..9]);
    assert_eq!(split(&(0..2), 5), [0..1, 1..2]);
    assert!(split(&(4..4), 3).is_empty());
}

#[test]
fn a_fault_has_the_line_of_the_program_as_it_was_written() {
    let (fleet, _) = fleet(&[Temper::Sound]);
    let devices = Devices::new(Arc::new(fleet), 1_000);
    let programs = programs();
    let battery = Battery::from_programs(&programs, Rules::ALL);
    let loaded = devices.load(&battery, 1_000).unwrap();
    let grids = grids();
    let asked = Asked {
        input: &grids[0],
        expected: None,
    };
    let told = loaded.outcomes(&[asked], &|_, _| true).remove(0);
    assert!(matches!(told[1].1, Outcome::Fault { line: 1, .. }));
}
