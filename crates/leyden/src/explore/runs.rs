//! Runs of `solve` and `evolve` that the page starts, stops and watches.
//!
//! A run is the command itself, in this process, with files of its own beside the store. Its journal
//! is all that the page knows of it, so a run that a kill ended is there again after a restart and
//! continues from its last whole line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_explore::{Call, EventLog, Refusal, Reply};
use leyden_grid::Task;
use leyden_store::write_atomic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::App;
use super::run_lines::{Line, Tail};
use super::run_state::{RunState, State};
use crate::clock::{Wall, seconds_since_1970};

/// At most this many runs at a time: each uses all cores.
const MOST_RUNNING: usize = 2;
/// The page looks at a journal this often.
const GLANCE: Duration = Duration::from_millis(100);
/// The file that tells what a run does.
const WISH: &str = "run.json";

/// What the user wishes of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Wish {
    pub(super) command: Kind,
    /// The data set as the page names it.
    pub(super) set: String,
    /// The data set as a command line names it.
    spec: String,
    solutions: Option<PathBuf>,
    options: Options,
    /// Seconds since 1970.
    pub(super) started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Solve,
    Evolve,
}

/// The options of a run. Commands check their values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    per_task: Option<String>,
    budget: Option<String>,
    seed: Option<u64>,
    tasks: Option<Vec<String>>,
    library: Option<String>,
}

/// All runs.
pub(super) struct Runs {
    /// The directory of all files of runs.
    dir: PathBuf,
    store: PathBuf,
    all: Mutex<BTreeMap<u64, Arc<Run>>>,
}

/// One run.
pub(super) struct Run {
    number: u64,
    dir: PathBuf,
    wish: Wish,
    pub(super) log: EventLog,
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
        for (number, wish) in kept(&runs.dir) {
            let run = Arc::new(Run::new(&runs.dir, number, wish));
            run.read_again();
            runs.all().insert(number, run);
        }
        runs
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Run>>> {
        locked(&self.all)
    }

    fn get(&self, call: &Call) -> Result<Arc<Run>, Refusal> {
        let id = call.path("run")?;
        let number = id.strip_prefix('r').and_then(|it| it.parse::<u64>().ok());
        let run = number.and_then(|number| self.all().get(&number).cloned());
        run.ok_or_else(|| Refusal::missing("there is no such run"))
    }

    fn start(&self, wish: Wish) -> Result<Arc<Run>, Refusal> {
        self.refuse_more()?;
        let run = {
            let mut all = self.all();
            let number = all.keys().next_back().map_or(1, |last| last + 1);
            let run = Arc::new(Run::new(&self.dir, number, wish));
            all.insert(number, run.clone());
            run
        };
        if let Err(refusal) = run.keep() {
            self.all().remove(&run.number);
            return Err(refusal);
        }
        run.begin(&self.store, false);
        Ok(run)
    }

    fn refuse_more(&self) -> Result<(), Refusal> {
        if self.all().values().filter(|run| run.is_at_work()).count() < MOST_RUNNING {
            return Ok(());
        }
        let message = format!("{MOST_RUNNING} runs are under way; stop one of them first");
        Err(Refusal::conflict(message))
    }

