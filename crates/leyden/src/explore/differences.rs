//! The lines in which two programs differ.

/// Longer programs are compared by their different lines alone.
const MOST_LINES: usize = 400;

/// The lines that only one of two programs has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) removed: Vec<String>,
    pub(super) added: Vec<String>,
}

/// Compares two programs line by line: the lines outside a longest common subsequence.
pub(super) fn difference(old: &[&str], new: &[&str]) -> Difference {
    let n_head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[n_head..], &new[n_head..]);
    let ends = old.iter().rev().zip(new.iter().rev());
    let n_tail = ends.take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - n_tail], &new[..new.len() - n_tail]);
    if old.len().max(new.len()) > MOST_LINES {
        return all_of(old, new);
    }
    let lengths = lengths(old, new);
    let mut found = Difference::default();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && lengths[i + 1][j] >= lengths[i][j + 1] {
            found.removed.push(old[i].to_owned());
            i += 1;
        } else {
            found.added.push(new[j].to_owned());
            j += 1;
        }
    }
    found
}

fn all_of(old: &[&str], new: &[&str]) -> Difference {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    Difference {
        removed: owned(old),
        added: owned(new),
    }
}

/// For each pair of places, the length of the longest common subsequence from there on.
fn lengths(old: &[&str], new: &[&str]) -> Vec<Vec<u16>> {
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i][j] = if old[i] == new[j] {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> (String, String) {
        let [old, new] = [old, new].map(|text| text.split(' ').collect::<Vec<_>>());
        let found = difference(&old, &new);
        (found.removed.join(" "), found.added.join(" "))
    }

    #[test]
    fn only_lines_of_one_side_are_named() {
        assert_eq!(of("a b c", "a b c"), (String::new(), String::new()));
        assert_eq!(of("a b c", "a x c"), ("b".to_owned(), "x".to_owned()));
        assert_eq!(of("a b c d", "b c"), ("a d".to_owned(), String::new()));
        assert_eq!(of("b c", "a b x c d"), (String::new(), "a x d".to_owned()));
        assert_eq!(of("a b a b", "b a b a"), ("a".to_owned(), "a".to_owned()));
    }

    #[test]
    fn long_programs_differ_in_all_lines_between_equal_ends() {
        let lines: Vec<String> = (0..600).map(|k| format!("x{k}")).collect();
        let old: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut new = old.clone();
        (new[1], new[598]) = ("y", "z");
        let found = difference(&old, &new);
        assert_eq!((found.removed.len(), found.added.len()), (598, 598));
    }
}
