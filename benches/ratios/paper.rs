//! Where a frame of ours is drawn: written as the screen writes it, into /dev/null, so that no terminal is measured.

use std::fs::File;
use std::io::{self, Write as _};

use color_eyre::eyre::Result;
use omp_debug::tui::term::cells;
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

/// Shows nothing.
pub struct Paper {
    null: File,
    size: Size,
    sequences: Vec<u8>,
}

/// Paper of this size.
pub fn paper(columns: u16, rows: u16) -> Result<Terminal<Paper>> {
    let paper = Paper {
        null: super::naive::null()?,
        size: Size::new(columns, rows),
        sequences: Vec::new(),
    };
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    Ok(Terminal::with_options(paper, TerminalOptions { viewport })?)
}

impl Backend for Paper {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.sequences.clear();
        cells::write(&mut self.sequences, content);
        self.null.write_all(&self.sequences)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _position: P) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn clear_region(&mut self, _region: ClearType) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size,
            pixels: Size::ZERO,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
