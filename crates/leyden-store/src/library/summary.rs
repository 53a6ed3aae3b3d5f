//! Short facts about many programs at once, for lists.

use rusqlite::Row;

use super::records::ProgramHash;
use super::select::hash_at;
use super::{Outcome, Store};

/// A program without its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSummary {
    /// Its hash.
    pub hash: ProgramHash,
    /// Its name.
    pub name: String,
    /// The name of its dialect.
    pub dialect: String,
    /// The number of its lines.
    pub n_lines: usize,
    /// Its origin: a file or a command.
    pub source: String,
    /// The program from which it was made.
    pub parent: Option<ProgramHash>,
    /// The mutation that made it from its parent.
    pub mutation: String,
    /// Its best score, if it has one.
    pub best: Option<BestScore>,
}

/// The score of a program on the task where it gets most.
#[derive(Clone, Debug, PartialEq)]
pub struct BestScore {
    /// The task.
    pub task: String,
    /// The number of demonstration pairs.
    pub n_demos: usize,
    /// The number of right pairs.
    pub n_exact: usize,
    /// The mean of the partial credit, 0 to 100.
    pub partial: f64,
    /// The sum of the fuel of all pairs.
    pub fuel: u64,
}

impl BestScore {
    /// Whether all demonstration pairs are right.
    pub fn fits(&self) -> bool {
        self.n_exact == self.n_demos && self.n_demos > 0
    }
}

impl Store {
    /// The programs in the order in which they came, at most `limit`.
    pub fn summaries(&self, limit: usize) -> Outcome<Vec<ProgramSummary>> {
        // SQLite takes the other columns from the row with the largest `partial`.
        let all = "SELECT program.hash, program.name,
                substr(program.text, 1, instr(program.text, char(10)) - 1),
                program.n_lines, program.source, program.parent, program.mutation,
                task.name, task.n_demos, score.n_exact, max(score.partial), score.fuel
            FROM program
            LEFT JOIN score ON score.program = program.id
            LEFT JOIN task ON task.id = score.task
            GROUP BY program.id ORDER BY program.id LIMIT ?1";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(all, [limit], summary)
    }

    /// The hashes of the programs whose lines contain a text, without regard to capitals.
    pub fn hashes_with(&self, text: &str) -> Outcome<Vec<ProgramHash>> {
        let find = "SELECT hash FROM program WHERE instr(lower(text), ?1) > 0";
        self.all(find, [text.to_ascii_lowercase()], |row| hash_at(row, 0))
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<ProgramSummary> {
    let head: String = row.get(2)?;
    let parent: Option<[u8; 16]> = row.get(5)?;
    Ok(ProgramSummary {
        hash: hash_at(row, 0)?,
        name: row.get(1)?,
        dialect: head.rsplit(' ').next().unwrap_or_default().to_owned(),
        n_lines: count_at(row, 3)?,
        source: row.get(4)?,
        parent: parent.map(|bytes| ProgramHash(u128::from_be_bytes(bytes))),
        mutation: row.get(6)?,
        best: best(row)?,
    })
}

fn best(row: &Row<'_>) -> rusqlite::Result<Option<BestScore>> {
    let Some(task) = row.get(7)? else {
        return Ok(None);
    };
    Ok(Some(BestScore {
        task,
        n_demos: count_at(row, 8)?,
        n_exact: count_at(row, 9)?,
        partial: row.get(10)?,
        fuel: count_at(row, 11)? as u64,
    }))
}

fn count_at(row: &Row<'_>, k: usize) -> rusqlite::Result<usize> {
    let number: i64 = row.get(k)?;
    Ok(usize::try_from(number).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use leyden_lang::{Program, parse};

    use super::super::{Origin, SampleScore, TaskKey};
    use super::*;

    fn program(body: &str) -> Program {
        let source = format!("def solve_1e7d0001(I):\n    return {body}\n");
        parse(&source, "mine.py", None).unwrap().remove(0)
    }

    #[test]
    fn a_summary_has_the_best_score_and_the_parent() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&dir.path().join("a.db")).unwrap();
        let [first, second] = [program("vmirror(I)"), program("hmirror(I)")];
        let parent = ProgramHash::of(&first);
        let child = Origin {
            parent: Some(parent),
            mutation: "vmirror becomes hmirror".to_owned(),
            ..Origin::of_source("evolve")
        };
        store
            .add_program(&first, &Origin::of_source("a.py"))
            .unwrap();
        let hash = store.add_program(&second, &child).unwrap().hash;
        let tasks = crate::demo::tasks();
        for (task, partial) in tasks.iter().zip([40.0, 70.0]) {
            let key = TaskKey::of(&task.puzzle());
            let score = SampleScore {
                is_exact: false,
                partial,
                fuel: 5,
            };
            store
                .record_scores(hash, &key, &vec![score; key.n_demos])
                .unwrap();
        }
        let [one, two] = <[ProgramSummary; 2]>::try_from(store.summaries(9).unwrap()).unwrap();
        assert_eq!((one.best, one.parent), (None, None));
        assert_eq!(
            (two.parent, two.dialect.as_str()),
            (Some(parent), "arc-dsl")
        );
        let best = two.best.unwrap();
        assert_eq!(
            (best.task.as_str(), best.partial),
            (tasks[1].id.as_str(), 70.0)
        );
        assert!(!best.fits());
        assert_eq!(store.summaries(1).unwrap().len(), 1);
        assert_eq!(store.hashes_with("HMIRROR(").unwrap(), [hash]);
    }
}
