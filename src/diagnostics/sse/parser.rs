//! Event streams by the rules of the WHATWG: bytes in, frames out, the same for every cut of the bytes.
//!
//! A [`Frame`] is everything between two empty lines, events as well as what a browser would not dispatch, so that a viewer can show it:
//! comments, a lone `id:`, an event without its end. Most frames lie in one piece and are handed out as they lie there; only what a
//! piece leaves unfinished is copied. Every byte is looked at once. What frames mean is left to others.

use memchr::{memchr, memchr2};

/// Most bytes of one frame that are kept; the rest is counted.
pub const LIMIT: usize = 8 * 1024 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What stands between two empty lines of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its bytes with the ends of its lines, without the empty line behind it.
    pub raw: &'a [u8],
    /// The last `event` field.
    pub event: Option<&'a [u8]>,
    /// All `data` fields, joined with line feeds.
    pub data: Option<&'a [u8]>,
    /// The last `id` field that counts (one with a NUL does not).
    pub id: Option<&'a [u8]>,
    /// What a client would send as `Last-Event-ID` after this frame.
    pub last_id: &'a [u8],
    /// The last `retry` field that counts, in milliseconds.
    pub retry: Option<u64>,
    /// Whether the empty line came. If not, a client drops the frame.
    pub complete: bool,
    /// How long it was, when not all of it is in `raw`.
    pub cut_from: Option<usize>,
}

/// Part of the frame's bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    from: usize,
    to: usize,
}

impl Range {
    fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.from..self.to).unwrap_or_default()
    }
}

/// What the lines of a frame said until now; places count from the frame's beginning.
#[derive(Clone, Debug, Default)]
struct Fields {
    event: Option<Range>,
    data: Option<Range>,
    /// Whether there are several `data` fields, which are in `Parser::joined` then.
    several: bool,
    id: Option<Range>,
    retry: Option<u64>,
}

/// What is left of a frame that is longer than the limit.
#[derive(Clone, Debug)]
struct Over {
    length: usize,
    line_is_empty: bool,
}

