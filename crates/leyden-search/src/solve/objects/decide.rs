//! Decision lists: which objects get which action.

use rustc_hash::FxHashSet;

use super::super::bits::Bits;
use super::actions::{Action, Goal, Paint};
use super::figures::{Figure, OPEN};
use super::said::{Said, Table, bits};
use super::scene::{Cell, World};
use super::tests::Test;

/// The number of tests kept for each action.
const MAX_TESTS: usize = 6;
/// The number of tests that are combined in pairs.
const MAX_PAIRED: usize = 60;
/// The number of rules that are combined in twos.
const MAX_RULES: usize = 500;
/// The number of first rules of longer lists, and the largest number of rules of a list.
const MAX_FIRSTS: usize = 24;
const MAX_LENGTH: usize = 4;
/// The number of lists that are drawn.
const MAX_DRAWN: usize = 300;
/// The bits of each rule, in addition to its test and action.
const RULE_BITS: f32 = 2.0;

/// Everything that rules can say about the objects of a task.
pub(super) struct Words<'w> {
    pub(super) world: &'w World,
    pub(super) goal: &'w Goal,
    pub(super) figures: Vec<Figure<'w>>,
    pub(super) colours: Vec<Table<u8>>,
    pub(super) actions: Vec<Action>,
    pub(super) tests: Vec<Test>,
}

/// Objects that pass one or two tests get an action.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) action: usize,
    pub(super) tests: Vec<usize>,
    passes: Bits,
    explains: Bits,
    pub(super) bits: f32,
}

/// Rules that explain all changed cells.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) rules: Vec<Rule>,
    pub(super) bits: f32,
}

#[cfg(test)]
impl Rule {
    /// A rule for the objects that pass a test, whatever it explains.
    pub(super) fn for_all(action: usize, test: usize, passes: Bits) -> Rule {
        Rule {
            action,
            tests: vec![test],
            passes,
            explains: Bits::none(0),
            bits: 0.0,
        }
    }
}

impl<'w> Words<'w> {
    /// Lists for all demonstrations but one, the cheapest first.
    pub(super) fn lists(
        &self,
        left_out: Option<usize>,
        most: usize,
        is_over: &dyn Fn(u64) -> bool,
    ) -> Vec<List> {
        let (world, goal) = (self.world, self.goal);
        let is_shown = |k: usize| k < world.n_shown() && Some(world.scene_of[k]) != left_out;
        let shown = Bits::of(world.things.len(), is_shown);
        let mut wanted = Bits::of(goal.n_changed, |_| true);
        if let Some(demo) = left_out {
            wanted.remove(&goal.changed[demo]);
        }
        let rules = self.rules(&shown, &wanted, is_over);
        let mut lists = covers(&rules, &wanted, is_over);
        lists.sort_by(|a, b| a.bits.total_cmp(&b.bits));
        let is_right = |list: &List| {
            let mut demos = (0..world.n_demos).filter(|demo| Some(*demo) != left_out);
            demos.all(|demo| self.drawn(list, demo).as_ref() == Some(&goal.outputs[demo]))
        };
        let mut kept = Vec::new();
        for list in lists.into_iter().take(MAX_DRAWN) {
            if kept.len() == most || is_over(200) {
                break;
            }
            if is_right(&list) {
                kept.push(list);
            }
        }
        kept
    }

    /// Rules that are right as far as they go, the cheapest first.
    fn rules(&self, shown: &Bits, wanted: &Bits, is_over: &dyn Fn(u64) -> bool) -> Vec<Rule> {
        let costs: Vec<u32> = self.tests.iter().map(|test| test.cost).collect();
        let test_bits: Vec<f32> = costs.iter().map(|cost| bits(&costs, *cost)).collect();
        let passed = self.tests.iter().map(|test| test.passes.and(shown));
        let passed: Vec<Bits> = passed.collect();
        let mut all = Vec::new();
        for (a, action) in self.actions.iter().enumerate() {
            if is_over(self.tests.len() as u64 / 4) {
                break;
            }
            all.extend(self.rules_for(a, action, (shown, wanted, &passed), &test_bits));
        }
        all.sort_by(|a: &Rule, b: &Rule| a.bits.total_cmp(&b.bits));
        all
    }

