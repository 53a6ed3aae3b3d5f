//! Builds stacks, and reads them as a tree.

use crate::model::{Frame, FrameKind, Layer, Path, Phase, Profile, Stacks, TaskRow};
use crate::numbers::sum;

impl Frame {
    /// Makes the frame of a layer.
    pub fn of(layer: Layer) -> Frame {
        Frame {
            name: layer.name().to_owned(),
            kind: FrameKind::Layer,
            ..Frame::default()
        }
    }

    /// Makes the frame of a primitive.
    pub fn primitive(name: &str) -> Frame {
        Frame {
            name: name.to_owned(),
            kind: FrameKind::Primitive,
            ..Frame::default()
        }
    }
}

impl Stacks {
    /// The index of a frame, which is added if it is new. This searches all frames, so for many
    /// frames keep the indices yourself.
    pub fn frame(&mut self, frame: Frame) -> u32 {
        let known = self.frames.iter().position(|other| *other == frame);
        let place = known.unwrap_or_else(|| {
            self.frames.push(frame);
            self.frames.len() - 1
        });
        place as u32
    }

    /// Adds a path.
    pub fn add(&mut self, frames: Vec<u32>, self_ns: u64, calls: u64) {
        self.paths.push(Path {
            frames,
            self_ns,
            calls,
        });
    }

    /// The frames of a path from the outermost to the innermost.
    pub fn frames_of<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Frame> {
        path.frames
            .iter()
            .filter_map(|&place| self.frames.get(place as usize))
    }

    /// The time of all paths below a layer, with its own path.
    fn time_below(&self, layer: Layer) -> u64 {
        let is_below = |path: &&Path| {
            let first = self.frames_of(path).next();
            first.is_some_and(|f| f.kind == FrameKind::Layer && f.name == layer.name())
        };
        sum(self.paths.iter().filter(is_below).map(|path| path.self_ns))
    }
}

impl Profile {
    /// Adds a path of one frame for the self time of every layer that its paths leave over. Then
    /// the stacks add up to the sum of the layers.
    pub fn complete_stacks(&mut self) {
        for row in &self.layers {
            let rest = row
                .self_ns
                .saturating_sub(self.stacks.time_below(row.layer));
            if rest > 0 {
                let frame = self.stacks.frame(Frame::of(row.layer));
                self.stacks.add(vec![frame], rest, row.calls);
            }
        }
    }
}

impl TaskRow {
    /// The task's time in a phase. Without times by phase, all of it is execute time.
    pub fn time_in(&self, phase: Phase) -> f64 {
        let parts = self.phases.iter().filter(|part| part.phase == phase);
        if self.phases.is_empty() && phase == Phase::Execute {
            self.self_ns as f64
        } else {
            sum(parts.map(|part| part.self_ns)) as f64
        }
    }
}
