//! Sizes, counts and spans of time as people read them.

/// `4.2 MiB`, `812 B`; three digits that matter.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "";
    for name in UNITS {
        value /= 1024.0;
        unit = name;
        // What would be rounded to 1000 and more is said in the next unit.
        if value < 999.5 {
            break;
        }
    }
    three_digits(value, unit)
}

/// A value with its unit and the three digits that matter: `4.21 s`, `42.1 s`, `421 s`.
pub fn three_digits(value: f64, unit: &str) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// Milliseconds: `240 ms`, `3.2 s`, `5 min 3 s`.
pub fn span(milliseconds: i64) -> String {
    match milliseconds {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms < 60_000 => format!("{}.{} s", ms / 1000, ms / 100 % 10),
        ms if ms < 3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
        ms => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Digits in groups of three: `1,234`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 file`, `1,234 files`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", thousands(number))
}

/// As [`count`], of a noun whose plural has an `s`.
pub fn counted(number: impl TryInto<u64>, one: &str) -> String {
    count(number.try_into().unwrap_or(0), one, &format!("{one}s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (15_360, "15.0 KiB"),
            (1_048_575, "1.00 MiB"),
            (501_219_328, "478 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(1_234_567, "file", "files"), "1,234,567 files");
    }
}
