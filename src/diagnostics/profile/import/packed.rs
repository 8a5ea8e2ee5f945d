//! Profiles that are packed with gzip or zstd, or not at all.
//!
//! What is packed can be much longer unpacked: what comes out is counted, and too much of it is refused.

use std::io::Cursor;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::{BLOCK, HEAD, ImportError, Input};
use crate::prelude::*;

/// Bytes that may come out of a packed file.
const MOST: u64 = 16 << 30;
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Unpacks it if it is packed, and has it read: `read` is handed how it begins, and all of it.
pub fn read<T>(
    input: impl BufRead,
    read: impl FnOnce(&[u8], Input<'_>) -> Result<T, ImportError>,
) -> Result<T, ImportError> {
    let (head, mut input) = peek(input)?;
    if head.is_empty() {
        return Err(ImportError::Empty);
    }
    let (format, unpacked): (_, Box<dyn Read + '_>) = if head.starts_with(GZIP) {
        ("gzip file", Box::new(MultiGzDecoder::new(input)))
    } else if head.starts_with(ZSTD) {
        ("zstd file", Box::new(Zstd::new(input)))
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
        return Err(ImportError::Empty);
    }
    read(&head, &mut input).map_err(|error| match error {
        ImportError::Read(error) => broken(format, error),
        other => other,
    })
}

fn broken(format: &'static str, error: io::Error) -> ImportError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ImportError::CutShort {
            format,
            place: "its end".to_owned(),
        },
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            ImportError::broken(format, "the compressed data", error.to_string())
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
struct Zstd<R: BufRead> {
    state: State<R>,
}

enum State<R: BufRead> {
    Between(R),
    Within(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Over,
}

impl<R: BufRead> Zstd<R> {
    fn new(input: R) -> Self {
        Self {
            state: State::Between(input),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Over) {
                State::Over => return Ok(0),
                State::Between(mut input) => {
                    if input.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    // How much memory a part may ask for is bounded by the library.
                    let decoder = StreamingDecoder::new(input)
                        .map_err(|error| damaged(&error, error.to_string()))?;
                    self.state = State::Within(Box::new(decoder));
                }
                State::Within(mut decoder) => {
                    let read = decoder
                        .read(buffer)
                        .map_err(|error| damaged(&error, error.to_string()))?;
                    if read > 0 || buffer.is_empty() {
                        self.state = State::Within(decoder);
                        return Ok(read);
                    }
                    self.state = State::Between(decoder.into_inner());
                }
            }
        }
    }
}

/// An error of the library's: that the data ends is told from that it is damaged.
fn damaged(error: &(dyn std::error::Error + 'static), text: String) -> io::Error {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::UnexpectedEof
        {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = error.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, text)
}
