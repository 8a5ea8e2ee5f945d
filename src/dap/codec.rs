//! Cutting a byte stream into frames, and writing frames.
//!
//! A frame is a block of header lines with `Content-Length`, an empty line, and that many bytes. The codec knows nothing
//! of what is inside; [`crate::message`] does. Memory grows with the bytes that came, never with a length that was
//! announced.
//!
//! Two modes. As the client of an adapter we live with what its pipe carries besides frames (banners, prints of the
//! program, tracebacks): junk is skipped, however it lies between frames, and told once. As a server we do not: hunting
//! for the next header would let a web page smuggle messages inside a POST body, so the first bad byte ends it.

use bytes::{Buf, Bytes, BytesMut};
use memchr::{memchr, memrchr};
use tokio_util::codec::{Decoder, Encoder};

/// The largest frame, in bytes of content.
pub const MAX_BODY: usize = 64 << 20;
/// The largest block of headers, in bytes.
pub const MAX_HEADER: usize = 16 << 10;
/// The most header lines in a block.
pub const MAX_HEADER_LINES: usize = 32;
/// How much junk a client takes between two frames, in bytes.
pub const MAX_JUNK: usize = 1 << 20;
/// How much of the junk is kept to be told, in bytes.
const KEPT_JUNK: usize = 8 << 10;
/// From here on, in bytes of content, a frame does not share its memory with what follows.
const LARGE: usize = 1 << 20;
/// A length header that follows junk on the same line is looked for this close to the line's end, in bytes.
const GLUED: usize = 128;

/// The content of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The bytes between one header block and the next.
    pub bytes: Bytes,
}

/// What a stream consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Frame(Frame),
    /// What stood between frames, never blank; long junk is cut and says so.
    Noise(String),
}

/// Why a stream cannot be followed any further.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// More announced than is accepted.
    #[error("a message of {announced} bytes was announced; at most {limit} are accepted")]
    TooLarge {
        /// The announced length.
        announced: u64,
        /// What is accepted.
        limit: usize,
    },
    /// More than [`MAX_JUNK`] without a frame.
    #[error(
        "more than {MAX_JUNK} bytes came without a DAP message among them; they began with {quote}"
    )]
    OnlyJunk {
        /// The beginning of the junk.
        quote: String,
    },
    /// A header that a server does not take.
    #[error("{why}: {line}; each message starts with `Content-Length: N` and an empty line")]
    BadHeader {
        /// What is wrong.
        why: &'static str,
        /// The offending line.
        line: String,
    },
    /// The stream ended within a frame.
    #[error("the stream ended inside a message, after {received} of {announced} bytes")]
    Cut {
        /// Bytes that came.
        received: usize,
        /// Bytes that were announced.
        announced: usize,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Which end we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Client,
    Server,
}

/// What the decoder is in the middle of.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Between frames or inside a header block.
    Header,
    /// Waiting for this many bytes of content.
    Body(usize),
}

/// The header block that is being read.
#[derive(Debug, Default)]
struct Block {
    length: Option<u64>,
    lines: usize,
    bytes: Vec<u8>,
}

/// Decoder and encoder of one stream.
#[derive(Debug)]
pub struct DapCodec {
    mode: Mode,
    /// The largest frame, in bytes of content.
    limit: usize,
    state: State,
    block: Block,
    /// Bytes of the unfinished line that are known to hold no line end.
    scanned: usize,
    junk: Vec<u8>,
    junk_total: usize,
    failed: bool,
}

impl DapCodec {
    /// For reading from an adapter: resynchronises after junk.
    pub fn client() -> Self {
        Self::new(Mode::Client)
    }

    /// For reading from whoever connects to us: fails at the first thing that is not a frame.
    pub fn server() -> Self {
        Self::new(Mode::Server)
    }

