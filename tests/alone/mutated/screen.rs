//! The debug route over whatever state a strange adapter has led to: drawn in all sizes, while keys are pressed. What it asks of others is
//! left undone, as if they took their time.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use omp_debug::debugger::State;
use omp_debug::tui::action::effect::RouteId;
use omp_debug::tui::action::keymap::Keymap;
use omp_debug::tui::action::msg::Waker;
use omp_debug::tui::app::{App, AppEvent, World};
use omp_debug::tui::theme::{Symbols, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc;

use super::luck::Luck;

const SIZES: &[(u16, u16)] = &[(200, 50), (80, 24), (40, 10), (13, 4), (1, 1)];
const KEYS: &[char] = &[
    '1', '2', '3', '4', '5', '6', '7', '8', '9', '0', 'T', 'V', 'P', 'W', 'O', 'p', 'z', 'k', 'j',
    'l', 'h', 'g', 'G', '{', '}', ' ', '/', 'a', '?', 'D', '@', '$', 'I', 'y', '=', '>', '<',
];
const OTHERS: &[KeyCode] = &[
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Backspace,
];

/// Looks at a state from several sides; nothing that a terminal obeys may be in a cell.
pub fn look(state: &State, luck: &mut Luck) {
    let world = World {
        lens: None,
        state: Rc::default(),
        theme: Theme::dark().into(),
        symbols: &Symbols::UNICODE,
        project: Path::new("/folder").into(),
        omp: Arc::default(),
        artifact_root: Arc::default(),
        host: None,
    };
    // Kept until the end: who is woken may not be gone.
    let (sender, _wakes) = mpsc::channel(8);
    let waker = Waker::new(sender);
    let mut app = App::new(world, Keymap::default(), RouteId::DEBUG, true, &waker);
    let asked = app.join(state.clone());
    drop(app.absorb(asked));
    for round in 0..12 {
        let code = match luck.below(3) {
            0 => OTHERS[luck.below(OTHERS.len())],
            _ => KeyCode::Char(KEYS[luck.below(KEYS.len())]),
        };
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        let key = AppEvent::Input(Ok(Event::Key(key).into()));
        let asked = app.update(key, Instant::now());
        drop(app.absorb(asked));
        if round % 3 == 2 {
            let (width, height) = SIZES[luck.below(SIZES.len())];
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| app.draw(frame)).unwrap();
            for cell in terminal.backend().buffer().content() {
                let symbol = cell.symbol();
                assert!(!symbol.contains(char::is_control), "{symbol:?}");
            }
        }
    }
}
