use std::collections::BTreeSet;
use std::time::Duration;

use leyden_grid::{Grid, Pair, Puzzle, TaskId};
use leyden_lang::{Program, parse};
use proptest::prelude::*;

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn store(&self) -> Store {
        Store::open(&self.path("library.db")).unwrap()
    }
}

/// A program with this number of lines. Different numbers give different programs.
fn program(number: i64, n_lines: usize) -> Program {
    let lines: String = (0..n_lines)
        .map(|k| format!("    x = add({number}, {k})\n"))
        .collect();
    let source = format!("def solve_{number:08x}(I):\n{lines}    return ({number}, I)\n");
    parse(&source, "test", None).unwrap().remove(0)
}

fn puzzle(name: &str, colour: u8, n_demos: usize) -> Puzzle {
    let grid = |colour| Grid::from_rows(&[vec![colour]]).unwrap();
    let demo = |k| Pair {
        input: grid(colour),
        output: grid(k as u8),
    };
    Puzzle {
        id: TaskId::new(name).unwrap(),
        demos: (0..n_demos).map(demo).collect(),
        test_inputs: Vec::new(),
    }
}

fn task(name: &str) -> TaskKey {
    TaskKey::of(&puzzle(name, 1, 2))
}

/// Two samples, of which `n_exact` are right.
fn samples(n_exact: usize, partial: f64, fuel: u64) -> Vec<SampleScore> {
    let sample = |k| SampleScore {
        is_exact: k < n_exact,
        partial: if k < n_exact { 100.0 } else { partial },
        fuel,
    };
    (0..2).map(sample).collect()
}

fn origin() -> Origin {
    Origin::of_source("test")
}

#[test]
fn a_program_comes_back_with_all_that_was_said_about_it() {
    let place = Place::new();
    let (parent, child) = (program(1, 2), program(2, 3));
    let mut store = place.store();
    let made = Origin {
        source: "evolve".to_owned(),
        parent: Some(ProgramHash::of(&parent)),
        mutation: "constant: 1 → 2".to_owned(),
        seed: Some(u64::MAX),
        run: None,
    };
    store.add_program(&parent, &origin()).unwrap();
    let hash = store.add_program(&child, &made).unwrap().hash;
    let scores = samples(1, 12.5, u64::from(u32::MAX));
    store.record_scores(hash, &task("t"), &scores).unwrap();
    drop(store);
    let store = Store::open_read_only(&place.path("library.db")).unwrap();
    let record = store.program(hash).unwrap().unwrap();
    assert!(record.program.same_code(&child));
    assert_eq!(record.origin, made);
    assert_eq!(record.scores.len(), 1);
    assert_eq!(record.scores[0].samples, scores);
    assert_eq!(
        (record.scores[0].n_exact, record.scores[0].partial),
        (1, 56.25)
    );
    assert_eq!(store.find(&hash.to_string()[..6]).unwrap(), [hash]);
    assert_eq!(store.find("solve_00000002").unwrap(), [hash]);
    assert!(store.find("%").unwrap().is_empty());
    assert!(store.program(ProgramHash(7)).unwrap().is_none());
}

#[test]
fn the_same_program_is_there_once_and_keeps_its_first_name() {
    let mut store = Place::new().store();
    let first = program(1, 1);
    let mut second = first.clone();
    second.name = "another".to_owned();
    assert!(store.add_program(&first, &origin()).unwrap().is_new);
    assert!(!store.add_program(&second, &origin()).unwrap().is_new);
    assert_eq!(store.n_programs().unwrap(), 1);
    assert_eq!(store.find("another").unwrap(), []);
}

