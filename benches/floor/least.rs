//! The least ratatui program: the floor for first paint, idling, and the way from a key to the screen.
//!
//! `q` ends it; every other key changes all of the screen.

use std::io::{self, BufWriter, Write as _};

use ratatui::crossterm::event::{Event, KeyCode, read};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::{CrosstermBackend, Line, Span, Stylize as _, Terminal};
use ratatui::widgets::{Block, Paragraph};

const FILLER: &str = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore";

fn main() -> io::Result<()> {
    enable_raw_mode()?;
    let mut output = BufWriter::with_capacity(64 * 1024, io::stdout());
    execute!(output, EnterAlternateScreen)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(output))?;
    let mut count = 0;
    loop {
        terminal.draw(|frame| {
            let area = frame.area();
            let lines: Vec<Line<'_>> = (0..usize::from(area.height))
                .map(|row| {
                    Line::from(vec![
                        format!("{:>8} ", count * 7 + row).cyan(),
                        Span::raw(FILLER),
                    ])
                })
                .collect();
            let block = Block::bordered().title(format!("count {count}"));
            frame.render_widget(Paragraph::new(lines).block(block), area);
        })?;
        terminal.backend_mut().flush()?;
        let key = loop {
            if let Event::Key(key) = read()? {
                break key;
            }
        };
        if key.code == KeyCode::Char('q') {
            break;
        }
        count += 1;
    }
    execute!(terminal.backend_mut(), LeaveAlternateScreen)?;
    disable_raw_mode()
}
