//! The library: the list of programs with facets, and single programs.

use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::Task;
use leyden_lang::{Program, print_python_alone};
use leyden_store::library::{ProgramHash, ProgramRecord, TaskScore};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::App;
use super::catalogue::{Catalogue, Found, Row, refused};
use super::paging::Page;
use super::sets::Set;

/// A facet lists at most this many values, the most frequent ones.
const MOST_VALUES: usize = 60;
/// Further words of a search do not count.
const MOST_WORDS: usize = 8;
/// Classes of length: the longest program of each.
const SIZES: [(&str, usize); 5] = [
    ("1–5", 5),
    ("6–10", 10),
    ("11–20", 20),
    ("21–40", 40),
    ("41+", usize::MAX),
];
const FACETS: [&str; 5] = ["origin", "dialect", "size", "state", "task"];

/// The user's search.
struct Wanted<'c> {
    call: &'c Call,
    words: Vec<Word>,
}

/// A word of a search, and the programs whose lines contain it.
struct Word {
    text: String,
    hashes: FxHashSet<u128>,
}

impl App {
    pub(super) fn programs(&self, call: &Call) -> Result<Reply, Refusal> {
        let page = Page::of(call)?;
        let order = Order::named(call.words_of("sort"))?;
        let catalogue = self.catalogue()?;
        let wanted = self.wanted(call)?;
        let mut rows: Vec<&Row> = catalogue.rows.iter().collect();
        rows.retain(|row| wanted.has_words(row));
        let facets = facets(&rows, &wanted);
        rows.retain(|row| wanted.has_facets(row, None));
        rows.sort_by(|a, b| order.compare(a, b).then_with(|| a.hash.cmp(&b.hash)));
        let total = rows.len();
        let programs: Vec<Value> = page.cut(&rows).iter().map(|row| row.to_json()).collect();
        Ok(Reply::Json(json!({
            "total": total,
            "offset": page.offset,
            "programs": programs,
            "facets": facets,
            "store": self.store.is_file(),
        })))
    }

    fn wanted<'c>(&self, call: &'c Call) -> Result<Wanted<'c>, Refusal> {
        let words = call.words_of("q").split_whitespace().take(MOST_WORDS);
        let words = words.map(|word| self.word(&word.to_ascii_lowercase()));
        Ok(Wanted {
            call,
            words: words.collect::<Result<_, _>>()?,
        })
    }

    fn word(&self, text: &str) -> Result<Word, Refusal> {
        let has = |program: &Program| {
            let lines = print_python_alone(program).to_ascii_lowercase();
            lines.contains(text)
        };
        let on_shelf = self.shelf.programs.iter();
        let on_shelf = on_shelf.filter(|shown| has(&shown.program));
        let mut hashes: FxHashSet<u128> = on_shelf.map(|shown| shown.hash.0).collect();
        if let Some(store) = self.open_store()? {
            let stored = store.hashes_with(text).map_err(refused)?;
            hashes.extend(stored.iter().map(|hash| hash.0));
        }
        Ok(Word {
            text: text.to_owned(),
            hashes,
        })
    }

    pub(super) fn program_page(&self, call: &Call) -> Result<Reply, Refusal> {
        let hash = hash_of(call)?;
        let found = self.found(hash)?;
        let catalogue = self.catalogue()?;
        let mut shown = catalogue
            .row(hash)
            .map_or_else(|| json!({ "hash": hash }), Row::to_json);
        shown["text"] = print_python_alone(found.program()).into();
        shown["children"] = catalogue.children(hash).len().into();
        shown["judged"] = self.judged_on_own_task(&found, &catalogue, call);
        let record = self.record(hash, &found)?;
        shown["scores"] = record
            .as_ref()
            .map_or_else(|| json!([]), |it| self.scores(it));
        shown["run"] = json!(record.and_then(|record| record.origin.run));
        Ok(Reply::Json(shown))
    }

    /// The store's record of a program.
    fn record(
        &self,
        hash: ProgramHash,
        found: &Found<'_>,
    ) -> Result<Option<ProgramRecord>, Refusal> {
        match (found, self.open_store()?) {
            (Found::Stored(record), _) => Ok(Some((**record).clone())),
            (_, Some(store)) => store.program(hash).map_err(refused),
            _ => Ok(None),
        }
    }

    /// The results on the demonstrations of the program's task, if a data set with it is open.
    fn judged_on_own_task(&self, found: &Found<'_>, catalogue: &Catalogue, call: &Call) -> Value {
        let program = found.program();
        let row = catalogue.row(ProgramHash::of(program));
        let Some(id) = row.and_then(|row| row.task.as_deref()) else {
            return Value::Null;
        };
        let Some((set, task)) = self.in_sets(id) else {
            return Value::Null;
        };
        let mut judged = json!({ "set": set.id(), "task": id });
        let results = self.judge(program, &task.puzzle(), &call.cancel);
        results.write_into(&mut judged);
        judged
    }

    /// The first open data set that has a task, and the task.
    fn in_sets(&self, id: &str) -> Option<(&Set, &Task)> {
        let mut sets = self.sets.iter();
        sets.find_map(|set| Some((set, set.task(id).ok()?)))
    }

    fn scores(&self, record: &ProgramRecord) -> Value {
        let score = |score: &TaskScore| {
            json!({
                "set": self.in_sets(&score.task).map(|(set, _)| set.id()),
                "task": score.task,
                "right": score.n_exact,
                "pairs": score.n_demos,
                "credit": score.partial,
                "fuel": score.fuel,
            })
        };
        record.scores.iter().map(score).collect()
    }
}

