//! Which rows of a table are wanted: `price > 10 and name ~ ada`, or a text that some column has.

use std::cmp::Ordering;

use super::{Query, shown};
use crate::prelude::*;

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// It is not.
    #[serde(rename = "!=")]
    Not,
    /// At most.
    #[serde(rename = "<=")]
    Most,
    /// At least.
    #[serde(rename = ">=")]
    Least,
    /// It is.
    #[serde(rename = "=")]
    Is,
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// More.
    #[serde(rename = ">")]
    More,
    /// It has this text in it, in capitals or not.
    #[serde(rename = "~")]
    Has,
}

use Comparison::{Has, Is, Least, Less, More, Most, Not};

/// One condition: a column (none = any of them), how it is compared, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term(pub Option<String>, pub Comparison, pub String);

/// Those of two characters first, for their beginnings are signs themselves.
const SIGNS: [(&str, Comparison); 8] = [
    ("==", Is),
    ("!=", Not),
    ("<=", Most),
    (">=", Least),
    ("=", Is),
    ("<", Less),
    (">", More),
    ("~", Has),
];

/// No value, in the languages that have a word for it.
const NONE: [&str; 5] = ["None", "null", "nil", "undefined", "NaN"];

impl Term {
    /// What a person wrote: conditions with `and` between them. What has no sign in it is a text that any column may have.
    pub fn read(text: &str) -> Vec<Self> {
        parts(text).map(Self::one).collect()
    }

    fn one(text: &str) -> Self {
        let signs = SIGNS.iter().filter_map(|(sign, how)| {
            let at = text.find(sign).filter(|at| *at > 0)?;
            Some((at, sign.len(), *how))
        });
        // The first sign, and of those that begin there the longest.
        let first = signs.min_by_key(|(at, long, _)| (*at, usize::MAX - long));
        let Some((at, long, how)) = first else {
            return Self(None, Has, text.to_owned());
        };
        let (name, wanted) = text.split_at(at);
        let wanted = wanted.get(long..).unwrap_or_default().trim();
        let bare = |text: &str| {
            let inside = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
            inside('"')
                .or_else(|| inside('\''))
                .unwrap_or(text)
                .to_owned()
        };
        Self(Some(name.trim().to_owned()), how, bare(wanted))
    }

    /// Whether it holds for a cell.
    pub fn holds(&self, cell: &Value) -> bool {
        let Self(_, how, wanted) = self;
        let text = shown(cell);
        if *how == Has {
            return text.to_lowercase().contains(&wanted.to_lowercase());
        }
        if cell.is_null() {
            let is_wanted = NONE.contains(&wanted.as_str());
            return *how == if is_wanted { Is } else { Not };
        }
        let numbers = cell.as_f64().zip(wanted.parse().ok());
        let order = match numbers {
            Some((a, b)) => a.partial_cmp(&b),
            None => Some(text.as_ref().cmp(wanted.as_str())),
        };
        match how {
            Is => order == Some(Ordering::Equal),
            Not => order != Some(Ordering::Equal),
            Less => order == Some(Ordering::Less),
            Most => order.is_some_and(Ordering::is_le),
            More => order == Some(Ordering::Greater),
            Least => order.is_some_and(Ordering::is_ge),
            Has => false,
        }
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(" and ")
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

impl Query {
    /// Refuses a filter that is not understood, of which nobody would see that it means something else.
    pub fn check(&self) -> Result<()> {
        for part in parts(self.filter.as_deref().unwrap_or_default()) {
            let Term(Some(name), _, wanted) = Term::one(part) else {
                continue;
            };
            if wanted.is_empty() && !part.ends_with(['"', '\'']) {
                let what = format!("The filter does not say what `{name}` is compared with.");
                return Err(DebuggerError::usage(what));
            }
            if wanted
                .split(" or ")
                .skip(1)
                .any(|part| Term::one(part).0.is_some())
            {
                return Err(DebuggerError::usage(
                    "The filter has `or` in it; conditions are joined with `and` only.",
                ));
            }
        }
        Ok(())
    }

    /// Which rows are wanted.
    pub fn terms(&self) -> Vec<Term> {
        self.filter.as_deref().map(Term::read).unwrap_or_default()
    }
}
