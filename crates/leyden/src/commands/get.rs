//! `leyden get`: brings the public data and programs into the cache.

use indicatif::ProgressBar;
use leyden_dsl::meter::CancelToken;
use leyden_store::Cache;
use leyden_store::fetch::{self, Material, Progress};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::progress::spinner;
use crate::report::numbers::bytes;
use crate::report::write_both;

pub(crate) fn run(json: Option<&Target>, cancel: &CancelToken) -> Result<(), Failure> {
    let cache = Cache::from_env()?;
    let material = ensure(&cache, cancel)?;
    let report = json!({
        "cache": cache.root(),
        "data": material.data_dir,
        "programs": material.programs,
        "fetched": material.fetched,
    });
    write_both(&summary(&cache, &material), json, &report)
}

fn summary(cache: &Cache, material: &Material) -> String {
    let what = if material.fetched.is_empty() {
        "all data and programs are there already"
    } else {
        "ready"
    };
    format!("{what}: {}\ntry `leyden run`\n", cache.root().display())
}

/// Fetches the missing files, with progress on standard error.
pub(crate) fn ensure(cache: &Cache, cancel: &CancelToken) -> Result<Material, Failure> {
    let spinner = spinner();
    let is_stopped = || cancel.is_cancelled();
    let result = fetch::ensure(cache, &is_stopped, &mut |progress| show(&spinner, progress));
    spinner.finish_and_clear();
    if cancel.is_cancelled() {
        return Err(Failure::Stopped(
            "files that were complete are kept".to_owned(),
        ));
    }
    Ok(result?)
}

fn show(spinner: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Downloading { package } => {
            let message = format!("fetching {package} with pip …");
            if spinner.is_hidden() {
                remark(&format!("{message}\n"))
            } else {
                spinner.set_message(message)
            }
        }
        Progress::Damaged { path } => {
            let message = format!(
                "{}: the file is damaged, so it is fetched again\n",
                path.display()
            );
            spinner.suspend(|| remark(&message));
        }
        Progress::Verified { package, n_bytes } => {
            let message = format!("{package}: {}, SHA-256 is right\n", bytes(n_bytes));
            spinner.suspend(|| remark(&message));
        }
        _ => {}
    }
}
