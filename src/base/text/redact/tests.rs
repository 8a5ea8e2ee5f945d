//! Tables of secrets that must go and of look-alikes that must stay, and properties that hold for any text.
//!
//! Secrets are put together here from a beginning and random characters, so that none stands in the source.

// suite: T11 asked 2960 present 401

mod look_alikes;
mod properties;
mod secrets;

use std::{borrow::Cow, fmt::Write as _};

use super::*;

/// Random characters, the same in every run.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn of(&mut self, alphabet: &str, count: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..count)
            .map(|_| letters[(self.next() >> 33) as usize % letters.len()])
            .collect()
    }

    /// Letters and digits, of both sorts for certain.
    pub(super) fn alnum(&mut self, count: usize) -> String {
        let body = self.of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            count - 3,
        );
        format!("{body}a7Q")
    }

    pub(super) fn hex(&mut self, count: usize) -> String {
        self.of("0123456789abcdef", count)
    }

    pub(super) fn upper(&mut self, count: usize) -> String {
        self.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count)
    }
}

/// The text with every replacement written as `{}`.
pub(super) fn shape_of(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if judge::tag_at(text, at) {
            out.push_str("{}");
            at += judge::TAG_LENGTH;
        } else {
            out.push(character);
            at += character.len_utf8();
        }
    }
    out
}

fn tag_of(text: &str) -> &str {
    let at = text.find(judge::TAG).expect("a replacement");
    text.get(at..at + judge::TAG_LENGTH).expect("a whole one")
}

