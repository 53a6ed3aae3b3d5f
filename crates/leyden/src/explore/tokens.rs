//! The words of a program's text that can be replaced, and their replacements of fitting type.

use std::ops::Range;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Dialect, Prim};
use leyden_lang::ConstId;
use leyden_search::types::alternatives;

/// Numbers that stand in for a number.
const SMALL_NUMBERS: std::ops::RangeInclusive<i64> = -1..=10;

/// A word that can be replaced.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Its bytes in the text.
    pub(super) span: Range<usize>,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Primitive(Prim),
    Constant(ConstId),
    Number(i64),
    Truth(bool),
}

impl TokenKind {
    fn of(word: &str, dialect: Dialect) -> Option<TokenKind> {
        let truth = match word {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        };
        let primitive = Prim::by_name(word).filter(|prim| prim.entry().is_in(dialect));
        truth
            .map(TokenKind::Truth)
            .or(primitive.map(TokenKind::Primitive))
            .or(ConstId::by_name(word).map(TokenKind::Constant))
            .or(word.parse().ok().map(TokenKind::Number))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            TokenKind::Primitive(_) => "primitive",
            TokenKind::Constant(_) => "constant",
            TokenKind::Number(_) => "number",
            TokenKind::Truth(_) => "truth value",
        }
    }

    /// Words that can stand in this place, without the word itself.
    pub(super) fn replacements(self, dialect: Dialect) -> Vec<String> {
        match self {
            TokenKind::Primitive(prim) => {
                let all = alternatives(dialect, prim).iter();
                let others = all.filter(|alternative| **alternative != prim);
                others
                    .map(|alternative| alternative.name().to_owned())
                    .collect()
            }
            TokenKind::Constant(constant) => {
                let kinds = |id: ConstId| Kinds::of_constant(id.value());
                let all = ConstId::all_in(dialect);
                let others = all.filter(|id| *id != constant && kinds(*id).meet(kinds(constant)));
                others.map(|id| id.name().to_owned()).collect()
            }
            TokenKind::Number(number) => {
                let near = [number.saturating_sub(1), number.saturating_add(1)];
                let near = near.into_iter().filter(|n| !SMALL_NUMBERS.contains(n));
                let all = SMALL_NUMBERS.chain(near);
                all.filter(|n| *n != number)
                    .map(|n| n.to_string())
                    .collect()
            }
            TokenKind::Truth(truth) => vec![if truth { "False" } else { "True" }.to_owned()],
        }
    }
}

/// The words of a text that can be replaced. Comments and strings have none.
pub(super) fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let words = words(text).into_iter();
    let token = |span: Range<usize>| {
        let kind = TokenKind::of(&text[span.clone()], dialect)?;
        Some(Token { span, kind })
    };
    words.filter_map(token).collect()
}

/// Names and numbers, a minus sign included where it cannot be an operator.
fn words(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut words = Vec::new();
    let mut k = 0;
    while k < bytes.len() {
        let start = k;
        k += match bytes[k] {
            b'#' => length(&bytes[k..], |byte| byte != b'\n'),
            quote @ (b'"' | b'\'') => 1 + length(&bytes[k + 1..], |byte| byte != quote) + 1,
            byte if is_word(byte) => length(&bytes[k..], is_word),
            _ => {
                k += 1;
                continue;
            }
        };
        k = k.min(bytes.len());
        if is_word(bytes[start]) {
            let is_negative =
                start > 0 && bytes[start - 1] == b'-' && bytes[start].is_ascii_digit();
            words.push(start - usize::from(is_negative)..k);
        }
    }
    words
}

fn length(bytes: &[u8], goes_on: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| goes_on(**byte)).count()
}

/// The text with other words in some places, which must be in order and apart.
pub(super) fn replaced(text: &str, edits: &[(&Range<usize>, &str)]) -> String {
    let (mut changed, mut end) = (String::with_capacity(text.len() + 16), 0);
    for (span, word) in edits {
        changed += &text[end..span.start];
        changed += word;
        end = span.end;
    }
    changed + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "def solve(I):  # vmirror ONE\n    x1 = add(-1, TWO)\n    return hconcat(I, x1)\n";

    #[test]
    fn comments_and_variables_cannot_be_replaced() {
        let found = tokens(TEXT, Dialect::ArcDsl);
        let words: Vec<&str> = found.iter().map(|it| &TEXT[it.span.clone()]).collect();
        assert_eq!(words, ["add", "-1", "TWO", "hconcat"]);
    }

    #[test]
    fn replacements_have_a_fitting_type() {
        let found = tokens(TEXT, Dialect::ArcDsl);
        let of = |k: usize| found[k].kind.replacements(Dialect::ArcDsl);
        assert!(of(0).contains(&"multiply".to_owned()) && !of(0).contains(&"add".to_owned()));
        assert!(!of(0).contains(&"vmirror".to_owned()));
        assert!(of(2).contains(&"THREE".to_owned()) && !of(2).contains(&"TWO".to_owned()));
        assert_eq!(of(3), ["vconcat"]);
    }

    #[test]
    fn two_words_are_replaced_at_once() {
        let found = tokens(TEXT, Dialect::ArcDsl);
        let edits = [(&found[1].span, "5"), (&found[3].span, "vconcat")];
        let changed = replaced(TEXT, &edits);
        assert!(changed.contains("add(5, TWO)") && changed.contains("vconcat(I, x1)"));
        assert!(changed.starts_with("def solve(I):  # vmirror ONE\n"));
    }

    #[test]
    fn an_open_string_ends_with_the_text() {
        assert!(tokens("x = 'vmirror", Dialect::ArcDsl).is_empty());
        assert!(tokens("x = \"", Dialect::ArcDsl).is_empty());
    }
}
