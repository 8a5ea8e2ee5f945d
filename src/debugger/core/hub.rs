//! Who listens, and what they have not taken yet.
//!
//! The hub numbers events, applies them to the core's own [`State`] and queues them for every subscription. A listener that
//! lags never slows the core and never loses anything but output text: runs of output are merged, and when more than
//! [`QUEUED_OUTPUT`] bytes of it wait, the oldest is dropped and counted in a [`Change::OutputLost`]. One that asked for all output
//! loses none of it: while [`AHEAD`] bytes wait for it, adapters are read no further, and the program waits with its printing.

use std::{
    sync::{Weak, atomic::AtomicUsize},
    time::Instant,
};

use dap::process::AdapterProcess;
use tokio::sync::Notify;

use super::prelude::*;
use crate::timings::Clock;

/// Output bytes that may wait for one listener.
const QUEUED_OUTPUT: usize = 4 * 1024 * 1024;
/// The same for one that loses nothing.
const AHEAD: usize = 512 * 1024;

/// The core's state, and everyone who follows it.
#[derive(Default)]
pub struct Hub {
    pub state: State,
    /// Number of the last event that changed what is kept with the project.
    pub kept_at: u64,
    /// Where the time of sessions went.
    clocks: HashMap<SessionId, Clock>,
    listeners: Vec<Weak<Shared>>,
    /// Told when a listener has taken all that waited for it.
    pub taken: Arc<Notify>,
    /// Questions whose answers somebody waits for.
    pub open: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    ready: Notify,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    output_bytes: usize,
    /// No output is dropped.
    whole: bool,
    closed: bool,
}

/// Events for one listener, in order.
pub struct Subscription {
    shared: Arc<Shared>,
    taken: Arc<Notify>,
}

impl Subscription {
    /// The same without loss: the program is slowed down to whoever listens.
    #[must_use]
    pub fn whole(self) -> Self {
        lock(&self.shared.queue).whole = true;
        self
    }

    /// All events that wait, as soon as there is one; `None` when the core has ended and all were taken.
    pub async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
            let ready = self.shared.ready.notified();
            {
                let mut queue = lock(&self.shared.queue);
                if !queue.events.is_empty() {
                    if queue.whole && mem::take(&mut queue.output_bytes) > AHEAD {
                        self.taken.notify_one();
                    }
                    queue.output_bytes = 0;
                    return Some(queue.events.drain(..).collect());
                }
                if queue.closed {
                    return None;
                }
            }
            ready.await;
        }
    }
}

impl Hub {
    /// A copy of the state as of now, and everything that comes after.
    pub fn subscribe(&mut self) -> (State, Subscription) {
        let shared = Arc::new(Shared::default());
        self.listeners.push(Arc::downgrade(&shared));
        let taken = Arc::clone(&self.taken);
        (self.state.clone(), Subscription { shared, taken })
    }

    /// Whether somebody who wants all output has to take some of it first. Not while an answer is waited for: whoever waits for it may
    /// be the one who listens, and answers come from adapters.
    pub fn is_ahead(&self) -> bool {
        let is_ahead = |queue: &Queue| queue.whole && queue.output_bytes > AHEAD;
        let mut listeners = self.listeners.iter().filter_map(Weak::upgrade);
        self.open.load(Ordering::Acquire) == 0 && listeners.any(|l| is_ahead(&lock(&l.queue)))
    }

    /// A session is the one that is meant when none is named.
    pub fn focus(&mut self, session: SessionId) {
        let session = Some(session);
        self.publish(EventKind::Focus { session });
    }

    /// An adapter answered to a breakpoint.
    pub fn answered(
        &mut self,
        breakpoint: BreakpointId,
        session: SessionId,
        answer: BreakpointAnswer,
    ) {
        self.publish(EventKind::BreakpointAnswered {
            breakpoint,
            session,
            answer: Some(answer),
        });
    }

