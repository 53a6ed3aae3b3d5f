//! One round: breed, run, keep.

use std::hash::Hasher;
use std::sync::{Arc, PoisonError};

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Answered, Asked, BatteryPlan, Engine, Queue, Ready, Sample, Worker, share_out};
use leyden_lang::{Battery, Input, Merger, Program, Rules};
use rustc_hash::{FxHashSet, FxHasher};

use super::breed::{Breeder, Child, Pool};
use super::judge::{Court, Pairs, Tally, Trial, engine};
use super::member::{Birth, Mark, Member, Strain};
use super::memory::{Tried, spread};
use super::{Evolution, Kept, Round, SURVEY_CHUNK};
use crate::pairs::demos_if;

/// The fuel of a program on the puzzle it was made for.
const OWN_FUEL: u64 = 10_000_000;
/// One in this many of a puzzle's children has a parent from the whole library.
const FROM_POOL: usize = 4;
/// The number of attempts to replace a child that was tried before.
const MOST_REPEATS: usize = 3;

/// Programs that run together.
struct Team {
    all: Vec<(Arc<Strain>, Birth)>,
    plan: BatteryPlan,
    /// The keys to remember as tried.
    keys: Vec<u64>,
    n_repeated: u64,
}

/// The results of a puzzle in a round.
struct Found {
    members: Vec<Arc<Member>>,
    behaviours: Vec<u64>,
    keys: Vec<u64>,
    tally: Tally,
    n_children: u64,
    n_repeated: u64,
}

/// The data that all threads share in a round.
struct Scene<'s, 'p> {
    evolution: &'s Evolution<'p>,
    pool: Option<&'s Pool>,
    broad: &'s Team,
    /// For each puzzle, the device's answers for the broad team on the first pair.
    answered: Vec<Answered>,
    engine: Engine,
    cancel: &'s CancelToken,
}

