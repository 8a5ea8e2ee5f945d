//! What a processor does with a piece: takes secrets out, hashes, compresses.

use base::text::redact::{Redactor, Report};
use libdeflater::{CompressionLvl, Compressor};
use sha2::{Digest as _, Sha256};

use super::{archive, bytes, outcome::Packed};

/// How much is spent on size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// As small as gzip makes it: a higher number takes half as long again for one per cent.
    #[default]
    Small,
    /// About a tenth larger, in a third of the time.
    Fast,
}

/// A small member with its content.
pub struct Raw {
    pub member: usize,
    pub name: String,
    pub bytes: Vec<u8>,
    /// Whether secrets are looked for.
    pub text: bool,
    /// What was replaced when the content was made.
    pub replaced: Report,
}

/// One processor's tools.
pub struct Squeezer {
    /// None: only count.
    compressor: Option<Compressor>,
    /// None: nothing is redacted.
    redactor: Option<Redactor>,
    tar: Vec<u8>,
}

impl Squeezer {
    pub fn new(level: Option<Level>, redactor: Option<Redactor>) -> Self {
        Self {
            compressor: level.map(|level| {
                let number = match level {
                    Level::Small => 5,
                    Level::Fast => 1,
                };
                Compressor::new(CompressionLvl::new(number).unwrap_or_default())
            }),
            redactor,
            tar: Vec::new(),
        }
    }

    /// Bytes without their secrets.
    pub fn clean(&self, bytes: Vec<u8>, text: bool) -> (Vec<u8>, Report) {
        let Some(redactor) = self.redactor.as_ref().filter(|_| text && !bytes.is_empty()) else {
            return (bytes, Report::default());
        };
        let redactor = redactor.counting_anew();
        let clean = bytes::redact(&redactor, &bytes);
        (clean, redactor.report())
    }

    /// A gzip member of the bytes; nothing when only counting.
    pub fn compress(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(compressor) = &mut self.compressor else {
            return Vec::new();
        };
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        match compressor.gzip_compress(bytes, &mut out) {
            Ok(length) => {
                out.truncate(length);
                // The bound is generous: many results wait at once.
                out.shrink_to_fit();
                out
            }
            // Cannot be, for a buffer of that size; a stored member is as good.
            Err(_) => archive::stored(bytes),
        }
    }

    /// Many small members as one piece of the archive.
    pub fn small(&mut self, raws: Vec<Raw>) -> (Vec<u8>, Vec<Packed>) {
        let mut tar = std::mem::take(&mut self.tar);
        tar.clear();
        let mut packed_members = Vec::with_capacity(raws.len());
        for raw in raws {
            let (bytes, mut replaced) = self.clean(raw.bytes, raw.text);
            replaced.add(&raw.replaced);
            let size = bytes.len() as u64;
            tar.extend_from_slice(&archive::head(&raw.name, size));
            tar.extend_from_slice(&bytes);
            archive::pad(&mut tar, size);
            packed_members.push(Packed {
                index: raw.member,
                name: raw.name,
                size,
                sha256: Sha256::digest(&bytes).into(),
                text: raw.text,
                replaced,
            });
        }
        let packed = self.compress(&tar);
        self.tar = tar;
        (packed, packed_members)
    }
}
