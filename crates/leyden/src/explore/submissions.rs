//! Submissions: scores, what Kaggle would not take, attempts, and two submissions compared.

use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::Task;
use leyden_store::submission::{Answer, Draft, ScoreCard, TaskResult, Verdict};
use serde_json::{Value, json};

use super::App;
use super::paging::Page;
use super::sets::Set;

/// At most this many problems are listed.
const MOST_PROBLEMS: usize = 200;
/// A page has at most this many tasks.
const MOST_TASKS: usize = 500;
const USUAL_TASKS: usize = 100;

/// A submission beside the tasks of a data set.
struct Answered<'a> {
    name: &'a str,
    draft: &'a Draft,
    set: &'a Set,
}

impl App {
    fn answered(&self, call: &Call, id: &str) -> Result<Answered<'_>, Refusal> {
        let (file, draft) = self.files.submission(id)?;
        let set = match call.words_of("set") {
            "" => self.nearest_set(draft)?,
            id => self.set(id)?,
        };
        Ok(Answered {
            name: &file.name,
            draft,
            set,
        })
    }

    /// The data set with most tasks of the submission.
    fn nearest_set(&self, draft: &Draft) -> Result<&Set, Refusal> {
        let n_named = |set: &&Set| {
            let tasks = set.tasks().iter();
            tasks.filter(|task| draft.names(task.id.as_str())).count()
        };
        // The first one of equals.
        let nearest = self.sets.iter().rev().max_by_key(n_named);
        nearest.ok_or_else(|| Refusal::missing("no data set is open"))
    }

    pub(super) fn submission(&self, call: &Call) -> Result<Reply, Refusal> {
        let answered = self.answered(call, call.path("submission")?)?;
        let page = Page::within(call, USUAL_TASKS, MOST_TASKS)?;
        let wanted = call.words_of("verdict");
        let set = answered.set;
        let tasks = set.tasks().iter().map(|task| (task, answered.result(task)));
        let has_verdict = |result: &Option<TaskResult>| match (wanted, result) {
            ("", _) => true,
            ("unknown", None) => true,
            (_, None) => false,
            (wanted, Some(result)) => result.verdicts.iter().any(|it| word(*it) == wanted),
        };
        let rows: Vec<_> = tasks.filter(|(_, result)| has_verdict(result)).collect();
        let shown = page.cut(&rows).iter();
        let shown = shown.map(|(task, result)| answered.line(task, result.as_ref()));
        let problems = answered.draft.check(set.tasks());
        let listed = problems.listed.iter().take(MOST_PROBLEMS);
        let listed: Vec<Value> = listed
            .map(|problem| json!({ "text": problem.to_string(), "task": problem.task }))
            .collect();
        let in_set = set.tasks().iter();
        let n_named = in_set.filter(|task| answered.draft.names(task.id.as_str()));
        Ok(Reply::Json(json!({
            "name": answered.name,
            "set": set.id(),
            "set_tasks": set.tasks().len(),
            "answered": n_named.count(),
            "scores": answered.scores(),
            "problems": problems.len(),
            "listed": listed,
            "total": rows.len(),
            "offset": page.offset,
            "tasks": shown.collect::<Vec<_>>(),
        })))
    }

    pub(super) fn submission_task(&self, call: &Call) -> Result<Reply, Refusal> {
        let answered = self.answered(call, call.path("submission")?)?;
        let task = answered.set.task(call.path("task")?)?;
        let shows_truth = call.has("truth")?;
        let result = answered.result(task);
        let answers = answered.draft.answers(task.id.as_str());
        let tests = task.tests.iter().enumerate().map(|(k, test)| {
            json!({
                "input": test.input,
                "attempts": answers.get(k).unwrap_or(&[None, None]),
                "verdict": result.as_ref().map(|it| word(it.verdicts[k])),
                "output": test.output.as_ref().filter(|_| shows_truth),
            })
        });
        Ok(Reply::Json(json!({
            "set": answered.set.id(),
            "id": task.id,
            "has_solutions": result.is_some(),
            "tests": tests.collect::<Vec<_>>(),
        })))
    }

    pub(super) fn compare_submissions(&self, call: &Call) -> Result<Reply, Refusal> {
        let a = self.answered(call, call.path("submission")?)?;
        let (file, draft) = self.files.submission(call.path("other")?)?;
        let b = Answered {
            name: &file.name,
            draft,
            set: a.set,
        };
        let page = Page::within(call, USUAL_TASKS, MOST_TASKS)?;
        let tasks = a.set.tasks().iter();
        let rows: Vec<Differing> = tasks.flat_map(|task| differing(&a, &b, task)).collect();
        let is_right = |verdict: Option<Verdict>| verdict.is_some_and(Verdict::is_right);
        let only = |of: fn(&Differing) -> (Option<Verdict>, Option<Verdict>)| {
            let won = rows.iter().map(of);
            won.filter(|(one, other)| is_right(*one) && !is_right(*other))
                .count()
        };
        Ok(Reply::Json(json!({
            "set": a.set.id(),
            "a": { "name": a.name, "scores": a.scores() },
            "b": { "name": b.name, "scores": b.scores() },
            "only_a": only(|row| (row.a, row.b)),
            "only_b": only(|row| (row.b, row.a)),
            "total": rows.len(),
            "offset": page.offset,
            "rows": page.cut(&rows).iter().map(Differing::to_json).collect::<Vec<_>>(),
        })))
    }
}

