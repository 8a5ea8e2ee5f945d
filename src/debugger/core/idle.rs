//! When sessions were last used, and the end of those that nobody uses any more.
//!
//! A person may leave a session for the night; a host without one sets [`idle_limit`](super::CoreConfig::idle_limit), so that a
//! debuggee does not stay because its asker forgot it. Nothing is polled: the owner's loop wakes when the first limit is
//! reached. That an adapter has died needs no limit and no heartbeat: the end of its process or connection is an event.

use std::time::UNIX_EPOCH;

use super::prelude::*;

impl Owner {
    /// Notes that someone asks something of a session; with a child, its root is used as well.
    pub fn used(&mut self, command: &Command) {
        let Some(id) = command
            .session()
            .and_then(|named| named.or(self.hub.state.focus))
        else {
            return;
        };
        let root = self.root_of(id);
        for id in [Some(id), Some(root).filter(|root| *root != id)]
            .into_iter()
            .flatten()
        {
            if let Some(live) = self.live_mut(id) {
                live.used = Some(Instant::now());
                self.change(id, Change::Used { at: now() });
            }
        }
    }

    /// Root sessions that may be ended for want of use, with the moment of that.
    fn limits(&self) -> impl Iterator<Item = (SessionId, Instant)> {
        let limited = self.config.idle_limit.into_iter().flat_map(|limit| {
            let used = self.live.values();
            used.filter_map(move |live| Some((live, live.used?.checked_add(limit)?)))
        });
        let roots = limited.filter(|(live, _)| {
            (!live.ending || live.lingers)
                && self.session(live.id).is_some_and(|s| s.parent.is_none())
        });
        roots.map(|(live, at)| (live.id, at))
    }

    /// When the first limit is reached.
    pub fn idle_at(&self) -> Option<Instant> {
        self.limits().map(|(_, at)| at).min()
    }

    /// Ends those whose limit is reached: what was launched ends, what was attached to runs on.
    pub fn end_idle(&mut self) {
        let now = Instant::now();
        let idle: Vec<_> = self.limits().filter(|(_, at)| *at <= now).collect();
        for (id, _) in idle {
            let limit = self.config.idle_limit.unwrap_or_default().as_secs();
            let text = format!("{id} was ended: nobody used it for {limit} s.");
            self.inform(id, text);
            let handled = self.terminate(Some(id));
            self.unanswered(handled);
        }
    }
}

/// In milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| u64::try_from(since.as_millis()).ok())
        .unwrap_or_default()
}
