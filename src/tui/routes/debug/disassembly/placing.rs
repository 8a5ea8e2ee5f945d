//! What one does at an instruction: a breakpoint there; and the way to another place, by address or by expression.

use debugger::address::{number, place_of};

use super::{DisassemblyPane, OWNER, has_instruction};
use crate::routes::debug::kit::prelude::*;

impl DisassemblyPane {
    /// Whether a breakpoint can be at the instruction under the cursor, and why not.
    pub fn can_break(&self, view: &View<'_>) -> Enabled {
        has_instruction(self, view)?;
        match view.session() {
            Some(session) if session.phase.is_live() => session
                .capabilities
                .supports_instruction_breakpoints
                .or_why("This adapter has no breakpoints at instructions."),
            _ => Err("The program has ended, and its addresses with it."),
        }
    }

    /// Sets a breakpoint at the instruction under the cursor, or removes the one that is there.
    pub fn toggle_breakpoint(&mut self, cx: &mut Cx<'_>) {
        let Some(instruction) = self.selected() else {
            return;
        };
        let command = match breakpoint_at(cx.view.state, self.session, instruction.address) {
            Some(breakpoint) => Command::RemoveBreakpoint { id: breakpoint.id },
            None => Command::SetBreakpoint(BreakpointSpec::at(BreakpointSite::Instruction {
                reference: instruction.told.address.clone(),
                offset: None,
            })),
        };
        cx.core(command);
    }

    pub(super) fn begin_asking(&mut self, _: &mut Cx<'_>) {
        let hint = "an address, or an expression that points to code";
        self.asking = Some(Asking::new((), "Instructions at", hint, ""));
    }

    pub(super) fn given(&mut self, text: &str, cx: &mut Cx<'_>) {
        (self.asking, self.trouble) = (None, None);
        if let Some(address) = number(text) {
            self.go(format!("{address:#x}"), address);
            self.more(cx);
            return;
        }
        self.locating = Some(cx.ask(OWNER, evaluate(self.session, text, "watch")));
    }

    pub(super) fn located(&mut self, result: &CoreAnswer, cx: &mut Cx<'_>) {
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
}

/// The breakpoint of a session at an address, or of all sessions.
pub fn breakpoint_at(
    state: &State,
    session: Option<SessionId>,
    address: u64,
) -> Option<&Breakpoint> {
    state.breakpoints.iter().find(|b| match &b.site {
        BreakpointSite::Instruction { reference, offset } => {
            let base = number(reference);
            let at = base.and_then(|base| base.checked_add_signed(offset.unwrap_or(0)));
            at == Some(address) && (b.session.is_none() || b.session == session)
        }
        _ => false,
    })
}
