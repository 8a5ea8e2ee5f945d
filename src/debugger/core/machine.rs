//! Below the source: instructions, writing memory, modules. Also requests of the adapter's own, which we know nothing about,
//! and how an adapter is asked for what it alone knows.
//!
//! Each answer goes straight to the asker; only writing memory makes what is shown be loaded again.

use dap::{
    client::Client,
    protocol,
    requests::{
        DapRequest, Disassemble, DisassembleArguments, Modules, ModulesArguments, WriteMemory,
        WriteMemoryArguments,
    },
};

use super::{
    handled::{Handled, after, later},
    owner::Owner,
    refusals::lacks,
};
use crate::prelude::*;

impl Owner {
    /// An empty reference in `arguments` stands for the selected frame's own place.
    pub(super) fn disassemble(
        &self,
        session: Option<SessionId>,
        mut arguments: DisassembleArguments,
    ) -> Handled {
        let (session, client) =
            self.capable::<Disassemble>(session, Action::Inspect, "disassembly")?;
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
        let answer = client.send::<Disassemble>(&arguments, self.config.request_timeout);
        later(async move {
            let mut instructions = answer.await?.instructions;
            instructions.retain(|one| {
                let is_before = base
                    .zip(address_of(&one.address))
                    .is_some_and(|(base, at)| at < base);
                left -= i64::from(!is_before);
                before == 0 || base.is_none() || is_before || left >= 0
            });
            Ok(Reply::Disassembly { instructions })
        })
    }

    pub(super) fn write_memory(
        &self,
        session: Option<SessionId>,
        arguments: WriteMemoryArguments,
    ) -> Handled {
        let (session, client) =
            self.capable::<WriteMemory>(session, Action::Modify, "memory writes")?;
        let id = session.id;
        // Four characters stand for three bytes.
        let most = i64::try_from(arguments.data.len() / 4 * 3).unwrap_or(i64::MAX);
        let answer = client.send::<WriteMemory>(&arguments, self.config.request_timeout);
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

    pub(super) fn modules(
        &self,
        session: Option<SessionId>,
        start: Option<i64>,
        count: Option<i64>,
    ) -> Handled {
        let arguments = ModulesArguments {
            start_module: start,
            module_count: count,
        };
        let (action, what) = (Action::List, "module introspection");
        self.ask::<Modules>(
            session,
            action,
            what,
            |_| Ok(arguments),
            move |response| {
                // Some adapters take no notice of what part of them is asked for.
                let mut modules = response.modules;
                let size = |n: Option<i64>| usize::try_from(n.unwrap_or(0)).unwrap_or(0);
                if size(count) > 0 && modules.len() > size(count) {
                    modules = modules
                        .into_iter()
                        .skip(size(start))
                        .take(size(count))
                        .collect();
                }
                Reply::Modules {
                    modules,
                    total: response.total_modules,
                }
            },
        )
    }

    /// Sends what was asked for as it is, except requests that we know and the adapter does not: some adapters die of those.
    pub(super) fn custom_request(
        &self,
        session: Option<SessionId>,
        request: &str,
        arguments: Option<Value>,
    ) -> Handled {
        let (session, client) = self.allowed(session, Action::List)?;
        has(session, request, request)?;
        let answer = client.send_raw(
            request,
            arguments.unwrap_or(Value::Null),
            self.config.request_timeout,
        );
        later(async move {
            let body = answer.await?.value();
            Ok(Reply::Custom { body })
        })
    }

    /// Bytes of a program that stands still are others now. Any value on the screen may lie in them.
    pub(super) fn memory_changed(
        &mut self,
        id: SessionId,
        reference: String,
        offset: i64,
        count: i64,
    ) {
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
    pub(super) fn capable<R: DapRequest>(
        &self,
        session: Option<SessionId>,
        action: Action,
        what: &str,
    ) -> Result<(&Session, Client)> {
        let (session, client) = self.allowed(session, action)?;
        has(session, R::COMMAND, what)?;
        Ok((session, client))
    }

    /// Asks the adapter for what it is capable of, with what `arguments` makes of the session that is meant.
    pub(super) fn ask<R: DapRequest + 'static>(
        &self,
        session: Option<SessionId>,
        action: Action,
        what: &str,
        arguments: impl FnOnce(&Session) -> Result<R::Arguments>,
        told: impl FnOnce(R::Response) -> Reply + Send + 'static,
    ) -> Handled
    where
        R::Response: Send + 'static,
    {
        let (session, client) = self.capable::<R>(session, action, what)?;
        let answer = client.send::<R>(&arguments(session)?, self.config.request_timeout);
        later(async move { Ok(told(answer.await?)) })
    }
}

/// A clause as a sentence of its own.
pub(super) fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), rest.as_str())
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
