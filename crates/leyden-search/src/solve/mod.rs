//! Solves tasks that nobody has programs for.
//!
//! From the inputs of all demonstrations and tests at once, [`Moves`] lead to other pictures, cheapest
//! first; what looks the same everywhere is kept once. Pictures of the size of the outputs are
//! pieces, and pieces that contradict nothing are laid over each other until all is covered.
//! Every answer comes with the program that gives it.

mod chain;
mod compose;
mod effort;
mod facts;
mod finding;
mod moves;
mod states;
mod transfer;

use leyden_exec::with_large_stack;
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Battery, Input, Operand, Program, Rules};

pub use effort::{Effort, Phase, Times};
pub use finding::{Candidate, Source};
pub use moves::{Move, Moves, MovesError};
pub use transfer::Known;

use chain::Weaver;
use compose::{Layer, Shows, compose};
use effort::Account;
use finding::{Finding, Maker, distinct, rank};
use moves::Kit;
use states::{Picture, StateId, States};
use transfer::transfer;

/// Enumerating ends here, so that something is left for making answers of it.
const ENUMERATE_UNTIL: f64 = 0.85;
/// Or here, if all demonstrations are reproduced and somebody else needs the time.
const LEAVE_AT: f64 = 0.3;

/// An answer to one test input.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The answer.
    pub grid: Grid,
    /// The program that gives it.
    pub program: Program,
    /// How many demonstrations that program reproduces.
    pub n_demos: usize,
    /// What it costs; less is better.
    pub cost: u32,
    /// Where it comes from.
    pub source: Source,
}

/// What was found for a puzzle.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// For each test input the best answers, best first.
    pub attempts: Vec<Vec<Attempt>>,
    /// The best candidates with different answers, best first, as many as were asked for.
    pub candidates: Vec<Candidate>,
    /// How many states were reached.
    pub n_states: usize,
    /// How many of them could be pieces of the outputs.
    pub n_pieces: usize,
    /// How often a program was run on a grid.
    pub n_runs: u64,
    /// The fuel that was spent.
    pub fuel: u64,
    /// How long each phase took.
    pub times: Times,
}

/// Searches for answers to a puzzle; known programs come first.
pub fn solve(moves: &Moves, known: &Known, puzzle: &Puzzle, effort: &Effort<'_>) -> Solution {
    let account = Account::new(effort);
    let (mut solution, account) = with_large_stack(move || {
        let solution = search(moves, known, puzzle, effort, &account);
        (solution, account)
    });
    solution.times = account.times();
    solution
}

fn search(
    moves: &Moves,
    known: &Known,
    puzzle: &Puzzle,
    effort: &Effort<'_>,
    account: &Account<'_>,
) -> Solution {
    let mut findings = Vec::new();
    if !known.is_empty() {
        account.enter(Phase::Transfer);
        findings = transfer(known, puzzle, account);
        account.enter(Phase::Enumerate);
    }
    let kit = moves.kit(puzzle);
    let states = enumerate(&kit, puzzle, effort, account);
    account.enter(Phase::Compose);
    let (covers, n_pieces) = compose(&states, puzzle, account);
    account.enter(Phase::Rank);
    findings.extend(covers.into_iter().map(|cover| Finding {
        answers: cover.answers.into_iter().map(Some).collect(),
        n_demos: cover.n_demos,
        cost: cover.cost,
        maker: Maker::Layers(cover.layers),
    }));
    rank(&mut findings, puzzle.demos.len());
    let scribe = Scribe {
        kit: &kit,
        known,
        states: &states,
        puzzle,
    };
    let solution = Solution {
        attempts: attempts(&findings, puzzle, effort.n_attempts, &scribe),
        candidates: candidates(&findings, effort.n_candidates, &scribe),
        n_states: states.all.len(),
        n_pieces,
        n_runs: account.n_runs(),
        fuel: account.fuel(),
        times: Times::default(),
    };
    account.enter(Phase::Enumerate);
    solution
}

