//! Profiles that are packed with gzip or zstd, or not at all.
//!
//! What is packed can be much longer unpacked: what comes out is counted, and too much of it is refused.

use std::io::Cursor;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::{BLOCK, HEAD, prelude::*};

/// Bytes that may come out of a packed file.
const MOST: u64 = 16 << 30;
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Unpacks it if it is packed, and has it read: `read` is handed how it begins, and all of it.
pub fn read<T>(input: impl BufRead, read: impl FnOnce(&[u8], Input<'_>) -> Result<T>) -> Result<T> {
    let (head, mut input) = peek(input)?;
    if head.is_empty() {
        return empty();
    }
    let (format, unpacked): (_, Box<dyn Read + '_>) = if head.starts_with(&crate::GZIP) {
        ("gzip file", Box::new(MultiGzDecoder::new(input)))
    } else if head.starts_with(ZSTD) {
        ("zstd file", Box::new(Zstd::Between(input)))
    } else {
        return read(&head, &mut input);
    };
    let bounded = Bounded {
        input: unpacked,
        left: MOST,
    };
    let (head, mut input) =
        peek(BufReader::with_capacity(BLOCK, bounded)).map_err(|error| broken(format, error))?;
    if head.is_empty() {
        return empty();
    }
    read(&head, &mut input).map_err(|error| match error {
        ImportError::Read(error) => broken(format, error),
        other => other,
    })
}

fn empty<T>() -> Result<T> {
    Err(ImportError::unfit(
        "it is empty: the tool that wrote it was ended before it had written anything",
    ))
}

fn broken(format: &str, error: io::Error) -> ImportError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ImportError::cut_short(format, "its end"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            ImportError::broken(format, "the compressed data", error)
        }
        _ => ImportError::Read(error),
    }
}

/// The beginning of what comes, and all of it.
fn peek<R: BufRead>(mut input: R) -> io::Result<(Vec<u8>, impl BufRead)> {
    let head = read_at_most(&mut input, HEAD)?;
    Ok((head.clone(), Cursor::new(head).chain(input)))
}

/// What comes out of it is bounded.
struct Bounded<R> {
    input: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let why = format!("more than {} GB come out of it", MOST >> 30);
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        Ok(read)
    }
}

/// All that is packed with zstd, one part behind the other.
enum Zstd<R: BufRead> {
    Between(R),
    Within(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Over,
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(self, Self::Over) {
                Self::Over => return Ok(0),
                Self::Between(mut input) => {
                    if input.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    // How much memory a part may ask for is bounded by the library.
                    let decoder = StreamingDecoder::new(input).map_err(|e| damaged(&e))?;
                    *self = Self::Within(Box::new(decoder));
                }
                Self::Within(mut decoder) => {
                    let read = decoder.read(buffer).map_err(|e| damaged(&e))?;
                    if read > 0 || buffer.is_empty() {
                        *self = Self::Within(decoder);
                        return Ok(read);
                    }
                    *self = Self::Between(decoder.into_inner());
                }
            }
        }
    }
}

/// An error of the library's: that the data ends is told from that it is damaged.
fn damaged(whole: &(dyn std::error::Error + 'static)) -> io::Error {
    let mut causes = std::iter::successors(Some(whole), |error| error.source());
    let is_short = causes.any(|error| {
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
    });
    if is_short {
        return io::ErrorKind::UnexpectedEof.into();
    }
    io::Error::new(io::ErrorKind::InvalidData, whole.to_string())
}
