//! Secrets that are known by their look alone: the tokens of providers, JWTs, key blocks, what follows `Bearer`.
//!
//! One pass finds the beginnings ([`SHAPES`] and a few that need code) by their first two characters; only there the characters
//! that follow are looked at. Names and URLs are left to [`super::context`].

use std::sync::LazyLock;

use Class::{Alnum, Base64, Dash, Dot, Hex, Upper, Word};
use Rest::{Exactly, Least, WithDigit};
use memchr::memmem::Finder;
use regex::Regex;

use super::{
    context,
    kind::SecretKind,
    span::{Span, begins_word, byte, cut, run, run_before},
};

/// Characters of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters and digits.
    Alnum,
    /// And `_`.
    Word,
    /// And `-`.
    Dash,
    /// And `.`.
    Dot,
    /// Capitals and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
    /// Base64 with both alphabets, padding and dots.
    Base64,
}

impl Class {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dash => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dot => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Base64 => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
            }
        }
    }
}

/// What must follow a beginning.
#[derive(Clone, Copy)]
enum Rest {
    /// This many characters of the class or more.
    Least(usize),
    Exactly(usize),
    /// This many or more with a digit among them: words could look the same.
    WithDigit(usize),
}

/// Beginnings of providers' tokens, and what follows them. Of two that begin alike the longer one counts.
const SHAPES: &[(Class, Rest, &[&str])] = &[
    // GitHub, GitLab
    (Word, Least(22), &["github_pat_"]),
    (Alnum, Least(30), &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]),
    (Dot, Least(20), &["glpat-", "glrt-"]),
    (Dash, Least(20), &["gldt-", "glptt-", "glcbt-", "glsoat-"]),
    // Providers of models
    (Dash, Least(16), &["sk-ant-"]),
    (Dash, WithDigit(20), &["sk-"]),
    (Alnum, Least(40), &["gsk_", "xai-", "pplx-"]),
    (Alnum, WithDigit(30), &["csk-"]),
    (Alnum, Least(30), &["hf_", "r8_"]),
    (Alnum, WithDigit(22), &["fw_"]),
    (Dash, WithDigit(24), &["tvly-"]),
    (Dash, Least(40), &["nvapi-"]),
    // Clouds
    (Upper, Exactly(16), &["AKIA", "ASIA", "ABIA", "ACCA"]),
    (Dash, Exactly(35), &["AIza"]),
    (
        Dash,
        Least(20),
        &["ya29.", "GOCSPX-", "hvs.", "hvb.", "hvr."],
    ),
    (Dash, Least(30), &["1//0", "HRKU-"]),
    (Hex, Exactly(64), &["dop_v1_", "doo_v1_", "dor_v1_"]),
    (Base64, Least(40), &["FlyV1 fm2_"]),
    (Dash, Least(40), &["fo1_"]),
    (Hex, Exactly(40), &["pul-", "sbp_"]),
    (Hex, Exactly(32), &["dapi"]),
    (Dot, Least(30), &["pscale_tkn_", "pscale_pw_"]),
    (Dash, WithDigit(16), &["tskey-"]),
    (Alnum, Least(40), &["dp.pt.", "dp.ct."]),
    (Dot, Least(40), &["dp.st."]),
    // Messages
    (
        Dash,
        WithDigit(10),
        &[
            "xoxa-",
            "xoxb-",
            "xoxe-",
            "xoxe.xoxp-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
        ],
    ),
    (Dash, WithDigit(16), &["xapp-"]),
    (Base64, Least(30), &["hooks.slack.com/services/"]),
    (
        Base64,
        Least(40),
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    ),
    (Dot, WithDigit(40), &["SG."]),
    (Hex, Exactly(32), &["key-", "SK"]),
    // Payment, shops
    (
        Alnum,
        Least(16),
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    ),
    (Base64, Least(24), &["whsec_"]),
    (Hex, Exactly(32), &["shpat_", "shpca_", "shppa_", "shpss_"]),
    (Dash, Least(22), &["sq0atp-", "sq0csp-"]),
    // Registries of packages, tools
    (Alnum, Least(36), &["npm_"]),
    (Dash, Least(16), &["pypi-AgE"]),
    (Hex, Exactly(48), &["rubygems_"]),
    (Dash, Least(20), &["dckr_pat_", "figd_"]),
    (Alnum, Least(32), &["lin_api_"]),
    (Alnum, Least(40), &["ntn_"]),
    (Alnum, Exactly(43), &["secret_"]),
    (Base64, Least(50), &["ATATT3"]),
    (Word, Least(40), &["glsa_"]),
    (Base64, Least(40), &["glc_", "sntrys_"]),
    (Upper, Exactly(27), &["NRAK-"]),
    (Dash, Least(50), &["PMAK-"]),
    (Hex, Exactly(64), &["sntryu_"]),
    (Upper, Exactly(58), &["AGE-SECRET-KEY-1"]),
];