    fn rules_for(
        &self,
        a: usize,
        action: &Action,
        (shown, wanted, passed): (&Bits, &Bits, &[Bits]),
        test_bits: &[f32],
    ) -> Vec<Rule> {
        let explained = |passes: &Bits| {
            let mut explained = Bits::none(self.goal.n_changed);
            let own = action.explains.iter().enumerate();
            let own = own.filter(|(k, cells)| !cells.is_empty() && passes.has(*k));
            own.flat_map(|(_, cells)| cells)
                .for_each(|n| explained.set(*n as usize));
            explained.and(wanted)
        };
        let fitting = action.fits.and(shown);
        let most = explained(&fitting);
        if most.is_empty() {
            return Vec::new();
        }
        let rule = |tests: Vec<usize>, passes: Bits, explains: Bits| Rule {
            action: a,
            bits: RULE_BITS + action.bits + tests.iter().map(|t| test_bits[*t]).sum::<f32>(),
            tests,
            passes,
            explains,
        };
        let mut rules: Vec<Rule> = Vec::new();
        for (t, passed) in passed
            .iter()
            .enumerate()
            .filter(|(_, it)| it.is_within(&action.fits))
        {
            let explains = explained(passed);
            let is_new = !explains.is_empty()
                && rules
                    .iter()
                    .filter(|it| explains.is_within(&it.explains))
                    .count()
                    < 2;
            if is_new && rules.len() < MAX_TESTS {
                rules.push(rule(vec![t], self.tests[t].passes.clone(), explains));
            }
        }
        if rules.iter().any(|it| it.explains == most) {
            return rules;
        }
        let sufficient = passed.iter().enumerate().filter(|(_, passed)| {
            passed.meets(&fitting) && most.is_within(&explained(&passed.and(&fitting)))
        });
        let sufficient: Vec<usize> = sufficient.map(|(t, _)| t).take(MAX_PAIRED).collect();
        let mut n_paired = 0;
        for (n, t) in sufficient.iter().enumerate() {
            for u in &sufficient[..n] {
                let both = passed[*t].and(&passed[*u]);
                if n_paired < 3 && both.is_within(&action.fits) && explained(&both) == most {
                    n_paired += 1;
                    let passes = self.tests[*t].passes.and(&self.tests[*u].passes);
                    rules.push(rule(vec![*u, *t], passes, most.clone()));
                }
            }
        }
        rules
    }

    /// The picture that a list draws, for a demonstration or test; `None` if a value is missing or
    /// objects contradict each other.
    pub(super) fn drawn(&self, list: &List, sample: usize) -> Option<Vec<u8>> {
        let scene = &self.world.scenes[sample];
        let mut colours = scene.colours.clone();
        let chosen = |rule: &Rule| {
            let passes = rule.passes.clone();
            scene.things.clone().filter(move |k| passes.has(*k))
        };
        for rule in list
            .rules
            .iter()
            .filter(|rule| self.actions[rule.action].erases)
        {
            for k in chosen(rule) {
                for cell in &self.world.things[k].cells {
                    colours[scene.place(cell.0, cell.1)?] = scene.back;
                }
            }
        }
        for rule in &list.rules {
            let mut painted = vec![OPEN; colours.len()];
            for k in chosen(rule) {
                for (i, j, colour) in self.cells(&self.actions[rule.action], k)? {
                    let Some(at) = scene.place(i, j) else {
                        continue;
                    };
                    if painted[at] != OPEN && painted[at] != colour {
                        return None;
                    }
                    painted[at] = colour;
                }
            }
            let cells = colours.iter_mut().zip(&painted);
            cells
                .filter(|(_, new)| **new != OPEN)
                .for_each(|(cell, new)| *cell = *new);
        }
        Some(colours)
    }

    fn cells(&self, action: &Action, k: usize) -> Option<Vec<Cell>> {
        let Some(figure) = action.figure else {
            return Some(Vec::new());
        };
        let mut cells = (self.figures[figure].draw)(k)?;
        if let Paint::Table(table) = action.paint {
            let colour = self.colours[table].values[k]?;
            cells.iter_mut().for_each(|cell| cell.2 = colour);
        }
        Some(cells)
    }