    /// Accepts only frames of at most this many bytes of content.
    #[must_use]
    pub fn at_most(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    fn new(mode: Mode) -> Self {
        Self {
            mode,
            limit: MAX_BODY,
            state: State::Header,
            block: Block::default(),
            scanned: 0,
            junk: Vec::new(),
            junk_total: 0,
            failed: false,
        }
    }

    fn next_item(&mut self, source: &mut BytesMut) -> Result<Option<Item>, CodecError> {
        loop {
            if let State::Body(length) = self.state {
                // Junk is told before the frame it precedes, so that the order of the stream is kept.
                if let Some(noise) = self.take_noise() {
                    return Ok(Some(noise));
                }
                if source.len() < length {
                    return Ok(None);
                }
                self.state = State::Header;
                let bytes = source.split_to(length).freeze();
                if length > LARGE {
                    // Else the memory of a huge message would stay with the stream.
                    *source = BytesMut::from(source.as_ref());
                }
                return Ok(Some(Item::Frame(Frame { bytes })));
            }
            let unseen = source.get(self.scanned..).unwrap_or_default();
            let Some(end) = memchr(b'\n', unseen).map(|at| self.scanned + at) else {
                self.scanned = source.len();
                self.bound_unfinished_line(source)?;
                return Ok(None);
            };
            self.scanned = 0;
            let line = source.split_to(end + 1);
            match self.mode {
                Mode::Client => self.client_line(&line)?,
                Mode::Server => self.server_line(&line)?,
            }
        }
    }

    /// A line without end must not fill the memory.
    fn bound_unfinished_line(&mut self, source: &mut BytesMut) -> Result<(), CodecError> {
        if source.len() <= MAX_HEADER {
            return Ok(());
        }
        if self.mode == Mode::Server {
            return Err(bad_header("a header line is too long", source));
        }
        self.drop_block()?;
        let junk = source.split_to(source.len() - GLUED);
        self.scanned = source.len();
        self.add_junk(&junk)
    }

    fn client_line(&mut self, line: &[u8]) -> Result<(), CodecError> {
        if self.block.length.is_some() {
            let kind = classify(line);
            if kind == Line::Blank {
                return self.start_body();
            }
            let is_full = self.block_is_full(line);
            match kind {
                Line::Length(length) if !is_full && Some(length) == self.block.length => {
                    self.keep(line);
                    return Ok(());
                }
                Line::Other | Line::Continued if !is_full => {
                    self.keep(line);
                    return Ok(());
                }
                Line::Length(_) => {
                    // Two lengths: neither can be trusted.
                    self.drop_block()?;
                    return self.add_junk(line);
                }
                // Something that no header block holds: what came before was no frame.
                _ => self.drop_block()?,
            }
        }
        match classify(line) {
            // A line that would have been given up before it was complete must not fare better for arriving at once.
            Line::Length(length) if line.len() <= MAX_HEADER => {
                self.block.length = Some(length);
                self.keep(line);
                Ok(())
            }
            // Adapters may put a content type first; without a length after it, it is nobody's loss either.
            _ if header_name(line)
                .is_some_and(|(name, _)| name.eq_ignore_ascii_case(b"content-type")) =>
            {
                Ok(())
            }
            _ => {
                let tail_start = line.len().saturating_sub(GLUED);
                let (head, tail) = line.split_at_checked(tail_start).unwrap_or((line, b""));
                let Some((before, length)) = glued_length(tail) else {
                    return self.add_junk(line);
                };
                self.add_junk(head)?;
                self.add_junk(before)?;
                self.block.length = Some(length);
                self.keep(tail.get(before.len()..).unwrap_or_default());
                Ok(())
            }
        }
    }

    fn server_line(&mut self, line: &[u8]) -> Result<(), CodecError> {
        if !line.ends_with(b"\r\n") {
            return Err(bad_header("a header line does not end with CR LF", line));
        }
        if line == b"\r\n" {
            if self.block.length.is_none() {
                return Err(bad_header("a message without Content-Length", line));
            }
            return self.start_body();
        }
        if self.block_is_full(line) {
            return Err(bad_header("the header block is too long", line));
        }
        let Some((name, value)) = header_name(line).filter(|(name, _)| !name.ends_with(b" "))
        else {
            return Err(bad_header("not a header", line));
        };
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = parse_length(value)
                .ok_or_else(|| bad_header("Content-Length is not a number", line))?;
            if self.block.length.is_some_and(|earlier| earlier != length) {
                return Err(bad_header("a second Content-Length that differs", line));
            }
            self.block.length = Some(length);
        } else if !name.eq_ignore_ascii_case(b"content-type") {
            return Err(bad_header("not a header of DAP", line));
        }
        self.keep(line);
        Ok(())
    }

    fn block_is_full(&self, line: &[u8]) -> bool {
        self.block.lines >= MAX_HEADER_LINES || self.block.bytes.len() + line.len() > MAX_HEADER
    }

    fn keep(&mut self, line: &[u8]) {
        self.block.lines += 1;
        self.block.bytes.extend_from_slice(line);
    }

    fn start_body(&mut self) -> Result<(), CodecError> {
        let announced = std::mem::take(&mut self.block).length.unwrap_or_default();
        let length = usize::try_from(announced)
            .ok()
            .filter(|length| *length <= self.limit);
        let limit = self.limit;
        self.state = State::Body(length.ok_or(CodecError::TooLarge { announced, limit })?);
        Ok(())
    }

    /// What looked like a header block was none.
    fn drop_block(&mut self) -> Result<(), CodecError> {
        let block = std::mem::take(&mut self.block);
        self.add_junk(&block.bytes)
    }

