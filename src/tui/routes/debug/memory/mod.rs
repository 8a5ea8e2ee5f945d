//! The debuggee's memory as bytes and text: from a variable, an address or an expression; paged as one looks around; written
//! after a question.
//!
//! What was read is [`model`]'s, how it looks [`view`]'s. Nothing is asked for while the pane is out of sight.

pub mod grid;
mod model;
mod view;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use dap::requests::{ReadMemory, ReadMemoryArguments};
use debugger::address::{self, number, place_of};

use self::{grid::Grid, model::Bytes};

use crate::debug_prelude::*;

const OWNER: &str = "memory";
/// Bytes read to learn which address a reference stands for.
const PROBE: i64 = 16;
/// Most bytes written in one go.
const MOST_WRITTEN: usize = 4096;

/// Where one looks from: a place as the adapter names it, and its address.
#[derive(Debug)]
struct Base {
    reference: String,
    address: u64,
    /// What a person called it.
    label: String,
}

/// What is typed at the foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Place,
    Bytes,
}

/// What is asked for to find a place.
#[derive(Debug)]
enum Locating {
    /// The address of a reference, by reading there.
    Read { reference: String, label: String },
    /// The place of an expression; `whole` is what a person typed, where its address is tried in turn.
    Value { whole: String, address_tried: bool },
}

/// The pane.
#[derive(Debug, Default)]
pub struct MemoryPane {
    session: Option<SessionId>,
    stop: Option<StopId>,
    memory_changes: u64,
    base: Option<Base>,
    bytes: Bytes,
    /// The byte with the cursor.
    cursor: u64,
    /// The first byte in sight.
    top: u64,
    grid: Grid,
    locating: PendingAnswer<Locating>,
    /// A write under way: where, and how many bytes.
    writing: PendingAnswer<(u64, usize)>,
    asking: Option<OpenQuestion<About>>,
    trouble: Option<String>,
    place: Option<Rect>,
    rows: Rect,
}

impl MemoryPane {
    /// The address under the cursor.
    pub fn selected_address(&self) -> Option<u64> {
        self.base.as_ref().map(|_| self.cursor)
    }

    /// Asks for what is in sight and not here; `place` is where the pane is, if it is in sight.
    pub fn attend(&mut self, place: Option<Rect>, cx: &Cx) {
        self.place = place;
        let session = cx.view.session();
        if session.map(|s| s.id) != self.session {
            *self = Self {
                session: session.map(|s| s.id),
                place,
                ..Self::default()
            };
            cx.redraw();
        }
        let Some(session) = session else { return };
        let stop = session.current_stop().map(|s| s.id);
        if stop.is_some() && (stop, session.memory_changes) != (self.stop, self.memory_changes) {
            (self.stop, self.memory_changes) = (stop, session.memory_changes);
            self.bytes.outdate();
        }
        if let Some(place) = place {
            let frame = 2 + u16::from(self.asking.is_some());
            self.lay_out(Rect {
                width: place.width.saturating_sub(2),
                height: place.height.saturating_sub(frame),
                ..place
            });
            self.ask(session, cx);
        }
    }

    fn ask(&mut self, session: &Session, cx: &Cx) {
        let able = session.capabilities.supports_read_memory_request;
        let Some(base) = self.base.as_ref().filter(|_| able) else {
            return;
        };
        if session.phase != Phase::Stopped {
            return;
        }
        let end = self.top.saturating_add(self.grid.bytes());
        for ask in self.bytes.want(self.top..end, ticket) {
            let arguments = ReadMemoryArguments {
                memory_reference: base.reference.clone(),
                offset: Some(ask.address.wrapping_sub(base.address).cast_signed()),
                count: i64::try_from(ask.count).unwrap_or(i64::MAX),
            };
            let command = Command::request::<ReadMemory>(self.session, &arguments);
            cx.emit(Effect::ask(OWNER, ask.ticket, command));
        }
    }

    fn answered(&mut self, ticket: u64, result: &CoreAnswer, cx: &Cx) {
        let read = answer_of::<ReadMemory>(result);
        let answer = read.as_ref().map_err(Clone::clone).and_then(|read| {
            let bytes = STANDARD.decode(read.data.as_deref().unwrap_or_default().trim());
            bytes
                .map(|bytes| (read.address.as_str(), bytes))
                .map_err(|error| format!("The adapter's answer is not base64: {error}."))
        });
        if self.bytes.accept(ticket, answer) {
            cx.redraw();
        }
    }

    /// Shows the bytes at a place as the adapter names it; `label` is what a person calls it.
    pub fn show_reference(&mut self, reference: &str, label: &str, cx: &Cx) {
        self.trouble = None;
        if let Some(address) = number(reference) {
            return self.begin(reference.to_owned(), address, label.to_owned(), cx);
        }
        let locating = Locating::Read {
            reference: reference.to_owned(),
            label: label.to_owned(),
        };
        let arguments = ReadMemoryArguments {
            memory_reference: reference.to_owned(),
            offset: None,
            count: PROBE,
        };
        let command = Command::request::<ReadMemory>(cx.view.state.focus, &arguments);
        self.locating.ask(locating, command, cx);
    }

