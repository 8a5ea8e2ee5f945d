//! Messages as bytes: reading them off a stream, writing them, and as much of one as has to be known to pass it on.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use dap::codec::{DapCodec, Item, encode_frame};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_util::codec::Decoder as _;

use crate::prelude::*;

/// How many messages may wait to be written before whoever sends more waits.
const QUEUE: usize = 256;
/// How many of them one write takes along.
const BATCH: usize = 64;

/// What stands around a body; bodies are passed on as they are.
#[derive(Debug, Deserialize)]
pub(super) struct Head<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(default)]
    pub(super) seq: i64,
    #[serde(default, borrow)]
    pub(super) command: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) event: Cow<'a, str>,
    #[serde(default)]
    pub(super) request_seq: i64,
    #[serde(default)]
    pub(super) success: bool,
}

impl<'a> Head<'a> {
    /// None for what is no message.
    pub(super) fn of(frame: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(frame).ok()
    }
}

pub(super) fn field(frame: &[u8], key: &str) -> Map<String, Value> {
    let whole: Value = serde_json::from_slice(frame).unwrap_or_default();
    match whole {
        Value::Object(mut fields) => match fields.remove(key) {
            Some(Value::Object(field)) => field,
            _ => Map::new(),
        },
        _ => Map::new(),
    }
}

/// The messages of a stream.
#[derive(Debug)]
pub(super) struct Frames<R> {
    read: R,
    codec: DapCodec,
    buffer: BytesMut,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(read: R, codec: DapCodec) -> Self {
        Self {
            read,
            codec,
            buffer: BytesMut::with_capacity(16 << 10),
        }
    }

    /// The next one; none at the end, or where the stream cannot be followed. May be given up and asked again.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.codec.decode(&mut self.buffer) {
                Ok(Some(Item::Frame(frame))) => return Some(frame.bytes),
                Ok(Some(Item::Noise(_))) => {}
                Ok(None) => {
                    self.buffer.reserve(16 << 10);
                    match self.read.read_buf(&mut self.buffer).await {
                        Ok(1..) => {}
                        Ok(0) | Err(_) => return None,
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a debug server was cut off");
                    return None;
                }
            }
        }
    }
}

/// Where messages are written.
#[derive(Clone, Debug)]
pub(super) struct Out(mpsc::Sender<Bytes>);

impl Out {
    pub(super) fn over(write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, queue) = mpsc::channel(QUEUE);
        tasks::spawn(write_all(write, queue));
        Self(sender)
    }

    /// A side that is gone hears nothing more, and its own end tells of that.
    pub(super) async fn send(&self, frame: Bytes) {
        let _ = self.0.send(frame).await;
    }

    pub(super) async fn value(&self, message: &Value) {
        self.send(message.to_string().into()).await;
    }

    pub(super) async fn event(&self, event: &str, body: Value) {
        self.value(&json!({ "seq": 0, "type": "event", "event": event, "body": body }))
            .await;
    }

    pub(super) async fn request(&self, seq: i64, command: &str, arguments: Value) {
        self.value(
            &json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }),
        )
        .await;
    }

    pub(super) async fn answer(&self, seq: i64, command: &str, result: Result<Value, &str>) {
        let success = result.is_ok();
        let message = result.as_ref().err().copied();
        let body = result.as_ref().ok();
        self.value(&json!({
            "seq": 0,
            "type": "response",
            "request_seq": seq,
            "success": success,
            "command": command,
            "message": message,
            "body": body,
        }))
        .await;
    }
}

async fn write_all(mut write: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Bytes>) {
    let mut batch = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let mut bytes = BytesMut::new();
        for frame in batch.drain(..) {
            bytes.extend_from_slice(&encode_frame(&frame));
        }
        if write.write_all(&bytes).await.is_err() || write.flush().await.is_err() {
            return;
        }
    }
    // The other side sees the end of the stream.
    let _ = write.shutdown().await;
}