/// Beginnings that need a look around themselves.
const SPECIAL: &[&str] = &[
    "eyJ",
    ":AA",
    "8Q~",
    ".atlasv1.",
    "Bearer ",
    "bearer ",
    "BEARER ",
    "Basic ",
    "basic ",
    "BASIC ",
    "://",
    "--",
    "-u ",
    " password ",
    "-----BEGIN ",
];

/// What a beginning is the beginning of.
#[derive(Clone, Copy)]
enum Begins {
    /// A row of [`SHAPES`].
    Shape(Class, Rest),
    /// One of [`SPECIAL`].
    Special(&'static str),
}

/// All beginnings by their first two characters. An automaton of all of them takes a step a byte that waits for the one before; here a
/// byte is looked at without waiting, and what follows only where a beginning may be: three times as fast on logs.
struct Beginnings {
    /// A bit for each two characters that one begins with.
    pairs: Box<[u64; PAIRS]>,
    /// By first character; of two that begin alike the longer one comes first.
    by_first: Vec<Vec<(&'static str, Begins)>>,
}

/// Words of 64 bits that have a bit for each two bytes.
const PAIRS: usize = (1 << 16) / 64;

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| {
    let mut beginnings = Beginnings {
        pairs: Box::new([0; PAIRS]),
        by_first: vec![Vec::new(); 1 << 8],
    };
    let special = SPECIAL.iter().map(|text| (*text, Begins::Special(text)));
    let shapes = SHAPES.iter().flat_map(|(class, rest, texts)| {
        texts
            .iter()
            .map(|text| (*text, Begins::Shape(*class, *rest)))
    });
    for (text, begins) in special.chain(shapes) {
        let Some(pair) = text.as_bytes().first_chunk() else {
            continue;
        };
        let (word, bit) = place(*pair);
        if let Some(word) = beginnings.pairs.get_mut(word) {
            *word |= 1 << bit;
        }
        if let Some(list) = beginnings.by_first.get_mut(usize::from(pair[0])) {
            list.push((text, begins));
        }
    }
    for list in &mut beginnings.by_first {
        // `-----BEGIN ` must not be taken for two options.
        list.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    }
    beginnings
});

/// Where the bit of two characters is.
fn place([first, second]: [u8; 2]) -> (usize, u32) {
    let pair = usize::from(first) << 8 | usize::from(second);
    (pair / 64, (pair % 64) as u32)
}

impl Beginnings {
    /// The next one at or behind a place: where it is, where it ends, and what it begins.
    fn next(&self, text: &str, from: usize) -> Option<(usize, usize, Begins)> {
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            let rest = bytes.get(at..)?;
            at += rest.array_windows().position(|pair| {
                let (word, bit) = place(*pair);
                self.pairs
                    .get(word)
                    .is_some_and(|word| word >> bit & 1 == 1)
            })?;
            let rest = bytes.get(at..)?;
            let list = self.by_first.get(usize::from(*rest.first()?))?;
            if let Some((begin, what)) = list
                .iter()
                .find(|(begin, _)| rest.starts_with(begin.as_bytes()))
            {
                return Some((at, at + begin.len(), *what));
            }
            at += 1;
        }
    }
}

/// What a private key's first line begins with.
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN "));

