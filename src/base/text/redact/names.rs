//! Which names stand for secrets: of variables, JSON members, headers, options, query parameters.
//!
//! A name is read by its segments (`dbPassword`, `DB_PASSWORD` and `db-password` are `db` + `password`), never by substring, so
//! that `pwd`, `author`, `keyboard`, `tokenCount` and `max_tokens` stay readable. Judging values is left to [`super::judge`].

use std::{cell::RefCell, sync::LazyLock};

use regex::Regex;

use super::words::{
    ALWAYS, DESCRIBES, DIRECTORIES, ENDINGS, HARMLESS_KEYS, HARMLESS_TOKENS, IN_QUERIES, KEYS,
    PASSES, TOKEN_LISTS,
};

/// How much a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sensitivity {
    /// Nothing.
    None,
    /// The value is a secret if it looks like one: a parser has a `token`, too.
    Weak,
    /// The value is a secret.
    Strong,
}

/// Longest name worth a look; longer ones are data.
pub const LONGEST: usize = 128;

/// Most names hold none of these and need no closer look.
#[expect(
    clippy::unwrap_used,
    reason = "a constant expression, compiled by every test of this module"
)]
static WORTH_A_LOOK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        "(?i-u)pass|pwd|secret|token|key|auth|cookie|cred|jwt|sessid|sessionid|signature|cf[-_]?access|chatgpt|api|private|[-_]pat$",
    )
    .unwrap()
});

/// How much the name of a variable, member, header or option says.
pub fn sensitivity(name: &str) -> Sensitivity {
    // A time's digits stand before a colon as well.
    if name.len() > LONGEST || !name.bytes().any(|b| b.is_ascii_alphabetic()) {
        return Sensitivity::None;
    }
    NameCache::with(name, |name| {
        if WORTH_A_LOOK.is_match(name) {
            judge(name, &segments(name))
        } else {
            Sensitivity::None
        }
    })
}

/// What was said of the last names: the same few stand in every line of a log and every event of a stream.
struct NameCache(Vec<Option<(Box<str>, Sensitivity)>>);

/// More than a format has members; each has one place.
const PLACES: usize = 512;

thread_local! {
    static KNOWN: RefCell<NameCache> = const { RefCell::new(NameCache(Vec::new())) };
}

impl NameCache {
    fn with(name: &str, look: impl FnOnce(&str) -> Sensitivity) -> Sensitivity {
        // FNV-1a: short names, and nothing depends on how well it spreads.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let place = (hash ^ (hash >> 32)) as usize % PLACES;
        let met = KNOWN.with_borrow(|known| match known.0.get(place) {
            Some(Some((of, sensitivity))) if **of == *name => Some(*sensitivity),
            _ => None,
        });
        met.unwrap_or_else(|| {
            let sensitivity = look(name);
            KNOWN.with_borrow_mut(|known| {
                known.0.resize_with(PLACES, || None);
                if let Some(slot) = known.0.get_mut(place) {
                    *slot = Some((name.into(), sensitivity));
                }
            });
            sensitivity
        })
    }
}

/// As [`sensitivity`] for variables of the environment, where `KEY`, `PASS`, `AUTH`, `API`, `PAT` and `PRIVATE` are enough.
pub fn env_sensitivity(name: &str) -> Sensitivity {
    if name.len() > LONGEST || !WORTH_A_LOOK.is_match(name) {
        return Sensitivity::None;
    }
    let parts = segments(name);
    let known = judge(name, &parts);
    if known == Sensitivity::Strong {
        return known;
    }
    let last = parts.last().map_or("", String::as_str);
    let before = parts.iter().rev().nth(1).map_or("", String::as_str);
    if describes(last) || HARMLESS_KEYS.contains(before) || HARMLESS_TOKENS.contains(before) {
        return known;
    }
    let says = parts
        .iter()
        .any(|part| matches!(part.as_str(), "key" | "token" | "pass" | "auth" | "private"))
        // A personal access token.
        || matches!(last, "api" | "pat");
    if says { Sensitivity::Strong } else { known }
}

/// As [`sensitivity`] for a parameter of a URL's query or of a form.
pub fn query_sensitivity(name: &str) -> Sensitivity {
    let lower = name.to_ascii_lowercase();
    if IN_QUERIES.contains(lower.as_str()) || lower == "token" {
        return Sensitivity::Strong;
    }
    let parts = segments(name);
    if matches!(
        parts.last().map(String::as_str),
        Some("signature" | "sig" | "credential")
    ) {
        return Sensitivity::Strong;
    }
    sensitivity(name)
}