    /// Shows the bytes at an address, or where an expression is or points.
    pub fn show_expression(&mut self, text: &str, cx: &Cx) {
        if number(text).is_some() {
            return self.show_reference(text, "", cx);
        }
        self.trouble = None;
        let locating = Locating::Value {
            whole: text.to_owned(),
            address_tried: false,
        };
        self.locating
            .ask(locating, evaluate(cx.view.state.focus, text, "watch"), cx);
    }

    fn begin(&mut self, reference: String, address: u64, label: String, cx: &Cx) {
        self.session = cx.view.state.focus;
        self.base = Some(Base {
            reference,
            address,
            label,
        });
        self.bytes.outdate();
        self.cursor = address;
        self.top = self.grid.row_of(address);
        self.more(cx);
    }

    fn located(&mut self, locating: Locating, result: &CoreAnswer, cx: &Cx) {
        let trouble = match (locating, result) {
            (Locating::Read { reference, label }, Ok(_)) => {
                match answer_of::<ReadMemory>(result).map(|read| read.address) {
                    Ok(address) => match number(&address) {
                        Some(at) => return self.begin(reference, at, label, cx),
                        None => format!(
                            "The adapter calls the place {}, which is no address.",
                            short(&address)
                        ),
                    },
                    Err(why) => why,
                }
            }
            (
                Locating::Value {
                    whole,
                    address_tried,
                },
                Ok(Reply::Value { value }),
            ) => match place_of(value) {
                Some(place) => return self.show_reference(&place, &whole, cx),
                None if !address_tried => {
                    let command = evaluate(cx.view.state.focus, format!("&({whole})"), "watch");
                    let locating = Locating::Value {
                        whole,
                        address_tried: true,
                    };
                    return self.locating.ask(locating, command, cx);
                }
                None => format!(
                    "{} has no place in memory that the adapter tells: it is {}.",
                    short(&whole),
                    short(&value.result)
                ),
            },
            (_, Err(error)) => error.what.clone(),
            (Locating::Value { .. }, Ok(_)) => "The answer was not a value.".to_owned(),
        };
        self.trouble = Some(trouble);
    }

    fn more(&mut self, cx: &Cx) {
        let place = self.place;
        self.attend(place, cx);
    }

    fn move_to(&mut self, address: u64, cx: &Cx) {
        self.cursor = address;
        let bytes = self.grid.bytes();
        let per_row = self.grid.per_row();
        let row = self.grid.row_of(address);
        if row < self.top {
            self.top = row;
        } else if row - self.top >= bytes {
            self.top = row - (bytes - per_row);
        }
        self.more(cx);
    }

    fn move_by(&mut self, bytes: i64, cx: &Cx) {
        self.move_to(self.cursor.saturating_add_signed(bytes), cx);
    }

    fn can_write(&self, view: &View) -> Enabled {
        has_place(self, view)?;
        let Some(session) = view.session().filter(|s| s.phase == Phase::Stopped) else {
            return Err("Memory can be written only while the program is stopped.");
        };
        session
            .capabilities
            .supports_write_memory_request
            .or_why("This adapter cannot write memory.")
    }

    fn ask_bytes(&mut self, _: &Cx) {
        let now = self.bytes.known(self.cursor, 1);
        let now = now.first().map_or_else(String::new, |b| format!("{b:02x}"));
        let hint = "de ad be ef, or \"text\"";
        self.asking = Some(OpenQuestion::new(About::Bytes, "Write", hint, &now));
    }

    fn given(&mut self, text: &str, cx: &Cx) {
        let Some(mut asking) = self.asking.take() else {
            return;
        };
        if asking.about == About::Place {
            return self.show_expression(text, cx);
        }
        let why = match address::bytes(text) {
            Ok(bytes) if bytes.len() > MOST_WRITTEN => {
                format!("at most {MOST_WRITTEN} bytes at once")
            }
            Ok(bytes) => return self.confirm(&bytes, cx),
            Err(why) => why,
        };
        asking.refuse(why);
        self.asking = Some(asking);
    }

    /// Asks whether these bytes are to be written at the cursor.
    fn confirm(&mut self, bytes: &[u8], cx: &Cx) {
        let Some(base) = &self.base else { return };
        let (at, count) = (self.cursor, bytes.len());
        let command = Command::WriteMemory {
            session: self.session,
            memory_reference: base.reference.clone(),
            offset: Some(at.wrapping_sub(base.address).cast_signed()),
            data: STANDARD.encode(bytes),
            allow_partial: None,
        };
        let write = self.writing.asking((at, count), command);
        let lines = vec![
            format!(
                "{count} {} at {at:#x}:",
                if count == 1 { "byte" } else { "bytes" }
            ),
            format!("now  {}", in_digits(&self.bytes.known(at, count))),
            format!("then {}", in_digits(bytes)),
        ];
        cx.confirm("Write memory", lines, "write", vec![write]);
    }

