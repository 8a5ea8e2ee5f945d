//! Text <-> keys: how keys are written, how what a terminal delivers is brought to one form, and which row a key means.
//!
//! Also the user's own bindings. Reading the file they stand in is `config.rs`' business, carrying rows out is the app's.

use std::{collections::BTreeMap, fmt, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Keys, Row, Section};

/// One key press in the one form in which keys are compared:
/// letters carry their case in the character and no SHIFT, except together with Ctrl, where the letter is lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// Why a key cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing there.
    #[error("the key is empty: write something like \"f10\", \"ctrl-p\" or \"g g\"")]
    Empty,
    /// No such key.
    #[error(
        "there is no key {0:?}: write a character, f1 to f12, or one of enter, esc, tab, space, backspace, delete, insert, up, down, left, right, home, end, pageup, pagedown"
    )]
    Unknown(String),
    /// No such modifier.
    #[error("there is no modifier {modifier:?} in {chord:?}: use ctrl, alt or shift")]
    Modifier {
        /// What stands there.
        modifier: String,
        chord: String,
    },
}

const NAMED: [(&str, KeyCode); 20] = [
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pgup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("pgdn", KeyCode::PageDown),
];

impl Chord {
    /// What a terminal delivered; `None` for keys that cannot be written in our notation (lone modifiers, media keys).
    pub fn of(event: KeyEvent) -> Option<Self> {
        if event
            .modifiers
            .intersects(KeyModifiers::SUPER | KeyModifiers::HYPER)
        {
            return None;
        }
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        if event.modifiers.contains(KeyModifiers::META) {
            modifiers |= KeyModifiers::ALT;
        }
        Self::normal(event.code, modifiers)
    }

    fn normal(code: KeyCode, mut modifiers: KeyModifiers) -> Option<Self> {
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                // With Ctrl, terminals disagree about the case of the letter: SHIFT alone tells.
                if c.is_uppercase() {
                    modifiers |= KeyModifiers::SHIFT;
                }
                KeyCode::Char(single(c.to_lowercase()).unwrap_or(c))
            }
            KeyCode::Char(c) => {
                let c = if modifiers.contains(KeyModifiers::SHIFT) {
                    single(c.to_uppercase()).unwrap_or(c)
                } else {
                    c
                };
                // Which key makes a `?` is the keyboard's business: the character says it all. Space says nothing.
                if c != ' ' {
                    modifiers -= KeyModifiers::SHIFT;
                }
                KeyCode::Char(c)
            }
            // Terminals of xterm's family without modifier parameters count on: shift-F1 is F13, ctrl-F1 is F25,
            // ctrl-shift-F1 is F37.
            KeyCode::F(n @ 13..=48) => {
                modifiers |= match (n - 1) / 12 {
                    1 => KeyModifiers::SHIFT,
                    2 => KeyModifiers::CONTROL,
                    _ => KeyModifiers::CONTROL | KeyModifiers::SHIFT,
                };
                KeyCode::F((n - 1) % 12 + 1)
            }
            KeyCode::F(1..=12)
            | KeyCode::Enter
            | KeyCode::Esc
            | KeyCode::Tab
            | KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Insert
            | KeyCode::Up
            | KeyCode::Down
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Home
            | KeyCode::End
            | KeyCode::PageUp
            | KeyCode::PageDown => code,
            _ => return None,
        };
        Some(Self { code, modifiers })
    }

    fn parse(text: &str) -> Result<Self, KeyError> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        // A lone `-`, and the `-` of `ctrl--`, is the key itself.
        while let Some((modifier, key)) = rest
            .split_once('-')
            .filter(|(m, k)| !m.is_empty() && !k.is_empty())
        {
            modifiers |= match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "c" => KeyModifiers::CONTROL,
                "alt" | "meta" | "a" => KeyModifiers::ALT,
                "shift" | "s" => KeyModifiers::SHIFT,
                _ => {
                    return Err(KeyError::Modifier {
                        modifier: modifier.to_owned(),
                        chord: text.to_owned(),
                    });
                }
            };
            rest = key;
        }
        let code = match single(rest.chars()) {
            Some(c) => KeyCode::Char(c),
            None => named(rest).ok_or_else(|| KeyError::Unknown(text.to_owned()))?,
        };
        Self::normal(code, modifiers).ok_or_else(|| KeyError::Unknown(text.to_owned()))
    }

    /// Whether this is Esc alone, which closes and cancels everywhere.
    pub fn is_escape(self) -> bool {
        self.code == KeyCode::Esc && self.modifiers.is_empty()
    }
}

