//! What comes over a route for a while: each is a surface like any other, gets keys first and closes with Esc.
//!
//! Questions that belong to one route only are that route's popups; these here are everybody's.

pub mod help;
pub mod messages;
pub mod palette;
pub mod quit;
pub mod trust;

use super::{
    action::{Row, Section, keymap},
    kit,
    theme::Look,
    widgets::{panel::Panel, popup::centred},
};
use crate::prelude::*;

/// The tables of all overlays.
pub fn sections() -> Vec<Section> {
    vec![
        Section::of::<help::Help>(),
        Section::of::<palette::Palette>(),
        Section::of::<messages::Messages>(),
        Section::of::<kit::confirm::Confirm>(),
        Section::of::<Question>(),
        Section::of::<quit::QuitQuestion>(),
    ]
}

/// A large box in the middle, for lists and pages; returns what is left for the content.
fn page(canvas: &Canvas, area: Rect, title: &str, right: &str) -> Rect {
    let width = area
        .width
        .saturating_sub(4)
        .min(160)
        .max(area.width.min(40));
    let height = area
        .height
        .saturating_sub(2)
        .min(36)
        .max(area.height.min(10));
    let look = canvas.look();
    room::popup(
        canvas,
        centred(area, width, height),
        Panel::new(look, title).right(right),
    )
}

/// What a list of actions says when none has what was typed.
const NOTHING: &str = "No action fits. Delete some of the text, or close with Esc.";

/// A page of that title and remark with a line to search by, which says `hint` while it is empty; gives the room for what is found.
fn search_page(
    canvas: &Canvas,
    area: Rect,
    (title, right, hint): (&str, &str, &str),
    field: &mut Field,
) -> Rect {
    let inner = page(canvas, area, title, right);
    let inner = inner.after(1).first(inner.width.saturating_sub(2));
    let mark = format!("{} ", canvas.symbols.prompt);
    let used = canvas.text(inner.row(0), &mark, canvas.theme.accent);
    if let Some(cursor) = field.lay(canvas, inner.after(used), hint) {
        canvas.set_cursor(cursor);
    }
    inner.below(2)
}

/// What people may call an action, and a part of the title or name that it has.
const SYNONYMS: &[(&str, &str)] = &[
    ("assembl", "instructions"),
    ("caller", "frame up"),
    ("dataframe", "view as data"),
    ("deadlock", "hang"),
    ("definition", "declared"),
    ("disassembl", "instructions"),
    ("export", "save"),
    ("hover", "inspect"),
    ("goroutine", "hang"),
    ("goroutine", "selected thread"),
    ("kill", "end the session"),
    ("lock", "hang"),
    ("logpoint", "log message"),
    ("mutex", "hang"),
    ("plot", "view as data"),
    ("rerun", "restart"),
    ("skip", "jump"),
    ("stop", "end the session"),
    ("table", "view as data"),
    ("task", "hang"),
    ("task", "selected thread"),
    ("thread", "hang"),
    ("thread", "to the stack"),
    ("until", "run to cursor"),
    ("watchpoint", "data breakpoint"),
];

/// Whether a text in lower case has a word, perhaps with another ending, or a synonym of it.
fn mentions(text: &str, word: &str) -> bool {
    let stem = word.len().saturating_sub(4).max(4);
    let stem = word.get(..stem).filter(|_| word.len() > 5).unwrap_or(word);
    text.contains(stem) || is_called(text, word)
}

/// Whether a word in lower case is a synonym of something in a text.
fn is_called(text: &str, word: &str) -> bool {
    let mut meant = SYNONYMS.iter().filter(|(name, _)| word.starts_with(name));
    meant.any(|(_, meant)| text.contains(meant))
}

/// Takes a key of the line; false = it is the list's, or everybody's.
fn typed(field: &mut Field, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_other = match key.code {
        KeyCode::PageUp | KeyCode::PageDown => true,
        KeyCode::Char('n' | 'p' | 'c' | 'z' | 'l') => control,
        _ => false,
    };
    !is_other && field.key(key)
}

/// The keys of an action as they are shown, at most so many.
fn keys_of(row: &Row, most: usize) -> String {
    let keys: Vec<String> = row.keys.iter().take(most).map(keymap::pretty).collect();
    keys.join(", ")
}

/// The look of an action's title, and why it is not possible now.
fn standing(row: &Row, look: Look<'_>) -> (Style, String) {
    match row.enabled {
        Ok(()) => (look.theme.text, String::new()),
        Err(why) => {
            let why = format!("  {} {why}", look.symbols.separator);
            (look.theme.muted, why)
        }
    }
}
