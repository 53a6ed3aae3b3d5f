//! Licence expressions, as far as the manifests of the dependencies use them.

/// The allowed licences, as in deny.toml.
const ALLOWED: [&str; 8] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Zlib",
];

/// Packages with one more allowed licence, as in deny.toml.
const EXCEPTIONS: [(&str, &str); 2] =
    [("inferno", "CDDL-1.0"), ("matchit", "MIT AND BSD-3-Clause")];

/// Whether this package is excepted from the list.
pub(crate) fn is_excepted(package: &str, expression: &str) -> bool {
    EXCEPTIONS.contains(&(package, expression))
}

/// Whether this licence expression is allowed.
pub(crate) fn is_allowed(expression: &str) -> bool {
    // Old manifests write a slash for OR.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest) == Some(true) && rest.is_empty()
}

/// Whether one of the alternatives is allowed; `None` if the expression makes no sense.
fn any_of(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = all_of(words)?;
    while skip(words, "OR") {
        allowed |= all_of(words)?;
    }
    Some(allowed)
}

fn all_of(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = single(words)?;
    while skip(words, "AND") {
        allowed &= single(words)?;
    }
    Some(allowed)
}

fn single(words: &mut &[&str]) -> Option<bool> {
    if skip(words, "(") {
        let allowed = any_of(words)?;
        return skip(words, ")").then_some(allowed);
    }
    let name = *words.split_off_first()?;
    if skip(words, "WITH") {
        let exception = *words.split_off_first()?;
        return Some(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()));
    }
    Some(ALLOWED.contains(&name))
}

fn skip(words: &mut &[&str], word: &str) -> bool {
    let is_next = words.first() == Some(&word);
    if is_next {
        *words = &words[1..];
    }
    is_next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_need_one_and_conjunctions_all() {
        assert!(is_allowed("MIT OR Apache-2.0"));
        assert!(is_allowed("MIT/Apache-2.0"));
        assert!(is_allowed("GPL-3.0 OR MIT"));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception"));
        assert!(!is_allowed("MIT AND GPL-3.0"));
        assert!(!is_allowed("MIT WITH LLVM-exception"));
    }

    #[test]
    fn an_exception_is_for_one_package() {
        assert!(!is_allowed("CDDL-1.0"));
        assert!(is_excepted("inferno", "CDDL-1.0"));
        assert!(!is_excepted("inferno", "GPL-3.0"));
        assert!(!is_excepted("other", "CDDL-1.0"));
    }

    #[test]
    fn nonsense_is_not_allowed() {
        for nonsense in ["", "MIT OR", "(MIT", "MIT)", "OR MIT", "MIT MIT"] {
            assert!(!is_allowed(nonsense), "{nonsense}");
        }
    }
}
