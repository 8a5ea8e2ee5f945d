//! The debug workspace: source, stack, scopes, watches, breakpoints, output and prompt around the focused session.
//!
//! The route owns the panes, places them ([`layout`]), gives one the keyboard and passes every message to all. Its own rows
//! ([`actions`]) are what one does to a program wherever the cursor is: run, step, stop. What a pane shows is the pane's.

mod actions;
pub mod audit;
pub mod breakpoints;
pub mod data;
pub mod declared;
pub mod disassembly;
pub mod header;
pub mod inline;
pub mod kit;
pub mod layout;
pub mod memory;
pub mod output;
pub mod participants;
pub mod popups;
pub mod prelude;
pub mod problems;
pub mod protocol;
pub mod repl;
pub mod scopes;
pub mod session_row;
pub mod source;
pub mod stack;
pub mod starting;
pub mod stops;
pub mod terminal;
pub mod variables;
pub mod watches;

#[cfg(test)]
mod tests;

use debugger::{configurations::ConfigurationQuery, runners::discover::Runnable};

use self::{
    audit::AuditPane,
    breakpoints::BreakpointsPane,
    disassembly::DisassemblyPane,
    layout::{Class, Divider, Layout, Placed},
    memory::MemoryPane,
    output::OutputPane,
    protocol::ProtocolPane,
    repl::ReplPane,
    scopes::ScopesPane,
    source::SourcePane,
    stack::StackPane,
    stops::StopsPane,
    terminal::TerminalPane,
    watches::WatchesPane,
};
use crate::{
    action::msg::Waker,
    action::{Layer, Section},
    debug_prelude::*,
};

/// What the layout is remembered as.
const MEMORY: &str = "layout";

/// The panes: the field that holds each, its type, and what the layout calls it.
macro_rules! panes {
    ($($field:ident: $type:ident = $pane:ident,)*) => {
        /// The debug workspace.
        #[derive(Default)]
        pub struct DebugRoute {
            $($field: $type,)*
            /// Whether the project has debug configurations, once that is known.
            configured: Option<bool>,
            /// Something was to be started before it was.
            wants_start: bool,
            /// The session whose terminal was brought to the front.
            revealed: Option<SessionId>,
            layout: Layout,
            /// Whether the layout of last time was taken over; what is remembered later comes from ourselves.
            restored: bool,
            /// Who else made the program stand where it does.
            moved: Option<participants::LastMove>,
            seen: LastFrame,
            /// The test that is started when what lives has ended.
            next_test: Option<Runnable>,
            /// What views of values have in common.
            data: data::Memory,
        }

        /// The tables of the workspace and its panes.
        pub fn sections() -> Vec<Section> {
            vec![Section::of::<DebugRoute>(), $(Section::of::<$type>(),)* Section::of::<data::DataView>()]
        }

        impl DebugRoute {
            fn pane(&self, pane: Pane) -> &dyn Layer {
                match pane {
                    $(Pane::$pane => &self.$field,)*
                }
            }

            fn pane_mut(&mut self, pane: Pane) -> &mut dyn Layer {
                match pane {
                    $(Pane::$pane => &mut self.$field,)*
                }
            }
        }
    };
}

panes! {
    source: SourcePane = Source,
    stack: StackPane = Stack,
    scopes: ScopesPane = Scopes,
    watches: WatchesPane = Watches,
    breakpoints: BreakpointsPane = Breakpoints,
    output: OutputPane = Output,
    repl: ReplPane = Repl,
    terminal: TerminalPane = Terminal,
    disassembly: DisassemblyPane = Disassembly,
    memory: MemoryPane = Memory,
    stops: StopsPane = Stops,
    protocol: ProtocolPane = Protocol,
    audit: AuditPane = Audit,
}

/// What the last frame taught.
#[derive(Debug, Default)]
struct LastFrame {
    area: Rect,
    placed: Placed,
    tabs: Vec<(Rect, Pane)>,
    drag: Option<Divider>,
}

impl DebugRoute {
    /// A workspace whose background work asks for frames through `waker`.
    pub fn new(waker: Waker) -> Self {
        Self {
            source: SourcePane::new(waker.clone()),
            terminal: TerminalPane::new(waker),
            ..Self::default()
        }
    }

    /// Lets the panes that ask for what is in sight alone know whether they are.
    fn attend(&mut self, cx: &Cx) {
        let placed = self.layout.place(self.seen.area).panes;
        let place = |pane| Some(placed.iter().find(|(p, _)| *p == pane)?.1);
        self.disassembly
            .attend(place(Pane::Disassembly).is_some(), cx);
        let source = &self.source;
        self.disassembly
            .learn(|path, line| source.line_of(path, line));
        self.memory.attend(place(Pane::Memory), cx);
        self.stack.attend(place(Pane::Stack).is_some(), cx);
        self.stops.attend(place(Pane::Stops).is_some(), cx);
        self.protocol.attend(place(Pane::Protocol).is_some(), cx);
    }

    /// Gives a pane the keyboard.
    fn focus(&mut self, pane: Pane, cx: &Cx) {
        self.layout.set_focus(pane);
        self.attend(cx);
    }

    fn remember_layout(&mut self, cx: &Cx) {
        self.restored = true;
        cx.core(Command::Remember {
            key: MEMORY.into(),
            values: self.layout.encode(),
        });
    }

    fn restore_layout(&mut self, view: &View) {
        if let (false, Some(lines)) = (self.restored, view.state.memory.get(MEMORY)) {
            self.layout.decode(lines);
            self.restored = true;
        }
    }

