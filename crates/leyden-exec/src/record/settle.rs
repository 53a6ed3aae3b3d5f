//! From counts and samples to times that add up.
//!
//! The time of a line is exact. Its calls for each element are counted exactly but timed only now
//! and then. The first calls stand for themselves, because they often find caches cold. The mean of
//! the later timed calls stands for all later ones. Each frame's time is then shared out over its
//! calls in proportion to these estimates; the rest is its own. So self times add up to the times
//! of the lines, however good the estimates are.

use super::frames::{Frame, FrameId, Frames, Key, NO_FRAME, Tally};
use super::recording::{Figures, Recording, Row, TaskRecord, WorkerRecord};
use super::rows::{RowNumber, Rows};
use super::work::{N_WORKS, Work};

/// A place of a thread: a frame or a kind of work, as one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadPlace(u32);

/// The numbers from here on are kinds of work. There are never this many frames.
const FIRST_WORK: u32 = NO_FRAME - N_WORKS as u32;

impl ThreadPlace {
    #[inline]
    pub(super) fn of_work(work: Work) -> ThreadPlace {
        ThreadPlace(FIRST_WORK + work as u32)
    }

    #[inline]
    pub(super) fn of_frame(id: FrameId) -> ThreadPlace {
        ThreadPlace(id)
    }

    #[inline]
    pub(super) fn frame(self) -> Option<FrameId> {
        (self.0 < FIRST_WORK).then_some(self.0)
    }

    /// The kind of work, if it is one.
    #[inline]
    fn work(self) -> Option<usize> {
        self.0.checked_sub(FIRST_WORK).map(|work| work as usize)
    }
}

/// A stay at a place or a timed call from inside a primitive: the place, the result and the time.
/// Everything else follows from these after the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) place: ThreadPlace,
    pub(super) cells: u32,
    pub(super) time: CallTime,
}

/// The ticks of some calls together, and their number, in one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallTime(u64);

impl CallTime {
    #[inline]
    pub(super) fn of(n: u8, ticks: u64) -> CallTime {
        CallTime(ticks << 8 | u64::from(n))
    }

    #[inline]
    pub(super) fn ticks(self) -> u64 {
        self.0 >> 8
    }

    #[inline]
    pub(super) fn n_calls(self) -> u32 {
        u32::from(self.0 as u8)
    }
}

/// Kinds of work: ticks, stays, and starts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Works {
    pub(super) ticks: [u64; N_WORKS],
    pub(super) stays: [u64; N_WORKS],
    pub(super) counts: [u64; N_WORKS],
}

impl Works {
    pub(super) fn add(&mut self, other: &Works) {
        for k in 0..N_WORKS {
            self.ticks[k] += other.ticks[k];
            self.stays[k] += other.stays[k];
            self.counts[k] += other.counts[k];
        }
    }
}

/// The end of a task in the books, and its other counts.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) task: Option<u32>,
    /// The number of tallies and calls at its end.
    pub(super) n_tallies: usize,
    pub(super) n_calls: usize,
    pub(super) works: Works,
    pub(super) samples_ns: Vec<u64>,
}

/// The price of measuring on this machine, in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// A change of place.
    pub(super) switch: u64,
    /// A reading of the clock: the part of a timed call's price that is in its own time.
    pub(super) call: u64,
    /// A counted call by the reference engine; its caller's time contains it.
    pub(super) counted_call: u64,
    /// A timed call by the reference engine.
    pub(super) timed_call: u64,
}

impl Costs {
    fn of(self, frame: &Frame) -> u64 {
        if frame.is_place() {
            self.switch
        } else {
            self.call
        }
    }
}

/// The row of a frame's own time.
#[derive(Clone, Copy, Debug)]
struct FrameRow {
    row: Option<Row>,
    /// Whether a frame of an equal row called it.
    is_nested: bool,
    /// Whether it is a line of a program on the reference engine, or below one.
    is_on_reference: bool,
}

