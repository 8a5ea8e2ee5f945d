//! Watch expressions and what they come to in the selected frame. The core evaluates them at each stop; parts of a value are
//! asked for when it is opened.

use debugger::{
    Outcome,
    state::{Watch, WatchValue},
};

use super::prelude::*;
use super::variables::{
    Node, ValuePlace,
    panel::{HasTree, TreePanel, follows, has_tree, place_of},
};

/// What the tree was made of.
type TreeInputs = (Option<ValuePlace>, Vec<(Watch, Option<WatchValue>)>);

/// The pane.
#[derive(Debug, Default)]
pub struct WatchesPane {
    panel: TreePanel,
    made_of: Option<TreeInputs>,
}

has_tree!(WatchesPane);

impl WatchesPane {
    fn sync(&mut self, again: bool, cx: &Cx) {
        // An expression is the same in every thread.
        let place = place_of(&cx.view).map(|place| ValuePlace {
            thread: None,
            ..place
        });
        let stop = stop_of(&cx.view);
        let value = |w: &Watch| stop.and_then(|s| s.watches.get(&w.id)).cloned();
        let watches = cx.view.state.watches.iter();
        let made = (place, watches.map(|w| (w.clone(), value(w))).collect());
        if !again && self.made_of.as_ref() == Some(&made) {
            return;
        }
        let roots = made
            .1
            .iter()
            .map(|(watch, value)| node(watch, value.as_ref()));
        let place = made.0.clone().unwrap_or_default();
        self.panel.tree.set_roots(place, roots.collect());
        self.made_of = Some(made);
        self.panel.flush(cx);
        cx.redraw();
    }

    fn selected_watch(&self) -> Option<&Watch> {
        let (_, watches) = self.made_of.as_ref()?;
        watches
            .get(self.panel.tree.selected_root()?)
            .map(|(w, _)| w)
    }

    fn on_root(&self) -> bool {
        let tree = &self.panel.tree;
        tree.rows
            .get(tree.selected)
            .is_some_and(|row| row.depth == 0)
    }

    /// Opens or closes; one that was set aside is evaluated again.
    fn toggle(&mut self, cx: &Cx) {
        match self.selected_watch().filter(|_| self.on_root()) {
            Some(Watch {
                id,
                expression,
                aside: Some(_),
            }) => cx.core(Command::EditWatch {
                id: *id,
                expression: expression.clone(),
            }),
            _ => HasTree::toggle(self, cx),
        }
    }

    fn edit(&mut self, cx: &Cx) {
        if !self.on_root() {
            HasTree::set_value(self, cx);
            return;
        }
        let Some(watch) = self.selected_watch().cloned() else {
            return;
        };
        let id = watch.id;
        let then = move |text: &str| {
            let expression = text.to_owned();
            vec![Effect::core(Command::EditWatch { id, expression })]
        };
        let title = format!("Change {}", short(&watch.expression));
        let hint = "Enter keeps it, Esc leaves it as it was.";
        cx.open(prompt(
            title,
            hint,
            watch.expression,
            Some("an expression"),
            then,
        ));
    }
}

/// Watches what was typed.
pub fn watch(expression: &str) -> Vec<Effect> {
    let expression = expression.to_owned();
    vec![Effect::core(Command::AddWatch { expression })]
}

fn node(watch: &Watch, value: Option<&WatchValue>) -> Node {
    let mut node = Node {
        key: watch.expression.clone(),
        name: watch.expression.clone(),
        evaluate_name: Some(watch.expression.clone()),
        ..Node::default()
    };
    if let Some(why) = &watch.aside {
        // The key before the reason: a narrow pane shows only the beginning.
        node.value = format!("Enter retries; {why}");
        node.failed = true;
        node.unread = true;
        return node;
    }
    match value.map(|v| (&v.result, v)) {
        Some((Outcome::Value(text), value)) => {
            node.value.clone_from(text);
            node.preview.clone_from(&value.preview);
            node.type_name = value.type_name.clone().filter(|t| !t.is_empty());
            node.reference = value.variables_reference;
            node.declared.value = value.declared;
        }
        Some((Outcome::Error(text), _)) => {
            node.value.clone_from(text);
            node.failed = true;
        }
        None => {
            node.value = "not evaluated".into();
            node.quiet = true;
            node.unread = true;
        }
    }
    node
}

