//! Where a transcript goes: made harmless, without secrets, counted.

use std::io::{Result, Write};

use base::text::{
    redact::{Redactor, Stream},
    sanitise::sanitise_from,
};

/// Text that is held before it is written.
const HELD: usize = 64 * 1024;

/// The way out.
pub struct Sink<'a> {
    out: &'a mut dyn Write,
    stream: Option<Stream>,
    held: String,
    bytes: u64,
}

impl<'a> Sink<'a> {
    pub fn new(out: &'a mut dyn Write, redactor: Option<&Redactor>) -> Self {
        Self {
            out,
            stream: redactor.map(Redactor::stream),
            held: String::new(),
            bytes: 0,
        }
    }

    /// Text of ours.
    pub fn put(&mut self, text: &str) -> Result<()> {
        match &mut self.stream {
            Some(stream) => stream.push_into(text, &mut self.held),
            None => self.held.push_str(text),
        }
        if self.held.len() >= HELD {
            self.write()?;
        }
        Ok(())
    }

    /// Foreign text, line by line, each behind `before`. Tabs stay: a file of tabs must not come out changed.
    pub fn foreign(&mut self, text: &str, before: &str) -> Result<()> {
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.put(before)?;
            self.put(&clean(line))?;
            self.put("\n")?;
        }
        Ok(())
    }

    /// Everything that was put so far is decided: what is counted now is final.
    pub fn settle(&mut self) -> Result<()> {
        if let Some(stream) = &mut self.stream {
            stream.finish_into(&mut self.held);
        }
        self.write()
    }

    /// Writes what is held, and says how much was written altogether.
    pub fn finish(mut self) -> Result<u64> {
        self.settle()?;
        self.out.flush()?;
        Ok(self.bytes)
    }

    fn write(&mut self) -> Result<()> {
        self.out.write_all(self.held.as_bytes())?;
        self.bytes += self.held.len() as u64;
        self.held.clear();
        Ok(())
    }
}

/// One line without anything that could drive a terminal.
pub fn clean(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    for (index, piece) in line.split('\t').enumerate() {
        if index > 0 {
            out.push('\t');
        }
        out.push_str(&sanitise_from(piece, 1, 0));
    }
    out
}
