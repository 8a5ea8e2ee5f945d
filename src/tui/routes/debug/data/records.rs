//! What breakpoints and logpoints recorded, as a table that grows, and the stack of each of its rows.

use super::{DataView, Memory, Shows};
use crate::debug_prelude::*;

impl DataView {
    pub(super) fn of_records(memory: Memory, view: &View) -> Self {
        Self {
            records: true,
            asks: false,
            ..Self::new("records", memory, view)
        }
    }

    /// More was recorded: what is seen is asked anew, once what is asked has been answered.
    pub(super) fn refresh(&mut self, cx: &Cx) {
        self.is_old = !self.asked.is_empty();
        if self.is_old {
            return;
        }
        let known = self
            .way
            .and_then(|way| Some((way, self.last.get(&way)?.clone())));
        let ask = known.map(|(way, query)| self.ask(way, query));
        cx.extend(ask.or_else(|| self.first()));
    }

    /// The stack of a record, or what was to be agreed to.
    pub(super) fn enter(&mut self, cx: &Cx) {
        if self.asks {
            self.asks = false;
            let session = self.session;
            self.memory.agreed.extend(session);
            cx.emit(Effect::on("data.agree", move |memory: &mut Memory, _| {
                memory.agreed.extend(session);
            }));
            cx.extend(self.first());
            return cx.redraw();
        }
        let stack = self.seen().and_then(Shows::stack).unwrap_or_default();
        let choices = stack.into_iter().map(|place| {
            let at = place
                .file
                .as_ref()
                .map(|file| format!("{file}:{}", place.line));
            let then = move || {
                let file = place.file.as_deref().map(Path::new);
                let show = file.map(|file| Effect::show_file(file, Some(place.line)));
                std::iter::once(Effect::Close).chain(show).collect()
            };
            Choice::new(place.function.clone(), at.unwrap_or_default(), then)
        });
        cx.open(chooser::of("Stack", choices.collect()));
    }
}
