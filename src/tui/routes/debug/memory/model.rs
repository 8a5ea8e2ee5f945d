//! Bytes of the debuggee's memory as far as they were read: in chunks by address, so that what cannot be read is no more than
//! its own page, and what was read before is there to be compared with.

use std::{collections::BTreeMap, ops::Range};

use debugger::address::number;

/// Bytes asked for at a time. A page of memory is a multiple of it, so a chunk can be read as a whole or not at all.
pub const CHUNK: u64 = 256;
/// Chunks held; those farthest from what is looked at go.
const HELD: usize = 256;

/// What is known of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// Nothing yet.
    Unknown,
    /// It cannot be read.
    Unreadable,
    /// Its value, and whether it was another when it was read before.
    Known(u8, bool),
}

/// A request for a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRequest {
    /// Where it begins.
    pub address: u64,
    /// How many bytes.
    pub count: u64,
    /// Comes back with the answer.
    pub ticket: u64,
}

#[derive(Debug, Default)]
struct Chunk {
    /// `None` = not readable.
    bytes: Option<Vec<Option<u8>>>,
    before: Option<Vec<Option<u8>>>,
    fresh: bool,
    asked: Option<u64>,
    trouble: Option<String>,
}

/// The memory, by the numbers of its chunks.
#[derive(Debug, Default)]
pub struct Bytes {
    chunks: BTreeMap<u64, Chunk>,
}

impl Bytes {
    /// What is known of the byte at an address.
    pub fn at(&self, address: u64) -> Byte {
        let Some(chunk) = self.chunks.get(&(address / CHUNK)) else {
            return Byte::Unknown;
        };
        let offset = (address % CHUNK) as usize;
        let of = |bytes: &Option<Vec<Option<u8>>>| bytes.as_ref()?.get(offset).copied();
        match of(&chunk.bytes) {
            Some(Some(value)) => {
                let changed = of(&chunk.before).is_some_and(|was| was != Some(value));
                Byte::Known(value, changed)
            }
            Some(None) => Byte::Unreadable,
            None => Byte::Unknown,
        }
    }

    /// Values from an address on, as far as they are known; at most `count`.
    pub fn known(&self, address: u64, count: usize) -> Vec<u8> {
        (0..count as u64)
            .map_while(|n| match self.at(address.checked_add(n)?) {
                Byte::Known(value, _) => Some(value),
                Byte::Unknown | Byte::Unreadable => None,
            })
            .collect()
    }

    /// Why an address cannot be read, in the adapter's words.
    pub fn trouble(&self, address: u64) -> Option<&str> {
        self.chunks.get(&(address / CHUNK))?.trouble.as_deref()
    }

    /// What is to be asked for, so that these addresses are known; counts as asked from now on.
    pub fn want(
        &mut self,
        addresses: Range<u64>,
        mut ticket: impl FnMut() -> u64,
    ) -> Vec<ChunkRequest> {
        if addresses.is_empty() {
            return Vec::new();
        }
        let (first, last) = (addresses.start / CHUNK, (addresses.end - 1) / CHUNK);
        let mut asks = Vec::new();
        for index in first..=last {
            let chunk = self.chunks.entry(index).or_default();
            if chunk.fresh || chunk.asked.is_some() {
                continue;
            }
            let ticket = ticket();
            chunk.asked = Some(ticket);
            asks.push(ChunkRequest {
                address: index * CHUNK,
                count: CHUNK,
                ticket,
            });
        }
        while self.chunks.len() > HELD {
            let (lowest, highest) = (
                self.chunks.keys().next().copied().unwrap_or(first),
                self.chunks.keys().next_back().copied().unwrap_or(last),
            );
            let below = first.saturating_sub(lowest) > highest.saturating_sub(last);
            self.chunks.remove(if below { &lowest } else { &highest });
        }
        asks
    }

    /// Takes in an answer: the address of the first byte as the adapter names it, and the bytes. False = nobody asked.
    pub fn accept(&mut self, ticket: u64, answer: Result<(&str, Vec<u8>), String>) -> bool {
        let mut chunks = self.chunks.iter_mut();
        let Some((index, chunk)) = chunks.find(|(_, chunk)| chunk.asked == Some(ticket)) else {
            return false;
        };
        chunk.asked = None;
        chunk.fresh = true;
        let mut now = vec![None; CHUNK as usize];
        match answer {
            Ok((address, bytes)) => {
                chunk.trouble = None;
                // Adapters may begin elsewhere, and send less or more than was asked for.
                let start = index * CHUNK;
                let begin = number(address).unwrap_or(start);
                for (n, byte) in (0..).zip(bytes) {
                    let at = begin.checked_add(n).and_then(|at| at.checked_sub(start));
                    if let Some(slot) = at.and_then(|at| now.get_mut(usize::try_from(at).ok()?)) {
                        *slot = Some(byte);
                    }
                }
            }
            Err(why) => chunk.trouble = Some(why),
        }
        if let Some(before) = chunk.before.as_ref()
            && before.iter().all(Option::is_none)
        {
            // What could not be read before is not changed, only known.
            chunk.before = None;
        }
        chunk.bytes = Some(now);
        true
    }

    /// The program may have changed anything: all is asked for again, and compared with what was.
    pub fn outdate(&mut self) {
        for chunk in self.chunks.values_mut() {
            if chunk.fresh {
                chunk.before.clone_from(&chunk.bytes);
            }
            chunk.fresh = false;
            chunk.asked = None;
        }
    }
}

