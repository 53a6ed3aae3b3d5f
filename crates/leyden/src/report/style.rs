//! The look of reports, on streams that may or may not show it.

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();

/// The text that `write` writes.
pub(crate) fn rendered(write: impl FnOnce(&mut String) -> std::fmt::Result) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text);
    text
}
