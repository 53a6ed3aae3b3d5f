//! A flame graph as SVG, through inferno.

use inferno::flamegraph::{Options, from_lines};
use thiserror::Error;

use crate::model::{FrameKind, Kind, Layer, Path, Profile};
use crate::numbers::sum;

/// The largest number of programs with boxes wide enough to show primitives.
pub(crate) const MOST_PROGRAMS: usize = 12;

/// If running programs has a smaller share, charts of profiles of programs show only that.
const LEAST_RUN: f64 = 0.6;

/// The longest time that is drawn: three centuries.
const LONGEST_NS: u64 = 1 << 63;

/// The reason why a profile has no flame graph.
#[derive(Debug, Error)]
pub enum FlameError {
    /// The profile has no stacks.
    #[error("this profile has no call stacks, so there is no flame graph")]
    NoStacks,
    /// Times that no run can have taken. Their sum would overflow.
    #[error("the times of the call stacks are beyond all measure")]
    TooLong,
    /// inferno could not draw it.
    #[error("the flame graph could not be drawn: {0}")]
    Drawing(String),
}

impl Profile {
    /// Draws the stacks as a flame graph: one SVG file that zooms and searches in a browser. With
    /// many programs, primitives stand directly on the layers, because a program would be a thin
    /// line.
    pub fn to_flame_graph(&self) -> Result<String, FlameError> {
        let has_programs = self.n_programs_in_stacks() <= MOST_PROGRAMS;
        let is_part = |kind| matches!(kind, FrameKind::Program | FrameKind::Line);
        let is_shown = |kind| has_programs || !is_part(kind);
        let is_of_programs = self.is_mostly_outside_programs();
        let collapsed = self.collapsed(is_shown, |path| !is_of_programs || self.is_run(path));
        if collapsed.is_empty() {
            return Err(FlameError::NoStacks);
        }
        if sum(self.stacks.paths.iter().map(|path| path.self_ns)) > LONGEST_NS {
            return Err(FlameError::TooLong);
        }
        let mut options = Options::default();
        options.title = self.title.clone();
        options.subtitle = Some(if is_of_programs {
            format!("{}, without reading and preparing", self.setting.command)
        } else {
            self.setting.command.clone()
        });
        options.count_name = "ns".to_owned();
        // The colour depends on the name, so all runs agree.
        options.hash = true;
        options.deterministic = true;
        let mut svg = Vec::new();
        let drawing = |error: &dyn std::fmt::Display| FlameError::Drawing(error.to_string());
        from_lines(&mut options, collapsed.lines(), &mut svg).map_err(|e| drawing(&e))?;
        String::from_utf8(svg).map_err(|e| drawing(&e))
    }
}

/// The layers of the execute phase.
const RUN: [Layer; 9] = [
    Layer::Execute,
    Layer::FaultHandling,
    Layer::Schedule,
    Layer::Transfer,
    Layer::Kernel,
    Layer::Candidates,
    Layer::Dedupe,
    Layer::Collect,
    Layer::Memory,
];

impl Profile {
    /// Whether a path belongs to the execute phase.
    fn is_run(&self, path: &Path) -> bool {
        let first = self.stacks.frames_of(path).next();
        first.is_some_and(|frame| RUN.iter().any(|layer| layer.name() == frame.name))
    }

    /// Whether reading and preparing would leave too little room for primitives in a profile of
    /// programs.
    pub(crate) fn is_mostly_outside_programs(&self) -> bool {
        let paths = self.stacks.paths.iter();
        let run = sum(paths
            .clone()
            .filter(|it| self.is_run(it))
            .map(|it| it.self_ns));
        let all = sum(paths.map(|it| it.self_ns));
        let is_about_programs = matches!(self.kind, Kind::Dsl | Kind::Batch | Kind::Lines);
        is_about_programs && run > 0 && (run as f64) < LEAST_RUN * all as f64
    }

    pub(crate) fn n_programs_in_stacks(&self) -> usize {
        let frames = self.stacks.frames.iter();
        frames.filter(|it| it.kind == FrameKind::Program).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn the_graph_names_what_ran_and_is_the_same_each_time() {
        let svg = sample_profile().to_flame_graph().unwrap();
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("objects") && svg.contains("40 made-up tasks"));
        assert_eq!(svg, sample_profile().to_flame_graph().unwrap());
    }

    #[test]
    fn primitives_are_seen_however_many_programs_there_are() {
        let mut profile = sample_profile();
        let paths = profile.stacks.paths.clone();
        let layer = paths[0].frames[0];
        let objects = profile
            .stacks
            .frame(crate::model::Frame::primitive("objects"));
        for k in 0..400 {
            let program = profile.stacks.frame(crate::model::Frame {
                name: format!("solve_{k}"),
                kind: FrameKind::Program,
                ..Default::default()
            });
            profile.stacks.add(vec![layer, program, objects], 1_000, 1);
        }
        let svg = profile.to_flame_graph().unwrap();
        assert!(svg.contains(">objects (") && !svg.contains("solve_7"));
    }

    #[test]
    fn reading_for_long_does_not_hide_what_ran() {
        let mut profile = sample_profile();
        let load = profile.stacks.frame(crate::model::Frame::of(Layer::Load));
        let much = 50 * profile.totals.whole_ns;
        profile.stacks.add(vec![load], much, 1);
        let svg = profile.to_flame_graph().unwrap();
        assert!(svg.contains("without reading and preparing"));
        assert!(svg.contains(">objects (") && !svg.contains(">load ("));
        profile.kind = Kind::Framework;
        assert!(profile.to_flame_graph().unwrap().contains(">load ("));
    }

    #[test]
    fn names_are_escaped() {
        let mut profile = sample_profile();
        profile.stacks.frames[1].name = "<script>alert(1)</script>".to_owned();
        profile.title = "a < b & c".to_owned();
        let svg = profile.to_flame_graph().unwrap();
        assert!(!svg.contains("<script>alert"));
        assert!(svg.contains("a &lt; b &amp; c"));
    }

    #[test]
    fn no_stacks_no_graph() {
        let mut profile = sample_profile();
        profile.stacks = Default::default();
        assert!(matches!(
            profile.to_flame_graph(),
            Err(FlameError::NoStacks)
        ));
    }
}
