//! One value, looked at closely: its full text, its type, its parts, where it is in memory.
//!
//! Evaluated in the selected frame as a hover first (adapters promise no side effects there), then as a watch.

use crate::routes::debug::{
    data, declared,
    prelude::*,
    variables::{
        Node,
        panel::{HasTree, TreePanel, has_tree, place_of},
        view,
    },
};

/// Characters of a value that are wrapped and shown; all of it can be copied.
const SHOWN: usize = 8_000;

/// The popup.
#[derive(Debug, Default)]
pub struct Inspect {
    expression: String,
    panel: TreePanel,
    /// Contexts still to try.
    contexts: Vec<&'static str>,
    asked: PendingAnswer,
    value: Option<Node>,
    trouble: Option<String>,
}

/// Evaluates `expression` without side effects, as far as the adapter can, and shows what comes.
pub fn open(expression: &str, cx: &Cx) {
    cx.extend(opening(expression, &["hover", "watch"]));
}

/// Effects that evaluate `expression` as the prompt does, side effects included, and show what comes.
pub fn evaluated(expression: &str) -> Vec<Effect> {
    opening(expression, &["repl"])
}

fn opening(expression: &str, contexts: &[&'static str]) -> Vec<Effect> {
    let mut popup = Inspect {
        expression: expression.to_owned(),
        contexts: contexts.iter().rev().copied().collect(),
        ..Inspect::default()
    };
    let ask = popup.ask();
    std::iter::once(Effect::open(popup)).chain(ask).collect()
}

has_tree!(Inspect);

impl Inspect {
    /// Tries the next context; `None` = none is left.
    fn ask(&mut self) -> Option<Effect> {
        let context = self.contexts.pop()?;
        let command = evaluate(None, self.expression.clone(), context);
        Some(self.asked.asking((), command))
    }

    fn show(&mut self, node: Node, cx: &Cx) {
        let place = place_of(&cx.view).unwrap_or_default();
        let path = vec![node.key.clone()];
        self.value = Some(node.clone());
        self.trouble = None;
        self.panel.tree.set_roots(place, vec![node]);
        self.panel.tree.open(path);
        self.panel.flush(cx);
    }

    fn watch(&mut self, cx: &Cx) {
        if self.panel.tree.selected == 0 {
            let expression = self.expression.clone();
            cx.info(format!("Watching {}.", short(&expression)));
            cx.core(Command::AddWatch { expression });
        } else {
            HasTree::watch(self, cx);
        }
    }

    /// The value's text in lines for a width, and whether some of it is left out.
    fn lines(&self, cells: usize) -> (Vec<String>, bool) {
        let selected = self.panel.selected_value();
        let Some(node) = selected.or(self.value.as_ref()) else {
            return (Vec::new(), false);
        };
        let shown = node.shown();
        let near: String = shown.chars().take(SHOWN).collect();
        let more = near.len() < shown.len();
        (wrapped(&near, cells), more)
    }
}

gates! { Inspect, s, _;
    known: s.value.as_ref(), "There is no value yet.";
}

impl Surface for Inspect {
    table! { "Inspect", s, cx;
        "inspect.toggle"      "open or close"              ["enter" "space"], Footer if Self::has_row => Self::toggle;
        "inspect.watch"       "watch"                      ["a"], Footer             if known => Self::watch;
        "inspect.set-value"   "set value"                  ["i"], Footer             if Self::settable => Self::set_value;
        "inspect.copy-value"  "copy value"                 ["y"], Footer             if Self::has_value => Self::copy_value;
        "inspect.data"        "view as data"               ["v"]                   if Self::has_expression => {
            if let Some(expression) = s.panel.tree.selected_expression() {
                cx.close();
                cx.emit(data::open(expression, false));
            }
        };
        "inspect.declared"    "go to where it is declared" ["f12" "alt-d"]           if |s, _| s.panel.declared().map(|_| ()) => {
            cx.close();
            cx.extend(declared::of_selected(&s.panel));
        };
        "inspect.hexadecimal" "hex or decimal"             ["x"]                     => Self::hex;
        "inspect.filter"      "filter"                     ["/"]                     if Self::has_row => Self::filter;
        "inspect.close"       "close"                      ["esc"], Footer           => cx.close();
        tree "inspect";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let wide = (area.width * 4 / 5).clamp(30, 110);
        let most = (area.height * 3 / 4).max(4);
        let (lines, more) = self.lines(usize::from(wide).saturating_sub(2));
        let opens = self.panel.tree.rows.len() > 1;
        // The selected value's full text above its place in the tree: only as much of each as there is.
        let text = (lines.len().max(1) as u16).min(if opens { most / 3 } else { most }.max(1));
        let rows = self.panel.tree.rows.len() as u16;
        let high = (text + 1 + if opens { rows + 1 } else { 0 }).min(most);
        let title = short(&self.expression);
        let type_name = self.value.as_ref().and_then(|v| v.type_name.as_deref());
        let type_name = type_name.unwrap_or_default();
        let inner = dialog(canvas, area, (wide, high), &title, type_name);
        if let Some(trouble) = &self.trouble {
            let trouble = sanitise_block(trouble).replace('\n', " ");
            return flow(canvas, inner, &trouble, canvas.theme.error);
        }
        let Some(value) = &self.value else {
            canvas.text(inner.row(0), "evaluating…", canvas.theme.muted);
            return;
        };
        let style = view::value_style(value.shown(), canvas);
        for (line, at) in lines.iter().take(usize::from(text)).zip(0..inner.height) {
            canvas.text(inner.row(at), line, style);
        }
        let cut = more || lines.len() > usize::from(text);
        let mut note = canvas.cells_at(inner);
        if cut {
            note.remark("y copies all of it");
        }
        if let Some(memory) = &value.memory_reference {
            note.muted("at ").put(memory, canvas.theme.number);
        }
        note.draw(canvas, inner.row(text));
        if opens {
            self.panel.draw(canvas, inner.below(text + 1));
        }
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        let Some(((), result)) = self.asked.answer(msg) else {
            return self.panel.on_msg(msg, cx);
        };
        cx.redraw();
        match result {
            Ok(Reply::Value { value }) => self.show(Node::evaluated(&self.expression, value), cx),
            Ok(_) => self.trouble = Some("The answer was not a value.".into()),
            Err(e) => match self.ask() {
                Some(again) => cx.emit(again),
                None => self.trouble = Some(with_hint(e)),
            },
        }
    }

    input_of!(panel);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main, variable};
    use debugger::{DebuggerError, ErrorKind, Evaluated, State};

    fn opened(stage: &Stage) -> (Box<dyn Layer>, Tag) {
        let cx = stage.cx();
        open("items", &cx);
        let mut effects = cx.effects.take().into_iter();
        let Some(Effect::Open(popup)) = effects.next() else {
            panic!("nothing opened")
        };
        let Some(Effect::Core { tag, .. }) = effects.next() else {
            panic!("nothing asked")
        };
        (popup, tag)
    }

    #[test]
    fn a_hover_that_fails_is_tried_as_a_watch_and_the_value_opens() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let (mut popup, hover) = opened(&stage);
        let cx = stage.cx();
        let error = || {
            Err(DebuggerError::new(
                ErrorKind::Adapter,
                "hover is not supported",
            ))
        };
        popup.message(
            &Msg::Reply {
                tag: hover,
                result: error(),
            },
            &cx,
        );
        let Some(Effect::Core {
            command: Command::Evaluate { context, .. },
            tag,
        }) = cx.pop()
        else {
            panic!("not tried again");
        };
        assert_eq!(context, "watch");
        let value = Evaluated {
            result: "[1, 2]".into(),
            type_name: Some("list".into()),
            variables_reference: 9,
            ..Evaluated::default()
        };
        popup.message(
            &Msg::Reply {
                tag,
                result: Ok(Reply::Value { value }),
            },
            &cx,
        );
        let Some(Effect::Core { tag, .. }) = cx.pop() else {
            panic!("its parts are not asked for")
        };
        let variables = vec![variable("[0]", "1", 0), variable("[1]", "2", 0)];
        popup.message(
            &Msg::Reply {
                tag,
                result: Ok(Reply::Variables { variables }),
            },
            &cx,
        );
        let text = stage.draw(&mut *popup, 80, 24).join("\n");
        assert!(
            text.contains("`items`")
                && text.contains("list")
                && text.contains("[1, 2]")
                && text.contains("[1]"),
            "{text}"
        );
    }

    #[test]
    fn an_error_is_shown_in_place() {
        let mut stage = Stage::new(State::default());
        let (mut popup, tag) = opened(&stage);
        let cx = stage.cx();
        popup.message(
            &Msg::Reply {
                tag,
                result: Err(DebuggerError::new(
                    ErrorKind::State,
                    "No thread is stopped.",
                )),
            },
            &cx,
        );
        let Some(Effect::Core { tag, .. }) = cx.pop() else {
            panic!()
        };
        popup.message(
            &Msg::Reply {
                tag,
                result: Err(DebuggerError::new(
                    ErrorKind::State,
                    "No thread is stopped.",
                )),
            },
            &cx,
        );
        drop(cx);
        assert!(
            stage
                .draw(&mut *popup, 80, 24)
                .join("\n")
                .contains("No thread is stopped.")
        );
        stage.survives(&mut *popup);
    }
}
