//! The drawings of rules, as long as they are right.

use super::ground::Ground;

/// The largest number of drawings that are kept.
const MAX_KEPT: usize = 4_000;
/// The largest number of drawings that agree on all demonstrations.
const MAX_ALIKE: usize = 6;

/// The colour of a trail.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Fixed(u8),
    /// The colour of the cell where the walker started.
    Own,
}

impl Ink {
    /// Cells on a blank picture; `None` if one would have two colours.
    pub(super) fn picture(self, n_cells: usize, cells: Vec<(usize, u8)>) -> Option<Vec<u8>> {
        let mut picture = vec![0; n_cells];
        for (cell, own) in cells {
            let colour = match self {
                Ink::Fixed(colour) => colour,
                Ink::Own => own,
            };
            // Blank walkers would wipe clean, and in which order is not said.
            if colour == 0 || (picture[cell] != 0 && picture[cell] != colour) {
                return None;
            }
            picture[cell] = colour;
        }
        Some(picture)
    }
}

/// The drawing of a rule on blank pictures, one for each sample.
pub(super) struct Drawing {
    pub(super) pictures: Vec<Vec<u8>>,
    pub(super) cost: u32,
    /// The number of changed cells of the demonstrations that it explains.
    pub(super) gain: usize,
    /// The drawing as an arc-dsl expression.
    pub(super) text: String,
}

/// Drawings that contradict no output.
pub(super) struct Harvest<'g> {
    pub(super) ground: &'g Ground,
    pub(super) all: Vec<Drawing>,
}

impl Harvest<'_> {
    /// The number of changed cells that a picture explains; `None` if it is wrong.
    pub(super) fn gain(&self, sample: usize, picture: &[u8]) -> Option<usize> {
        let it = &self.ground.samples[sample];
        let mut gain = 0;
        for (cell, colour) in picture.iter().enumerate().filter(|(_, c)| **c != 0) {
            if let Some(wanted) = it.wanted(cell) {
                if wanted != *colour {
                    return None;
                }
                gain += usize::from(it.is_changed(cell));
            }
        }
        Some(gain)
    }

    /// Keeps a drawing that is right and explains something.
    pub(super) fn offer(
        &mut self,
        cost: u32,
        mut picture: impl FnMut(usize) -> Option<Vec<u8>>,
        text: impl FnOnce() -> String,
    ) {
        let mut pictures = Vec::with_capacity(self.ground.samples.len());
        let mut gain = 0;
        for sample in 0..self.ground.samples.len() {
            if sample == self.ground.n_demos && gain == 0 {
                return;
            }
            let Some(made) = picture(sample) else { return };
            if sample < self.ground.n_demos {
                let Some(more) = self.gain(sample, &made) else {
                    return;
                };
                gain += more;
            }
            pictures.push(made);
        }
        if gain > 0 && self.is_new(cost, &pictures) && self.all.len() < MAX_KEPT {
            self.all.push(Drawing {
                pictures,
                cost,
                gain,
                text: text(),
            });
        }
    }

    /// Whether few drawings give these pictures for the demonstrations, and none everywhere at less
    /// cost.
    fn is_new(&mut self, cost: u32, pictures: &[Vec<u8>]) -> bool {
        let n_demos = self.ground.n_demos;
        if let Some(k) = self.all.iter().position(|it| it.pictures == pictures) {
            if self.all[k].cost <= cost {
                return false;
            }
            self.all.swap_remove(k);
            return true;
        }
        let alike = self.all.iter();
        let alike = alike.filter(|it| it.pictures[..n_demos] == pictures[..n_demos]);
        alike.count() < MAX_ALIKE
    }
}
