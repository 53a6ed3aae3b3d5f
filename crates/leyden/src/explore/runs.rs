//! Runs of `solve` and `evolve` that the page starts, stops and watches.
//!
//! A run is the command itself, in this process, with a directory of its own beside the store:
//!
//! | file | contents |
//! |---|---|
//! | `run.json` | the user's wishes |
//! | `submission.json.journal`, `progress.jsonl` | the journal of `solve`, the progress of `evolve` |
//! | `curve.jsonl` | the number of fitting tasks over time, as the page saw it |
//! | `end.json` | the end of the run; missing while it goes on, and after a kill |
//!
//! These files are all that the page knows of a run. So a run that a kill ended is there again
//! after a restart and continues from its last whole line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_explore::{Call, EventLog, Refusal, Reply};
use leyden_grid::Task;
use serde_json::{Value, json};

use super::App;
use super::run_files::{End, RunFiles};
use super::run_lines::{Line, Tail};
use super::run_state::{RunState, State};
use super::run_wish::{Options, Wish};
use crate::clock::{Wall, seconds_since_1970};

/// At most this many runs at a time: each uses all cores.
const MOST_RUNNING: usize = 2;
/// The page looks at a journal this often.
const GLANCE: Duration = Duration::from_millis(100);

/// All runs.
pub(super) struct Runs {
    /// The directory of all files of runs.
    dir: PathBuf,
    store: PathBuf,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    by_number: BTreeMap<u64, Arc<Run>>,
    /// The number of the last run that began here, so that no other run gets a forgotten number.
    last: u64,
}

/// One run.
pub(super) struct Run {
    number: u64,
    files: RunFiles,
    wish: Wish,
    log: EventLog,
    state: Mutex<RunState>,
    at_work: Mutex<Option<AtWork>>,
}

/// A run that goes on.
struct AtWork {
    cancel: CancelToken,
    thread: JoinHandle<()>,
}

impl Runs {
    /// The runs beside a store. Those that a kill ended count as stopped.
    pub(super) fn beside(store: &Path) -> Runs {
        let dir = store.with_extension("runs");
        let runs = Runs {
            store: store.to_owned(),
            all: Mutex::default(),
            dir,
        };
        for (number, wish) in RunFiles::kept(&runs.dir) {
            let run = Run::new(number, RunFiles::of(&runs.dir, number), wish);
            run.read_again();
            runs.all().add(run);
        }
        runs
    }

    fn all(&self) -> MutexGuard<'_, All> {
        locked(&self.all)
    }

    fn get(&self, call: &Call) -> Result<Arc<Run>, Refusal> {
        let id = call.path("run")?;
        let number = id.strip_prefix('r').and_then(|it| it.parse::<u64>().ok());
        let run = number.and_then(|number| self.all().by_number.get(&number).cloned());
        run.ok_or_else(|| Refusal::missing("there is no such run"))
    }

    fn start(&self, wish: Wish) -> Result<Arc<Run>, Refusal> {
        // The lock keeps a second call from starting one run too many.
        let mut all = self.all();
        all.refuse_more()?;
        let (number, files) = RunFiles::claim(&self.dir, all.last + 1).map_err(not_kept)?;
        let checked = wish.check(&files, &self.store);
        let kept = checked.and_then(|()| files.keep(&wish).map_err(not_kept));
        if let Err(refusal) = kept {
            // An empty directory is none of a run.
            let _ = files.remove();
            return Err(refusal);
        }
        let run = all.add(Run::new(number, files, wish));
        run.begin(&self.store, false);
        Ok(run)
    }

    fn resume(&self, run: &Arc<Run>) -> Result<(), Refusal> {
        let all = self.all();
        match run.state().state {
            State::Running => return Err(Refusal::conflict("this run goes on already")),
            State::Done => return Err(Refusal::conflict("this run is complete")),
            State::Stopped | State::Failed => {}
        }
        all.refuse_more()?;
        run.join();
        run.log.reopen();
        run.begin(&self.store, true);
        Ok(())
    }

    /// Stops all runs and waits for their last words.
    pub(super) fn close(&self) {
        let all: Vec<Arc<Run>> = self.all().by_number.values().cloned().collect();
        all.iter().for_each(|run| run.cancel());
        all.iter().for_each(|run| run.join());
    }
}