    /// What an event means for the arrangement.
    fn rearrange(&mut self, event: &Event, view: &View) {
        if let EventKind::Session { session, change } = &event.kind {
            match change {
                Change::Stopped { stop } => {
                    self.moved = participants::LastMove::to(stop.id, *session, &view.state.sharing);
                }
                // What it printed last is what one wants to see, unless the keyboard is beside it.
                Change::Ended { .. }
                    if view.state.focus == Some(*session)
                        && !matches!(
                            self.layout.focus(),
                            Pane::Terminal | Pane::Stops | Pane::Protocol | Pane::Audit
                        ) =>
                {
                    self.layout.reveal(Pane::Output);
                }
                Change::Terminal { .. } if self.revealed != Some(*session) => {
                    self.revealed = Some(*session);
                    if !self.layout.would_hide(Pane::Terminal) {
                        self.layout.reveal(Pane::Terminal);
                    }
                }
                _ => {}
            }
        }
    }

    fn press(&mut self, at: Position, event: MouseEvent, cx: &Cx) -> bool {
        if let Some(pane) = tabs::at(&self.seen.tabs, at.into()) {
            self.focus(pane, cx);
            return true;
        }
        // A divider is held by the frames beside it, which no pane uses; a pane's own cells come first.
        let pane = self.seen.placed.pane_at(at);
        let on_frame = pane.is_none_or(|p| self.seen.placed.is_frame(p, at));
        if on_frame && let Some(divider) = self.seen.placed.divider_at(at) {
            self.seen.drag = Some(divider);
            return true;
        }
        let Some(pane) = pane else { return false };
        self.layout.set_focus(pane);
        self.pane_mut(pane).mouse(event, cx);
        true
    }
}

impl Surface for DebugRoute {
    const TITLE: &str = "Debug";
    const ACTIONS: &[Action<Self>] = actions::ACTIONS;

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let area = area.intersection(canvas.screen());
        self.restore_layout(canvas);
        let placed = self.layout.place(area);
        let mut hits = Vec::new();
        if Class::of(area) == Class::Tiny {
            canvas.line(area.row(0), &header::tiny(canvas, area.width), 0);
        }
        for row in &placed.tabs {
            let names = row.names();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let active = row
                .panes
                .iter()
                .position(|p| *p == row.active)
                .unwrap_or_default();
            let found = canvas.tabs(row.area, &names, active);
            hits.extend(
                found
                    .into_iter()
                    .filter_map(|(place, index)| Some((place, *row.panes.get(index)?))),
            );
        }
        if let Some(place) = placed.bottom() {
            self.terminal.make_room(place);
        }
        for (pane, place) in &placed.panes {
            let focused = canvas.focused && *pane == self.layout.focus();
            self.pane_mut(*pane)
                .draw(&canvas.with_focus(focused), *place);
        }
        (self.seen.area, self.seen.placed, self.seen.tabs) = (area, placed, hits);
    }

    fn header(&self, view: &View) -> Option<Line<'static>> {
        Some(header::line(self.moved.as_ref(), view))
    }

    fn shown_now(&self, id: &str, view: &View) -> Option<Show> {
        actions::shown_now(self, id, view)
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Msg::Events(events) = msg {
            self.restore_layout(&cx.view);
            for event in events.iter() {
                self.rearrange(event, &cx.view);
                if let EventKind::Session {
                    change: Change::Typed { typed },
                    ..
                } = &event.kind
                    && typed.problems.iter().any(|one| one.is_error)
                {
                    problems::show(&typed.problems, cx);
                }
            }
        }
        declared::told(msg, cx);
        popups::timings::told(msg, cx);
        starting::ended(self, msg, cx);
        match msg {
            Msg::ShowSource { .. } => self.layout.set_focus(Pane::Source),
            // F5 offers what there is.
            Msg::Shown => cx.emit(starting::configurations()),
            Msg::Begin(begin) => {
                if let Some(asked) = begin.of::<ConfigurationQuery>() {
                    cx.emit(starting::prepare(asked.clone(), Vec::new()));
                } else if begin.of::<starting::OfProject>().is_some() {
                    cx.emit(starting::runnables(&cx.view));
                }
            }
            Msg::Progress(told) => {
                told.call(self, cx);
                told.call(&mut self.data, cx);
            }
            _ => {}
        }
        for pane in Pane::ALL {
            self.pane_mut(pane).message(msg, cx);
        }
        self.attend(cx);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let at = Position::new(event.column, event.row);
        let taken = match event.kind {
            CLICK => self.press(at, event, cx),
            MouseEventKind::Drag(MouseButton::Left) => match self.seen.drag {
                Some(divider) => {
                    self.layout
                        .drag(divider, at, self.seen.area, &self.seen.placed);
                    true
                }
                None => self.hand_on(at, event, cx),
            },
            MouseEventKind::Up(MouseButton::Left) if self.seen.drag.take().is_some() => {
                self.remember_layout(cx);
                self.attend(cx);
                true
            }
            _ => self.hand_on(at, event, cx),
        };
        if taken {
            cx.redraw();
        }
        taken
    }

    fn inner(&self) -> Option<&dyn Layer> {
        Some(self.pane(self.layout.focus()))
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Layer> {
        Some(self.pane_mut(self.layout.focus()))
    }
}

impl DebugRoute {
    /// Gives a mouse event to the pane under the pointer, whichever has the keyboard.
    fn hand_on(&mut self, at: Position, event: MouseEvent, cx: &Cx) -> bool {
        match self.seen.placed.pane_at(at) {
            Some(pane) => self.pane_mut(pane).mouse(event, cx),
            None => false,
        }
    }
}
