//! What a client is told unasked: that the list of tools is another one, and that resources it follows have changed. Models are not woken
//! by it; what happened is told with every answer, too.

use std::sync::Mutex;

use rmcp::{
    model::{ErrorData, ResourceUpdatedNotificationParam},
    service::{Peer, RoleServer, SubscriptionSink},
};

use super::{resources, tools};
use crate::prelude::*;

/// Changes within this time are told once.
const TOGETHER: Duration = Duration::from_millis(150);
/// Resources that one client may follow.
const MOST: usize = 64;

/// The resources that a client follows. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeSet<String>>>);

impl Subscribed {
    pub(super) fn add(&self, uri: String) -> Result<(), ErrorData> {
        let mut all = lock(&self.0);
        if all.len() >= MOST {
            return Err(ErrorData::invalid_params(
                format!("{MOST} resources are followed already"),
                None,
            ));
        }
        all.insert(uri);
        Ok(())
    }

    pub(super) fn remove(&self, uri: &str) {
        lock(&self.0).remove(uri);
    }
}

/// How it is told.
pub(super) enum NoticeChannel {
    /// Revision 2025-11-25: by the connection.
    Peer(Peer<RoleServer>, Subscribed),
    /// 2026-07-28: by the answer to one request.
    Sink(SubscriptionSink),
}

impl NoticeChannel {
    /// Whether it could be told.
    async fn updated(&self, uri: String) -> bool {
        match self {
            Self::Peer(_, followed) if !lock(&followed.0).contains(&uri) => true,
            Self::Peer(peer, _) => peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .is_ok(),
            Self::Sink(sink)
                if sink
                    .accepted()
                    .resource_subscriptions
                    .as_ref()
                    .is_none_or(|all| !all.contains(&uri)) =>
            {
                true
            }
            Self::Sink(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }

    async fn tools_changed(&self) -> bool {
        match self {
            Self::Peer(peer, _) => peer.notify_tool_list_changed().await.is_ok(),
            Self::Sink(sink) if sink.accepted().tools_list_changed != Some(true) => true,
            Self::Sink(sink) => sink.notify_tool_list_changed().await.is_ok(),
        }
    }
}

/// Tells until the client or the core has gone.
pub(super) async fn tell(core: CoreHandle, way: NoticeChannel) {
    let Some((mut state, mut events)) = core.subscribe().await else {
        return;
    };
    let names = |state: &State| {
        tools::offered(Some(state))
            .map(|row| row.name)
            .collect::<Vec<_>>()
    };
    let mut known = names(&state);
    while let Some(batch) = events.next().await {
        let mut changed = BTreeSet::new();
        let mut take = |batch: Vec<Event>| {
            for event in &batch {
                if let EventKind::Session { session, change } = &event.kind {
                    match change {
                        Change::Output { .. } => changed.insert(resources::output(*session)),
                        Change::Stopped { .. } | Change::Ended { .. } => {
                            changed.insert(resources::SNAPSHOT.to_owned())
                        }
                        _ => false,
                    };
                }
                state.apply(event);
            }
        };
        take(batch);
        let over = tokio::time::sleep(TOGETHER);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => break,
                more = events.next() => match more {
                    Some(more) => take(more),
                    None => return,
                },
            }
        }
        let now = names(&state);
        if now != known && !way.tools_changed().await {
            return;
        }
        known = now;
        for uri in changed {
            if !way.updated(uri).await {
                return;
            }
        }
    }
}
