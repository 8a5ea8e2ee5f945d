//! What a command comes to: a refusal, or who gives its answer and when.
//!
//! A command is refused by `?` like everywhere else; whoever asked is told in one place, [`Owner::answer`].

use super::prelude::*;

/// Why a command is refused, or what answers it.
pub type Handled = Result<Box<dyn FnOnce(&mut Owner, Answer)>>;

/// `by` gets the answer's sender, and answers when it can.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the end of a command that was not refused, which is what a `Handled` says"
)]
pub fn held(by: impl FnOnce(&mut Owner, Answer) + 'static) -> Handled {
    Ok(Box::new(by))
}

pub fn at_once(reply: Result<Reply>) -> Handled {
    let reply = reply?;
    held(|_, answer| {
        let _ = answer.send(Ok(reply));
    })
}

/// The answer goes straight to the asker: nothing of the state changes.
pub fn later(work: impl Future<Output = Result<Reply>> + Send + 'static) -> Handled {
    held(|_, answer| {
        tasks::spawn(async move {
            let _ = answer.send(work.await);
        });
    })
}

/// The owner makes the answer of what `work` came to.
pub fn after<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    then: impl FnOnce(&mut Owner, T) -> Result<Reply> + Send + 'static,
) -> Handled {
    onward(work, |owner, done| at_once(then(owner, done)))
}

/// Behind `work` comes what another command would do as well.
pub fn onward<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    then: impl FnOnce(&mut Owner, T) -> Handled + Send + 'static,
) -> Handled {
    handed_on(work, |owner, done, answer| {
        let handled = then(owner, done);
        owner.answer(handled, answer);
    })
}

/// What comes behind `work` answers when it can.
pub fn handed_on<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    then: impl FnOnce(&mut Owner, T, Answer) + Send + 'static,
) -> Handled {
    held(|owner, answer| owner.spawn(work, |owner, done| then(owner, done, answer)))
}

impl Owner {
    /// Does what nobody waits for.
    pub fn unanswered(&mut self, handled: Handled) {
        self.answer(handled, oneshot::channel().0);
    }

    /// Does what another command would do, and gives its answer.
    pub fn answered_by(
        &mut self,
        handled: Handled,
    ) -> impl Future<Output = Result<Reply>> + Send + use<> {
        let (answer, answered) = oneshot::channel();
        self.answer(handled, answer);
        async { answered.await.unwrap_or_else(|_closed| Err(gone())) }
    }

    pub fn answer(&mut self, handled: Handled, answer: Answer) {
        match handled {
            Ok(by) => by(self, answer),
            Err(error) => {
                let _ = answer.send(Err(error));
            }
        }
    }
}
