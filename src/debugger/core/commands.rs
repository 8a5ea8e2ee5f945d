//! Which command goes where: what an adapter only has to be asked is asked here, all else is done in the room that knows about it.

use dap::requests::{
    BreakpointLocations, BreakpointLocationsArguments, DataBreakpointInfoArguments,
    DisassembleArguments, Goto, GotoArguments, GotoTargets, GotoTargetsArguments, LoadedSources,
    ReadMemory, ReadMemoryArguments, StepInTargets, StepInTargetsArguments, TerminateThreads,
    TerminateThreadsArguments, WriteMemoryArguments,
};

use super::{
    asker::Answer,
    control::thread_or_none,
    handled::{Handled, at_once, held},
    jumps::frame_or_none,
    owner::Owner,
    resume::Resume,
};
use crate::prelude::*;

impl Owner {
    /// Does a command; who asked is answered now, or when it is done.
    pub(super) fn command(&mut self, command: Command, reply: Answer) {
        let handled = self.handle_command(command);
        self.answer(handled, reply);
    }

    fn handle_command(&mut self, command: Command) -> Handled {
        match command {
            Command::Launch(spec) => self.launch(*spec),
            Command::Attach(spec) => self.attach(*spec),
            Command::Replay { path, folder } => self.replay(&path, folder),
            Command::Restart { session } => self.restart(session),
            Command::Terminate { session } => self.terminate(session),
            Command::Detach { session } => self.detach(session),
            Command::Clear { session } => at_once(self.clear(session)),
            Command::Focus { session } => at_once(self.focus(session)),
            Command::Continue { session, thread } => self.resume(session, thread, Resume::Continue),
            Command::ReverseContinue { session, thread } => {
                self.resume(session, thread, Resume::ReverseContinue)
            }
            Command::Step {
                session,
                thread,
                kind,
                granularity,
            } => self.resume(session, thread, Resume::Step(kind, granularity)),
            Command::Pause {
                session,
                thread,
                momentary,
            } => self.pause(session, thread, momentary),
            Command::RunTo {
                session,
                path,
                line,
            } => self.run_to(session, path, line),
            Command::StepInTargets { session, frame_id } => self.ask::<StepInTargets>(
                session,
                Action::Inspect,
                "choosing the call to step into",
                |session| {
                    let frame_id = frame_or_none(session, frame_id)?;
                    Ok(StepInTargetsArguments { frame_id })
                },
                |answer| Reply::StepInTargets {
                    targets: answer.targets,
                },
            ),
            Command::StepInto {
                session,
                thread,
                target,
            } => self.resume(session, thread, Resume::StepInto(target)),
            Command::GotoTargets {
                session,
                source,
                line,
            } => self.ask::<GotoTargets>(
                session,
                Action::Inspect,
                "jumping to a line",
                |_| {
                    Ok(GotoTargetsArguments {
                        source: *source,
                        line,
                        column: None,
                    })
                },
                |answer| Reply::GotoTargets {
                    targets: answer.targets,
                },
            ),
            // The stop at the new place comes as an event.
            Command::Goto {
                session,
                thread,
                target: target_id,
            } => self.ask::<Goto>(
                session,
                Action::Resume,
                "jumping to a line",
                |session| {
                    Ok(GotoArguments {
                        thread_id: thread_or_none(session, thread)?,
                        target_id,
                    })
                },
                |_| Reply::Done,
            ),
            Command::RestartFrame { session, frame_id } => self.restart_frame(session, frame_id),
            Command::TerminateThreads { session, threads } => self.ask::<TerminateThreads>(
                session,
                Action::List,
                "ending threads",
                |_| {
                    Ok(TerminateThreadsArguments {
                        thread_ids: Some(threads),
                    })
                },
                |_| Reply::Done,
            ),
            Command::SingleThread { session, on } => at_once(self.single_thread(session, on)),
            Command::ValueFormat { session, hex } => at_once(self.value_format(session, hex)),
            Command::RecordExecution { session, on } => self.record_execution(session, on),
            Command::BreakpointLocations {
                session,
                source,
                line,
                end_line,
            } => self.ask::<BreakpointLocations>(
                session,
                Action::Source,
                "telling where breakpoints can be",
                |_| {
                    Ok(BreakpointLocationsArguments {
                        source: *source,
                        line,
                        end_line: Some(end_line),
                        ..BreakpointLocationsArguments::default()
                    })
                },
                |answer| Reply::BreakpointLocations {
                    locations: answer.breakpoints,
                },
            ),
            Command::SetBreakpoint(spec) => self.set_breakpoint(spec),
            Command::RemoveBreakpoint { id } => self.remove_breakpoint(id),
            Command::EnableBreakpoint { id, enabled } => self.enable_breakpoint(id, enabled),
            Command::ExplainBreakpoint { id } => self.explain(id),
            Command::ClearBreakpoints => self.clear_breakpoints(),
            Command::SetExceptionFilters { filters } => self.set_exception_filters(filters),
            Command::StackTrace {
                session,
                thread,
                levels,
            } => self.stack_trace(session, thread, levels),
            Command::Threads { session } => self.threads(session),
            Command::SelectFrame {
                session,
                thread,
                frame_id,
            } => self.select_frame(session, thread, frame_id),
            Command::Scopes { session, frame_id } => self.scopes(session, frame_id),
            Command::Variables {
                session,
                stop,
                reference,
                page,
            } => self.variables(session, stop, reference, page),
            Command::Previews {
                session,
                stop,
                variables,
            } => self.previews(session, stop, variables),
            Command::SetVariable {
                session,
                stop,
                container,
                name,
                evaluate_name,
                value,
            } => self.set_variable(session, stop, container, name, evaluate_name, value),
            Command::Evaluate {
                session,
                frame_id,
                expression,
                context,
            } => self.evaluate(session, frame_id, &expression, &context),
            Command::Data {
                session,
                frame_id,
                expression,
                query,
            } => self.data(session, frame_id, expression, query),
            Command::Records { session, query } => self.records(session, query),
            Command::Completions {
                session,
                frame_id,
                text,
                column,
            } => self.completions(session, frame_id, &text, column),
            Command::DataBreakpointInfo {
                session,
                container,
                frame_id,
                name,
                bytes,
                mode,
            } => {
                let arguments = DataBreakpointInfoArguments {
                    variables_reference: container,
                    frame_id,
                    name,
                    bytes,
                    as_address: bytes.map(|_| true),
                    mode,
                };
                self.data_breakpoint_info(session, arguments)
            }
            Command::Disassemble {
                session,
                memory_reference,
                offset,
                instruction_offset,
                instruction_count,
                resolve_symbols,
            } => {
                let arguments = DisassembleArguments {
                    memory_reference: memory_reference.unwrap_or_default(),
                    offset,
                    instruction_offset,
                    instruction_count,
                    resolve_symbols,
                };
                self.disassemble(session, arguments)
            }
            Command::ReadMemory {
                session,
                memory_reference,
                offset,
                count,
            } => self.ask::<ReadMemory>(
                session,
                Action::Inspect,
                "memory reads",
                |_| {
                    Ok(ReadMemoryArguments {
                        memory_reference,
                        offset,
                        count,
                    })
                },
                |answer| Reply::Memory {
                    address: answer.address,
                    data: answer.data.unwrap_or_default(),
                    unreadable_bytes: answer.unreadable_bytes.unwrap_or(0),
                },
            ),
            Command::WriteMemory {
                session,
                memory_reference,
                offset,
                data,
                allow_partial,
            } => {
                let arguments = WriteMemoryArguments {
                    memory_reference,
                    offset,
                    allow_partial,
                    data,
                };
                self.write_memory(session, arguments)
            }
            Command::Modules {
                session,
                start,
                count,
            } => self.modules(session, start, count),
            Command::LoadedSources { session } => self.ask::<LoadedSources>(
                session,
                Action::List,
                "loaded sources",
                |_| Ok(()),
                |answer| Reply::Sources {
                    sources: answer.sources,
                },
            ),
            Command::CustomRequest {
                session,
                request,
                arguments,
            } => self.custom_request(session, &request, arguments),
            Command::Location {
                session,
                stop,
                reference,
            } => self.location(session, stop, reference),
            Command::Source { session, source } => self.source(session, *source),
            Command::AddWatch { expression } => at_once(self.add_watch(expression)),
            Command::EditWatch { id, expression } => at_once(self.set_watch(id, expression)),
            Command::RemoveWatch { id } => {
                self.hub.publish(EventKind::WatchRemoved { watch: id });
                at_once(Ok(Reply::Done))
            }
            Command::Remember { key, values } => {
                self.hub.publish(EventKind::Memory { key, values });
                at_once(Ok(Reply::Done))
            }
            Command::WriteStdin { session, text } => self.write_stdin(session, text),
            Command::OwnCode => at_once(Ok(self.own_code())),
            Command::ResizeTerminal {
                session,
                rows,
                columns,
            } => at_once(self.resize_terminal(session, rows, columns)),
            Command::AnswerTerminal { session, at, text } => {
                at_once(self.answer_terminal(session, at, text))
            }
            Command::CancelProgress { session, id } => at_once(self.cancel_progress(session, id)),
            Command::CancelRequest { session, request } => {
                at_once(self.cancel_request(session, request))
            }
            Command::Spent { session } => at_once(self.spent(session)),
            Command::Protocol { session, after } => self.protocol(session, after),
            Command::Record { on, file } => self.record(on, file),
            Command::Play { session, speed } => at_once(self.play(session, speed)),
            Command::Stops { session } => at_once(self.stops(session)),
            Command::LookBack { session, number } => at_once(self.look_back(session, number)),
            Command::Hang { session, threads } => self.hang(session, threads),
            Command::SetMode { mode } => at_once(self.set_mode(mode)),
            Command::TakeControl => self.request_control(String::new()),
            Command::RequestControl { reason } => self.request_control(reason),
            Command::ReleaseControl => at_once(self.release_control()),
            Command::Decide { approval, consent } => at_once(self.decide(approval, consent)),
            Command::Shutdown => held(Self::shutdown),
        }
    }
}
