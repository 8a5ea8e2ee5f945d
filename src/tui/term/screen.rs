//! Writes frames to the terminal.
//!
//! A frame is collected in memory and written in one piece between "begin" and "end synchronized update", so that a terminal
//! that knows these never shows half of one. A frame in which nothing changed writes nothing. Once the guard has left the
//! terminal nothing is written any more, whatever is still collected.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use ratatui::{
    Frame, Terminal,
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};
use rustix::termios;

use super::{
    cells,
    guard::{TerminalGuard, Tty},
};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// What a terminal that does not know its size is taken for.
const UNKNOWN_SIZE: Size = Size::new(80, 24);
/// Bytes kept allocated between frames.
const BUFFER: usize = 64 * 1024;

/// The terminal as a canvas.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<TtyBackend>,
    in_frame: Arc<AtomicBool>,
}

impl Screen {
    /// A canvas on the terminal that `guard` holds.
    pub fn new(guard: &TerminalGuard) -> io::Result<Self> {
        let in_frame = Arc::new(AtomicBool::new(false));
        let writer = FrameWriter {
            tty: guard.tty(),
            buffer: Vec::with_capacity(BUFFER),
            in_frame: Arc::clone(&in_frame),
        };
        let backend = TtyBackend {
            tty: guard.tty(),
            inner: CrosstermBackend::new(writer),
            cursor: Cursor::Unknown,
            sequences: Vec::new(),
        };
        Ok(Self {
            terminal: Terminal::new(backend)?,
            in_frame,
        })
    }

    /// Draws one frame; only cells that differ from the last one are written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.in_one_piece(|terminal| terminal.draw(draw).map(|_| ()))
    }

    /// Forgets what the terminal shows, so that the next frame writes every cell.
    pub fn clear(&mut self) -> io::Result<()> {
        self.terminal.backend_mut().cursor = Cursor::Unknown;
        self.in_one_piece(Terminal::clear)
    }

    /// Writes a sequence of our own making between two frames: OSC 52, a title, a bell.
    pub fn write_sequence(&mut self, sequence: &str) -> io::Result<()> {
        let writer = &mut self.terminal.backend_mut().inner;
        writer.write_all(sequence.as_bytes())?;
        Write::flush(writer)
    }

    fn in_one_piece(
        &mut self,
        work: impl FnOnce(&mut Terminal<TtyBackend>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.in_frame.store(true, Ordering::Relaxed);
        let done = work(&mut self.terminal);
        self.in_frame.store(false, Ordering::Relaxed);
        Write::flush(&mut self.terminal.backend_mut().inner)?;
        done
    }
}

/// Where the terminal's cursor is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Unknown,
    Hidden,
    /// Visible; `None` once drawing has moved it.
    Visible(Option<Position>),
}

/// The library's backend, asked only for what changes something, and with the size of the terminal we hold.
#[derive(Debug)]
struct TtyBackend {
    tty: Arc<Tty>,
    inner: CrosstermBackend<FrameWriter>,
    cursor: Cursor,
    /// What the cells of a frame are written as; kept for its memory.
    sequences: Vec<u8>,
}

impl Backend for TtyBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        // The library resets all looks at the end of every frame, also of an empty one.
        if content.peek().is_none() {
            return Ok(());
        }
        if let Cursor::Visible(place) = &mut self.cursor {
            *place = None;
        }
        self.sequences.clear();
        cells::write(&mut self.sequences, content);
        self.inner.write_all(&self.sequences)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor == Cursor::Hidden {
            return Ok(());
        }
        self.cursor = Cursor::Hidden;
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if matches!(self.cursor, Cursor::Visible(_)) {
            return Ok(());
        }
        self.cursor = Cursor::Visible(None);
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Asking the terminal would compete with the input source for the answer, and only the library asks: to put the cursor
        // back after clearing, where the next frame places it anyway.
        match self.cursor {
            Cursor::Visible(Some(position)) => Ok(position),
            Cursor::Visible(None) | Cursor::Hidden | Cursor::Unknown => Ok(Position::ORIGIN),
        }
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor == Cursor::Visible(Some(position)) {
            return Ok(());
        }
        if let Cursor::Visible(place) = &mut self.cursor {
            *place = Some(position);
        }
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        let size = termios::tcgetwinsize(self.tty.screen())?;
        // Serial lines and some containers do not know their size and say 0.
        Ok(match (size.ws_col, size.ws_row) {
            (0, 0) => UNKNOWN_SIZE,
            (columns, rows) => Size::new(columns, rows),
        })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let size = termios::tcgetwinsize(self.tty.screen())?;
        Ok(WindowSize {
            columns_rows: Size::new(size.ws_col, size.ws_row),
            pixels: Size::new(size.ws_xpixel, size.ws_ypixel),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.inner)
    }
}

/// Collects what a frame writes. Flushing inside a frame waits for its end.
#[derive(Debug)]
struct FrameWriter {
    tty: Arc<Tty>,
    buffer: Vec<u8>,
    in_frame: Arc<AtomicBool>,
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.is_empty() {
            self.buffer.extend_from_slice(BEGIN);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.in_frame.load(Ordering::Relaxed) || self.buffer.is_empty() {
            return Ok(());
        }
        self.buffer.extend_from_slice(END);
        let done = if self.tty.is_inside() {
            self.tty.write(&self.buffer, None)
        } else {
            Ok(())
        };
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::guard::tests::{guard, pty, seen};
    use crate::theme::Theme;
    use ratatui::text::Line;
    use ratatui::widgets::Paragraph;

    #[test]
    fn frames_come_in_one_piece_and_only_when_something_changed() {
        let (master, slave) = pty();
        let size = termios::Winsize {
            ws_row: 4,
            ws_col: 20,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        termios::tcsetwinsize(&slave, size).unwrap();
        let guard = guard(&slave);
        let mut emulator = vt100::Parser::new(4, 20, 0);
        let mut screen = Screen::new(&guard).unwrap();
        emulator.process(seen(&master).as_bytes());

        let selection = Theme::mono().selection;
        let draw = |frame: &mut Frame<'_>| {
            frame.render_widget(
                Paragraph::new(Line::styled("chosen", selection)),
                frame.area(),
            );
            frame.set_cursor_position((2, 1));
        };
        screen.draw(draw).unwrap();
        let first = seen(&master);
        assert!(
            first.starts_with("\x1b[?2026h") && first.ends_with("\x1b[?2026l"),
            "{first:?}"
        );
        assert_eq!(first.matches("\x1b[?2026").count(), 2);
        emulator.process(first.as_bytes());
        assert!(emulator.screen().contents().contains("chosen"));
        let cell = emulator.screen().cell(0, 0).unwrap();
        assert!(
            cell.inverse() && cell.bold(),
            "the selection shows without colour"
        );
        assert_eq!(emulator.screen().cursor_position(), (1, 2));

        screen.draw(draw).unwrap();
        screen.write_sequence("\x07").unwrap();
        assert_eq!(
            seen(&master),
            "\x1b[?2026h\x07\x1b[?2026l",
            "the unchanged frame wrote nothing"
        );

        screen.clear().unwrap();
        screen.draw(draw).unwrap();
        emulator.process(seen(&master).as_bytes());
        assert!(
            emulator.screen().contents().contains("chosen"),
            "everything again"
        );

        guard.leave();
        seen(&master);
        screen.clear().unwrap();
        screen.draw(draw).unwrap();
        drop(screen);
        guard.enter_again().unwrap();
        assert!(
            seen(&master).starts_with("\x1b[?1049h"),
            "nothing was written while away"
        );
    }
}
