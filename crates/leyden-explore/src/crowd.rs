//! The open connections. Each has a seat, and the number of seats is fixed.
//!
//! A connection that waits for a request, or whose reader is slow, is idle. When all seats are taken,
//! a new connection gets the seat of the one that has been idle for longest, so a thousand silent
//! connections cannot shut out the user.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// All connections.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    seats: Arc<Mutex<Seats>>,
    most: usize,
}

#[derive(Debug, Default)]
struct Seats {
    n_ever: u64,
    /// Counts the moments at which connections become idle.
    now: u64,
    by_number: BTreeMap<u64, Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// Ends the connection.
    task: Option<AbortHandle>,
    n_busy: usize,
    idle_since: u64,
}

impl Crowd {
    pub(crate) fn new(most: usize) -> Crowd {
        Crowd {
            seats: Arc::default(),
            most,
        }
    }

    /// A seat for a new connection; `None` if all seats are taken and none is idle.
    pub(crate) fn enter(&self) -> Option<Seat> {
        let mut seats = self.seats();
        if seats.by_number.len() >= self.most {
            seats.free_one()?;
        }
        seats.n_ever += 1;
        seats.now += 1;
        let (number, idle_since) = (seats.n_ever, seats.now);
        let taken = Taken {
            idle_since,
            ..Taken::default()
        };
        seats.by_number.insert(number, taken);
        Some(Seat {
            number,
            crowd: self.clone(),
        })
    }

    /// Says which task serves the connection with a number.
    pub(crate) fn serve(&self, number: u64, task: AbortHandle) {
        if let Some(taken) = self.seats().by_number.get_mut(&number) {
            taken.task = Some(task);
        }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seats {
    /// Ends the connection that has been idle for longest.
    fn free_one(&mut self) -> Option<()> {
        let idle = self.by_number.iter().filter(|(_, taken)| taken.n_busy == 0);
        let (&number, _) = idle.min_by_key(|(_, taken)| taken.idle_since)?;
        let taken = self.by_number.remove(&number)?;
        taken.task.iter().for_each(AbortHandle::abort);
        Some(())
    }
}

/// The seat of a connection, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    number: u64,
    crowd: Crowd,
}

impl Seat {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Marks the connection as busy until the result is dropped.
    pub(crate) fn busy(&self) -> Busy {
        if let Some(taken) = self.crowd.seats().by_number.get_mut(&self.number) {
            taken.n_busy += 1;
        }
        Busy {
            number: self.number,
            crowd: self.crowd.clone(),
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.crowd.seats().by_number.remove(&self.number);
    }
}

/// A connection answers a request, or streams events.
#[derive(Debug)]
pub(crate) struct Busy {
    number: u64,
    crowd: Crowd,
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut seats = self.crowd.seats();
        seats.now += 1;
        let now = seats.now;
        if let Some(taken) = seats.by_number.get_mut(&self.number) {
            taken.n_busy -= 1;
            taken.idle_since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(crowd: &Crowd) -> Vec<u64> {
        crowd.seats().by_number.keys().copied().collect()
    }

    #[test]
    fn a_new_connection_takes_the_seat_that_was_idle_for_longest() {
        let crowd = Crowd::new(3);
        let seats: Vec<Seat> = (0..3).filter_map(|_| crowd.enter()).collect();
        // The first one answers a request, so the second has been idle for longest.
        drop(seats[0].busy());
        let fourth = crowd.enter().unwrap();
        assert_eq!(open(&crowd), [1, 3, 4]);
        drop(fourth);
        assert_eq!(open(&crowd), [1, 3]);
    }

    #[test]
    fn busy_connections_keep_their_seats() {
        let crowd = Crowd::new(2);
        let seats: Vec<Seat> = (0..2).filter_map(|_| crowd.enter()).collect();
        let busy: Vec<Busy> = seats.iter().map(Seat::busy).collect();
        assert!(crowd.enter().is_none());
        drop(busy);
        assert!(crowd.enter().is_some());
    }
}
