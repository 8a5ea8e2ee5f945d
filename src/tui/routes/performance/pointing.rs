//! What is chosen from lists: a thread, the form of a file, a piece of the time.

use diagnostics::profile::{
    ThreadId,
    export::{Format, thread_name},
    words,
};

use super::ProfileDesk;
use crate::prelude::*;

impl ProfileDesk {
    /// Something to choose; what follows is done by this desk.
    fn choice(
        &self,
        name: String,
        about: String,
        then: impl Fn(&mut Self, &Cx) + Clone + Send + 'static,
    ) -> Choice {
        let work = self.works.choose;
        Choice::new(name, about, move || {
            vec![Effect::on::<Self>(work, then.clone())]
        })
    }

    /// Asks in which form it is to be written.
    pub(super) fn choose_format(&mut self, cx: &Cx) {
        let formats = Format::ALL.into_iter().map(|format| {
            let (name, about) = (format.name().to_owned(), format.about().to_owned());
            self.choice(name, about, move |s, cx| s.ask_where(format, cx))
        });
        cx.open(chooser::of("Write as", formats.collect()));
    }

    /// Asks for a thread, or all of them.
    pub(super) fn choose_thread(&mut self, cx: &Cx) {
        let Some(shown) = &self.shown else { return };
        let profile = &shown.profile;
        let choice = |name: String, about: String, thread: Option<ThreadId>| {
            self.choice(name, about, move |s, cx| {
                s.options.thread = thread;
                s.rebuild(cx);
            })
        };
        let threads = (0..).map(ThreadId);
        let weights = shown.debuggers.iter().zip(&shown.threads);
        let counted = weights.clone();
        let counted = counted.filter(|(is_debuggers, _)| self.options.debuggers || !**is_debuggers);
        let total = counted.fold(0_u64, |sum, (_, w)| sum.saturating_add(*w));
        let all = words::weight(total, profile.unit);
        let mut choices = vec![choice("all threads".to_owned(), all, None)];
        choices.extend(threads.zip(weights).map(|(id, (is_debuggers, weight))| {
            let name = match thread_name(profile, id) {
                name if name.is_empty() => format!("thread {}", id.0 + 1),
                name => name,
            };
            let owner = if *is_debuggers {
                "the debugger's, "
            } else {
                ""
            };
            let weight = words::weight(*weight, profile.unit);
            choice(name, format!("{owner}{weight}"), Some(id))
        }));
        cx.open(chooser::of("Which thread", choices));
    }

    /// Shows the tenth of the time around a column of the strip; there once more, all of it again.
    pub(super) fn around_time(&mut self, column: u16, cells: u16, cx: &Cx) {
        let Some(timeline) = self.timeline() else {
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
