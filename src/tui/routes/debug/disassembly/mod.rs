//! Machine instructions around the selected frame's place, or around any other: in step with the source, paged as one looks
//! around, with breakpoints at instructions.
//!
//! What is held and asked for is [`model`]'s, how it looks [`view`]'s. Nothing is asked for while the pane is out of sight.

pub mod model;
mod view;

use dap::requests::{Disassemble, DisassembleArguments};

use self::model::{DisassembleRequest, Instruction, Listing};

use crate::debug_prelude::*;
use debugger::address::{number, place_of};

pub(super) use self::model::digits;

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// The function that begins, or goes on, with this instruction.
    Symbol(usize),
    /// The line of source that it belongs to.
    Line(usize),
    Instruction(usize),
}

/// Where the program is, as of a selected frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Here {
    stop: StopId,
    frame: i64,
    address: u64,
}

/// The pane.
#[derive(Debug, Default)]
pub struct DisassemblyPane {
    session: Option<SessionId>,
    listing: Listing,
    rows: Vec<Row>,
    list: ListState,
    /// The instruction with the cursor.
    cursor: Option<u64>,
    here: Option<Here>,
    /// What is to be shown and is not here yet.
    target: Option<(String, u64)>,
    asked: PendingAnswer<DisassembleRequest>,
    /// An expression whose place is asked for.
    locating: PendingAnswer,
    trouble: Option<String>,
    /// Texts of source lines, as far as their files were opened.
    texts: BTreeMap<(String, i64), String>,
    memory_changes: u64,
    asking: Option<OpenQuestion<()>>,
    /// The cursor was put somewhere, and nobody has moved since.
    settling: bool,
    visible: bool,
}

impl DisassemblyPane {
    /// The instruction under the cursor.
    fn selected(&self) -> Option<&Instruction> {
        let at = self.listing.position(self.cursor?)?;
        self.listing.instructions.get(at)
    }

    /// The address under the cursor, to look at its bytes.
    pub fn selected_address(&self) -> Option<String> {
        self.selected().map(|i| i.told.address.clone())
    }

    /// Follows the selected frame, and asks for what is in sight and not here.
    pub fn attend(&mut self, visible: bool, cx: &Cx) {
        self.visible = visible;
        let session = cx.view.session();
        if session.map(|s| s.id) != self.session {
            *self = Self {
                session: session.map(|s| s.id),
                visible,
                // It knows how much there is room for.
                list: mem::take(&mut self.list),
                ..Self::default()
            };
            self.list.select(None);
            cx.redraw();
        }
        let Some(session) = session else { return };
        if session.memory_changes != self.memory_changes {
            self.memory_changes = session.memory_changes;
            self.forget();
        }
        self.follow(session);
        if visible {
            self.ask(session, cx);
        }
    }

    /// What was read may be otherwise now.
    fn forget(&mut self) {
        let at = self.selected().map(|i| (i.told.address.clone(), i.address));
        self.listing.clear();
        self.asked = PendingAnswer::default();
        if self.target.is_none() {
            self.target = at;
        }
    }

    fn follow(&mut self, session: &Session) {
        let Some((stop, frame)) = session
            .current_stop()
            .and_then(|stop| Some((stop, session.current_frame()?)))
        else {
            return;
        };
        let reference = frame.instruction_pointer_reference.as_deref();
        let Some((reference, address)) = reference.and_then(|r| Some((r, number(r)?))) else {
            if self.here.is_none() && self.listing.instructions.is_empty() {
                self.trouble = Some("The adapter tells no address for this frame.".to_owned());
            }
            self.here = None;
            return;
        };
        let here = Here {
            stop: stop.id,
            frame: frame.id,
            address,
        };
        if self.here != Some(here) {
            self.here = Some(here);
            self.trouble = None;
            self.go(reference.to_owned(), address);
        }
    }

    /// Shows a place, as soon as its instructions are here.
    fn go(&mut self, reference: String, address: u64) {
        if self.listing.position(address).is_some() {
            self.target = None;
            self.put_cursor(address);
        } else {
            self.target = Some((reference, address));
        }
    }

    fn put_cursor(&mut self, address: u64) {
        self.cursor = Some(address);
        if let Some(row) = self.row_of(address) {
            let in_sight = self.list.visible().contains(&row);
            self.list.select(Some(row));
            if !in_sight {
                self.list.centre();
                self.settling = true;
            }
        }
    }

    fn row_of(&self, address: u64) -> Option<usize> {
        let at = self.listing.position(address)?;
        self.rows.iter().position(|r| *r == Row::Instruction(at))
    }

    fn ask(&mut self, session: &Session, cx: &Cx) {
        let able = session.capabilities.supports_disassemble_request;
        if self.asked.is_open() || session.phase != Phase::Stopped || !able {
            return;
        }
        let ask = match &self.target {
            Some((reference, address)) => self.listing.go(reference, *address),
            None => self.want(),
        };
        if let Some(ask) = ask {
            self.send(ask, cx);
        }
    }

