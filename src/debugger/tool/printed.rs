//! What programs print, as it is told to others: without secrets, in order, each session's categories apart.

use base::text::redact::Stream;

use crate::prelude::*;

/// Kinds of output that are followed; of more each piece is judged alone.
const MOST: usize = 1024;

/// What was printed and is not told yet.
#[derive(Default)]
pub struct Printed {
    discretion: Discretion,
    held: BTreeMap<(SessionId, String), Stream>,
}

impl Printed {
    /// Nothing was printed so far.
    pub fn new(discretion: Discretion) -> Self {
        Self {
            discretion,
            held: BTreeMap::new(),
        }
    }

    /// A piece as far as it can be told: what stands at its end may be the beginning of a secret.
    pub fn push(&mut self, session: SessionId, category: &str, text: &str) -> String {
        match self.discretion.stream() {
            None => text.to_owned(),
            Some(new) => {
                let key = (session, category.to_owned());
                if self.held.len() >= MOST && !self.held.contains_key(&key) {
                    return self.discretion.text(text.to_owned());
                }
                self.held.entry(key).or_insert(new).push(text)
            }
        }
    }

    /// A piece at once: of a line that goes on the beginning, together with which what follows is judged.
    pub fn at_once(&mut self, session: SessionId, category: &str, text: &str) -> String {
        let mut told = self.push(session, category, text);
        if let Some(stream) = self.held.get_mut(&(session, category.to_owned())) {
            stream.settle_into(&mut told);
        }
        told
    }

    /// The ends of lines that are not over yet, of one session or of all: nobody should wait for what may not come.
    pub fn settled(&mut self, only: Option<SessionId>) -> Vec<(SessionId, String, String)> {
        let mut ends = Vec::new();
        for ((session, category), stream) in &mut self.held {
            if only.is_some_and(|only| only != *session) || !stream.is_holding() {
                continue;
            }
            let mut text = String::new();
            stream.settle_into(&mut text);
            if !text.is_empty() {
                ends.push((*session, category.clone(), text));
            }
        }
        ends
    }

    /// The session prints no more.
    pub fn forget(&mut self, session: SessionId) {
        self.held.retain(|(of, _), _| *of != session);
    }
}
