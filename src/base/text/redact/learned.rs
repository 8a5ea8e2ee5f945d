//! Secrets that were met under their names while text was redacted: they are hidden wherever else they appear from then on.
//!
//! A debugged program holds a password in one variable and again in a list, an exception's message or a result: the name stands
//! by one of them only.

use std::sync::{
    PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use super::{span::Span, values::Values};

/// What was met; shared by the clones of a redactor.
#[derive(Debug, Default)]
pub struct LearnedSecrets {
    /// So that text costs nothing as long as nothing was met.
    any: AtomicBool,
    values: RwLock<Values>,
}

impl LearnedSecrets {
    pub fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Acquire)
    }

    pub fn meet(&self, value: &str) {
        if self.read(|values| values.knows(value)) {
            return;
        }
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        if values.meet(value) {
            self.any.store(true, Ordering::Release);
        }
    }

    pub fn find(&self, text: &str, spans: &mut Vec<Span>) {
        if self.is_empty() {
            return;
        }
        if self.read(Values::is_stale) {
            // Many may have been met since: one automaton for all of them.
            let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
            if values.is_stale() {
                values.compile();
            }
        }
        self.read(|values| values.find(text, spans));
    }

    /// What a spelling spells, if it is one.
    pub fn spelled(&self, text: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        self.read(|values| values.knows(text).then(|| values.spelled(text).to_owned()))
    }

    fn read<T>(&self, look: impl FnOnce(&Values) -> T) -> T {
        look(&self.values.read().unwrap_or_else(PoisonError::into_inner))
    }
}