impl Answered<'_> {
    /// The verdicts on a task; `None` if its outputs are not known.
    fn result(&self, task: &Task) -> Option<TaskResult> {
        let card = ScoreCard::of(self.draft, std::slice::from_ref(task)).ok()?;
        card.tasks.into_iter().next()
    }

    /// The three scores of `leyden score`, or the reason why there are none.
    fn scores(&self) -> Value {
        let share = |(right, of): (usize, usize)| json!({ "right": right, "of": of, "share": right as f64 / of.max(1) as f64 });
        match ScoreCard::of(self.draft, self.set.tasks()) {
            Ok(card) => json!({
                "outputs": share(card.outputs()),
                "tasks": card.mean_of_tasks(),
                "solved": share(card.solved()),
            }),
            Err(error) => json!({ "why_not": error.to_string() }),
        }
    }

    fn line(&self, task: &Task, result: Option<&TaskResult>) -> Value {
        json!({
            "id": task.id,
            "tests": task.tests.len(),
            "is_named": self.draft.names(task.id.as_str()),
            "verdicts": result.map(|it| it.verdicts.iter().map(|it| word(*it)).collect::<Vec<_>>()),
        })
    }
}

/// A test input with other attempts in two submissions.
struct Differing {
    task: String,
    test: usize,
    a: Option<Verdict>,
    b: Option<Verdict>,
    /// Whether the first, and whether the second attempts differ.
    attempts: [bool; 2],
}

impl Differing {
    fn to_json(&self) -> Value {
        json!({
            "task": self.task,
            "test": self.test,
            "a": self.a.map(word),
            "b": self.b.map(word),
            "differs": self.attempts,
        })
    }
}

fn differing<'a>(
    a: &Answered<'a>,
    b: &Answered<'a>,
    task: &Task,
) -> impl Iterator<Item = Differing> {
    let id = task.id.to_string();
    let (in_a, in_b) = (a.draft.answers(&id).to_vec(), b.draft.answers(&id).to_vec());
    let (of_a, of_b) = (a.result(task), b.result(task));
    (0..task.tests.len()).filter_map(move |test| {
        let none: Answer = [None, None];
        let one = in_a.get(test).unwrap_or(&none);
        let other = in_b.get(test).unwrap_or(&none);
        let verdict = |of: &Option<TaskResult>| of.as_ref().map(|it| it.verdicts[test]);
        (one != other).then(|| Differing {
            task: id.clone(),
            test,
            a: verdict(&of_a),
            b: verdict(&of_b),
            attempts: [one[0] != other[0], one[1] != other[1]],
        })
    })
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::First => "first",
        Verdict::Second => "second",
        Verdict::Wrong => "wrong",
        Verdict::Missing => "missing",
    }
}
