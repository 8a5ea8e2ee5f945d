//! The redactor itself: finds what is secret in a line, and puts what stands for it in its place.

use std::{
    borrow::Cow,
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hasher as _},
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    context, judge,
    kind::{Report, SecretKind},
    learned::LearnedSecrets,
    names::{Sensitivity, env_sensitivity, sensitivity},
    shapes,
    span::{self, Span, cut},
    values::{CERTAIN, Values},
};

/// Most bytes of one line that are looked at, and held back, at once.
pub const WINDOW: usize = 64 * 1024;

/// Takes secrets out of text. Cheap to clone; clones share what they know and what they counted.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    pub(super) values: KnownValues,
    learned: Option<Arc<LearnedSecrets>>,
    counts: Arc<[AtomicU64; SecretKind::ALL.len()]>,
}

/// Values that are worked out when the first line is redacted: that takes a millisecond, and many a redactor never sees a line.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownValues(Option<Arc<LazyLock<Values, Unread>>>);

type Unread = Box<dyn FnOnce() -> Values + Send>;

impl KnownValues {
    pub(super) fn get(&self) -> Option<&Values> {
        self.0.as_ref().map(|known| LazyLock::force(known))
    }
}

/// Rounds after which a line is given up on; each takes what the one before uncovered.
const ROUNDS: usize = 4;

impl Redactor {
    /// Knows names, looks and places.
    pub fn new() -> Self {
        Self::default()
    }

    /// Knows also the values of those variables whose names say that they are secret, and passwords in the URLs of all.
    #[must_use]
    pub fn with_secrets<K: AsRef<str>, V: AsRef<str>>(
        self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let variables: Vec<(String, String)> = variables
            .into_iter()
            .map(|(name, value)| (name.as_ref().to_owned(), value.as_ref().to_owned()))
            .collect();
        let read: Unread = Box::new(move || {
            let borrowed = variables.iter();
            Values::of(borrowed.map(|(name, value)| (name.as_str(), value.as_str())))
        });
        Self {
            values: KnownValues(Some(Arc::new(LazyLock::new(read)))),
            ..self
        }
    }

    /// Learns what it hides, and hides it from then on wherever else it appears: in text what looks random, as the value of a name
    /// anything. Clones share what they learned.
    #[must_use]
    pub fn learning(self) -> Self {
        Self {
            learned: Some(Arc::default()),
            ..self
        }
    }

    /// This is a secret wherever it appears, for a redactor that is [`Self::learning`].
    pub fn learn(&self, secret: &str) {
        if let Some(learned) = &self.learned {
            learned.meet(secret);
        }
    }

    /// Whether it learned of a secret.
    pub fn has_learned(&self) -> bool {
        self.learned.as_ref().is_some_and(|l| !l.is_empty())
    }

