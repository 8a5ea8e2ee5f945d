//! Answers to come: futures that may be dropped, and that give up by themselves.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    error::RequestError,
    shared::{Answer, Shared, Terms},
};
use crate::{requests::DapRequest, tolerant::Tolerant as _};

/// Takes a request off the list when nobody waits for it any more.
pub struct Forget {
    pub shared: Arc<Shared>,
    pub seq: i64,
}

impl Drop for Forget {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let forgotten = self.shared.take(&mut state, self.seq);
        drop(state);
        drop(forgotten);
    }
}

/// The answer, or the sentence that it is late.
fn in_time(
    command: &str,
    timeout: Duration,
    answer: oneshot::Receiver<Answer>,
    shared: &Arc<Shared>,
) -> impl Future<Output = Answer> + Send + use<> {
    let sent = tokio::time::Instant::now();
    let timed_out = RequestError::Timeout {
        command: command.to_owned(),
        ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
    };
    let shared = Arc::clone(shared);
    async move {
        let answer = async { answer.await.unwrap_or_else(|_| Err(shared.not_running())) };
        match sent.checked_add(timeout) {
            Some(deadline) => tokio::time::timeout_at(deadline, answer)
                .await
                .unwrap_or(Err(timed_out)),
            // Longer than the clock can tell is as good as for ever.
            None => answer.await,
        }
    }
}

type Outcome = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The answer to [`crate::client::Client::send_raw`], once it is there.
#[must_use = "dropping a reply forgets the answer"]
pub struct RawReply {
    seq: i64,
    command: String,
    outcome: Outcome,
}

impl RawReply {
    pub(super) fn refused(command: &str, error: RequestError) -> Self {
        Self {
            seq: 0,
            command: command.to_owned(),
            outcome: Box::pin(std::future::ready(Err(error))),
        }
    }

    /// On somebody's own terms an adapter that is late, or whose answer nobody wants any more, is told so.
    pub(super) fn waiting(
        command: &str,
        terms: Terms,
        tells: bool,
        answer: oneshot::Receiver<Answer>,
        forget: Forget,
    ) -> Self {
        let seq = forget.seq;
        let answer = in_time(command, terms.timeout, answer, &forget.shared);
        let outcome = async move {
            let answer = tokio::select! {
                biased;
                answer = answer => answer,
                () = terms.taken_back.cancelled() => Err(RequestError::Cancelled),
            };
            let is_late = matches!(
                answer,
                Err(RequestError::Cancelled | RequestError::Timeout { .. })
            );
            if is_late && tells {
                forget.shared.cancel(seq);
            }
            answer
        };
        Self {
            seq,
            command: command.to_owned(),
            outcome: Box::pin(outcome),
        }
    }

    /// The request's number, for [`crate::client::Client::cancel`]; 0 when it was never sent.
    pub fn seq(&self) -> i64 {
        self.seq
    }
}

impl std::fmt::Debug for RawReply {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RawReply")
            .field("seq", &self.seq)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

impl Future for RawReply {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        self.outcome.as_mut().poll(context)
    }
}

/// The typed answer to [`crate::client::Client::send`], once it is there.
#[must_use = "dropping a reply forgets the answer"]
#[derive(Debug)]
pub struct Reply<R> {
    raw: RawReply,
    request: PhantomData<fn() -> R>,
}

impl<R> Reply<R> {
    pub(super) fn new(raw: RawReply) -> Self {
        Self {
            raw,
            request: PhantomData,
        }
    }

    /// The request's number, for [`crate::client::Client::cancel`]; 0 when it was never sent.
    pub fn seq(&self) -> i64 {
        self.raw.seq
    }
}

impl<R: DapRequest> Future for Reply<R> {
    type Output = Result<R::Response, RequestError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.raw).poll(context).map(|answer| {
            let body = answer?;
            if body.is_absent() {
                return Ok(R::Response::default());
            }
            body.parse().map_err(|error| RequestError::BadBody {
                command: R::COMMAND.to_owned(),
                error,
            })
        })
    }
}
