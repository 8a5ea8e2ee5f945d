//! All breakpoints and exception filters, with what the adapters made of them. Reads the state as it is; changing one is a
//! command, and the list shows what comes back.

pub mod filters;
mod row_view;

use debugger::{BreakpointStatus, Moves};

use self::{
    filters::{Offered, ask_condition, ask_type, draw_narrowed, offered, switch},
    row_view::{draw_breakpoint, mark, place},
};
use super::popups::breakpoint_editor;
use crate::{debug_prelude::*, kit::sheet};

pub(super) use self::row_view::{access_of, mark_of};

/// Marks this pane's requests.
const OWNER: &str = "breakpoints";

/// The pane.
#[derive(Debug, Default)]
pub struct BreakpointsPane {
    list: ListState,
    /// `C` was pressed once: pressed again it removes all.
    armed: bool,
    /// The column in which rows begin.
    left: u16,
    /// Those that adapters put elsewhere.
    moves: Moves,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry<'a> {
    Breakpoint(&'a Breakpoint),
    Heading,
    Filter(Offered<'a>),
}

/// Whether a breakpoint has to do with the program that is debugged: not one in another language's file, and not one in a file
/// that the program, once it stood still or ended, is known not to have.
fn concerns(b: &Breakpoint, state: &State) -> bool {
    let Some(session) = state.focused() else {
        return true;
    };
    let root = state.root_of(session.id);
    let mut answers = b
        .answers
        .iter()
        .filter(|(id, _)| state.root_of(**id) == root)
        .map(|(_, answer)| answer)
        .peekable();
    if answers.peek().is_none() {
        return true;
    }
    let settled = matches!(session.phase, Phase::Stopped | Phase::Terminated);
    let BreakpointSite::Source { path, .. } = &b.site else {
        return true;
    };
    // Another breakpoint in the same file that was placed: the file is the program's, the line may be wrong.
    let placed_beside = || {
        state.breakpoints.iter().any(|other| {
            matches!(&other.site, BreakpointSite::Source { path: at, .. } if at == path)
                && other
                    .answers
                    .iter()
                    .any(|(id, a)| a.verified && state.root_of(*id) == root)
        })
    };
    let of_program = || {
        let stop = session.stop.as_ref();
        let frames = stop.into_iter().flat_map(|s| s.stacks.values());
        let mut frames = frames.flat_map(|stack| &stack.frames);
        frames.any(|frame| {
            let source = frame.path();
            source.is_some_and(|at| path == Path::new(at))
        }) || path == Path::new(&session.target)
    };
    answers.any(|a| a.verified || (!a.foreign && !settled))
        || (b.answers.values().all(|a| !a.foreign) && (placed_beside() || of_program()))
}

/// In the order they were made, those that concern the program first.
fn entries(state: &State) -> Vec<Entry<'_>> {
    let listed = state.breakpoints.iter().filter(|b| !b.temporary);
    let (ours, others): (Vec<_>, Vec<_>) = listed.partition(|b| concerns(b, state));
    let mut entries: Vec<_> = ours
        .into_iter()
        .chain(others)
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

    fn toggle(&mut self, cx: &Cx) {
        self.armed = false;
        let command = match self.selected(&cx.view.state) {
            Some(Entry::Breakpoint(b)) => Command::EnableBreakpoint {
                id: b.id,
                enabled: !b.enabled,
            },
            Some(Entry::Filter(f)) => switch(&cx.view.state, f.filter, !f.on),
            Some(Entry::Heading) | None => return,
        };
        cx.core(command);
    }

    fn go_to(&mut self, cx: &Cx) {
        self.armed = false;
        match self.selected(&cx.view.state) {
            Some(Entry::Breakpoint(Breakpoint {
                site: BreakpointSite::Source { path, line, .. },
                ..
            })) => cx.emit(Effect::show_file(path, Some(*line))),
            Some(Entry::Breakpoint(b)) => breakpoint_editor::open(b, cx),
            Some(Entry::Filter(_)) => self.toggle(cx),
            Some(Entry::Heading) | None => {}
        }
    }

    fn edit(&mut self, cx: &Cx) {
        self.armed = false;
        match self.selected(&cx.view.state) {
            Some(Entry::Breakpoint(b)) => breakpoint_editor::open(b, cx),
            Some(Entry::Filter(f)) => ask_condition(&f, cx),
            Some(Entry::Heading) | None => {}
        }
    }

    /// Asks why the selected one is not in place.
    fn explain(&mut self, cx: &Cx) {
        if let Some(b) = self.breakpoint(&cx.view.state) {
            let explain = Command::ExplainBreakpoint { id: b.id };
            cx.emit(Effect::ask(OWNER, b.id.0, explain));
        }
    }

    fn remove(&mut self, cx: &Cx) {
        self.armed = false;
        match self.selected(&cx.view.state) {
            Some(Entry::Breakpoint(b)) => cx.core(Command::RemoveBreakpoint { id: b.id }),
            Some(Entry::Filter(_)) => cx.core(Command::SetExceptionFilters { filters: None }),
            Some(Entry::Heading) | None => {}
        }
    }

    /// Selects the first exception filter.
    pub fn to_filters(&mut self, state: &State) {
        let is_filter = |entry: &Entry<'_>| matches!(entry, Entry::Filter(_));
        self.list.select(entries(state).iter().position(is_filter));
    }

    fn remove_all(&mut self, cx: &Cx) {
        let count = cx.view.state.breakpoints.len();
        if mem::take(&mut self.armed) {
            cx.core(Command::ClearBreakpoints);
        } else {
            self.armed = true;
            cx.warn(format!("Press C again to remove all {count} breakpoints."));
        }
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(b) = self.breakpoint(&cx.view.state) {
            let text = match &b.site {
                BreakpointSite::Function { name } => name.clone(),
                site => site.to_string(),
            };
            cx.copy(clean(&text), format!("place of breakpoint {}", b.id));
        }
    }
}

gates! { BreakpointsPane, s, view;
    any: s.selected(&view.state), "There is no breakpoint.";
    on_breakpoint: s.breakpoint(&view.state), "Select a breakpoint first.";
}
gates! { BreakpointsPane, _, view;
    some_breakpoints: !view.state.breakpoints.is_empty(), "There is no breakpoint.";
}

impl Scrolls for BreakpointsPane {
    fn walk(&mut self, step: Step, cx: &Cx) {
        self.armed = false;
        let rows = entries(&cx.view.state);
        Scrolled::Rows(&mut self.list, rows.len()).walk(step);
        // The heading is no row to stand on.
        if self.selected(&cx.view.state) == Some(Entry::Heading) {
            self.list
                .move_by(if step.is_back() { -1 } else { 1 }, rows.len());
        }
    }
}

fn can_edit(s: &BreakpointsPane, view: &View) -> Enabled {
    any(s, view)?;
    match s.selected(&view.state) {
        Some(Entry::Filter(f)) => f.takes_condition.or_why("This filter takes no condition."),
        _ => Ok(()),
    }
}

fn can_remove(s: &BreakpointsPane, view: &View) -> Enabled {
    match s.selected(&view.state) {
        Some(Entry::Filter(_)) => {
            let chosen = view.state.exception_filters.as_ref();
            chosen.or_why("The adapter's defaults hold already.")
        }
        _ => on_breakpoint(s, view),
    }
}

/// Whether exception filters are known, and why not.
pub fn has_filters(view: &View) -> Enabled {
    match (offered(&view.state).is_empty(), view.session()) {
        (false, _) => Ok(()),
        (true, Some(_)) => Err("This adapter offers no exception filters."),
        (true, None) => Err("Filters are known once a session runs."),
    }
}

fn not_in_place(s: &BreakpointsPane, view: &View) -> Enabled {
    let b = s
        .breakpoint(&view.state)
        .ok_or("Select a breakpoint first.")?;
    match b.status() {
        BreakpointStatus::Verified if b.moved().is_some() => Ok(()),
        BreakpointStatus::Verified => Err("It is in place."),
        BreakpointStatus::Disabled => Err("It is switched off: Space switches it on."),
        BreakpointStatus::Unverified => Ok(()),
        BreakpointStatus::Pending if view.session().is_some() => Ok(()),
        BreakpointStatus::Pending => Err("It is placed when a program is started."),
    }
}

impl Surface for BreakpointsPane {
    table! { "Breakpoints", _s, cx;
        "breakpoints.toggle"     "on or off"                                  ["space"], Footer      if any => Self::toggle;
        "breakpoints.go-to"      "show"                                       ["enter" "o"], Footer  if any => Self::go_to;
        "breakpoints.edit"       "edit"                                       ["i"], Footer          if can_edit => Self::edit;
        "breakpoints.remove"     "remove; of a filter: adapter's defaults"    ["x" "delete"], Footer if can_remove => Self::remove;
        "breakpoints.type"       "stop at exceptions of a type"               ["a"], Footer          => ask_type(cx);
        "breakpoints.remove-all" "remove all"                                 ["C"], Footer          if some_breakpoints => Self::remove_all;
        "breakpoints.explain"    "why it is not in place, or at another line" ["r"], Footer          if not_in_place => Self::explain;
        "breakpoints.copy"       "copy its place"                             ["y"]                  if on_breakpoint => Self::copy;
        list "breakpoints" "up" "down" "first row" "last row";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let entries = entries(&canvas.state);
        let count = canvas.state.breakpoints.len();
        let badge = badge(count);
        let right = if self.armed {
            "C again removes all"
        } else {
            ""
        };
        let inner = panel(canvas, area, Self::TITLE, &badge, right);
        self.left = inner.x;
        if entries.is_empty() {
            return empty(
                canvas,
                inner,
                &["No breakpoints", "F9 sets one at the cursor's line"],
            );
        }
        let explained = match self.selected(&canvas.state) {
            Some(Entry::Filter(f)) if canvas.focused => f.description,
            _ => None,
        };
        let inner = foot(canvas, inner, explained);
        self.list.begin();
        let widest = entries.iter().filter_map(|e| match e {
            Entry::Breakpoint(b) => Some(width(&place(b, canvas))),
            Entry::Heading | Entry::Filter(_) => None,
        });
        let places = widest
            .max()
            .unwrap_or(0)
            .min(usize::from(inner.width) * 3 / 5);
        // Said once where it is so of all of them.
        let mut filters = entries.iter();
        let by_default = filters.all(|entry| match entry {
            Entry::Filter(filter) => filter.by_default,
            _ => true,
        });
        list_of(canvas, entries.len()).lines(canvas, inner, &mut self.list, |row, cells| {
            match entries.get(row.index) {
                Some(Entry::Breakpoint(b)) => {
                    draw_breakpoint(b, concerns(b, &canvas.state), places, cells);
                }
                Some(Entry::Heading) => {
                    if by_default {
                        cells.remark("adapter's defaults");
                    }
                    cells.put("Stop on exceptions", canvas.theme.title);
                }
                Some(Entry::Filter(f)) => {
                    let style = canvas.theme.text_if(f.on);
                    cells.skip(2).put(mark(f.on), style).skip(1);
                    if f.condition.is_none() && f.takes_condition.is_some() {
                        cells.remark("i: condition");
                    } else if f.by_default && !by_default {
                        cells.remark("default");
                    }
                    cells.put(f.label, style);
                    draw_narrowed(f, cells);
                }
                None => {}
            }
        });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Events(events) => {
                self.armed &= !cx.view.state.breakpoints.is_empty();
                let is_answer =
                    |event: &Event| matches!(event.kind, EventKind::BreakpointAnswered { .. });
                if events.iter().any(is_answer) {
                    for told in self.moves.news(&cx.view.state.breakpoints) {
                        cx.emit(Effect::Notify {
                            severity: Severity::Info,
                            text: told,
                            hint: Some("r among the breakpoints says why".to_owned()),
                        });
                    }
                }
                for event in events.iter() {
                    if let EventKind::BreakpointNeverHit {
                        breakpoint,
                        why,
                        untold: true,
                    } = &event.kind
                        && let Some(b) =
                            (cx.view.state.breakpoints.iter()).find(|b| b.id == *breakpoint)
                    {
                        cx.warn(format!("The breakpoint {} was {why}.", b.label()));
                    }
                }
            }
            Msg::Reply {
                tag: Tag(OWNER, id),
                result,
            } => match result {
                Ok(Reply::Explained { text }) => {
                    let known = cx.view.state.breakpoints.iter().find(|b| b.id.0 == *id);
                    let place = known.map_or_else(String::new, |b| place(b, &cx.view));
                    let title = if known.is_some_and(|b| b.moved().is_some()) {
                        "Why it is at another line"
                    } else {
                        "Why it is not in place"
                    };
                    cx.emit(sheet::note(title, place, text));
                }
                Ok(_) => {}
                Err(error) => cx.warn(error.what.clone()),
            },
            _ => {}
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        self.armed = false;
        let len = entries(&cx.view.state).len();
        let did = Mouse::on(&mut self.list, len, event, cx);
        if did.clicked() && row_view::MARK.contains(&event.column.saturating_sub(self.left)) {
            self.toggle(cx);
        } else if did == Mouse::Again {
            self.go_to(cx);
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests;
