//! All breakpoints and exception filters, with what the adapters made of them. Reads the state as it is; changing one is a
//! command, and the list shows what comes back.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::kit::{Cells, empty, look, panel, row, wheel};
use super::popups::{breakpoint_editor, exception_filters};
use super::variables::panel::relative;
use crate::debugger::{
    Breakpoint, BreakpointSite, BreakpointStatus, Command, ExceptionFilter, State,
};
use crate::text::width::{truncate_path, width};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::app::msg::Msg;
use crate::tui::widgets::list::{List, ListState};

/// The pane.
#[derive(Debug, Default)]
pub struct BreakpointsPane {
    list: ListState,
    /// `C` was pressed once: pressed again it removes all.
    armed: bool,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry<'a> {
    Breakpoint(&'a Breakpoint),
    Heading,
    Filter(Offered<'a>),
}

/// An exception filter as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offered<'a> {
    /// The adapter's id.
    pub filter: &'a str,
    /// Name for people.
    pub label: &'a str,
    /// The adapter's explanation.
    pub description: Option<&'a str>,
    /// The condition set.
    pub condition: Option<&'a str>,
    /// What a condition may say, where one is possible.
    pub takes_condition: Option<&'a str>,
    /// Whether the program stops on it.
    pub on: bool,
    /// Nobody chose: it is as the adapter has it.
    pub by_default: bool,
}

/// Exception filters of the focused session's adapter as they are now; without a session those that were chosen.
pub fn offered(state: &State) -> Vec<Offered<'_>> {
    let chosen = state.exception_filters.as_deref();
    let Some(session) = state
        .focused()
        .filter(|s| !s.capabilities.exception_breakpoint_filters.is_empty())
    else {
        let chosen = chosen.unwrap_or_default().iter();
        return chosen
            .map(|f| Offered {
                filter: &f.filter,
                label: &f.filter,
                description: None,
                condition: f.condition.as_deref(),
                takes_condition: None,
                on: true,
                by_default: false,
            })
            .collect();
    };
    let filters = session.capabilities.exception_breakpoint_filters.iter();
    filters
        .map(|f| {
            let wish = chosen.and_then(|c| c.iter().find(|w| w.filter == f.filter));
            let conditions = session.capabilities.supports_exception_filter_options
                && f.supports_condition == Some(true);
            Offered {
                filter: &f.filter,
                label: if f.label.is_empty() {
                    &f.filter
                } else {
                    &f.label
                },
                description: f.description.as_deref(),
                condition: wish.and_then(|w| w.condition.as_deref()),
                takes_condition: conditions.then(|| {
                    f.condition_description
                        .as_deref()
                        .unwrap_or("an expression")
                }),
                on: wish.is_some()
                    || session
                        .exception_filters
                        .iter()
                        .any(|own| own.filter == f.filter)
                    || (chosen.is_none() && f.default == Some(true)),
                by_default: chosen.is_none()
                    && session
                        .exception_filters
                        .iter()
                        .all(|own| own.filter != f.filter),
            }
        })
        .collect()
}

/// The command that switches one filter, keeping the others as they are.
pub fn switch(state: &State, filter: &str, on: bool, condition: Option<String>) -> Command {
    // Choices made for another adapter's filters stay.
    let known = offered(state);
    let foreign = state.exception_filters.iter().flatten();
    let mut filters: Vec<ExceptionFilter> = foreign
        .filter(|f| known.iter().all(|k| k.filter != f.filter))
        .cloned()
        .collect();
    filters.extend(
        known
            .iter()
            .filter(|k| k.on && k.filter != filter)
            .map(|k| ExceptionFilter {
                filter: k.filter.to_owned(),
                condition: k.condition.map(str::to_owned),
            }),
    );
    if on {
        filters.push(ExceptionFilter {
            filter: filter.to_owned(),
            condition,
        });
    }
    Command::SetExceptionFilters {
        filters: Some(filters),
    }
}

