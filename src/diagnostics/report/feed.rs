//! Reads what goes in, and cuts it into pieces that processors can work on apart from each other.
//!
//! Small files go together in one piece; a large one is cut where a line ends and no private key is begun, so that each piece can be
//! redacted by itself. Where there is no such place (a line without end), the rest is redacted here, one after the other.

use std::sync::{Condvar, PoisonError};

use base::text::redact::Report;
use flate2::bufread::MultiGzDecoder;

use super::{
    bundle::Content,
    bytes::{ByteStream, is_text},
    facts, logs,
    outcome::Note,
    plan::{Part, Piece, Plan, Planned, is_packed},
    squeeze::Raw,
    walk,
};
use crate::prelude::*;

/// Bytes of a piece.
pub const CHUNK: usize = 1 << 20;
/// Larger files are no small ones.
const SMALL: usize = 256 << 10;

/// A piece of work, in the order of the archive.
pub enum Unit {
    /// Small members as a whole.
    Small(Vec<Raw>),
    /// A large member begins.
    Head {
        member: usize,
        name: String,
        text: bool,
    },
    /// More of it.
    Chunk {
        bytes: Vec<u8>,
        /// Whether secrets are still to be taken out.
        redact: bool,
        replaced: Report,
    },
    /// It is over.
    Tail,
}

/// How many pieces may be on their way: this bounds the memory.
pub struct Permits {
    left: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Permits {
    pub fn new(most: usize) -> Self {
        Self {
            left: Mutex::new(Some(most)),
            changed: Condvar::new(),
        }
    }

    /// Waits for one; false when nothing more is wanted.
    fn take(&self) -> bool {
        let left = lock(&self.left);
        let left = self.changed.wait_while(left, |left| *left == Some(0));
        let mut left = left.unwrap_or_else(PoisonError::into_inner);
        left.as_mut().map(|left| *left -= 1).is_some()
    }

    pub fn give_back(&self) {
        self.change(|left| Some(left? + 1));
    }

    /// Nothing more is wanted.
    pub fn close(&self) {
        self.change(|_| None);
    }

    fn change(&self, to: fn(Option<usize>) -> Option<usize>) {
        let mut left = lock(&self.left);
        *left = to(*left);
        self.changed.notify_all();
    }
}

/// Reads all members of a plan, in order.
pub struct Feeder<'a> {
    plan: &'a Plan,
    redactor: Option<&'a Redactor>,
    permits: &'a Permits,
    cancel: &'a Cancel,
    send: Box<dyn FnMut(Unit) -> bool + Send + 'a>,
    notes: Vec<Note>,
    batch: Vec<Raw>,
    batched: usize,
    /// Bytes that there is still room for.
    room: u64,
}

/// Nobody wants more.
struct Closed;

impl<'a> Feeder<'a> {
    pub fn new(
        plan: &'a Plan,
        redactor: Option<&'a Redactor>,
        permits: &'a Permits,
        cancel: &'a Cancel,
        send: impl FnMut(Unit) -> bool + Send + 'a,
    ) -> Self {
        Self {
            plan,
            redactor,
            permits,
            cancel,
            send: Box::new(send),
            notes: Vec::new(),
            batch: Vec::new(),
            batched: 0,
            room: plan.limits.total,
        }
    }

    /// Feeds everything; gives what should be known of it.
    pub fn run(mut self) -> Vec<Note> {
        for (index, planned) in self.plan.members.iter().enumerate() {
            if self.cancel.is_cancelled() || self.member(index, planned).is_err() {
                return self.notes;
            }
        }
        let _ = self.flush();
        self.notes
    }

