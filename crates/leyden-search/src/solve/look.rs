//! Looks at a puzzle through several views at once.
//!
//! All views share the effort. The search makes moves in the order of cost over all views, and a
//! view has its own price, so that a rare view waits until plain programs are as dear as it is.

use std::cell::Cell;
use std::cmp::Reverse;
use std::rc::Rc;

use leyden_exec::{Counts, Sample, Worker};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::Program;
use leyden_profile::model::Phase;

use super::chain::{simplified, woven};
use super::compose::{Cover, FORETOLD, LAYER_COST, Layer, compose};
use super::effort::{Account, Effort, Span};
use super::finding::{Candidate, Source};
use super::growth::grow;
use super::induce::{Found, induce, induce_on};
use super::lists::Lists;
use super::moves::{Kit, Moves};
use super::nearest::{Near, nearest};
use super::objects::rules_of_objects;
use super::price::{BIT, PricePart, Tenths};
use super::repair::repair;
use super::states::{self, Picture, StateId, States};
use super::views::View;
use super::{FUEL, LONG_FUEL, TOLD_FUEL};

/// The share of the effort for lists of pictures in the plain view.
const LISTS: f64 = 0.25;
/// The share of the effort for drawing step by step in the plain view.
const GROW: f64 = 0.08;
/// The share of the effort for completing regular pictures in the plain view.
const REPAIR: f64 = 0.08;
/// The share of the effort for learning rules in the plain view.
const LEARN: f64 = 0.2;
/// A view begins when states cost this many tenths of its price: the plain view comes first.
const DELAY: Tenths = 25;
const TENTHS: Tenths = 10;
/// A view with at most this price is worth more effort than the others.
const COMMON_VIEW: Tenths = 60;
/// The share at which enumerating ends, so that effort is left for making answers.
const ENUMERATE_UNTIL: f64 = 0.7;
/// The share at which it ends if all demonstrations are reproduced and other tasks need the time.
const LEAVE_AT: f64 = 0.3;
/// The share at which laying pictures over each other ends. The search learns rules on later pictures
/// with the rest.
const COMPOSE_UNTIL: f64 = 0.8;
/// The number of best covers of a view for which programs are written.
const MAX_WRITTEN: usize = 24;
/// The number of covers that are tried even if the time is over: an answer is worth more than a
/// millisecond.
const ALWAYS_WRITTEN: usize = 2;
/// The number of covers that are tried for each: a program may not give what its cover promises.
const MAX_TRIED_FOR_ONE: usize = 3;
/// The number of pictures that rules start from if nothing else suits all demonstrations.
const MAX_STARTS: usize = 20;
/// States whose prices differ by at most this much are expanded at once.
const AT_ONCE: Tenths = 9;
/// The number of answers that reproduce nothing, for a puzzle that has no better ones.
const MAX_NEAREST: usize = 2;

/// The means of a search.
pub(super) struct Scene<'s> {
    pub(super) moves: &'s Moves,
    pub(super) effort: &'s Effort<'s>,
    pub(super) account: &'s Account<'s>,
    /// The share of the effort at which the search ends.
    pub(super) until: f64,
}

impl Scene<'_> {
    fn span(&self, from: f64, to: f64) -> Span<'_> {
        Span::new(self.account, from * self.until, to * self.until)
    }

    /// The next share of the effort.
    fn span_from_now(&self, share: f64) -> Span<'_> {
        let now = self.account.used();
        Span::new(self.account, now, now + share * self.until)
    }

    /// The part of a span that belongs to one of several views.
    fn turn(&self, (from, to): (f64, f64), k: usize, n: usize) -> Span<'_> {
        let share = |k: usize| from + (to - from) * k as f64 / n as f64;
        self.span(share(k), share(k + 1))
    }
}

/// The views in which the search has begun.
pub(super) struct Looks<'v>(Vec<Look<'v>>);