    /// Hides what was learned, and nothing else. Borrows when there was nothing to hide.
    pub fn redact_learned<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut spans = Vec::new();
        if let Some(learned) = &self.learned {
            learned.find(text, &mut spans);
        }
        if !spans.is_empty() {
            spare_replacements(text, &mut spans);
        }
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.replace(text, &span::merge(spans), true))
    }

    /// The same knowledge with counters of its own: for one member of a bundle.
    #[must_use]
    pub fn counting_anew(&self) -> Self {
        Self {
            values: self.values.clone(),
            learned: self.learned.clone(),
            counts: Arc::default(),
        }
    }

    /// What was replaced until now.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        for (count, counter) in report.counts.iter_mut().zip(self.counts.iter()) {
            *count = counter.load(Ordering::Relaxed);
        }
        report
    }

    /// Text of any length, with or without several lines. Borrows when there was nothing to hide.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.len() < WINDOW && !text.contains('\n') && shapes::key_begins(text).next().is_none()
        {
            return self.redact_line(text, true);
        }
        let mut stream = self.stream();
        let mut out = String::with_capacity(text.len());
        stream.push_into(text, &mut out);
        stream.finish_into(&mut out);
        if out == text {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(out)
        }
    }

    /// Takes the secrets out of a text where it is.
    pub fn hide(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.redact(text) {
            *text = clean;
        }
    }

    /// A value of which the name is known: of a variable, member or header. Quotes around it stay.
    pub fn redact_value<'t>(&self, name: Option<&str>, value: &'t str) -> Cow<'t, str> {
        self.redact_as(name.map_or(Sensitivity::None, sensitivity), value)
    }

    /// The value of a variable of the environment, by the rules of [`env_sensitivity`].
    pub fn redact_env<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        self.redact_as(env_sensitivity(name), value)
    }

    pub(super) fn redact_as<'t>(&self, sensitivity: Sensitivity, value: &'t str) -> Cow<'t, str> {
        let bare = value.trim();
        let inner = ['"', '\'', '`']
            .iter()
            .find_map(|quote| bare.strip_prefix(*quote)?.strip_suffix(*quote))
            .unwrap_or(bare);
        // What stands for a value (`{name}`) does not if a secret is found in it.
        let is_secret = judge::is_secret(inner, sensitivity)
            || sensitivity == Sensitivity::Strong && self.finds(inner);
        if !is_secret {
            return self.redact(value);
        }
        self.learn(inner);
        let replacement = self.replacement(inner, SecretKind::Name);
        if inner.len() == bare.len() {
            return Cow::Owned(replacement);
        }
        let quote = cut(bare, 0, 1);
        Cow::Owned(format!("{quote}{replacement}{quote}"))
    }

    /// Whether there is a secret in a line, without counting it.
    pub(super) fn finds(&self, line: &str) -> bool {
        matches!(self.redact_line(line, false), Cow::Owned(_))
    }

    /// One line, or a piece of one that is too long.
    pub(super) fn redact_line<'t>(&self, line: &'t str, count: bool) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(line);
        for _ in 0..ROUNDS {
            let spans = self.spans(&text);
            if spans.is_empty() {
                break;
            }
            if count && self.learned.is_some() {
                let found = spans
                    .iter()
                    .map(|span| bare(cut(&text, span.start, span.end)));
                // A word of a sentence stands in others, too, and so does `sha256`.
                let is_sure = |secret: &&str| {
                    secret.len() >= CERTAIN && judge::is_secret(secret, Sensitivity::Weak)
                };
                found.filter(is_sure).for_each(|secret| self.learn(secret));
            }
            text = Cow::Owned(self.replace(&text, &spans, count));
        }
        text
    }

    /// Where the secrets of a line are, in order and apart from each other.
    pub(super) fn spans(&self, line: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        shapes::find(line, &mut spans);
        context::find(line, &mut spans);
        if let Some(values) = self.values.get() {
            values.find(line, &mut spans);
        }
        if let Some(learned) = &self.learned {
            learned.find(line, &mut spans);
        }
        if !spans.is_empty() {
            spare_replacements(line, &mut spans);
        }
        span::merge(spans)
    }

    pub(super) fn replace(&self, text: &str, spans: &[Span], count: bool) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for span in spans {
            out.push_str(cut(text, from, span.start));
            let secret = cut(text, span.start, span.end);
            out.push_str(&self.tag(secret));
            if count {
                self.count(span.kind);
            }
            from = span.end;
        }
        out.push_str(cut(text, from, text.len()));
        out
    }

    /// Counts a secret and says what to write instead.
    pub(super) fn replacement(&self, secret: &str, kind: SecretKind) -> String {
        self.count(kind);
        self.tag(secret)
    }

    pub(super) fn count(&self, kind: SecretKind) {
        if let Some(counter) = self.counts.get(kind as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What stands for a secret. A header's scheme and quotes do not change which secret it is.
    pub(super) fn tag(&self, secret: &str) -> String {
        static KEY: OnceLock<RandomState> = OnceLock::new();
        let bare = bare(secret);
        let mut hasher = KEY.get_or_init(RandomState::new).build_hasher();
        let met = self.learned.as_ref().and_then(|l| l.spelled(bare));
        hasher.write(
            met.as_deref()
                .unwrap_or_else(|| {
                    self.values
                        .get()
                        .map_or(bare, |values| values.spelled(bare))
                })
                .as_bytes(),
        );
        let hash = hasher.finish();
        format!("{}{:04x}]", judge::TAG, (hash ^ (hash >> 32)) & 0xffff)
    }
}

/// A secret without a header's scheme and quotes.
fn bare(secret: &str) -> &str {
    let secret = secret.trim();
    ["Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token "]
        .iter()
        .find_map(|scheme| secret.strip_prefix(scheme))
        .unwrap_or(secret)
        .trim_matches(['"', '\'', ' '])
}

/// A replacement that is there already is part of a secret as a whole or not at all.
fn spare_replacements(line: &str, spans: &mut Vec<Span>) {
    for (tag, _) in line.match_indices(judge::TAG) {
        if !judge::tag_at(line, tag) {
            continue;
        }
        let end = tag + judge::TAG_LENGTH;
        for span in spans.iter_mut() {
            if tag < span.start && span.start < end {
                span.start = end;
            }
            if tag < span.end && span.end < end {
                span.end = end;
            }
        }
        spans.retain(|span| span.start < span.end && (span.start, span.end) != (tag, end));
    }
}