fn named(text: &str) -> Option<KeyCode> {
    let text = text.to_ascii_lowercase();
    if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == text) {
        return Some(*code);
    }
    let n: u8 = text.strip_prefix('f')?.parse().ok()?;
    (1..=12).contains(&n).then_some(KeyCode::F(n))
}

/// The only one of them; letters may be several in another case.
fn single(mut all: impl Iterator<Item = char>) -> Option<char> {
    let first = all.next();
    first.filter(|_| all.next().is_none())
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, name) in [
            (KeyModifiers::CONTROL, "ctrl-"),
            (KeyModifiers::ALT, "alt-"),
            (KeyModifiers::SHIFT, "shift-"),
        ] {
            if self.modifiers.contains(flag) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::F(n) => write!(f, "f{n}"),
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            code => f.write_str(
                NAMED
                    .iter()
                    .find(|(_, named)| *named == code)
                    .map_or("?", |(name, _)| name),
            ),
        }
    }
}

/// Keys in the notation of the tables (`f10`, `shift-f11`, `ctrl-p`, `g g`), one or several in a row.
pub fn parse(text: &str) -> Result<Vec<Chord>, KeyError> {
    let chords: Vec<Chord> = text
        .split_whitespace()
        .map(Chord::parse)
        .collect::<Result<_, _>>()?;
    if chords.is_empty() {
        return Err(KeyError::Empty);
    }
    Ok(chords)
}

