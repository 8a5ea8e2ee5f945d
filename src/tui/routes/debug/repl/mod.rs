//! A prompt in the debuggee's language: what was typed, what came of it, and values that open.
//!
//! Expressions are evaluated in the selected frame with the context `repl`; whether that is possible now is the core's to
//! say, and its sentence is shown in the place of a value.

mod complete;
mod exchange;
mod view;

use self::{
    complete::{is_in_quotes, offered},
    exchange::{Exchange, Outcome, lines_of, outcome},
};
use super::variables::{Node, OWNER, Tree, panel::place_of};
use crate::{
    debug_prelude::*,
    widgets::input::{Answer, Prompt, is_for_text},
};

/// Key of the history kept with the project.
const MEMORY: &str = "repl";
/// Lines of history kept.
const KEPT: usize = 500;
/// Exchanges held; older ones go.
const HELD: usize = 300;

/// A row on the screen: of which exchange, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    exchange: usize,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Input(usize),
    Outcome(usize),
}

/// The pane.
#[derive(Debug, Default)]
pub struct ReplPane {
    prompt: Prompt,
    active: bool,
    exchanges: Vec<Exchange>,
    rows: Vec<At>,
    list: ListState,
    /// The text that completions were asked for.
    completing: PendingAnswer<String>,
    /// The history was taken from the state.
    learned: bool,
    field: Rect,
}

impl ReplPane {
    fn learn(&mut self, view: &View) {
        if !self.learned
            && let Some(history) = view.state.memory.get(MEMORY)
        {
            self.learned = true;
            self.prompt = Prompt::new(self.prompt.text()).with_history(history.clone());
        }
    }

    /// From now on keys are text, until Esc.
    pub fn begin_typing(&mut self) {
        self.active = true;
    }

    fn submit(&mut self, text: &str, cx: &Cx) {
        let input = text.trim_end().to_owned();
        if input.trim().is_empty() {
            return;
        }
        let ticket = cx.ask(OWNER, evaluate(None, input.clone(), "repl"));
        let history = self.prompt.history();
        let from = history.len().saturating_sub(KEPT);
        cx.core(Command::Remember {
            key: MEMORY.to_owned(),
            values: history.get(from..).unwrap_or_default().to_vec(),
        });
        self.learned = true;
        self.exchanges.push(Exchange {
            ticket,
            input,
            outcome: Outcome::Pending,
            details: None,
        });
        if self.exchanges.len() > HELD {
            self.exchanges.remove(0);
        }
        self.rebuild(true);
    }

    fn complete(&mut self, cx: &Cx) {
        let text = self.prompt.text().to_owned();
        if is_in_quotes(&text, self.prompt.cursor()) {
            return;
        }
        let ask = Command::Completions {
            session: None,
            frame_id: None,
            text: text.clone(),
            column: self.prompt.cursor(),
        };
        self.completing.ask(text, ask, cx);
    }

    /// Makes the rows; `end` brings the newest into view.
    fn rebuild(&mut self, end: bool) {
        self.rows.clear();
        for (exchange, e) in self.exchanges.iter().enumerate() {
            let inputs = e.input.lines().count().max(1);
            let outcomes = match &e.outcome {
                Outcome::Pending => 1,
                Outcome::Text(text) | Outcome::Failed(text) => lines_of(text).count().max(1),
                Outcome::Tree(tree) => tree.rows.len(),
            };
            let parts = (0..inputs)
                .map(Part::Input)
                .chain((0..outcomes).map(Part::Outcome));
            self.rows.extend(parts.map(|part| At { exchange, part }));
        }
        if end {
            self.list.end(self.rows.len());
        }
    }

    fn place(&self) -> Option<At> {
        self.rows.get(self.list.selected()?).copied()
    }

    /// The tree under the selected row, with that row selected in it.
    fn tree(&mut self) -> Option<&mut Tree> {
        let place = self.place()?;
        let Part::Outcome(at) = place.part else {
            return None;
        };
        match &mut self.exchanges.get_mut(place.exchange)?.outcome {
            Outcome::Tree(tree) => {
                tree.select(at);
                Some(tree)
            }
            _ => None,
        }
    }

