//! What is chosen from lists, and what the mouse does to a profile's views.

use diagnostics::profile::{
    ThreadId,
    export::{Format, thread_name},
    words,
};

use super::{
    ProfileDesk,
    model::{Choosing, Side},
};
use crate::kit::prelude::*;

impl ProfileDesk {
    /// Opens a list to choose from.
    pub(super) fn choose(&mut self, what: Choosing) {
        self.choosing = Some((what, Picker::default()));
        self.narrow();
    }

    /// What is chosen from, as it is typed.
    pub(super) fn choices(&self, what: Choosing) -> Vec<(String, String)> {
        match what {
            Choosing::Format => Format::ALL
                .into_iter()
                .map(|format| (format.name().to_owned(), format.about().to_owned()))
                .collect(),
            Choosing::Thread => {
                let Some(shown) = &self.shown else {
                    return Vec::new();
                };
                let profile = &shown.profile;
                let with_debuggers = self.options.debuggers;
                let total = shown
                    .debuggers
                    .iter()
                    .zip(&shown.threads)
                    .filter(|(is_debuggers, _)| with_debuggers || !**is_debuggers)
                    .fold(0_u64, |sum, (_, w)| sum.saturating_add(*w));
                let all = words::weight(total, profile.unit);
                let mut choices = vec![("all threads".to_owned(), all)];
                let owners = shown.threads.iter().zip(&shown.debuggers);
                for (id, (weight, is_debuggers)) in (0..).map(ThreadId).zip(owners) {
                    let name = thread_name(profile, id);
                    let name = if name.is_empty() {
                        format!("thread {}", id.0 + 1)
                    } else {
                        name
                    };
                    let owner = if *is_debuggers {
                        "the debugger's, "
                    } else {
                        ""
                    };
                    let weight = words::weight(*weight, profile.unit);
                    choices.push((name, format!("{owner}{weight}")));
                }
                choices
            }
        }
    }

    pub(super) fn narrow(&mut self) {
        let Some((what, mut picker)) = self.choosing.take() else {
            return;
        };
        let choices = self.choices(what);
        picker.narrow(choices.iter().map(|(name, _)| name.as_str()));
        self.choosing = Some((what, picker));
    }

    pub(super) fn choose_key(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let Some((_, picker)) = &mut self.choosing else {
            return false;
        };
        match key.code {
            KeyCode::Enter => self.take_choice(cx),
            _ if picker.moved(key) => {}
            _ if picker.key(key) => self.narrow(),
            _ => return false,
        }
        true
    }

    fn take_choice(&mut self, cx: &mut Cx<'_>) {
        let chosen = self.choosing.take();
        let Some((what, at)) = chosen.and_then(|(what, picker)| Some((what, picker.selected()?)))
        else {
            return;
        };
        match what {
            Choosing::Thread => {
                let thread = at.checked_sub(1).and_then(|at| u32::try_from(at).ok());
                self.options.thread = thread.map(ThreadId);
                self.rebuild(cx);
            }
            Choosing::Format => {
                if let Some(format) = Format::ALL.get(at) {
                    self.ask_where(*format, cx);
                }
            }
        }
    }

    pub(super) fn pointer(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if let Some((_, picker)) = &mut self.choosing {
            if picker.mouse(event, cx) == Some(true) {
                self.take_choice(cx);
            }
            return true;
        }
        if let Some(at) = tabs::clicked(&self.tabs, &event) {
            self.go(Side::ALL.get(at).copied().unwrap_or_default());
            return true;
        }
        self.pointed(event, cx)
    }

    /// Shows the tenth of the time around a column of the strip; there once more, all of it again.
    pub(super) fn around_time(&mut self, column: u16, cells: u16, cx: &mut Cx<'_>) {
        let Some(timeline) = self
            .shown
            .as_ref()
            .and_then(|shown| shown.timeline.as_ref())
        else {
            return;
        };
        let (column, cells) = (usize::from(column), usize::from(cells));
        let half = (cells / 20).max(1);
        let from = timeline.time_of(column.saturating_sub(half), cells);
        let to = timeline.time_of((column + half + 1).min(cells), cells);
        let between = Some((from, to.max(from + 1)));
        self.options.between = if self.options.between == between {
            None
        } else {
            between
        };
        self.rebuild(cx);
    }
}