/// A private key's first line, or the whole of it with its line ends escaped.
static KEY_BEGIN: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(
        clippy::unwrap_used,
        reason = "a constant expression, compiled by every test of this module"
    )]
    Regex::new("^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----").unwrap()
});

/// Among so many characters a token has a digit.
const LOOK: usize = 256;

/// Remembers how far a run of characters reaches, so that many beginnings in one run cost one look.
#[derive(Default)]
struct Runs {
    known: Vec<(Class, usize, usize)>,
}

impl Runs {
    fn end(&mut self, text: &str, class: Class, from: usize) -> usize {
        if let Some((_, _, end)) = self
            .known
            .iter()
            .find(|(of, start, end)| *of == class && (*start..*end).contains(&from))
        {
            return *end;
        }
        let length = run(text, from, usize::MAX, |b| class.has(b));
        self.known.retain(|(of, ..)| *of != class);
        self.known.push((class, from, from + length));
        from + length
    }
}

/// Every secret that its look betrays.
pub fn find(text: &str, spans: &mut Vec<Span>) {
    let beginnings = &*BEGINNINGS;
    let mut runs = Runs::default();
    let (mut done, mut from) = (0, 0);
    while let Some((start, after, begins)) = beginnings.next(text, from) {
        from = after;
        if start < done {
            continue;
        }
        let span = match begins {
            Begins::Shape(class, rest) => shape(text, start, after, class, rest, &mut runs),
            Begins::Special(what) => special(text, what, start, after, &mut runs),
        };
        if let Some(span) = span {
            done = span.end;
            spans.push(span);
        }
    }
}

fn shape(
    text: &str,
    start: usize,
    after: usize,
    class: Class,
    rest: Rest,
    runs: &mut Runs,
) -> Option<Span> {
    if !begins_word(text, start) {
        return None;
    }
    let mut end = runs.end(text, class, after);
    // A sentence's last full stop is not the token's.
    while end > after && matches!(byte(text, end - 1), b'.' | b'-') {
        end -= 1;
    }
    let length = end - after;
    let fits = match rest {
        Least(least) => length >= least,
        Exactly(exact) => length == exact,
        WithDigit(least) => {
            let known = text.as_bytes().iter().skip(after).take(length.min(LOOK));
            length >= least && known.clone().any(u8::is_ascii_digit)
        }
    };
    // What goes on with other letters is something else, unless the class is the widest there is.
    let goes_on = matches!(rest, Exactly(_))
        && (byte(text, end).is_ascii_alphanumeric() || byte(text, end) == b'_');
    let gap = behind_gap(text, end);
    let fits = fits && !goes_on || gap >= end + LONG_REST;
    fits.then(|| Span::token(start, start, gap, SecretKind::Token))
}

/// So long is what may stand behind a gap of a token that is too short to be known by what stands before it.
const LONG_REST: usize = 12;

/// Where a token ends whose middle was left out (`sk-ant-api03-…wxyz`), as debuggers do with long texts.
fn behind_gap(text: &str, end: usize) -> usize {
    let gap = match cut(text, end, end + 3) {
        gap @ ("..." | "\u{2026}") => gap.len(),
        _ => return end,
    };
    let is_token = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let rest = run(text, end + gap, LOOK, is_token);
    let whole = end + gap + rest;
    // Where the text ends, more of it may come.
    if rest >= 4 || whole == text.len() {
        whole
    } else {
        end
    }
}

fn special(text: &str, what: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    match what {
        "eyJ" => jwt(text, start, runs),
        ":AA" => telegram(text, start, after, runs),
        "8Q~" => around(text, (start, after), (3, Base64), (Base64, 30), runs),
        ".atlasv1." => around(text, (start, after), (14, Alnum), (Dash, 50), runs),
        "://" => context::userinfo(text, start, after),
        "--" => context::option(text, after),
        "-u " => context::user_option(text, start, after),
        " password " => context::netrc(text, start, after),
        "-----BEGIN " => key_block(text, start),
        _ if what.trim_end().eq_ignore_ascii_case("bearer") => bearer(text, start, after, runs),
        _ => basic(text, start, after, runs),
    }
}

