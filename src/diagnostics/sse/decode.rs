//! Decodes the copy of a compressed body, as it comes.
//!
//! Each piece gives what it holds at once, so that an event is seen when it came and not when the next does. What is passed on to a
//! client is never what comes out of here.

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::prelude::*;

/// How much is decoded at once: bounds what a small piece can blow up to before it is looked at.
const PIECE: usize = 16 * 1024;

/// Decodes one body.
#[derive(Debug)]
pub enum Decoder {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    /// Whether there is a zlib head shows in the first bytes; some servers leave it out.
    Undecided(Vec<u8>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Deflate(DeflateDecoder<Vec<u8>>),
}

impl Decoder {
    /// By the words of a `Content-Encoding`; the error is a sentence.
    pub fn of(encoding: &str) -> Result<Self, String> {
        let mut words = encoding
            .split(',')
            .map(|word| word.trim().to_ascii_lowercase())
            .filter(|word| !word.is_empty() && word != "identity");
        match (words.next().as_deref(), words.next()) {
            (None, _) => Ok(Self::Plain),
            (Some("gzip" | "x-gzip"), None) => {
                Ok(Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))))
            }
            (Some("deflate"), None) => Ok(Self::Undecided(Vec::new())),
            _ => Err(format!(
                "it is encoded as {:?}, which is passed on but not decoded here; gzip and deflate are",
                encoding.trim()
            )),
        }
    }

    /// Decodes a piece and hands out what it holds.
    ///
    /// # Errors
    /// When it is not what it was said to be; nothing more comes out then.
    pub fn push(&mut self, piece: &[u8], sink: &mut impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Self::Plain => {
                if !piece.is_empty() {
                    sink(piece);
                }
                Ok(())
            }
            Self::Gzip(decoder) => through(decoder.as_mut(), MultiGzDecoder::get_mut, piece, sink),
            Self::Zlib(decoder) => through(decoder, ZlibDecoder::get_mut, piece, sink),
            Self::Deflate(decoder) => through(decoder, DeflateDecoder::get_mut, piece, sink),
            Self::Undecided(held) => {
                held.extend_from_slice(piece);
                let &[first, second, ..] = held.as_slice() else {
                    return Ok(());
                };
                let held = std::mem::take(held);
                let is_zlib =
                    first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
                *self = if is_zlib {
                    Self::Zlib(ZlibDecoder::new(Vec::new()))
                } else {
                    Self::Deflate(DeflateDecoder::new(Vec::new()))
                };
                self.push(&held, sink)
            }
        }
    }
}

fn through<D: Write>(
    decoder: &mut D,
    out: impl Fn(&mut D) -> &mut Vec<u8>,
    mut piece: &[u8],
    sink: &mut impl FnMut(&[u8]),
) -> io::Result<()> {
    while !piece.is_empty() {
        let now = piece.get(..PIECE).unwrap_or(piece);
        let used = decoder.write(now)?;
        // Behind its end there may be anything.
        if used == 0 {
            break;
        }
        piece = piece.get(used..).unwrap_or_default();
        // Without it the decoder keeps what it has until it has more.
        decoder.flush()?;
        let held = out(decoder);
        if !held.is_empty() {
            sink(held);
            held.clear();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    /// Two pieces, the first one flushed as a server does.
    fn encoded(kind: &str, first: &[u8], second: &[u8]) -> (Vec<u8>, usize) {
        macro_rules! with {
            ($encoder:expr) => {{
                let mut encoder = $encoder;
                encoder.write_all(first).unwrap();
                encoder.flush().unwrap();
                let length = encoder.get_ref().len();
                encoder.write_all(second).unwrap();
                (encoder.finish().unwrap(), length)
            }};
        }
        match kind {
            "gzip" => with!(GzEncoder::new(Vec::new(), Compression::fast())),
            "deflate" => with!(ZlibEncoder::new(Vec::new(), Compression::fast())),
            _ => with!(DeflateEncoder::new(Vec::new(), Compression::fast())),
        }
    }

    #[test]
    fn what_a_server_flushed_is_there_at_once() {
        for (kind, name) in [
            ("gzip", "gzip"),
            ("deflate", "deflate"),
            ("bare", "deflate"),
        ] {
            let (bytes, flushed) = encoded(kind, b"data: 1\n\n", b"data: 2\n\n");
            let mut decoder = Decoder::of(name).unwrap();
            let mut out = Vec::new();
            decoder
                .push(&bytes[..flushed], &mut |bytes| out.extend_from_slice(bytes))
                .unwrap();
            assert_eq!(out, b"data: 1\n\n", "{kind}");
            decoder
                .push(&bytes[flushed..], &mut |bytes| out.extend_from_slice(bytes))
                .unwrap();
            assert_eq!(out, b"data: 1\n\ndata: 2\n\n", "{kind}");
        }
    }

    #[test]
    fn what_is_not_known_or_broken_is_told() {
        assert!(Decoder::of("br").unwrap_err().contains("\"br\""));
        assert!(Decoder::of("gzip, br").is_err());
        assert!(Decoder::of(" identity ").is_ok());
        let mut decoder = Decoder::of("gzip").unwrap();
        assert!(decoder.push(b"data: not packed\n\n", &mut |_| {}).is_err());
    }

    proptest! {
        #[test]
        fn it_is_the_same_however_it_is_cut(
            first in any::<Vec<u8>>(), second in any::<Vec<u8>>(), cut in 1_usize..40, kind in 0_usize..3
        ) {
            let (kind, name) = [("gzip", "gzip"), ("deflate", "deflate"), ("bare", "deflate")][kind];
            let (bytes, _) = encoded(kind, &first, &second);
            let mut decoder = Decoder::of(name).unwrap();
            let mut out = Vec::new();
            for piece in bytes.chunks(cut) {
                decoder.push(piece, &mut |bytes| out.extend_from_slice(bytes)).unwrap();
            }
            prop_assert_eq!(out, [first, second].concat());
        }
    }
}