    fn send(&mut self, unit: Unit) -> Result<(), Closed> {
        if self.cancel.is_cancelled() || !self.permits.take() || !(self.send)(unit) {
            return Err(Closed);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Closed> {
        self.batched = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return Ok(());
        }
        self.send(Unit::Small(batch))
    }

    fn name(&self, planned: &Planned) -> String {
        match self.redactor {
            Some(redactor) => redactor.counting_anew().redact(&planned.name).into_owned(),
            None => planned.name.clone(),
        }
    }

    fn member(&mut self, member: usize, planned: &Planned) -> Result<(), Closed> {
        if self.room == 0 {
            let why = format!("the report is full: {} bytes", self.plan.limits.total);
            self.notes.push(Note::left_out(&planned.name, &why));
            return Ok(());
        }
        let limit = self.plan.limits.member.min(self.room);
        let mut source = Source::new(planned, self.redactor, limit);
        let mut bytes = Vec::with_capacity(SMALL.min(planned.size as usize) + 1);
        if let Err(error) = source.fill(&mut bytes, SMALL + 1) {
            let why = format!("it cannot be read: {error}");
            self.notes.push(Note::left_out(&planned.name, &why));
            self.notes.append(&mut source.notes);
            return Ok(());
        }
        let done = if bytes.len() <= SMALL {
            self.room -= (bytes.len() as u64).min(self.room);
            self.batched += bytes.len();
            let text = is_text(&bytes);
            self.batch.push(Raw {
                member,
                name: self.name(planned),
                text,
                bytes,
                replaced: source.replaced,
            });
            if self.batched >= CHUNK {
                self.flush()
            } else {
                Ok(())
            }
        } else {
            self.flush()?;
            self.large(member, planned, bytes, &mut source)
        };
        source.say_cut(limit);
        self.notes.append(&mut source.notes);
        done
    }

    fn large(
        &mut self,
        member: usize,
        planned: &Planned,
        mut bytes: Vec<u8>,
        source: &mut Source<'_>,
    ) -> Result<(), Closed> {
        let text = is_text(&bytes);
        let name = self.name(planned);
        self.send(Unit::Head { member, name, text })?;
        let redactor = self.redactor.filter(|_| text);
        let mut replaced = std::mem::take(&mut source.replaced);
        let mut in_order: Option<(ByteStream, Redactor)> = None;
        loop {
            let before = bytes.len();
            bytes.reserve_exact(CHUNK.saturating_sub(before));
            if let Err(error) = source.fill(&mut bytes, CHUNK) {
                let why = format!("the rest of it cannot be read: {error}");
                source.notes.push(Note::about(&planned.name, &why));
                source.over = true;
            }
            let over = bytes.len() < CHUNK || source.over;
            let (ready, redact) = if let Some((stream, counting)) = &mut in_order {
                let mut out = Vec::with_capacity(bytes.len());
                stream.push(&bytes, &mut out);
                bytes.clear();
                if over {
                    stream.finish(&mut out);
                    replaced.add(&counting.report());
                }
                (out, false)
            } else if redactor.is_none() || over {
                (std::mem::take(&mut bytes), redactor.is_some())
            } else if let Some(at) = cut_at(&bytes) {
                let rest = bytes.split_off(at);
                (std::mem::replace(&mut bytes, rest), true)
            } else {
                let counting = redactor.map(Redactor::counting_anew).unwrap_or_default();
                in_order = Some((ByteStream::new(&counting), counting));
                continue;
            };
            self.room -= (ready.len() as u64).min(self.room);
            let replaced = std::mem::take(&mut replaced);
            self.send(Unit::Chunk {
                bytes: ready,
                redact,
                replaced,
            })?;
            if over {
                return self.send(Unit::Tail);
            }
        }
    }
}

/// How a member begins as it is written: for the one who decides about it. `most` bytes are read.
pub fn beginning(
    plan: &Plan,
    index: usize,
    redactor: Option<&Redactor>,
    most: u64,
) -> io::Result<Content> {
    let Some(planned) = plan.members.get(index) else {
        return Err(io::Error::other("it is not in the report any more"));
    };
    let mut source = Source::new(planned, redactor, most);
    let mut bytes = Vec::new();
    source.fill(&mut bytes, most as usize)?;
    let read = bytes.len() as u64;
    if read >= most && is_text(&bytes) {
        // Half a line could hold half a secret.
        bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1));
    }
    let bytes = match redactor.filter(|_| is_text(&bytes)) {
        Some(redactor) => super::bytes::redact(&redactor.counting_anew(), &bytes),
        None => bytes,
    };
    // What is redacted has another length than what was read.
    let size = if read < most {
        bytes.len() as u64
    } else {
        planned.size
    };
    Ok(Content { bytes, size })
}