    /// Applies, numbers and hands out one event.
    pub fn publish(&mut self, kind: EventKind) {
        let event = Event {
            seq: self.state.seq + 1,
            kind,
        };
        self.relay(&event);
        if matches!(
            event.kind,
            EventKind::BreakpointSet { .. }
                | EventKind::BreakpointRemoved { .. }
                | EventKind::ExceptionFilters { .. }
                | EventKind::WatchSet { .. }
                | EventKind::WatchRemoved { .. }
                | EventKind::Memory { .. }
        ) {
            self.kept_at = event.seq;
        }
    }

    /// Applies and hands out an event that has its number already.
    pub fn relay(&mut self, event: &Event) {
        self.state.apply_for_a_look(event);
        self.keep_time(&event.kind);
        self.listeners.retain(|l| {
            let Some(shared) = l.upgrade() else {
                return false;
            };
            lock(&shared.queue).push(event);
            shared.ready.notify_one();
            true
        });
    }

    fn keep_time(&mut self, kind: &EventKind) {
        let session = match kind {
            EventKind::SessionStarted { session } => session.id,
            EventKind::SessionCleared { session } => {
                self.clocks.remove(session);
                return;
            }
            EventKind::Session { session, change } if change.moves() => *session,
            _ => return,
        };
        if let Some(phase) = self.state.session(session).map(|s| s.phase) {
            self.clock(session).enter(phase, Instant::now());
        }
    }

    /// What keeps a session's time.
    pub fn clock(&mut self, session: SessionId) -> &mut Clock {
        self.clocks.entry(session).or_default()
    }

    /// No more events.
    pub fn close(&mut self) {
        for shared in self.listeners.drain(..).filter_map(|l| l.upgrade()) {
            lock(&shared.queue).closed = true;
            shared.ready.notify_one();
        }
    }
}

impl Owner {
    /// Tells everyone of a change of one session.
    ///
    /// What comes late is dropped here: anything once the adapter is gone, and what would move a session that has ended.
    pub fn change(&mut self, session: SessionId, change: Change) {
        let moves = change.moves();
        let over = self.has_ended(session);
        if !self.live.contains_key(&session) || (over && moves) {
            return;
        }
        if moves {
            // A child's session has its parent's adapter.
            let adapters = self.live.values().filter_map(|l| l.process.as_ref());
            adapters.for_each(AdapterProcess::look);
        }
        self.keep_stop(session, &change);
        self.hub.publish(EventKind::Session { session, change });
    }
}

impl Queue {
    fn push(&mut self, event: &Event) {
        let EventKind::Session {
            session,
            change: Change::Output { chunks },
        } = &event.kind
        else {
            self.events.push_back(event.clone());
            return;
        };
        self.output_bytes += size(chunks);
        // Merge with the output of the same session right before it.
        if let Some(Event {
            seq,
            kind:
                EventKind::Session {
                    session: last,
                    change: Change::Output { chunks: waiting },
                },
        }) = self.events.back_mut()
            && last == session
        {
            Arc::make_mut(waiting).extend(chunks.iter().cloned());
            *seq = event.seq;
        } else {
            self.events.push_back(event.clone());
        }
        if self.output_bytes > QUEUED_OUTPUT && !self.whole {
            self.drop_oldest_output();
        }
    }

    /// Brings the waiting output down to half of what may wait, so that this happens once per many chunks.
    fn drop_oldest_output(&mut self) {
        for event in &mut self.events {
            if self.output_bytes <= QUEUED_OUTPUT / 2 {
                break;
            }
            let EventKind::Session { change, .. } = &mut event.kind else {
                continue;
            };
            let Change::Output { chunks } = change else {
                continue;
            };
            let all = Arc::make_mut(chunks);
            let mut dropped = 0;
            let mut lost = 0;
            let mut keep_from = 0;
            for chunk in all.iter() {
                if self.output_bytes - dropped <= QUEUED_OUTPUT / 2 {
                    break;
                }
                dropped += chunk.weight();
                lost += chunk.text.len() as u64 + chunk.lost_before;
                keep_from += 1;
            }
            all.drain(..keep_from);
            self.output_bytes -= dropped;
            if all.is_empty() {
                *change = Change::OutputLost { bytes: lost };
            } else if let Some(first) = all.first_mut() {
                // Said in place, so that the number and the gap are at the same spot.
                first.lost_before += lost;
            }
        }
    }
}

