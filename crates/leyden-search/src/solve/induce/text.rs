//! Writes rules in arc-dsl.

use super::field::{Field, How, Mask, Name};
use super::learn::{Layer, Plan};
use super::words::Kind;

impl Field<'_> {
    /// The test for the objects of a mask, if it has objects.
    pub(super) fn test_text(&self, mask: &Mask) -> Option<String> {
        let Name::Word(word) = mask.name else {
            return None;
        };
        let word = &self.words.all[word];
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

    /// The set of objects of a mask.
    pub(super) fn set_of(&self, mask: &Mask) -> Option<usize> {
        let Name::Word(word) = mask.name else {
            return None;
        };
        match self.words.all[word].kind {
            Kind::Number(set) | Kind::Test(set) => Some(set),
            _ => None,
        }
    }

    /// A mask as a set of indices.
    pub(super) fn mask_text(&self, mask: &Mask) -> String {
        let text = match mask.name {
            Name::Piece(piece, colour) => {
                return format!("ofcolor({}, {colour})", self.pieces[piece].text);
            }
            Name::Word(word) => indices(&self.words.all[word].text),
            Name::Text(text) => indices(&self.texts[text].0),
            Name::Constant => "asindices(I)".to_owned(),
        };
        self.here(&self.said_text(mask, text))
    }

    /// Rewrites an expression over `I` for the field's picture.
    pub(super) fn here(&self, text: &str) -> String {
        with_input(text, &self.picture)
    }

    fn said_text(&self, mask: &Mask, text: String) -> String {
        if let Some(set) = self.set_of(mask) {
            let set = &self.words.objects[set].text;
            return match self.test_text(mask) {
                Some(test) => format!("toindices(mfilter({set}, {test}))"),
                None => format!("toindices(merge({set}))"),
            };
        }
        match mask.how {
            How::No => format!("difference(asindices(I), {text})"),
            _ => text,
        }
    }

    fn masks_text(&self, masks: &[&Mask]) -> Option<String> {
        let texts = masks.iter().map(|mask| self.mask_text(mask));
        texts.reduce(|a, b| format!("intersection({a}, {b})"))
    }

    /// Adds a layer to a picture.
    fn layer_text(&self, below: &str, layer: &Layer, plan: &Plan<'_>) -> String {
        let source = &plan.sources[layer.source];
        let masks: Vec<&Mask> = layer.masks.iter().map(|mask| &plan.masks[*mask]).collect();
        let cells = self.masks_text(&masks);
        let colour = source.values.first().copied().unwrap_or(0);
        let anywhere = || self.here("asindices(I)");
        match (source.name, cells) {
            (Name::Constant, cells) => {
                let cells = cells.unwrap_or_else(anywhere);
                format!("fill({below}, {colour}, {cells})")
            }
            (Name::Piece(piece, _), cells) => lent(below, cells, &self.pieces[piece].text),
            (Name::Text(text), cells) => painted(below, cells, &self.here(&self.texts[text].0)),
            (Name::Word(word), cells) => {
                let text = self.here(&self.words.all[word].text);
                match self.words.all[word].kind {
                    Kind::Painted => painted(below, cells, &text),
                    Kind::Picture => lent(below, cells, &text),
                    _ => format!("fill({below}, {text}, {})", cells.unwrap_or_else(anywhere)),
                }
            }
        }
    }

    /// Lays the layers of a plan on the picture below them.
    pub(super) fn plan_text(&self, plan: &Plan<'_>) -> String {
        let layers = plan.layers.iter().rev();
        layers.fold(plan.start.clone(), |below, layer| {
            self.layer_text(&below, layer, plan)
        })
    }
}

/// Turns possible objects into indices.
fn indices(text: &str) -> String {
    let are_indices = ["ofcolor(", "shift(ofcolor(", "sfilter(asindices("];
    if are_indices.iter().any(|start| text.starts_with(start)) {
        text.to_owned()
    } else {
        format!("toindices({text})")
    }
}

/// Copies another picture's colours to some cells.
fn lent(below: &str, cells: Option<String>, picture: &str) -> String {
    match cells {
        Some(cells) => format!("paint({below}, toobject({cells}, {picture}))"),
        None => picture.to_owned(),
    }
}

/// Paints an object on a picture, as far as it lies on some cells.
fn painted(below: &str, cells: Option<String>, object: &str) -> String {
    match cells {
        None => format!("paint({below}, {object})"),
        Some(cells) => {
            let is_there = format!("compose(rbind(contained, {cells}), last)");
            format!("paint({below}, sfilter({object}, {is_there}))")
        }
    }
}

/// Replaces `I` in an expression.
pub(super) fn with_input(text: &str, input: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut name = String::new();
    let finish = |name: &mut String, result: &mut String| {
        result.push_str(if name == "I" { input } else { name });
        name.clear();
    };
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
        } else {
            finish(&mut name, &mut result);
            result.push(c);
        }
    }
    finish(&mut name, &mut result);
    result
}
