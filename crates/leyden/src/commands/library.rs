//! `leyden library`: looks into a store, adds to it, and writes it to files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use leyden_grid::TaskId;
use leyden_lang::{Language, Program, print_python_alone, print_python_file, print_text_file};
use leyden_search::evolve::library_of;
use leyden_store::library::{
    CheckReport, Filter, Keep, Origin, ProgramHash, Ranked, Standing, Store, is_store,
};
use serde_json::json;

use crate::args::{Action, ExportForm, LibraryArgs, ProgramFormat, Wanted};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::programs::{Library, Source, with_own_names};
use crate::report::library::{self, Checked, Imported, ListReport, PruneReport};
use crate::report::{pretty_json, write_both};

pub(crate) fn run(args: LibraryArgs) -> Result<(), Failure> {
    let store = args.store.as_path();
    match args.action {
        Action::List { wanted, json } => list(store, &wanted, json.as_ref()),
        Action::Show {
            program,
            format,
            out,
            json,
        } => show(store, &program, format, (out.as_ref(), json.as_ref())),
        Action::Best { tasks, limit, json } => {
            let tasks = tasks.iter().map(ToString::to_string).collect();
            best(store, tasks, limit, json.as_ref())
        }
        Action::Export {
            form,
            wanted,
            out,
            json,
        } => export(store, form, &wanted, (out.as_ref(), json.as_ref())),
        Action::Import {
            paths,
            language,
            json,
        } => import(store, &paths, &language, json.as_ref()),
        Action::Prune { keep, json } => prune(store, keep, json.as_ref()),
        Action::Check { json } => check(store, json.as_ref()),
    }
}

fn list(path: &Path, wanted: &Wanted, json: Option<&Target>) -> Result<(), Failure> {
    let store = Store::open_read_only(path)?;
    let report = ListReport {
        store: path.display().to_string(),
        n_programs: store.n_programs()?,
        n_scores: store.n_scores()?,
        programs: standings(&store, wanted)?,
    };
    write_both(&library::list(&report), json, &report)
}

/// The main output and the JSON beside it.
type Outputs<'a> = (Option<&'a Target>, Option<&'a Target>);

fn show(
    path: &Path,
    name: &str,
    format: Option<ProgramFormat>,
    (out, json): Outputs<'_>,
) -> Result<(), Failure> {
    let store = Store::open_read_only(path)?;
    let hash = only(name, &store.find(name)?)?;
    let record = store.program(hash)?;
    let record = record.ok_or_else(|| unknown(name))?;
    let text = match format {
        Some(ProgramFormat::Python) => print_python_alone(&record.program),
        Some(ProgramFormat::Text) => print_text_file(std::slice::from_ref(&record.program)),
        None if out.is_none() => {
            return write_both(
                &library::record(&record),
                json,
                &library::record_json(&record),
            );
        }
        None => strip_str(&library::record(&record)).to_string(),
    };
    let report = library::record_json(&record);
    write_with_json(&text, out, json, || json!(report))
}

fn only(name: &str, found: &[ProgramHash]) -> Result<ProgramHash, Failure> {
    match found {
        [] => Err(unknown(name)),
        [hash] => Ok(*hash),
        several => {
            let hashes: Vec<String> = several.iter().take(8).map(ToString::to_string).collect();
            let (n, hashes) = (several.len(), hashes.join("\n  "));
            Err(Failure::Diagnosed(format!(
                "error: {n} programs go by {name}:\n  {hashes}\n"
            )))
        }
    }
}

fn unknown(name: &str) -> Failure {
    Failure::bad_input(format!(
        "the store has no program of the name or hash {name}; `leyden library list` shows all (4 \
         digits of a hash are enough)"
    ))
}

fn best(
    path: &Path,
    tasks: Vec<String>,
    limit: usize,
    json: Option<&Target>,
) -> Result<(), Failure> {
    let store = Store::open_read_only(path)?;
    let tasks = if tasks.is_empty() {
        store.tasks()?
    } else {
        tasks
    };
    let mut ranked: Vec<Ranked> = Vec::new();
    for task in &tasks {
        let found = store.best_of_id(task, limit)?;
        if found.is_empty() {
            remark(&format!("no program has a score on {task}\n"));
        }
        ranked.extend(found);
    }
    write_both(&library::best(&ranked), json, &ranked)
}

fn export(
    path: &Path,
    form: ExportForm,
    wanted: &Wanted,
    (out, json): Outputs<'_>,
) -> Result<(), Failure> {
    let store = Store::open_read_only(path)?;
    let hashes = hashes_of(&standings(&store, wanted)?);
    let programs = with_own_names(store.programs(&hashes)?);
    let report = || {
        let row = |program: &Program| json!({ "name": program.name, "hash": ProgramHash::of(program).to_string() });
        json!({
            "store": path,
            "programs": programs.iter().map(row).collect::<Vec<_>>(),
        })
    };
    let text = match (form, out) {
        (ExportForm::Store, Some(Target::File(copy))) => {
            store.copy_to(copy)?;
            return json.map_or(Ok(()), |json| json.write(&pretty_json(&report())?));
        }
        (ExportForm::Python, _) => print_python_file(&programs),
        _ => print_text_file(&programs),
    };
    write_with_json(&text, out, json, report)
}