/// A view with the pictures and rules found in it.
struct Look<'v> {
    view: &'v View,
    kit: Rc<Kit>,
    states: States,
    rules: Vec<Found>,
    /// The outputs of the demonstrations.
    outputs: Vec<Picture>,
    /// The number of states that were compared with the outputs.
    n_seen: usize,
    is_found: bool,
}

impl<'v> Looks<'v> {
    /// Searches in all views, the cheapest first, while there is effort. A view begins when the
    /// states of the others are as dear as it is.
    pub(super) fn at(views: &'v [View], scene: &Scene<'_>) -> Looks<'v> {
        let mut looks = Looks(Vec::new());
        let mut waiting = views.iter().peekable();
        loop {
            if !looks.0.is_empty() && scene.span(0.0, 1.0).is_past(ENUMERATE_UNTIL) {
                return looks;
            }
            let level = looks.0.iter().filter_map(Look::next_cost).min();
            let is_due =
                |view: &&View| level.is_none_or(|level| view.cost * DELAY <= level * TENTHS);
            if let Some(view) = waiting.next_if(is_due) {
                let mut look = Look::new(view, scene.moves);
                look.begin(scene, &views[0].puzzle);
                looks.0.push(look);
            } else if level.is_none_or(|level| !looks.advance(level + AT_ONCE, scene)) {
                return looks;
            }
        }
    }

    pub(super) fn n_states(&self) -> usize {
        self.0.iter().map(|look| look.states.all.len()).sum()
    }

    fn n_bytes(&self) -> usize {
        self.0.iter().map(|look| look.states.n_bytes()).sum()
    }

    /// Makes moves from the states up to a cost in all views. Returns false if the effort is spent.
    fn advance(&mut self, level: Tenths, scene: &Scene<'_>) -> bool {
        let (effort, span) = (scene.effort, scene.span(0.0, 1.0));
        (0..self.0.len()).all(|k| {
            let is_found = self.0.iter().any(|look| look.is_found);
            let n_others = self.n_states() - self.0[k].states.all.len();
            let bytes_of_others = self.n_bytes() - self.0[k].states.n_bytes();
            let is_enough = |look: &Look<'_>| {
                let is_early = effort.leaves_early && (is_found || look.is_found);
                n_others + look.states.all.len() >= effort.max_states
                    || bytes_of_others + look.states.n_bytes() >= effort.max_bytes
                    || span.is_past(if is_early { LEAVE_AT } else { ENUMERATE_UNTIL })
            };
            self.0[k].advance(level, &is_enough, &span)
        })
    }

    /// The best candidates of all views, and the number of pieces.
    pub(super) fn candidates(&self, scene: &Scene<'_>) -> (Vec<Candidate>, usize) {
        let (mut candidates, mut n_pieces) = (Vec::new(), 0);
        let n = self.0.len();
        for (k, look) in self.0.iter().enumerate() {
            let span = scene.turn((ENUMERATE_UNTIL, COMPOSE_UNTIL), k, n);
            let (found, n) = look.candidates(scene.effort, &span);
            candidates.extend(found);
            n_pieces += n;
        }
        let fits = |look: &Look<'_>| candidates.iter().any(|it| it.fits(&look.view.puzzle));
        let is_enough = scene.effort.leaves_early && self.0.iter().any(fits);
        let parts = &scene.effort.parts;
        if parts.induce && parts.later && !is_enough {
            for (k, look) in self.0.iter().enumerate() {
                let later = look.learn_later(&scene.turn((COMPOSE_UNTIL, 1.0), k, n));
                candidates.extend(later.iter().map(|rule| look.of_rule(rule)));
            }
        }
        for look in &self.0 {
            if candidates.len() < MAX_NEAREST {
                candidates.extend(look.near(&scene.span(0.0, 1.0)));
            }
        }
        scene.account.enter(Phase::Enumerate);
        (candidates, n_pieces)
    }
}