/// Behind the last line that ended, unless a private key is begun there: then before it.
fn cut_at(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memrchr(b'\n', bytes)? + 1;
    let done = bytes.get(..end)?;
    let Some(key) = memchr::memmem::rfind(done, b"-----BEGIN") else {
        return Some(end);
    };
    let after = done.get(key..)?;
    if memchr::memmem::find(after, b"-----END").is_some() {
        return Some(end);
    }
    memchr::memrchr(b'\n', done.get(..key)?).map(|at| at + 1)
}

/// The bytes of a member, piece after piece.
struct Source<'a> {
    planned: &'a Planned,
    redactor: Option<&'a Redactor>,
    next: usize,
    current: Option<Box<dyn Read>>,
    /// Bytes that may still be read.
    left: u64,
    over: bool,
    replaced: Report,
    notes: Vec<Note>,
    /// Whether there was more than was allowed.
    cut: bool,
}

impl<'a> Source<'a> {
    fn new(planned: &'a Planned, redactor: Option<&'a Redactor>, limit: u64) -> Self {
        Self {
            planned,
            redactor,
            next: 0,
            current: None,
            left: limit,
            over: false,
            replaced: Report::default(),
            notes: Vec::new(),
            cut: false,
        }
    }

    /// Reads until there are `wanted` bytes, or no more.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
        while bytes.len() < wanted && !self.over {
            let most = ((wanted - bytes.len()) as u64).min(self.left.saturating_add(1));
            let before = bytes.len();
            let Some(current) = &mut self.current else {
                self.over = !self.open_next()?;
                continue;
            };
            current.take(most).read_to_end(bytes)?;
            let read = (bytes.len() - before) as u64;
            if read > self.left {
                // One more than allowed shows that there is more.
                bytes.truncate(before + self.left as usize);
                (self.left, self.over, self.cut) = (0, true, true);
            } else {
                self.left -= read;
            }
            if read < most {
                self.current = None;
            }
        }
        Ok(())
    }

    fn open_next(&mut self) -> io::Result<bool> {
        let index = self.next;
        let Some(piece) = self.planned.pieces.get(index) else {
            return Ok(false);
        };
        self.next += 1;
        let opened: Box<dyn Read> = match piece {
            Piece::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            Piece::Variables(variables) => {
                let counting = self.redactor.map(Redactor::counting_anew);
                let bytes = facts::variables(variables, counting.as_ref());
                if let Some(counting) = counting {
                    self.replaced.add(&counting.report());
                }
                Box::new(io::Cursor::new(bytes))
            }
            Piece::File(Some(folder), path) => Box::new(walk::open_below(folder, path)?),
            Piece::File(None, path) if self.planned.part == Part::Attached && is_packed(path) => {
                let mut file = BufReader::new(walk::open_file(path)?);
                if file.fill_buf()?.starts_with(&crate::GZIP) {
                    Box::new(MultiGzDecoder::new(file))
                } else {
                    Box::new(file)
                }
            }
            Piece::File(None, path) => Box::new(walk::open_file(path)?),
            Piece::Log(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let (bytes, text) = match logs::section(path, index == 0) {
                    Ok((bytes, before)) => (
                        bytes,
                        (before > 0)
                            .then(|| format!("the first {before} bytes of {name} are not in it")),
                    ),
                    // The others are worth having without it.
                    Err(error) => (Vec::new(), Some(format!("{name} cannot be read: {error}"))),
                };
                let note = text.map(|text| Note::about(&self.planned.name, &text));
                self.notes.extend(note);
                Box::new(io::Cursor::new(bytes))
            }
        };
        self.current = Some(opened);
        Ok(true)
    }

    fn say_cut(&mut self, limit: u64) {
        if self.cut {
            let text = format!("cut after {limit} of {} bytes", self.planned.size);
            self.notes.push(Note::about(&self.planned.name, &text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_where_lines_do_and_never_within_a_key() {
        assert_eq!(cut_at(b"a\nb\nc"), Some(4));
        assert_eq!(cut_at(b"no end of a line"), None);
        let key = b"first\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n";
        assert_eq!(cut_at(key), Some(6));
        assert_eq!(cut_at(&key[6..]), None, "a key from the first line on");
        let mut whole = key.to_vec();
        whole.extend_from_slice(b"-----END RSA PRIVATE KEY-----\nrest");
        assert_eq!(cut_at(&whole), Some(whole.len() - 4));
    }
}