/// Makes moves until the effort says that it is enough.
fn enumerate(kit: &Kit, puzzle: &Puzzle, effort: &Effort<'_>, account: &Account<'_>) -> States {
    let mut states = States::new(puzzle);
    let outputs = puzzle.demos.iter().map(|pair| pair.output.clone());
    let outputs: Vec<Picture> = outputs.map(|grid| states.pool.put(grid)).collect();
    let (mut n_seen, mut is_found) = (0, false);
    kit.plan.with_worker(&states::engine(), |worker| {
        let is_enough = |is_found: bool| match is_found && effort.leaves_early {
            true => account.is_past(LEAVE_AT),
            false => account.is_past(ENUMERATE_UNTIL),
        };
        let has_room = |states: &States| {
            states.all.len() < effort.max_states && states.n_bytes() < effort.max_bytes
        };
        while has_room(&states) && !is_enough(is_found) {
            let before = worker.counts();
            if !states.expand(worker, kit) {
                break;
            }
            // Looking up what is known already takes time, too.
            account.spend(kit.moves.len() as u64);
            account.count(worker.counts().since(before));
            let new = &states.all[n_seen..];
            is_found |= new.iter().any(|it| it.pictures.starts_with(&outputs));
            n_seen = states.all.len();
        }
    });
    states
}

/// For each test input the first findings with different answers.
fn attempts(
    findings: &[Finding],
    puzzle: &Puzzle,
    most: usize,
    scribe: &Scribe<'_>,
) -> Vec<Vec<Attempt>> {
    let mut attempts: Vec<Vec<Attempt>> = vec![Vec::new(); puzzle.test_inputs.len()];
    for finding in findings {
        for (attempts, answer) in attempts.iter_mut().zip(&finding.answers) {
            let Some(grid) = answer else { continue };
            if attempts.len() < most && attempts.iter().all(|it| it.grid != *grid) {
                attempts.push(Attempt {
                    grid: grid.clone(),
                    program: scribe.program(finding),
                    n_demos: finding.n_demos,
                    cost: finding.cost,
                    source: scribe.source(finding),
                });
            }
        }
    }
    attempts
}

fn candidates(findings: &[Finding], most: usize, scribe: &Scribe<'_>) -> Vec<Candidate> {
    let candidate = |(finding, n_agreeing): (&Finding, usize)| Candidate {
        answers: finding.answers.clone(),
        program: scribe.program(finding),
        n_demos: finding.n_demos,
        cost: finding.cost,
        n_layers: finding.n_layers(),
        n_agreeing,
        source: scribe.source(finding),
    };
    distinct(findings, most)
        .into_iter()
        .map(candidate)
        .collect()
}

/// Writes programs down.
struct Scribe<'s> {
    kit: &'s Kit,
    known: &'s Known,
    states: &'s States,
    puzzle: &'s Puzzle,
}

impl Scribe<'_> {
    fn source(&self, finding: &Finding) -> Source {
        match &finding.maker {
            Maker::Layers(_) => Source::Search,
            Maker::Known(k) => Source::Transfer(self.known.program(*k).name.clone()),
        }
    }

    fn program(&self, finding: &Finding) -> Program {
        match &finding.maker {
            Maker::Layers(layers) => simplified(&self.woven(layers)),
            Maker::Known(k) => self.known.program(*k).clone(),
        }
    }

    /// The program that lays pieces over each other.
    fn woven(&self, layers: &[Layer]) -> Program {
        let mut weaver = Weaver::new();
        let layers: Vec<(Operand, Shows)> = layers
            .iter()
            .map(|layer| (self.piece(&mut weaver, layer.state), layer.shows))
            .collect();
        let output = match layers.split_last() {
            None => Operand::Input(Input::I),
            Some((bottom, above)) => {
                let bottom = weaver.bottom(*bottom);
                let layers = above.iter().rev();
                layers.fold(bottom, |below, above| weaver.over(*above, below))
            }
        };
        weaver.finish(format!("solve_{}", self.puzzle.id), output)
    }

    fn piece(&self, weaver: &mut Weaver, state: StateId) -> Operand {
        let path = self.states.path(state);
        let input = Operand::Input(Input::I);
        path.iter().fold(input, |picture, step| {
            weaver.append(&self.kit.moves[*step as usize].program, picture)
        })
    }
}

/// The same with each computation once.
fn simplified(program: &Program) -> Program {
    let mut program = Battery::from_programs([program], Rules::ALL).program(0);
    for (k, line) in program.lines.iter_mut().enumerate() {
        line.source_line = k as u32 + 1;
    }
    program
}
