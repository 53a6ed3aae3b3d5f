//! Rules as arc-dsl.

use super::field::{Field, How, Mask};
use super::learn::{Layer, Plan};
use super::words::Kind;

impl Field {
    /// The test that objects of a mask pass, if it is about objects.
    pub(super) fn test_text(&self, mask: &Mask) -> Option<String> {
        let word = &self.words.all[mask.word];
        let text = &word.text;
        let set = match word.kind {
            Kind::Number(set) | Kind::Test(set) => &self.words.objects[set].text,
            _ => return None,
        };
        let not = |test: String| format!("compose(flip, {test})");
        let extreme = |what: &str| format!("matcher({text}, {what}({set}, {text}))");
        Some(match mask.how {
            How::Yes => text.clone(),
            How::No => not(text.clone()),
            How::Is(number) => format!("matcher({text}, {number})"),
            How::IsNot(number) => not(format!("matcher({text}, {number})")),
            How::More(number) => format!("compose(rbind(greater, {number}), {text})"),
            How::NotMore(number) => not(format!("compose(rbind(greater, {number}), {text})")),
            How::Most => extreme("valmax"),
            How::NotMost => not(extreme("valmax")),
            How::Least => extreme("valmin"),
            How::NotLeast => not(extreme("valmin")),
            How::Even => format!("compose(even, {text})"),
            How::Odd => not(format!("compose(even, {text})")),
            How::Any => return None,
        })
    }

    /// The set of objects that a mask is about.
    pub(super) fn set_of(&self, mask: &Mask) -> Option<usize> {
        match self.words.all[mask.word].kind {
            Kind::Number(set) | Kind::Test(set) => Some(set),
            _ => None,
        }
    }

    /// A mask as a set of indices.
    pub(super) fn mask_text(&self, mask: &Mask) -> String {
        if let Some(set) = self.set_of(mask) {
            let set = &self.words.objects[set].text;
            return match self.test_text(mask) {
                Some(test) => format!("toindices(mfilter({set}, {test}))"),
                None => format!("toindices(merge({set}))"),
            };
        }
        let text = indices(&self.words.all[mask.word].text);
        match mask.how {
            How::No => format!("difference(asindices(I), {text})"),
            _ => text,
        }
    }

    fn masks_text(&self, masks: &[&Mask]) -> Option<String> {
        let texts = masks.iter().map(|mask| self.mask_text(mask));
        texts.reduce(|a, b| format!("intersection({a}, {b})"))
    }

    /// A picture with a layer on it.
    fn layer_text(&self, below: &str, layer: &Layer, plan: &Plan<'_>) -> String {
        let source = &plan.sources[layer.source];
        let masks: Vec<&Mask> = layer.masks.iter().map(|mask| &plan.masks[*mask]).collect();
        let cells = self.masks_text(&masks);
        let colour = |k: usize| source.values.get(k).copied().unwrap_or(0);
        let Some(word) = source.word else {
            let cells = cells.unwrap_or_else(|| "asindices(I)".to_owned());
            return format!("fill({below}, {}, {cells})", colour(0));
        };
        let text = &self.words.all[word].text;
        match (self.words.all[word].kind, cells) {
            (Kind::Painted, None) => format!("paint({below}, {text})"),
            (Kind::Painted, Some(cells)) => {
                let is_there = format!("compose(rbind(contained, {cells}), last)");
                format!("paint({below}, sfilter({text}, {is_there}))")
            }
            (Kind::Picture, Some(cells)) => {
                format!("paint({below}, toobject({cells}, {text}))")
            }
            (Kind::Picture, None) => text.clone(),
            (_, cells) => {
                let cells = cells.unwrap_or_else(|| "asindices(I)".to_owned());
                format!("fill({below}, {text}, {cells})")
            }
        }
    }

    /// The layers of a plan on what is below all of them.
    pub(super) fn plan_text(&self, plan: &Plan<'_>) -> String {
        let layers = plan.layers.iter().rev();
        layers.fold(plan.start.clone(), |below, layer| {
            self.layer_text(&below, layer, plan)
        })
    }
}

/// Makes indices of what could be objects.
fn indices(text: &str) -> String {
    let are_indices = ["ofcolor(", "shift(ofcolor(", "sfilter(asindices("];
    match are_indices.iter().any(|start| text.starts_with(start)) {
        true => text.to_owned(),
        false => format!("toindices({text})"),
    }
}
