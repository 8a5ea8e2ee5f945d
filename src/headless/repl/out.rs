//! Where everything is printed: standard output, or above the prompt while a line is being typed.
//!
//! Text of the program is made safe here and keeps its own colours; a line of it that has not ended is shown as far as it came.
//! A reader that went away is noticed once, and nothing is written any more.

use std::io::{ErrorKind, Write};

use base::text::{
    ansi::{self, Style},
    sanitise::{TAB_WIDTH, sanitise},
};
use debugger::OutputChunk;

use super::style::{Colours, Role};

/// Printed, and not yet written.
pub struct Out {
    /// Colours or not.
    pub look: Colours,
    sink: Box<dyn Write + Send>,
    errors: Box<dyn Write + Send>,
    text: String,
    /// A line is being typed: only whole lines may appear, above it.
    typing: bool,
    broken: bool,
    program: Program,
}

/// What the program has printed of its present line.
#[derive(Default)]
struct Program {
    /// Category of the line that has not ended.
    open: Option<String>,
    /// What was printed of it and is kept back while a line is being typed.
    held: String,
    style: Style,
    /// What we gave the program: its terminal says it again.
    echo: Option<String>,
}

impl Out {
    /// To these.
    pub fn new(look: Colours, sink: Box<dyn Write + Send>, errors: Box<dyn Write + Send>) -> Self {
        Self {
            look,
            sink,
            errors,
            text: String::new(),
            typing: false,
            broken: false,
            program: Program::default(),
        }
    }

    /// Nobody reads any more.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// From now on a line is being typed, or no more.
    pub fn typing(&mut self, typing: bool) {
        if typing {
            self.end_line();
            self.flush();
        }
        self.typing = typing;
    }