/// The bytes as numbers, lowest byte first: what stands at a place may be any of these.
pub fn readings(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let whole = |n: usize| {
        let mut all = [0_u8; 8];
        let part = bytes.get(..n)?;
        all.get_mut(..n)?.copy_from_slice(part);
        Some(u64::from_le_bytes(all))
    };
    for (bytes, name) in [(1, "i8"), (2, "i16"), (4, "i32"), (8, "i64")] {
        // The sign is that of its own width.
        let above = 64 - 8 * bytes;
        let number = whole(bytes).map(|n| (n << above).cast_signed() >> above);
        out.extend(number.map(|number| (name, number.to_string())));
    }
    if let Some(n) = whole(8) {
        let value = f64::from_bits(n);
        if value == 0.0 || (1e-9..1e15).contains(&value.abs()) {
            out.push(("f64", value.to_string()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> impl FnMut() -> u64 {
        let mut n = 0;
        move || {
            n += 1;
            n
        }
    }

    #[test]
    fn chunks_are_asked_for_once_and_placed_by_address() {
        let (mut bytes, mut ticket) = (Bytes::default(), counter());
        let asks = bytes.want(0x10f0..0x1210, &mut ticket);
        assert_eq!(
            asks.iter()
                .map(|a| (a.address, a.count))
                .collect::<Vec<_>>(),
            [(0x1000, 256), (0x1100, 256), (0x1200, 256)]
        );
        assert!(bytes.want(0x10f0..0x1210, &mut ticket).is_empty());
        assert!(bytes.accept(2, Ok(("0x1100", (0..=255).collect()))));
        assert!(
            !bytes.accept(2, Ok(("0x1100", Vec::new()))),
            "answered twice"
        );
        assert_eq!(bytes.at(0x1123), Byte::Known(0x23, false));
        assert_eq!(bytes.at(0x10ff), Byte::Unknown);
        assert_eq!(bytes.known(0x11fe, 8), [0xfe, 0xff]);
    }

    #[test]
    fn too_short_too_long_elsewhere_and_failed_are_all_borne() {
        let (mut bytes, mut ticket) = (Bytes::default(), counter());
        bytes.want(0x1000..0x1500, &mut ticket);
        assert!(bytes.accept(1, Ok(("0x1000", vec![7; 10]))));
        assert_eq!(bytes.at(0x1009), Byte::Known(7, false));
        assert_eq!(bytes.at(0x100a), Byte::Unreadable);
        assert!(bytes.accept(2, Ok(("0x1100", vec![8; 9000]))));
        assert_eq!(bytes.at(0x11ff), Byte::Known(8, false));
        assert_eq!(bytes.at(0x1200), Byte::Unknown, "nobody told of it");
        // From a rounded address on.
        assert!(bytes.accept(3, Ok(("0x11fc", vec![1, 2, 3, 4, 5, 6]))));
        assert_eq!(bytes.at(0x1200), Byte::Known(5, false));
        assert_eq!(bytes.at(0x1202), Byte::Unreadable);
        assert!(bytes.accept(4, Ok(("0xffffffffffffffff", vec![1, 2]))));
        assert_eq!(bytes.at(0x1300), Byte::Unreadable);
        assert!(bytes.accept(5, Err("Cannot access memory".to_owned())));
        assert_eq!(bytes.at(0x1400), Byte::Unreadable);
        assert_eq!(bytes.trouble(0x1400), Some("Cannot access memory"));
    }

    #[test]
    fn what_changed_is_known_after_it_was_read_again() {
        let (mut bytes, mut ticket) = (Bytes::default(), counter());
        bytes.want(0..16, &mut ticket);
        bytes.accept(1, Ok(("0x0", vec![1, 2, 3])));
        bytes.outdate();
        assert_eq!(
            bytes.at(1),
            Byte::Known(2, false),
            "shown until it is read again"
        );
        let asks = bytes.want(0..16, &mut ticket);
        assert_eq!(asks.len(), 1);
        bytes.accept(2, Ok(("0x0", vec![1, 9, 3, 4])));
        assert_eq!(bytes.at(0), Byte::Known(1, false));
        assert_eq!(bytes.at(1), Byte::Known(9, true));
        // An answer to what was asked before is not taken.
        bytes.outdate();
        bytes.want(0..16, &mut ticket);
        assert!(!bytes.accept(2, Ok(("0x0", vec![0]))));
    }

    #[test]
    fn the_ends_of_memory_are_no_trouble_and_far_chunks_go() {
        let (mut bytes, mut ticket) = (Bytes::default(), counter());
        let last = bytes.want(u64::MAX - 20..u64::MAX, &mut ticket);
        assert_eq!(last.first().map(|a| a.address), Some(u64::MAX - 255));
        assert!(bytes.accept(1, Ok(("0xffffffffffffff00", vec![5; 256]))));
        assert_eq!(bytes.known(u64::MAX - 1, 9), [5, 5]);
        for n in 0..600 {
            bytes.want(n * CHUNK..n * CHUNK + 1, &mut ticket);
        }
        assert!(bytes.chunks.len() <= HELD);
        assert!(bytes.chunks.contains_key(&599));
    }

    #[test]
    fn a_place_is_read_as_numbers_of_every_size() {
        let of = |bytes: &[u8]| {
            readings(bytes)
                .into_iter()
                .map(|(name, value)| format!("{name} {value}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(of(&[0xff]), "i8 -1");
        assert_eq!(of(&[1, 2, 0, 0]), "i8 1, i16 513, i32 513");
        assert_eq!(
            of(&0.25_f64.to_le_bytes()).rsplit(", ").next(),
            Some("f64 0.25")
        );
        assert_eq!(of(&[]), "");
    }
}
