//! The format: a tar of plain files, as many gzip members one after the other.
//!
//! Several members are legal gzip, and every reader of archives takes them as one stream. They let parts be compressed on
//! all processors at once, and a part of known length be written again: the head of a large file is stored without compression, and
//! put right when the file's size is known. Times and owners are fixed, so the same content is the same archive.

use flate2::Crc;

/// A tar is made of blocks of this size.
pub const BLOCK: usize = 512;
/// Longest name that a tar's own head has room for.
const SHORT_NAME: usize = 100;

/// The head of a file. Its length depends on the name alone.
pub fn head(name: &str, size: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(3 * BLOCK);
    let mut header = header(size);
    if name.len() > SHORT_NAME || header.set_path(name).is_err() {
        // GNU's way: a file before the file has the name.
        let mut long = self::header(name.len() as u64 + 1);
        long.set_entry_type(tar::EntryType::GNULongName);
        set_name(&mut long, b"././@LongLink");
        long.set_cksum();
        out.extend_from_slice(long.as_bytes());
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        pad(&mut out, name.len() as u64 + 1);
        set_name(&mut header, name.as_bytes());
    }
    header.set_cksum();
    out.extend_from_slice(header.as_bytes());
    out
}

fn header(size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    header
}

/// As much of a name as there is room for.
fn set_name(header: &mut tar::Header, name: &[u8]) {
    let room = &mut header.as_old_mut().name;
    room.fill(0);
    for (to, from) in room.iter_mut().zip(name) {
        *to = *from;
    }
}

/// Zeros up to the next block.
pub fn pad(out: &mut Vec<u8>, size: u64) {
    out.resize(out.len() + padding(size), 0);
}

/// How many zeros follow a file of this size.
pub fn padding(size: u64) -> usize {
    let over = (size % BLOCK as u64) as usize;
    if over == 0 { 0 } else { BLOCK - over }
}

/// What ends a tar.
pub fn end() -> Vec<u8> {
    vec![0; 2 * BLOCK]
}

/// A gzip member that holds `content` as it is, so that its length depends on the content's length alone.
pub fn stored(content: &[u8]) -> Vec<u8> {
    const MOST: usize = 0xffff;
    let mut out = Vec::with_capacity(content.len() + 64);
    // Deflate, no flags, no time, no extra flags, unknown system.
    out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    let mut blocks = content.chunks(MOST).peekable();
    if blocks.peek().is_none() {
        out.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    let mut crc = Crc::new();
    crc.update(content);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn a_head_is_as_long_for_every_size() {
        for name in ["a", "artifacts/b.log", &"x/".repeat(200)] {
            let lengths: Vec<usize> = [0, 1, 4096, 1 << 33, 1 << 62]
                .iter()
                .map(|size| head(name, *size).len())
                .collect();
            assert!(
                lengths.windows(2).all(|pair| pair[0] == pair[1]),
                "{lengths:?}"
            );
            assert_eq!(lengths[0] % BLOCK, 0);
        }
    }

    #[test]
    fn stored_members_are_gzip() {
        for length in [0, 1, 512, 0xffff, 0x1_0000, 200_000] {
            let content: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut read = Vec::new();
            flate2::read::GzDecoder::new(stored(&content).as_slice())
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read, content);
        }
    }
}
