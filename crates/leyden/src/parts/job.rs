//! [`Job`]: the facts that all parts have in common.

use serde::{Deserialize, Serialize};

use super::{ENGINE, Key};
use crate::pipeline::read::Member;
use crate::pipeline::scoring::Scale;
use crate::report::batt_json::Switches;

/// The data, programs and settings of a job. The name of the data set may differ from machine to
/// machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Job {
    pub(crate) engine: String,
    pub(crate) switches: Switches,
    pub(crate) data_name: String,
    pub(crate) data_hash: String,
    /// The hash of all programs.
    pub(crate) programs: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) battery: Option<BatteryJob>,
    /// The tasks of all parts.
    pub(crate) tasks: Vec<String>,
}

/// The facts about a battery that its report needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatteryJob {
    pub(crate) nodes: usize,
    pub(crate) members: Vec<Member>,
    pub(crate) scores: Option<Scores>,
}

/// The scoring programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scores {
    pub(crate) hash: String,
    pub(crate) names: Vec<String>,
    /// The scales of scoring programs other than Leyden's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scales: Vec<Scale>,
}

impl Scores {
    /// The scale of each.
    pub(crate) fn scales(&self) -> impl Iterator<Item = Scale> {
        let own = std::iter::repeat(Scale::OWN);
        let scales = self.scales.iter().copied().chain(own);
        scales.take(self.names.len())
    }
}

impl Job {
    /// The common part of all records' keys.
    pub(crate) fn key(&self) -> Key {
        Key {
            programs: self.programs.clone(),
            task: String::new(),
            data: self.data_hash.clone(),
            engine: self.engine.clone(),
        }
    }

    /// The first difference from another job, if there is one.
    pub(crate) fn differs(&self, other: &Job) -> Option<&'static str> {
        let differences = [
            (self.engine != other.engine, "another version of Leyden"),
            (self.data_hash != other.data_hash, "other data"),
            (self.programs != other.programs, "other programs"),
            (
                self.switches != other.switches,
                "other settings of the engine",
            ),
            (self.battery != other.battery, "other programs or scores"),
            (self.tasks != other.tasks, "another choice of tasks"),
        ];
        let mut differences = differences.into_iter();
        differences
            .find(|(differs, _)| *differs)
            .map(|(_, what)| what)
    }

    /// The job that this version of Leyden does.
    pub(crate) fn new(switches: Switches, data: (&str, &str), programs: String) -> Job {
        Job {
            engine: ENGINE.to_owned(),
            switches,
            data_name: data.0.to_owned(),
            data_hash: data.1.to_owned(),
            programs,
            battery: None,
            tasks: Vec::new(),
        }
    }
}