fn entries(state: &State) -> Vec<Entry<'_>> {
    let mut entries: Vec<_> = state
        .breakpoints
        .iter()
        .filter(|b| !b.temporary)
        .map(Entry::Breakpoint)
        .collect();
    let filters = offered(state);
    if !filters.is_empty() {
        entries.push(Entry::Heading);
        entries.extend(filters.into_iter().map(Entry::Filter));
    }
    entries
}

impl BreakpointsPane {
    fn selected<'a>(&self, state: &'a State) -> Option<Entry<'a>> {
        let entries = entries(state);
        let index = self
            .list
            .selected()
            .unwrap_or(0)
            .min(entries.len().checked_sub(1)?);
        entries.get(index).copied()
    }

    fn breakpoint<'a>(&self, state: &'a State) -> Option<&'a Breakpoint> {
        match self.selected(state) {
            Some(Entry::Breakpoint(b)) => Some(b),
            _ => None,
        }
    }

    fn step(&mut self, by: isize, state: &State) {
        self.armed = false;
        let entries = entries(state);
        self.list.move_by(
            if self.list.selected().is_none() {
                by.max(0)
            } else {
                by
            },
            entries.len(),
        );
        // The heading is no row to stand on.
        if self.selected(state) == Some(Entry::Heading) {
            self.list.move_by(by.signum(), entries.len());
        }
    }

    fn toggle(&mut self, cx: &mut Cx<'_>) {
        self.armed = false;
        let command = match self.selected(cx.view.state) {
            Some(Entry::Breakpoint(b)) => Command::EnableBreakpoint {
                id: b.id,
                enabled: !b.enabled,
            },
            Some(Entry::Filter(f)) => switch(cx.view.state, f.filter, !f.on, None),
            Some(Entry::Heading) | None => return,
        };
        cx.emit(Effect::core(command));
    }

    fn go_to(&mut self, cx: &mut Cx<'_>) {
        self.armed = false;
        match self.selected(cx.view.state) {
            Some(Entry::Breakpoint(Breakpoint {
                site: BreakpointSite::Source { path, line, .. },
                ..
            })) => cx.emit(Effect::show_file(path, Some(*line))),
            Some(Entry::Breakpoint(b)) => breakpoint_editor::open(b, cx),
            Some(Entry::Filter(_)) => self.toggle(cx),
            Some(Entry::Heading) | None => {}
        }
    }

    fn edit(&mut self, cx: &mut Cx<'_>) {
        self.armed = false;
        match self.selected(cx.view.state) {
            Some(Entry::Breakpoint(b)) => breakpoint_editor::open(b, cx),
            Some(Entry::Filter(f)) => exception_filters::open_at(f.filter, cx),
            Some(Entry::Heading) | None => {}
        }
    }

    fn remove(&mut self, cx: &mut Cx<'_>) {
        self.armed = false;
        if let Some(b) = self.breakpoint(cx.view.state) {
            cx.emit(Effect::core(Command::RemoveBreakpoint { id: b.id }));
        }
    }

    fn remove_all(&mut self, cx: &mut Cx<'_>) {
        let count = cx.view.state.breakpoints.len();
        if std::mem::take(&mut self.armed) {
            cx.emit(Effect::core(Command::ClearBreakpoints));
        } else {
            self.armed = true;
            cx.emit(Effect::warn(format!(
                "Press C again to remove all {count} breakpoints."
            )));
        }
    }

    fn copy(&mut self, cx: &mut Cx<'_>) {
        if let Some(b) = self.breakpoint(cx.view.state) {
            let text = match &b.site {
                BreakpointSite::Source { path, line, .. } => format!("{}:{line}", path.display()),
                BreakpointSite::Function { name } => name.clone(),
            };
            cx.emit(Effect::Copy {
                text,
                what: format!("place of breakpoint {}", b.id),
            });
        }
    }
}

