//! What holds for any text: no panic, redacting twice changes nothing, how the text is cut does not matter.

use proptest::prelude::*;

use super::{Dice, Redactor, WINDOW, secrets};

/// Pieces that mean something to the redactor, and others.
fn piece() -> impl Strategy<Value = String> {
    let known: Vec<String> = secrets::planted()
        .into_iter()
        .flat_map(|(template, secret)| [template.replace("{}", &secret), secret])
        .collect();
    let signs: Vec<String> = [
        "=",
        ":",
        " ",
        "\n",
        "\r\n",
        "\"",
        "'",
        "\\",
        "\\n",
        "--",
        "://",
        "@",
        "[redacted:12ab]",
        "[redacted:",
        "]",
        "{",
        "}",
        ",",
        "password",
        "token",
        "Authorization",
        "Bearer ",
        "Cookie: ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "eyJ",
        "ghp_",
        "sk-",
        "?key=",
        "&",
        "é",
        "日本",
        "\u{1b}[31m",
        "a1",
        "x",
        "-u ",
        "AbCdEfGhIjKlMnOpQrStUvWxYz012345AbCdEfGhIjKlMnOpQrStUvWxYz012345",
    ]
    .map(str::to_owned)
    .to_vec();
    prop_oneof![
        3 => proptest::sample::select(known),
        6 => proptest::sample::select(signs),
        1 => "\\PC{0,12}",
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn in_pieces(redactor: &Redactor, text: &str, mut size: impl FnMut() -> usize) -> String {
    let mut stream = redactor.stream();
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.ceil_char_boundary(size().clamp(1, rest.len()));
        let (piece, after) = rest.split_at(at);
        stream.push_into(piece, &mut out);
        rest = after;
    }
    stream.finish_into(&mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing(text in text()) {
        let redactor = Redactor::new().with_secrets(secrets::variables());
        let once = redactor.redact(&text).into_owned();
        let twice = redactor.redact(&once).into_owned();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn the_cut_does_not_matter(text in text(), seed in any::<u64>()) {
        let redactor = Redactor::new().with_secrets(secrets::variables());
        let whole = redactor.redact(&text).into_owned();
        let mut dice = Dice::new(seed);
        prop_assert_eq!(in_pieces(&redactor, &text, || 1), whole.clone());
        prop_assert_eq!(in_pieces(&redactor, &text, || dice.next() as usize % 40), whole);
    }

    #[test]
    fn settling_never_gives_out_more_of_a_secret(text in text(), at in any::<prop::sample::Index>()) {
        let redactor = Redactor::new();
        let mut stream = redactor.stream();
        let at = text.floor_char_boundary(at.index(text.len() + 1));
        let mut out = String::new();
        let (head, tail) = text.split_at(at);
        stream.push_into(head, &mut out);
        stream.settle_into(&mut out);
        stream.push_into(tail, &mut out);
        stream.finish_into(&mut out);
        prop_assert!(out.len() <= 2 * text.len() + 64);
    }

    #[test]
    fn json_keeps_its_shape(text in text()) {
        let redactor = Redactor::new().with_secrets(secrets::variables());
        let mut value = serde_json::json!({"a": text.clone(), "list": [text.clone()], "password": text});
        redactor.redact_json(&mut value);
        let once = value.clone();
        redactor.redact_json(&mut value);
        prop_assert_eq!(value, once);
    }
}

#[test]
fn a_long_line_is_the_same_however_it_is_cut() {
    let redactor = Redactor::new().with_secrets(secrets::variables());
    let planted = secrets::planted();
    let mut line = String::new();
    let mut dice = Dice::new(3);
    while line.len() < 4 * WINDOW {
        let (template, secret) = &planted[dice.next() as usize % planted.len()];
        // A header would take the rest of the line.
        if !template.to_ascii_lowercase().contains("cookie") && !template.contains("uthorization") {
            line.push_str(&template.replace("{}", secret));
            line.push(' ');
        }
    }
    let whole = redactor.redact(&line).into_owned();
    for most in [7, 1000, WINDOW - 1, WINDOW, WINDOW + 1] {
        assert_eq!(
            in_pieces(&redactor, &line, || dice.next() as usize % most + 1),
            whole,
            "pieces up to {most}"
        );
    }
}