#[test]
fn what_would_not_come_back_is_refused() {
    let mut store = Place::new().store();
    let mut odd = program(1, 1);
    odd.name = "not a name".to_owned();
    let error = store.add_program(&odd, &origin()).unwrap_err();
    assert!(matches!(error, LibraryError::BadProgram { .. }), "{error}");
    let hash = store.add_program(&program(1, 1), &origin()).unwrap().hash;
    let check = |store: &mut Store, samples: &[SampleScore], words: &str| {
        let error = store.record_scores(hash, &task("t"), samples).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    check(
        &mut store,
        &samples(0, 1.0, 1)[..1],
        "1 for 2 demonstration pairs",
    );
    check(
        &mut store,
        &samples(0, 100.5, 1),
        "100.5 is not within 0 to 100",
    );
    check(&mut store, &samples(0, f64::NAN, 1), "NaN is not within");
    let unknown = store.record_scores(ProgramHash(3), &task("t"), &samples(0, 1.0, 1));
    assert!(matches!(
        unknown,
        Err(LibraryError::UnknownProgram(ProgramHash(3)))
    ));
    assert_eq!(store.n_scores().unwrap(), 0);
}

#[test]
fn editions_of_a_task_are_kept_apart() {
    let mut store = Place::new().store();
    let hash = store.add_program(&program(1, 1), &origin()).unwrap().hash;
    let (old, new) = (task("t"), TaskKey::of(&puzzle("t", 2, 2)));
    store
        .record_scores(hash, &old, &samples(2, 0.0, 1))
        .unwrap();
    store
        .record_scores(hash, &new, &samples(1, 0.0, 1))
        .unwrap();
    assert!(store.best(&old, 9).unwrap()[0].score.fits());
    assert!(!store.best(&new, 9).unwrap()[0].score.fits());
    assert_eq!(store.best_of_id("t", 9).unwrap().len(), 2);
    assert_eq!(store.tasks().unwrap(), ["t"]);
}

#[test]
fn a_batch_that_fails_leaves_nothing() {
    let mut store = Place::new().store();
    let failed: Outcome<()> = store.write(|batch| {
        batch.add_program(&program(1, 1), &origin())?;
        batch.record_scores(ProgramHash(0), &task("t"), &samples(0, 0.0, 0))
    });
    assert!(failed.is_err());
    assert_eq!(store.n_programs().unwrap(), 0);
}

#[test]
fn runs_are_remembered_and_can_go_on() {
    let place = Place::new();
    let mut store = place.store();
    let new = NewRun {
        command: "evolve".to_owned(),
        seed: Some(1),
        started: Some(7),
        ..NewRun::default()
    };
    let run: Outcome<RunId> = store.write(|batch| {
        let run = batch.begin_run(&new)?;
        batch.save_state(run, b"round 3")?;
        Ok(run)
    });
    let run = run.unwrap();
    drop(store);
    let mut store = place.store();
    let found = store.unfinished_run("evolve").unwrap().unwrap();
    assert_eq!(
        (found.id, found.state.as_deref()),
        (run, Some(&b"round 3"[..]))
    );
    assert_eq!(store.unfinished_run("solve").unwrap(), None);
    let end = RunEnd {
        stop_reason: "budget".to_owned(),
        n_evaluations: 10,
        ended: Some(9),
    };
    store.write(|batch| batch.end_run(run, &end)).unwrap();
    assert_eq!(store.unfinished_run("evolve").unwrap(), None);
    assert_eq!(
        store.runs().unwrap()[0].stop_reason.as_deref(),
        Some("budget")
    );
    let unknown = store.write(|batch| batch.end_run(RunId(99), &end));
    assert!(matches!(unknown, Err(LibraryError::UnknownRun(99))));
}

#[test]
fn a_state_of_an_earlier_version_can_be_read() {
    let store = full_store();
    let state = |store: &Store| store.runs().unwrap()[0].state.clone();
    assert_eq!(state(&store).as_deref(), Some(&b"state"[..]));
    let unsealed = "UPDATE run SET state = x'7b7d'";
    store.connection.execute_batch(unsealed).unwrap();
    assert_eq!(state(&store).as_deref(), Some(&b"{}"[..]));
    assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
}

#[test]
fn other_files_are_refused_and_stay_as_they_are() {
    let place = Place::new();
    let check = |name: &str, words: &str| {
        let path = place.path(name);
        let before = std::fs::read(&path).ok();
        for open in [Store::open, Store::open_existing, Store::open_read_only] {
            let message = open(&path).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
            assert!(message.contains(name), "{message}");
        }
        assert_eq!(std::fs::read(&path).ok(), before);
    };
    std::fs::write(place.path("text"), "not a database at all, but long enough").unwrap();
    check("text", "not a Leyden store");
    let foreign = Connection::open(place.path("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE a (b)").unwrap();
    drop(foreign);
    check("foreign.db", "not a Leyden store");
    let newer = Store::open(&place.path("newer.db")).unwrap();
    newer
        .connection
        .pragma_update(None, "user_version", 2)
        .unwrap();
    drop(newer);
    check(
        "newer.db",
        "format 2, this Leyden knows 1; use a newer Leyden",
    );
    std::fs::create_dir(place.path("directory")).unwrap();
    check("directory", "directory");
}

#[test]
fn a_store_that_is_not_there_is_only_made_when_asked_for() {
    let place = Place::new();
    let path = place.path("new/deep/library.db");
    for open in [Store::open_existing, Store::open_read_only] {
        let error = open(&path).unwrap_err();
        assert!(matches!(error, LibraryError::Missing { .. }), "{error}");
    }
    assert!(!path.exists());
    Store::open(&path).unwrap();
    assert!(path.exists());
}

#[test]
fn a_second_writer_waits_and_then_says_so() {
    let place = Place::new();
    let (mut first, mut second) = (place.store(), place.store());
    second.set_patience(Duration::from_millis(20)).unwrap();
    let outcome: Outcome<()> = first.write(|batch| {
        batch.add_program(&program(1, 1), &origin())?;
        let error = second.add_program(&program(2, 1), &origin()).unwrap_err();
        assert!(
            error.to_string().contains("another process is writing"),
            "{error}"
        );
        // Readers see the state before the change and need not wait.
        assert_eq!(second.n_programs()?, 0);
        Ok(())
    });
    outcome.unwrap();
    second.add_program(&program(2, 1), &origin()).unwrap();
    assert_eq!(first.n_programs().unwrap(), 2);
}

#[test]
fn writers_that_wait_for_each_other_lose_nothing() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                let mut store = place.store();
                for k in 0..25 {
                    let program = program(writer * 100 + k, 1);
                    store.add_program(&program, &origin()).unwrap();
                }
            });
        }
    });
    let store = place.store();
    assert_eq!(store.n_programs().unwrap(), 100);
    assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
}