fn any(s: &BreakpointsPane, view: &View<'_>) -> Enabled {
    s.selected(view.state)
        .map(|_| ())
        .ok_or("There is no breakpoint.")
}

fn on_breakpoint(s: &BreakpointsPane, view: &View<'_>) -> Enabled {
    s.breakpoint(view.state)
        .map(|_| ())
        .ok_or("Select a breakpoint first.")
}

fn some_breakpoints(_: &BreakpointsPane, view: &View<'_>) -> Enabled {
    if view.state.breakpoints.is_empty() {
        Err("There is no breakpoint.")
    } else {
        Ok(())
    }
}

/// The glyph of a breakpoint and its style, as in the source gutter.
pub fn glyph(b: &Breakpoint, view: &View<'_>) -> (&'static str, ratatui::style::Style) {
    let (theme, symbols) = (view.theme, view.symbols);
    match b.status() {
        BreakpointStatus::Disabled => (symbols.breakpoint_disabled, theme.breakpoint_disabled),
        BreakpointStatus::Pending | BreakpointStatus::Unverified => {
            (symbols.breakpoint_unverified, theme.breakpoint_unverified)
        }
        BreakpointStatus::Verified if b.log_message.is_some() => (symbols.logpoint, theme.logpoint),
        BreakpointStatus::Verified if b.condition.is_some() || b.hit_condition.is_some() => {
            (symbols.conditional, theme.conditional)
        }
        BreakpointStatus::Verified => (symbols.breakpoint, theme.breakpoint),
    }
}

/// `src/shop.py:12` as people say it here, or the function.
pub fn place(b: &Breakpoint, view: &View<'_>) -> String {
    match &b.site {
        BreakpointSite::Source { path, .. } => {
            format!(
                "{}:{}",
                relative(path, view),
                b.shown_line().unwrap_or_default()
            )
        }
        BreakpointSite::Function { name } => format!("{name}()"),
    }
}

/// What narrows a breakpoint, in words.
fn refinements(b: &Breakpoint) -> String {
    let mut parts = Vec::new();
    if let Some(condition) = &b.condition {
        parts.push(format!("if {condition}"));
    }
    if let Some(hits) = &b.hit_condition {
        parts.push(format!("hits {hits}"));
    }
    if let Some(text) = &b.log_message {
        parts.push(format!("log \"{text}\""));
    }
    parts.join(", ")
}

fn mark(on: bool) -> &'static str {
    if on { "[x]" } else { "[ ]" }
}

fn draw_breakpoint(b: &Breakpoint, places: usize, cells: &mut Cells<'_>, view: &View<'_>) {
    let theme = view.theme;
    let (symbol, style) = glyph(b, view);
    cells
        .put(symbol, style)
        .skip(1)
        .put(
            mark(b.enabled),
            if b.enabled { theme.text } else { theme.muted },
        )
        .skip(1);
    let place = place(b, view);
    cells.column(
        &truncate_path(&place, places.min(cells.room()), view.symbols.ellipsis),
        places,
        if b.enabled { theme.text } else { theme.muted },
    );
    let more = refinements(b);
    if !more.is_empty() {
        cells.skip(2).put(&more, theme.conditional);
    }
    let message = b
        .message()
        .filter(|_| b.status() == BreakpointStatus::Unverified);
    if let Some(message) = message {
        cells.skip(2).put(message, theme.warning);
    } else if b.status() == BreakpointStatus::Unverified {
        cells
            .skip(2)
            .put("the adapter could not place it", theme.warning);
    }
}

