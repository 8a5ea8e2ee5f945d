//! Words that nobody can guess: prompts that no output has by chance, secrets that only our own programs know.

use std::io::{self, Read as _};

use base::text::hex::hexadecimal;

/// A word of `N` random bytes in hexadecimal digits. Fails where the system has no random numbers.
pub fn word<const N: usize>() -> io::Result<String> {
    let mut random = [0; N];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(hexadecimal(&random))
}

/// Whether it is the secret. How long this takes says nothing of how much of it was right.
pub fn is_same(secret: &[u8], given: &[u8]) -> bool {
    let both = secret.iter().zip(given);
    let differs = both.fold(0, |differs, (own, given)| differs | (own ^ given));
    secret.len() == given.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_long_as_wanted_and_never_the_same() {
        let [one, other] = [word::<8>().unwrap(), word::<8>().unwrap()];
        assert_eq!(one.len(), 16);
        assert_ne!(one, other);
    }

    #[test]
    fn a_part_of_a_secret_is_not_it() {
        assert!(is_same(b"secret", b"secret"));
        for given in ["", "secre", "secrets", "Secret", "secreT"] {
            assert!(!is_same(b"secret", given.as_bytes()), "{given}");
        }
    }
}