impl<'v> Look<'v> {
    fn new(view: &'v View, moves: &Moves) -> Look<'v> {
        let mut states = States::new(&view.puzzle);
        let outputs = view.puzzle.demos.iter().map(|pair| pair.output.clone());
        let outputs = outputs.map(|grid| states.pool.put(grid)).collect();
        Look {
            view,
            kit: Rc::new(moves.kit(&view.puzzle)),
            states,
            rules: Vec::new(),
            outputs,
            n_seen: 0,
            is_found: false,
        }
    }

    /// Makes the moves from the inputs, and learns rules.
    fn begin(&mut self, scene: &Scene<'_>, plain: &Puzzle) {
        let parts = &scene.effort.parts;
        let whole = scene.span(0.0, ENUMERATE_UNTIL);
        whole.enter(Phase::Enumerate);
        if parts.moves {
            // For irregular pictures this ends at once; for regular ones it explains much.
            if parts.repair && !whole.is_over() {
                let span = scene.span_from_now(REPAIR * self.weight());
                repair(&mut self.states, &self.view.puzzle, &span);
            }
            self.leap(&whole);
            self.expand_inputs(&whole);
        }
        if parts.lists && !whole.is_over() {
            let span = scene.span_from_now(LISTS * self.weight());
            let lists = Lists::found(&self.view.puzzle, &span);
            lists.hand_over(&mut self.states, &self.view.puzzle, scene.effort, &whole);
        }
        let has_own_blanks = self.view.cost == 0 || !has_equal_blanks(&self.view.puzzle, plain);
        if parts.moves && parts.draw && has_own_blanks && !whole.is_over() {
            let span = scene.span_from_now(GROW * self.weight());
            grow(&mut self.states, &self.view.puzzle, scene.effort, &span);
        }
        if !parts.moves {
            self.states.close();
        }
        let span = scene.span_from_now(LEARN * self.weight());
        let puzzle = &self.view.puzzle;
        whole.enter(Phase::Induce);
        // Roles of colours change little for objects, so the plain view is enough.
        if parts.objects && self.view.cost == 0 && !whole.is_over() {
            self.rules.extend(rules_of_objects(puzzle, &span));
        }
        if parts.induce && !whole.is_over() {
            self.rules
                .extend(induce(puzzle, &self.kit, &self.states, &span));
        }
        whole.enter(Phase::Enumerate);
    }

    /// The plain view gets more of the effort.
    fn weight(&self) -> f64 {
        match self.view.cost {
            0 => 1.0,
            1..=COMMON_VIEW => 0.5,
            _ => 0.25,
        }
    }

    /// Makes the long moves first: they are few, and occur only where a task hints at them.
    fn leap(&mut self, span: &Span<'_>) {
        let Look { kit, states, .. } = self;
        if kit.long.battery().outs.is_empty() || span.is_over() {
            return;
        }
        kit.long.with_worker(&states::engine(LONG_FUEL), |worker| {
            let before = Cell::new(worker.counts());
            let is_spent = |counts: Counts| span.is_spent(counts.since(before.get()).fuel);
            states.leap(worker, kit, &is_spent, |counts| {
                span.count(counts.since(before.replace(counts)));
                span.is_over()
            });
        });
    }

    fn expand_inputs(&mut self, span: &Span<'_>) {
        if span.is_over() {
            return;
        }
        let kit = Rc::clone(&self.kit);
        kit.first.with_worker(&states::engine(FUEL), |worker| {
            self.expand(worker, span);
        });
    }

    /// The cost of the next state to expand, with the price of the view.
    fn next_cost(&self) -> Option<Tenths> {
        Some(self.states.next_cost()? + self.view.cost)
    }

    /// Expands all states up to a cost. Returns false if that is enough before.
    fn advance(
        &mut self,
        level: Tenths,
        is_enough: &dyn Fn(&Look<'_>) -> bool,
        span: &Span<'_>,
    ) -> bool {
        let is_due = |look: &Look<'_>| look.next_cost().is_some_and(|cost| cost <= level);
        if !is_due(self) {
            return true;
        }
        let kit = Rc::clone(&self.kit);
        kit.later.with_worker(&states::engine(FUEL), |worker| {
            while is_due(self) {
                if is_enough(self) || !self.expand(worker, span) {
                    return false;
                }
            }
            true
        })
    }

    /// Makes all moves of a worker from the cheapest open state. Returns false if the effort does
    /// not suffice.
    fn expand(&mut self, worker: &mut Worker<'_>, span: &Span<'_>) -> bool {
        let before = worker.counts();
        let is_spent = |counts: Counts| span.is_spent(counts.since(before).fuel);
        let is_expanded = self.states.expand(worker, &self.kit, &is_spent);
        span.count(worker.counts().since(before));
        // Looking up known pictures takes time, too.
        span.spend(self.kit.moves.len() as u64);
        let mut new = self.states.all[self.n_seen..].iter();
        self.is_found |= new.any(|it| it.pictures.starts_with(&self.outputs));
        self.n_seen = self.states.all.len();
        is_expanded
    }

    /// The best candidates, and the number of pieces.
    fn candidates(&self, effort: &Effort<'_>, span: &Span<'_>) -> (Vec<Candidate>, usize) {
        let puzzle = &self.view.puzzle;
        span.enter(Phase::Compose);
        let (mut covers, n_pieces) = compose(&self.states, puzzle, effort.parts.compose, span);
        span.enter(Phase::Rank);
        covers.sort_by_key(|cover| (Reverse(cover.n_demos), cover.cost));
        let mut candidates: Vec<Candidate> = self.rules.iter().map(|it| self.of_rule(it)).collect();
        let most = MAX_WRITTEN.max(effort.n_candidates);
        candidates.extend(self.written(&covers, most, span));
        (candidates, n_pieces)
    }

    /// Answers that reproduce nothing.
    fn near(&self, span: &Span<'_>) -> Vec<Candidate> {
        let puzzle = &self.view.puzzle;
        let near = nearest(&self.states, puzzle, MAX_NEAREST, |_| true, span);
        let near: Vec<Cover> = near.iter().map(|near| self.of_near(near)).collect();
        self.written(&near, MAX_NEAREST, span)
    }

    /// Learns rules on the pictures that come closest to the outputs.
    fn learn_later(&self, span: &Span<'_>) -> Vec<Found> {
        let puzzle = &self.view.puzzle;
        span.enter(Phase::Induce);
        let is_wanted = |id| id != 0 && self.states.fits(id, puzzle);
        let near = nearest(&self.states, puzzle, MAX_STARTS, is_wanted, span);
        let near: Vec<StateId> = near.iter().map(|near| near.state).collect();
        induce_on(&near, puzzle, &self.kit, &self.states, span)
    }

    /// The first covers with distinct answers, with their programs.
    fn written(&self, covers: &[Cover], most: usize, span: &Span<'_>) -> Vec<Candidate> {
        let mut written: Vec<Candidate> = Vec::new();
        let mut done: Vec<&[Grid]> = Vec::new();
        let mut n_tried = 0;
        for cover in covers {
            let is_tired = n_tried == MAX_TRIED_FOR_ONE * most;
            let is_late = n_tried >= ALWAYS_WRITTEN && span.is_late_now();
            if written.len() == most || is_tired || is_late {
                break;
            }
            if done.contains(&cover.answers.as_slice()) {
                continue;
            }
            n_tried += 1;
            if let Some(candidate) = self.of_cover(cover, covers, span) {
                done.push(&cover.answers);
                written.push(candidate);
            }
        }
        written
    }

    fn of_cover(&self, cover: &Cover, all: &[Cover], span: &Span<'_>) -> Option<Candidate> {
        let (puzzle, states) = (&self.view.puzzle, &self.states);
        let program = woven(&self.kit, states, &cover.layers, puzzle);
        let is_told = cover.layers.iter().any(|it| states.is_told(it.state));
        if is_told && !gives(&program, cover, puzzle, span) {
            return None;
        }
        let is_agreeing = |it: &&Cover| it.answers == cover.answers;
        Some(Candidate {
            answers: self.back(&cover.answers),
            program: simplified(&self.view.program(program)),
            n_demos: cover.n_demos,
            parts: self.parts(cover),
            n_layers: cover.layers.len(),
            n_agreeing: all.iter().filter(is_agreeing).count() - 1,
            source: Source::Search,
        })
    }

    /// The price of a cover, part by part.
    fn parts(&self, cover: &Cover) -> Vec<PricePart> {
        let mut parts = Vec::new();
        for layer in &cover.layers {
            let (told, path) = self.states.path(layer.state);
            let moves = path.iter().map(|step| &self.kit.moves[*step as usize]);
            let of_moves: Tenths = moves.clone().map(|it| it.cost).sum();
            if told.is_some() {
                let cost = self.states.all[layer.state as usize]
                    .cost
                    .saturating_sub(of_moves);
                parts.push(PricePart::new("a picture of another part", cost));
            }
            parts.extend(moves.map(|it| PricePart::new(it.name.clone(), it.cost)));
        }
        let n_layers = cover.layers.len() as Tenths;
        if n_layers > 1 {
            parts.push(PricePart::new(
                format!("{n_layers} layers"),
                n_layers * LAYER_COST,
            ));
        }
        if cover.is_foretold {
            parts.push(PricePart::new(
                "foretells a demonstration",
                -i64::from(FORETOLD),
            ));
        }
        parts.extend(self.of_view());
        parts
    }

    fn of_view(&self) -> Option<PricePart> {
        let cost = self.view.cost;
        (cost > 0).then(|| PricePart::new("a view", cost))
    }

    /// The pictures of a state that comes close. Its cost counts the wrong cells.
    fn of_near(&self, near: &Near) -> Cover {
        let demos = &self.view.puzzle.demos;
        let pictures = || self.states.pictures(near.state);
        let is_right = |(ours, pair): &(&Grid, &Pair)| **ours == pair.output;
        Cover {
            layers: vec![Layer::of(near.state)],
            n_demos: pictures().zip(demos).filter(is_right).count(),
            cost: (near.bits * f64::from(BIT)) as Tenths,
            is_foretold: false,
            answers: pictures().skip(demos.len()).cloned().collect(),
        }
    }

    fn of_rule(&self, rule: &Found) -> Candidate {
        Candidate {
            answers: self.back(&rule.answers),
            program: simplified(&self.view.program(rule.program.clone())),
            n_demos: rule.n_demos,
            parts: rule.parts.iter().cloned().chain(self.of_view()).collect(),
            n_layers: 1,
            n_agreeing: 0,
            source: Source::Rule,
        }
    }

    /// Translates answers into the colours of the puzzle.
    fn back(&self, answers: &[Grid]) -> Vec<Option<Grid>> {
        let answers = answers.iter().enumerate();
        let back = |(k, grid)| Some(self.view.back(k, grid));
        answers.map(back).collect()
    }
}

/// Whether the inputs of two views are blank at equal places.
fn has_equal_blanks(puzzle: &Puzzle, plain: &Puzzle) -> bool {
    let is_blank = |pair: &Pair| {
        pair.input
            .cells()
            .iter()
            .map(|c| *c == 0)
            .collect::<Vec<_>>()
    };
    let blanks = |puzzle: &Puzzle| puzzle.demos.iter().map(is_blank).collect::<Vec<_>>();
    blanks(puzzle) == blanks(plain)
}

/// Whether a program gives the answers of a cover, and as many demonstrations. Programs that another
/// part of the search tells have not run on the engine before.
fn gives(program: &Program, cover: &Cover, puzzle: &Puzzle, span: &Span<'_>) -> bool {
    let engine = states::engine(TOLD_FUEL);
    let run = |input: &Grid| {
        let ran = engine.run_metered(program, &Sample::of(input));
        span.spend(ran.fuel);
        ran.outcome
    };
    let mut tests = puzzle.test_inputs.iter().zip(&cover.answers);
    let is_right = |pair: &&Pair| run(&pair.input).equals(&pair.output);
    tests.all(|(input, answer)| run(input).equals(answer))
        && puzzle.demos.iter().filter(is_right).count() == cover.n_demos
}
