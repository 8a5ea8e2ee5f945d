//! The messages as data: which are shown under a filter, and how long each answer took.

use crate::debug_prelude::*;
use debugger::traffic::{MOST_BYTES, MOST_MESSAGES, Passed};

/// A request: whose, from us or not, and its number.
type Asked = (SessionId, bool, i64);

/// What is known of the traffic.
#[derive(Debug, Default)]
pub struct Model {
    messages: VecDeque<Passed>,
    bytes: usize,
    /// When each request that is held was sent, in microseconds since the core began.
    asked: HashMap<Asked, u64>,
    pub filter: String,
    /// Numbers of the messages that the filter takes.
    pub shown: VecDeque<u64>,
    /// Messages that are kept nowhere any more.
    dropped: u64,
}

impl Model {
    /// Number of the newest message.
    pub fn newest(&self) -> u64 {
        self.messages.back().map_or(0, |message| message.number)
    }

    /// Messages in all, and those that are gone.
    pub fn counts(&self) -> (usize, u64) {
        (self.messages.len(), self.dropped)
    }

    /// Takes in the next messages; `dropped` are gone where they came from. Says how many rows went at the front.
    pub fn take(&mut self, messages: &[Passed], dropped: u64) -> usize {
        let needle = self.filter.to_lowercase();
        for message in messages {
            if message.kind == "request" {
                self.asked.insert(key(message), message.at_us);
            }
            if is_hit(message, &needle) {
                self.shown.push_back(message.number);
            }
            self.bytes += message.text.len();
            self.messages.push_back(message.clone());
        }
        self.dropped = self.dropped.max(dropped);
        let mut gone = 0;
        while (self.messages.len() > MOST_MESSAGES || self.bytes > 2 * MOST_BYTES)
            && let Some(oldest) = self.messages.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.text.len());
            self.asked.remove(&key(&oldest));
            self.dropped = self.dropped.max(oldest.number);
            if self.shown.front() == Some(&oldest.number) {
                self.shown.pop_front();
                gone += 1;
            }
        }
        gone
    }

    /// Shows only messages that have `filter` in them, in whatever case.
    pub fn narrow(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        let needle = filter.to_lowercase();
        let hits = self.messages.iter().filter(|m| is_hit(m, &needle));
        self.shown = hits.map(|m| m.number).collect();
    }

    /// The message of a row.
    pub fn message(&self, row: usize) -> Option<&Passed> {
        let number = *self.shown.get(row)?;
        let first = self.messages.front()?.number;
        let at = usize::try_from(number.checked_sub(first)?).ok()?;
        self.messages.get(at)
    }

    /// How long what was asked took, for an answer; in microseconds.
    pub fn took(&self, message: &Passed) -> Option<u64> {
        let asked = (message.session, !message.sent, message.request_seq?);
        let since = self.asked.get(&asked)?;
        message.at_us.checked_sub(*since)
    }
}

fn key(message: &Passed) -> Asked {
    (message.session, message.sent, message.seq)
}

fn is_hit(message: &Passed, needle: &str) -> bool {
    needle.is_empty()
        || message.name.to_lowercase().contains(needle)
        || message.kind.contains(needle)
        || message.text.to_lowercase().contains(needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u64, sent: bool, kind: &str, seq: i64) -> Passed {
        Passed {
            number,
            session: SessionId(1),
            at_us: number * 1_500,
            sent,
            kind: kind.into(),
            name: "evaluate".into(),
            seq,
            request_seq: (kind == "response").then_some(seq - 10),
            text: format!("{{\"n\":{number},\"Word\":\"x{number}\"}}"),
            ..Passed::default()
        }
    }

    #[test]
    fn answers_are_timed_by_what_they_answer() {
        let mut model = Model::default();
        model.take(
            &[
                message(1, true, "request", 7),
                // The adapter's own request of that number is another one.
                message(2, false, "request", 7),
                message(3, false, "response", 17),
            ],
            0,
        );
        let took = |row| model.took(model.message(row).unwrap());
        assert_eq!((took(0), took(2)), (None, Some(3_000)));
    }

    #[test]
    fn a_filter_takes_what_is_here_and_what_comes() {
        let mut model = Model::default();
        model.take(&[message(1, true, "request", 1)], 0);
        model.narrow("WORD\":\"x2");
        assert!(model.shown.is_empty());
        model.take(
            &[
                message(2, true, "request", 2),
                message(3, true, "request", 3),
            ],
            0,
        );
        assert_eq!(model.shown, &[2]);
        assert_eq!(model.message(0).unwrap().number, 2);
        model.narrow("");
        assert_eq!(model.shown.len(), 3);
    }

    #[test]
    fn it_holds_no_more_than_the_ring() {
        let mut model = Model::default();
        let many: Vec<Passed> = (1..=MOST_MESSAGES as u64 + 5)
            .map(|number| message(number, true, "request", number as i64))
            .collect();
        assert_eq!(model.take(&many, 0), 5);
        assert_eq!(model.counts(), (MOST_MESSAGES, 5));
        assert_eq!(model.message(0).unwrap().number, 6);
        assert_eq!(model.asked.len(), MOST_MESSAGES);
    }
}
