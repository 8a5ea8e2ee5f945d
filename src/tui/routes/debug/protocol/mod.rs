//! What is said to adapters and by them: every message with its time, narrowed by what is typed, one of them opened in full.
//!
//! The core keeps the last messages and takes secrets out; [`model`] matches answers with what was asked. Nothing is asked of the
//! core while the pane is out of sight.

mod model;
mod view;

use debugger::{timings::time, traffic::Passed};
use serde_json::Value;

use self::model::Model;
use crate::{debug_prelude::*, kit::sheet::Sheet};

/// Whose questions about recordings are.
const RECORDING: &str = "protocol.record";

/// The pane.
#[derive(Debug, Default)]
pub struct ProtocolPane {
    model: Model,
    list: ListState,
    in_sight: bool,
    /// Messages may have passed since the last question.
    is_old: bool,
    asked: PendingAnswer,
    typing: Filter,
    /// Moved away from the end: what comes does not move the view.
    paused: bool,
}

/// Opens a message; `took` is how long its answer took, in microseconds.
fn open_message(message: &Passed, took: Option<u64>, cx: &Cx) {
    let way = if message.sent { "to" } else { "from" };
    let took = took.map_or_else(String::new, |us| format!(", answered in {}", time(us)));
    let text = sanitise_block(&pretty(message));
    let remark = format!("{way} the adapter, {} B{took}", message.length);
    cx.open(Sheet::new(
        format!("Message {}", message.number),
        remark,
        text,
    ));
}

/// A message in lines; what is no JSON as it is.
fn pretty(message: &Passed) -> String {
    serde_json::from_str::<Value>(&message.text)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| message.text.clone())
}

/// Begins a recording into a file, or ends the one there is; what came of it is said by the pane, shown or not.
pub fn ask_record(on: bool, file: Option<PathBuf>) -> Effect {
    Effect::ask(RECORDING, 0, Command::Record { on, file })
}

impl ProtocolPane {
    /// Lets it know whether it is in sight.
    pub fn attend(&mut self, in_sight: bool, cx: &Cx) {
        self.is_old |= in_sight && !self.in_sight;
        self.in_sight = in_sight;
        if self.is_old && in_sight {
            self.ask(cx);
        }
    }

    fn ask(&mut self, cx: &Cx) {
        if self.asked.is_open() {
            return;
        }
        self.is_old = false;
        let command = Command::Protocol {
            session: None,
            after: self.model.newest(),
        };
        self.asked.ask((), command, cx);
    }

    fn answered(&mut self, result: &CoreAnswer, cx: &Cx) {
        let Ok(Reply::Protocol { traffic }) = result else {
            return;
        };
        let more = !traffic.messages.is_empty();
        let gone = self.model.take(&traffic.messages, traffic.dropped);
        if more {
            cx.redraw();
        }
        if self.paused {
            let kept = self.list.selected().map(|at| at.saturating_sub(gone));
            self.list.select(kept);
        } else {
            self.list.end(self.model.shown.len());
        }
        // They are given out in portions.
        if (more || self.is_old) && self.in_sight {
            self.ask(cx);
        }
    }

    fn narrow(&mut self, filter: &str) {
        self.model.narrow(filter);
        self.list.end(self.model.shown.len());
        self.paused = false;
    }

    fn selected(&self) -> Option<&Passed> {
        self.model.message(self.list.selected()?)
    }

    fn open(&mut self, cx: &Cx) {
        if let Some(message) = self.selected() {
            let took = self.model.took(message);
            open_message(message, took, cx);
        }
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(message) = self.selected() {
            cx.copy(
                sanitise_block(&pretty(message)),
                format!("message {}", message.number),
            );
        }
    }

    fn copy_all(&mut self, cx: &Cx) {
        let shown = self.model.shown.len();
        let messages = (0..shown).filter_map(|at| self.model.message(at));
        let lines = messages.map(|message| sanitise_block(&message.text));
        cx.copy(joined(lines, "\n"), counted(shown, "message"));
    }

    fn clear(&mut self, cx: &Cx) {
        self.typing = Filter::default();
        self.narrow("");
        cx.redraw();
    }
}

/// What became of a recording, in a sentence.
fn recorded(result: &CoreAnswer) -> Option<Effect> {
    Some(match result {
        Ok(Reply::Recording { file }) => Effect::info(format!(
            "Everything is recorded into {} from now on.",
            file.display()
        )),
        Ok(Reply::Recorded {
            file,
            messages,
            left_out,
        }) => {
            let left_out = match left_out {
                0 => String::new(),
                count => format!(" ({count} left out)"),
            };
            Effect::Notify {
                severity: Severity::Info,
                text: format!("{} recorded{left_out}.", counted(*messages, "message")),
                hint: Some(format!("omp-debug replay {}", file.display())),
            }
        }
        Ok(_) => return None,
        Err(error) => Effect::failure(Severity::Warning, error),
    })
}

impl Scrolls for ProtocolPane {
    fn can_walk(&self, _: &View) -> Enabled {
        self.selected().or_why("No message is shown here.")
    }

    fn walk(&mut self, step: Step, _: &Cx) {
        let rows = self.model.shown.len();
        Scrolled::Rows(&mut self.list, rows).walk(step);
        self.paused = match step {
            Step::First => true,
            Step::Last => false,
            _ => self.list.selected() != rows.checked_sub(1),
        };
    }
}

impl Surface for ProtocolPane {
    table! { "Protocol", s, cx;
        "protocol.open"         "open the message"         ["enter"], Footer if Self::can_walk => Self::open;
        "protocol.filter"       "filter"                   ["/"], Footer     => s.typing.begin(&s.model.filter);
        "protocol.copy"         "copy the message"         ["y"], Footer     if Self::can_walk => Self::copy;
        "protocol.copy-all"     "copy all that are shown"  ["Y"]             if Self::can_walk => Self::copy_all;
        "protocol.clear-filter" "show all"                 ["esc"]           => Self::clear;
        list "protocol" "message before" "message after" "first message" "last message, and follow";
    }

    draws!();

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some(((), result)) = self.asked.answer(msg) {
            return self.answered(result, cx);
        }
        match msg {
            Msg::Reply {
                tag: Tag(RECORDING, _),
                result,
            } => cx.extend(recorded(result)),
            // Whatever happens, and whatever was answered, may have been said.
            Msg::Events(_) | Msg::Reply { .. } => self.is_old = true,
            _ => {}
        }
    }

    narrows_of!(typing, narrow);

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let did = Mouse::on(&mut self.list, self.model.shown.len(), event, cx);
        match did {
            Mouse::Again => self.open(cx),
            Mouse::Ignored => {}
            _ => self.paused = true,
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests;
