//! Texts taken apart.

/// The number that a text begins with.
pub fn leading_number(text: &str) -> Option<u64> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The bytes of a text that writes some of them as so many digits behind a mark: `%20`, `\040`. What is no number stays.
pub fn decoded(text: &str, mark: u8, digits: usize, radix: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = || {
            let (digits, behind) = tail.split_at_checked(digits).filter(|_| *first == mark)?;
            let digits = std::str::from_utf8(digits).ok()?;
            // `from_str_radix` takes a sign, too.
            let is_number = digits.chars().all(|digit| digit.is_digit(radix));
            let byte = is_number.then(|| u8::from_str_radix(digits, radix));
            Some((byte?.ok()?, behind))
        };
        let (byte, behind) = code().unwrap_or((*first, tail));
        bytes.push(byte);
        rest = behind;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_are_taken_out_of_texts() {
        assert_eq!(leading_number("3, all of them"), Some(3));
        assert_eq!(leading_number(" 3"), None);
        assert_eq!(leading_number("99999999999999999999"), None);
        assert_eq!(decoded("a%20b%2", b'%', 2, 16), b"a b%2");
        assert_eq!(decoded("%+f%zz", b'%', 2, 16), b"%+f%zz");
        assert_eq!(decoded("\\040\\9\\777", b'\\', 3, 8), b" \\9\\777");
    }
}
