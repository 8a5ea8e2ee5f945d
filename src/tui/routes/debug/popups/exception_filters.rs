//! On which exceptions to stop: the adapter's filters, each with its explanation and, where it takes one, a condition.

use dap::types::{BreakpointMode, BreakpointModeApplicability as Applies};
use debugger::{ExceptionFilter, modes};

use super::{chooser, prompts::Prompt};
use crate::routes::debug::{
    breakpoints::filters::{Offered, offered, put, switch},
    kit::prelude::*,
};

/// Lines kept for the explanation.
const EXPLANATION: u16 = 3;

/// The popup.
#[derive(Debug, Default)]
pub struct ExceptionFilters {
    list: ListState,
}

/// Opens it at the first filter.
pub fn open(cx: &mut Cx<'_>) {
    cx.open(ExceptionFilters::default());
}

/// Opens it at one filter.
pub fn open_at(filter: &str, cx: &mut Cx<'_>) {
    let mut popup = ExceptionFilters::default();
    popup.list.select(
        offered(cx.view.state)
            .iter()
            .position(|f| f.filter == filter),
    );
    cx.open(popup);
}

impl ExceptionFilters {
    fn selected<'a>(&self, view: &View<'a>) -> Option<Offered<'a>> {
        offered(view.state)
            .get(self.list.selected().unwrap_or(0))
            .copied()
    }

    fn toggle(&mut self, cx: &mut Cx<'_>) {
        if let Some(f) = self.selected(&cx.view) {
            cx.core(switch(cx.view.state, f.filter, !f.on));
        }
    }

    fn condition(&mut self, cx: &mut Cx<'_>) {
        let Some(f) = self.selected(&cx.view) else {
            return;
        };
        let as_it_is = wish_of(&f);
        // The others as they are now; only this one changes with the answer.
        let without = put(cx.view.state, f.filter, None);
        let then = move |text: &str| {
            let condition = (!text.is_empty()).then(|| text.to_owned());
            let wish = ExceptionFilter {
                condition,
                ..as_it_is.clone()
            };
            Ok(vec![Effect::core(with(without.clone(), wish))])
        };
        let hint = format!(
            "{} Nothing = always.",
            f.takes_condition.unwrap_or_default()
        );
        cx.open(Prompt::new(
            format!("Condition of {}", f.label),
            hint,
            f.condition.unwrap_or_default(),
            then,
        ));
    }

    fn takes_condition(&self, view: &View<'_>) -> Enabled {
        match self.selected(view) {
            Some(f) if f.takes_condition.is_some() => Ok(()),
            _ => Err("This filter takes no condition."),
        }
    }

    /// Lets a person choose how the adapter is to stop at them.
    fn mode(&mut self, cx: &mut Cx<'_>) {
        let Some(f) = self.selected(&cx.view) else {
            return;
        };
        let as_it_is = wish_of(&f);
        let without = put(cx.view.state, f.filter, None);
        let then = move |mode| {
            let wish = ExceptionFilter {
                mode,
                ..as_it_is.clone()
            };
            vec![Effect::core(with(without.clone(), wish))]
        };
        let modes = modes_of(&cx.view);
        cx.open(chooser::of_modes("Mode", "default", &modes, then));
    }

    fn has_modes(&self, view: &View<'_>) -> Enabled {
        self.any(view)?;
        (!modes_of(view).is_empty()).or_why("This adapter has no modes of stopping at exceptions.")
    }

    fn any(&self, view: &View<'_>) -> Enabled {
        self.selected(view)
            .or_why("The adapter offers no exception filters.")
    }

    fn chosen(_: &Self, view: &View<'_>) -> Enabled {
        view.state
            .exception_filters
            .as_ref()
            .or_why("The adapter's defaults hold already.")
    }

    fn step(&mut self, by: isize, cx: &Cx<'_>) {
        self.list.move_by(by, offered(cx.view.state).len());
    }
}

/// A filter switched on as it is now.
fn wish_of(f: &Offered<'_>) -> ExceptionFilter {
    ExceptionFilter {
        off: false,
        ..f.wish()
    }
}

/// The same choice with one filter more.
fn with(command: Command, wish: ExceptionFilter) -> Command {
    match command {
        Command::SetExceptionFilters { filters } => {
            let others = filters.into_iter().flatten();
            let others = others.filter(|other| other.filter != wish.filter);
            let mut all: Vec<_> = others.collect();
            all.push(wish);
            Command::SetExceptionFilters { filters: Some(all) }
        }
        other => other,
    }
}

/// The modes that the adapter has for exceptions, where it takes any.
fn modes_of(view: &View<'_>) -> Vec<BreakpointMode> {
    let session = view.state.focused();
    let can = session.map(|s| &s.capabilities);
    can.filter(|can| can.supports_exception_filter_options)
        .map(|can| modes::offered(can, &Applies::Exception))
        .unwrap_or_default()
}