impl Evolution<'_> {
    /// Makes a round on some threads. Their number changes only the time. Returns `None` and
    /// changes nothing if the round is cancelled.
    pub fn round(&mut self, n_threads: usize, cancel: &CancelToken) -> Option<Round> {
        let is_survey = self.n_surveyed < self.library.len();
        let (found, broad) = if is_survey {
            self.survey(n_threads, cancel)?
        } else {
            self.generation(n_threads, cancel)?
        };
        self.n_surveyed = (self.n_surveyed + SURVEY_CHUNK).min(self.library.len());
        Some(self.conclude(found, &broad, is_survey))
    }

    /// Runs the next programs of the library on all puzzles.
    fn survey(&self, n_threads: usize, cancel: &CancelToken) -> Option<(Vec<Found>, Team)> {
        let end = (self.n_surveyed + SURVEY_CHUNK).min(self.library.len());
        let strains = self.library[self.n_surveyed..end].iter().cloned();
        let team = Team::unchanged(strains.map(|strain| (strain, Birth::default())).collect());
        let found = self.run(n_threads, None, &team, cancel)?;
        Some((found, team))
    }

    /// Makes children of the current programs, and runs them.
    fn generation(&self, n_threads: usize, cancel: &CancelToken) -> Option<(Vec<Found>, Team)> {
        let pool = self.pool();
        let broad = self.broad(&pool);
        let found = self.run(n_threads, Some(&pool), &broad, cancel)?;
        Some((found, broad))
    }

    fn run(
        &self,
        n_threads: usize,
        pool: Option<&Pool>,
        broad: &Team,
        cancel: &CancelToken,
    ) -> Option<Vec<Found>> {
        let scene = Scene {
            evolution: self,
            pool,
            broad,
            answered: self.ask(broad),
            engine: engine(self.settings.run_fuel, cancel),
            cancel,
        };
        let places: Vec<usize> = (0..self.puzzles.len()).collect();
        let found = share_out(n_threads, &places, |queue| {
            self.scorer
                .with_worker(cancel, |marker| scene.work(queue, marker))
        });
        let found = found.into_iter().map(|(_, found)| found);
        (!cancel.is_cancelled()).then(|| found.collect())
    }

    /// Asks the device, if there is one, for the results of a team on the first pairs of all
    /// puzzles.
    fn ask(&self, team: &Team) -> Vec<Answered> {
        let elsewhere = self.elsewhere.as_ref();
        let loaded = elsewhere.and_then(|it| it.load(team.plan.battery(), self.settings.run_fuel));
        let Some(loaded) = loaded else {
            return Vec::new();
        };
        let first = |place: &usize| self.puzzles[*place].demos.first();
        let places: Vec<usize> = (0..self.puzzles.len()).collect();
        let places: Vec<usize> = places.into_iter().filter(|k| first(k).is_some()).collect();
        let asked = places.iter().filter_map(first).map(|pair| Asked {
            input: &pair.input,
            expected: Some(&pair.output),
        });
        let asked: Vec<Asked<'_>> = asked.collect();
        let mut answered = vec![Answered::new(); self.puzzles.len()];
        let told = loaded.outcomes(&asked, &|_, _| true);
        for (place, told) in places.into_iter().zip(told) {
            answered[place] = told;
        }
        answered
    }

    /// The programs that fitted in the last round, and mutants from the whole library.
    fn broad(&self, pool: &Pool) -> Team {
        let mut breeder = Breeder::seeded(pool, &self.settings.rates, self.seed_for(0));
        let mut children = Vec::new();
        let mut n_repeated = 0;
        for _ in 0..self.settings.n_broad {
            let child = self.fresh(usize::MAX, &mut n_repeated, || {
                let parent = breeder.parent()?;
                let colours = parent.lineage.first().map(|k| &self.colours[*k as usize]);
                breeder.child(&parent, colours)
            });
            children.extend(child);
        }
        Team::changed(self.queue.clone(), children, usize::MAX, n_repeated)
    }

    /// Makes a child that was not tried before on a puzzle; gives up after some attempts.
    fn fresh(
        &self,
        place: usize,
        n_repeated: &mut u64,
        mut make: impl FnMut() -> Option<Child>,
    ) -> Option<Child> {
        for _ in 0..MOST_REPEATS {
            let child = make()?;
            if !self.tried.has(Tried::key(place, child.said)) {
                return Some(child);
            }
            *n_repeated += 1;
        }
        None
    }

    fn seed_for(&self, place: usize) -> u64 {
        spread(spread(self.settings.seed ^ spread(self.totals.rounds)) ^ place as u64)
    }

    fn island(&self) -> usize {
        (self.totals.rounds % self.settings.n_islands as u64) as usize
    }

    fn conclude(&mut self, found: Vec<Found>, broad: &Team, is_survey: bool) -> Round {
        let mut round = Round::default();
        self.queue.clear();
        broad.keys.iter().for_each(|key| self.tried.insert(*key));
        self.totals.repeated += broad.n_repeated;
        if !is_survey {
            self.totals.children += broad.all.len() as u64;
        }
        for (place, found) in found.into_iter().enumerate() {
            self.conclude_puzzle(place, found, is_survey, &mut round);
        }
        self.totals.rounds += 1;
        round
    }

    fn conclude_puzzle(&mut self, place: usize, found: Found, is_survey: bool, round: &mut Round) {
        let (island, n_members) = (self.island(), self.settings.n_members);
        self.totals.tally = self.totals.tally.plus(found.tally);
        self.totals.children += found.n_children;
        self.totals.repeated += found.n_repeated;
        found.keys.iter().for_each(|key| self.tried.insert(*key));
        found
            .behaviours
            .iter()
            .for_each(|hash| self.behaviours.insert(*hash));
        let field = &mut self.fields[place];
        let before: FxHashSet<u128> = field.kept().map(|member| member.strain.hash).collect();
        let was_fitted = field.is_fitted();
        let elders = field.island(island).elite.0.clone();
        for (k, member) in found.members.iter().enumerate() {
            let island = if is_survey { k } else { island };
            field.admit(member, member.strain.is_from(place), island, n_members);
        }
        let parents = field.parents_of_new(&elders, &before, island);
        if is_survey {
            field.is_transferred = field.is_fitted();
            field.own_lines = field.own.best().map(|own| own.strain.program.lines.len());
        } else if field.end_round(island, n_members) {
            self.totals.restarts += 1;
        }
        let new = field
            .kept()
            .filter(|member| !before.contains(&member.strain.hash));
        let new: Vec<Arc<Member>> = new.cloned().collect();
        if field.is_fitted() && !was_fitted {
            round.fitted.push(place);
            let best = field.best.best().filter(|best| best.birth.parent.is_some());
            self.queue
                .extend(best.map(|best| (best.strain.clone(), best.birth.clone())));
        }
        let first = round.kept.len();
        for (k, member) in new.into_iter().enumerate() {
            let kept = self.kept(place, &(first + k).to_string(), member);
            round.kept.push(kept);
        }
        for member in parents {
            let number = format!("p{}", round.parents.len());
            let parent = self.kept(place, &number, member);
            round.parents.push(parent);
        }
    }

    fn kept(&self, place: usize, number: &str, member: Arc<Member>) -> Kept {
        let mut program = member.strain.program.clone();
        if member.birth.parent.is_some() {
            let (id, round) = (&self.puzzles[place].id, self.totals.rounds);
            program.name = format!("solve_{id}_r{round}_{number}");
        }
        Kept {
            is_own: member.strain.is_from(place),
            place,
            program,
            member,
        }
    }
}

