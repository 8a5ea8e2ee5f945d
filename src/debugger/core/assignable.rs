//! What may be assigned to a value of a native program, and whether it had room: debuggers write over what they do not understand.

use super::prelude::*;
use crate::previews::short_type;

/// The number that a variable has instead of the one that was written; nothing where one of them is none, or they are the same.
pub fn cut_number<'t>(written: &str, told: &'t str) -> Option<&'t str> {
    let wanted: i128 = written.trim().parse().ok()?;
    // A character is told with its number before it, or without one.
    let told = told.split(' ').next()?;
    let is_same = if let Ok(now) = told.parse::<i128>() {
        now == wanted
    } else {
        let letter = told.strip_prefix('\'')?.strip_suffix('\'')?;
        let now = match letter.strip_prefix("\\x") {
            Some(hex) => i128::from_str_radix(hex, 16).ok()?,
            None => u32::from(letter.parse::<char>().ok()?).into(),
        };
        now == wanted || (-128..0).contains(&wanted) && now == wanted + 256
    };
    (!is_same).then_some(told)
}

/// Zeros that are written behind a text, up to the end of its array.
const MOST_ZEROS: usize = 256;

/// The bytes of an array of characters that is to hold a text, which debuggers take for the address of one; nothing where that is not
/// what is asked.
pub fn in_array(type_name: &str, value: &str) -> Option<Result<Vec<u8>>> {
    const CHARACTERS: [&str; 5] = ["char", "unsigned char", "signed char", "uint8_t", "int8_t"];
    let (element, length) = type_name.trim().strip_suffix(']')?.rsplit_once('[')?;
    let is_text = value.trim_start().starts_with('"');
    let length: usize = length.parse().ok().filter(|_| is_text)?;
    let refuse = |why: String| Some(Err(DebuggerError::usage(why)));
    if !CHARACTERS.contains(&element.trim()) {
        return refuse(format!("A {type_name} takes no text: set its elements."));
    }
    let Ok(text) = serde_json::from_str::<String>(value.trim()) else {
        return refuse(format!(
            "{value} is not read as a text: \\n, \\t, \\\" and \\u00e9 are."
        ));
    };
    if text.len() > length {
        let long = text.len();
        return refuse(format!(
            "It has room for {length} bytes, and the text has {long}."
        ));
    }
    let filled = length.min(text.len() + MOST_ZEROS);
    let mut bytes = text.into_bytes();
    bytes.resize(filled, 0);
    Some(Ok(bytes))
}

/// Words of which C's names of numbers are made.
const NUMBERS: &[&str] = &[
    "int", "long", "short", "char", "unsigned", "signed", "double", "float", "bool",
];

/// Why a value of a native program may not be assigned to: one with parts is written over as bytes, whatever it owns, which only C means. A
/// text in quotes would make a number of where it lies.
pub fn refused(target: &Variable, value: &str, copies_bytes: bool) -> Option<Refusal> {
    let type_name = target.type_.as_deref().unwrap_or_default().trim();
    // Not what points to something constant.
    let is_const = type_name.ends_with("const")
        || type_name.starts_with("const ") && !type_name.ends_with('*');
    if is_const && target.name.starts_with('[') {
        let error = "It is const, as the key of a map is, and cannot be changed.";
        return Some(Refusal {
            error: DebuggerError::usage(error),
            takes: None,
        });
    }
    let is_pointer = type_name.ends_with(['*', ']'])
        || type_name.starts_with(['*', '&', '['])
        || type_name.contains("(*)");
    // A name may be that of a value of the same type.
    let is_name = value.starts_with(|c: char| c.is_alphabetic() || "_*&(".contains(c));
    let is_text = serde_json::from_slice::<String>(value.as_bytes()).is_ok();
    let is_number = |name: &str| {
        let mut words = name.split_whitespace();
        words.all(|word| NUMBERS.contains(&word) || word.ends_with("_t"))
    };
    // A formatter that shows a text tells of no parts, and one may tell of a number as a part of it.
    let has_parts = target.variables_reference > 0
        && (type_name.is_empty() || !is_number(type_name))
        || target.value.trim().starts_with('"');
    let fits = if has_parts {
        is_name && copies_bytes
    } else {
        !is_text || type_name.is_empty()
    };
    // A reference has what it refers to as its part, and in its own place the address of that.
    let of_number = type_name.strip_suffix('&').is_some_and(is_number) && !is_text;
    if is_pointer || fits && !of_number {
        return None;
    }
    let short = short_type(type_name);
    let article = if short.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    };
    let error = format!("The debugger cannot make {article} {short} of `{value}`.");
    let error = DebuggerError::usage(error);
    let is_string = short == "string";
    Some(Refusal {
        error: match has_parts {
            true if short.starts_with("const ") => error.hint("it is constant"),
            true if is_string => error.hint("a text in quotes, or another string's name"),
            true if target.variables_reference == 0 => {
                error.hint("its bytes can be written in memory")
            }
            true => error.hint("open it, and set its parts; what kind it is (its variant) stays"),
            false => error,
        },
        takes: if is_string && (is_text || is_name) {
            Some((".assign(", ")"))
        } else {
            of_number.then_some((" = ", ""))
        },
    })
}

