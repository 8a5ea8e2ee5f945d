//! Entries of `journalctl -o export` (systemd, Journal Export Formats): `NAME=value` on each line, the cursor first. A value that is no plain
//! text stands behind its name and its length, which has eight bytes, the smallest first.

use memchr::memchr;

use super::record::{Found, Head, Scalar};

/// How every entry begins.
pub const BEGINNING: &[u8] = b"__CURSOR=";

/// Reads an entry.
pub fn export_head(mut text: &[u8]) -> Head<'_> {
    let mut found = Found::default();
    while let Some((name, value, rest)) = field(text) {
        if let Some(wanted) = std::str::from_utf8(name).ok().and_then(|n| found.wants(n)) {
            found.take(wanted, Scalar::Text(String::from_utf8_lossy(value)));
        }
        text = rest;
    }
    found.finish()
}

/// A name, its value, and what follows; nothing at the end and where a value was cut off.
fn field(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = memchr(b'\n', text).unwrap_or(text.len());
    let (line, rest) = text.split_at_checked(end)?;
    if let Some(at) = memchr(b'=', line) {
        return Some((
            line.get(..at)?,
            line.get(at + 1..)?,
            rest.get(1..).unwrap_or_default(),
        ));
    }
    let (length, rest) = rest.get(1..)?.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (value, rest) = rest.split_at_checked(length)?;
    Some((line, value, rest.get(1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::super::record::Level;
    use super::*;

    #[test]
    fn an_entry_of_the_journal_is_read_whole_and_a_broken_one_as_far_as_it_goes() {
        let text = b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1700000000000000\nPRIORITY=3\nMESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\n_PID=77\n";
        let head = export_head(text);
        assert_eq!(
            (head.time, head.level, head.pid, head.message.as_deref()),
            (
                Some(1_700_000_000_000),
                Some(Level::Error),
                Some(77),
                Some("two\nlines")
            )
        );
        for length in 0..text.len() {
            let head = export_head(&text[..length]);
            assert!(head.pid.is_none() || length > 75, "{length}: {head:?}");
        }
        let huge = b"__CURSOR=s=1\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xfftwo\n";
        assert_eq!(export_head(huge), Head::default());
    }
}
