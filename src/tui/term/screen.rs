//! Writes frames to the terminal.
//!
//! A frame is collected in memory and written in one piece between "begin" and "end synchronized update", so that a terminal
//! that knows these never shows half of one, and an unchanged frame writes nothing. Once the guard has left the terminal nothing
//! is written any more, whatever is still buffered.

use std::io::{self, Write};
use std::sync::Arc;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal};

use super::guard::{TerminalGuard, Tty};

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// Bytes kept allocated between frames.
const BUFFER: usize = 64 * 1024;

/// The terminal as a canvas.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<FrameWriter>>,
}

impl Screen {
    /// A canvas on the terminal that `guard` holds.
    pub fn new(guard: &TerminalGuard) -> io::Result<Self> {
        Ok(Self {
            terminal: Terminal::new(CrosstermBackend::new(FrameWriter::new(guard.tty())))?,
        })
    }

    /// Draws one frame; only cells that differ from the last one are written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.in_one_piece(|terminal| terminal.draw(draw).map(|_| ()))
    }

    /// Forgets what the terminal shows, so that the next frame writes every cell.
    pub fn clear(&mut self) -> io::Result<()> {
        self.in_one_piece(Terminal::clear)
    }

    /// Columns and rows.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// The area the last frame had.
    pub fn area(&mut self) -> Rect {
        self.terminal.get_frame().area()
    }

    /// Writes a sequence of our own making between two frames: OSC 52, a title, a bell.
    pub fn write_sequence(&mut self, sequence: &str) -> io::Result<()> {
        let writer = self.terminal.backend_mut();
        writer.write_all(sequence.as_bytes())?;
        Write::flush(writer)
    }

    fn in_one_piece(
        &mut self,
        work: impl FnOnce(&mut Terminal<CrosstermBackend<FrameWriter>>) -> io::Result<()>,
    ) -> io::Result<()> {
        // The writer cannot be reached through the backend except as a writer; the marks are how it learns of a frame.
        self.terminal.backend_mut().write_all(BEGIN)?;
        let done = work(&mut self.terminal);
        self.terminal.backend_mut().write_all(END)?;
        Write::flush(self.terminal.backend_mut())?;
        done
    }
}

/// Collects what a frame writes. Flushing inside a frame waits for its end.
#[derive(Debug)]
pub struct FrameWriter {
    tty: Arc<Tty>,
    buffer: Vec<u8>,
    in_frame: bool,
}

impl FrameWriter {
    fn new(tty: Arc<Tty>) -> Self {
        Self {
            tty,
            buffer: Vec::with_capacity(BUFFER),
            in_frame: false,
        }
    }
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes {
            BEGIN => self.in_frame = true,
            END => self.in_frame = false,
            _ => {}
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.in_frame {
            return Ok(());
        }
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