/// Whether a header's value reaches to the end of its line.
pub fn is_line_header(name: &str) -> bool {
    [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
    ]
    .iter()
    .any(|header| name.eq_ignore_ascii_case(header))
}

/// Whether a member tells something about its object instead of being part of a secret (`type`, `expires`).
pub fn is_description(name: &str) -> bool {
    segments(name).last().is_some_and(|last| describes(last))
}

fn describes(last: &str) -> bool {
    DESCRIBES.contains(last)
}

fn judge(name: &str, parts: &[String]) -> Sensitivity {
    let word = |index: usize| parts.get(index).map_or("", String::as_str);
    let last = parts.last().map_or("", String::as_str);
    // Header names whose words say nothing by themselves.
    if (word(0) == "cf" && word(1) == "access")
        || matches!(
            (parts.len(), word(0), word(1), word(2)),
            (3, "x", "amz", "signature") | (3, "chatgpt", "account", "id")
        )
        || (last == "id" && parts.iter().rev().nth(1).is_some_and(|w| w == "secret"))
    {
        return Sensitivity::Strong;
    }
    if describes(last) || name.eq_ignore_ascii_case("google_application_credentials") {
        return Sensitivity::None;
    }
    let mut found = Sensitivity::None;
    for (index, part) in parts.iter().enumerate() {
        let before = if index == 0 { "" } else { word(index - 1) };
        found = found.max(segment(part, before, index, parts.len()));
    }
    found
}

/// What one segment says, with the one before it.
fn segment(part: &str, before: &str, index: usize, count: usize) -> Sensitivity {
    let is_last = index + 1 == count;
    if ALWAYS.contains(part) || ENDINGS.iter().any(|ending| part.ends_with(ending)) {
        return Sensitivity::Strong;
    }
    match part {
        "key" | "keys" if KEYS.contains(before) => Sensitivity::Strong,
        "token" if HARMLESS_TOKENS.contains(before) => Sensitivity::None,
        "token" if is_last && index > 0 => Sensitivity::Strong,
        "token" => Sensitivity::Weak,
        "tokens" if TOKEN_LISTS.contains(before) => Sensitivity::Strong,
        "pass" if is_last && PASSES.contains(before) => Sensitivity::Strong,
        "pass" if count == 1 => Sensitivity::Weak,
        "pwd" if is_last && index > 0 && !DIRECTORIES.contains(before) => Sensitivity::Strong,
        "auth" if is_last => Sensitivity::Weak,
        "code" if before == "authorization" || before == "device" => Sensitivity::Strong,
        _ => Sensitivity::None,
    }
}

/// The words of a name in small letters; digits at their ends do not count.
fn segments(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut end = |part: &mut String| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        if !word.is_empty() {
            parts.push(word.to_owned());
        }
        part.clear();
    };
    let mut characters = name.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = characters.next() {
        if character.is_alphanumeric() {
            let next_is_small = characters.peek().is_some_and(|c| c.is_lowercase());
            if character.is_uppercase()
                && (!previous.is_uppercase() || next_is_small)
                && !part.is_empty()
            {
                end(&mut part);
            }
            part.extend(character.to_lowercase());
        } else {
            end(&mut part);
        }
        previous = character;
    }
    end(&mut part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_by_its_words() {
        let words = |name| segments(name).join(" ");
        assert_eq!(words("accessToken"), "access token");
        assert_eq!(words("API_KEY"), "api key");
        assert_eq!(words("APIKey2"), "api key");
        assert_eq!(words("['x-api-key']"), "x api key");
        assert_eq!(words("tokenCount"), "token count");
        assert_eq!(words("__12__"), "");
    }

    #[test]
    fn names_of_the_environment_need_less() {
        for name in [
            "STRIPE_KEY",
            "MY_PASS",
            "HTTP_AUTH",
            "SOME_API",
            "KEY",
            "PRIVATE",
        ] {
            assert_eq!(env_sensitivity(name), Sensitivity::Strong, "{name}");
        }
        for name in [
            "PWD",
            "OLDPWD",
            "KEYBOARD",
            "AUTHOR",
            "SSH_AUTH_SOCK",
            "XAUTHORITY",
            "MAX_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "API_URL",
            "PUBLIC_KEY",
            "CAPITAL",
            "PASSAGE",
            "GIT_AUTHOR_NAME",
        ] {
            assert_eq!(env_sensitivity(name), Sensitivity::None, "{name}");
        }
    }
}
