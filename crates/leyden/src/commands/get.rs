//! `leyden get`: brings the public data and programs into the cache.

use leyden_dsl::meter::CancelToken;
use leyden_store::Cache;
use leyden_store::fetch::{Material, Scope};
use serde_json::json;

use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::fetch::fetch;
use crate::report::write_both;

pub(crate) fn run(json: Option<&Target>, cancel: &CancelToken) -> Result<(), Failure> {
    let cache = Cache::from_env()?;
    let material = fetch(&cache, Scope::Everything, cancel)?;
    let report = json!({
        "cache": cache.root(),
        "data": material.data_dir,
        "programs": material.programs,
        "mini": material.mini,
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
