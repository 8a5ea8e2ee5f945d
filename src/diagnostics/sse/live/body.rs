//! Bodies of requests and responses: passed on piece by piece as they come, counted or copied on their way.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::wire::{ResponseEnd, Tap, Wire, causes};
use crate::sse::feed::now;

/// A body.
#[derive(Debug)]
pub enum Body {
    Text(Option<Bytes>),
    /// A request's, whose bytes are counted.
    Counted {
        inner: Incoming,
        count: Arc<AtomicU64>,
    },
    /// A response's, of which a copy is told.
    Copied {
        inner: Incoming,
        copy: Copy,
    },
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut *self {
            Self::Text(text) => {
                let text = text.take().filter(|text| !text.is_empty());
                Poll::Ready(text.map(|text| Ok(Frame::data(text))))
            }
            Self::Counted { inner, count } => {
                let frame = std::task::ready!(Pin::new(inner).poll_frame(context));
                if let Some(Ok(frame)) = &frame
                    && let Some(data) = frame.data_ref()
                {
                    count.fetch_add(data.len() as u64, Ordering::Relaxed);
                }
                Poll::Ready(frame)
            }
            Self::Copied { inner, copy } => {
                let frame = std::task::ready!(Pin::new(&mut *inner).poll_frame(context));
                match &frame {
                    Some(Ok(frame)) => {
                        if let Some(data) = frame.data_ref() {
                            copy.take(data);
                        }
                        // With a known length nobody asks once more.
                        if inner.is_end_stream() {
                            copy.end(ResponseEnd::Whole);
                        }
                    }
                    Some(Err(error)) => copy.end(ResponseEnd::Broken(causes(error))),
                    None => copy.end(ResponseEnd::Whole),
                }
                Poll::Ready(frame)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Text(text) => text.as_ref().is_none_or(Bytes::is_empty),
            Self::Counted { inner, .. } | Self::Copied { inner, .. } => inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Text(text) => {
                SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64))
            }
            Self::Counted { inner, .. } | Self::Copied { inner, .. } => inner.size_hint(),
        }
    }
}

/// The copy of one response. Dropped before its end: the client went away.
#[derive(Debug)]
pub struct Copy {
    tap: Tap,
    exchange: u64,
    lost: u64,
    is_over: bool,
}

impl Copy {
    pub fn new(tap: Tap, exchange: u64) -> Self {
        Self {
            tap,
            exchange,
            lost: 0,
            is_over: false,
        }
    }

    pub fn take(&mut self, bytes: &Bytes) {
        if !self.tap.has_room(bytes.len()) {
            // Told once, where it ends: words about holes take room as well.
            self.lost += bytes.len() as u64;
            return;
        }
        if self.lost > 0 {
            self.tell_lost();
        }
        self.tap.bytes(self.exchange, bytes, now());
    }

    fn tell_lost(&mut self) {
        let bytes = std::mem::take(&mut self.lost);
        self.tap.tell(Wire::Lost {
            exchange: self.exchange,
            bytes,
        });
    }

    pub fn end(&mut self, end: ResponseEnd) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        if self.lost > 0 {
            self.tell_lost();
        }
        self.tap.tell(Wire::End {
            exchange: self.exchange,
            end,
            time: now(),
        });
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        self.end(ResponseEnd::Left);
    }
}
