//! Small commands that the owner does at once: what a session spent, which is looked at, watches, work to be given up.

use std::time::Instant;

use super::prelude::*;
use crate::state::Watch;

impl Owner {
    pub fn spent(&mut self, session: Option<SessionId>) -> Result<Reply> {
        let session = self.meant(session)?.id;
        let spent = self.hub.clock(session).spent(Instant::now());
        Ok(Reply::Spent { spent })
    }

    pub fn clear(&mut self, session: SessionId) -> Result<Reply> {
        let known = self.meant(Some(session))?;
        if known.phase.is_live() || self.live.contains_key(&session) {
            return Err(DebuggerError::state(format!("{session} is still active."))
                .hint("terminate it first"));
        }
        self.hub.publish(EventKind::SessionCleared { session });
        Ok(Reply::Done)
    }

    pub fn focus(&mut self, session: SessionId) -> Result<Reply> {
        self.meant(Some(session))?;
        self.hub.focus(session);
        Ok(Reply::Done)
    }

    pub fn add_watch(&mut self, expression: String) -> Result<Reply> {
        let all = &self.hub.state.watches;
        let known = all.iter().find(|w| w.expression == expression);
        let new = || WatchId(all.iter().map(|w| w.id.0).max().unwrap_or(0) + 1);
        self.set_watch(known.map_or_else(new, |w| w.id), expression)
    }

    pub fn set_watch(&mut self, id: WatchId, expression: String) -> Result<Reply> {
        if expression.trim().is_empty() {
            return Err(DebuggerError::usage("A watch needs an expression."));
        }
        let watch = Watch {
            id,
            expression,
            aside: None,
        };
        self.hub.publish(EventKind::WatchSet {
            watch: watch.clone(),
        });
        self.load_new_watch(&watch);
        Ok(Reply::Done)
    }

    /// Asks an adapter to stop what it told the progress of.
    pub fn cancel_progress(&self, session: Option<SessionId>, id: String) -> Result<Reply> {
        let (_, client) = self.capable::<Cancel>(session, Action::List, "cancelling")?;
        // Not awaited: some adapters answer only when the work has ended.
        drop(client.send::<Cancel>(&CancelArguments {
            progress_id: Some(id),
            ..Default::default()
        }));
        Ok(Reply::Done)
    }
}
