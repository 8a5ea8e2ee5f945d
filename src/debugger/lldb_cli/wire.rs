//! The core's side: requests come in, answers and events go out, as DAP over a pair of streams.

use dap::codec::{DapCodec, Item, encode_frame};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_util::{codec::Decoder as _, sync::CancellationToken};

use crate::prelude::*;

/// How many messages may wait to be written before whoever tells more waits.
const QUEUE: usize = 256;

/// Where answers and events go.
#[derive(Clone, Debug)]
pub(super) struct Wire(mpsc::Sender<Value>);

/// What the core asks.
#[derive(Debug)]
pub(super) struct Requests {
    queue: mpsc::UnboundedReceiver<Request>,
    /// The core wants to leave: whatever is being done is not worth waiting for.
    pub(super) leaving: CancellationToken,
}

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    seq: i64,
    /// What is asked for.
    pub(super) command: String,
    /// With these arguments.
    pub(super) arguments: Value,
}

impl Wire {
    /// Speaks on these streams.
    pub(super) fn over<I, O>(read: I, write: O) -> (Self, Requests)
    where
        I: AsyncRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, messages) = mpsc::channel(QUEUE);
        let (asked, queue) = mpsc::unbounded_channel();
        let leaving = CancellationToken::new();
        tasks::spawn(write_all(write, messages));
        tasks::spawn(read_all(read, asked, leaving.clone()));
        (Self(sender), Requests { queue, leaving })
    }

    /// Tells something unasked.
    pub(super) async fn event(&self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }))
            .await;
    }

    /// Answers a request.
    pub(super) async fn answer(&self, request: &Request, result: Result<Value, String>) {
        let (success, body, message) = match result {
            Ok(body) => (true, body, None),
            Err(why) => {
                let error = json!({ "error": { "id": 1, "format": "{why}", "variables": { "why": why }, "showUser": true } });
                (false, error, Some(why))
            }
        };
        self.send(json!({
            "type": "response",
            "request_seq": request.seq,
            "success": success,
            "command": request.command,
            "message": message,
            "body": body,
        }))
        .await;
    }

    async fn send(&self, message: Value) {
        // A core that has left hears nothing more, and needs nothing more.
        let _ = self.0.send(message).await;
    }
}

impl Requests {
    /// The next one; none when the core has left.
    pub(super) async fn next(&mut self) -> Option<Request> {
        self.queue.recv().await
    }
}

async fn write_all(mut write: impl AsyncWrite + Unpin, mut messages: mpsc::Receiver<Value>) {
    let mut seq = 0;
    while let Some(mut message) = messages.recv().await {
        seq += 1;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".to_owned(), seq.into());
        }
        if write
            .write_all(&encode_frame(message.to_string().as_bytes()))
            .await
            .is_err()
        {
            return;
        }
    }
    // The core sees the end of the stream.
    let _ = write.shutdown().await;
}

async fn read_all(
    mut read: impl AsyncRead + Unpin,
    asked: mpsc::UnboundedSender<Request>,
    leaving: CancellationToken,
) {
    let mut codec = DapCodec::client();
    let mut buffer = bytes::BytesMut::new();
    // Whichever way reading ends, nobody asks any more.
    let _leaves = leaving.clone().drop_guard();
    loop {
        while let Ok(Some(item)) = codec.decode(&mut buffer) {
            let Item::Frame(frame) = item else { continue };
            let Ok(mut message) = serde_json::from_slice::<Value>(&frame.bytes) else {
                continue;
            };
            if message.get("type").and_then(Value::as_str) != Some("request") {
                continue;
            }
            let text = message.get("command").and_then(Value::as_str);
            let request = Request {
                seq: message
                    .get("seq")
                    .and_then(Value::as_i64)
                    .unwrap_or_default(),
                command: text.unwrap_or_default().to_owned(),
                arguments: message
                    .get_mut("arguments")
                    .map(Value::take)
                    .unwrap_or_default(),
            };
            if request.command == "disconnect" {
                leaving.cancel();
            }
            if asked.send(request).is_err() {
                return;
            }
        }
        if !matches!(read.read_buf(&mut buffer).await, Ok(1..)) {
            return;
        }
    }
}
