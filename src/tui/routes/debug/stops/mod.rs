//! The stops of the session so far: where, why, and which locals changed on the way; one of them can be looked back at.
//!
//! What is kept is the core's, what is shown meanwhile is the app's ([`Effect::Look`]); here is the list and the way through it.
//! The list is asked for only while the pane is in sight, or when a key goes to another stop.

mod view;

use debugger::history::{Difference, PastStop, Stops};

use crate::debug_prelude::*;

/// The pane.
#[derive(Debug, Default)]
pub struct StopsPane {
    session: Option<SessionId>,
    table: Stops,
    list: ListState,
    in_sight: bool,
    /// The list may be another by now.
    is_old: bool,
    /// The question under way.
    asked: PendingAnswer,
    /// Go so many stops on when the list is here.
    wanted: Option<i64>,
    /// The stop that was shown when the selection last followed it.
    followed: Option<u64>,
}

/// Where it was: `demo.py:31 checkout`.
pub fn place(stop: &PastStop) -> String {
    let function = stop.function.as_deref().unwrap_or("not recorded");
    match (&stop.file, stop.line) {
        (Some(file), Some(line)) => {
            format!("{}:{line} {function}", last_part(file))
        }
        _ => function.to_owned(),
    }
}

impl StopsPane {
    /// Lets it know whether it is in sight: only then the list is kept up to date.
    pub fn attend(&mut self, in_sight: bool, cx: &Cx) {
        let session = cx.view.state.focus;
        let recorded = |id| cx.view.state.session(id).is_some_and(|s| s.recorded);
        if session != self.session && self.is_tree() && session.is_some_and(recorded) {
            // The stops of a recording are those of all its sessions.
            (self.session, self.is_old) = (session, true);
        } else if session != self.session {
            *self = Self {
                session,
                is_old: true,
                ..Self::default()
            };
        }
        self.in_sight = in_sight;
        if self.is_old && in_sight {
            self.ask(cx);
        }
        self.follow(&cx.view);
    }

    /// Whether the list has stops of several sessions.
    fn is_tree(&self) -> bool {
        self.table.stops.iter().any(|stop| stop.session.is_some())
    }

    fn ask(&mut self, cx: &Cx) {
        // What happens while an answer is on its way is asked for behind it.
        if self.asked.is_open() || self.session.is_none() {
            return;
        }
        self.is_old = false;
        let session = self.session;
        self.asked.ask((), Command::Stops { session }, cx);
    }

    /// Looks at another stop, `by` stops later (or earlier) than the one that is shown.
    pub fn step(&mut self, by: i64, cx: &Cx) {
        self.session = cx.view.state.focus;
        self.wanted = Some(self.wanted.unwrap_or(0).saturating_add(by));
        self.ask(cx);
    }

    fn answered(&mut self, result: &CoreAnswer, cx: &Cx) {
        let Ok(Reply::Stops { stops }) = result else {
            self.wanted = None;
            return;
        };
        self.table = (**stops).clone();
        self.follow(&cx.view);
        cx.redraw();
        if let Some(by) = self.wanted.take() {
            self.go(by, cx);
        }
        if self.is_old && self.in_sight {
            self.ask(cx);
        }
    }

    fn go(&self, by: i64, cx: &Cx) {
        let shown = shown(&cx.view).or_else(|| {
            // While the program runs its last stop is one of the past.
            let behind = u64::from(!self.table.stands);
            let none = self.is_tree().then_some(0);
            self.table.here.or(none).map(|here| here + behind)
        });
        let (first, last) = (self.table.stops.first(), self.table.stops.last());
        let (Some(shown), Some(first), Some(last)) = (shown, first, last) else {
            return cx.info("The program has not stopped yet.");
        };
        let wanted = shown.saturating_add_signed(by);
        if wanted < first.number {
            let text = match self.table.let_go {
                0 => "This is the first stop.".to_owned(),
                count => format!("The {count} stops before this one are no longer kept."),
            };
            cx.info(text);
        }
        self.look(wanted.clamp(first.number, last.number), cx);
    }

    fn look(&self, number: u64, cx: &Cx) {
        let is_present = self.table.stands && self.table.here == Some(number);
        let whose = self.table.stops.iter().find(|stop| stop.number == number);
        let session = whose.and_then(|stop| stop.session).or(self.session);
        let past = session.map(|session| (session, number));
        cx.emit(Effect::Look(past.filter(|_| !is_present)));
    }

    /// The selection goes with the stop that is shown, unless that is the same as before.
    fn follow(&mut self, view: &View) {
        let shown = shown(view).or(self.table.here);
        let at = self
            .table
            .stops
            .iter()
            .position(|s| Some(s.number) == shown);
        if at.is_some() && (shown != self.followed || self.list.selected().is_none()) {
            self.followed = shown;
            self.list.select(at);
        }
    }

    fn selected(&self) -> Option<&PastStop> {
        self.table.stops.get(self.list.selected()?)
    }

    fn choose(&mut self, cx: &Cx) {
        if let Some(number) = self.selected().map(|stop| stop.number) {
            self.look(number, cx);
        }
    }

    fn copy(&mut self, cx: &Cx) {
        let Some(stop) = self.selected() else { return };
        let whose = stop
            .session
            .map_or_else(String::new, |session| format!(" in {session}"));
        let mut lines = vec![format!(
            "stop {}{whose}: {} {}",
            stop.number,
            sanitise(&stop.reason),
            sanitise(&place(stop))
        )];
        if matches!(stop.difference, Difference::Locals { .. }) {
            lines.extend(view::changes_of(stop).iter().map(|c| clean(c)));
        }
        cx.copy(lines.join("\n"), format!("stop {}", stop.number));
    }
}

/// The stop of the past that is shown.
fn shown(view: &View) -> Option<u64> {
    stop_of(view)?.past.map(|past| past.number)
}

/// Whether the list of stops is another after this.
fn matters(event: &Event, session: Option<SessionId>, is_tree: bool) -> bool {
    match &event.kind {
        EventKind::Session {
            session: of,
            change,
        } if Some(*of) == session || is_tree => matches!(
            change,
            Change::Stopped { .. }
                | Change::Frame { .. }
                | Change::Stack { .. }
                | Change::Exception { .. }
                | Change::Phase { .. }
                | Change::Ended { .. }
        ),
        EventKind::Focus { .. } => true,
        _ => false,
    }
}

impl Scrolls for StopsPane {
    fn can_walk(&self, _: &View) -> Enabled {
        self.selected().or_why("The program has not stopped yet.")
    }

    moves!(list, table.stops.len());

    fn clicked(&mut self, again: bool, cx: &Cx) {
        if again {
            self.choose(cx);
        }
    }
}

impl Surface for StopsPane {
    table! { "Stops";
        "stops.look"      "look back at it"   ["enter"], Footer if Self::can_walk => Self::choose;
        "stops.copy"      "copy what changed" ["y"], Footer     if Self::can_walk => Self::copy;
        list "stops" "stop before" "stop after" "first stop" "last stop";
    }

    draws!();

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some(((), result)) = self.asked.answer(msg) {
            self.answered(result, cx);
        }
        if let Msg::Events(events) = msg {
            let is_tree = self.is_tree();
            let matters = |event| matters(event, self.session, is_tree);
            self.is_old |= events.iter().any(matters);
        }
    }

    rolls!();
}

#[cfg(test)]
mod tests;