    /// The list in arc-dsl.
    pub(super) fn text(&self, list: &List) -> String {
        let set = self.world.cut.text;
        let chosen = |rule: &Rule| {
            let tests = rule.tests.iter().map(|t| self.tests[*t].text.as_str());
            let tests: Vec<&str> = tests.filter(|text| !text.is_empty()).collect();
            match tests.as_slice() {
                [] => set.to_owned(),
                [test] => format!("sfilter({set}, {test})"),
                [first, second, ..] => format!("sfilter({set}, fork(both, {first}, {second}))"),
            }
        };
        let erased = list
            .rules
            .iter()
            .filter(|rule| self.actions[rule.action].erases);
        let erased = erased.map(|rule| format!("merge({})", chosen(rule)));
        let erased = erased.reduce(|all, one| format!("combine({all}, {one})"));
        let below = erased.map_or("I".to_owned(), |patch| self.world.cut.erased(&patch));
        list.rules
            .iter()
            .fold(below, |below, rule| match self.function(rule) {
                Some(function) => format!("paint({below}, mapply({function}, {}))", chosen(rule)),
                None => below,
            })
    }

    /// The function that a rule paints objects with.
    fn function(&self, rule: &Rule) -> Option<String> {
        let action = &self.actions[rule.action];
        let figure = &self.figures[action.figure?].said;
        let said = match action.paint {
            Paint::Own => figure.clone(),
            Paint::Table(table) => Said::both("recolor", &self.colours[table].said, figure),
        };
        match said {
            Said::Of(text) => Some(text),
            Said::Fixed(_) => None,
        }
    }
}

/// Lists of rules that explain everything.
fn covers(rules: &[Rule], wanted: &Bits, is_over: &dyn Fn(u64) -> bool) -> Vec<List> {
    let list = |rules: Vec<Rule>| List {
        bits: rules.iter().map(|rule| rule.bits).sum(),
        rules,
    };
    let mut lists: Vec<List> = Vec::new();
    let is_whole = |rule: &&Rule| wanted.is_within(&rule.explains);
    lists.extend(
        rules
            .iter()
            .filter(is_whole)
            .map(|rule| list(vec![rule.clone()])),
    );
    let parts: Vec<&Rule> = rules.iter().filter(|rule| !is_whole(rule)).collect();
    let mut best: Vec<&Rule> = useful(&parts, wanted, MAX_RULES);
    best.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    for (n, first) in best.iter().enumerate() {
        if is_over(best.len() as u64 / 8) {
            return lists;
        }
        let open = wanted.without(&first.explains);
        for second in best[..n]
            .iter()
            .filter(|rule| open.is_within(&rule.explains))
        {
            // Order matters where both paint a cell.
            lists.push(list(vec![(*first).clone(), (*second).clone()]));
            lists.push(list(vec![(*second).clone(), (*first).clone()]));
        }
    }
    if lists.is_empty() {
        let firsts = useful(&parts, wanted, MAX_FIRSTS);
        lists.extend(
            firsts
                .iter()
                .filter_map(|first| greedy(first, &best, wanted))
                .map(list),
        );
    }
    lists
}

/// The rules that explain most for their bits; one of several that explain the same cells.
fn useful<'r>(rules: &[&'r Rule], wanted: &Bits, most: usize) -> Vec<&'r Rule> {
    let mut seen: FxHashSet<(&Bits, usize)> = FxHashSet::default();
    let mut kept: Vec<&Rule> = Vec::new();
    for rule in rules {
        // Rules that explain the same cells differ in the tests, so a few of them are kept.
        if (0..3).any(|n| seen.insert((&rule.explains, n))) {
            kept.push(rule);
        }
    }
    let value = |rule: &Rule| rule.explains.n_common(wanted) as f32 - rule.bits;
    kept.sort_by(|a, b| value(b).total_cmp(&value(a)));
    kept.truncate(most);
    kept
}

/// Adds the rule that explains most for its bits, again and again.
fn greedy(first: &Rule, rules: &[&Rule], wanted: &Bits) -> Option<Vec<Rule>> {
    let mut list = vec![first.clone()];
    let mut open = wanted.without(&first.explains);
    while !open.is_empty() {
        if list.len() == MAX_LENGTH {
            return None;
        }
        let value = |rule: &&&Rule| rule.explains.n_common(&open) as f32 * 4.0 - rule.bits;
        let next = rules.iter().max_by(|a, b| value(a).total_cmp(&value(b)))?;
        if !next.explains.meets(&open) {
            return None;
        }
        open.remove(&next.explains);
        list.push((**next).clone());
    }
    Some(list)
}
