//! Places in memory as people and adapters write them.

use super::reply::Evaluated;

/// An address: hexadecimal with `0x`, or decimal.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok()
        }
        None if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

/// Where a value points, or else where it is; `None` when its adapter tells neither.
pub fn place_of(value: &Evaluated) -> Option<String> {
    let pointed = value
        .result
        .split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| word.starts_with("0x") && number(word).is_some());
    pointed
        .map(str::to_owned)
        .or_else(|| value.memory_reference.clone())
}

/// Bytes as people write them: `de ad`, `0xde 0xad`, `dead`, or text in double quotes with `\n`, `\t`, `\0`, `\\`, `\"`.
///
/// # Errors
/// A sentence that quotes what is no byte.
pub fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('"') {
        let inside = rest
            .strip_suffix('"')
            .ok_or_else(|| format!("{text} has no quote at its end"))?;
        return quoted(inside);
    }
    let mut bytes = Vec::new();
    for word in text.split([' ', ',']).filter(|w| !w.is_empty()) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let odd = || {
            format!("{word:?} is no byte: write two hexadecimal digits each (de ad), or \"text\"")
        };
        let mut values = digits.chars().map(|c| c.to_digit(16));
        // A lone digit is a byte; otherwise they come in pairs.
        if digits.len() == 1 {
            let value = values.next().flatten().ok_or_else(odd)?;
            bytes.push(value as u8);
            continue;
        }
        if digits.is_empty() {
            return Err(odd());
        }
        while let Some(high) = values.next() {
            let low = values.next().flatten();
            let (high, low) = high.zip(low).ok_or_else(odd)?;
            bytes.push((high * 16 + low) as u8);
        }
    }
    if bytes.is_empty() {
        return Err(
            "there are no bytes: write two hexadecimal digits each (de ad), or \"text\"".to_owned(),
        );
    }
    Ok(bytes)
}

fn quoted(inside: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(same @ ('\\' | '"')) => same,
                Some(other) => {
                    return Err(format!(
                        "\\{other} is no escape: \\n \\t \\r \\0 \\\\ \\\" are"
                    ));
                }
                None => return Err("the text ends in a single \\".to_owned()),
            },
            c => c,
        };
        let mut buffer = [0; 4];
        bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
    }
    if bytes.is_empty() {
        return Err("there are no bytes between the quotes".to_owned());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number(" 16 "), Some(16));
        assert_eq!(number("0X1f"), Some(31));
        for odd in [
            "&x",
            "0x",
            "",
            "+1",
            "-1",
            "0x+1",
            "0x1_0",
            "0x11112222333344445",
        ] {
            assert_eq!(number(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_pointer_is_worth_more_than_where_it_is_kept() {
        let value = |result: &str, reference: Option<&str>| Evaluated {
            result: result.to_owned(),
            memory_reference: reference.map(str::to_owned),
            ..Evaluated::default()
        };
        let of = |value: &Evaluated| place_of(value);
        assert_eq!(
            of(&value("(item *) 0x7ffe10 {…}", Some("0x1"))).as_deref(),
            Some("0x7ffe10")
        );
        assert_eq!(of(&value("{…}", Some("0x1"))).as_deref(), Some("0x1"));
        assert_eq!(of(&value("42", None)), None);
    }

    #[test]
    fn bytes_are_read_and_what_is_none_is_quoted() {
        assert_eq!(bytes("de ad 0xbe,ef"), Ok(vec![0xde, 0xad, 0xbe, 0xef]));
        assert_eq!(bytes("deadbeef 1"), Ok(vec![0xde, 0xad, 0xbe, 0xef, 1]));
        assert_eq!(bytes(r#""a\n\0é""#), Ok(b"a\n\0\xc3\xa9".to_vec()));
        for odd in [
            "", "g0", "abc", "+1", "é1", "\"open", "\"\"", r#""\q""#, r#""\""#,
        ] {
            let error = bytes(odd).unwrap_err();
            assert!(!error.is_empty(), "{odd}");
        }
        assert!(bytes("12 zz").unwrap_err().contains("\"zz\""));
    }
}