/// The hash in the path of a call.
pub(super) fn hash_of(call: &Call) -> Result<ProgramHash, Refusal> {
    hash_in(call.path("hash")?)
}

pub(super) fn hash_in(text: &str) -> Result<ProgramHash, Refusal> {
    let expected = || Refusal::bad("hash: expected 32 hexadecimal digits");
    match text.len() {
        32 => text.parse().map_err(|_| expected()),
        _ => Err(expected()),
    }
}

impl Wanted<'_> {
    fn has_words(&self, row: &Row) -> bool {
        self.words.iter().all(|word| word.is_in(row))
    }

    /// Whether a program has the chosen value of every facet but one.
    fn has_facets(&self, row: &Row, except: Option<&str>) -> bool {
        let others = FACETS.iter().filter(|name| Some(**name) != except);
        others.into_iter().all(|name| {
            let chosen = self.call.words_of(name);
            chosen.is_empty() || value(row, name) == chosen
        })
    }
}

impl Word {
    fn is_in(&self, row: &Row) -> bool {
        let text = self.text.as_str();
        self.hashes.contains(&row.hash.0)
            || row.name.to_ascii_lowercase().contains(text)
            || row.mutation.to_ascii_lowercase().contains(text)
            || row.task.as_deref().is_some_and(|task| task.contains(text))
            || text.len() >= 4 && row.hash.to_string().starts_with(text)
    }
}

/// The value of a program for a facet.
fn value<'r>(row: &'r Row, facet: &str) -> &'r str {
    match facet {
        "origin" => &row.origin,
        "dialect" => &row.dialect,
        "task" => row.task.as_deref().unwrap_or("none"),
        "state" => match &row.best {
            None => "no score",
            Some(_) if row.fits() => "fits",
            Some(_) => "in part",
        },
        _ => size(row.n_lines),
    }
}

fn size(n_lines: usize) -> &'static str {
    let class = SIZES.iter().find(|(_, most)| n_lines <= *most);
    class.map_or("", |(name, _)| name)
}

/// How many programs each value of a facet would leave, the other facets given.
fn facets(rows: &[&Row], wanted: &Wanted<'_>) -> Value {
    let facet = |name: &&str| {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        let left = rows.iter().filter(|row| wanted.has_facets(row, Some(name)));
        left.for_each(|row| *counts.entry(value(row, name)).or_default() += 1);
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let n_left_out = counts.len().saturating_sub(MOST_VALUES);
        counts.truncate(MOST_VALUES);
        if *name == "size" {
            counts.sort_by_key(|(name, _)| SIZES.iter().position(|size| size.0 == *name));
        }
        let one = |(name, n): &(&str, usize)| json!({ "value": name, "n": n });
        json!({
            "name": name,
            "values": counts.iter().map(one).collect::<Vec<_>>(),
            "more": n_left_out,
        })
    };
    FACETS.iter().map(facet).collect()
}

/// An order of the list.
#[derive(Clone, Copy)]
struct Order {
    key: Key,
    is_reversed: bool,
}

#[derive(Clone, Copy)]
enum Key {
    Merit,
    Name,
    Lines,
    Credit,
    Fuel,
}

impl Order {
    /// The order with a name; a minus sign turns it around.
    fn named(name: &str) -> Result<Order, Refusal> {
        let bare = name.strip_prefix('-').unwrap_or(name);
        let key = match bare {
            "" | "merit" => Key::Merit,
            "name" => Key::Name,
            "lines" => Key::Lines,
            "credit" => Key::Credit,
            "fuel" => Key::Fuel,
            _ => {
                let message = "sort: `merit`, `name`, `lines`, `credit` or `fuel`";
                return Err(Refusal::bad(message));
            }
        };
        Ok(Order {
            key,
            is_reversed: bare != name,
        })
    }

    fn compare(self, a: &Row, b: &Row) -> std::cmp::Ordering {
        let by_credit = || {
            b.credit()
                .unwrap_or(-1.0)
                .total_cmp(&a.credit().unwrap_or(-1.0))
        };
        let order = match self.key {
            Key::Merit => b.fits().cmp(&a.fits()).then_with(by_credit),
            Key::Name => a.name.cmp(&b.name),
            Key::Lines => a.n_lines.cmp(&b.n_lines),
            Key::Credit => by_credit(),
            Key::Fuel => {
                let fuel = |row: &Row| row.fuel().unwrap_or(u64::MAX);
                fuel(a).cmp(&fuel(b))
            }
        };
        let order = if self.is_reversed {
            order.reverse()
        } else {
            order
        };
        order.then(a.n_lines.cmp(&b.n_lines))
    }
}
