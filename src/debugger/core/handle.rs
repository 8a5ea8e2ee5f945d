//! How everyone talks to a core: a handle that any number of front ends hold, each as whoever they act for.

use super::{owner::Control, prelude::*};
use crate::permission::Caller;

/// The core. Only its handle is ever held.
pub struct Core;

impl Core {
    /// Starts the core on the current runtime. It ends on [`Command::Shutdown`], or when the last handle is gone.
    pub fn start(config: CoreConfig) -> CoreHandle {
        let (control, control_rx) = mpsc::unbounded_channel();
        let handle = CoreHandle {
            control: control.clone(),
            by: None,
        };
        tasks::spawn(Owner::new(config, control.downgrade()).run(control_rx));
        handle
    }
}

/// A way to talk to a core.
#[derive(Clone, Debug)]
pub struct CoreHandle {
    pub(super) control: mpsc::UnboundedSender<Control>,
    /// Who acts through it; none = the person.
    pub(super) by: Option<Arc<Asker>>,
}

/// Someone who is there. Dropping it says that they have gone: what waited for consent of theirs waits no longer, and whoever they
/// drove for is without a driver.
#[derive(Debug)]
pub struct Presence {
    control: mpsc::WeakUnboundedSender<Control>,
    actor: Actor,
    answers: bool,
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(control) = self.control.upgrade() {
            let _ = control.send(Control::Gone {
                actor: mem::take(&mut self.actor),
                answers: self.answers,
            });
        }
    }
}

impl CoreHandle {
    /// The same core for someone else: whatever is asked through it is theirs.
    #[must_use]
    pub fn acting_as(&self, caller: impl Into<Caller>) -> Self {
        let caller = caller.into();
        let by = (!caller.is_the_person()).then_some(Asker {
            caller,
            action: None,
        });
        Self {
            control: self.control.clone(),
            by: by.map(Arc::new),
        }
    }

    /// The same for what an action of the tool asks.
    pub(crate) fn doing(&self, action: &'static str) -> Self {
        let by = self.by.as_deref().map(|by| Asker {
            caller: by.caller.clone(),
            action: Some(action),
        });
        Self {
            control: self.control.clone(),
            by: by.map(Arc::new),
        }
    }

    /// Who acts through it.
    pub fn actor(&self) -> Actor {
        let by = self.by.as_ref();
        by.map(|by| by.caller.actor.clone()).unwrap_or_default()
    }

    /// Says that whoever acts through it is there, and whether a person sits there who can answer what waits for consent: without
    /// any such person, what would have to be asked about is refused.
    pub fn present(&self, answers: bool) -> Presence {
        let actor = self.actor();
        let _ = self.control.send(Control::Here {
            actor: actor.clone(),
            answers,
        });
        Presence {
            control: self.control.downgrade(),
            actor,
            answers,
        }
    }

    /// Whether an action that only looks may be done.
    pub async fn may(&self, action: &'static str) -> Result<()> {
        let Some(by) = self.by.clone() else {
            return Ok(());
        };
        let (reply, answer) = oneshot::channel();
        self.put(Control::May { by, action, reply }, answer).await
    }

    /// Asks for something. Commands are taken in the order in which this is called, not in which the answers are awaited;
    /// dropping the answer does not take the command back.
    pub fn request(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        self.ask(command, None)
    }

    /// As [`Self::request`], for someone with a deadline: each request to the adapter that the command leads to may take
    /// `timeout`. When the answer is dropped before it is there, the adapter is told that the request under way is taken back,
    /// where it understands; nothing else changes, and a session that is starting starts.
    pub fn request_within(
        &self,
        command: Command,
        timeout: Duration,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let taken_back = CancellationToken::new();
        let guard = taken_back.clone().drop_guard();
        let terms = Terms {
            timeout,
            taken_back,
        };
        let answer = self.ask(command, Some(terms));
        async move {
            let answer = answer.await;
            guard.disarm();
            answer
        }
    }

    fn ask(
        &self,
        command: Command,
        terms: Option<Terms>,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let (reply, answer) = oneshot::channel();
        let question = Control::Command {
            command: Box::new(command),
            terms,
            by: self.by.clone(),
            reply,
        };
        self.put(question, answer)
    }

    fn put<T: Send + 'static>(
        &self,
        question: Control,
        answer: oneshot::Receiver<Result<T>>,
    ) -> impl Future<Output = Result<T>> + Send + use<T> {
        let sent = self.control.send(question);
        async move {
            sent.map_err(|_closed| gone())?;
            answer.await.unwrap_or_else(|_closed| Err(gone()))
        }
    }

    /// The state as of now, and every event after it.
    pub async fn subscribe(&self) -> Option<(State, Subscription)> {
        let (reply, answer) = oneshot::channel();
        self.control.send(Control::Subscribe { reply }).ok()?;
        answer.await.ok()
    }
}
