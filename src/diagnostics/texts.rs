//! Texts taken apart.

/// So many characters from the beginning.
pub fn beginning(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// The number that a text begins with.
pub fn first_number(text: &str) -> Option<u64> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The bytes of a text that writes some of them as so many digits behind a mark: `%20`, `\040`. What is no number stays.
pub fn decoded(text: &str, mark: u8, digits: usize, radix: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = || {
            let (digits, behind) = tail.split_at_checked(digits)?;
            let digits = std::str::from_utf8(digits).ok()?;
            let byte = u8::from_str_radix(digits, radix).ok()?;
            (*first == mark).then_some((byte, behind))
        };
        let (byte, behind) = code().unwrap_or((*first, tail));
        bytes.push(byte);
        rest = behind;
    }
    bytes
}
