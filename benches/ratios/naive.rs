//! A frame made without thought, all of which changes: the floor of ours in `frames`.
//!
//! Both are drawn by ratatui into /dev/null, so that no terminal is measured: this one by the library's own backend, ours as the
//! screen writes it.

use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use color_eyre::eyre::{Result, WrapErr as _};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, Paragraph};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

/// A terminal that shows nothing.
pub type Nowhere = Terminal<CrosstermBackend<BufWriter<File>>>;

/// One of this size.
pub fn nowhere(columns: u16, rows: u16) -> Result<Nowhere> {
    let backend = CrosstermBackend::new(BufWriter::with_capacity(64 * 1024, null()?));
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    Ok(Terminal::with_options(
        backend,
        TerminalOptions { viewport },
    )?)
}

/// Takes everything and keeps nothing.
pub fn null() -> Result<File> {
    let null = File::options().write(true).open("/dev/null");
    null.wrap_err("cannot open /dev/null")
}

/// Text of a log's kind, the same on every run.
pub fn text(lines: usize) -> Vec<String> {
    let mut state = 12_345_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let line = |_| {
        let mut line = String::from("2026-11-20T10:11:12.345Z info ");
        while line.len() < 180 {
            line.push(char::from(b'a' + (next() % 26) as u8));
            if next().is_multiple_of(6) {
                line.push(' ');
            }
        }
        line
    };
    (0..lines).map(line).collect()
}

/// Two panes made anew from spans, as a first version of any such program does it.
fn draw(frame: &mut Frame<'_>, number: usize, lines: &[String]) {
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(30), Constraint::Percentage(70)])
            .areas(frame.area());
    let first = number * 61;
    let rows = usize::from(frame.area().height);
    let line = |row: usize| {
        lines
            .get((first + row) % lines.len().max(1))
            .map_or("", String::as_str)
    };
    let items = (0..rows).map(|row| {
        let count = Span::styled(
            format!("{:>6} ", (first + row) % 100_000),
            Style::new().fg(Color::DarkGray),
        );
        let name = line(row * 8 + 3).get(..40).unwrap_or_default();
        ListItem::new(Line::from(vec![
            count,
            Span::styled(name, Style::new().fg(Color::Cyan)),
        ]))
    });
    frame.render_widget(
        List::new(items).block(Block::bordered().title("Frames")),
        left,
    );
    let paragraph = (0..rows).map(|row| {
        let (time, rest) = line(row).split_at_checked(24).unwrap_or_default();
        let (level, rest) = rest.split_at_checked(6).unwrap_or_default();
        let colour = if row % 3 == 0 {
            Color::Red
        } else {
            Color::Yellow
        };
        Line::from(vec![
            Span::styled(time, Style::new().fg(Color::Green)),
            Span::raw(" "),
            Span::styled(level, Style::new().fg(colour)),
            Span::raw(rest),
        ])
    });
    let paragraph = Paragraph::new(paragraph.collect::<Vec<_>>());
    frame.render_widget(paragraph.block(Block::bordered().title("Log")), right);
}

/// Microseconds for one frame, of each of `count` frames.
pub fn frames(terminal: &mut Nowhere, lines: &[String], count: usize) -> Result<Vec<f64>> {
    let mut times = Vec::with_capacity(count);
    for number in 0..count {
        let began = Instant::now();
        terminal.draw(|frame| draw(frame, number, lines))?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok(times)
}
