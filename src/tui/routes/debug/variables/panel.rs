//! The tree with its hands: what keys and mouse do to it is the same in scopes, watches and inspected values.

use dap::tolerant::is_cut;
use debugger::UNDECLARED;

use super::{Declared, Node, OWNER, Path, Tree, ValuePlace, view};
use crate::{debug_prelude::*, routes::debug::data};

/// A tree that is drawn and worked with.
#[derive(Debug, Default)]
pub struct TreePanel {
    /// The values.
    pub tree: Tree,
    list: ListState,
    hex: bool,
    /// While a filter is typed.
    typing: Filter,
    /// The path of a value being set.
    setting: PendingAnswer<Path>,
    /// The whole of a value being asked for, to be copied: what it is.
    copying: PendingAnswer<String>,
    /// Why the last one could not be set, and when that was: at the next stop it is no longer said, nor once one goes on here.
    trouble: Option<(SessionId, StopId, Path, String)>,
}

/// This surface has a tree in its `panel`.
macro_rules! has_tree {
    ($surface:ident) => {
        impl HasTree for $surface {
            fn panel(&self) -> &TreePanel {
                &self.panel
            }

            fn panel_mut(&mut self) -> &mut TreePanel {
                &mut self.panel
            }
        }
    };
}
pub(crate) use has_tree;

/// A pane with such a tree follows the state by its `sync`, which learns whether the values were read again: those that look the same may
/// have other parts. All else is the tree's.
macro_rules! follows {
    ($reading:pat) => {
        fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
            match msg {
                Msg::Events(events) => {
                    let shown = cx.view.session().map(|session| session.id);
                    let again = events.iter().any(|event| {
                        matches!(&event.kind, EventKind::Session { session, change: $reading }
                            if Some(*session) == shown)
                    });
                    self.sync(again, cx);
                }
                _ => self.panel.on_msg(msg, cx),
            }
        }

        input_of!(panel);
    };
}
pub(crate) use follows;

/// A surface with such a tree, and what its table does with it.
pub trait HasTree: Sized {
    /// The tree.
    fn panel(&self) -> &TreePanel;
    /// The same, to change.
    fn panel_mut(&mut self) -> &mut TreePanel;

    /// For `enabled`: a row is selected.
    fn has_row(&self, _: &View) -> Enabled {
        (!self.panel().tree.rows.is_empty()).or_why("There is nothing here.")
    }

    /// For `enabled`: a value is selected.
    fn has_value(&self, _: &View) -> Enabled {
        self.panel()
            .selected_value()
            .or_why("Select a value first.")
    }

    /// For `enabled`: an expression is selected.
    fn has_expression(&self, _: &View) -> Enabled {
        self.panel()
            .tree
            .selected_expression()
            .or_why("The adapter gives no expression for this row.")
    }

    /// For `enabled`: the selected value can be changed.
    fn settable(&self, view: &View) -> Enabled {
        self.panel().can_set(view)
    }

    /// Opens the selected row, or loads what it stands for.
    fn expand(&mut self, cx: &Cx) {
        self.panel_mut().act().expand();
        self.panel_mut().flush(cx);
    }

    /// Opens or closes the selected row.
    fn toggle(&mut self, cx: &Cx) {
        self.panel_mut().act().toggle();
        self.panel_mut().flush(cx);
    }

    /// Closes the selected row, or goes to the one that holds it.
    fn collapse(&mut self, _: &Cx) {
        self.panel_mut().act().collapse();
    }

    /// Begins to type a filter.
    fn filter(&mut self, _: &Cx) {
        let panel = self.panel_mut();
        panel.typing.begin(&panel.tree.filter);
    }

    /// Shows all rows again and forgets what went wrong; with neither, Esc means what it means everywhere.
    fn clear(&mut self, cx: &Cx) {
        let panel = self.panel_mut();
        if panel.tree.filter.is_empty() && panel.trouble.is_none() {
            cx.invoke("app.back");
        }
        panel.tree.set_filter("");
        panel.trouble = None;
    }

    /// Whole numbers in hexadecimal, or as they came.
    fn hex(&mut self, _: &Cx) {
        let panel = self.panel_mut();
        panel.hex = !panel.hex;
    }

    /// Copies the selected value.
    fn copy_value(&mut self, cx: &Cx) {
        let panel = self.panel_mut();
        let Some(node) = panel.selected_value() else {
            return;
        };
        let what = format!("value of {}", short(&node.name));
        let text = node.shown().to_owned();
        let place = &panel.tree.place;
        let stop = cx.view.state.session(place.session);
        let stop = stop.and_then(Session::current_stop);
        let stop = stop.filter(|stop| stop.past.is_none() && stop.id == place.stop);
        let whole = panel.tree.selected_expression().filter(|_| is_cut(&text));
        let (Some(_), Some(expression)) = (stop, whole) else {
            return cx.copy(text, what);
        };
        // What everyone keeps of a huge value is its beginning; the whole is for the one who asks.
        let whole = evaluate(Some(place.session), expression, "clipboard");
        panel.copying.ask(what, whole, cx);
    }

