//! The scopes of the selected frame and the values in them.
//!
//! What came with the stop is shown at once; everything else is asked for when it is opened. While the program runs the last
//! values stay, muted, so that nothing flickers during a step.

use debugger::state::FrameScopes;

use super::prelude::*;
use super::variables::{
    Node, ValuePlace,
    panel::{HasTree, TreePanel, follows, has_tree, place_of},
};

/// The pane.
#[derive(Debug, Default)]
pub struct ScopesPane {
    panel: TreePanel,
    /// What the tree was made of, so that it is made again only when that changed.
    made_of: Option<(ValuePlace, bool, FrameScopes)>,
}

has_tree!(ScopesPane);

impl ScopesPane {
    /// What holds the selected value, and its name there.
    pub fn selected_container(&self) -> Option<(i64, String)> {
        let node = self.panel.selected_value()?;
        (node.container > 0).then(|| (node.container, node.name.clone()))
    }

    /// Opens a scope by name and puts the cursor on it.
    pub fn open_scope(&mut self, name: &str, cx: &Cx) {
        let tree = &mut self.panel.tree;
        let key = tree.roots.iter().find(|n| n.name == name);
        let Some(path) = key.map(|n| vec![n.key.clone()]) else {
            return;
        };
        tree.open(path.clone());
        let row = tree.rows.iter().position(|row| tree.path(row) == path);
        tree.select(row.unwrap_or(0));
        self.panel.flush(cx);
    }

    /// Makes the tree of what the state has now.
    fn sync(&mut self, again: bool, cx: &Cx) {
        let Some(place) = place_of(&cx.view) else {
            if self.made_of.take().is_some() {
                self.panel.tree.clear();
            }
            return;
        };
        let Some(scopes) = cx.view.session().and_then(|s| s.current_scopes()) else {
            // A new stop whose scopes are on their way: the old rows stay. Another session's rows do not.
            if self
                .made_of
                .take_if(|(old, ..)| old.session != place.session)
                .is_some()
            {
                self.panel.tree.clear();
            }
            return;
        };
        let hex = cx.view.session().is_some_and(|s| s.hex);
        let made_of = self.made_of.as_ref();
        let known = made_of.filter(|(old, was_hex, _)| !again && *old == place && *was_hex == hex);
        if known.is_some_and(|(.., was)| was == scopes) {
            return;
        }
        if known.is_some_and(|(.., was)| without_previews(was) == without_previews(scopes)) {
            let variables = scopes.scopes.iter().filter_map(|s| s.variables.as_ref());
            let previews = variables
                .flatten()
                .filter_map(|v| Some((v.variables_reference, v.preview.clone()?)));
            self.panel.tree.show_previews(&previews.collect());
            self.made_of = Some((place, hex, scopes.clone()));
            return cx.redraw();
        }
        let roots = scopes
            .scopes
            .iter()
            .enumerate()
            .map(|(i, s)| Node::scope(i, s));
        let roots = roots.chain(scopes.trouble.iter().map(Node::trouble));
        self.panel.tree.set_roots(place.clone(), roots.collect());
        self.made_of = Some((place, hex, scopes.clone()));
        self.panel.flush(cx);
        cx.redraw();
    }
}

/// Scopes as their debugger told them.
fn without_previews(scopes: &FrameScopes) -> FrameScopes {
    let mut scopes = scopes.clone();
    let variables = scopes
        .scopes
        .iter_mut()
        .filter_map(|s| s.variables.as_mut());
    for variable in variables.flatten() {
        variable.preview = None;
    }
    scopes
}

impl Surface for ScopesPane {
    table! { "Scopes";
        "scopes.toggle"       "open or close"     ["enter" "space"], Footer if Self::has_row => Self::toggle;
        "scopes.set-value"    "set value"         ["i"], Footer             if Self::settable => Self::set_value;
        "scopes.watch"        "watch"             ["a"], Footer             if Self::has_expression => Self::watch;
        "scopes.copy-value"   "copy value"        ["y"], Footer             if Self::has_value => Self::copy_value;
        "scopes.filter"       "filter"            ["/"], Footer             if Self::has_row => Self::filter;
        "scopes.clear-filter" "show all, or back" ["esc"]                   => Self::clear;
        "scopes.hexadecimal"  "hex or decimal"    ["x"], Footer             => Self::hex;
        tree "scopes";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let session = canvas.session();
        let (stopped, remark) = standing(canvas, !self.panel.tree.rows.is_empty());
        let inner = panel(canvas, area, Self::TITLE, "", remark);
        if self.panel.tree.rows.is_empty() && self.panel.tree.filter.is_empty() {
            let running = "F6 pauses it, F9 sets a breakpoint";
            let idle = not_stopped(canvas, "No variables yet", running);
            let awaited = session.is_some_and(|s| {
                let selected = s.stop.as_ref().and_then(|stop| stop.selected.as_ref());
                selected.is_some() && s.current_scopes().is_none()
            });
            let none = if awaited {
                ["The variables are being read", "F10 and F5 go on meanwhile"]
            } else {
                ["No variables in this frame", "u and d choose another frame"]
            };
            let lines = idle.unwrap_or(none);
            return empty(canvas, inner, &lines);
        }
        self.panel.draw(canvas, inner);
        if !stopped {
            canvas.style(inner, canvas.theme.muted);
        }
    }

