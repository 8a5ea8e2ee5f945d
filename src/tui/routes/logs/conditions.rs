//! Which entries of a log are shown: a list of terms that hold together, each of which can be switched off without being forgotten.

use diagnostics::logs::{Filter, FilterError, Level};

use crate::kit::needle::Needle;

/// What a term asks of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTest {
    /// One of these processes wrote it.
    Pids(Vec<u32>),
    /// It is at least this bad.
    Level(Level),
    /// It is of this time or later, in milliseconds since 1970.
    Since(i64),
    /// It holds this.
    Text(Needle),
    /// It does not hold this.
    Without(Needle),
}

/// A wish that may be switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is asked.
    pub wish: LogTest,
    /// Whether it holds.
    pub on: bool,
}

/// Which entries are shown: all terms that are on hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    pub terms: Vec<Term>,
}

impl Conditions {
    /// Whether all entries are shown and nothing is there to be switched on.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// With a wish more. Of processes, levels and times there is one each: a new one takes its place.
    #[must_use]
    pub fn with(mut self, wish: LogTest) -> Self {
        let is_single = !matches!(wish, LogTest::Text(_) | LogTest::Without(_));
        let same = |term: &&mut Term| {
            is_single && std::mem::discriminant(&term.wish) == std::mem::discriminant(&wish)
        };
        match self.terms.iter_mut().find(same) {
            Some(term) => *term = Term { wish, on: true },
            None => self.terms.push(Term { wish, on: true }),
        }
        self
    }

    /// Without the terms of which this holds.
    #[must_use]
    pub fn without(mut self, is_gone: impl Fn(&LogTest) -> bool) -> Self {
        self.terms.retain(|term| !is_gone(&term.wish));
        self
    }

    /// With one term switched; nothing when there is no such term.
    pub fn switched(mut self, number: usize) -> Option<Self> {
        let term = self.terms.get_mut(number)?;
        term.on = !term.on;
        Some(self)
    }

    /// With one term less.
    #[must_use]
    pub fn removed(mut self, number: usize) -> Self {
        if number < self.terms.len() {
            self.terms.remove(number);
        }
        self
    }

    fn on(&self) -> impl Iterator<Item = &LogTest> {
        self.terms
            .iter()
            .filter(|term| term.on)
            .map(|term| &term.wish)
    }

    /// The processes that are shown; none = all.
    pub fn pids(&self) -> &[u32] {
        self.on()
            .find_map(|wish| match wish {
                LogTest::Pids(pids) => Some(&**pids),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The mildest level that is shown.
    pub fn level(&self) -> Option<Level> {
        self.on().find_map(|wish| match wish {
            LogTest::Level(level) => Some(*level),
            _ => None,
        })
    }

    /// The same for the reader.
    pub fn filter(&self) -> Result<Filter, FilterError> {
        let mut filter = Filter::default();
        for wish in self.on() {
            filter = match wish {
                LogTest::Pids(pids) => filter.pids(pids),
                LogTest::Level(level) => filter.level(Some(*level)),
                LogTest::Since(time) => filter.since(Some(*time)),
                LogTest::Text(needle) => needle.named(filter.grep(&needle.pattern()))?,
                LogTest::Without(needle) => needle.named(filter.hide(&needle.pattern()))?,
            };
        }
        Ok(filter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needle(text: &str) -> Needle {
        Needle {
            text: text.to_owned(),
            is_expression: false,
        }
    }

    #[test]
    fn terms_add_up_and_are_switched_one_by_one() {
        let conditions = Conditions::default()
            .with(LogTest::Level(Level::Warn))
            .with(LogTest::Text(needle("a")))
            .with(LogTest::Without(needle("b")))
            .with(LogTest::Level(Level::Error));
        assert_eq!(conditions.terms.len(), 3, "one level at a time");
        assert_eq!(conditions.level(), Some(Level::Error));
        let off = conditions.clone().switched(0).unwrap();
        assert_eq!((off.level(), off.terms.len()), (None, 3));
        assert_eq!(off.switched(0).unwrap(), conditions);
        assert_eq!(conditions.clone().switched(9), None);
        let less = conditions.removed(1);
        assert!(!less.filter().unwrap().is_empty());
        assert!(
            less.without(|wish| !matches!(wish, LogTest::Since(_)))
                .is_empty()
        );
    }
}
