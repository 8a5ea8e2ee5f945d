//! Chooses processes: each with its number of entries, switched with a key.

use std::collections::BTreeMap;

use crate::kit::prelude::*;

/// What a key meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Still choosing.
    Open,
    /// These processes; none = all.
    Taken(Vec<u32>),
    /// Nothing changes.
    Left,
}

/// The list of processes.
#[derive(Debug, Default)]
pub struct Chooser {
    /// Process, its entries if counted, whether it is chosen. Most entries first.
    pids: Vec<(u32, Option<u64>, bool)>,
    list: ListState,
    counted: bool,
}

impl Chooser {
    /// With the processes that are known already.
    pub fn new(known: &BTreeMap<u32, u64>, chosen: &[u32]) -> Self {
        let mut chooser = Self::default();
        chooser.fill(known.keys().map(|pid| (*pid, None)), chosen);
        chooser
    }

    /// The processes of the whole log.
    pub fn learn(&mut self, counts: &BTreeMap<u32, u64>) {
        let chosen: Vec<u32> = self.chosen();
        let at = self
            .list
            .selected()
            .and_then(|at| self.pids.get(at))
            .map(|p| p.0);
        self.counted = true;
        self.fill(counts.iter().map(|(pid, n)| (*pid, Some(*n))), &chosen);
        let at = self.pids.iter().position(|p| Some(p.0) == at);
        self.list.select(Some(at.unwrap_or(0)));
    }

    fn fill(&mut self, pids: impl Iterator<Item = (u32, Option<u64>)>, chosen: &[u32]) {
        self.pids = pids
            .map(|(pid, n)| (pid, n, chosen.contains(&pid)))
            .collect();
        let missing = chosen
            .iter()
            .filter(|c| self.pids.iter().all(|p| p.0 != **c));
        let missing: Vec<_> = missing.map(|pid| (*pid, None, true)).collect();
        self.pids.extend(missing);
        self.pids
            .sort_by_key(|(pid, n, _)| (std::cmp::Reverse(*n), *pid));
        self.list.select(Some(0));
    }

    fn chosen(&self) -> Vec<u32> {
        self.pids.iter().filter(|p| p.2).map(|p| p.0).collect()
    }

    /// Takes a key. Enter without anything switched takes the selected one alone.
    pub fn key(&mut self, key: KeyEvent) -> Choice {
        let len = self.pids.len();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            _ if self.list.key(key, len) => {}
            KeyCode::Char(' ') => {
                let at = self.list.selected().unwrap_or(0);
                if let Some(pid) = self.pids.get_mut(at) {
                    pid.2 = !pid.2;
                }
            }
            KeyCode::Char('a') if !control => return Choice::Taken(Vec::new()),
            KeyCode::Enter => {
                let mut chosen = self.chosen();
                if chosen.is_empty() {
                    let at = self.list.selected().unwrap_or(0);
                    chosen.extend(self.pids.get(at).map(|p| p.0));
                }
                return Choice::Taken(chosen);
            }
            KeyCode::Esc | KeyCode::Char('q') => return Choice::Left,
            KeyCode::Char('p' | 'c') if control => return Choice::Left,
            _ => {}
        }
        Choice::Open
    }

    /// Draws it over the list.
    pub fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let rows = u16::try_from(self.pids.len().clamp(1, 16)).unwrap_or(16);
        let right = if self.counted { "" } else { "counting…" };
        let inner = dialog(buf, area, (38, rows), "Processes", right, view);
        let pids = &self.pids;
        List::new(look(view), pids.len())
            .empty("No entry names a process.")
            .cells(buf, inner, &mut self.list, view, |at, cells| {
                if let Some((pid, entries, chosen)) = pids.get(at) {
                    let count = entries.map(|n| amount::count(n, "entry", "entries"));
                    cells
                        .remark(&count.unwrap_or_default())
                        .accent(if *chosen { "[x] " } else { "[ ] " })
                        .put(&pid.to_string(), super::view::pid_style(*pid, view));
                }
            });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(chooser: &mut Chooser, code: KeyCode) -> Choice {
        chooser.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn the_largest_is_first_and_what_is_switched_is_taken() {
        let mut chooser = Chooser::new(&BTreeMap::from([(7, 1)]), &[]);
        chooser.learn(&BTreeMap::from([(7, 3), (8, 30), (9, 10)]));
        // The cursor stays at the process where it was.
        assert_eq!(press(&mut chooser, KeyCode::Enter), Choice::Taken(vec![7]));
        press(&mut chooser, KeyCode::Up);
        press(&mut chooser, KeyCode::Char(' '));
        press(&mut chooser, KeyCode::Up);
        press(&mut chooser, KeyCode::Char(' '));
        assert_eq!(
            press(&mut chooser, KeyCode::Enter),
            Choice::Taken(vec![8, 9])
        );
        assert_eq!(
            press(&mut chooser, KeyCode::Char('a')),
            Choice::Taken(Vec::new())
        );
        assert_eq!(press(&mut chooser, KeyCode::Esc), Choice::Left);
    }
}