/// The notation of `chords`.
pub fn write(chords: &[Chord]) -> String {
    chords
        .iter()
        .map(Chord::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A key as people see it on their keyboard: `F10`, `Shift-F11`, `Ctrl-P`, `n`, `g g`, `Enter`.
pub fn pretty(text: &str) -> String {
    text.split_whitespace()
        .map(|chord| {
            let (modifiers, key) = match chord.rsplit_once('-') {
                Some((modifiers, key)) if !key.is_empty() && !modifiers.is_empty() => {
                    (Some(modifiers), key)
                }
                _ => (None, chord),
            };
            let mut out = String::new();
            for modifier in modifiers.iter().flat_map(|m| m.split('-')) {
                out.push_str(&capital(modifier));
                out.push('-');
            }
            if modifiers.is_some() || key.chars().count() > 1 {
                out.push_str(&match key {
                    "pageup" => "PgUp".to_owned(),
                    "pagedown" => "PgDn".to_owned(),
                    _ => capital(key),
                });
            } else {
                out.push_str(key);
            }
            out
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether keys are one of those that move a cursor, alone or with Ctrl, Alt or Shift.
pub fn moves(text: &str) -> bool {
    use KeyCode::{Down, End, Home, Left, PageDown, PageUp, Right, Up};
    let moving = [Up, Down, Left, Right, Home, End, PageUp, PageDown];
    matches!(parse(text).as_deref(), Ok([key]) if moving.contains(&key.code))
}

/// A word with a large first letter.
pub fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// What a row of keys pressed so far means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    Action(&'static str),
    /// The beginning of one or several.
    Prefix,
    /// Nothing.
    Nothing,
}

/// Which of `rows` is meant by `pressed`. Rows come most particular first, and the first that answers to it wins.
pub fn find(rows: &[Row], pressed: &[Chord]) -> KeyMatch {
    for row in rows {
        let mut begins = false;
        for keys in row.keys.iter().filter_map(|k| parse(k).ok()) {
            if keys == pressed {
                return KeyMatch::Action(row.id);
            }
            begins |= keys.starts_with(pressed);
        }
        if begins {
            return KeyMatch::Prefix;
        }
    }
    KeyMatch::Nothing
}

/// What could come after `pressed`: the rest of the keys, and the row.
pub fn continuations<'r>(rows: &'r [Row], pressed: &[Chord]) -> Vec<(String, &'r Row)> {
    let mut out: Vec<(String, &Row)> = Vec::new();
    for row in rows {
        for keys in row.keys.iter().filter_map(|k| parse(k).ok()) {
            if let Some(rest) = keys.strip_prefix(pressed).filter(|r| !r.is_empty()) {
                let rest = write(rest);
                if out.iter().all(|(shown, _)| *shown != rest) {
                    out.push((rest, row));
                }
            }
        }
    }
    out
}

/// One binding of the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The action's id.
    pub id: String,
    /// Its keys instead of the table's; empty unbinds it.
    pub keys: Vec<String>,
    /// 1-based line in the file, for sentences.
    pub line: usize,
}

/// The user's bindings, checked.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    user: BTreeMap<String, Arc<[String]>>,
}

impl Keymap {
    /// Takes the bindings that make sense against all tables there are, and says of each other one why not:
    /// `(line, sentence)`.
    pub fn new(bindings: &[Binding], sections: &[Section]) -> (Self, Vec<(usize, String)>) {
        let mut keymap = Self::default();
        let mut troubles = Vec::new();
        for binding in bindings {
            match keymap.accept(binding, sections) {
                Ok(keys) => {
                    keymap.user.insert(binding.id.clone(), keys);
                }
                Err(sentence) => troubles.push((binding.line, sentence)),
            }
        }
        // Only now are all bindings known: two may have changed places.
        for section in sections {
            for (first, second, keys) in clashes(&keymap.applied(section.rows.clone())) {
                let culprit = bindings
                    .iter()
                    .rev()
                    .find(|b| keymap.user.contains_key(&b.id) && (b.id == second || b.id == first));
                if let Some(culprit) = culprit {
                    let other = if culprit.id == first { second } else { first };
                    troubles.push((
                        culprit.line,
                        format!(
                            "{:?} cannot have {keys:?}: {other:?} answers to it already; give one of them another key",
                            culprit.id
                        ),
                    ));
                    keymap.user.remove(&culprit.id);
                }
            }
        }
        (keymap, troubles)
    }

    fn accept(&self, binding: &Binding, sections: &[Section]) -> Result<Arc<[String]>, String> {
        let known = || sections.iter().flat_map(|s| s.rows.iter()).map(|r| r.id);
        if !known().any(|id| id == binding.id) {
            let near = known()
                .map(|id| (strsim::levenshtein(id, &binding.id), id))
                .min()
                .filter(|(d, _)| *d <= 4)
                .map_or_else(
                    || "the palette (`:`) shows all ids".to_owned(),
                    |(_, id)| format!("did you mean {id:?}?"),
                );
            return Err(format!("there is no action {:?}; {near}", binding.id));
        }
        if self.user.contains_key(&binding.id) {
            return Err(format!(
                "{:?} is bound twice; keep one of the lines",
                binding.id
            ));
        }
        binding
            .keys
            .iter()
            .map(|k| parse(k).map(|chords| write(&chords)))
            .collect::<Result<Vec<_>, _>>()
            .map(Arc::from)
            .map_err(|e| e.to_string())
    }

    /// Puts the user's keys into the rows.
    #[must_use]
    pub fn applied(&self, mut rows: Vec<Row>) -> Vec<Row> {
        if !self.user.is_empty() {
            for row in &mut rows {
                if let Some(keys) = self.user.get(row.id) {
                    row.keys = Keys::User(Arc::clone(keys));
                }
            }
        }
        rows
    }
}

/// Pairs of actions of one table that answer to the same keys, or where one's keys begin the other's.
pub fn clashes(rows: &[Row]) -> Vec<(&'static str, &'static str, String)> {
    let all: Vec<(&'static str, Vec<Chord>)> = rows
        .iter()
        .flat_map(|r| {
            r.keys
                .iter()
                .filter_map(|k| parse(k).ok())
                .map(|c| (r.id, c))
        })
        .collect();
    let mut out = Vec::new();
    for (i, (id, keys)) in all.iter().enumerate() {
        for (other, theirs) in all.iter().skip(i + 1) {
            if id != other && (keys.starts_with(theirs) || theirs.starts_with(keys)) {
                out.push((*id, *other, write(keys)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
