//! The other side of a connection, for those of us who speak as an adapter does: requests come in, answers and events go out.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use base::tasks;
use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc,
};
use tokio_util::codec::Decoder as _;

use crate::{
    codec::{DapCodec, Item, encode_frame},
    message::{Message, Request, encode_request, encode_response},
};

/// How many messages may wait to be written before whoever sends more waits.
const QUEUE: usize = 256;
/// How many of them one write takes along.
const BATCH: usize = 64;

/// The messages of a stream.
#[derive(Debug)]
pub struct Frames<R> {
    read: R,
    codec: DapCodec,
    buffer: BytesMut,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub fn new(read: R, codec: DapCodec) -> Self {
        Self {
            read,
            codec,
            buffer: BytesMut::with_capacity(16 << 10),
        }
    }

    /// The next one; none at the end, or where the stream cannot be followed. May be given up and asked again.
    pub async fn next(&mut self) -> Option<Bytes> {
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
                    tracing::warn!(%error, "a stream of messages was cut off");
                    return None;
                }
            }
        }
    }

    /// The next one that is a request; as [`Self::next`].
    pub async fn request(&mut self) -> Option<Request> {
        loop {
            if let Ok(Message::Request(request)) = Message::parse(&self.next().await?) {
                return Some(request);
            }
        }
    }
}

/// Where messages are written. They are numbered in the order in which they are sent, but for those that have their number.
#[derive(Clone, Debug)]
pub struct Out {
    queue: mpsc::Sender<Bytes>,
    last: Arc<AtomicI64>,
}

impl Out {
    /// Writes on this stream, and closes it when all who write are gone.
    pub fn over(write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        tasks::spawn(write_all(write, messages));
        Self {
            queue,
            last: Arc::default(),
        }
    }

    fn number(&self) -> i64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A message as it is. A side that is gone hears nothing more, and its own end tells of that.
    pub async fn send(&self, frame: Bytes) {
        let _ = self.queue.send(frame).await;
    }

    /// A message that gets its number here.
    pub async fn message(&self, mut message: Value) {
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".to_owned(), self.number().into());
        }
        self.send(message.to_string().into()).await;
    }

    pub async fn event(&self, event: &str, body: Value) {
        let event = json!({ "type": "event", "event": event, "body": body });
        self.message(event).await;
    }

    /// A request under a number of the asker's.
    pub async fn request(&self, seq: i64, command: &str, arguments: &Value) {
        if let Ok(frame) = encode_request(seq, command, arguments) {
            self.send(frame).await;
        }
    }

    /// The answer to the request of that number.
    pub async fn answer(&self, seq: i64, command: &str, result: Result<Value, String>) {
        let frame = encode_response(self.number(), seq, command, result);
        self.send(frame).await;
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