    /// A line of our own; foreign parts of it are sanitised.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.end_line();
        self.text.push_str(line.as_ref());
        self.text.push('\n');
        self.bound();
    }

    /// A line of our own in a look.
    pub fn say(&mut self, role: Role, line: impl AsRef<str>) {
        let line = self.look.paint(role, line);
        self.line(&line);
    }

    /// Lines that list something, or the sentence that there is none.
    pub fn list(&mut self, lines: Vec<String>, none: &str) {
        if lines.is_empty() {
            self.line(none);
        }
        self.lines(lines);
    }

    /// Several lines of our own.
    pub fn lines<S: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = S>) {
        for line in lines {
            self.line(line);
        }
    }

    /// A trouble: to standard error where a script runs, into the conversation where a person types.
    pub fn error(&mut self, origin: Option<&str>, text: &str, hint: Option<&str>) {
        let mut whole = String::new();
        for (index, line) in text.trim_end().lines().enumerate() {
            if index > 0 {
                whole.push('\n');
            }
            whole.push_str(&self.look.paint(Role::Error, sanitise(line)));
        }
        if let Some(hint) = hint {
            for line in hint.trim_end().lines() {
                whole.push_str("\n  ");
                whole.push_str(&self.look.paint(Role::Muted, sanitise(line)));
            }
        }
        match origin {
            None => self.line(&whole),
            Some(origin) => {
                // In the order in which things happened, where both go to one place.
                self.end_line();
                self.flush();
                let _ = writeln!(self.errors, "omp-debug: {}: {whole}", sanitise(origin));
                let _ = self.errors.flush();
            }
        }
    }

    /// What was just given to the program on its terminal, which says it again.
    pub fn expect_echo(&mut self, text: &str) {
        self.program.echo = Some(text.trim_end_matches('\n').to_owned());
    }

    /// What the program or the adapter printed.
    pub fn program(&mut self, chunks: &[OutputChunk]) {
        for chunk in chunks {
            if chunk.lost_before > 0 {
                self.lost(chunk.lost_before);
            }
            let mut text = chunk.text.as_str();
            if let Some(echo) = self.program.echo.take() {
                let rest = text.strip_prefix(echo.as_str());
                let rest = rest.map(|r| r.strip_prefix('\r').unwrap_or(r));
                text = rest.and_then(|r| r.strip_prefix('\n')).unwrap_or(text);
            }
            if chunk.category != "telemetry" {
                self.chunk(&chunk.category, text);
            }
        }
    }

    /// Output that came faster than it could be printed.
    pub fn lost(&mut self, bytes: u64) {
        let told = format!("[{bytes} bytes of output were not printed]");
        self.say(Role::Warning, told);
    }

    fn chunk(&mut self, category: &str, text: &str) {
        for line in text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n');
            if self.program.open.as_deref().is_some_and(|c| c != category) {
                self.end_line();
            }
            let begins = self.program.open.is_none();
            let shown = self.piece(category, ended.unwrap_or(line), begins);
            let target = if self.typing {
                &mut self.program.held
            } else {
                &mut self.text
            };
            target.push_str(&shown);
            self.program.open = Some(category.to_owned());
            if ended.is_some() {
                self.end_line();
            }
        }
    }

    fn piece(&mut self, category: &str, piece: &str, begins: bool) -> String {
        let mut shown = String::new();
        let (base, mark) = match category {
            "stdout" => (None, ""),
            "stderr" => (Some(Role::Stderr), "stderr| "),
            "important" => (Some(Role::Warning), ""),
            _ => (Some(Role::Muted), ""),
        };
        if begins && !self.look.colour {
            shown.push_str(mark);
        }
        let parsed = ansi::parse(piece, self.program.style, TAB_WIDTH);
        for run in &parsed.runs {
            shown.push_str(&self.look.program(run.style, base, &run.text));
        }
        self.program.style = parsed.end;
        shown
    }

    fn end_line(&mut self) {
        if self.program.open.take().is_some() {
            let held = std::mem::take(&mut self.program.held);
            self.text.push_str(&held);
            self.text.push('\n');
            self.bound();
        }
    }

    /// A flood is written in pieces.
    fn bound(&mut self) {
        if !self.typing && self.text.len() > 64 * 1024 {
            self.flush();
        }
    }

    /// What is to be printed above the line that is being typed.
    pub fn take_above(&mut self) -> Option<String> {
        (self.typing && !self.text.is_empty()).then(|| std::mem::take(&mut self.text))
    }

    /// The last of it: a line that has not ended ends.
    pub fn finish(&mut self) {
        self.typing(false);
        self.end_line();
        self.flush();
    }

    /// Writes what was printed, unless a line is being typed.
    pub fn flush(&mut self) {
        if self.typing {
            return;
        }
        let text = std::mem::take(&mut self.text);
        if self.broken || text.is_empty() {
            return;
        }
        let written = self
            .sink
            .write_all(text.as_bytes())
            .and_then(|()| self.sink.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::Interrupted
        {
            self.broken = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn chunk(category: &str, text: &str) -> OutputChunk {
        OutputChunk {
            category: category.into(),
            text: text.into(),
            ..OutputChunk::default()
        }
    }

    fn printed(colour: bool, work: impl FnOnce(&mut Out)) -> String {
        let sink = Sink::default();
        let look = Colours { colour };
        let mut out = Out::new(look, Box::new(sink.clone()), Box::new(Sink::default()));
        work(&mut out);
        out.flush();
        let bytes = sink.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_that_has_not_ended_is_shown_and_kept_apart() {
        let text = printed(false, |out| {
            out.program(&[chunk("stdout", "name? ")]);
            out.flush();
            out.program(&[chunk("stdout", "yes\n"), chunk("stdout", "half")]);
            out.program(&[chunk("stderr", "oops\n")]);
            out.line("stopped");
        });
        assert_eq!(text, "name? yes\nhalf\nstderr| oops\nstopped\n");
    }

    #[test]
    fn no_control_byte_of_the_program_gets_through() {
        for colour in [false, true] {
            let text = printed(colour, |out| {
                out.program(&[chunk(
                    "stdout",
                    "\x1b[31mred\x1b[0m \x1b]0;title\x07\x08bell\n",
                )]);
            });
            assert!(
                !text.contains(['\x07', '\x08']) && !text.contains("]0;"),
                "{text:?}"
            );
            assert_eq!(text.contains('\x1b'), colour, "{text:?}");
        }
    }

    #[test]
    fn what_comes_while_a_line_is_typed_waits_for_its_end() {
        let text = printed(false, |out| {
            out.typing(true);
            out.program(&[chunk("stdout", "one\ntw")]);
            assert_eq!(out.take_above().as_deref(), Some("one\n"));
            out.program(&[chunk("stdout", "o\n")]);
            assert_eq!(out.take_above().as_deref(), Some("two\n"));
            assert_eq!(out.take_above(), None);
            out.typing(false);
            out.line("three");
        });
        assert_eq!(text, "three\n");
    }

    #[test]
    fn the_echo_of_what_we_gave_is_not_shown_twice() {
        let text = printed(false, |out| {
            out.expect_echo("bolt\n");
            out.program(&[chunk("stdout", "bolt\r\nread bolt\n")]);
        });
        assert_eq!(text, "read bolt\n");
    }

    #[test]
    fn a_reader_that_went_away_is_noticed() {
        let mut out = Out::new(
            Colours::default(),
            Box::new(Gone),
            Box::new(Sink::default()),
        );
        out.line("x");
        out.flush();
        assert!(out.is_broken());
        out.line("y");
        out.flush();
    }
}