impl Surface for WatchesPane {
    table! { "Watches", s, cx;
           "watches.add"          "add"               ["a"], Footer => {
               let hint = "An expression in the program's language, evaluated at every stop.";
               cx.open(prompt("Watch an expression", hint, "", Some("an expression"), watch));
           };
           "watches.edit"         "edit"              ["i"], Footer             if |s, v| if s.on_root() { Ok(()) } else { s.panel.can_set(v) } => Self::edit;
           "watches.remove"       "remove"            ["x" "delete"], Footer    if Self::has_row => {
    if let Some(watch) = s.selected_watch() { cx.core(Command::RemoveWatch { id: watch.id }); }
    };
           "watches.toggle"       "open or close"     ["enter" "space"], Footer if Self::has_row => Self::toggle;
           "watches.copy-value"   "copy value"        ["y"], Footer             if Self::has_value => Self::copy_value;
           "watches.filter"       "filter"            ["/"]                     if Self::has_row => Self::filter;
           "watches.clear-filter" "show all, or back" ["esc"]                   => Self::clear;
           "watches.hexadecimal"  "hex or decimal"    ["H"]                     => Self::hex;
           tree "watches";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let count = canvas.state.watches.len();
        let (stopped, remark) = standing(canvas, count > 0);
        let inner = panel(canvas, area, Self::TITLE, &badge(count), remark);
        if self.panel.tree.rows.is_empty() && self.panel.tree.filter.is_empty() {
            return empty(
                canvas,
                inner,
                &[
                    "No watches",
                    "a adds an expression, w the name at the cursor",
                ],
            );
        }
        self.panel.draw(canvas, inner);
        if !stopped {
            canvas.style(inner, canvas.theme.muted);
        }
    }

    follows!(Change::Watch { .. });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, events, stopped_in_main};
    use debugger::WatchId;

    fn stage() -> Stage {
        let mut state = stopped_in_main(1, Vec::new());
        for (id, expression) in [(1, "len(items)"), (2, "nope"), (3, "later")] {
            state.watches.push(Watch {
                id: WatchId(id),
                expression: expression.into(),
                aside: None,
            });
        }
        let stop = state
            .sessions
            .first_mut()
            .and_then(|s| s.stop.as_mut())
            .unwrap();
        let value = |result| WatchValue {
            result,
            ..WatchValue::default()
        };
        stop.watches
            .insert(WatchId(1), value(Outcome::Value("3".into())));
        stop.watches
            .insert(WatchId(2), value(Outcome::Error("NameError: nope".into())));
        Stage::new(state)
    }

    #[test]
    fn values_errors_and_what_is_not_known_yet_are_told_apart() {
        let stage = stage();
        let mut pane = WatchesPane::default();
        pane.message(&events(), &stage.cx());
        let screen = stage.draw(&mut pane, 60, 6).join("\n");
        assert!(screen.contains("len(items)   3"), "{screen}");
        assert!(screen.contains("✗ NameError: nope"), "{screen}");
        assert!(screen.contains("not evaluated"), "{screen}");
    }

    #[test]
    fn a_value_is_compared_with_the_one_that_was_read_last() {
        let mut stage = stage();
        let mut pane = WatchesPane::default();
        for (stop, values, changed) in [
            (11, ["3", "✗", "x"], false),
            (12, ["", "", ""], false),
            (13, ["3", "✗", "x"], false),
            (14, ["", "", ""], false),
            (15, ["4", "", ""], true),
        ] {
            let at = stage.state.sessions[0].stop.as_mut().unwrap();
            at.id = StopId(stop);
            // At each stop they come later than the stop does.
            at.watches.clear();
            pane.message(&events(), &stage.cx());
            let at = stage.state.sessions[0].stop.as_mut().unwrap();
            for (id, value) in (1..).zip(values).filter(|(_, value)| !value.is_empty()) {
                let result = match value {
                    "✗" => Outcome::Error(value.into()),
                    _ => Outcome::Value(value.into()),
                };
                let value = WatchValue {
                    result,
                    ..WatchValue::default()
                };
                at.watches.insert(WatchId(id), value);
            }
            pane.message(&events(), &stage.cx());
            let screen = stage.draw(&mut pane, 60, 6).join("\n");
            assert_eq!(screen.contains('*'), changed, "{stop}: {screen}");
        }
    }

    #[test]
    fn a_watch_that_was_set_aside_names_its_key_in_a_narrow_pane_and_the_reason_in_a_wide_one() {
        let mut stage = stage();
        stage.state.watches[2].expression = "__import__('time').sleep(60)".into();
        stage.state.watches[2].aside = Some("took over 1 s".into());
        for (columns, shown) in [(62, "✗ Enter retries; took over 1 s"), (32, "✗ Enter re")] {
            let mut pane = WatchesPane::default();
            pane.message(&events(), &stage.cx());
            let screen = stage.draw(&mut pane, columns, 6).join("\n");
            assert!(screen.contains(shown), "{screen}");
        }
    }

    #[test]
    fn removing_means_the_watch_that_is_selected() {
        let stage = stage();
        let mut pane = WatchesPane::default();
        let cx = stage.cx();
        pane.message(&events(), &cx);
        pane.invoke("watches.down", &cx);
        pane.invoke("watches.remove", &cx);
        assert!(matches!(
            cx.effects.borrow().as_slice(),
            [Effect::Core {
                command: Command::RemoveWatch { id: WatchId(2) },
                ..
            }]
        ));
    }

    #[test]
    fn it_draws_at_every_size() {
        let mut stage = stage();
        let mut pane = WatchesPane::default();
        pane.message(&events(), &stage.cx());
        stage.survives(&mut pane);
    }
}