    /// Copies the expression that gives the selected value.
    fn copy_expression(&mut self, cx: &Cx) {
        if let Some(text) = self.panel().tree.selected_expression() {
            let what = format!("expression {}", short(&text));
            cx.copy(text, what);
        }
    }

    /// Adds the selected expression to the watches.
    fn watch(&mut self, cx: &Cx) {
        if let Some(expression) = self.panel().tree.selected_expression() {
            cx.info(format!("Watching {}.", short(&expression)));
            cx.core(Command::AddWatch { expression });
        }
    }

    /// Asks with what the selected value is to be compared.
    fn compare(&mut self, cx: &Cx) {
        let expression = self.panel().tree.selected_expression();
        cx.extend(expression.map(|expression| data::open(expression, true)));
    }

    /// Asks for a new value of the selected row, and sets it.
    fn set_value(&mut self, cx: &Cx) {
        let panel = self.panel_mut();
        let Some(row) = panel.tree.rows.get(panel.tree.selected).cloned() else {
            return;
        };
        let path = panel.tree.path(&row);
        let Some(node) = panel.selected_value().cloned() else {
            return;
        };
        let place = panel.tree.place.clone();
        let expression = panel.tree.selected_expression();
        let tag = panel.setting.open(path);
        panel.trouble = None;
        // To set the beginning of a value would be to lose its end.
        let proposal = Some(&node.value)
            .filter(|value| !is_cut(value) && !node.lazy)
            .cloned();
        let question = prompt(
            format!("New value of {}", short(&node.name)),
            "An expression in the program's language. Enter sets it.",
            proposal.unwrap_or_default(),
            Some("a value"),
            move |text| {
                // What a row shows need not be what the language takes.
                if text == node.value {
                    return Vec::new();
                }
                let command = Command::SetVariable {
                    session: Some(place.session),
                    stop: place.stop,
                    container: node.container,
                    name: node.name,
                    evaluate_name: expression,
                    value: text.to_owned(),
                };
                vec![Effect::Core { command, tag }]
            },
        );
        cx.open(question);
    }
}

impl TreePanel {
    /// The tree, for what one does next in it.
    fn act(&mut self) -> &mut Tree {
        self.trouble = None;
        &mut self.tree
    }

    /// Sends what the tree asks for.
    pub fn flush(&mut self, cx: &Cx) {
        self.tree.flush(cx);
    }