/// The row of a frame's own time. The time of a program that the reference engine runs again
/// belongs to the primitive that made this necessary.
fn row_of(key: Key, row_of_parent: Option<Row>) -> Option<Row> {
    match (key, row_of_parent) {
        (_, Some(again @ Row::Again(_))) => Some(again),
        (Key::Unit(_), _) => None,
        (Key::Node(_, label) | Key::Inner(label), _) => Some(Row::Line(label)),
        (Key::Reference(slow), _) if slow.is_again() => Some(Row::Again(slow.prim)),
        (Key::Reference(_), _) => Some(Row::Exact),
    }
}

/// A frame's figures during one task.
#[derive(Debug)]
struct Settled {
    figures: Figures,
    /// Turns its calls into times.
    calls: Pricing,
}

/// From the ticks of a frame's timed calls to self times.
#[derive(Clone, Copy, Debug)]
struct Pricing {
    row: Option<RowNumber>,
    cost: f32,
    ns_per_tick: f32,
    /// The number of calls for each timed one.
    weight: u32,
    /// The part that it has in a repeated run, if it has one.
    run: Option<RunPart>,
}

/// A part of a program that the reference engine runs again.
#[derive(Clone, Copy, Debug)]
enum RunPart {
    First,
    Line,
}

/// The times of a frame's timed calls, in nanoseconds, without the price of measuring.
#[derive(Clone, Copy, Debug)]
struct Times {
    ns: f64,
    first_ns: f64,
}

impl Times {
    /// The time of all calls that happened while the caller was timed.
    fn of_all(self, tally: &Tally) -> f64 {
        let (watched, timed) = (tally.watched as f64, f64::from(tally.timed));
        let first = f64::from(tally.first_timed);
        if timed <= first {
            return self.ns * ratio(watched, timed);
        }
        let later = (self.ns - self.first_ns).max(0.0) / (timed - first);
        self.first_ns + later * (watched - first).max(0.0)
    }
}

/// Turns counts and samples into a recording.
#[derive(Debug)]
pub(super) struct Settler {
    costs: Costs,
    ns_per_tick: f64,
    /// For each frame, its place among those of the task.
    places: Vec<u32>,
    /// By frame.
    frame_rows: Vec<FrameRow>,
    rows: Rows,
    recording: Recording,
    /// The number of frames of single tasks in the recording.
    n_frames: usize,
    events: u64,
}

/// Tasks keep at most this many frames, 48 bytes each; with more, all tasks share one list.
const MOST_FRAMES: usize = 2_000_000;

impl Settler {
    pub(super) fn new(costs: Costs, ns_per_tick: f64) -> Settler {
        Settler {
            costs,
            ns_per_tick,
            places: Vec::new(),
            frame_rows: Vec::new(),
            rows: Rows::default(),
            recording: Recording::default(),
            n_frames: 0,
            events: 0,
        }
    }

    pub(super) fn add(
        &mut self,
        frames: &Frames,
        counts: &[(FrameId, Tally)],
        calls: &[Call],
        mut counted: Counted,
    ) {
        self.find_rows_of_new_frames(frames);
        let tallies = &self.tallies(counts, calls);
        counted.works.add(&works_of(calls));
        self.events += calls.iter().map(|call| n_events(frames, call)).sum::<u64>();
        let (settled, measuring) = self.settle(frames, tallies);
        for ((id, _), one) in tallies.iter().zip(&settled) {
            self.add_to_row(self.frame_rows[*id as usize], &one.figures);
        }
        self.add_calls(&settled, calls);
        let own_ticks = self.own_ticks(frames, tallies) + (measuring / self.ns_per_tick) as u64;
        self.add_works(&counted.works, own_ticks);
        let frames = tallies.iter().zip(settled);
        let record = TaskRecord {
            rows: self.rows.take(),
            samples_ns: counted.samples_ns,
            frames: frames.map(|((id, _), it)| (*id, it.figures)).collect(),
        };
        self.n_frames += record.frames.len();
        self.recording.add_task(counted.task, record);
        if self.n_frames > MOST_FRAMES {
            self.recording.forget_frames_by_task();
        }
    }