    fn work<T>(&mut self, cx: &Cx, work: fn(&mut Tree) -> T) {
        let Some(before) = self.place() else { return };
        let Some(tree) = self.tree() else { return };
        work(tree);
        tree.flush(cx);
        let selected = tree.selected;
        self.rebuild(false);
        let part = Part::Outcome(selected);
        let row = self.rows.iter().position(|p| *p == At { part, ..before });
        self.list.select(row);
    }

    fn enter(&mut self, cx: &Cx) {
        let node = self.tree().and_then(|tree| tree.selected_node());
        if node.is_some_and(Node::opens) {
            self.work(cx, Tree::toggle);
        } else {
            self.active = true;
        }
    }

    fn copy(&mut self, cx: &Cx) {
        let exchange = |place: At| Some((place.part, self.exchanges.get(place.exchange)?));
        let Some((part, e)) = self.place().and_then(exchange) else {
            return;
        };
        let text = match (&part, &e.outcome) {
            (Part::Outcome(_), Outcome::Failed(short)) => {
                e.details.as_ref().unwrap_or(short).clone()
            }
            (Part::Input(_), _) | (_, Outcome::Pending) => e.input.clone(),
            (_, Outcome::Text(text)) => text.clone(),
            (Part::Outcome(at), Outcome::Tree(tree)) => {
                let node = tree.rows.get(*at).and_then(|r| tree.node(r));
                node.map(|n| n.shown().to_owned()).unwrap_or_default()
            }
        };
        let what = if matches!(part, Part::Input(_)) {
            "what was typed"
        } else {
            "the result"
        };
        cx.copy(text, what);
    }

    fn again(&mut self, _: &Cx) {
        if let Some(e) = self.place().and_then(|p| self.exchanges.get(p.exchange)) {
            self.prompt.set_text(e.input.clone());
            self.active = true;
        }
    }

    fn clear(&mut self, _: &Cx) {
        // What is under way keeps its place.
        self.exchanges
            .retain(|e| matches!(e.outcome, Outcome::Pending));
        self.rebuild(true);
    }

    fn take(&mut self, ticket: u64, result: &CoreAnswer, cx: &Cx) {
        let at_end = self
            .list
            .selected()
            .is_none_or(|s| s + 1 >= self.rows.len());
        if let Some(e) = self.exchanges.iter_mut().find(|e| e.ticket == ticket) {
            e.details = result.as_ref().err().and_then(|e| e.details.clone());
            e.outcome = match result {
                Ok(Reply::Value { value }) => {
                    outcome(value, place_of(&cx.view).unwrap_or_default())
                }
                Ok(_) => Outcome::Failed("The answer was not a value.".into()),
                Err(e) => Outcome::Failed(match &e.hint {
                    Some(hint) => format!("{}\n{hint}", e.what.trim_end()),
                    None => e.what.clone(),
                }),
            };
        } else {
            let trees = self
                .exchanges
                .iter_mut()
                .filter_map(|e| match &mut e.outcome {
                    Outcome::Tree(tree) => Some(tree),
                    _ => None,
                });
            let mut awaiting = trees.filter(|tree| tree.awaits(ticket));
            // Others that show values ask under the same mark.
            let Some(tree) = awaiting.next() else { return };
            tree.take(ticket, result, cx);
        }
        self.rebuild(at_end && self.active);
    }
}

gates! { ReplPane, s, _;
    has_rows: !s.rows.is_empty(), "Nothing was evaluated yet.";
}

impl Scrolls for ReplPane {
    moves!(list, rows.len());
}