/// A token that is known by what stands in its middle: so many characters of a class before it, at least so many behind.
fn around(
    text: &str,
    (start, after): (usize, usize),
    (before, class): (usize, Class),
    (behind, least): (Class, usize),
    runs: &mut Runs,
) -> Option<Span> {
    let from = start.checked_sub(before)?;
    let end = runs.end(text, behind, after);
    (begins_word(text, from)
        && end - after >= least
        && cut(text, from, start).bytes().all(|b| class.has(b)))
    .then(|| Span::token(from, from, end, SecretKind::Token))
}

/// Header, claims and signature; or the five parts of an encrypted one.
fn jwt(text: &str, start: usize, runs: &mut Runs) -> Option<Span> {
    let end = runs.end(text, Dot, start);
    if !begins_word(text, start) {
        return None;
    }
    let whole = cut(text, start, end).trim_end_matches(['.', '-']);
    let mut parts = whole.splitn(6, '.');
    let head = parts.next()?.len();
    let claims = parts.next()?;
    let more = parts.count();
    (head >= 10
        && (claims.starts_with("eyJ") || more == 3)
        && (claims.len() >= 8 || more == 3)
        && more <= 3)
        .then(|| Span::token(start, start, start + whole.len(), SecretKind::Jwt))
}

/// `123456789:AA…`, a bot's token.
fn telegram(text: &str, colon: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let digits = run_before(text, colon, 11, |b| b.is_ascii_digit());
    let end = runs.end(text, Dash, after);
    ((8..=10).contains(&digits) && (31..=36).contains(&(end - after)))
        .then(|| Span::token(colon - digits, colon - digits, end, SecretKind::Token))
}

fn bearer(text: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let from = after + run(text, after, usize::MAX, |b| b == b' ');
    let mut end = runs.end(text, Base64, from);
    while end > from && byte(text, end - 1) == b'.' {
        end -= 1;
    }
    let value = cut(text, from, end);
    let is_word = !value.bytes().any(|b| b.is_ascii_digit()) && value.len() < 24;
    (begins_word(text, start) && value.len() >= 8 && !is_word)
        .then(|| Span::token(start, from, end, SecretKind::Bearer))
}

/// `Basic` and what decodes to `user:password`; prose says `Basic` as well.
fn basic(text: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let end = runs.end(text, Base64, after);
    (begins_word(text, start) && is_user_and_password(cut(text, after, end)))
        .then(|| Span::token(start, after, end, SecretKind::Bearer))
}

fn is_user_and_password(base64: &str) -> bool {
    if base64.len() > 1024 {
        return false;
    }
    let mut bits = 0_u32;
    let mut count = 0;
    let mut colon = false;
    for byte in base64.trim_end_matches('=').bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6) | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            let decoded = (bits >> count) & 0xff;
            if decoded < 0x20 || decoded == 0x7f {
                return false;
            }
            colon |= decoded == u32::from(b':');
        }
    }
    colon
}

/// The length of a private key's first line at the beginning of `text`, `-----` included.
pub fn key_begin(text: &str) -> Option<usize> {
    KEY_BEGIN.find(text).map(|found| found.end())
}

/// Where the first lines of private keys end in a text.
pub fn key_begins(text: &str) -> impl Iterator<Item = usize> {
    let begins = DASHES.find_iter(text.as_bytes());
    begins.filter_map(|at| Some(at + key_begin(cut(text, at, text.len()))?))
}

/// A key in one line, as it stands in JSON and in variables: from its first line's end to its last line, or as far as it goes.
fn key_block(text: &str, begin: usize) -> Option<Span> {
    let start = begin + key_begin(cut(text, begin, text.len()))?;
    let rest = cut(text, start, text.len());
    let end = rest
        .find("-----END ")
        .or_else(|| rest.find(['"', '\'', '`', '<']));
    let end = start + end.unwrap_or(rest.len());
    let body = cut(text, start, end);
    let blank = body.trim_matches(|c: char| c.is_whitespace()).is_empty();
    (!blank && !super::judge::is_tag(body))
        .then(|| Span::token(begin, start, end, SecretKind::PrivateKey))
}