/// Why a value may not be written over.
pub struct Refusal {
    pub error: DebuggerError,
    /// What stands before the value and behind it in an expression that does it: a function of a `std::string`, an assignment.
    pub takes: Option<(&'static str, &'static str)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_constant_is_no_matter_of_what_it_points_to() {
        let target = |name: &str, type_name: &str| Variable {
            name: name.to_owned(),
            value: "1".to_owned(),
            type_: Some(type_name.to_owned()),
            ..Variable::default()
        };
        for (name, type_name, value, is_refused) in [
            ("[2]", "const int", "55", true),
            ("[2]", "const char * const", "other", true),
            ("[1]", "const char *", "words[0]", false),
            ("limit", "const int", "55", false),
            ("[1]", "int", "55", false),
            ("n", "int", "\"abc\"", true),
        ] {
            let told = refused(&target(name, type_name), value, false);
            assert_eq!(told.is_some(), is_refused, "{name}: {type_name} = {value}");
        }
        let function = Variable {
            variables_reference: 1,
            ..target("call", "int (*)(const char *)")
        };
        assert!(refused(&function, "0", false).is_none());
    }

    #[test]
    fn a_text_fills_an_array_of_characters_or_is_refused() {
        let bytes = |type_name, value| in_array(type_name, value).map(Result::ok);
        assert_eq!(bytes("char [4]", "\"ab\""), Some(Some(b"ab\0\0".to_vec())));
        assert_eq!(
            bytes("unsigned char[2]", "\"ab\""),
            Some(Some(b"ab".to_vec()))
        );
        for (type_name, value) in [
            ("char [2]", "\"abc\""),
            ("char [3][4]", "\"ab\""),
            ("int [4]", "\"ab\""),
            ("char [4]", "\"a\\000\""),
        ] {
            assert_eq!(bytes(type_name, value), Some(None), "{type_name} = {value}");
        }
        for (type_name, value) in [("char *", "\"ab\""), ("char [4]", "other"), ("int", "1")] {
            assert_eq!(bytes(type_name, value), None, "{type_name} = {value}");
        }
    }

    #[test]
    fn a_number_that_has_no_room_is_found_by_what_became_of_it() {
        for (written, told, cut) in [
            ("300", "44", Some("44")),
            ("-1", "255", Some("255")),
            ("321", "65 'A'", Some("65")),
            ("65", "65 'A'", None),
            ("65", "'A'", None),
            ("300", "','", Some("','")),
            ("200", "'\\xc8'", None),
            ("-56", "'\\xc8'", None),
            ("32", "' '", None),
            ("44", "44", None),
            ("1.5", "1", None),
            ("7", "true", None),
            ("a + 1", "3", None),
        ] {
            assert_eq!(cut_number(written, told), cut, "{written}: {told}");
        }
    }
}