impl Surface for ExceptionFilters {
    const TITLE: &'static str = "Stop on exceptions";
    const ACTIONS: &'static [Action<Self>] = rows! {
        "exceptions.toggle"    "on or off"          ["space" "enter"], Footer if Self::any => Self::toggle;
        "exceptions.condition" "condition"          ["i"], Footer             if Self::takes_condition => Self::condition;
        "exceptions.mode"      "mode"               ["m"], Footer             if Self::has_modes => Self::mode;
        "exceptions.defaults"  "adapter's defaults" ["x"], Footer             if Self::chosen => |_, cx| {
            cx.core(Command::SetExceptionFilters { filters: None });
        };
        "exceptions.close"     "close"              ["esc"], Footer           => |_, cx| cx.close();
        "exceptions.up"        "up"                 ["up" "k"]                => |s, cx| s.step(-1, cx);
        "exceptions.down"      "down"               ["down" "j"]              => |s, cx| s.step(1, cx);
    };

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let filters = offered(view.state);
        let buf = frame.buffer_mut();
        let height = (filters.len() as u16).clamp(2, 14) + EXPLANATION + 1;
        let right = if view.state.exception_filters.is_none() && !filters.is_empty() {
            "adapter's defaults"
        } else {
            ""
        };
        let inner = dialog(buf, area, (64, height), Self::TITLE, right, view);
        if filters.is_empty() {
            let why = if view.state.focused().is_some() {
                "This adapter offers no exception filters"
            } else {
                "Filters are known once a session runs"
            };
            empty(buf, inner, &[why, "Esc closes this"], view);
            return;
        }
        self.list.begin();
        let rows = Rect {
            height: inner
                .height
                .saturating_sub(EXPLANATION + 1)
                .max(1)
                .min(inner.height),
            ..inner
        };
        let list = List::new(view.look(), filters.len());
        list.lines(buf, rows, &mut self.list, view, |row, cells| {
            let Some(f) = filters.get(row.index) else {
                return;
            };
            let style = if f.on {
                view.theme.text
            } else {
                view.theme.muted
            };
            cells
                .put(if f.on { "[x] " } else { "[ ] " }, style)
                .put(f.label, style);
            match (f.condition, f.takes_condition) {
                (Some(condition), _) => {
                    cells.put(&format!("  if {condition}"), view.theme.conditional);
                }
                (None, Some(_)) => {
                    cells.remark("i: condition");
                }
                (None, None) => {}
            }
            if let Some(mode) = f.mode {
                cells.put(&format!("  mode {mode}"), view.theme.conditional);
            }
        });
        let explanation = self.selected(view).and_then(|f| f.description);
        let below = paint::below(inner, rows.height + 1);
        let explanation = sanitise(explanation.unwrap_or_default());
        flow(buf, below, &explanation, view.theme.muted);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let did = Mouse::on(&mut self.list, offered(cx.view.state).len(), event, cx);
        if did.clicked() {
            self.toggle(cx);
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use dap::types::{Capabilities, ExceptionBreakpointsFilter};
    use debugger::State;
    use std::sync::Arc;

    #[test]
    fn filters_are_explained_and_switched() {
        let mut known = stopped_in_main(1, Vec::new());
        known.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
            exception_breakpoint_filters: vec![ExceptionBreakpointsFilter {
                filter: "raised".into(),
                label: "Raised Exceptions".into(),
                description: Some("Break whenever any exception is raised.".into()),
                ..ExceptionBreakpointsFilter::default()
            }],
            ..Capabilities::default()
        });
        let mut stage = Stage::new(known);
        let mut popup = ExceptionFilters::default();
        let screen = stage.draw(&mut popup, 80, 24).join("\n");
        assert!(screen.contains("[ ] Raised Exceptions"), "{screen}");
        assert!(
            screen.contains("Break whenever any exception is raised."),
            "{screen}"
        );
        let mut cx = stage.cx();
        assert!(
            popup
                .invoke("exceptions.condition", &mut cx)
                .unwrap()
                .is_err()
        );
        popup.invoke("exceptions.toggle", &mut cx);
        assert!(matches!(
            cx.effects.last(),
            Some(Effect::Core {
                command: Command::SetExceptionFilters { .. },
                ..
            })
        ));
        drop(cx);
        stage.survives(&mut popup);
    }

    #[test]
    fn without_filters_it_says_so() {
        let mut stage = Stage::new(State::default());
        let screen = stage
            .draw(&mut ExceptionFilters::default(), 80, 24)
            .join("\n");
        assert!(
            screen.contains("Filters are known once a session runs"),
            "{screen}"
        );
        stage.survives(&mut ExceptionFilters::default());
    }
}