    /// What is missing around the rows in sight.
    fn want(&self) -> Option<DisassembleRequest> {
        let at = self.listing.position(self.cursor?)?;
        let page = self.list.visible().len().max(8);
        self.listing
            .want(at.saturating_sub(page / 2)..at + page / 2)
    }

    fn send(&mut self, ask: DisassembleRequest, cx: &Cx) {
        let arguments = DisassembleArguments {
            memory_reference: ask.reference.clone(),
            offset: ask.offset,
            instruction_offset: ask.instructions,
            instruction_count: ask.count,
            resolve_symbols: Some(true),
        };
        let command = Command::request::<Disassemble>(self.session, &arguments);
        self.asked.ask(ask, command, cx);
    }

    fn answered(&mut self, ask: &DisassembleRequest, result: &CoreAnswer, cx: &Cx) {
        cx.redraw();
        let told = answer_of::<Disassemble>(result);
        let told = told.map(|answer| answer.instructions);
        match self.listing.accept(ask, told) {
            Ok(Some(next)) => self.send(next, cx),
            Ok(None) => {
                self.lay_out();
                if let Some((_, address)) = self
                    .target
                    .take_if(|(_, a)| self.listing.position(*a).is_some())
                {
                    self.put_cursor(address);
                }
                let visible = self.visible;
                self.attend(visible, cx);
            }
            Err(why) => {
                self.target = None;
                self.trouble = Some(why);
            }
        }
    }

    /// Makes the rows anew, and keeps what is in view where it is.
    fn lay_out(&mut self) {
        let before = self.list.selected();
        self.rows.clear();
        // What an instruction does not say is as the one before it had it.
        let (mut symbol, mut line) = (None, None);
        for (at, instruction) in self.listing.instructions.iter().enumerate() {
            let told = instruction.told.symbol.as_deref().filter(|s| !s.is_empty());
            if told.is_some() && told != symbol {
                symbol = told;
                self.rows.push(Row::Symbol(at));
            }
            let told = instruction.source_line();
            if told.is_some() && told != line {
                line = told;
                self.rows.push(Row::Line(at));
            }
            self.rows.push(Row::Instruction(at));
        }
        let now = self.cursor.and_then(|address| self.row_of(address));
        match (before, now) {
            (Some(before), Some(now)) if now >= before => self.list.shift(now - before),
            _ => self.list.select(now),
        }
        if self.settling {
            // What comes before the place that was gone to may be here only now.
            self.list.centre();
        }
    }

    /// Learns texts of the source lines that instructions belong to; `text_of` gives those whose file was opened.
    pub fn learn(&mut self, text_of: impl Fn(&str, i64) -> Option<String>) {
        if !self.visible {
            return;
        }
        let texts = &mut self.texts;
        for instruction in &self.listing.instructions {
            if let Some((path, line)) = instruction.source_line()
                && !texts.contains_key(&(path.to_owned(), line))
                && let Some(text) = text_of(path, line)
            {
                texts.insert((path.to_owned(), line), text);
            }
        }
    }

    fn more(&mut self, cx: &Cx) {
        let visible = self.visible;
        self.attend(visible, cx);
    }

    fn go_to_position(&mut self, cx: &Cx) {
        self.here = None;
        self.more(cx);
        if self.here.is_none() {
            cx.info("The program is not stopped, so it is at no instruction.");
        }
    }

    /// The instruction that tells the source of the one under the cursor: some adapters tell it once a line.
    fn telling(&self) -> Option<&Instruction> {
        let at = self.listing.position(self.cursor?)?;
        let before = self.listing.instructions.get(..=at)?;
        before.iter().rev().find(|i| i.told.location.is_some())
    }

    fn show_source(&mut self, cx: &Cx) {
        if let Some(instruction) = self.telling()
            && let Some(source) = instruction.told.location.clone()
        {
            cx.emit(Effect::show_source(source, instruction.told.line, None));
        }
    }

    /// Whether a breakpoint can be at the instruction under the cursor, and why not.
    pub fn can_break(&self, view: &View) -> Enabled {
        has_instruction(self, view)?;
        match view.session() {
            Some(session) if session.phase.is_live() => session
                .capabilities
                .supports_instruction_breakpoints
                .or_why("This adapter has no instruction breakpoints."),
            _ => Err("The program has ended, and its addresses with it."),
        }
    }

    /// Sets a breakpoint at the instruction under the cursor, or removes the one that is there.
    pub fn toggle_breakpoint(&mut self, cx: &Cx) {
        let Some(instruction) = self.selected() else {
            return;
        };
        let command = match breakpoint_at(&cx.view.state, self.session, instruction.address) {
            Some(breakpoint) => Command::RemoveBreakpoint { id: breakpoint.id },
            None => Command::SetBreakpoint(BreakpointSpec::at(BreakpointSite::Instruction {
                reference: instruction.told.address.clone(),
                offset: None,
            })),
        };
        cx.core(command);
    }

