//! Requests that an adapter has not answered for long: they are told of while they wait, and can be given up.

use dap::client::UnansweredRequest;

use super::{idle, prelude::*};
use crate::state::PendingRequest;

/// Tells the owner which requests of a connection are late, each time that changes, until the connection ends.
pub fn watch(
    client: &Client,
    owner: mpsc::Sender<FromAdapter>,
    session: SessionId,
    generation: u32,
    patience: Duration,
) {
    let mut late = client.late(patience);
    tasks::spawn(async move {
        while let Some(waiting) = late.changed().await {
            let news = FromAdapter {
                session,
                generation,
                what: Sent::Late(waiting),
            };
            if owner.send(news).await.is_err() {
                return;
            }
        }
    });
}

impl Owner {
    pub fn late(&mut self, session: SessionId, waiting: &[UnansweredRequest]) {
        let now = idle::now();
        let requests = waiting.iter().map(|waiting| PendingRequest {
            seq: waiting.seq,
            command: waiting.command.clone(),
            since: now.saturating_sub(waiting.asked.elapsed().as_millis() as u64),
        });
        let requests = requests.collect();
        self.change(session, Change::Pending { requests });
    }

    /// Gives up a request that waits: its asker is told so at once, its adapter is asked to stop.
    pub fn cancel_request(&self, session: Option<SessionId>, request: i64) -> Result<Reply> {
        let session = self.meant(session)?;
        let waiting = session.pending.iter().find(|p| p.seq == request);
        let client = self.live(session.id).and_then(|l| l.client.as_ref());
        let (Some(waiting), Some(client)) = (waiting, client) else {
            return Err(DebuggerError::state(format!(
                "The request {request} of {} waits for no answer.",
                session.id
            ))
            .hint("it was answered, or given up before"));
        };
        if !session.capabilities.supports_cancel_request {
            return Err(DebuggerError::capability(format!(
                "{} cannot be asked to give up {:?}.",
                session.adapter, waiting.command
            ))
            .hint("wait for its answer, or end the session"));
        }
        client.cancel(request);
        Ok(Reply::Done)
    }
}
