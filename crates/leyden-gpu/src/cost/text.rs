//! Constants as text: lines of `name = number`.

use thiserror::Error;

use super::Costs;

/// A problem with constants as text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CostError {
    /// Neither `name = number` nor a comment.
    #[error("line {0}: expected `name = number`, or `#` and a comment")]
    Line(usize),
    /// No constant has this name.
    #[error("line {line}: there is no constant `{name}`; there are {}", names())]
    Name {
        /// The line, counted from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// Not a number that a constant can have.
    #[error(
        "line {0}: expected a number from 0 to 10^12, above 0 for a speed or a number of groups"
    )]
    Number(usize),
}

/// THE list of constants, with their names in text.
type Constant = (&'static str, fn(&mut Costs) -> &mut f64);
const CONSTANTS: [Constant; 10] = [
    ("start_us", |costs| &mut costs.start_us),
    ("launch_us", |costs| &mut costs.launch_us),
    ("copy_us", |costs| &mut costs.copy_us),
    ("bus_gb_per_s", |costs| &mut costs.bus_gb_per_s),
    ("instruction_us", |costs| &mut costs.instruction_us),
    ("cell_ns", |costs| &mut costs.cell_ns),
    ("n_groups", |costs| &mut costs.n_groups),
    ("cpu_run_us", |costs| &mut costs.cpu_run_us),
    ("cpu_instruction_ns", |costs| &mut costs.cpu_instruction_ns),
    ("cpu_cell_ns", |costs| &mut costs.cpu_cell_ns),
];

/// The constants that divide, and therefore cannot be 0.
const DIVISORS: [&str; 2] = ["bus_gb_per_s", "n_groups"];

fn names() -> String {
    CONSTANTS.map(|(name, _)| name).join(", ")
}

impl Costs {
    /// All constants with their names, in THE order.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let mut costs = *self;
        CONSTANTS
            .into_iter()
            .map(move |(name, place)| (name, *place(&mut costs)))
    }

    /// Replaces the constants that a text names.
    ///
    /// ```
    /// use leyden_gpu::cost::KNOWN;
    ///
    /// let costs = KNOWN[0].costs.overridden("# of my machine\nlaunch_us = 7.5\n").unwrap();
    /// assert_eq!(costs.launch_us, 7.5);
    /// assert_eq!(costs.copy_us, KNOWN[0].costs.copy_us);
    /// assert!(KNOWN[0].costs.overridden("lunch_us = 7.5").is_err());
    /// ```
    pub fn overridden(&self, text: &str) -> Result<Costs, CostError> {
        let mut costs = *self;
        for (k, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                costs.set(line, k + 1)?;
            }
        }
        Ok(costs)
    }

    fn set(&mut self, text: &str, line: usize) -> Result<(), CostError> {
        let (name, number) = text.split_once('=').ok_or(CostError::Line(line))?;
        let name = name.trim();
        let constant = CONSTANTS.iter().find(|(known, _)| *known == name);
        let (_, place) = constant.ok_or_else(|| CostError::Name {
            line,
            name: name.to_owned(),
        })?;
        let number: f64 = number.trim().parse().map_err(|_| CostError::Number(line))?;
        let is_sound = (0.0..=1e12).contains(&number);
        if !is_sound || (number == 0.0 && DIVISORS.contains(&name)) {
            return Err(CostError::Number(line));
        }
        *place(self) = number;
        Ok(())
    }

    /// Writes text that [`Costs::overridden`] reads.
    pub fn to_text(&self) -> String {
        let line = |(name, number): (&str, f64)| format!("{name} = {number}\n");
        self.named().map(line).collect()
    }
}
