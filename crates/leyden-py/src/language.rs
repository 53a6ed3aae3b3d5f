//! The language of programs: `dialect=` and `names=`.

use std::path::PathBuf;
use std::sync::Arc;

use leyden_dsl::table::Dialect;
use leyden_lang::{Language, UserNames};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::faults::refused;
use crate::program::not_parsed;

/// A dialect by its name, and names of the user's own as a path or a text.
pub(crate) fn language(
    dialect: Option<&str>,
    names: Option<&Bound<'_, PyAny>>,
) -> PyResult<Language> {
    let language = Language {
        dialect: dialect.map(dialect_named).transpose()?,
        names: names.map(names_of).transpose()?.map(Arc::new),
    };
    let named = language.names.as_ref().and_then(|names| names.dialect());
    match (language.dialect, named) {
        (Some(given), Some(named)) if given != named => Err(PyValueError::new_err(format!(
            "dialect={:?}, but names= has the line `dialect = {named}`",
            given.name()
        ))),
        _ => Ok(language),
    }
}

fn dialect_named(name: &str) -> PyResult<Dialect> {
    let found = Dialect::NAMED.into_iter().find(|it| it.name() == name);
    let all = Dialect::NAMED.map(Dialect::name).join(", ");
    found.ok_or_else(|| {
        PyValueError::new_err(format!("unknown dialect {name:?}; choose one of {all}"))
    })
}

/// A string with `=` or several lines is the text of a file.
fn names_of(names: &Bound<'_, PyAny>) -> PyResult<UserNames> {
    if let Ok(text) = names.extract::<String>()
        && text.contains(['=', '\n'])
    {
        let parsed = UserNames::parse(&text);
        return parsed.map_err(|findings| not_parsed(&findings, &text, ("<names>", 1)));
    }
    leyden::host::names(&names.extract::<PathBuf>()?).map_err(refused)
}
