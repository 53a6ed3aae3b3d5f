//! Shortages of threads and memory.

use std::any::Any;
use std::fmt;
use std::io;

/// A thread that does not start, or missing memory.
///
/// It travels as the payload of a panic that prints nothing, because functions that run a program
/// have no other way out and no result to return. The owner of the process catches it
/// ([`Shortage::of`]) and reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    what: String,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Shortage {}

impl Shortage {
    pub(crate) fn of_threads(stack_bytes: usize, error: &io::Error) -> Shortage {
        let n = stack_bytes >> 20;
        Shortage {
            what: format!(
                "cannot start a thread with {n} MB of stack ({error}): the limit of memory or of threads is too low"
            ),
        }
    }

    pub(crate) fn of_memory() -> Shortage {
        Shortage {
            what: "out of memory: the limit of memory is too low for this run".to_owned(),
        }
    }

    /// Ends the work under way; the caller that watches for shortages gets this one.
    pub(crate) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }

    /// The shortage behind a panic, if there is one: our own, that of an arena that cannot grow, or
    /// the standard library's if a thread does not start.
    pub fn of(payload: &(dyn Any + Send)) -> Option<Shortage> {
        if let Some(shortage) = payload.downcast_ref::<Shortage>() {
            return Some(shortage.clone());
        }
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))?;
        if text == "out of memory" {
            return Some(Shortage::of_memory());
        }
        let what = text.strip_prefix("failed to spawn thread")?;
        let what = format!("cannot start a thread{what}");
        Some(Shortage { what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortages_are_told_from_mistakes() {
        let caught = |work: fn()| Shortage::of(&*std::panic::catch_unwind(work).unwrap_err());
        let memory = Some(Shortage::of_memory());
        assert_eq!(caught(|| Shortage::of_memory().raise()), memory);
        // The message of the arena's own panic.
        let limited = || {
            let arena = bumpalo::Bump::new();
            arena.set_allocation_limit(Some(0));
            arena.alloc(1u64);
        };
        assert_eq!(caught(limited), memory);
        assert_eq!(caught(|| panic!("index out of bounds")), None);
    }
}
