//! What is known about one puzzle.

use std::sync::Arc;

use super::member::{Elite, Member};

/// So many of the best programs of a puzzle are kept, besides those on islands.
const N_BEST: usize = 3;
/// An island where nothing changes for so many of its rounds starts anew.
const PATIENCE: u32 = 25;
/// After so many of its rounds an island gets the best of its neighbour.
const MIGRATION: u32 = 10;

/// Programs that were not made for the puzzle, and those that were.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) islands: Vec<Island>,
    /// The best of all islands, those that are gone included.
    pub(super) best: Elite,
    /// Programs that come from one made for the puzzle and fit it.
    pub(super) own: Elite,
    /// How long the shortest program of the library is that was made for the puzzle and fits it.
    pub(super) own_lines: Option<usize>,
    /// Another program of the library fits.
    pub(super) is_transferred: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub(super) elite: Elite,
    /// How many rounds it has seen.
    pub(super) n_rounds: u32,
    /// For how many rounds nothing changed.
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

    /// Does a program fit that was not made for the puzzle?
    pub(super) fn is_fitted(&self) -> bool {
        self.best.best().is_some_and(|best| best.fits())
    }

    pub(super) fn is_evolved(&self) -> bool {
        self.is_fitted() && !self.is_transferred
    }

    /// Has a shorter program of its own been found?
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

    /// All programs that are among the best.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.own.0.iter().chain(&self.best.0)
    }

    /// Takes a program in where it belongs.
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

    /// Ends a round of an island; says whether it starts anew.
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