    fn given(&mut self, text: &str, cx: &Cx) {
        (self.asking, self.trouble) = (None, None);
        if let Some(address) = number(text) {
            self.go(format!("{address:#x}"), address);
            return self.more(cx);
        }
        let command = evaluate(self.session, text, "watch");
        self.locating.ask((), command, cx);
    }

    fn located(&mut self, result: &CoreAnswer, cx: &Cx) {
        let place = match result {
            Ok(Reply::Value { value }) => place_of(value)
                .and_then(|place| Some((number(&place)?, place)))
                .ok_or_else(|| format!("It points nowhere: it is {}.", value.result)),
            Ok(_) => Err("The answer was not a value.".to_owned()),
            Err(error) => Err(error.what.clone()),
        };
        match place {
            Ok((address, reference)) => {
                self.go(reference, address);
                self.more(cx);
            }
            Err(why) => cx.warn(why),
        }
    }

    fn copy(&self, whole: bool, cx: &Cx) {
        let Some(instruction) = self.selected() else {
            return;
        };
        let address = instruction.told.address.clone();
        let (text, what) = if whole {
            let text = format!("{address}  {}", instruction.told.instruction);
            (text, format!("the instruction at {address}"))
        } else {
            (address.clone(), format!("the address {address}"))
        };
        cx.copy(text, what);
    }
}

impl Scrolls for DisassemblyPane {
    fn can_walk(&self, view: &View) -> Enabled {
        has_instruction(self, view)
    }

    fn walk(&mut self, step: Step, cx: &Cx) {
        let instructions = &self.listing.instructions;
        let Some(last) = instructions.len().checked_sub(1) else {
            return;
        };
        let page = self.list.visible().len();
        let at = self.cursor.and_then(|c| self.listing.position(c));
        self.settling = false;
        let to = at
            .map_or(0, |at| at.saturating_add_signed(step.rows(page)))
            .min(last);
        if let Some(address) = instructions.get(to).map(|i| i.address) {
            self.cursor = Some(address);
            let row = self.row_of(address);
            self.list.select(row);
        }
        self.more(cx);
    }
}

gates! { DisassemblyPane, s, _;
    has_instruction: s.selected(), "There is no instruction under the cursor.";
 has_source after has_instruction: s.telling(), "The adapter tells no source for this instruction.";
}

/// The breakpoint of a session at an address, or of all sessions.
fn breakpoint_at(state: &State, session: Option<SessionId>, address: u64) -> Option<&Breakpoint> {
    state.breakpoints.iter().find(|b| match &b.site {
        BreakpointSite::Instruction { reference, offset } => {
            let base = number(reference);
            let at = base.and_then(|base| base.checked_add_signed(offset.unwrap_or(0)));
            at == Some(address) && (b.session.is_none() || b.session == session)
        }
        _ => false,
    })
}

/// Whether the focused session can be disassembled.
pub fn able(view: &View) -> Enabled {
    let has = |c: &Capabilities| c.supports_disassemble_request;
    able_to(view, has, "This adapter does not disassemble.")
}

impl Surface for DisassemblyPane {
    table! { "Disassembly", s, cx;
           "disassembly.show-source"      "show its source"            ["enter"], Footer if has_source => Self::show_source;
           "disassembly.go-to-address"    "go to an address"           ["g"], Footer     if |_, v| able(v) => {
    s.asking = Some(OpenQuestion::new((), "Instructions at", "an address, or an expression that points to code", ""));
    };
           "disassembly.go-to-position"   "go to where the program is" ["."], Footer     => Self::go_to_position;
           walk "disassembly" "instruction up" "instruction down";
           "disassembly.copy-instruction" "copy the instruction"       ["y"]             if has_instruction => s.copy(true, cx);
           "disassembly.copy-address"     "copy its address"           ["Y"]             if has_instruction => s.copy(false, cx);
    }

    draws!();

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Some(((), result)) = self.locating.answer(msg) {
            self.located(result, cx);
        }
        if let Some((ask, result)) = self.asked.answer(msg) {
            self.answered(&ask, result, cx);
        }
    }

    answers_of!(asking, given);

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        if let Some(by) = wheel(&event) {
            self.walk(Step::Rows(by), cx);
        } else if event.kind == CLICK
            && let Some(at) = self.list.row_at(event.column, event.row)
            && let Some(Row::Instruction(at) | Row::Line(at) | Row::Symbol(at)) = self.rows.get(at)
            && let Some(address) = self.listing.instructions.get(*at).map(|i| i.address)
        {
            self.put_cursor(address);
        } else {
            return false;
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