impl Team {
    /// A team of unchanged programs.
    fn unchanged(all: Vec<(Arc<Strain>, Birth)>) -> Team {
        let programs: Vec<&Program> = all.iter().map(|(strain, _)| &strain.program).collect();
        let plan = BatteryPlan::new(Battery::from_programs(programs, Rules::ALL));
        Team {
            all,
            plan,
            keys: Vec::new(),
            n_repeated: 0,
        }
    }

    /// A team of unchanged programs and of children, without programs that do the work of another.
    fn changed(
        unchanged: Vec<(Arc<Strain>, Birth)>,
        children: Vec<Child>,
        place: usize,
        mut n_repeated: u64,
    ) -> Team {
        let mut merger = Merger::new(Rules::ALL);
        let mut all = Vec::with_capacity(unchanged.len() + children.len());
        let mut keys = Vec::with_capacity(children.len());
        for (strain, birth) in unchanged {
            merger.add(&strain.program);
            all.push((strain, birth));
        }
        for child in children {
            keys.push(Tried::key(place, child.said));
            let program = &child.strain.program;
            match merger.add_new(program, &program.name, Vec::new()) {
                Some(_) => all.push((Arc::new(child.strain), child.birth)),
                None => n_repeated += 1,
            }
        }
        Team {
            plan: BatteryPlan::new(merger.finish()),
            all,
            keys,
            n_repeated,
        }
    }
}

impl Scene<'_, '_> {
    fn work(&self, queue: &Queue<'_, usize>, marker: &mut Worker<'_>) -> Vec<(usize, Found)> {
        let mut done = Vec::new();
        while !self.cancel.is_cancelled()
            && let Some((k, place)) = queue.take()
        {
            done.push((k, self.run_puzzle(*place, marker)));
        }
        done
    }

    fn run_puzzle(&self, place: usize, marker: &mut Worker<'_>) -> Found {
        let evolution = self.evolution;
        let credits = &evolution.credits[place];
        let mut credits = credits.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Found {
            members: Vec::new(),
            behaviours: Vec::new(),
            keys: Vec::new(),
            tally: Tally::default(),
            n_children: 0,
            n_repeated: 0,
        };
        let mut court = Court {
            puzzle: &evolution.puzzles[place],
            scorer: &evolution.scorer,
            marker,
            credits: &mut credits,
            engine: &self.engine,
            floor: self.floor(place),
        };
        court.hear(self.broad, self.answered.get(place), place, &mut found);
        match self.pool {
            None => self.run_own(place, &mut found),
            Some(pool) => {
                if let Some(team) = self.children(place, pool) {
                    court.hear(&team, None, place, &mut found);
                    found.n_children += team.all.len() as u64;
                    found.n_repeated += team.n_repeated;
                    found.keys = team.keys;
                }
            }
        }
        found
    }