#[test]
fn a_store_may_be_made_by_several_at_once() {
    for _ in 0..20 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(place.store().n_programs().unwrap(), 0));
            }
        });
    }
}

#[test]
fn a_store_for_reading_refuses_changes() {
    let place = Place::new();
    place
        .store()
        .add_program(&program(1, 1), &origin())
        .unwrap();
    let mut store = Store::open_read_only(&place.path("library.db")).unwrap();
    let error = store.add_program(&program(2, 1), &origin()).unwrap_err();
    assert!(matches!(error, LibraryError::ReadOnly { .. }), "{error}");
    assert_eq!(store.n_programs().unwrap(), 1);
}

#[test]
fn a_file_without_locks_can_be_read() {
    let place = Place::new();
    place
        .store()
        .add_program(&program(1, 1), &origin())
        .unwrap();
    let odd = place.path("with space & 100%?.db");
    std::fs::rename(place.path("library.db"), &odd).unwrap();
    let store = Store::frozen(&odd).unwrap();
    assert_eq!(store.n_programs().unwrap(), 1);
    assert_eq!(store.path(), odd);
    assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 1);
}

#[test]
fn a_full_disk_costs_only_the_last_change() {
    let place = Place::new();
    let mut store = place.store();
    store.add_program(&program(0, 1), &origin()).unwrap();
    // The limit is the current number of pages, so the next one does not fit.
    let n_pages: i64 = store
        .one("PRAGMA page_count", [], |row| row.get(0))
        .unwrap()
        .unwrap();
    store
        .connection
        .pragma_update(None, "max_page_count", n_pages)
        .unwrap();
    let mut n_saved = 1;
    let error = loop {
        match store.add_program(&program(n_saved, 40), &origin()) {
            Ok(_) => n_saved += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, LibraryError::Full { .. }), "{error}");
    drop(store);
    let store = place.store();
    assert_eq!(store.n_programs().unwrap() as i64, n_saved);
    assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
}