    fn add_junk(&mut self, bytes: &[u8]) -> Result<(), CodecError> {
        let room = KEPT_JUNK.saturating_sub(self.junk.len()).min(bytes.len());
        self.junk
            .extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.junk_total += bytes.len();
        if self.junk_total <= MAX_JUNK {
            return Ok(());
        }
        let quote = super::message::quote(String::from_utf8_lossy(&self.junk).trim());
        Err(CodecError::OnlyJunk { quote })
    }

    fn take_noise(&mut self) -> Option<Item> {
        let total = std::mem::take(&mut self.junk_total);
        let junk = std::mem::take(&mut self.junk);
        let text = String::from_utf8_lossy(&junk);
        let text = text.trim_matches(['\r', '\n', ' ', '\t', '\u{feff}']);
        if text.is_empty() {
            return None;
        }
        let cut = total - junk.len();
        let note = if cut > 0 {
            format!("… ({cut} more bytes)")
        } else {
            String::new()
        };
        Some(Item::Noise(format!("{text}{note}")))
    }
}

impl Decoder for DapCodec {
    type Item = Item;
    type Error = CodecError;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Item>, CodecError> {
        if self.failed {
            source.clear();
            return Ok(None);
        }
        let item = self.next_item(source);
        self.failed = item.is_err();
        item
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Item>, CodecError> {
        if let Some(item) = self.decode(source)? {
            return Ok(Some(item));
        }
        if let State::Body(announced) = self.state {
            self.state = State::Header;
            self.failed = true;
            let received = source.len();
            source.clear();
            return Err(CodecError::Cut {
                received,
                announced,
            });
        }
        if self.mode == Mode::Server {
            let rest = [self.block.bytes.as_slice(), source].concat();
            self.block = Block::default();
            source.clear();
            return if rest.is_empty() {
                Ok(None)
            } else {
                Err(bad_header("the stream ended in a header", &rest))
            };
        }
        self.drop_block()?;
        let rest = source.split();
        self.add_junk(&rest)?;
        Ok(self.take_noise())
    }
}

impl Encoder<Bytes> for DapCodec {
    type Error = CodecError;

    fn encode(&mut self, content: Bytes, target: &mut BytesMut) -> Result<(), CodecError> {
        target.extend_from_slice(&encode_frame(&content));
        Ok(())
    }
}

/// The bytes of a frame with this content, headers first.
pub fn encode_frame(content: &[u8]) -> Bytes {
    let header = format!("Content-Length: {}\r\n\r\n", content.len());
    header
        .as_bytes()
        .chain(content)
        .copy_to_bytes(header.len() + content.len())
}

/// What a line can be to a client.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Blank,
    Length(u64),
    /// A header we do not use.
    Other,
    /// A folded continuation of the line before.
    Continued,
    Junk,
}

fn classify(line: &[u8]) -> Line {
    let text = line.trim_ascii();
    if text.is_empty() {
        return Line::Blank;
    }
    let folded = line.starts_with(b" ") || line.starts_with(b"\t");
    match header_name(text) {
        Some((name, value))
            if name
                .trim_ascii_end()
                .eq_ignore_ascii_case(b"content-length") =>
        {
            parse_length(value).map_or(Line::Junk, Line::Length)
        }
        _ if folded => Line::Continued,
        Some((name, _)) if !name.ends_with(b" ") => Line::Other,
        _ => Line::Junk,
    }
}

/// Splits a header line at its colon; the name is made of the characters HTTP allows, perhaps with spaces after it.
fn header_name(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr(b':', line)?;
    let (name, value) = line.split_at_checked(at)?;
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let token = name.trim_ascii_end();
    (!token.is_empty() && token.iter().all(is_token)).then_some((name, value.get(1..)?))
}

/// Digits only: no sign, no hexadecimal, no fraction, nothing after.
fn parse_length(value: &[u8]) -> Option<u64> {
    let digits = value.trim_ascii();
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| plain)?
        .parse()
        .ok()
}

/// Finds a length header at the end of a line that begins with something else.
fn glued_length(line: &[u8]) -> Option<(&[u8], u64)> {
    const NAME: &[u8] = b"content-length";
    // The last colon is the header's own, as its value is a number.
    let colon = memrchr(b':', line)?;
    let start = line
        .get(..colon)?
        .trim_ascii_end()
        .len()
        .checked_sub(NAME.len())?;
    match classify(line.get(start..)?) {
        Line::Length(length) => Some((line.get(..start)?, length)),
        _ => None,
    }
}

fn bad_header(why: &'static str, line: &[u8]) -> CodecError {
    CodecError::BadHeader {
        why,
        line: super::message::quote(String::from_utf8_lossy(line).trim_end()),
    }
}

#[cfg(test)]
mod tests;
