//! Imagines phases and primitives faster.

use std::str::FromStr;

use thiserror::Error;

use crate::model::{Imagined, Phase, Profile, TaskRow};
use crate::numbers::{share, sum};

/// The reason why a `--what-if` makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WhatIfError {
    /// A part without an equals sign.
    #[error("`{0}`: expected PHASE=FACTOR or PRIMITIVE=FACTOR, as in `execute=35x`")]
    NotAPair(String),
    /// A name that cannot be made faster.
    #[error(
        "`{0}` is neither a primitive nor a phase; phases are start-up, load, generate, execute \
         and validate, those of a search transfer, mutate, enumerate, induce, compose and rank"
    )]
    UnknownName(String),
    /// A factor that is not a positive number.
    #[error("`{0}` is no factor; `2x` makes something twice as fast")]
    BadFactor(String),
}

/// Phases and primitives that are imagined faster: `objects=3x,execute=35x`.
///
/// ```
/// use leyden_profile::model::Phase;
/// use leyden_profile::what_if::WhatIf;
///
/// let what_if: WhatIf = "objects=3x, execute=35".parse()?;
/// assert_eq!(what_if.factor(Phase::Execute), 35.0);
/// assert_eq!(what_if.factor(Phase::Load), 1.0);
/// assert_eq!(what_if.factor_of("objects"), 3.0);
/// assert_eq!(what_if.to_string(), "objects=3x,execute=35x");
/// assert!("execute=0x".parse::<WhatIf>().is_err());
/// # Ok::<(), leyden_profile::what_if::WhatIfError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WhatIf(Vec<(String, f64)>);

impl WhatIf {
    /// The factor for a name.
    pub fn factor_of(&self, name: &str) -> f64 {
        let found = self.0.iter().rev().find(|(it, _)| it == name);
        found.map_or(1.0, |(_, factor)| *factor)
    }

    /// The factor for a phase.
    pub fn factor(&self, phase: Phase) -> f64 {
        self.factor_of(phase.name())
    }

    /// Refuses a name that is neither a phase nor a primitive by the given rule.
    pub fn check(&self, is_primitive: impl Fn(&str) -> bool) -> Result<(), WhatIfError> {
        let is_known = |name: &str| Phase::from_name(name).is_some() || is_primitive(name);
        match self.0.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(WhatIfError::UnknownName(name.clone())),
            None => Ok(()),
        }
    }

    /// The part of a task's execute time that is left with faster primitives.
    pub(crate) fn left_of(&self, profile: &Profile, task: &TaskRow) -> f64 {
        let time = |ns: u64, row: u32| {
            let row = profile.primitives.get(row as usize);
            ns as f64 / row.map_or(1.0, |row| self.factor_of(&row.name))
        };
        let parts = task.primitives.iter();
        let left: f64 = parts.clone().map(|it| time(it.self_ns, it.row)).sum();
        let all = sum(parts.map(|it| it.self_ns)) as f64;
        if all > 0.0 { left / all } else { 1.0 }
    }
}

impl FromStr for WhatIf {
    type Err = WhatIfError;

    fn from_str(text: &str) -> Result<Self, WhatIfError> {
        let parts = text.split(',').map(str::trim).filter(|p| !p.is_empty());
        parts.map(parse_change).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_change(part: &str) -> Result<(String, f64), WhatIfError> {
    let pair = part.split_once('=');
    let (name, factor) = pair.ok_or_else(|| WhatIfError::NotAPair(part.to_owned()))?;
    let number = factor.trim().trim_end_matches(['x', '×']).parse().ok();
    let number = number.filter(|f: &f64| f.is_finite() && *f > 0.0);
    let factor = number.ok_or_else(|| WhatIfError::BadFactor(factor.trim().to_owned()))?;
    Ok((name.trim().to_owned(), factor))
}

impl std::fmt::Display for WhatIf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = self.0.iter();
        let parts: Vec<String> = parts.map(|(p, factor)| format!("{p}={factor}x")).collect();
        f.write_str(&parts.join(","))
    }
}

/// Estimates this run with the changes.
pub fn imagine(profile: &Profile, what_if: &WhatIf) -> Imagined {
    let totals = &profile.totals;
    let execute = totals.execute_ns as f64;
    let spared: f64 = profile
        .primitives
        .iter()
        .map(|row| row.self_ns as f64 * (1.0 - 1.0 / what_if.factor_of(&row.name)))
        .sum();
    let left = (1.0 - share(spared, execute)).max(0.0);
    let mut execute_spared = 0.0;
    let mut whole_spared = 0.0;
    for row in &profile.phases {
        let left = if row.phase == Phase::Execute {
            left
        } else {
            1.0
        };
        let spared = row.self_ns as f64 * (1.0 - left / what_if.factor(row.phase));
        whole_spared += spared;
        if row.phase.is_execution() {
            execute_spared += spared;
        }
    }
    let becomes = |ns: u64, spared: f64| (ns as f64 - spared).max(0.0).round() as u64;
    Imagined {
        what_if: what_if.to_string(),
        execute_ns: totals.execute_ns,
        execute_becomes_ns: becomes(totals.execute_ns, execute_spared),
        whole_ns: totals.whole_ns,
        whole_becomes_ns: becomes(totals.whole_ns, whole_spared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;
    use crate::stats::amdahl;

    #[test]
    fn a_faster_primitive_does_what_amdahl_says() {
        let profile = sample_profile();
        let top = &profile.primitive_stats()[0];
        let found = imagine(&profile, &format!("{}=3x", top.row.name).parse().unwrap());
        let gain = found.execute_ns as f64 / found.execute_becomes_ns as f64;
        assert!((gain / amdahl(top.share, 3.0) - 1.0).abs() < 1e-3, "{gain}");
        let spared = |before: u64, after: u64| before - after;
        assert_eq!(
            spared(found.whole_ns, found.whole_becomes_ns),
            spared(found.execute_ns, found.execute_becomes_ns)
        );
        let both = imagine(&profile, &"load=2x,execute=2x".parse().unwrap());
        assert_eq!(both.execute_becomes_ns, both.execute_ns.div_ceil(2));
        assert!(both.whole_becomes_ns < found.whole_ns - found.execute_ns / 2);
        let nothing = imagine(&profile, &WhatIf::default());
        assert_eq!(nothing.whole_ns, nothing.whole_becomes_ns);
    }

    #[test]
    fn bad_changes_are_named() {
        let is_primitive = |name: &str| name == "objects";
        let check = |text: &str| text.parse::<WhatIf>()?.check(is_primitive);
        assert_eq!(check("objects=2x,rank=3x"), Ok(()));
        for (text, said) in [
            (
                "execute",
                "`execute`: expected PHASE=FACTOR or PRIMITIVE=FACTOR",
            ),
            ("run=2x", "`run` is neither a primitive nor a phase"),
            (
                "load=fast",
                "`fast` is no factor; `2x` makes something twice as fast",
            ),
            ("load=-2", "`-2` is no factor"),
        ] {
            let error = check(text).unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
