//! The one redactor: takes secrets out of text that is to be kept, sent or shown to others.
//!
//! A secret is known by the NAME before it (variables, JSON members, headers, options, parameters of a URL), by its LOOK (tokens of
//! providers, JWTs, private keys, `Bearer …`), by its PLACE (a URL's `user:password@`), or by its VALUE, when it stands in a variable
//! that [`Redactor::with_secrets`] was told of. It is replaced by `[redacted:ab12]`. The four digits are the same for the same
//! secret, so that a reader sees which ones are equal; they come from a hash whose key is random in every process, so that
//! nobody can find the secret by trying.
//!
//! Redacting twice changes nothing, the cost grows with the length of the text alone, and text that comes in pieces ([`Stream`])
//! gives the same result however it is cut; pieces that must stay apart are the matter of [`Pieces`]. What bytes a terminal must not see is the matter of [`super::sanitise`].
//!
//! ```
//! use base::text::redact::Redactor;
//!
//! let redactor = Redactor::new().with_secrets([("DB_PASSWORD", "correct-horse")]);
//! let line = redactor.redact("user=ada password=hunter22 (not correct-horse)");
//! assert!(line.starts_with("user=ada password=[redacted:"));
//! assert!(!line.contains("correct-horse"));
//! ```

mod context;
mod json;
mod judge;
mod kind;
mod learned;
mod names;
mod pieces;
mod redactor;
mod shapes;
mod span;
mod stream;
mod values;
mod words;

pub use kind::{Report, SecretKind};
pub use names::{Sensitivity, env_sensitivity, sensitivity};
pub use pieces::Pieces;
pub use redactor::{Redactor, WINDOW};
pub use stream::Stream;

#[cfg(test)]
mod tests;
