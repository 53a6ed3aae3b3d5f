//! The system's errors, in plain words.

use std::io;

/// Explains why a file or directory cannot be read or written, without the system's numbers.
pub fn io_words(error: &io::Error) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or directory",
        io::ErrorKind::IsADirectory => "this is a directory; expected a file",
        io::ErrorKind::NotADirectory => "a part of this path is a file, not a directory",
        io::ErrorKind::PermissionDenied => "you have no permission to open it",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        _ => return without_number(&error.to_string()),
    };
    words.to_owned()
}

/// Turns `Input/output error (os error 5)` into `Input/output error`.
fn without_number(text: &str) -> String {
    let end = text.find(" (os error ").unwrap_or(text.len());
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_the_system_gets_through() {
        for number in 1..134 {
            let words = io_words(&io::Error::from_raw_os_error(number));
            assert!(!words.contains("os error"), "{words}");
            assert!(!words.is_empty());
        }
    }
}