#[test]
fn damage_is_found() {
    let check = |damage: &str, words: &str| {
        let mut store = Place::new().store();
        let hash = store.add_program(&program(1, 1), &origin()).unwrap().hash;
        store
            .record_scores(hash, &task("t"), &samples(1, 5.0, 1))
            .unwrap();
        assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
        store
            .connection
            .pragma_update(None, "foreign_keys", false)
            .unwrap();
        store.connection.execute_batch(damage).unwrap();
        let findings = store.check().unwrap().findings;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].contains(words), "{findings:?}");
    };
    check(
        "UPDATE program SET text = replace(text, 'add', 'sub')",
        "is no program",
    );
    check(
        "UPDATE program SET text = replace(text, 'add', 'multiply')",
        "another hash",
    );
    check("UPDATE program SET n_lines = 7", "another name or length");
    check("UPDATE score SET n_exact = 2", "its sums are not");
    check("UPDATE score SET samples = '[[1,'", "cannot be read");
    check(
        "UPDATE task SET n_demos = 3",
        "not one sample for each pair",
    );
    check("DELETE FROM task", "refers to nothing");
}

/// A store in which no column is empty.
fn full_store() -> Store {
    let mut store = Place::new().store();
    store
        .write(|batch| {
            let run = batch.begin_run(&NewRun {
                command: "evolve".into(),
                seed: Some(7),
                started: Some(1),
                ..NewRun::default()
            })?;
            let end = RunEnd {
                ended: Some(2),
                ..RunEnd::default()
            };
            batch.end_run(run, &end)?;
            batch.save_state(run, b"state")?;
            let origin = Origin {
                parent: Some(ProgramHash(1)),
                seed: Some(7),
                run: Some(run),
                ..origin()
            };
            let added = batch.add_program(&program(1, 1), &origin)?;
            batch.record_scores(added.hash, &task("t"), &samples(1, 5.0, 1))
        })
        .unwrap();
    store
}

#[test]
fn every_column_is_checked() {
    let store = full_store();
    let names = |table: &str| {
        let all = format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid");
        store.all(&all, [], |row| row.get::<_, String>(0)).unwrap()
    };
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let tables: Vec<String> = store.all(tables, [], |row| row.get(0)).unwrap();
    assert_eq!(tables, check::COLUMNS.map(|(table, _)| table));
    for (table, columns) in check::COLUMNS {
        let checked: Vec<&str> = columns.iter().map(|column| column.name).collect();
        assert_eq!(checked, names(table));
    }
}

/// Puts an impossible value into each column; the check must find it.
#[test]
fn damage_of_every_column_is_found() {
    use check::Holds;
    for (table, columns) in check::COLUMNS {
        for column in columns {
            let value = match column.holds {
                Holds::Text => "CAST(x'ff41' AS TEXT)",
                Holds::Count => "-1",
                Holds::Percent => "1e9",
                Holds::Hash => "x'00'",
                // Other numbers are keys, which then refer to nothing. A seed or a time may be any
                // number.
                Holds::Number if ["seed", "started", "ended", "id"].contains(&column.name) => {
                    continue;
                }
                Holds::Number => "99",
                Holds::Bytes => "substr(state, 1, length(state) - 1)",
            };
            let store = full_store();
            assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
            let damage = format!(
                "PRAGMA foreign_keys = false; PRAGMA ignore_check_constraints = true;
                UPDATE {table} SET {} = {value}; PRAGMA ignore_check_constraints = false;",
                column.name
            );
            store.connection.execute_batch(&damage).unwrap();
            let name = format!("{table}.{}", column.name);
            let findings = store.check().unwrap().findings;
            assert!(!findings.is_empty(), "{name} is called sound");
            // Other commands report that the store is damaged.
            let others = [
                store.records().map(|_| ()),
                store.standings(&Filter::default()).map(|_| ()),
                store.runs().map(|_| ()),
                store.content_hash().map(|_| ()),
            ];
            for error in others.into_iter().filter_map(Result::err) {
                assert!(
                    matches!(error, LibraryError::Damaged { .. }),
                    "{name}: {error}"
                );
            }
        }
    }
}