impl All {
    fn add(&mut self, run: Run) -> Arc<Run> {
        let run = Arc::new(run);
        self.last = self.last.max(run.number);
        self.by_number.insert(run.number, run.clone());
        run
    }

    fn refuse_more(&self) -> Result<(), Refusal> {
        let at_work = self.by_number.values().filter(|run| run.is_at_work());
        if at_work.count() < MOST_RUNNING {
            return Ok(());
        }
        let message = format!("{MOST_RUNNING} runs are under way; stop one of them first");
        Err(Refusal::conflict(message))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_kept(error: std::io::Error) -> Refusal {
    Refusal::new(500, format!("the run cannot be kept: {error}"))
}

impl Run {
    fn new(number: u64, files: RunFiles, wish: Wish) -> Run {
        Run {
            files,
            number,
            wish,
            log: EventLog::default(),
            state: Mutex::default(),
            at_work: Mutex::default(),
        }
    }

    fn id(&self) -> String {
        format!("r{}", self.number)
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        locked(&self.state)
    }

    fn is_at_work(&self) -> bool {
        self.state().state == State::Running
    }

    fn tail(&self) -> Tail {
        Tail::of(self.files.journal(self.wish.command))
    }

    /// Reads the files of an earlier process.
    fn read_again(&self) {
        let mut tail = self.tail();
        let mut state = self.state();
        // Each line that told something new added a point to the curve.
        let mut curve = self.files.curve().into_iter().peekable();
        loop {
            let lines = tail.lines();
            if lines.is_empty() {
                break;
            }
            for line in lines {
                let seconds = curve.peek().map(|point| point.0);
                if state.take(Line::read(&line), seconds).is_some() {
                    curve.next();
                }
            }
        }
        state.end(self.files.end());
        self.log.end();
    }

    /// Starts or continues the command on a thread.
    fn begin(self: &Arc<Run>, store: &Path, is_resumed: bool) {
        let cancel = CancelToken::new();
        self.state().begin();
        self.files.forget_end();
        let args = self.wish.arguments(&self.files, store, is_resumed);
        let (run, token) = (self.clone(), cancel.clone());
        let thread = std::thread::spawn(move || run.work(args, &token));
        *locked(&self.at_work) = Some(AtWork { cancel, thread });
    }

    /// Runs the command, and reads its journal meanwhile.
    fn work(self: Arc<Run>, args: Vec<OsString>, cancel: &CancelToken) {
        let wall = Wall::start();
        let offset = self.state().seconds();
        let command = std::thread::spawn({
            let cancel = cancel.clone();
            move || crate::command(args, cancel)
        });
        let mut tail = self.tail();
        while !command.is_finished() {
            std::thread::park_timeout(GLANCE);
            self.read_on(&mut tail, offset + wall.elapsed().as_secs_f64());
        }
        while self.read_on(&mut tail, offset + wall.elapsed().as_secs_f64()) {}
        let ended = command.join();
        let (code, message) = ended
            .map_or((1, "the run failed; this is a bug".to_owned()), |ended| {
                (ended.code, ended.message)
            });
        let end = End::of(code, cancel.is_cancelled(), &message);
        // If the disk is full, the run counts as stopped after a restart, and can continue.
        let _ = self.files.keep_end(&end);
        let mut state = self.state();
        state.end(Some(end));
        self.log.push("end", state.in_short());
        drop(state);
        self.log.end();
    }

    /// Takes the new lines of the journal; tells whether there were any.
    fn read_on(&self, tail: &mut Tail, seconds: f64) -> bool {
        let lines = tail.lines();
        let mut state = self.state();
        for line in &lines {
            let Some((kind, event)) = state.take(Line::read(line), Some(seconds)) else {
                continue;
            };
            self.log.push(kind, event);
            // The curve is for the eye; a point that does not fit on the disk is no loss.
            let _ = self.files.add_point((seconds, state.n_fitting()));
        }
        !lines.is_empty()
    }

    fn cancel(&self) {
        locked(&self.at_work)
            .iter()
            .for_each(|it| it.cancel.cancel());
    }

    fn join(&self) {
        let at_work = locked(&self.at_work).take();
        // A thread that failed has told so in the state.
        at_work.map(|it| it.thread.join());
    }

    /// The ids of the tasks of the run.
    fn chosen<'t>(&'t self, tasks: &'t [Task]) -> impl Iterator<Item = &'t str> {
        let only = self.wish.options.tasks.as_ref();
        let ids = tasks.iter().map(|task| task.id.as_str());
        ids.filter(move |id| only.is_none_or(|only| only.iter().any(|one| one == id)))
    }

    fn in_short(&self, tasks: &[Task]) -> Value {
        let mut short = self.state().in_short();
        short["id"] = self.id().into();
        short["command"] = json!(self.wish.command);
        short["set"] = self.wish.set.as_str().into();
        short["started"] = self.wish.started.into();
        short["options"] = json!(self.wish.options);
        short["total"] = self.chosen(tasks).count().into();
        short
    }
}

impl App {
    pub(super) fn runs(&self, _: &Call) -> Result<Reply, Refusal> {
        let all = self.runs.all();
        let newest_first = all.by_number.values().rev();
        let in_short = |run: &Arc<Run>| run.in_short(self.tasks_of(run));
        let all: Vec<Value> = newest_first.map(in_short).collect();
        Ok(Reply::Json(json!({ "runs": all })))
    }

    /// The tasks of a run's data set; none if it is not open now.
    fn tasks_of(&self, run: &Run) -> &[Task] {
        self.set(&run.wish.set).map_or(&[], |set| set.tasks())
    }

    pub(super) fn start_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let command = serde_json::from_value(call.body["command"].clone());
        let command = command.map_err(|_| Refusal::bad("command: `solve` or `evolve`"))?;
        let options = match &call.body["options"] {
            Value::Null => Ok(Options::default()),
            options => serde_json::from_value(options.clone()),
        };
        let options: Options =
            options.map_err(|error| Refusal::bad(format!("options: {error}")))?;
        let set = self.set(call.text("set")?)?;
        for id in options.tasks.iter().flatten() {
            set.task(id)?;
        }
        let run = self.runs.start(Wish {
            command,
            set: set.id().to_owned(),
            spec: set.spec.clone(),
            options,
            started: seconds_since_1970(),
        })?;
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn run_state(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        let tasks = self.tasks_of(&run);
        // Read before the state: the page then meets an event that comes in between twice, rather than never.
        let last_event = run.log.last();
        let mut whole = run.in_short(tasks);
        run.state().write_into(&mut whole, run.chosen(tasks));
        whole["last_event"] = last_event.into();
        Ok(Reply::Json(whole))
    }

    pub(super) fn stop_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        run.cancel();
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn resume_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        self.runs.resume(&run)?;
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn forget_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        if run.is_at_work() {
            return Err(Refusal::conflict("this run goes on; stop it first"));
        }
        run.join();
        self.runs.all().by_number.remove(&run.number);
        let removed = run.files.remove();
        removed.map_err(|error| Refusal::new(500, format!("its files stay: {error}")))?;
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn run_events(&self, call: &Call) -> Result<Reply, Refusal> {
        Ok(Reply::Events(self.runs.get(call)?.log.clone()))
    }

    /// Ends everything that the page began.
    pub(crate) fn close(&self) {
        self.runs.close();
    }
}
