//! Arguments by keyword, and the errors of a call.

use leyden_dsl::table::{Dialect, Prim};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::{Obj, Res};

/// Puts arguments into the order of the parameters. Arguments by keyword come last.
pub(super) fn bind<'py, const N: usize>(
    (prim, dialect): (Prim, Dialect),
    mut given: Vec<Obj<'py>>,
    keywords: Option<&Obj<'py>>,
) -> PyResult<[Obj<'py>; N]> {
    let names: Vec<&str> = prim
        .entry()
        .params
        .iter()
        .map(|param| param.name_in(dialect))
        .collect();
    let n_keywords = keywords.map_or(Ok(0), |keywords| keywords.len())?;
    let named = given.split_off(given.len() - n_keywords);
    let positional = given.len();
    if positional > N {
        return Err(complaint(
            prim,
            format!("takes {N} arguments but {positional} were given"),
        ));
    }
    let mut slots: [Option<Obj<'py>>; N] = [const { None }; N];
    for (slot, argument) in slots.iter_mut().zip(given) {
        *slot = Some(argument);
    }
    for (k, argument) in named.into_iter().enumerate() {
        let name = keyword(keywords, k)?;
        let place = names.iter().position(|known| *known == name);
        match place.map(|place| slots[place].replace(argument)) {
            None => {
                return Err(complaint(
                    prim,
                    format!("got an unexpected keyword argument '{name}'"),
                ));
            }
            Some(Some(_)) => {
                return Err(complaint(
                    prim,
                    format!("got multiple values for argument '{name}'"),
                ));
            }
            Some(None) => {}
        }
    }
    let all: Vec<Obj<'py>> = slots.into_iter().flatten().collect();
    let missing = |all: Vec<_>| {
        complaint(
            prim,
            format!(
                "takes {N} arguments ({}), {} given",
                names.join(", "),
                all.len()
            ),
        )
    };
    all.try_into().map_err(missing)
}

fn keyword(keywords: Option<&Obj<'_>>, k: usize) -> PyResult<String> {
    match keywords {
        Some(keywords) => keywords.get_item(k)?.extract(),
        None => Ok(String::new()),
    }
}

/// The error of a call with a wrong number of arguments, like that of any Python function.
pub(super) fn wrong_count<'py>(prim: Prim, n: usize) -> Res<'py> {
    Err(complaint(
        prim,
        format!("takes {} arguments but {n} were given", prim.arity()),
    ))
}

fn complaint(prim: Prim, what: String) -> PyErr {
    PyTypeError::new_err(format!("{prim}() {what}"))
}