    /// The counts of a task's frames, completed by its timed calls. Parents come first.
    fn tallies(&mut self, counts: &[(FrameId, Tally)], calls: &[Call]) -> Vec<(FrameId, Tally)> {
        let mut tallies = counts.to_vec();
        self.note_places(&tallies);
        for call in calls {
            let Some(id) = call.place.frame() else {
                continue;
            };
            let place = self.place(id, &tallies).unwrap_or_else(|| {
                self.places[id as usize] = tallies.len() as u32;
                tallies.push((id, Tally::default()));
                tallies.len() - 1
            });
            let (n, ticks) = (call.time.n_calls(), call.time.ticks());
            tallies[place].1.time(n, ticks, call.cells.into());
        }
        tallies.sort_unstable_by_key(|(id, _)| *id);
        self.note_places(&tallies);
        tallies
    }

    fn note_places(&mut self, tallies: &[(FrameId, Tally)]) {
        for (k, (id, _)) in tallies.iter().enumerate() {
            self.places[*id as usize] = k as u32;
        }
    }

    /// The place of a frame in this task.
    fn place(&self, id: FrameId, tallies: &[(FrameId, Tally)]) -> Option<usize> {
        let place = self.places[id as usize] as usize;
        let is_it = tallies.get(place).is_some_and(|(it, _)| *it == id);
        is_it.then_some(place)
    }

    fn find_rows_of_new_frames(&mut self, frames: &Frames) {
        self.places.resize(frames.len(), 0);
        for frame in &frames[self.frame_rows.len()..] {
            let outer = |id: &FrameId| frames[*id as usize].parent();
            let mut outers = std::iter::successors(frame.parent(), outer);
            let row_of_parent = frame
                .parent()
                .and_then(|id| self.frame_rows[id as usize].row);
            let row = row_of(frame.key, row_of_parent);
            let is_nested =
                row.is_some() && outers.any(|id| self.frame_rows[id as usize].row == row);
            let is_on_reference = frame.parent().is_some_and(|id| {
                let is_program = matches!(frames[id as usize].key, Key::Reference(_));
                is_program || self.frame_rows[id as usize].is_on_reference
            });
            self.frame_rows.push(FrameRow {
                row,
                is_nested,
                is_on_reference,
            });
        }
    }

    /// Shares out the times of a task. Frames come with parents first. Also returns the price of
    /// measuring inside lines, in nanoseconds.
    fn settle(&self, frames: &Frames, tallies: &[(FrameId, Tally)]) -> (Vec<Settled>, f64) {
        let mut times: Vec<Times> = tallies
            .iter()
            .map(|(id, tally)| self.times(&frames[*id as usize], tally))
            .collect();
        let measuring = self.take_measuring(frames, tallies, &mut times);
        let mut called = vec![0.0; tallies.len()];
        for ((id, tally), times) in tallies.iter().zip(&times) {
            if let Some(caller) = self.caller(frames, *id, tallies) {
                called[caller] += times.of_all(tally);
            }
        }
        let mut settled: Vec<Settled> = Vec::with_capacity(tallies.len());
        for (k, (id, tally)) in tallies.iter().enumerate() {
            let frame = &frames[*id as usize];
            let total = match self.caller(frames, *id, tallies) {
                Some(caller) => {
                    let whole = times[caller].ns.max(called[caller]);
                    settled[caller].figures.total_ns * ratio(times[k].of_all(tally), whole)
                }
                None => times[k].ns,
            };
            let own_share = if frame.has_time() {
                1.0 - ratio(called[k], times[k].ns).min(1.0)
            } else {
                0.0
            };
            settled.push(self.settled(*id, frame, tally, total, own_share));
        }
        self.add_lines_to_programs(frames, tallies, &mut settled);
        (settled, measuring)
    }