fn size(chunks: &[OutputChunk]) -> usize {
    chunks.iter().map(OutputChunk::weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;
    use crate::state::Session;

    fn output(text: &str) -> EventKind {
        EventKind::Session {
            session: SessionId(1),
            change: Change::Output {
                chunks: Arc::new(vec![OutputChunk {
                    category: "stdout".into(),
                    text: text.into(),
                    ..OutputChunk::default()
                }]),
            },
        }
    }

    fn started() -> EventKind {
        EventKind::SessionStarted {
            session: Box::new(Session {
                id: SessionId(1),
                ..Session::default()
            }),
        }
    }

    #[tokio::test]
    async fn snapshot_plus_tail_is_the_whole_history() {
        let mut hub = Hub::default();
        let (mut from_start, mut all) = hub.subscribe();
        let mut joined = Vec::new();
        hub.publish(started());
        for i in 0..50 {
            joined.push(hub.subscribe());
            hub.publish(output(&format!("line {i}\n")));
            if i % 7 == 0 {
                hub.publish(EventKind::Focus {
                    session: Some(SessionId(1)),
                });
            }
        }
        hub.close();
        while let Some(events) = all.next().await {
            for e in &events {
                from_start.apply(e);
            }
        }
        assert_eq!(from_start, hub.state);
        for (mut state, mut tail) in joined {
            while let Some(events) = tail.next().await {
                for e in &events {
                    state.apply(e);
                }
            }
            assert_eq!(state, hub.state);
        }
    }

    #[tokio::test]
    async fn a_listener_that_wants_all_output_is_waited_for_unless_somebody_waits_for_an_answer() {
        let mut hub = Hub::default();
        let mut slow = hub.subscribe().1.whole();
        hub.publish(started());
        let line = "x".repeat(1023) + "\n";
        let mut printed = 0;
        while !hub.is_ahead() {
            assert!(printed < QUEUED_OUTPUT, "it is never waited for");
            hub.publish(output(&line));
            printed += line.len();
        }
        hub.open.fetch_add(1, Ordering::AcqRel);
        assert!(!hub.is_ahead());
        while printed < 2 * QUEUED_OUTPUT {
            hub.publish(output(&line));
            printed += line.len();
        }
        hub.open.fetch_sub(1, Ordering::AcqRel);
        assert!(hub.is_ahead());
        let mut state = State::default();
        slow.next()
            .await
            .into_iter()
            .flatten()
            .for_each(|event| state.apply(&event));
        hub.taken.notified().await;
        assert!(!hub.is_ahead());
        let out = &state.sessions[0].output;
        assert_eq!(out.dropped_bytes + out.bytes() as u64, printed as u64);
        assert_eq!(out.text(), hub.state.sessions[0].output.text());
    }

    #[tokio::test]
    async fn a_listener_that_lags_loses_only_old_output_and_learns_how_much() {
        let mut hub = Hub::default();
        let (mut state, mut slow) = hub.subscribe();
        hub.publish(started());
        let line = "x".repeat(1023) + "\n";
        let total = 20 * 1024;
        for _ in 0..total {
            hub.publish(output(&line));
        }
        hub.publish(EventKind::Focus {
            session: Some(SessionId(1)),
        });
        hub.close();
        while let Some(events) = slow.next().await {
            let queued: usize = events.len();
            assert!(
                queued < 10,
                "runs of output are merged, got {queued} events"
            );
            for e in &events {
                state.apply(e);
            }
        }
        let out = &state.sessions[0].output;
        let whole = &hub.state.sessions[0].output;
        assert_eq!(state.focus, Some(SessionId(1)));
        assert_eq!(out.text(), whole.text(), "the newest output is all there");
        assert_eq!(
            out.dropped_bytes + out.bytes() as u64,
            (total * 1024) as u64
        );
    }
}