impl Surface for BreakpointsPane {
    const TITLE: &'static str = "Breakpoints";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "breakpoints.toggle",
            "on or off",
            &["space"],
            Show::Footer,
            any,
            Self::toggle,
        ),
        row(
            "breakpoints.go-to",
            "show",
            &["enter", "o"],
            Show::Footer,
            any,
            Self::go_to,
        ),
        row(
            "breakpoints.edit",
            "edit",
            &["i"],
            Show::Footer,
            any,
            Self::edit,
        ),
        row(
            "breakpoints.remove",
            "remove",
            &["x", "delete"],
            Show::Footer,
            on_breakpoint,
            Self::remove,
        ),
        row(
            "breakpoints.remove-all",
            "remove all",
            &["C"],
            Show::Footer,
            some_breakpoints,
            Self::remove_all,
        ),
        row(
            "breakpoints.copy",
            "copy its place",
            &["y"],
            Show::HelpOnly,
            on_breakpoint,
            Self::copy,
        ),
        row(
            "breakpoints.up",
            "up",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, cx| s.step(-1, cx.view.state),
        ),
        row(
            "breakpoints.down",
            "down",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, cx| s.step(1, cx.view.state),
        ),
        row(
            "breakpoints.first",
            "first row",
            &["home", "g"],
            Show::HelpOnly,
            always,
            |s, _| s.list.select(Some(0)),
        ),
        row(
            "breakpoints.last",
            "last row",
            &["end", "G"],
            Show::HelpOnly,
            always,
            |s, _| s.list.select(Some(usize::MAX)),
        ),
        row(
            "breakpoints.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, cx| {
                s.list.page_by(-1, entries(cx.view.state).len());
            },
        ),
        row(
            "breakpoints.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, cx| {
                s.list.page_by(1, entries(cx.view.state).len());
            },
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let entries = entries(view.state);
        let count = view.state.breakpoints.len();
        let badge = if count > 0 {
            count.to_string()
        } else {
            String::new()
        };
        let right = if self.armed {
            "C again removes all"
        } else {
            ""
        };
        let buf = frame.buffer_mut();
        let inner = panel(buf, area, Self::TITLE, &badge, right, view);
        if entries.is_empty() {
            empty(
                buf,
                inner,
                &["No breakpoints", "F9 sets one at the cursor's line"],
                view,
            );
            return;
        }
        if self.list.selected().is_none() {
            self.list.select(Some(0));
        }
        let widest = entries.iter().filter_map(|e| match e {
            Entry::Breakpoint(b) => Some(width(&place(b, view))),
            Entry::Heading | Entry::Filter(_) => None,
        });
        let places = widest
            .max()
            .unwrap_or(0)
            .min(usize::from(inner.width) * 3 / 5);
        List::new(look(view), entries.len())
            .focused(view.focused)
            .draw(buf, inner, &mut self.list, |row| {
                let mut cells = Cells::new(row.width, view);
                match entries.get(row.index) {
                    Some(Entry::Breakpoint(b)) => draw_breakpoint(b, places, &mut cells, view),
                    Some(Entry::Heading) => {
                        cells.put("Stop on exceptions", view.theme.title);
                    }
                    Some(Entry::Filter(f)) => {
                        cells
                            .skip(2)
                            .put(
                                mark(f.on),
                                if f.on {
                                    view.theme.text
                                } else {
                                    view.theme.muted
                                },
                            )
                            .skip(1);
                        if f.by_default {
                            cells.right("adapter's default", view.theme.muted);
                        }
                        cells.put(
                            f.label,
                            if f.on {
                                view.theme.text
                            } else {
                                view.theme.muted
                            },
                        );
                        if let Some(condition) = f.condition {
                            cells.put(&format!("  if {condition}"), view.theme.conditional);
                        }
                    }
                    None => return Line::default(),
                }
                cells.line()
            });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if matches!(msg, Msg::Events(_)) {
            self.armed &= !cx.view.state.breakpoints.is_empty();
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        self.armed = false;
        let len = entries(cx.view.state).len();
        if let Some(by) = wheel(&event) {
            self.list.scroll_by(by, len);
            cx.redraw();
            return true;
        }
        if event.kind != MouseEventKind::Down(MouseButton::Left) {
            return false;
        }
        let Some(at) = self.list.row_at(event.column, event.row) else {
            return false;
        };
        if self.list.selected() == Some(at) {
            self.go_to(cx);
        } else {
            self.list.select(Some(at));
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dap::types::{Capabilities, ExceptionBreakpointsFilter};
    use crate::debugger::{BreakpointAnswer, BreakpointId, SessionId};
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::{Stage, stopped_in_main};
    use std::sync::Arc;

    fn stage() -> Stage {
        let mut state = stopped_in_main(1, Vec::new());
        for (id, line) in [(1, 12), (2, 7)] {
            let site = BreakpointSite::Source {
                path: "/project/shop.py".into(),
                line,
                column: None,
            };
            state
                .breakpoints
                .push(Breakpoint::new(BreakpointId(id), site));
        }
        let answer = |verified, message: Option<&str>| BreakpointAnswer {
            verified,
            message: message.map(str::to_owned),
            ..BreakpointAnswer::default()
        };
        let [one, two] = state.breakpoints.as_mut_slice() else {
            panic!()
        };
        one.condition = Some("n > 3".into());
        one.answers.insert(SessionId(1), answer(true, None));
        two.answers
            .insert(SessionId(1), answer(false, Some("no code on this line")));
        let filter = |id: &str, default| ExceptionBreakpointsFilter {
            filter: id.into(),
            label: format!("{id} exceptions"),
            default: Some(default),
            ..ExceptionBreakpointsFilter::default()
        };
        state.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
            exception_breakpoint_filters: vec![filter("raised", false), filter("uncaught", true)],
            ..Capabilities::default()
        });
        Stage::new(state)
    }

    #[test]
    fn each_row_says_where_how_and_why_not() {
        let stage = stage();
        let screen = stage.draw(&mut BreakpointsPane::default(), 60, 8);
        let text = screen.join("\n");
        assert!(text.contains("◆ [x] shop.py:12  if n > 3"), "{text}");
        assert!(
            text.contains("○ [x] shop.py:7   no code on this line"),
            "{text}"
        );
        assert!(text.contains("[ ] raised exceptions"), "{text}");
        assert!(
            text.contains("[x] uncaught exceptions") && text.contains("adapter's default"),
            "{text}"
        );
    }

    #[test]
    fn switching_a_filter_keeps_the_others() {
        let stage = stage();
        let mut pane = BreakpointsPane::default();
        let mut cx = stage.cx();
        for _ in 0..3 {
            pane.invoke("breakpoints.down", &mut cx);
        }
        pane.invoke("breakpoints.toggle", &mut cx);
        let Some(Effect::Core {
            command:
                Command::SetExceptionFilters {
                    filters: Some(filters),
                },
            ..
        }) = cx.effects.pop()
        else {
            panic!("no command");
        };
        let ids: Vec<_> = filters.iter().map(|f| f.filter.as_str()).collect();
        assert_eq!(ids, ["uncaught", "raised"]);
    }

    #[test]
    fn all_are_removed_only_when_asked_twice() {
        let stage = stage();
        let mut pane = BreakpointsPane::default();
        let mut cx = stage.cx();
        pane.invoke("breakpoints.remove-all", &mut cx);
        pane.invoke("breakpoints.down", &mut cx);
        pane.invoke("breakpoints.remove-all", &mut cx);
        assert!(
            cx.effects
                .iter()
                .all(|e| matches!(e, Effect::Notify { .. })),
            "another key takes it back"
        );
        pane.invoke("breakpoints.remove-all", &mut cx);
        assert!(matches!(
            cx.effects.last(),
            Some(Effect::Core {
                command: Command::ClearBreakpoints,
                ..
            })
        ));
    }

    #[test]
    fn it_draws_at_every_size() {
        let mut stage = stage();
        stage.survives(&mut BreakpointsPane::default());
    }
}
