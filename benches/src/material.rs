//! The material of the workloads.

use std::error::Error;
use std::fs;

use leyden_grid::{Grid, Task};
use leyden_lang::{Battery, Program, Rules, parse};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck, NoClock, Rates};
use leyden_store::{Cache, Collection, DataSpec, Subset, demo, load};

const SEED: u64 = 1;

/// Programs and the tasks they are for.
pub(crate) struct Material {
    pub(crate) source: String,
    pub(crate) programs: Vec<Program>,
    pub(crate) tasks: Vec<Task>,
}

/// Material that was fetched.
pub(crate) struct Public {
    pub(crate) material: Material,
    pub(crate) json: Vec<u8>,
}

impl Material {
    /// The built-in set, which needs no network.
    pub(crate) fn built_in() -> Material {
        let source = demo::SOLVERS.to_owned();
        Material {
            programs: parse(&source, "demo", None)
                .expect("the built-in solvers parse: a test reads them"),
            source,
            tasks: demo::tasks(),
        }
    }

    /// The programs with the colours of their tasks.
    pub(crate) fn deck(&self) -> Deck {
        let colours = |program: &Program| Some(Colours::of(&self.task_of(program)?.puzzle()));
        let programs = self.programs.iter();
        Deck::new(programs.map(|program| (program.clone(), colours(program))))
    }

    /// The task that a program is for.
    pub(crate) fn task_of(&self, program: &Program) -> Option<&Task> {
        let id = program.task_id()?;
        self.tasks.iter().find(|task| task.id.as_str() == id)
    }

    /// Programs and mutants of them, before any rule is applied.
    pub(crate) fn mutants(&self, count: usize) -> Vec<Program> {
        let mut card = card(count);
        card.rules = Rules::NONE;
        let (battery, _) = card.deal(&self.deck(), &NoClock);
        (0..battery.outs.len())
            .map(|k| battery.program(k))
            .collect()
    }

    /// Programs and mutants of them in one graph.
    pub(crate) fn battery(&self, count: usize) -> Battery {
        card(count).deal(&self.deck(), &NoClock).0
    }
}

impl Public {
    /// The material that `leyden get` has fetched: 400 programs and their tasks.
    pub(crate) fn from_cache() -> Result<Public, Box<dyn Error + Send + Sync>> {
        let cache = Cache::from_env()?;
        let paths = cache
            .programs_path()?
            .zip(cache.dataset_path(Collection::Arc1));
        let (programs, json) = paths.ok_or("the cache is empty; `leyden get` fills it")?;
        let source = fs::read_to_string(&programs)?;
        let spec = DataSpec::Path(json.clone(), Some(Subset::Training));
        let material = Material {
            programs: parse(&source, "verifiers.py", None).map_err(|_| "cannot parse programs")?,
            source,
            tasks: load(&spec, None, &cache)?.tasks,
        };
        Ok(Public {
            material,
            json: fs::read(json)?,
        })
    }
}

/// A card of this many programs with the default mutations.
pub(crate) fn card(count: usize) -> Card {
    Card {
        count,
        seed: SEED,
        freeze: false,
        rates: Rates::default(),
        rules: Rules::ALL,
    }
}

/// All input grids of a task.
pub(crate) fn inputs(task: &Task) -> impl Iterator<Item = &Grid> {
    task.pairs().map(|(input, _)| input)
}
