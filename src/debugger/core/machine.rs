//! Below the source: instructions and memory; and what an adapter can list of the debuggee: modules and sources. Also requests
//! of the adapter's own, which we know nothing about.
//!
//! Each answer goes straight to the asker; only writing memory makes what is shown be loaded again.

use dap::{
    client::Client,
    protocol,
    requests::{
        BreakpointLocations, BreakpointLocationsArguments, DapRequest, Disassemble,
        DisassembleArguments, LoadedSources, Modules, ModulesArguments, ReadMemory,
        ReadMemoryArguments, WriteMemory, WriteMemoryArguments,
    },
    types::Source,
};

use super::{live::Answer, owner::Owner};
use crate::prelude::*;

impl Owner {
    /// An empty reference in `arguments` stands for the selected frame's own place.
    pub(super) fn disassemble(
        &self,
        session: Option<SessionId>,
        mut arguments: DisassembleArguments,
        reply: Answer,
    ) {
        let asked = self
            .capable::<Disassemble>(session, Action::Inspect, "disassembly")
            .and_then(|(session, client)| {
                if arguments.memory_reference.is_empty() {
                    arguments.memory_reference = session.current_frame().and_then(|f| f.instruction_pointer_reference.clone()).ok_or_else(|| {
                        DebuggerError::new(
                            Kind::State,
                            "disassemble requires memory_reference unless the current stop location has an instruction pointer reference",
                        )
                    })?;
                }
                Ok(client)
            });
        match asked {
            Ok(client) => {
                let base = address_of(&arguments.memory_reference);
                let base =
                    base.map(|base| base.saturating_add_signed(arguments.offset.unwrap_or(0)));
                let before = arguments.instruction_offset.unwrap_or(0).min(0);
                let from_base = arguments.instruction_count.saturating_add(before).max(0);
                self.ask::<Disassemble>(&client, &arguments, reply, move |response| {
                    let mut instructions = response.instructions;
                    let mut left = from_base;
                    // Where there are fewer before it than were asked for, some adapters begin to count at the place itself.
                    instructions.retain(|one| {
                        let is_before = base
                            .zip(address_of(&one.address))
                            .is_some_and(|(base, at)| at < base);
                        left -= i64::from(!is_before);
                        before == 0 || base.is_none() || is_before || left >= 0
                    });
                    Reply::Disassembly { instructions }
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    pub(super) fn read_memory(
        &self,
        session: Option<SessionId>,
        arguments: &ReadMemoryArguments,
        reply: Answer,
    ) {
        match self.capable::<ReadMemory>(session, Action::Inspect, "memory reads") {
            Ok((_, client)) => {
                self.ask::<ReadMemory>(&client, arguments, reply, |response| Reply::Memory {
                    address: response.address,
                    data: response.data.unwrap_or_default(),
                    unreadable_bytes: response.unreadable_bytes.unwrap_or(0),
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    pub(super) fn write_memory(
        &self,
        session: Option<SessionId>,
        arguments: &WriteMemoryArguments,
        reply: Answer,
    ) {
        match self.capable::<WriteMemory>(session, Action::Modify, "memory writes") {
            Ok((session, client)) => {
                let id = session.id;
                let (reference, offset) = (
                    arguments.memory_reference.clone(),
                    arguments.offset.unwrap_or(0),
                );
                // Four characters stand for three bytes.
                let most = i64::try_from(arguments.data.len() / 4 * 3).unwrap_or(i64::MAX);
                let answer = client.send::<WriteMemory>(arguments, self.config.request_timeout);
                self.spawn(answer, move |owner, answer| {
                    if answer.is_ok() {
                        owner.is_asked(id);
                        owner.memory_changed(id, reference, offset, most);
                    }
                    let _ = reply.send(match answer {
                        Ok(response) => Ok(Reply::Written {
                            bytes: response.bytes_written,
                            offset: response.offset,
                        }),
                        Err(error) => Err(error.into()),
                    });
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    pub(super) fn modules(
        &self,
        session: Option<SessionId>,
        start: Option<i64>,
        count: Option<i64>,
        reply: Answer,
    ) {
        let arguments = ModulesArguments {
            start_module: start,
            module_count: count,
        };
        match self.capable::<Modules>(session, Action::List, "module introspection") {
            Ok((_, client)) => {
                self.ask::<Modules>(&client, &arguments, reply, move |response| {
                    let mut modules = response.modules;
                    let size = |n: Option<i64>| usize::try_from(n.unwrap_or(0)).unwrap_or(0);
                    // Some adapters take no notice of what part of them is asked for.
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
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    pub(super) fn loaded_sources(&self, session: Option<SessionId>, reply: Answer) {
        match self.capable::<LoadedSources>(session, Action::List, "loaded sources") {
            Ok((_, client)) => {
                self.ask::<LoadedSources>(&client, &(), reply, |response| Reply::Sources {
                    sources: response.sources,
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    /// Sends what was asked for as it is, except requests that we know and the adapter does not: some adapters die of those.
    pub(super) fn custom_request(
        &self,
        session: Option<SessionId>,
        request: &str,
        arguments: Option<Value>,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::List)
            .and_then(
                |(session, client)| match protocol::capability_for(request) {
                    Some(has) if !has(&session.capabilities) => Err(lacks(request)),
                    _ => Ok(client),
                },
            );
        let client = match asked {
            Ok(client) => client,
            Err(error) => return refuse(reply, error),
        };
        let answer = client.send_raw(
            request,
            arguments.unwrap_or(Value::Null),
            self.config.request_timeout,
        );
        tasks::spawn(async move {
            let _ = reply.send(match answer.await {
                Ok(body) => Ok(Reply::Custom { body: body.value() }),
                Err(error) => Err(error.into()),
            });
        });
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

    pub(super) fn breakpoint_locations(
        &self,
        session: Option<SessionId>,
        source: Source,
        lines: (i64, i64),
        reply: Answer,
    ) {
        let asked = self.capable::<BreakpointLocations>(
            session,
            Action::Source,
            "telling where breakpoints can be",
        );
        match asked {
            Ok((_, client)) => {
                let arguments = BreakpointLocationsArguments {
                    source,
                    line: lines.0,
                    end_line: Some(lines.1),
                    ..BreakpointLocationsArguments::default()
                };
                self.ask::<BreakpointLocations>(&client, &arguments, reply, |response| {
                    Reply::BreakpointLocations {
                        locations: response.breakpoints,
                    }
                });
            }
            Err(error) => refuse(reply, error),
        }
    }

    /// The session a command means, if its phase allows the action and its adapter the request.
    pub(super) fn capable<R: DapRequest>(
        &self,
        session: Option<SessionId>,
        action: Action,
        what: &str,
    ) -> Result<(&Session, Client), DebuggerError> {
        let (session, client) = self.allowed(session, action)?;
        match protocol::capability_for(R::COMMAND) {
            Some(has) if !has(&session.capabilities) => Err(lacks(what)),
            _ => Ok((session, client)),
        }
    }

    pub(super) fn ask<R: DapRequest + 'static>(
        &self,
        client: &Client,
        arguments: &R::Arguments,
        reply: Answer,
        told: impl FnOnce(R::Response) -> Reply + Send + 'static,
    ) where
        R::Response: Send + 'static,
    {
        let answer = client.send::<R>(arguments, self.config.request_timeout);
        tasks::spawn(async move {
            let _ = reply.send(answer.await.map(told).map_err(DebuggerError::from));
        });
    }
}

/// A clause as a sentence of its own.
pub(super) fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), rest.as_str())
}

pub(super) fn refuse(reply: Answer, error: DebuggerError) {
    let _ = reply.send(Err(error));
}

pub(super) fn lacks(what: &str) -> DebuggerError {
    DebuggerError::new(
        Kind::Capability,
        format!("Active adapter does not support {what}."),
    )
}

/// An address as adapters write it: `0x` and hexadecimal digits.
fn address_of(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