    /// Takes the price of counting and timing the reference engine's calls out of the times of
    /// their callers. Returns the part that was in lines.
    fn take_measuring(
        &self,
        frames: &Frames,
        tallies: &[(FrameId, Tally)],
        times: &mut [Times],
    ) -> f64 {
        let Costs {
            counted_call,
            timed_call,
            ..
        } = self.costs;
        let more_if_timed = timed_call.saturating_sub(counted_call) as f64;
        // For each frame, the price of measuring below it, in all its calls.
        let mut below = vec![0.0; tallies.len()];
        let mut in_lines = 0.0;
        for (k, (id, tally)) in tallies.iter().enumerate().rev() {
            if !self.frame_rows[*id as usize].is_on_reference {
                continue;
            }
            let calls = match self.caller(frames, *id, tallies) {
                Some(caller) => {
                    let own = tally.calls as f64 * counted_call as f64
                        + f64::from(tally.readings) * more_if_timed;
                    below[caller] += below[k] + own * self.ns_per_tick;
                    tally.calls as f64
                }
                None => tally.timed.into(),
            };
            let taken = below[k] * ratio(tally.timed.into(), calls);
            let taken = taken.min(times[k].ns);
            times[k].ns -= taken;
            if frames[*id as usize].is_place() {
                in_lines += taken;
            }
        }
        in_lines
    }

    /// Gives each program on the reference engine the time of its lines and of the work around
    /// them.
    fn add_lines_to_programs(
        &self,
        frames: &Frames,
        tallies: &[(FrameId, Tally)],
        settled: &mut [Settled],
    ) {
        for (k, (id, _)) in tallies.iter().enumerate() {
            let frame = &frames[*id as usize];
            if frame.is_place()
                && let Some(parent) = self.parent(frames, *id, tallies)
                && frames[tallies[parent].0 as usize].has_time()
            {
                settled[parent].figures.total_ns += settled[k].figures.total_ns;
            }
        }
    }

    /// The place in this task of the frame whose time contains a frame's calls.
    fn caller(&self, frames: &Frames, id: FrameId, tallies: &[(FrameId, Tally)]) -> Option<usize> {
        let is_call = !frames[id as usize].is_place();
        is_call.then(|| self.parent(frames, id, tallies)).flatten()
    }

    /// The place of a frame's parent in this task.
    fn parent(&self, frames: &Frames, id: FrameId, tallies: &[(FrameId, Tally)]) -> Option<usize> {
        self.place(frames[id as usize].parent()?, tallies)
    }

    fn times(&self, frame: &Frame, tally: &Tally) -> Times {
        let cost = self.costs.of(frame);
        let own = cost.saturating_mul(tally.readings.into());
        let first_ticks = f64::from(tally.first_ticks) - cost as f64;
        Times {
            ns: tally.ticks.saturating_sub(own) as f64 * self.ns_per_tick,
            first_ns: first_ticks.max(0.0) * self.ns_per_tick,
        }
    }

    fn settled(
        &self,
        id: FrameId,
        frame: &Frame,
        tally: &Tally,
        total: f64,
        own_share: f64,
    ) -> Settled {
        // Every stay at a place is a call.
        let calls = if frame.is_place() {
            tally.timed.into()
        } else {
            tally.calls
        };
        let weight = ratio(calls as f64, tally.timed.into());
        let FrameRow { row, is_nested, .. } = self.frame_rows[id as usize];
        let is_again = matches!(row, Some(Row::Again(_)));
        // Each call counts with its frame's own share of the time; a repeated run counts as a
        // whole.
        let (row, share) = match (is_again, is_nested) {
            (true, true) => (None, 1.0),
            (true, false) => (row, 1.0),
            (false, _) if total > 0.0 => (row, own_share),
            (false, _) => (row, 1.0),
        };
        let run = if is_nested {
            RunPart::Line
        } else {
            RunPart::First
        };
        Settled {
            figures: Figures {
                calls,
                self_ns: total * own_share,
                total_ns: total,
                cells: tally.cells as f64 * weight,
                faults: tally.faults.into(),
            },
            calls: Pricing {
                row: row.map(RowNumber::of),
                cost: self.costs.of(frame) as f32,
                ns_per_tick: (share * self.ns_per_tick) as f32,
                weight: ((weight + 0.5) as u32).max(1),
                run: (is_again && frame.is_place()).then_some(run),
            },
        }
    }

