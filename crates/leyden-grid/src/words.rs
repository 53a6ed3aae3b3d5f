//! Numbers in sentences.

/// Writes a number with a comma between groups of three digits.
///
/// ```
/// assert_eq!(leyden_grid::count(1_718), "1,718");
/// ```
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number and its noun, in the singular or the plural.
///
/// ```
/// use leyden_grid::counted;
///
/// assert_eq!(counted(1, "task"), "1 task");
/// assert_eq!(counted(1_000, "test input"), "1,000 test inputs");
/// assert_eq!(counted(1, "unit of fuel"), "1 unit of fuel");
/// assert_eq!(counted(2, "unit of fuel"), "2 units of fuel");
/// ```
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        return format!("1 {what}");
    }
    let (noun, rest) = match what.find(" of ") {
        Some(at) => what.split_at(at),
        None => (what, ""),
    };
    format!("{} {noun}s{rest}", count(n))
}
