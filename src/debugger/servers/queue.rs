//! Requests that a server does better one at a time: who is next, and when the one before has had its time.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use tokio::time::Instant;

/// How long a request may take until the one behind it no longer waits for its answer.
const TURN: Duration = Duration::from_millis(100);

/// A request: its number, what it asks, and all of it.
pub type Request = (i64, String, Bytes);

/// Those that take turns. What is given out is to be sent.
#[derive(Debug, Default)]
pub struct RequestQueue {
    /// The number of the one that was sent, and how long the others wait for it.
    current: Option<(i64, Instant)>,
    waiting: VecDeque<Request>,
}

impl RequestQueue {
    /// One more; it is given back where none is before it.
    pub fn put(&mut self, request: Request) -> Option<Request> {
        self.waiting.push_back(request);
        if self.current.is_some() {
            return None;
        }
        self.next()
    }

    /// The next one, whether the one before it is answered or not.
    pub fn next(&mut self) -> Option<Request> {
        let next = self.waiting.pop_front();
        self.current = next.as_ref().map(|(seq, ..)| (*seq, Instant::now() + TURN));
        next
    }

    /// A request was answered: the next one, if that was waited for.
    pub fn answered(&mut self, seq: i64) -> Option<Request> {
        if self.current.is_some_and(|(current, _)| current == seq) {
            return self.next();
        }
        None
    }

    /// When whoever waits has waited long enough.
    pub fn until(&self) -> Option<Instant> {
        let (_, until) = self.current.filter(|_| !self.waiting.is_empty())?;
        Some(until)
    }

    /// All that were not sent.
    pub fn drain(&mut self) -> impl Iterator<Item = Request> {
        self.current = None;
        self.waiting.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(seq: i64) -> Request {
        (seq, "variables".to_owned(), Bytes::new())
    }

    fn seq(request: Option<Request>) -> Option<i64> {
        request.map(|(seq, ..)| seq)
    }

    #[test]
    fn each_waits_for_the_answer_to_the_one_before_it() {
        let mut turns = RequestQueue::default();
        assert_eq!(seq(turns.put(request(1))), Some(1));
        assert_eq!(turns.until(), None, "nobody waits");
        assert_eq!(seq(turns.put(request(2))), None);
        assert_eq!(seq(turns.put(request(3))), None);
        assert!(turns.until().is_some());
        // Answers to others are none of its business.
        assert_eq!(seq(turns.answered(7)), None);
        assert_eq!(seq(turns.answered(1)), Some(2));
        // One that takes its time is not waited for for ever, and its answer changes nothing then.
        assert_eq!(seq(turns.next()), Some(3));
        assert_eq!(seq(turns.answered(2)), None);
        assert_eq!(seq(turns.answered(3)), None);
        assert_eq!(seq(turns.put(request(4))), Some(4));
        assert_eq!(seq(turns.put(request(5))), None);
        let left: Vec<_> = turns.drain().map(|(seq, ..)| seq).collect();
        assert_eq!(left, [5]);
        assert_eq!(seq(turns.put(request(6))), Some(6));
    }
}