    fn add_to_row(&mut self, FrameRow { row, is_nested, .. }: FrameRow, figures: &Figures) {
        let Some(row) = row else { return };
        let mut figures = figures.clone();
        if is_nested {
            figures.total_ns = 0.0;
        }
        if let Row::Again(_) = row
            && is_nested
        {
            // Of a repeated run only the run counts, not the calls in it.
            (figures.calls, figures.cells, figures.faults) = (0, 0.0, 0);
        }
        self.rows.add(row, &figures);
    }

    fn add_calls(&mut self, settled: &[Settled], calls: &[Call]) {
        let mut again = None;
        for call in calls {
            let id = call.place.frame();
            let settled = id.and_then(|id| settled.get(self.places[id as usize] as usize));
            let Some(Settled { calls: pricing, .. }) = settled else {
                self.count_again(again.take());
                continue;
            };
            let (n, ticks) = (call.time.n_calls(), call.time.ticks());
            let ns = (ticks as f32 - pricing.cost).max(0.0) * pricing.ns_per_tick;
            let ns = ns / n.max(1) as f32;
            match (pricing.run, pricing.row) {
                (Some(RunPart::First), Some(row)) => self.count_again(again.replace((row, ns))),
                (Some(_), _) => again.iter_mut().for_each(|(_, whole)| *whole += ns),
                (None, Some(row)) if n > 0 => {
                    let weight = n.saturating_mul(pricing.weight);
                    self.rows.count(row, ns as u64, weight);
                }
                (None, _) => {}
            }
        }
        self.count_again(again);
    }

    /// Counts a repeated program, with the time of all its lines.
    fn count_again(&mut self, run: Option<(RowNumber, f32)>) {
        if let Some((row, ns)) = run {
            self.rows.count(row, ns as u64, 1);
        }
    }

    /// The price of the changes of place that ended the stays in these frames.
    fn own_ticks(&self, frames: &Frames, tallies: &[(FrameId, Tally)]) -> u64 {
        let own = |(id, tally): &(FrameId, Tally)| {
            if frames[*id as usize].is_place() {
                tally
                    .ticks
                    .min(self.costs.switch * u64::from(tally.readings))
            } else {
                0
            }
        };
        tallies.iter().map(own).sum()
    }

    fn add_works(&mut self, works: &Works, own_of_frames: u64) {
        let own = |k: usize| works.ticks[k].min(self.costs.switch * works.stays[k]);
        let own_of_all = own_of_frames + (0..N_WORKS).map(own).sum::<u64>();
        for (k, work) in Work::ALL.into_iter().enumerate() {
            let measuring = if work == Work::Recorder {
                own_of_all
            } else {
                0
            };
            let ticks = works.ticks[k] - own(k) + measuring;
            let ns = ticks as f64 * self.ns_per_tick;
            if ticks > 0 || works.counts[k] > 0 {
                let figures = Figures {
                    calls: works.counts[k],
                    self_ns: ns,
                    total_ns: ns,
                    ..Figures::default()
                };
                self.rows.add(Row::Work(work), &figures);
            }
        }
    }

    pub(super) fn finish(self, frames: &Frames, worker: WorkerRecord) -> Recording {
        let mut recording = self.recording;
        recording.paths = frames.paths();
        recording.workers.push(worker);
        recording.events = self.events;
        recording.ns_per_event = self.costs.switch as f64 * self.ns_per_tick;
        recording
    }
}

/// The time of each kind of work.
fn works_of(calls: &[Call]) -> Works {
    let mut works = Works::default();
    for call in calls {
        if let Some(work) = call.place.work() {
            works.ticks[work] += call.time.ticks();
            works.stays[work] += 1;
        }
    }
    works
}

/// The number of clock readings: two for a call from inside a primitive, one for a place, which
/// ends where the next one begins.
fn n_events(frames: &Frames, call: &Call) -> u64 {
    let frame = call.place.frame().map(|id| &frames[id as usize]);
    frame.map_or(1, |frame| if frame.is_place() { 1 } else { 2 })
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