impl Surface for ReplPane {
    table! { "Console", s, cx;
        "repl.type"      "type"          ["i"], Footer           => s.begin_typing();
        "repl.enter"     "open, or type" ["enter"], Footer      => Self::enter;
        "repl.copy"      "copy"          ["y"], Footer          if has_rows => Self::copy;
        "repl.again"     "edit again"    ["a"], Footer          if has_rows => Self::again;
        "repl.clear"     "clear"         ["x" "ctrl-l"], Footer if has_rows => Self::clear;
        "repl.expand"    "open"          ["right"]              if has_rows  => s.work(cx, Tree::expand);
        "repl.collapse"  "close"         ["left"]               if has_rows  => s.work(cx, Tree::collapse);
        list "repl" "up" "down" "first row" "last row";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let screen = canvas.screen();
        let called = canvas.session().and_then(Session::current_frame);
        let place = called.map_or("", |f| f.name.as_str());
        let inner = panel(canvas, area, Self::TITLE, "", place);
        if inner.is_empty() {
            return;
        }
        let (list, field) = over_last(inner);
        self.field = field;
        if self.rows.is_empty() {
            let keys = if self.active {
                "Tab completes, Up brings back, Esc leaves"
            } else {
                "Enter types, values open with Enter"
            };
            let lines = match canvas.session() {
                Some(session) if session.phase == Phase::Stopped => {
                    let mut lines = vec!["Expressions of the program's language", keys];
                    if session.console_commands {
                        lines.insert(1, "! before it runs a command of the debugger's own");
                    }
                    lines
                }
                _ => vec![
                    "Expressions are evaluated while the program is stopped",
                    "F5 starts it, F6 pauses it",
                ],
            };
            empty(canvas, list, &lines);
        } else {
            let rows = mem::take(&mut self.rows);
            let mut state = mem::take(&mut self.list);
            List::new(canvas.look(), rows.len())
                .focused(canvas.focused && !self.active)
                .rows(canvas, list, &mut state, |row| match rows.get(row.index) {
                    Some(place) => self.draw_row(*place, usize::from(row.width), canvas),
                    None => Line::default(),
                });
            self.rows = rows;
            self.list = state;
        }
        let mark = format!("{} ", canvas.symbols.prompt);
        let hint = if self.active { "" } else { "Enter to type" };
        let at = self
            .prompt
            .draw(&mut canvas.cells(), self.field, &mark, hint, canvas.look());
        if self.active && canvas.focused {
            self.prompt.draw_completions(
                &mut canvas.cells(),
                screen,
                at.unwrap_or_default(),
                canvas.look(),
            );
            if let Some(at) = at.filter(|at| screen.contains(*at)) {
                canvas.set_cursor(at);
            }
        }
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some((text, result)) = self.completing.answer(msg) {
            match result {
                // Only for the text they were asked for.
                Ok(Reply::Completions { items }) if self.prompt.text() == text => {
                    self.prompt
                        .complete(offered(items, &text, self.prompt.cursor()));
                }
                Ok(_) => {}
                Err(e) => cx.info(e.what.clone()),
            }
            return cx.redraw();
        }
        match msg {
            Msg::Events(_) => self.learn(&cx.view),
            Msg::Reply { tag, result } if tag.0 == OWNER => {
                self.take(tag.1, result, cx);
                cx.redraw();
            }
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        self.active
    }

    fn typing_keys(&self) -> TypingKeys {
        &[
            ("Enter", "evaluate"),
            ("Tab", "complete"),
            ("Up", "history"),
            ("Ctrl-R", "search it"),
            ("Esc", "leave"),
        ]
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        match self.prompt.key(key) {
            Answer::Ignored => return is_for_text(key),
            Answer::Moved | Answer::Changed => {}
            Answer::Submitted(text) => self.submit(&text, cx),
            Answer::Cancelled => self.active = false,
            Answer::Complete => self.complete(cx),
        }
        cx.redraw();
        true
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        // A paste into the console means typing, also when nobody pressed Enter first.
        self.active = true;
        self.prompt.paste(text);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let did = Mouse::on(&mut self.list, self.rows.len(), event, cx);
        self.active &= !did.clicked();
        if did == Mouse::Again {
            self.work(cx, Tree::toggle);
        } else if event.kind == CLICK && self.field.contains(Position::new(event.column, event.row))
        {
            self.active = true;
            self.prompt
                .click(event.column.saturating_sub(self.field.x + 2));
            cx.redraw();
            return true;
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests;