/// A failed compaction undoes nothing, and the error says so.
#[test]
fn a_compaction_that_fails_is_not_a_loss() {
    let place = Place::new();
    let mut store = place.store();
    for k in 0..50 {
        store.add_program(&program(k, 20), &origin()).unwrap();
    }
    let keep = Keep {
        per_task: 1,
        unscored: false,
    };
    assert_eq!(store.prune(keep).unwrap().n_removed, 50);
    store
        .connection
        .pragma_update(None, "query_only", true)
        .unwrap();
    let error = store.compact().unwrap_err();
    assert!(
        matches!(error, LibraryError::NotCompacted { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("what was removed is gone"));
    assert_eq!(store.n_programs().unwrap(), 0);
}

#[test]
fn bytes_that_rot_are_found() {
    let place = Place::new();
    let mut store = place.store();
    for k in 0..50 {
        store.add_program(&program(k, 20), &origin()).unwrap();
    }
    store.compact().unwrap();
    drop(store);
    let path = place.path("library.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 200].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let store = place.store();
    let found = store.check().map(|report| report.findings);
    assert!(
        !matches!(&found, Ok(findings) if findings.is_empty()),
        "{found:?}"
    );
}

#[test]
fn copies_and_unions_hold_everything() {
    let place = Place::new();
    let mut store = place.store();
    for k in 0..10 {
        let hash = store.add_program(&program(k, 1), &origin()).unwrap().hash;
        store
            .record_scores(hash, &task("t"), &samples(1, 5.0, k as u64))
            .unwrap();
    }
    store.copy_to(&place.path("copy.db")).unwrap();
    let copy = Store::open_read_only(&place.path("copy.db")).unwrap();
    assert_eq!(copy.content_hash().unwrap(), store.content_hash().unwrap());
    let mut other = Store::open(&place.path("other.db")).unwrap();
    let known = other.add_program(&program(3, 1), &origin()).unwrap().hash;
    other
        .record_scores(known, &task("t"), &samples(2, 5.0, 1))
        .unwrap();
    let absorbed = other.absorb(&store).unwrap();
    let expected = Absorbed {
        n_new: 9,
        n_known: 1,
        n_scores: 9,
    };
    assert_eq!(absorbed, expected);
    assert_eq!(other.best(&task("t"), 1).unwrap()[0].hash, known);
    assert_eq!(other.absorb(&store).unwrap().n_new, 0);
}

/// A program's number, its length, and its scores on up to three tasks.
type Plan = (i64, usize, Vec<(u8, usize, u8, u64)>);

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let score = (0..3u8, 0..3usize, 0..4u8, 0..3u64);
    let plan = (0..30i64, 1..4usize, prop::collection::vec(score, 0..4));
    prop::collection::vec(plan, 1..20)
}

fn task_name(k: u8) -> String {
    format!("task{k}")
}

fn fill(store: &mut Store, plans: &[Plan]) {
    let filled: Outcome<()> = store.write(|batch| {
        for (number, n_lines, scores) in plans {
            let hash = batch
                .add_program(&program(*number, *n_lines), &origin())?
                .hash;
            for (task_idx, n_exact, partial, fuel) in scores {
                let samples = samples(*n_exact, f64::from(*partial) * 10.0, *fuel);
                batch.record_scores(hash, &task(&task_name(*task_idx)), &samples)?;
            }
        }
        Ok(())
    });
    filled.unwrap();
}

/// The order of selection, in plain code.
fn plain_order(
    a: &(ProgramHash, usize, TaskScore),
    b: &(ProgramHash, usize, TaskScore),
) -> std::cmp::Ordering {
    (b.2.n_exact.cmp(&a.2.n_exact))
        .then(b.2.partial.total_cmp(&a.2.partial))
        .then(a.1.cmp(&b.1))
        .then(a.2.fuel.cmp(&b.2.fuel))
        .then(a.0.cmp(&b.0))
}

fn plain_best(store: &Store, name: &str) -> Vec<ProgramHash> {
    let mut all = Vec::new();
    for record in store.records().unwrap() {
        let score = record.scores.iter().find(|score| score.task == name);
        all.extend(score.map(|score| (record.hash, record.program.lines.len(), score.clone())));
    }
    all.sort_by(plain_order);
    all.into_iter().map(|entry| entry.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_best_are_exact_then_small_then_cheap(plans in plans()) {
        let mut store = Place::new().store();
        fill(&mut store, &plans);
        for k in 0..3 {
            let name = task_name(k);
            let best: Vec<ProgramHash> =
                store.best(&task(&name), 99).unwrap().iter().map(|ranked| ranked.hash).collect();
            prop_assert_eq!(best, plain_best(&store, &name));
        }
        prop_assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
    }

    #[test]
    fn the_same_calls_make_the_same_content(plans in plans()) {
        let fingerprint = |plans: &[Plan]| {
            let mut store = Place::new().store();
            fill(&mut store, plans);
            store.content_hash().unwrap()
        };
        prop_assert_eq!(fingerprint(&plans), fingerprint(&plans));
        let more = [plans.clone(), vec![(31, 1, Vec::new())]].concat();
        prop_assert_ne!(fingerprint(&plans), fingerprint(&more));
    }

    #[test]
    fn pruning_keeps_the_best_of_each_task(
        plans in plans(),
        per_task in 0..4usize,
        unscored in any::<bool>(),
    ) {
        let mut store = Place::new().store();
        fill(&mut store, &plans);
        let mut expected: BTreeSet<ProgramHash> = BTreeSet::new();
        for k in 0..3 {
            expected.extend(plain_best(&store, &task_name(k)).into_iter().take(per_task));
        }
        let records = store.records().unwrap();
        let free = records.iter().filter(|record| unscored && record.scores.is_empty());
        expected.extend(free.map(|record| record.hash));
        let pruned = store.prune(Keep { per_task, unscored }).unwrap();
        let kept: BTreeSet<ProgramHash> =
            store.records().unwrap().iter().map(|record| record.hash).collect();
        prop_assert_eq!(pruned.n_kept, expected.len());
        prop_assert_eq!(pruned.n_removed + pruned.n_kept, records.len());
        prop_assert_eq!(kept, expected);
        prop_assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
    }

    #[test]
    fn standings_add_up(plans in plans()) {
        let mut store = Place::new().store();
        fill(&mut store, &plans);
        let standings = store.standings(&Filter::default()).unwrap();
        prop_assert_eq!(standings.len(), store.n_programs().unwrap());
        for standing in &standings {
            let record = store.program(standing.hash).unwrap().unwrap();
            let n_fitted = record.scores.iter().filter(|score| score.fits()).count();
            prop_assert_eq!(standing.n_fitted, n_fitted);
            prop_assert_eq!(standing.n_tasks, record.scores.len());
            prop_assert!(standing.weight() >= 1);
        }
        let fitting = Filter { fitting: true, ..Filter::default() };
        let fitting = store.standings(&fitting).unwrap();
        prop_assert_eq!(&fitting[..], &standings[..fitting.len()]);
        prop_assert!(standings[fitting.len()..].iter().all(|standing| standing.n_fitted == 0));
    }
}