/// Reads one stream.
#[derive(Clone, Debug)]
pub struct Parser {
    limit: usize,
    /// The unfinished frame, from its beginning.
    held: Vec<u8>,
    /// Where its current line begins, and up to where no end of it was found.
    line: usize,
    searched: usize,
    fields: Fields,
    joined: Vec<u8>,
    over: Option<Over>,
    last_id: Vec<u8>,
    /// The last byte was a CR: a LF behind it belongs to it.
    after_cr: bool,
    /// Whether a byte order mark may still come.
    at_start: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl Parser {
    /// Keeps at most `limit` bytes of a frame.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            held: Vec::new(),
            line: 0,
            searched: 0,
            fields: Fields::default(),
            joined: Vec::new(),
            over: None,
            last_id: Vec::new(),
            after_cr: false,
            at_start: true,
        }
    }

    /// Hands out what there is of the frame whose end has not come, if there is anything and it is no longer than `most` bytes.
    pub fn peek(&self, most: usize, sink: &mut impl FnMut(Frame<'_>)) {
        if !self.held.is_empty() && self.held.len() <= most && self.over.is_none() {
            self.clone().finish(sink);
        }
    }

    /// Takes the next piece and hands out the frames that end in it.
    pub fn push(&mut self, mut piece: &[u8], sink: &mut impl FnMut(Frame<'_>)) {
        if self.at_start {
            self.held.extend_from_slice(piece);
            if self.held.len() < BOM.len() && BOM.starts_with(&self.held) {
                return;
            }
            self.at_start = false;
            if self.held.starts_with(BOM) {
                self.held.drain(..BOM.len());
            }
            piece = &[];
        }
        if self.over.is_some() {
            piece = self.skip(piece, sink);
        }
        if piece.is_empty() && self.held.is_empty() {
            return;
        }
        if self.held.is_empty() {
            let used = self.scan(piece, sink);
            self.keep(piece.get(used..).unwrap_or_default());
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(piece);
        let used = self.scan(&held, sink);
        held.drain(..used);
        self.held = held;
        if self.held.len() > self.limit {
            self.go_over(self.held.len());
        }
    }

    /// The stream is over: hands out what has no empty line behind it.
    pub fn finish(&mut self, sink: &mut impl FnMut(Frame<'_>)) {
        self.at_start = false;
        let held = std::mem::take(&mut self.held);
        let length = self.over.take().map_or(held.len(), |over| over.length);
        if self.line < held.len() {
            self.take_line(&held, self.line, held.len());
        }
        if !held.is_empty() {
            self.emit(&held, length, false, sink);
        }
        let last_id = std::mem::take(&mut self.last_id);
        *self = Self::with_limit(self.limit);
        self.last_id = last_id;
    }

    /// Reads lines of `bytes`, which begin with the current frame; returns where the unfinished frame begins.
    fn scan(&mut self, bytes: &[u8], sink: &mut impl FnMut(Frame<'_>)) -> usize {
        let mut frame = 0;
        let mut line = self.line;
        let mut searched = self.searched;
        loop {
            if self.after_cr && line < bytes.len() {
                self.after_cr = false;
                if bytes.get(line) == Some(&b'\n') {
                    // Between frames it belongs to the empty line before.
                    if line == frame {
                        frame += 1;
                    }
                    line += 1;
                    searched = searched.max(line);
                }
            }
            let rest = bytes.get(searched..).unwrap_or_default();
            let Some(found) = memchr2(b'\n', b'\r', rest) else {
                self.line = line - frame;
                self.searched = bytes.len() - frame;
                return frame;
            };
            let end = searched + found;
            self.after_cr = bytes.get(end) == Some(&b'\r');
            let body = bytes.get(frame..).unwrap_or_default();
            if end == line {
                if line > frame {
                    let length = line - frame;
                    let body = body.get(..length).unwrap_or_default();
                    self.emit(body, length, true, sink);
                }
                frame = end + 1;
            } else {
                self.take_line(body, line - frame, end - frame);
            }
            line = end + 1;
            searched = line;
        }
    }

    /// A line without its end.
    fn take_line(&mut self, frame: &[u8], from: usize, to: usize) {
        let to = to.min(self.limit);
        let line = frame.get(from..to).unwrap_or_default();
        let (name, mut value) = match memchr(b':', line) {
            Some(colon) => (
                line.get(..colon).unwrap_or_default(),
                Range {
                    from: from + colon + 1,
                    to,
                },
            ),
            None => (line, Range { from: to, to }),
        };
        if value.of(frame).first() == Some(&b' ') {
            value.from += 1;
        }
        match name {
            b"data" => match self.fields.data {
                None => self.fields.data = Some(value),
                Some(first) => {
                    if !self.fields.several {
                        self.fields.several = true;
                        self.joined.clear();
                        self.joined.extend_from_slice(first.of(frame));
                    }
                    self.joined.push(b'\n');
                    self.joined.extend_from_slice(value.of(frame));
                }
            },
            b"event" => self.fields.event = Some(value),
            b"id" if memchr(0, value.of(frame)).is_none() => {
                self.fields.id = Some(value);
            }
            b"retry" => {
                let digits = value.of(frame);
                if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
                    let number = std::str::from_utf8(digits).unwrap_or_default();
                    self.fields.retry = Some(number.parse().unwrap_or(u64::MAX));
                }
            }
            _ => {}
        }
    }

    fn emit(
        &mut self,
        frame: &[u8],
        length: usize,
        complete: bool,
        sink: &mut impl FnMut(Frame<'_>),
    ) {
        let fields = std::mem::take(&mut self.fields);
        // An unfinished frame is dropped by clients, and its id with it.
        if let Some(id) = fields.id.filter(|_| complete) {
            self.last_id.clear();
            self.last_id.extend_from_slice(id.of(frame));
        }
        let data = fields.data.map(|data| {
            if fields.several {
                self.joined.as_slice()
            } else {
                data.of(frame)
            }
        });
        sink(Frame {
            raw: frame.get(..self.limit).unwrap_or(frame),
            event: fields.event.map(|event| event.of(frame)),
            data,
            id: fields.id.map(|id| id.of(frame)),
            last_id: &self.last_id,
            retry: fields.retry,
            complete,
            cut_from: (length > self.limit).then_some(length),
        });
        self.joined.clear();
    }

    /// Copies the beginning of a frame, no more than the limit.
    fn keep(&mut self, rest: &[u8]) {
        self.held
            .extend_from_slice(rest.get(..=self.limit).unwrap_or(rest));
        if rest.len() > self.limit {
            self.go_over(rest.len());
        }
    }

    /// The frame is longer than what is kept: from now on only its end matters.
    fn go_over(&mut self, length: usize) {
        let held = std::mem::take(&mut self.held);
        let line_is_empty = self.line >= length;
        if !line_is_empty && self.line < self.limit {
            self.take_line(&held, self.line, held.len());
        }
        self.held = held;
        self.held.truncate(self.limit);
        self.line = self.limit;
        self.over = Some(Over {
            length,
            line_is_empty,
        });
    }

    /// Counts a frame's bytes up to its end; returns what is behind it.
    fn skip<'p>(&mut self, piece: &'p [u8], sink: &mut impl FnMut(Frame<'_>)) -> &'p [u8] {
        let Some(mut over) = self.over.take() else {
            return piece;
        };
        let mut at = 0;
        loop {
            if self.after_cr && at < piece.len() {
                self.after_cr = false;
                if piece.get(at) == Some(&b'\n') {
                    at += 1;
                    over.length += 1;
                }
            }
            let rest = piece.get(at..).unwrap_or_default();
            let Some(found) = memchr2(b'\n', b'\r', rest) else {
                over.line_is_empty &= rest.is_empty();
                over.length += rest.len();
                self.over = Some(over);
                return &[];
            };
            self.after_cr = rest.get(found) == Some(&b'\r');
            at += found + 1;
            if found == 0 && over.line_is_empty {
                break;
            }
            over.length += found + 1;
            over.line_is_empty = true;
        }
        let held = std::mem::take(&mut self.held);
        self.emit(&held, over.length, true, sink);
        (self.line, self.searched) = (0, 0);
        piece.get(at..).unwrap_or_default()
    }
}