    fn follow_pointer(&mut self, cx: &Cx) {
        let bytes = self.bytes.known(self.cursor, 8);
        if let Ok(whole) = <[u8; 8]>::try_from(bytes) {
            let to = u64::from_le_bytes(whole);
            self.move_to(to, cx);
        } else {
            cx.warn("A pointer has eight bytes, and not all of them are known here.");
        }
    }

    fn copy(&self, whole: bool, cx: &Cx) {
        let (text, what) = if whole {
            let row = self.grid.row_of(self.cursor);
            let count = usize::try_from(self.grid.per_row()).unwrap_or(1);
            let bytes = self.bytes.known(row, count);
            (
                in_digits(&bytes),
                format!("{} at {row:#x}", counted(bytes.len(), "byte")),
            )
        } else {
            let text = format!("{:#x}", self.cursor);
            (text.clone(), format!("the address {text}"))
        };
        cx.copy(text, what);
    }

    fn byte_at(&self, at: Position) -> Option<u64> {
        let offset = self.grid.byte_at(self.rows, at)?;
        self.top.checked_add(offset)
    }
}

fn written(at: u64, count: usize, result: &CoreAnswer, cx: &Cx) {
    cx.emit(match result {
        Ok(Reply::Written {
            bytes: Some(bytes), ..
        }) if *bytes != count as i64 => Effect::warn(format!(
            "Only {bytes} of {count} bytes were written at {at:#x}."
        )),
        Ok(_) => Effect::info(format!("{} written at {at:#x}.", counted(count, "byte"))),
        Err(error) => Effect::failure(Severity::Error, error),
    });
}

fn in_digits(bytes: &[u8]) -> String {
    const MOST: usize = 16;
    let mut words: Vec<String> = bytes
        .iter()
        .take(MOST)
        .map(|b| format!("{b:02x}"))
        .collect();
    if bytes.len() > MOST {
        words.push(format!("and {} more", bytes.len() - MOST));
    }
    if words.is_empty() {
        return "not known".to_owned();
    }
    words.join(" ")
}

impl Scrolls for MemoryPane {
    fn can_walk(&self, view: &View) -> Enabled {
        has_place(self, view)
    }

    fn walk(&mut self, step: Step, cx: &Cx) {
        let per_row = i64::try_from(self.grid.per_row()).unwrap_or(1);
        let rows = step.rows(self.grid.rows.into()) as i64;
        self.move_by(rows.saturating_mul(per_row), cx);
    }
}

gates! { MemoryPane, s, _;
    has_place: s.base.as_ref(), "No memory is shown: g goes to an address.";
}

/// Whether the focused session's memory can be read.
pub fn able(view: &View) -> Enabled {
    let has = |c: &Capabilities| c.supports_read_memory_request;
    able_to(view, has, "This adapter does not read memory.")
}

impl Surface for MemoryPane {
    table! { "Memory", s, cx;
           "memory.go-to-address"  "go to an address"            ["g"], Footer     if |_, v| able(v) => {
    s.asking = Some(OpenQuestion::new(About::Place, "Memory at", "an address, or an expression", ""));
    };
           "memory.write"          "write"                       ["i"], Footer     if Self::can_write => Self::ask_bytes;
           "memory.follow-pointer" "follow the pointer"          ["enter"], Footer if has_place => Self::follow_pointer;
           "memory.back"           "back to the place asked for" ["."], Footer     if has_place => {
    if let Some(address) = s.base.as_ref().map(|b| b.address) { s.move_to(address, cx); }
    };
           "memory.left"           "byte before"                 ["left" "h"]      if has_place => s.move_by(-1, cx);
           "memory.right"          "byte after"                  ["right" "l"]     if has_place => s.move_by(1, cx);
           walk "memory" "row up" "row down";
           "memory.copy-row"       "copy the row's bytes"        ["y"]             if has_place => s.copy(true, cx);
           "memory.copy-address"   "copy the address"            ["Y"]             if has_place => s.copy(false, cx);
           "memory.read-again"     "read it again"               ["r"]             => {
               s.bytes.outdate();
               s.more(cx);
           };
    }

    draws!();

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some((locating, result)) = self.locating.answer(msg) {
            cx.redraw();
            self.located(locating, result, cx);
        }
        if let Some(((at, count), result)) = self.writing.answer(msg) {
            written(at, count, result, cx);
        }
        if let Msg::Reply {
            tag: Tag(OWNER, ticket),
            result,
        } = msg
        {
            self.answered(*ticket, result, cx);
        }
    }

    answers_of!(asking, given);

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let at = Position::new(event.column, event.row);
        if let Some(by) = wheel(&event) {
            self.walk(Step::Rows(by), cx);
        } else if event.kind == CLICK
            && let Some(address) = self.byte_at(at)
        {
            self.cursor = address;
        } else {
            return false;
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
