//! A flame graph as SVG, through inferno.

use inferno::flamegraph::{Options, from_lines};
use thiserror::Error;

use crate::model::Profile;
use crate::numbers::sum;

/// Three centuries.
const LONGEST_NS: u64 = 1 << 63;

/// Why there is no flame graph.
#[derive(Debug, Error)]
pub enum FlameError {
    /// The profile has no stacks.
    #[error("this profile has no call stacks, so there is no flame graph")]
    NoStacks,
    /// Times that no run can have taken; adding them up would overflow.
    #[error("the times of the call stacks are beyond all measure")]
    TooLong,
    /// inferno could not draw it.
    #[error("the flame graph could not be drawn: {0}")]
    Drawing(String),
}

impl Profile {
    /// The stacks as a flame graph: one SVG file that zooms and searches in a browser.
    pub fn to_flame_graph(&self) -> Result<String, FlameError> {
        let collapsed = self.to_collapsed();
        if collapsed.is_empty() {
            return Err(FlameError::NoStacks);
        }
        if sum(self.stacks.paths.iter().map(|path| path.self_ns)) > LONGEST_NS {
            return Err(FlameError::TooLong);
        }
        let mut options = Options::default();
        options.title = self.title.clone();
        options.subtitle = Some(self.setting.command.clone());
        options.count_name = "ns".to_owned();
        // Colours by name, the same in every run.
        options.hash = true;
        options.deterministic = true;
        let mut svg = Vec::new();
        let drawing = |error: &dyn std::fmt::Display| FlameError::Drawing(error.to_string());
        from_lines(&mut options, collapsed.lines(), &mut svg).map_err(|e| drawing(&e))?;
        String::from_utf8(svg).map_err(|e| drawing(&e))
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