    /// Takes in answers to its own requests.
    pub fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some((path, result)) = self.setting.answer(msg) {
            let ValuePlace { session, stop, .. } = self.tree.place;
            let failed = result.as_ref().err();
            self.trouble = failed.map(|e| (session, stop, path, e.what.clone()));
            if let Some((.., path, text)) = &self.trouble {
                // The row below has no room for all of it; among the messages it can be read whole.
                let name = path.last().map_or("", String::as_str);
                cx.warn(format!("{name}: {text}"));
            }
            cx.redraw();
        } else if let Some((what, result)) = self.copying.answer(msg) {
            cx.emit(match result {
                Ok(Reply::Value { value }) => Effect::Copy {
                    text: value.result.clone(),
                    what,
                },
                Ok(_) => Effect::warn("The answer was not a value."),
                Err(e) => Effect::warn(format!("The {what} was not copied: {}", e.what)),
            });
        } else if let Msg::Reply {
            tag: Tag(OWNER, number),
            result,
        } = msg
            && self.tree.awaits(*number)
        {
            self.tree.take(*number, result, cx);
            cx.redraw();
        }
    }

    /// Draws the rows, and below them what is being typed or what went wrong.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let mut rows = self.typing.draw(canvas, area, &self.tree.filter);
        let ValuePlace { session, stop, .. } = self.tree.place;
        self.trouble
            .take_if(|(of, at, ..)| (*of, *at) != (session, stop));
        if let Some((.., path, text)) = self.trouble.as_ref().filter(|_| rows == area)
            && area.height > 1
        {
            let (above, foot) = over_last(area);
            let name = path.last().map_or("", String::as_str);
            let text = format!("{} {name}: {text}", canvas.symbols.error);
            cut_line(canvas, foot, &text, canvas.theme.error);
            rows = above;
        }
        view::draw(canvas, rows, &self.tree, &mut self.list, self.hex);
    }

    narrows_of!(pub typing, narrow);

    fn narrow(&mut self, text: &str) {
        self.tree.set_filter(text);
    }

    /// A mouse event over the rows.
    pub fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        if let Some(by) = wheel(&event) {
            self.list.scroll_by(by, self.tree.rows.len());
            cx.redraw();
            return true;
        }
        if event.kind != CLICK {
            return false;
        }
        let Some(row) = self.list.row_at(event.column, event.row) else {
            return false;
        };
        if row == self.act().selected {
            self.tree.toggle();
            self.flush(cx);
        } else {
            self.tree.select(row);
        }
        cx.redraw();
        true
    }

    /// The value with the cursor.
    pub fn selected_value(&self) -> Option<&Node> {
        self.tree.selected_node().filter(|n| n.is_value())
    }

    /// Where the selected value is in memory, and its name; `None` when its adapter does not tell.
    pub fn selected_place(&self) -> Option<(String, String)> {
        let node = self.selected_value()?;
        Some((node.memory_reference.clone()?, node.name.clone()))
    }

    /// Where the selected value and its variable are declared, by the adapter's references, and whose they are; or why
    /// that cannot be known.
    pub fn declared(&self) -> Result<(Declared, &ValuePlace), &'static str> {
        let node = self.selected_value().ok_or("Select a value first.")?;
        let row = self.tree.rows.get(self.tree.selected);
        if row.is_some_and(|row| row.stale) {
            return Err("It is still being read.");
        }
        match node.declared {
            Declared {
                value: None,
                variable: None,
            } => Err(UNDECLARED),
            known => Ok((known, &self.tree.place)),
        }
    }

    /// Whether the selected value can be changed, and why not.
    pub fn can_set(&self, view: &View) -> Enabled {
        let Some(session) = view.session().filter(|s| s.phase == Phase::Stopped) else {
            return Err("Values can be changed only while the program is stopped.");
        };
        let Some(node) = self.selected_value().filter(|n| !n.lazy) else {
            return Err("Select a value first.");
        };
        if node.read_only {
            return Err("The adapter says that this value is read-only.");
        }
        let capabilities = &session.capabilities;
        let by_name = node.container > 0 && capabilities.supports_set_variable;
        let by_expression = node.evaluate_name.is_some() && capabilities.supports_set_expression;
        let able = capabilities.supports_set_variable || capabilities.supports_set_expression;
        able.or_why("This adapter cannot change values.")?;
        (by_name || by_expression).or_why("The adapter gives no way to change this value.")
    }
}

impl<S: HasTree> Scrolls for S {
    fn walk(&mut self, step: Step, cx: &Cx) {
        let panel = self.panel_mut();
        let by = step.rows(panel.list.visible().len());
        panel.act().step(by);
        panel.flush(cx);
    }
}

/// Where values belong that are true of the focused session's selected frame; `None` without a stop.
pub fn place_of(view: &View) -> Option<ValuePlace> {
    let session = view.session()?;
    let stop = session.stop.as_ref()?;
    Some(ValuePlace {
        session: session.id,
        stop: stop.id,
        frame: session
            .current_frame()
            .map_or_else(String::new, function_of),
        thread: session.current_thread(),
    })
}

/// The function of a frame and its file: values of one are compared with those of the same.
pub fn function_of(frame: &StackFrame) -> String {
    format!("{}\n{}", frame.name, frame.file().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::Layer,
        routes::debug::{
            kit::test::{Stage, events, stopped_in_main, variable},
            scopes::ScopesPane,
        },
    };

    #[test]
    fn what_could_not_be_set_is_said_until_the_next_key_or_stop() {
        let at = |stop| stopped_in_main(stop, vec![variable("n", "1", 0)]);
        let mut stage = Stage::new(at(1));
        let mut pane = ScopesPane::default();
        pane.message(&events(), &stage.cx());
        let fail = |pane: &mut ScopesPane| {
            let panel = pane.panel_mut();
            let path = vec!["n".to_owned()];
            panel.trouble = Some((SessionId(1), StopId(1), path, "not changed".into()));
        };
        let is_said = |pane: &mut ScopesPane, stage: &Stage| {
            stage
                .draw(pane, 40, 8)
                .join("\n")
                .contains("n: not changed")
        };
        fail(&mut pane);
        assert!(is_said(&mut pane, &stage));
        pane.invoke("scopes.down", &stage.cx());
        assert!(!is_said(&mut pane, &stage));
        fail(&mut pane);
        stage.state = at(2);
        pane.message(&events(), &stage.cx());
        assert!(!is_said(&mut pane, &stage));
    }
}
