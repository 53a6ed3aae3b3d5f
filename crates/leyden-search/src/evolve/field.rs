//! The state of one puzzle.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::member::{Elite, Member};

/// The number of best programs of a puzzle that are kept, apart from those on islands.
const N_BEST: usize = 3;
/// The number of rounds without a change after which an island starts again.
const PATIENCE: u32 = 25;
/// The number of rounds after which an island gets the best program of its neighbour.
const MIGRATION: u32 = 10;

/// The best programs for a puzzle: those that were not made for it, and those that were.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) islands: Vec<Island>,
    /// The best of all islands, including islands that are gone.
    pub(super) best: Elite,
    /// Programs that descend from one made for the puzzle and fit it.
    pub(super) own: Elite,
    /// The length of the library's shortest program that was made for the puzzle and fits it.
    pub(super) own_lines: Option<usize>,
    /// Whether another program of the library fits.
    pub(super) is_transferred: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub(super) elite: Elite,
    /// The number of rounds it has seen.
    pub(super) n_rounds: u32,
    /// The number of rounds since the last change.
    pub(super) n_stale: u32,
}

impl Field {
    pub(super) fn new(n_islands: usize) -> Field {
        Field {
            islands: vec![Island::default(); n_islands],
            best: Elite::default(),
            own: Elite::default(),
            own_lines: None,
            is_transferred: false,
        }
    }

    /// Whether a program fits that was not made for the puzzle.
    pub(super) fn is_fitted(&self) -> bool {
        self.best.best().is_some_and(|best| best.fits())
    }

    pub(super) fn is_evolved(&self) -> bool {
        self.is_fitted() && !self.is_transferred
    }

    /// Whether a shorter version of its own program was found.
    pub(super) fn is_improved(&self) -> bool {
        let now = self.own.best().map(|best| best.strain.program.lines.len());
        now.zip(self.own_lines)
            .is_some_and(|(now, before)| now < before)
    }

    /// The programs that fit.
    pub(super) fn fitting(&self) -> impl Iterator<Item = &Arc<Member>> {
        let best = self.own.best().into_iter().chain(self.best.best());
        best.filter(|member| member.fits())
    }

    /// The island with this number, or the one that stands for it.
    pub(super) fn island(&self, number: usize) -> &Island {
        &self.islands[number % self.islands.len()]
    }

    /// The members of `elders`, who were on the island before the round, with children that the
    /// round brought onto the island or among the best. `before` has the hashes of the best ones
    /// before the round. Programs of the library are left out.
    pub(super) fn parents_of_new(
        &self,
        elders: &[Arc<Member>],
        before: &FxHashSet<u128>,
        island: usize,
    ) -> Vec<Arc<Member>> {
        let now = self.kept().chain(&self.island(island).elite.0);
        let is_new = |member: &&Arc<Member>| {
            let hash = member.strain.hash;
            !before.contains(&hash) && elders.iter().all(|elder| elder.strain.hash != hash)
        };
        let children = now.filter(is_new);
        let parents: FxHashSet<u128> = children.filter_map(|child| child.birth.parent).collect();
        let is_parent = |elder: &&Arc<Member>| {
            elder.birth.parent.is_some() && parents.contains(&elder.strain.hash)
        };
        elders.iter().filter(is_parent).cloned().collect()
    }

    /// All programs that are among the best.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.own.0.iter().chain(&self.best.0)
    }

    /// Admits a program to the best ones, if it is good enough.
    pub(super) fn admit(
        &mut self,
        member: &Arc<Member>,
        is_own: bool,
        island: usize,
        n_members: usize,
    ) {
        if is_own {
            if member.fits() {
                self.own.admit(member, N_BEST);
            }
            return;
        }
        self.best.admit(member, N_BEST);
        let n_islands = self.islands.len();
        let island = &mut self.islands[island % n_islands];
        if island.elite.admit(member, n_members) {
            island.n_stale = 0;
        }
    }

    /// Ends a round of an island; returns whether the island starts again.
    pub(super) fn end_round(&mut self, place: usize, n_members: usize) -> bool {
        let n_islands = self.islands.len();
        let place = place % n_islands;
        let neighbour = self.islands[(place + 1) % n_islands].elite.best().cloned();
        let island = &mut self.islands[place];
        island.n_rounds += 1;
        island.n_stale += 1;
        if let Some(migrant) = neighbour.filter(|_| n_islands > 1)
            && island.n_rounds.is_multiple_of(MIGRATION)
        {
            island.elite.admit(&migrant, n_members);
        }
        let is_over = island.n_stale > PATIENCE;
        if is_over {
            island.elite.0.clear();
            island.n_stale = 0;
        }
        is_over
    }
}
