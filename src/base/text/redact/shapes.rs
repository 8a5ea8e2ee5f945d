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
    Kind, context,
    span::{Span, Stop, begins_word, byte, cut},
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

/// Beginnings of providers' tokens. A longer beginning stands before the shorter one that it begins with.
const SHAPES: &[(&str, Class, Rest)] = &[
    // GitHub, GitLab
    ("github_pat_", Word, Least(22)),
    ("ghp_", Alnum, Least(30)),
    ("gho_", Alnum, Least(30)),
    ("ghu_", Alnum, Least(30)),
    ("ghs_", Alnum, Least(30)),
    ("ghr_", Alnum, Least(30)),
    ("glpat-", Dot, Least(20)),
    ("gldt-", Dash, Least(20)),
    ("glptt-", Dash, Least(20)),
    ("glrt-", Dot, Least(20)),
    ("glcbt-", Dash, Least(20)),
    ("glsoat-", Dash, Least(20)),
    // Providers of models
    ("sk-ant-", Dash, Least(16)),
    ("sk-", Dash, WithDigit(20)),
    ("gsk_", Alnum, Least(40)),
    ("xai-", Alnum, Least(40)),
    ("pplx-", Alnum, Least(40)),
    ("csk-", Alnum, WithDigit(30)),
    ("hf_", Alnum, Least(30)),
    ("r8_", Alnum, Least(30)),
    ("fw_", Alnum, WithDigit(22)),
    ("tvly-", Dash, WithDigit(24)),
    ("nvapi-", Dash, Least(40)),
    // Clouds
    ("AKIA", Upper, Exactly(16)),
    ("ASIA", Upper, Exactly(16)),
    ("ABIA", Upper, Exactly(16)),
    ("ACCA", Upper, Exactly(16)),
    ("AIza", Dash, Exactly(35)),
    ("ya29.", Dash, Least(20)),
    ("GOCSPX-", Dash, Least(20)),
    ("1//0", Dash, Least(30)),
    ("dop_v1_", Hex, Exactly(64)),
    ("doo_v1_", Hex, Exactly(64)),
    ("dor_v1_", Hex, Exactly(64)),
    ("HRKU-", Dash, Least(30)),
    ("FlyV1 fm2_", Base64, Least(40)),
    ("fo1_", Dash, Least(40)),
    ("pul-", Hex, Exactly(40)),
    ("dapi", Hex, Exactly(32)),
    ("sbp_", Hex, Exactly(40)),
    ("pscale_tkn_", Dot, Least(30)),
    ("pscale_pw_", Dot, Least(30)),
    ("hvs.", Dash, Least(20)),
    ("hvb.", Dash, Least(20)),
    ("hvr.", Dash, Least(20)),
    ("tskey-", Dash, WithDigit(16)),
    ("dp.pt.", Alnum, Least(40)),
    ("dp.st.", Dot, Least(40)),
    ("dp.ct.", Alnum, Least(40)),
    // Messages
    ("xoxa-", Dash, WithDigit(10)),
    ("xoxb-", Dash, WithDigit(10)),
    ("xoxe-", Dash, WithDigit(10)),
    ("xoxe.xoxp-", Dash, WithDigit(10)),
    ("xoxp-", Dash, WithDigit(10)),
    ("xoxr-", Dash, WithDigit(10)),
    ("xoxs-", Dash, WithDigit(10)),
    ("xapp-", Dash, WithDigit(16)),
    ("hooks.slack.com/services/", Base64, Least(30)),
    ("discord.com/api/webhooks/", Base64, Least(40)),
    ("discordapp.com/api/webhooks/", Base64, Least(40)),
    ("SG.", Dot, WithDigit(40)),
    ("key-", Hex, Exactly(32)),
    ("SK", Hex, Exactly(32)),
    // Payment, shops
    ("sk_live_", Alnum, Least(16)),
    ("sk_test_", Alnum, Least(16)),
    ("rk_live_", Alnum, Least(16)),
    ("rk_test_", Alnum, Least(16)),
    ("whsec_", Base64, Least(24)),
    ("shpat_", Hex, Exactly(32)),
    ("shpca_", Hex, Exactly(32)),
    ("shppa_", Hex, Exactly(32)),
    ("shpss_", Hex, Exactly(32)),
    ("sq0atp-", Dash, Least(22)),
    ("sq0csp-", Dash, Least(22)),
    // Registries of packages, tools
    ("npm_", Alnum, Least(36)),
    ("pypi-AgE", Dash, Least(16)),
    ("rubygems_", Hex, Exactly(48)),
    ("dckr_pat_", Dash, Least(20)),
    ("lin_api_", Alnum, Least(32)),
    ("ntn_", Alnum, Least(40)),
    ("secret_", Alnum, Exactly(43)),
    ("ATATT3", Base64, Least(50)),
    ("figd_", Dash, Least(20)),
    ("glsa_", Word, Least(40)),
    ("glc_", Base64, Least(40)),
    ("NRAK-", Upper, Exactly(27)),
    ("PMAK-", Dash, Least(50)),
    ("sntrys_", Base64, Least(40)),
    ("sntryu_", Hex, Exactly(64)),
    ("AGE-SECRET-KEY-1", Upper, Exactly(58)),
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
    let shapes = SHAPES
        .iter()
        .map(|(text, class, rest)| (*text, Begins::Shape(*class, *rest)));
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
        let length = text
            .as_bytes()
            .iter()
            .skip(from)
            .take_while(|b| class.has(**b))
            .count();
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

fn span(from: usize, start: usize, end: usize, kind: Kind) -> Span {
    Span {
        from,
        start,
        end,
        kind,
        stop: Stop::Token,
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
    (fits && !goes_on).then(|| span(start, start, end, Kind::Token))
}

fn special(text: &str, what: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    match what {
        "eyJ" => jwt(text, start, runs),
        ":AA" => telegram(text, start, after, runs),
        "8Q~" => {
            let from = start.checked_sub(3)?;
            let end = runs.end(text, Base64, after);
            (begins_word(text, from)
                && end - after >= 30
                && cut(text, from, start).bytes().all(|b| Base64.has(b)))
            .then(|| span(from, from, end, Kind::Token))
        }
        ".atlasv1." => {
            let from = start.checked_sub(14)?;
            let end = runs.end(text, Dash, after);
            (begins_word(text, from)
                && end - after >= 50
                && cut(text, from, start).bytes().all(|b| Alnum.has(b)))
            .then(|| span(from, from, end, Kind::Token))
        }
        "://" => context::userinfo(text, start, after),
        "--" => context::option(text, after),
        "-u " => context::user_option(text, start, after),
        " password " => context::netrc(text, start, after),
        "-----BEGIN " => key_block(text, start),
        _ if what.trim_end().eq_ignore_ascii_case("bearer") => bearer(text, start, after, runs),
        _ => basic(text, start, after, runs),
    }
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
        .then(|| span(start, start, start + whole.len(), Kind::Jwt))
}

/// `123456789:AA…`, a bot's token.
fn telegram(text: &str, colon: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let digits = text
        .as_bytes()
        .iter()
        .take(colon)
        .rev()
        .take(11)
        .take_while(|b| b.is_ascii_digit())
        .count();
    let end = runs.end(text, Dash, after);
    ((8..=10).contains(&digits) && (31..=36).contains(&(end - after)))
        .then(|| span(colon - digits, colon - digits, end, Kind::Token))
}

fn bearer(text: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let from = after
        + cut(text, after, text.len())
            .bytes()
            .take_while(|b| *b == b' ')
            .count();
    let mut end = runs.end(text, Base64, from);
    while end > from && byte(text, end - 1) == b'.' {
        end -= 1;
    }
    let value = cut(text, from, end);
    let is_word = !value.bytes().any(|b| b.is_ascii_digit()) && value.len() < 24;
    (begins_word(text, start) && value.len() >= 8 && !is_word)
        .then(|| span(start, from, end, Kind::Bearer))
}

/// `Basic` and what decodes to `user:password`; prose says `Basic` as well.
fn basic(text: &str, start: usize, after: usize, runs: &mut Runs) -> Option<Span> {
    let end = runs.end(text, Base64, after);
    (begins_word(text, start) && is_user_and_password(cut(text, after, end)))
        .then(|| span(start, after, end, Kind::Bearer))
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

/// Where in a line a private key begins, and where its first line ends.
pub fn find_key_begin(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = DASHES.find(cut(text, from, text.len()).as_bytes()) {
        let begin = from + at;
        if let Some(length) = key_begin(cut(text, begin, text.len())) {
            return Some(begin + length);
        }
        from = begin + 11;
    }
    None
}

/// A key in one line, as it stands in JSON and in variables: from its first line's end to its last line, or as far as it goes.
fn key_block(text: &str, begin: usize) -> Option<Span> {
    let start = begin + key_begin(cut(text, begin, text.len()))?;
    let rest = cut(text, start, text.len());
    let (end, stop) = match rest.find("-----END ") {
        Some(end) => (start + end, Stop::Token),
        None => (
            start + rest.find(['"', '\'', '`', '<']).unwrap_or(rest.len()),
            Stop::Token,
        ),
    };
    let body = cut(text, start, end);
    let blank = body.trim_matches(|c: char| c.is_whitespace()).is_empty();
    let done = super::judge::tag_at(body, 0) && body.len() == super::judge::TAG_LENGTH;
    (!blank && !done).then_some(Span {
        from: begin,
        start,
        end,
        kind: Kind::PrivateKey,
        stop,
    })
}
