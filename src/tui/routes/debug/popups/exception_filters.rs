//! On which exceptions to stop: the adapter's filters, each with its explanation and, where it takes one, a condition, and types.

use debugger::ExceptionFilter;

use crate::routes::debug::{
    breakpoints::filters::{Offered, draw_narrowed, offered, others, switch, with},
    prelude::*,
};

/// Lines kept for the explanation.
const EXPLANATION: u16 = 3;

/// The popup.
#[derive(Debug, Default)]
pub struct ExceptionFilters {
    list: ListState,
}

/// Opens it at the first filter.
pub fn open(cx: &Cx) {
    cx.open(ExceptionFilters::default());
}

/// Opens it at one filter.
pub fn open_at(filter: &str, cx: &Cx) {
    let mut popup = ExceptionFilters::default();
    let mut filters = offered(&cx.view.state).into_iter();
    popup.list.select(filters.position(|f| f.filter == filter));
    cx.open(popup);
}

impl ExceptionFilters {
    fn selected<'a>(&self, view: &'a View) -> Option<Offered<'a>> {
        let at = self.list.selected().unwrap_or(0);
        offered(&view.state).get(at).copied()
    }

    fn toggle(&mut self, cx: &Cx) {
        if let Some(f) = self.selected(&cx.view) {
            cx.core(switch(&cx.view.state, f.filter, !f.on));
        }
    }

    fn condition(&mut self, cx: &Cx) {
        let Some(f) = self.selected(&cx.view) else {
            return;
        };
        let as_it_is = wish_of(&f);
        // The others as they are now; only this one changes with the answer.
        let others = others(&cx.view.state, f.filter);
        let then = move |text: &str| {
            let condition = (!text.is_empty()).then(|| text.to_owned());
            let wish = ExceptionFilter {
                condition,
                ..as_it_is
            };
            vec![Effect::core(with(others, wish))]
        };
        let says = f.takes_condition.unwrap_or_default();
        let hint = format!("{}. Nothing = always.", says.trim_end_matches('.'));
        cx.open(prompt(
            format!("Condition of {}", f.label),
            hint,
            f.condition.unwrap_or_default(),
            None,
            then,
        ));
    }
}

gates! { ExceptionFilters, s, view;
    any: s.selected(view), "The adapter offers no exception filters.";
 takes_condition: s.selected(view).and_then(|f| f.takes_condition), "This filter takes no condition.";
}
gates! { ExceptionFilters, _, view;
    chosen: view.state.exception_filters.as_ref(), "The adapter's defaults hold already.";
}

impl Scrolls for ExceptionFilters {
    fn walk(&mut self, step: Step, cx: &Cx) {
        Scrolled::Rows(&mut self.list, offered(&cx.view.state).len()).walk(step);
    }
}

/// Asks for the name of a type.
fn add_type(cx: &Cx) {
    let others = others(&cx.view.state, "");
    let then = move |name: &str| {
        let wish = ExceptionFilter {
            by_type: true,
            ..ExceptionFilter::named(name)
        };
        vec![Effect::core(with(others, wish))]
    };
    let hint = "Its name: KeyError, std::bad_alloc. What is raised of other types stops nothing.";
    let missing = Some("the name of a type");
    cx.open(prompt(
        "Stop at exceptions of a type",
        hint,
        "",
        missing,
        then,
    ));
}

/// A filter switched on as it is now.
fn wish_of(f: &Offered<'_>) -> ExceptionFilter {
    ExceptionFilter {
        off: false,
        ..f.wish()
    }
}

impl Surface for ExceptionFilters {
    table! { "Stop on exceptions", s, cx;
        "exceptions.toggle"    "on or off"          ["space" "enter"], Footer if any => Self::toggle;
        "exceptions.type"      "add a type"         ["a"], Footer             => add_type(cx);
        "exceptions.condition" "condition"          ["i"], Footer             if takes_condition => Self::condition;
        "exceptions.defaults"  "adapter's defaults" ["x"], Footer             if chosen => {
            cx.core(Command::SetExceptionFilters { filters: None });
        };
        "exceptions.close"     "close"              ["esc"], Footer           => cx.close();
        walk "exceptions" "up" "down";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let filters = offered(&canvas.state);
        let height = (filters.len() as u16).clamp(2, 14) + EXPLANATION + 1;
        let right = if !filters.is_empty() && filters.iter().all(|f| f.by_default) {
            "adapter's defaults"
        } else {
            ""
        };
        let inner = dialog(canvas, area, (64, height), Self::TITLE, right);
        if filters.is_empty() {
            let why = if canvas.session().is_some() {
                "This adapter offers no exception filters"
            } else {
                "Filters are known once a session runs"
            };
            return empty(canvas, inner, &[why, "Esc closes this"]);
        }
        self.list.begin();
        let rows = top(inner, inner.height.saturating_sub(EXPLANATION + 1).max(1));
        let list = List::new(canvas.look(), filters.len());
        list.lines(canvas, rows, &mut self.list, |row, cells| {
            let Some(f) = filters.get(row.index) else {
                return;
            };
            let style = canvas.theme.text_if(f.on);
            cells
                .put(if f.on { "[x] " } else { "[ ] " }, style)
                .put(f.label, style);
            if f.condition.is_none() && f.takes_condition.is_some() {
                cells.remark("i: condition");
            }
            draw_narrowed(f, cells);
        });
        let explanation = self.selected(canvas).and_then(|f| f.description);
        let below = inner.below(rows.height + 1);
        let explanation = sanitise(explanation.unwrap_or_default());
        flow(canvas, below, &explanation, canvas.theme.muted);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let did = Mouse::on(&mut self.list, offered(&cx.view.state).len(), event, cx);
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
        let cx = stage.cx();
        assert!(popup.invoke("exceptions.condition", &cx).unwrap().is_err());
        popup.invoke("exceptions.toggle", &cx);
        assert!(matches!(
            cx.effects.borrow().last(),
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
