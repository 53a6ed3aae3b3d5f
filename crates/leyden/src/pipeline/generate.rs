//! Generate: from programs and tasks to a [`Plan`], in which programs are ready to run.

use std::collections::HashMap;
use std::ops::Range;
use std::slice;
use std::time::Duration;

use leyden_exec::parallel_map;
use leyden_grid::Task;
use leyden_lang::{Battery, Rules};

use super::group::{Group, Sharing};
use super::sample::n_samples;
use crate::clock::timed;
use crate::programs::{Known, Library};

/// A task and the programs meant for it.
pub(crate) struct Assigned<'a> {
    pub(crate) task: &'a Task,
    pub(crate) programs: Vec<&'a Known>,
}

/// Finds the programs of each task by the ids in their names.
pub(crate) fn assign<'a>(tasks: &'a [Task], library: &'a Library) -> Vec<Assigned<'a>> {
    let mut by_task: HashMap<&str, Vec<&Known>> = HashMap::new();
    for known in &library.programs {
        if let Some(id) = known.program.task_id() {
            by_task.entry(id).or_default().push(known);
        }
    }
    let assigned = |task: &'a Task| Assigned {
        task,
        programs: by_task.get(task.id.as_str()).cloned().unwrap_or_default(),
    };
    tasks.iter().map(assigned).collect()
}

/// Programs that are ready, and the tasks on which each of them runs.
pub(crate) struct Plan<'a> {
    groups: Groups<'a>,
    pub(crate) tasks: Vec<TaskPlan<'a>>,
}

enum Groups<'a> {
    /// All programs run on all tasks.
    Shared(&'a Group),
    /// Each task has groups of its own.
    Own(Vec<Group>),
}

/// A task of a plan.
pub(crate) struct TaskPlan<'a> {
    pub(crate) task: &'a Task,
    /// The programs meant for it; empty if all programs run on all tasks.
    pub(crate) programs: Vec<&'a Known>,
    /// The indices of its groups, which have its programs in their order.
    pub(crate) groups: Range<usize>,
    pub(crate) n_programs: usize,
    /// The time that making its groups ready took.
    pub(crate) generate: Duration,
}

impl TaskPlan<'_> {
    /// The number of runs of programs on the task's samples.
    pub(crate) fn n_runs(&self) -> usize {
        n_samples(self.task) * self.n_programs
    }
}

impl<'a> Plan<'a> {
    /// A plan in which each program runs on the task it is meant for.
    pub(crate) fn own(assigned: Vec<Assigned<'a>>, sharing: Sharing, n_threads: usize) -> Plan<'a> {
        let ready = parallel_map(n_threads, &assigned, |it| {
            timed(|| groups_of(&it.programs, sharing))
        });
        let (mut groups, mut tasks) = (Vec::new(), Vec::with_capacity(assigned.len()));
        for (Assigned { task, programs }, (own, generate)) in assigned.into_iter().zip(ready) {
            let first = groups.len();
            groups.extend(own);
            tasks.push(TaskPlan {
                task,
                n_programs: programs.len(),
                programs,
                groups: first..groups.len(),
                generate,
            });
        }
        let groups = Groups::Own(groups);
        Plan { groups, tasks }
    }

    /// A plan in which all programs run on all tasks.
    pub(crate) fn shared(tasks: impl IntoIterator<Item = &'a Task>, group: &'a Group) -> Plan<'a> {
        let task = |task: &'a Task| TaskPlan {
            task,
            programs: Vec::new(),
            groups: 0..1,
            n_programs: group.n_programs(),
            generate: Duration::ZERO,
        };
        Plan {
            groups: Groups::Shared(group),
            tasks: tasks.into_iter().map(task).collect(),
        }
    }

    /// The group of all tasks, if they share one.
    pub(crate) fn shared_group(&self) -> Option<&'a Group> {
        match self.groups {
            Groups::Shared(group) => Some(group),
            Groups::Own(_) => None,
        }
    }

    /// All groups, in the order of the tasks.
    pub(crate) fn groups(&self) -> &[Group] {
        match &self.groups {
            Groups::Shared(group) => slice::from_ref(group),
            Groups::Own(groups) => groups,
        }
    }

    /// The number of runs of programs on samples.
    pub(crate) fn n_runs(&self) -> usize {
        self.tasks.iter().map(TaskPlan::n_runs).sum()
    }

    /// All programs as one battery, and the range of each task's programs in it.
    pub(crate) fn as_one_battery(&self, rules: Rules) -> (Battery, Vec<Range<usize>>) {
        if let Some(group) = self.shared_group() {
            let places = vec![0..group.n_programs(); self.tasks.len()];
            return (group.as_battery(), places);
        }
        let mut next = 0;
        let place = |task: &TaskPlan<'_>| {
            let first = next;
            next += task.n_programs;
            first..next
        };
        let places = self.tasks.iter().map(place).collect();
        let known = self.tasks.iter().flat_map(|task| &task.programs);
        let programs = known.map(|known| &known.program);
        (Battery::from_programs(programs, rules), places)
    }
}

/// The programs of a task as one battery, since only they run on it, or each alone.
fn groups_of(programs: &[&Known], sharing: Sharing) -> Vec<Group> {
    let n_together = if sharing.is_on && sharing.batches {
        programs.len()
    } else {
        1
    };
    let groups = programs.chunks(n_together.max(1));
    let group = |some: &[&Known]| Group::new(some.iter().map(|known| &known.program), sharing);
    groups.map(group).collect()
}