/// The chosen programs, each once, best first. Of several tasks, the programs of the first come
/// first.
pub(crate) fn standings(store: &Store, wanted: &Wanted) -> Result<Vec<Standing>, Failure> {
    let filter = |task: Option<&TaskId>| Filter {
        task: task.map(ToString::to_string),
        fitting: wanted.fitting,
        limit: wanted.most,
    };
    if wanted.tasks.is_empty() {
        return Ok(store.standings(&filter(None))?);
    }
    let mut standings: Vec<Standing> = Vec::new();
    let mut seen = BTreeSet::new();
    for task in &wanted.tasks {
        let found = store.standings(&filter(Some(task)))?;
        standings.extend(found.into_iter().filter(|found| seen.insert(found.hash)));
    }
    standings.truncate(wanted.most.unwrap_or(usize::MAX));
    Ok(standings)
}

fn hashes_of(standings: &[Standing]) -> Vec<ProgramHash> {
    standings.iter().map(|standing| standing.hash).collect()
}

fn import(
    path: &Path,
    sources: &[PathBuf],
    language: &Language,
    json: Option<&Target>,
) -> Result<(), Failure> {
    // Read everything before changing anything.
    let (stores, files): (Vec<_>, Vec<_>) = sources.iter().partition(|path| is_store(path));
    let files: Vec<Source> = files.into_iter().cloned().map(Source::Path).collect();
    let library = Library::read(&files, language, 1)?;
    let others: Vec<Store> = stores
        .iter()
        .map(|path| Store::open_read_only(path))
        .collect::<Result<_, _>>()?;
    let mut store = Store::open(path)?;
    let mut report = add(&mut store, &library)?;
    for other in &others {
        let absorbed = store.absorb(other)?;
        report.n_new += absorbed.n_new;
        report.n_known += absorbed.n_known;
        report.n_scores += absorbed.n_scores;
    }
    report.n_programs = store.n_programs()?;
    write_both(&library::imported(&report), json, &report)
}

/// Brings the programs of files into a store.
pub(crate) fn add(store: &mut Store, library: &Library) -> Result<Imported, Failure> {
    let n_new = store.write(|batch| {
        let mut n_new = 0;
        for known in &library.programs {
            let origin = Origin::of_source(library.file_of(known).name.as_str());
            let added = batch.add_program(&known.program, &origin)?;
            n_new += usize::from(added.is_new);
        }
        Ok(n_new)
    })?;
    Ok(Imported {
        store: store.path().display().to_string(),
        n_new,
        n_known: library.programs.len() - n_new,
        n_scores: 0,
        n_programs: 0,
    })
}

fn prune(path: &Path, keep: Keep, json: Option<&Target>) -> Result<(), Failure> {
    let mut store = Store::open_existing(path)?;
    let pruned = store.prune(keep)?;
    if let Err(error) = store.compact() {
        remark(&format!("warning: {error}\n"));
    }
    let report = PruneReport {
        store: path.display().to_string(),
        n_removed: pruned.n_removed,
        n_kept: pruned.n_kept,
    };
    write_both(&library::pruned(&report), json, &report)
}

fn check(path: &Path, json: Option<&Target>) -> Result<(), Failure> {
    let store = Store::open_read_only(path)?;
    let mut report = store.check()?;
    if report.findings.is_empty() {
        check_states(&store, &mut report)?;
    }
    let checked = Checked {
        store: path.display().to_string(),
        is_sound: report.findings.is_empty(),
        n_programs: report.n_programs,
        n_scores: report.n_scores,
        findings: report.findings,
    };
    let text = library::checked(&checked);
    if checked.is_sound {
        write_both(&text, json, &checked)
    } else {
        if let Some(target) = json {
            target.write(&crate::report::pretty_json(&checked)?)?;
        }
        Err(Failure::Diagnosed(text))
    }
}

/// Checks the states from which unfinished runs would continue. Only the code that writes them can
/// read them.
fn check_states(store: &Store, report: &mut CheckReport) -> Result<(), Failure> {
    for run in store.runs()? {
        if let Some(Err(error)) = run.state.as_deref().map(library_of) {
            report.note(format!("the state of run {} is damaged: {error}", run.id.0));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use leyden_lang::parse;

    use super::*;

    #[test]
    fn names_in_a_file_are_unique() {
        let source = |k: u32| format!("def solve(I):\n    return {k}\n");
        let program = |k| parse(&source(k), "a.py", None).unwrap().remove(0);
        let programs = with_own_names((0..3).map(program).collect());
        let text = print_text_file(&programs);
        let read = parse(&text, "b", None).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!(read[0].name, "solve");
        assert!(read[2].name.starts_with("solve_"), "{}", read[2].name);
    }
}
