//! One editor: who it is, what it asks, what it is told. An editor that does not read loses its connection, and nobody else notices.

use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use tokio::{net::TcpStream, task::JoinSet, time::timeout};
use tokio_util::codec::Framed;

use super::{
    Mirror,
    view::{At, NamedEvent, Step, View},
};
use crate::prelude::*;
use dap::{
    codec::{DapCodec, Item},
    message::{Message, Request},
};
use debugger::random;

/// How long an editor may take to show its token.
const GREETING: Duration = Duration::from_secs(10);
/// How long it may take nothing of what it is sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a request; those that look are small.
const LONGEST_REQUEST: usize = 1 << 20;
/// Requests that may be with the core: those of all editors together are fewer than a host takes from one of its clients.
const MOST_REQUESTS: usize = 15;

struct Editor {
    wire: Framed<TcpStream, DapCodec>,
    /// Of the next message.
    seq: i64,
    mirror: Arc<Mirror>,
    state: State,
    view: View,
    /// It has said that it is ready, and was told where the program stands.
    told: bool,
    asked: JoinSet<(Request, At, Result<Reply>)>,
}

/// Serves an editor until it goes.
pub(super) async fn attend(stream: TcpStream, mirror: Arc<Mirror>) {
    // An answer does not wait until the last one was confirmed.
    let _ = stream.set_nodelay(true);
    let mut editor = Editor {
        wire: Framed::new(stream, DapCodec::server().at_most(LONGEST_REQUEST)),
        seq: 1,
        state: State::default(),
        view: View::new(mirror.host.clone(), mirror.discretion.clone()),
        told: false,
        asked: JoinSet::new(),
        mirror,
    };
    if let Ok(Some(())) = timeout(GREETING, editor.greet()).await {
        editor.serve().await;
    }
}

/// What returns none was the last that happened on the connection.
impl Editor {
    /// Nobody is told anything who does not know the token.
    async fn greet(&mut self) -> Option<()> {
        loop {
            let request = hear(&mut self.wire).await?;
            let arguments = request.arguments.value();
            let token = arguments.get("token").and_then(Value::as_str);
            match request.command.as_str() {
                "initialize" => self.answer(&request, Ok(capabilities())).await?,
                "attach" | "launch" => {
                    let (own, given) = (&self.mirror.token, token.unwrap_or_default());
                    let is_right = random::is_same(own.as_bytes(), given.as_bytes());
                    let why =
                        || "The `token` is not the one that `omp-debug mirror` printed.".to_owned();
                    let result = is_right.then_some(Value::Null).ok_or_else(why);
                    self.answer(&request, result).await?;
                    return is_right.then_some(());
                }
                "disconnect" => return self.leave(&request).await,
                _ => {
                    let why = "The first request must be `attach` with the `token` that `omp-debug mirror` printed.";
                    self.answer(&request, Err(why.to_owned())).await?;
                }
            }
        }
    }

    async fn serve(&mut self) -> Option<()> {
        let mut events;
        (self.state, events) = self.mirror.core.subscribe().await?;
        self.tell(vec![("initialized", Value::Null)]).await?;
        loop {
            tokio::select! {
                biased;
                batch = events.next() => match batch {
                    Some(batch) => self.happened(batch).await?,
                    None => return self.tell(vec![("terminated", Value::Null)]).await,
                },
                Some(Ok((request, at, reply))) = self.asked.join_next() => {
                    // What the answer is about is told before it.
                    if let Some(Some(batch)) = events.next().now_or_never() {
                        self.happened(batch).await?;
                    }
                    if matches!(reply, Ok(Reply::Done | Reply::Scopes { .. })) {
                        // The state has it now.
                        self.look(request).await?;
                    } else {
                        let result = self.view.finish(&request, at, reply);
                        self.answer(&request, result).await?;
                    }
                }
                // Its other requests wait on the wire.
                request = hear(&mut self.wire), if self.asked.len() < MOST_REQUESTS => {
                    self.take(request?).await?;
                }
            }
        }
    }

    async fn take(&mut self, request: Request) -> Option<()> {
        match request.command.as_str() {
            "disconnect" => self.leave(&request).await,
            "configurationDone" => {
                self.answer(&request, Ok(Value::Null)).await?;
                self.told = true;
                let news = self.view.greeting(&self.state);
                self.tell(news).await
            }
            _ => self.look(request).await,
        }
    }

    async fn look(&mut self, request: Request) -> Option<()> {
        match self.view.begin(&self.state, &request) {
            Ok(Step::Answer(body)) => self.answer(&request, Ok(body)).await,
            Ok(Step::Ask(command)) => {
                let (answer, at) = (self.mirror.core.request(command), self.view.at);
                self.asked.spawn(async move { (request, at, answer.await) });
                Some(())
            }
            Err(why) => self.answer(&request, Err(why)).await,
        }
    }

    async fn happened(&mut self, events: Vec<Event>) -> Option<()> {
        let mut news = Vec::new();
        for event in events {
            self.state.apply(&event);
            if self.told {
                news.extend(self.view.news(&self.state, Some(&event.kind)));
            }
        }
        news.extend(self.view.settled());
        self.tell(news).await
    }

    async fn leave(&mut self, request: &Request) -> Option<()> {
        self.answer(request, Ok(Value::Null)).await?;
        None
    }

    async fn tell(&mut self, news: Vec<NamedEvent>) -> Option<()> {
        for (event, body) in news {
            let message = json!({"seq": self.seq, "type": "event", "event": event, "body": body});
            self.send(message).await?;
        }
        Some(())
    }

    async fn answer(&mut self, request: &Request, result: Result<Value, String>) -> Option<()> {
        let message = json!({
            "seq": self.seq,
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": result.is_ok(),
            "message": result.as_ref().err(),
            "body": result.as_ref().ok(),
        });
        self.send(message).await
    }

    async fn send(&mut self, message: Value) -> Option<()> {
        self.seq += 1;
        let message = self.view.fit(message).to_string();
        timeout(PATIENCE, self.wire.send(message.into()))
            .await
            .ok()?
            .ok()
    }
}

/// The next request; none when there is no more, or when what comes is none.
async fn hear(wire: &mut Framed<TcpStream, DapCodec>) -> Option<Request> {
    let Ok(Item::Frame(frame)) = wire.next().await? else {
        return None;
    };
    match Message::parse(&frame.bytes) {
        Ok(Message::Request(request)) => Some(request),
        _ => None,
    }
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsDelayedStackTraceLoading": true,
    })
}
