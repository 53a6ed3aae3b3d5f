//! The calls that run now.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leyden_dsl::meter::CancelToken;

/// All calls under way, so that the end of the server stops them.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    n_ever: u64,
    by_number: BTreeMap<u64, CancelToken>,
}

impl InFlight {
    /// Notes a call until the result is dropped.
    pub(crate) fn enter(&self, cancel: CancelToken) -> UnderWay {
        let mut calls = self.calls();
        calls.n_ever += 1;
        let number = calls.n_ever;
        calls.by_number.insert(number, cancel);
        UnderWay {
            number,
            all: self.clone(),
        }
    }

    pub(crate) fn cancel_all(&self) {
        self.calls()
            .by_number
            .values()
            .for_each(CancelToken::cancel);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call under way. It is cancelled when this is dropped: the future that holds it is dropped early if
/// the connection goes away.
#[derive(Debug)]
pub(crate) struct UnderWay {
    number: u64,
    all: InFlight,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let call = self.all.calls().by_number.remove(&self.number);
        call.iter().for_each(CancelToken::cancel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_cancelled_when_its_future_or_the_server_ends() {
        let all = InFlight::default();
        let (first, second) = (CancelToken::new(), CancelToken::new());
        let first_call = all.enter(first.clone());
        let _second_call = all.enter(second.clone());
        drop(first_call);
        assert!(first.is_cancelled() && !second.is_cancelled());
        all.cancel_all();
        assert!(second.is_cancelled());
    }
}
