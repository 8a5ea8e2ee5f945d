//! Requests that are only handed on, those of the adapter's own among them, which we know nothing about; and below the source:
//! instructions, writing memory.
//!
//! Each answer goes straight to the asker; only writing memory makes what is shown be loaded again.

use dap::{message::Body, protocol};

use super::{prelude::*, refusals::still_at};
use crate::adapter_requests;

impl Owner {
    /// An empty reference in `arguments` stands for the selected frame's own place.
    fn disassemble(session: &Session, client: &Client, arguments: &Value) -> Handled {
        let mut arguments: DisassembleArguments = Body::from_value(arguments).parse()?;
        if arguments.memory_reference.is_empty() {
            arguments.memory_reference = session.current_frame().and_then(|f| f.instruction_pointer_reference.clone()).ok_or_else(|| {
                DebuggerError::state("disassemble requires memory_reference unless the current stop location has an instruction pointer reference",
                )
            })?;
        }
        // Where there are fewer before it than were asked for, some adapters begin to count at the place itself.
        let base = address_of(&arguments.memory_reference);
        let base = base.map(|base| base.saturating_add_signed(arguments.offset.unwrap_or(0)));
        let before = arguments.instruction_offset.unwrap_or(0).min(0);
        let mut left = arguments.instruction_count.saturating_add(before).max(0);
        let answer = client.send::<Disassemble>(&arguments);
        later(async move {
            let mut instructions = answer.await?.instructions;
            instructions.retain(|one| {
                let is_before = base
                    .zip(address_of(&one.address))
                    .is_some_and(|(base, at)| at < base);
                left -= i64::from(!is_before);
                before == 0 || base.is_none() || is_before || left >= 0
            });
            Ok(Reply::of_adapter(&DisassembleResponse { instructions }))
        })
    }

    pub fn write_memory(
        &self,
        session: Option<SessionId>,
        arguments: WriteMemoryArguments,
    ) -> Handled {
        let (session, client) =
            self.capable::<WriteMemory>(session, Action::Modify, "memory writes")?;
        let id = session.id;
        // Four characters stand for three bytes.
        let most = i64::try_from(arguments.data.len() / 4 * 3).unwrap_or(i64::MAX);
        let answer = client.send::<WriteMemory>(&arguments);
        after(answer, move |owner, answer| {
            let written = answer?;
            owner.is_asked(id);
            let offset = arguments.offset.unwrap_or(0);
            owner.memory_changed(id, arguments.memory_reference, offset, most);
            Ok(Reply::Written {
                bytes: written.bytes_written,
                offset: written.offset,
            })
        })
    }

    /// A request that is only handed on, as its row has it.
    pub fn request(
        &self,
        session: Option<SessionId>,
        stop: Option<StopId>,
        request: &str,
        arguments: Value,
    ) -> Handled {
        let Some(row) = adapter_requests::row(request) else {
            return self.custom_request(session, request, arguments);
        };
        let gate = stop.map_or(row.gate, |_| Action::Inspect);
        let (session, client) = self.allowed(session, gate)?;
        has(session, request, row.noun)?;
        if let Some(stop) = stop {
            still_at(session, stop)?;
        }
        if request == Disassemble::COMMAND {
            return Self::disassemble(session, &client, &arguments);
        }
        Self::hand_on(&client, request, arguments)
    }

    /// Sends what was asked for as it is, except requests that we know and the adapter does not: some adapters die of those.
    pub fn custom_request(
        &self,
        session: Option<SessionId>,
        request: &str,
        arguments: Value,
    ) -> Handled {
        let (session, client) = self.allowed(session, Action::List)?;
        has(session, request, request)?;
        Self::hand_on(&client, request, arguments)
    }

    fn hand_on(client: &Client, request: &str, arguments: Value) -> Handled {
        let answer = client.send_raw(request, arguments);
        later(async move {
            let body = answer.await?.value();
            Ok(Reply::Answer { body })
        })
    }

    /// Bytes of a program that stands still are others now. Any value on the screen may lie in them.
    pub fn memory_changed(&mut self, id: SessionId, reference: String, offset: i64, count: i64) {
        self.change(
            id,
            Change::MemoryChanged {
                reference,
                offset,
                count,
            },
        );
        if !self.reloads_later(id) {
            self.reload_frame(id, false);
        }
    }

    /// The session a command means, if its phase allows the action and its adapter the request.
    pub fn capable<R: DapRequest>(
        &self,
        session: Option<SessionId>,
        action: Action,
        what: &str,
    ) -> Result<(&Session, Client)> {
        let (session, client) = self.allowed(session, action)?;
        has(session, R::COMMAND, what)?;
        Ok((session, client))
    }
}

fn has(session: &Session, command: &str, what: &str) -> Result<()> {
    match protocol::capability_for(command) {
        Some(has) if !has(&session.capabilities) => Err(lacks(what)),
        _ => Ok(()),
    }
}

/// An address as adapters write it: `0x` and hexadecimal digits.
fn address_of(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
