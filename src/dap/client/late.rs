//! Requests that wait long for their answers: which they are, told each time that changes.
//!
//! Nothing ticks: while nothing is asked there is no timer, while something is there is one, for the oldest. What is to be done
//! about them is left to the session.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::shared::Shared;

/// A request without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnansweredRequest {
    /// Its number, for [`super::Client::cancel`].
    pub seq: i64,
    /// What was asked.
    pub command: String,
    pub asked: Instant,
}

/// The requests of a connection that wait longer than somebody's patience. It does not keep the connection.
pub struct Late {
    shared: Arc<Shared>,
    patience: Duration,
    told: Vec<i64>,
}

impl std::fmt::Debug for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Late").finish_non_exhaustive()
    }
}

impl Late {
    pub(super) fn new(shared: Arc<Shared>, patience: Duration) -> Self {
        Self {
            shared,
            patience,
            told: Vec::new(),
        }
    }

    /// All of them, in the order in which they were sent, once they are others than when this was last asked; `None` when the
    /// connection has ended.
    pub async fn changed(&mut self) -> Option<Vec<UnansweredRequest>> {
        loop {
            let (late, next) = self.look()?;
            let numbers: Vec<i64> = late.iter().map(|waiting| waiting.seq).collect();
            if numbers != self.told {
                self.told = numbers;
                return Some(late);
            }
            let due = async {
                match next {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.shared.late.notified() => {}
                () = due => {}
                () = self.shared.abandoned.cancelled() => return None,
            }
        }
    }

    /// Those that are late, and when the next one will be.
    fn look(&self) -> Option<(Vec<UnansweredRequest>, Option<Instant>)> {
        // The runtime's clock: tests can stop it.
        let now = tokio::time::Instant::now().into_std();
        let mut state = self.shared.state();
        if state.ended.is_some() {
            return None;
        }
        let mut next: Option<Instant> = None;
        let mut late = Vec::new();
        for (seq, pending) in &mut state.pending {
            let due = pending.asked + self.patience;
            if due > now {
                next = Some(next.map_or(due, |next| next.min(due)));
                continue;
            }
            pending.is_late = true;
            late.push(UnansweredRequest {
                seq: *seq,
                command: pending.command.clone(),
                asked: pending.asked,
            });
        }
        // Under the same lock: what is asked from now on sees it, and rings.
        state.rings = next.is_none();
        drop(state);
        late.sort_unstable_by_key(|waiting| waiting.seq);
        Some((late, next))
    }
}
