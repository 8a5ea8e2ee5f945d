//! Chooses which kinds of events are shown: each with its number, switched with a key.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::prelude::*;

/// What a key meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Still choosing.
    Open,
    /// These kinds are not shown.
    Hidden(BTreeSet<String>),
    /// Nothing changes.
    Left,
}

/// The list of kinds.
#[derive(Debug, Default)]
pub struct Kinds {
    /// Kind, its frames, whether it is shown. Most frames first.
    kinds: Vec<(String, usize, bool)>,
    list: ListState,
}

impl Kinds {
    /// With the kinds that are there, of which some are hidden.
    pub fn new(counts: BTreeMap<String, usize>, hidden: &BTreeSet<String>) -> Self {
        let gone = hidden.iter().filter(|kind| !counts.contains_key(*kind));
        let gone: Vec<_> = gone.map(|kind| (kind.clone(), 0, false)).collect();
        let mut kinds: Vec<_> = counts
            .into_iter()
            .map(|(kind, count)| {
                let shown = !hidden.contains(&kind);
                (kind, count, shown)
            })
            .chain(gone)
            .collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut list = ListState::default();
        list.home(kinds.len());
        Self { kinds, list }
    }

    fn hidden(&self) -> BTreeSet<String> {
        let hidden = self.kinds.iter().filter(|(_, _, shown)| !shown);
        hidden.map(|(kind, ..)| kind.clone()).collect()
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Choice {
        let len = self.kinds.len();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let at = self.list.selected().unwrap_or(0);
        match key.code {
            _ if self.list.key(key, len) => {}
            KeyCode::Char(' ') => {
                if let Some(kind) = self.kinds.get_mut(at) {
                    kind.2 = !kind.2;
                }
            }
            // This one alone; again, all.
            KeyCode::Char('o') => {
                let alone = self.kinds.iter().enumerate().all(|(i, k)| k.2 == (i == at));
                for (index, kind) in self.kinds.iter_mut().enumerate() {
                    kind.2 = alone || index == at;
                }
            }
            KeyCode::Char('a') if !control => return Choice::Hidden(BTreeSet::new()),
            KeyCode::Enter => return Choice::Hidden(self.hidden()),
            KeyCode::Esc | KeyCode::Char('q' | 'f') => return Choice::Left,
            KeyCode::Char('c') if control => return Choice::Left,
            _ => {}
        }
        Choice::Open
    }

    /// Draws it over the frames.
    pub fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let rows = u16::try_from(self.kinds.len().clamp(1, 16)).unwrap_or(16);
        let inner = dialog(buf, area, (52, rows), "Kinds of events", "", view);
        let kinds = &self.kinds;
        List::new(look(view), kinds.len())
            .empty("There is no frame.")
            .cells(buf, inner, &mut self.list, view, |at, cells| {
                if let Some((kind, count, shown)) = kinds.get(at) {
                    cells
                        .remark(&thousands(*count as u64))
                        .accent(if *shown { "[x] " } else { "[ ] " })
                        .text(kind);
                }
            });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(kinds: &mut Kinds, code: KeyCode) -> Choice {
        kinds.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn kinds_are_switched_and_one_can_stand_alone() {
        let counts = BTreeMap::from([("ping".to_owned(), 9), ("delta".to_owned(), 30)]);
        let of = |kinds: &[&str]| kinds.iter().map(|k| (*k).to_owned()).collect();
        let mut kinds = Kinds::new(counts, &BTreeSet::new());
        press(&mut kinds, KeyCode::Down);
        press(&mut kinds, KeyCode::Char(' '));
        assert_eq!(
            press(&mut kinds, KeyCode::Enter),
            Choice::Hidden(of(&["ping"]))
        );
        press(&mut kinds, KeyCode::Char('o'));
        assert_eq!(
            press(&mut kinds, KeyCode::Enter),
            Choice::Hidden(of(&["delta"]))
        );
        press(&mut kinds, KeyCode::Char('o'));
        assert_eq!(press(&mut kinds, KeyCode::Enter), Choice::Hidden(of(&[])));
        assert_eq!(press(&mut kinds, KeyCode::Esc), Choice::Left);
    }
}
