//! Who gave a command, and what they want beside its answer: a deadline, and to be able to take it back.
//!
//! The terms hold for all that the command leads to, which [`Owner::spawn`] sees to.

use super::prelude::*;

impl Owner {
    /// Does something for someone with terms of their own.
    pub fn within(&mut self, terms: Option<Terms>, what: impl FnOnce(&mut Self)) {
        let before = mem::replace(&mut self.terms, terms);
        what(self);
        self.terms = before;
    }

    /// The same, for someone who may not be the person.
    pub fn on_behalf(
        &mut self,
        by: Option<Arc<Asker>>,
        terms: Option<Terms>,
        what: impl FnOnce(&mut Self),
    ) {
        let before = mem::replace(&mut self.by, by);
        self.within(terms, what);
        self.by = before;
    }

    /// An adapter's client on the terms of the one whose command is being done.
    pub fn on_terms(&self, client: Client) -> Client {
        match &self.terms {
            Some(terms) => client.on(terms.clone()),
            None => client,
        }
    }

    /// The same for requests that concern more than the asker: they may be late, but are never taken back.
    pub fn in_time(&self, client: &Client) -> Client {
        match &self.terms {
            Some(terms) => client.on(Terms {
                timeout: terms.timeout,
                taken_back: CancellationToken::new(),
            }),
            None => client.clone(),
        }
    }

    /// How long something may take that usually takes up to `usual`.
    pub fn patience(&self, usual: Duration) -> Duration {
        self.terms.as_ref().map_or(usual, |terms| terms.timeout)
    }
}