    fn floor(&self, place: usize) -> u64 {
        let evolution = self.evolution;
        let field = &evolution.fields[place];
        let floor = |k: usize| field.islands[k].elite.floor(evolution.settings.n_members);
        match self.pool {
            None => (0..field.islands.len()).map(floor).min().unwrap_or(0),
            Some(_) => floor(evolution.island()),
        }
    }

    /// Runs the programs that were made for the puzzle to their end.
    fn run_own(&self, place: usize, found: &mut Found) {
        let engine = Engine {
            fuel: OWN_FUEL,
            cancel: self.cancel.clone(),
            ..Engine::default()
        };
        for (strain, birth) in &self.broad.all {
            if strain.is_from(place) && !self.cancel.is_cancelled() {
                found
                    .members
                    .push(self.alone(&engine, strain, birth, place, &mut found.tally));
            }
        }
    }

    fn alone(
        &self,
        engine: &Engine,
        strain: &Arc<Strain>,
        birth: &Birth,
        place: usize,
        tally: &mut Tally,
    ) -> Arc<Member> {
        let puzzle = &self.evolution.puzzles[place];
        let demos = &puzzle.demos;
        let mut behaviour = FxHasher::default();
        let mut marks = Vec::with_capacity(demos.len());
        let ready = Ready::of(&strain.program);
        let read = demos_if(strain.program.reads(Input::S), puzzle);
        for pair in demos.iter().take_while(|_| !self.cancel.is_cancelled()) {
            let sample = Sample {
                input: &pair.input,
                demos: read,
                expected: None,
            };
            let ran = engine.run_again(&strain.program, &ready, &sample);
            behaviour.write_u128(ran.outcome.content_hash());
            tally.evaluations += 1;
            tally.fuel = tally.fuel.saturating_add(ran.fuel);
            let is_exact = ran.outcome.equals(&pair.output);
            marks.push(Mark {
                is_exact,
                credit: if is_exact {
                    self.evolution.scorer.full()
                } else {
                    0
                },
                fuel: ran.fuel,
            });
        }
        Arc::new(Member {
            strain: strain.clone(),
            birth: birth.clone(),
            marks,
            behaviour: behaviour.finish(),
        })
    }

    /// Makes children for a puzzle from the programs on its island, and some from the whole
    /// library. `None` if a program already fits that was not made for the puzzle.
    fn children(&self, place: usize, pool: &Pool) -> Option<Team> {
        let evolution = self.evolution;
        let field = &evolution.fields[place];
        if field.is_fitted() || evolution.puzzles[place].demos.is_empty() {
            return None;
        }
        let mut breeder = Breeder::seeded(
            pool,
            &evolution.settings.rates,
            evolution.seed_for(place + 1),
        );
        breeder.without = Some(place);
        let members = &field.islands[evolution.island()].elite.0;
        let colours = &evolution.colours[place];
        let mut n_repeated = 0;
        let mut children = Vec::new();
        for k in 0..evolution.settings.n_children {
            let child = evolution.fresh(place, &mut n_repeated, || {
                let from_pool = members.is_empty() || k.is_multiple_of(FROM_POOL);
                let parent = if from_pool {
                    breeder.parent()?
                } else {
                    members[breeder.rank(members.len())].strain.clone()
                };
                breeder.child(&parent, Some(colours))
            });
            children.extend(child);
        }
        Some(Team::changed(Vec::new(), children, place, n_repeated))
    }
}

impl Court<'_, '_, '_> {
    /// Judges a team. Programs with marks for all pairs are candidates.
    fn hear(&mut self, team: &Team, answered: Option<&Answered>, place: usize, found: &mut Found) {
        let (trials, tally) = self.judge(&team.plan, answered);
        found.tally = found.tally.plus(tally);
        let pairs = Pairs::of(self.puzzle);
        for ((strain, birth), trial) in team.all.iter().zip(trials) {
            let Trial {
                marks, behaviour, ..
            } = trial;
            let behaviour = behaviour.finish();
            found.behaviours.push(Tried::key(place, behaviour));
            if marks.len() >= pairs.n_standing && pairs.n_standing > 0 {
                found.members.push(Arc::new(Member {
                    strain: strain.clone(),
                    birth: birth.clone(),
                    marks: pairs.sorted(&marks),
                    behaviour,
                }));
            }
        }
    }
}
