//! Several devices as one. The fleet shares out samples among them. It drops a device that fails or
//! whose memory is full, with a message, and the other devices do its part again. The CPU does the
//! rest.

mod device;
mod part;
#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use device::Device;
pub use device::{Choice, DeviceKind, Opened, Stays, Wish, found, open};
use leyden_exec::Asked;
use part::Part;

use crate::batch::{Answer, Transfers};
use crate::compile::Compiled;
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::times::Times;

/// Receives messages about devices while they work.
pub type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// The content of answers, in addition to how a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// The size and hash of a grid, and whether it is the expected one: 32 bytes for each run.
    Matches,
    /// The cells, too. Each distinct grid of a sample comes back once.
    Grids,
}

/// Devices that work together.
pub struct Fleet {
    members: Vec<Member>,
    tell: Tell,
}

struct Member {
    info: DeviceInfo,
    /// The device; `None` once it was dropped.
    device: Mutex<Option<Box<dyn Device>>>,
    /// The transfers before it was dropped.
    transfers: Mutex<Transfers>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Member {
    fn is_there(&self) -> bool {
        lock(&self.device).is_some()
    }

    fn transfers(&self) -> Transfers {
        match &*lock(&self.device) {
            Some(device) => device.transfers(),
            None => *lock(&self.transfers),
        }
    }

    /// Does a part; drops the device if it fails.
    fn work(&self, part: &Part<'_>) -> Result<Vec<Vec<Answer>>, Option<GpuError>> {
        let mut held = lock(&self.device);
        let device = held.as_mut().ok_or(None)?;
        let done = part.run(device.as_mut());
        if done.is_err() {
            *lock(&self.transfers) = device.transfers();
            *held = None;
        }
        done.map_err(Some)
    }
}

impl std::fmt::Debug for Fleet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.infos()).finish()
    }
}

impl Fleet {
    /// Makes a fleet of devices. `tell` receives a message when one is dropped.
    pub(crate) fn new(devices: Vec<Box<dyn Device>>, tell: Tell) -> Fleet {
        let member = |device: Box<dyn Device>| Member {
            info: device.info().clone(),
            device: Mutex::new(Some(device)),
            transfers: Mutex::default(),
        };
        Fleet {
            members: devices.into_iter().map(member).collect(),
            tell,
        }
    }

    /// The properties of the devices, including dropped ones.
    pub fn infos(&self) -> impl Iterator<Item = &DeviceInfo> {
        self.members.iter().map(|member| &member.info)
    }

    /// The number of devices left.
    pub fn n_devices(&self) -> usize {
        self.members.iter().filter(|it| it.is_there()).count()
    }

    /// The transfers over all buses so far.
    pub fn transfers(&self) -> Transfers {
        let all = self.members.iter().map(Member::transfers);
        all.fold(Transfers::default(), Transfers::plus)
    }

    /// The times so far of the devices left, if they are timed.
    pub fn times(&self) -> Times {
        let times = |member: &Member| {
            let device = lock(&member.device);
            device.as_ref().map_or_else(Times::default, |it| it.times())
        };
        let all = self.members.iter().map(times);
        all.fold(Times::default(), |a, b| a + b)
    }

    /// Runs programs on samples: each sample has its own list of programs, by index. Answers have
    /// the same order. A run that no device could do is unsure.
    pub fn answers(
        &self,
        samples: &[Asked<'_>],
        programs: &[Compiled],
        lists: &[Vec<u32>],
        wants: Wants,
    ) -> Vec<Vec<Answer>> {
        let none = |list: &Vec<u32>| vec![Answer::NONE; list.len()];
        let mut all: Vec<Vec<Answer>> = lists.iter().map(none).collect();
        let n_samples = samples.len().min(lists.len());
        let mut open: Vec<Range<usize>> = std::iter::once(0..n_samples).collect();
        let part = |range: &Range<usize>| Part {
            samples: &samples[range.clone()],
            programs,
            lists: &lists[range.clone()],
            wants,
        };
        while open.iter().any(|range| !range.is_empty()) {
            let members: Vec<&Member> = self.members.iter().filter(|it| it.is_there()).collect();
            if members.is_empty() {
                break;
            }
            let ranges = open.iter().flat_map(|range| split(range, members.len()));
            let ranges: Vec<Range<usize>> = ranges.collect();
            let parts: Vec<Part<'_>> = ranges.iter().map(part).collect();
            let done = at_once(&members, &parts);
            open.clear();
            for (range, done) in ranges.into_iter().zip(done) {
                match done {
                    Ok(answers) => range.zip(answers).for_each(|(k, it)| all[k] = it),
                    Err(lost) => {
                        lost.iter().for_each(|lost| self.tell_of(lost));
                        open.push(range);
                    }
                }
            }
        }
        all
    }

    fn tell_of(&self, (name, error): &Lost) {
        let rest = match self.n_devices() {
            0 => "the CPU does its part".to_owned(),
            1 => "another device does its part".to_owned(),
            n => format!("{n} other devices do its part"),
        };
        (self.tell)(&format!("{name} is dropped: {error}; {rest}"));
    }
}

/// The result of a part, or the device that it lost. `None` if another part lost the device before.
type Done = Result<Vec<Vec<Answer>>, Option<Lost>>;

/// The name of a device, and its error.
type Lost = (String, GpuError);

/// Every device does its share of the parts, all at the same time.
fn at_once(members: &[&Member], parts: &[Part<'_>]) -> Vec<Done> {
    let share = |number: usize, member: &Member| -> Vec<(usize, Done)> {
        let mine = parts.iter().enumerate().skip(number).step_by(members.len());
        let work = |(k, part): (usize, &Part<'_>)| {
            let done = member.work(part);
            let lost =
                |error: Option<GpuError>| error.map(|error| (member.info.name.clone(), error));
            (k, done.map_err(lost))
        };
        mine.map(work).collect()
    };
    let mut done: Vec<Done> = parts.iter().map(|_| Err(None)).collect();
    std::thread::scope(|scope| {
        let share = &share;
        let others: Vec<_> = (1..members.len())
            .map(|number| scope.spawn(move || share(number, members[number])))
            .collect();
        let mine = share(0, members[0]);
        let mut all = mine;
        for (other, member) in others.into_iter().zip(&members[1..]) {
            match other.join() {
                Ok(theirs) => all.extend(theirs),
                // A device whose thread panicked has done nothing and is dropped. Its part stays
                // open.
                Err(_) => *lock(&member.device) = None,
            }
        }
        all.into_iter().for_each(|(k, it)| done[k] = it);
    });
    done
}

/// Splits a range into about equal parts, at most `n_parts`, none of them empty.
fn split(range: &Range<usize>, n_parts: usize) -> Vec<Range<usize>> {
    let place = |k: usize| range.start + range.len() * k / n_parts.max(1);
    let parts = (0..n_parts).map(|k| place(k)..place(k + 1));
    parts.filter(|part| !part.is_empty()).collect()
}
