//! Costs as text: lines of `name = number`.

use thiserror::Error;

use super::Costs;

/// A problem with costs as text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CostError {
    /// Neither `name = number` nor a comment.
    #[error("line {0}: expected `name = number`, or `#` and a comment")]
    Line(usize),
    /// No cost has this name.
    #[error("line {line}: there is no cost `{name}`; there are {}", names())]
    Name {
        /// The line, counted from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// Not a number that a cost can have.
    #[error("line {0}: expected a number from 0 to 10^12")]
    Number(usize),
}

/// THE list of costs, with their names in text.
type Cost = (&'static str, fn(&mut Costs) -> &mut f64);
const COSTS: [Cost; 4] = [
    ("floor_s", |costs| &mut costs.floor_s),
    ("cpu_run_us", |costs| &mut costs.cpu_run_us),
    ("rest_run_us", |costs| &mut costs.rest_run_us),
    ("device_run_us", |costs| &mut costs.device_run_us),
];

fn names() -> String {
    COSTS.map(|(name, _)| name).join(", ")
}

/// Costs that replace measured ones.
#[derive(Clone, Debug, Default)]
pub struct Overrides(Vec<(Cost, f64)>);

impl Overrides {
    /// Reads the costs that a text names.
    ///
    /// ```
    /// use leyden_gpu::cost::{Costs, Overrides};
    ///
    /// let mine = Overrides::read("# of my machine\nfloor_s = 7.5\n").unwrap();
    /// assert_eq!(mine.applied(Costs::BEFORE).floor_s, 7.5);
    /// assert!(Overrides::read("flour_s = 7.5").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Overrides, CostError> {
        let lines = text.lines().enumerate().map(|(k, line)| {
            let line = line.split('#').next().unwrap_or_default().trim();
            (k + 1, line)
        });
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let costs = lines.map(|(number, line)| read_line(line, number));
        costs.collect::<Result<Vec<_>, _>>().map(Overrides)
    }

    /// These costs in place of measured ones.
    pub fn applied(&self, mut costs: Costs) -> Costs {
        for ((_, place), number) in &self.0 {
            *place(&mut costs) = *number;
        }
        costs
    }
}

fn read_line(text: &str, line: usize) -> Result<(Cost, f64), CostError> {
    let (name, number) = text.split_once('=').ok_or(CostError::Line(line))?;
    let name = name.trim();
    let cost = COSTS.into_iter().find(|(known, _)| *known == name);
    let cost = cost.ok_or_else(|| CostError::Name {
        line,
        name: name.to_owned(),
    })?;
    let number: f64 = number.trim().parse().map_err(|_| CostError::Number(line))?;
    if (0.0..=1e12).contains(&number) {
        Ok((cost, number))
    } else {
        Err(CostError::Number(line))
    }
}
