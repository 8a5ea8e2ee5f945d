//! A core that runs in another process: a [`CoreHandle`] whose commands are carried elsewhere, and whose events come from there.
//!
//! What carries them is left to the caller (`debugger::link`). Listeners here are served as those of a core are: they follow a copy
//! of the state, and a slow one holds nobody up.

use super::{hub::Hub, owner::Control, prelude::*};

/// The other end of a handle.
pub struct Remote {
    control: mpsc::UnboundedReceiver<Control>,
    mirror: Mirror,
}

/// What is known of the state.
enum Mirror {
    /// Nobody has asked for it.
    Unwanted,
    /// These wait for it.
    Awaited(Vec<oneshot::Sender<(State, Subscription)>>),
    Known(Box<Hub>),
    /// Nothing more will come.
    Closed,
}

/// What is wanted of the core elsewhere.
pub enum RemoteRequest {
    /// A command, and who waits for its answer.
    Command {
        command: Box<Command>,
        /// The asker's own deadline, and how it is taken back.
        terms: Option<Terms>,
        /// The stop that the asker looked at.
        expected_stop: Option<StopId>,
        /// Whom to answer.
        reply: oneshot::Sender<Result<Reply>>,
    },
    /// State and events; asked once, whatever the number of listeners. Answer with [`Remote::begin`].
    Follow,
}

impl Remote {
    /// A handle, and its other end.
    pub fn new() -> (CoreHandle, Self) {
        let (control, receiver) = mpsc::unbounded_channel();
        let remote = Self {
            control: receiver,
            mirror: Mirror::Unwanted,
        };
        let handle = CoreHandle {
            control,
            by: None,
            open: Arc::default(),
        };
        (handle, remote)
    }

    /// The next thing to carry over; `None` when the last handle is gone.
    pub async fn next(&mut self) -> Option<RemoteRequest> {
        loop {
            match self.control.recv().await? {
                Control::Command {
                    command,
                    terms,
                    by,
                    reply,
                } => {
                    return Some(RemoteRequest::Command {
                        command,
                        terms,
                        expected_stop: by.and_then(|by| by.caller.expected_stop),
                        reply,
                    });
                }
                // The core there judges each command for itself.
                Control::May { reply, .. } => {
                    let _ = reply.send(Ok(()));
                }
                Control::Subscribe { reply } => match &mut self.mirror {
                    Mirror::Unwanted => {
                        self.mirror = Mirror::Awaited(vec![reply]);
                        return Some(RemoteRequest::Follow);
                    }
                    Mirror::Awaited(waiting) => waiting.push(reply),
                    Mirror::Known(hub) => {
                        // Whoever asked may have gone.
                        let _ = reply.send(hub.subscribe());
                    }
                    Mirror::Closed => {}
                },
                // Only an owner gives itself work, and who is here is told by the connection.
                Control::Then(_) | Control::Here { .. } | Control::Gone { .. } => {}
            }
        }
    }

    /// The state that events will follow on.
    pub fn begin(&mut self, state: State) {
        let mut hub = Hub::default();
        hub.state = state;
        if let Mirror::Awaited(waiting) = &mut self.mirror {
            for reply in waiting.drain(..) {
                let _ = reply.send(hub.subscribe());
            }
        }
        self.mirror = Mirror::Known(Box::new(hub));
    }

    /// The next event.
    pub fn relay(&mut self, event: &Event) {
        if let Mirror::Known(hub) = &mut self.mirror {
            hub.relay(event);
        }
    }

    /// Nothing more will come: listeners are told, and commands not yet taken are answered as by a core that has ended.
    pub fn close(&mut self) {
        self.control.close();
        if let Mirror::Known(hub) = &mut self.mirror {
            hub.close();
        }
        self.mirror = Mirror::Closed;
    }
}