    /// Stops all runs and waits for their last words.
    pub(super) fn close(&self) {
        let all: Vec<Arc<Run>> = self.all().values().cloned().collect();
        all.iter().for_each(|run| run.cancel());
        all.iter().for_each(|run| run.join());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The runs of a directory. What cannot be read is not ours.
fn kept(dir: &Path) -> Vec<(u64, Wish)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let one = |entry: fs::DirEntry| {
        let number = entry
            .file_name()
            .to_str()?
            .strip_prefix('r')?
            .parse()
            .ok()?;
        let text = fs::read_to_string(entry.path().join(WISH)).ok()?;
        Some((number, serde_json::from_str(&text).ok()?))
    };
    entries.filter_map(one).collect()
}

impl Run {
    fn new(dir: &Path, number: u64, wish: Wish) -> Run {
        Run {
            dir: dir.join(format!("r{number}")),
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

    fn keep(&self) -> Result<(), Refusal> {
        let text = serde_json::to_string(&self.wish)
            .map_err(|error| Refusal::new(500, error.to_string()))?;
        let path = self.dir.join(WISH);
        let made = fs::create_dir_all(&self.dir);
        let written =
            made.and_then(|()| write_atomic(&path, text.as_bytes()).map_err(std::io::Error::other));
        written.map_err(|error| Refusal::new(500, format!("the run cannot be kept: {error}")))
    }

    fn journal(&self) -> PathBuf {
        self.dir.join(match self.wish.command {
            Kind::Solve => "submission.json.journal",
            Kind::Evolve => "progress.jsonl",
        })
    }

    /// Reads the journal of an earlier process.
    fn read_again(&self) {
        let mut tail = Tail::of(self.journal());
        let mut state = self.state();
        for line in tail.lines() {
            state.take(Line::read(&line), None);
        }
        let is_done = self.dir.join("report.json").is_file();
        state.state = if is_done { State::Done } else { State::Stopped };
        self.log.end();
    }

    /// Starts or continues the command on a thread.
    fn begin(self: &Arc<Run>, store: &Path, is_resumed: bool) {
        let cancel = CancelToken::new();
        self.state().begin();
        let (run, args) = (self.clone(), self.arguments(store, is_resumed));
        let token = cancel.clone();
        let thread = std::thread::spawn(move || run.work(args, &token));
        *locked(&self.at_work) = Some(AtWork { cancel, thread });
    }

    fn arguments(&self, store: &Path, is_resumed: bool) -> Vec<OsString> {
        let Wish {
            command, options, ..
        } = &self.wish;
        let mut args: Vec<OsString> = match command {
            Kind::Solve => vec!["leyden".into(), "solve".into()],
            Kind::Evolve => vec!["leyden".into(), "evolve".into()],
        };
        let mut add = |name: &str, value: OsString| args.extend([name.into(), value]);
        add("--data", self.wish.spec.clone().into());
        add("--json", self.dir.join("report.json").into());
        match command {
            Kind::Solve => {
                add("--out", self.dir.join("submission.json").into());
                add("--candidates", "10".into());
            }
            Kind::Evolve => {
                add("--store", store.into());
                add("--progress", self.journal().into());
            }
        }
        let texts = [
            ("--per-task", &options.per_task),
            ("--budget", &options.budget),
            ("--library", &options.library),
        ];
        for (name, value) in texts {
            value.iter().for_each(|value| add(name, value.into()));
        }
        options
            .seed
            .iter()
            .for_each(|seed| add("--seed", seed.to_string().into()));
        for task in options.tasks.iter().flatten() {
            add("--task", task.into());
        }
        if is_resumed {
            args.push("--resume".into());
        }
        args
    }

    /// Runs the command, and reads its journal meanwhile.
    fn work(self: Arc<Run>, args: Vec<OsString>, cancel: &CancelToken) {
        let wall = Wall::start();
        let offset = self.state().seconds();
        let command = std::thread::spawn({
            let cancel = cancel.clone();
            move || crate::command(args, cancel)
        });
        let mut tail = Tail::of(self.journal());
        while !command.is_finished() {
            std::thread::park_timeout(GLANCE);
            self.read_on(&mut tail, offset + wall.elapsed().as_secs_f64());
        }
        self.read_on(&mut tail, offset + wall.elapsed().as_secs_f64());
        let ended = command.join();
        let (code, message) = ended
            .map_or((1, "the run failed; this is a bug".to_owned()), |ended| {
                (ended.code, ended.message)
            });
        let mut state = self.state();
        state.end(code, cancel.is_cancelled(), &message);
        self.log.push("end", state.in_short());
        drop(state);
        self.log.end();
    }

    fn read_on(&self, tail: &mut Tail, seconds: f64) {
        let mut state = self.state();
        for line in tail.lines() {
            if let Some((kind, event)) = state.take(Line::read(&line), Some(seconds)) {
                self.log.push(kind, event);
            }
        }
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

    fn in_short(&self) -> Value {
        let mut short = self.state().in_short();
        short["id"] = self.id().into();
        short["command"] = json!(self.wish.command);
        short["set"] = self.wish.set.as_str().into();
        short["started"] = self.wish.started.into();
        short
    }
}

impl App {
    pub(super) fn runs(&self, _: &Call) -> Result<Reply, Refusal> {
        let all: Vec<Value> = self
            .runs
            .all()
            .values()
            .rev()
            .map(|run| run.in_short())
            .collect();
        Ok(Reply::Json(json!({ "runs": all })))
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
            solutions: None,
            options,
            started: seconds_since_1970(),
        })?;
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn run_state(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        let mut whole = run.in_short();
        let tasks = self.set(&run.wish.set).map_or(&[][..], |set| set.tasks());
        let chosen = |task: &&Task| {
            let only = run.wish.options.tasks.as_ref();
            only.is_none_or(|only| only.iter().any(|id| id == task.id.as_str()))
        };
        let ids = tasks.iter().filter(chosen).map(|task| task.id.as_str());
        run.state().write_into(&mut whole, ids);
        whole["last_event"] = run.log.last().into();
        Ok(Reply::Json(whole))
    }

    pub(super) fn stop_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        run.cancel();
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn resume_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        if run.is_at_work() {
            return Err(Refusal::conflict("this run goes on already"));
        }
        self.runs.refuse_more()?;
        run.join();
        run.log.reopen();
        run.begin(&self.runs.store, true);
        Ok(Reply::Json(json!({ "id": run.id() })))
    }

    pub(super) fn forget_run(&self, call: &Call) -> Result<Reply, Refusal> {
        let run = self.runs.get(call)?;
        if run.is_at_work() {
            return Err(Refusal::conflict("this run goes on; stop it first"));
        }
        run.join();
        self.runs.all().remove(&run.number);
        let removed = fs::remove_dir_all(&run.dir);
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