#[test]
fn every_planted_secret_is_found_and_nothing_else() {
    let planted = secrets::planted();
    assert!(planted.len() >= 150, "{} secrets", planted.len());
    let redactor = Redactor::new().with_secrets(secrets::variables());
    let mut wrong = String::new();
    for (template, secret) in &planted {
        let line = template.replace("{}", secret);
        let clean = redactor.redact(&line);
        if clean.contains(secret.as_str()) || shape_of(&clean) != *template {
            let _ = writeln!(wrong, "{line}\n   became {clean}\n   not    {template}");
        }
        let again = redactor.redact(&clean);
        if again != clean {
            let _ = writeln!(wrong, "{clean}\n   became {again} when redacted again");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_planted_secret_is_found_however_the_text_is_cut() {
    let redactor = Redactor::new().with_secrets(secrets::variables());
    for (template, secret) in secrets::planted().iter().step_by(3) {
        let line = format!("before\n{}\nafter\n", template.replace("{}", secret));
        let whole = redactor.redact(&line).into_owned();
        for at in (0..line.len()).filter(|at| line.is_char_boundary(*at)) {
            let mut stream = redactor.stream();
            let (head, tail) = line.split_at(at);
            let mut out = stream.push(head);
            out.push_str(&stream.push(tail));
            out.push_str(&stream.finish());
            assert_eq!(out, whole, "cut at {at}");
        }
    }
}

#[test]
fn look_alikes_stay() {
    let redactor = Redactor::new().with_secrets(secrets::variables());
    assert!(
        look_alikes::LINES.len() >= 80,
        "{} look-alikes",
        look_alikes::LINES.len()
    );
    let changed: Vec<String> = look_alikes::LINES
        .iter()
        .filter_map(|line| match redactor.redact(line) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(format!("{line}\n   became {clean}")),
        })
        .collect();
    assert!(changed.is_empty(), "\n{}", changed.join("\n"));
    assert_eq!(redactor.report().total(), 0);
}

#[test]
fn the_same_secret_has_the_same_replacement_wherever_it_stands() {
    let secret = Dice::new(4).alnum(24);
    let redactor = Redactor::new().with_secrets([("GITHUB_TOKEN", secret.as_str())]);
    let named = redactor.redact_value(Some("token"), &secret).into_owned();
    let header = redactor
        .redact(&format!("Authorization: Bearer {secret}"))
        .into_owned();
    let text = redactor
        .redact(&format!("it was {secret}, they say"))
        .into_owned();
    let quoted = redactor
        .redact(&format!(r#"{{"access_token": "{secret}"}}"#))
        .into_owned();
    assert_eq!(tag_of(&header), named);
    assert_eq!(tag_of(&text), named);
    assert_eq!(tag_of(&quoted), named);
    let other = Redactor::new();
    assert_eq!(
        other.redact_value(Some("token"), &secret),
        named,
        "one key for the process"
    );
    let others = (0..50)
        .filter(|n| redactor.redact_value(Some("password"), &format!("{secret}{n}")) == named);
    assert!(others.count() < 3, "different secrets mostly differ");
}

#[test]
fn values_of_variables() {
    let redactor = Redactor::new();
    let hide = |name: &str, value: &str| shape_of(&redactor.redact_value(Some(name), value));
    assert_eq!(hide("password", "hunter22"), "{}");
    assert_eq!(hide("self.db_password", "'hunter22'"), "'{}'");
    assert_eq!(hide("['api-key']", "\"ab12cd34\""), "\"{}\"");
    assert_eq!(hide("token", "Identifier"), "Identifier", "a parser's");
    assert_eq!(
        hide("token", "Token(kind=ID, at=12)"),
        "Token(kind=ID, at=12)"
    );
    assert_eq!(hide("tokenCount", "1234567"), "1234567");
    assert_eq!(hide("max_tokens", "4096"), "4096");
    assert_eq!(hide("password", "None"), "None");
    assert_eq!(hide("pwd", "/home/ada"), "/home/ada");
    assert_eq!(
        hide("url", "postgres://ada:s3cr3t@db/x"),
        "postgres://ada:{}@db/x"
    );
    assert_eq!(shape_of(&redactor.redact_env("SOME_KEY", "abc-def")), "{}");
    assert_eq!(
        shape_of(&redactor.redact_env("GITHUB_PAT", "abc-def")),
        "{}"
    );
    assert_eq!(redactor.redact_env("KEYBOARD", "qwerty"), "qwerty");
    let mut arguments = ["--password", "abc-def", "--port", "8080"].map(str::to_owned);
    redactor.redact_list(&mut arguments);
    assert_eq!(
        arguments.each_ref().map(|text| shape_of(text)),
        ["--password", "{}", "--port", "8080"]
    );
    assert_eq!(redactor.redact_value(None, "hunter22"), "hunter22");
}

#[test]
fn json_is_judged_by_its_names() {
    let redactor = Redactor::new();
    let mut value = serde_json::json!({
        "password": "hunter22",
        "pin_code": 5,
        "db_password": 123_456,
        "usage": {"input_tokens": 12, "max_tokens": 4096},
        "headers": [{"name": "Authorization", "value": "Bearer abcdefgh12"}, {"name": "Accept", "value": "text/plain"}],
        "variables": [{"name": "api_key", "value": "'q1w2e3r4'", "type": "str", "variablesReference": 0}],
        "credentials": {"user": "ada-lovelace", "type": "basic", "n": 7, "deep": [{"x": "y-value-1"}]},
        "args": ["--token", "abcdef12", "--verbose", "--password", "hunter22", "file.txt"],
        "cookie": ["a=b", "c=d"],
        "secrets": ["{name of it}", format!("{{it was glpat-{} then}}", Dice::new(5).alnum(20))],
        "is_secret": true,
        "text": "curl -H 'X-Api-Key: k3yk3yk3y' http://host/",
    });
    redactor.redact_json(&mut value);
    let clean = shape_of(&value.to_string());
    let expected = serde_json::json!({
        "password": "{}",
        "pin_code": 5,
        "db_password": "{}",
        "usage": {"input_tokens": 12, "max_tokens": 4096},
        "headers": [{"name": "Authorization", "value": "{}"}, {"name": "Accept", "value": "text/plain"}],
        "variables": [{"name": "api_key", "value": "'{}'", "type": "str", "variablesReference": 0}],
        "credentials": {"user": "{}", "type": "basic", "n": 7, "deep": [{"x": "{}"}]},
        "args": ["--token", "{}", "--verbose", "--password", "{}", "file.txt"],
        "cookie": ["{}", "{}"],
        "secrets": ["{name of it}", "{}"],
        "is_secret": true,
        "text": "curl -H 'X-Api-Key: {}' http://host/",
    });
    assert_eq!(clean, expected.to_string());
    let once = value.clone();
    redactor.redact_json(&mut value);
    assert_eq!(value, once);
}

#[test]
fn a_private_key_of_several_lines_leaves_one_replacement() {
    let mut dice = Dice::new(9);
    for kind in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let body: Vec<String> = (0..12).map(|_| dice.alnum(64)).collect();
        let text = format!(
            "x\n-----BEGIN {kind}-----\nVersion: 1\n\n{}\n{}\n-----END {kind}-----\ny\n",
            body.join("\n"),
            dice.alnum(20)
        );
        let redactor = Redactor::new();
        let clean = redactor.redact(&text).into_owned();
        let expected =
            format!("x\n-----BEGIN {kind}-----\nVersion: 1\n\n{{}}\n-----END {kind}-----\ny\n");
        assert_eq!(shape_of(&clean), expected);
        assert_eq!(redactor.redact(&clean), clean);
        assert_eq!(redactor.report().count(SecretKind::PrivateKey), 1);
    }
    let indented = format!("-----BEGIN PRIVATE KEY-----\n  {}\n", dice.alnum(64));
    let clean = Redactor::new().redact(&indented).into_owned();
    assert_eq!(shape_of(&clean), "-----BEGIN PRIVATE KEY-----\n  {}\n");
    // As they stand in comments, quotes, diffs, logs and programs.
    let (first, second) = (dice.alnum(64), dice.alnum(20));
    for (prefix, suffix) in [
        ("# ", ""),
        ("> ", ""),
        (" * ", ""),
        ("  | ", ""),
        ("-", ""),
        ("    \"", "\","),
        ("\"", "\\n\" +"),
    ] {
        let lines = ["-----BEGIN RSA PRIVATE KEY-----", &first, &second];
        let text = lines.map(|line| format!("{prefix}{line}{suffix}\n"));
        let clean = Redactor::new().redact(&text.concat()).into_owned();
        assert!(
            !clean.contains(&first) && !clean.contains(&second),
            "{clean}"
        );
    }
    let log = format!(
        "2026-11-29T03:00:09Z INFO -----BEGIN PRIVATE KEY-----\n2026-11-29T03:00:10Z INFO {first}\n2026-11-29T03:00:10Z INFO {second}\n2026-11-29T03:00:10Z INFO -----END PRIVATE KEY-----\n2026-11-29T03:00:11Z INFO loaded\n"
    );
    let clean = Redactor::new().redact(&log).into_owned();
    assert!(
        !clean.contains(&first) && !clean.contains(&second),
        "{clean}"
    );
    assert!(clean.ends_with("INFO loaded\n"), "{clean}");
    let certificate =
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQmFzZTY0\n-----END CERTIFICATE-----\n";
    assert_eq!(Redactor::new().redact(certificate), certificate);
    let twice = "'-----BEGIN PRIVATE KEY-----' -----BEGIN PRIVATE KEY-----\nAbCdEfGhIjKlMnOpQrStUvWxYz012345\n";
    let clean = Redactor::new().redact(twice).into_owned();
    assert!(!clean.contains("AbCdEf"), "{clean}");
    let cut_off = "-----BEGIN RSA PRIVATE KEY-----\nAbCdEfGhIjKlMnOpQrStUvWxYz012345AbCdEfGhIjKlMnOpQrStUvWxYz012345\nand so on\n";
    let clean = Redactor::new().redact(cut_off).into_owned();
    assert_eq!(
        shape_of(&clean),
        "-----BEGIN RSA PRIVATE KEY-----\n{}\nand so on\n"
    );
}

#[test]
fn what_was_replaced_is_counted_by_kind() {
    let redactor = Redactor::new().with_secrets([("APP_SECRET", "correct-horse-9")]);
    let mut dice = Dice::new(5);
    let github = ["gh", "p_", &dice.alnum(36)].concat();
    redactor.redact(&format!(
        "a correct-horse-9 b {github} password=hunter22\npassword=hunter22"
    ));
    let report = redactor.report();
    assert_eq!(
        report.iter().collect::<Vec<_>>(),
        [
            (SecretKind::Name, 2),
            (SecretKind::Token, 1),
            (SecretKind::Value, 1)
        ]
    );
    assert_eq!(report.total(), 4);
    let member = redactor.counting_anew();
    member.redact("correct-horse-9");
    assert_eq!(member.report().total(), 1);
    assert_eq!(redactor.report().total(), 4);
}

#[test]
fn a_line_longer_than_the_window_hides_what_stands_at_every_border() {
    let mut dice = Dice::new(6);
    let secret = ["gh", "o_", &dice.alnum(40)].concat();
    let redactor = Redactor::new();
    for offset in [
        0,
        1,
        BORDER_AT - 60,
        BORDER_AT - 20,
        BORDER_AT,
        WINDOW - 30,
        WINDOW - 1,
        WINDOW + 5,
        3 * WINDOW,
    ] {
        let mut line = "word ".repeat(offset / 5 + 1);
        line.truncate(offset);
        line.push(' ');
        let line = format!("{line}{secret} {}", "more, ".repeat(30_000));
        let clean = redactor.redact(&line).into_owned();
        assert!(
            !clean.contains(secret.trim_start_matches("gho_")),
            "at {offset}"
        );
        assert_eq!(shape_of(&clean), line.replace(&secret, "{}"), "at {offset}");
        assert_eq!(redactor.redact(&clean), clean, "at {offset}");
    }
    // A secret longer than a window: all of it goes.
    let line = format!("a password=\"{}\" b", dice.alnum(3 * WINDOW));
    assert_eq!(shape_of(&redactor.redact(&line)), "a password=\"{}\" b");
}

/// Where a full window is cut.
const BORDER_AT: usize = WINDOW - 8 * 1024;

#[test]
fn a_settled_line_shows_a_question_and_goes_on() {
    let redactor = Redactor::new().with_secrets([("PASS", "hunter2222")]);
    let mut stream = redactor.stream();
    let mut out = stream.push("Name: ");
    assert_eq!(out, "");
    assert!(stream.is_holding());
    stream.settle_into(&mut out);
    assert_eq!(out, "Name: ");
    out.push_str(&stream.push("ada\nPass: "));
    stream.settle_into(&mut out);
    stream.settle_into(&mut out);
    out.push_str(&stream.push("hunter2222\n"));
    assert_eq!(shape_of(&out), "Name: ada\nPass: {}\n");
    // What was given out of a secret before it was known as one cannot be taken back, the rest stays here.
    let mut stream = redactor.stream();
    let mut out = stream.push("Pass: hunter");
    stream.settle_into(&mut out);
    out.push_str(&stream.push("2222!\n"));
    assert!(!out.contains("2222"), "{out}");
}

#[test]
fn hostile_text_costs_time_in_proportion() {
    let redactor = Redactor::new().with_secrets(secrets::variables());
    // Each would take minutes if some part looked at the rest of the line again and again.
    for piece in [
        "eyJ",
        "ghp_",
        "sk-sk-",
        "=",
        ":",
        "password=",
        "a:",
        "://",
        "--",
        "://a:",
        "\"",
        "\\",
        "cookie:",
        "--token ",
        "Bearer ",
        "-----BEGIN ",
        "aaaaaaaa",
        "[redacted:",
        "token='\"",
        "x@://",
    ] {
        let text = piece.repeat(150_000 / piece.len());
        let clean = redactor.redact(&text);
        assert!(clean.len() <= text.len() * 4);
    }
}

/// Each planted secret whole, every third one at every cut, and what only looks like one.
#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("tests.rs");
    let planted = secrets::planted().len();
    crate::suite::assert_present(
        source,
        "T11",
        planted + planted.div_ceil(3) + look_alikes::LINES.len(),
    );
}

#[test]
fn what_was_hidden_in_text_is_hidden_from_then_on() {
    let redactor = Redactor::new().learning();
    let text = "auth=sha256 aws_secret_access_key=wJalr7XUtnFEMI\npassword: required\nsee postgres://ada:s3cr3tpw@db/x";
    assert_eq!(shape_of(&redactor.redact(text)).matches("{}").count(), 3);
    let later = "wJalr7XUtnFEMI, s3cr3tpw and what is required, by sha256";
    assert_eq!(
        shape_of(&redactor.redact(later)),
        "{}, {} and what is required, by sha256"
    );
}