    follows!(Change::Frame { .. });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::action::effect::Effect;
    use crate::routes::debug::kit::test::{Stage, events, stopped_in_main, variable};
    use debugger::Command;
    use debugger::Reply;

    fn pane(stage: &Stage) -> ScopesPane {
        let mut pane = ScopesPane::default();
        pane.message(&events(), &stage.cx());
        pane
    }

    #[test]
    fn values_stand_in_columns_with_marks_for_what_changed() {
        let mut stage = Stage::new(stopped_in_main(
            1,
            vec![variable("total", "41", 0), variable("items", "[3]", 9)],
        ));
        let mut pane = pane(&stage);
        stage.state = stopped_in_main(
            2,
            vec![variable("total", "42", 0), variable("items", "[3]", 9)],
        );
        pane.message(&events(), &stage.cx());
        let screen = stage.draw(&mut pane, 40, 6);
        assert_eq!(
            screen.get(1).map(String::as_str),
            Some("│▾ Locals                             2│")
        );
        assert_eq!(
            screen.get(2).map(String::as_str),
            Some("│    total * 42                        │")
        );
        assert_eq!(
            screen.get(3).map(String::as_str),
            Some("│  ▸ items   [3]                       │")
        );
    }

    #[test]
    fn a_filter_counts_what_it_shows() {
        let locals = vec![variable("total", "41", 0), variable("items", "[3]", 9)];
        let stage = Stage::new(stopped_in_main(1, locals));
        let mut pane = pane(&stage);
        pane.panel.tree.set_filter("tot");
        let screen = stage.draw(&mut pane, 40, 6).join("\n");
        assert!(
            screen.contains("1 of 2") && !screen.contains("items"),
            "{screen}"
        );
    }

    #[test]
    fn a_type_has_the_room_that_name_and_value_leave() {
        let long = "dict of text to a list of numbers";
        let mut map = variable("map", "{}", 0);
        map.type_ = Some(long.into());
        let mut stage = Stage::new(stopped_in_main(1, vec![map]));
        let mut pane = pane(&stage);
        let screen = stage.draw(&mut pane, 60, 6).join("\n");
        assert!(screen.contains(long), "{screen}");
        let mut map = variable("map", &"x".repeat(80), 0);
        map.type_ = Some(long.into());
        stage.state = stopped_in_main(2, vec![map]);
        pane.message(&events(), &stage.cx());
        let screen = stage.draw(&mut pane, 60, 6).join("\n");
        assert!(screen.contains("dict of text …│"), "{screen}");
    }

    #[test]
    fn opening_asks_the_core_and_the_answer_is_shown() {
        let stage = Stage::new(stopped_in_main(1, vec![variable("items", "[3]", 9)]));
        let mut pane = pane(&stage);
        let cx = stage.cx();
        pane.invoke("scopes.down", &cx);
        pane.invoke("scopes.toggle", &cx);
        let Some(Effect::Core {
            command: Command::Variables { reference: 9, .. },
            tag,
        }) = cx.pop()
        else {
            panic!("no request");
        };
        let result = Ok(Reply::Variables {
            variables: vec![variable("[0]", "'a\u{1b}[31m'", 0)],
        });
        pane.message(&Msg::Reply { tag, result }, &cx);
        let screen = stage.draw(&mut pane, 60, 8).join("\n");
        assert!(
            screen.contains("[0]") && screen.contains("'a␛[31m'"),
            "{screen}"
        );
        // Read again it looks the same, and may have other parts.
        let scopes = cx.view.session().and_then(|s| s.current_scopes()).cloned();
        let change = Change::Frame {
            stop: StopId(1),
            frame_id: 1,
            scopes: scopes.unwrap(),
        };
        let session = SessionId(1);
        let kind = EventKind::Session { session, change };
        pane.message(&Msg::Events(vec![Event { seq: 1, kind }].into()), &cx);
        let again = cx.pop();
        let wanted = |effect: &Effect| {
            matches!(
                effect,
                Effect::Core {
                    command: Command::Variables { reference: 9, .. },
                    ..
                }
            )
        };
        assert!(again.as_ref().is_some_and(wanted));
    }

    #[test]
    fn values_are_not_set_where_the_adapter_cannot() {
        let stage = Stage::new(stopped_in_main(1, vec![variable("n", "1", 0)]));
        let mut pane = pane(&stage);
        let cx = stage.cx();
        pane.invoke("scopes.down", &cx);
        assert_eq!(
            pane.invoke("scopes.set-value", &cx),
            Some(Err("This adapter cannot change values."))
        );
    }

    #[test]
    fn it_draws_at_every_size() {
        let mut stage = Stage::new(stopped_in_main(
            1,
            vec![variable("n", "1", 0), variable("列", "'字'", 3)],
        ));
        let mut pane = pane(&stage);
        stage.survives(&mut pane);
        stage.survives(&mut ScopesPane::default());
    }
}
