//! Which row is which line: made again when anything they depend on changed, without moving what is looked at.

use std::collections::BinaryHeap;

use base::text::{ansi, sanitise::TAB_WIDTH};
use debugger::Output;

use super::{
    OutputPane, Printed, Row, RowInputs, RowTarget,
    line::{letter, near, room_of},
};
use crate::debug_prelude::*;

impl OutputPane {
    /// The sessions whose lines are shown: the one in focus, with all of its tree that printed something unless it is wanted alone.
    pub(super) fn whose<'a>(&self, state: &'a State) -> Vec<&'a Session> {
        let Some(focused) = state.focused() else {
            return Vec::new();
        };
        if self.alone {
            return vec![focused];
        }
        let root = state.root_of(focused.id);
        let is_shown = |s: &&Session| {
            s.id == focused.id || s.output.total_lines > 0 && state.root_of(s.id) == root
        };
        state.sessions.iter().filter(is_shown).collect()
    }

    /// Makes the rows again if anything they depend on changed.
    pub(super) fn sync(&mut self, state: &State) {
        let Some(focused) = state.focused() else {
            return;
        };
        let sessions = self.whose(state);
        let cells = self.width.saturating_sub(marks(&sessions)).max(1);
        let made = RowInputs {
            tree: if self.alone {
                focused.id
            } else {
                state.root_of(focused.id)
            },
            focused: focused.id,
            ended: focused.ended.is_some() || focused.exit_code.is_some(),
            printed: sessions.iter().map(|s| printed(s)).collect(),
            shown: self.shown,
            wrap: if self.wrap { cells } else { 0 },
        };
        if made == self.made {
            return;
        }
        if made.tree != self.made.tree {
            self.paused = false;
            self.list = ListState::default();
            self.rows.clear();
        }
        let place = |at: usize| self.rows.get(at).map(|row| row.place.clone());
        let kept = self.list.selected().and_then(place);
        let anchor = place(self.list.top());
        self.made = made;
        self.rebuild(&sessions);
        self.find_hits(state);
        if !self.paused {
            self.list.end(self.rows.len());
            return;
        }
        // What is selected, and what is at the top, stays there while lines drop out in front of it.
        if let Some(place) = kept {
            self.list.select(Some(self.row_of(&place)));
        }
        if let Some(top) = anchor.map(|place| self.row_of(&place)) {
            self.list
                .scroll_by(top as isize - self.list.top() as isize, self.rows.len());
        }
    }

    /// Where a row is now; the first one if it dropped out.
    pub(super) fn row_of(&self, place: &RowTarget) -> usize {
        let mut rows = self.rows.iter();
        rows.position(|row| row.place == *place).unwrap_or(0)
    }

    fn rebuild(&mut self, sessions: &[&Session]) {
        let (lines, older) = newest(sessions);
        self.rows.clear();
        self.letters.clear();
        self.begun = sessions.iter().map(|s| begun(&s.output)).sum();
        self.marks = marks(sessions);
        self.dropped = older + sessions.iter().map(|s| s.output.dropped_bytes).sum::<u64>();
        if self.dropped > 0 {
            self.rows.push(Row::of(RowTarget::Dropped));
        }
        // Colours may go on over a line's end.
        let mut styles = vec![ansi::Style::default(); sessions.len()];
        for (of, index) in lines {
            let Some((session, style)) = sessions.get(of).zip(styles.get_mut(of)) else {
                continue;
            };
            let Some(line) = session.output.lines().get(index) else {
                continue;
            };
            if self.shown.takes(&line.category) {
                self.letters.insert(letter(&line.category));
            }
            let start = *style;
            let row = |part| Row {
                place: RowTarget::Line {
                    session: session.id,
                    number: session.output.dropped_lines + index as u64,
                    part,
                },
                start,
            };
            let text = near(line);
            let is_styled = start != ansi::Style::default() || ansi::may_style(text);
            let shown = self.shown.takes(&line.category);
            if !is_styled && (!shown || self.made.wrap == 0) {
                self.rows.extend(shown.then(|| row(0)));
                continue;
            }
            let parsed = ansi::parse(text, start, TAB_WIDTH);
            *style = parsed.end;
            if !shown {
                continue;
            }
            let parts = match self.made.wrap {
                0 => 1,
                cells => wrap(&parsed.plain(), room_of(line, cells)).len().max(1),
            };
            self.rows.extend((0..parts).map(row));
        }
        if self.made.ended {
            self.rows.push(Row::of(RowTarget::End));
        }
    }
}

fn printed(session: &Session) -> Printed {
    let output = &session.output;
    (session.id, output.total_bytes, output.dropped_bytes)
}

/// Lines a session began.
fn begun(output: &Output) -> u64 {
    output.dropped_lines + output.lines().len() as u64
}

/// How many programs print in these sessions.
pub(super) fn programs(sessions: &[&Session]) -> usize {
    sessions.iter().filter(|s| !s.program_in_child).count()
}

/// Cells that say whose a line is; none where that is plain.
fn marks(sessions: &[&Session]) -> usize {
    let longest = sessions.iter().map(|s| s.id.0.to_string().len()).max();
    longest
        .filter(|_| programs(sessions) > 1)
        .map_or(0, |digits| digits + 1)
}

/// The newest lines of these sessions in the order they came, as many as are held of one alone: whose, and the how manieth that it holds.
/// And the bytes of all that are older.
fn newest(sessions: &[&Session]) -> (Vec<(usize, usize)>, u64) {
    if let [only] = sessions {
        let all = 0..only.output.lines().len();
        return (all.map(|index| (0, index)).collect(), 0);
    }
    let last = |of: usize, before: usize| {
        let index = before.checked_sub(1)?;
        let line = sessions.get(of)?.output.lines().get(index)?;
        Some((line.order, of, index))
    };
    let held = |of: usize| sessions.get(of).map_or(0, |s| s.output.lines().len());
    let mut heads: BinaryHeap<_> = (0..sessions.len())
        .filter_map(|of| last(of, held(of)))
        .collect();
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while let Some((_, of, index)) = heads.pop() {
        let line = sessions.get(of).and_then(|s| s.output.lines().get(index));
        let cost = line.map_or(0, debugger::OutputLine::cost);
        if bytes + cost > Output::DEFAULT_BOUND && !lines.is_empty() {
            break;
        }
        bytes += cost;
        lines.push((of, index));
        heads.extend(last(of, index));
    }
    lines.reverse();
    let all: usize = sessions.iter().map(|s| s.output.bytes()).sum();
    (lines, all.saturating_sub(bytes) as u64)
}
