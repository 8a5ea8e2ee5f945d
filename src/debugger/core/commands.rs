//! Which command goes where: each of them is done in the room that knows about it.

use dap::requests::{DisassembleArguments, ReadMemoryArguments, WriteMemoryArguments};

use super::{control::Resume, data::Watched, live::Answer, owner::Owner};
use crate::prelude::*;

impl Owner {
    /// Does a command; who asked is answered now or when it is done.
    pub(super) fn command(&mut self, command: Command, reply: Answer) {
        let result = match command {
            Command::Launch(spec) => return self.launch(*spec, reply),
            Command::Attach(spec) => return self.attach(*spec, reply),
            Command::Replay { path, folder } => return self.replay(&path, folder, reply),
            Command::Restart { session } => return self.restart(session, reply),
            Command::Terminate { session } => return self.terminate(session, reply),
            Command::Detach { session } => return self.detach(session, reply),
            Command::Clear { session } => self.clear(session),
            Command::Focus { session } => self.focus(session),
            Command::Continue { session, thread } => {
                return self.resume(session, thread, Resume::Continue, reply);
            }
            Command::ReverseContinue { session, thread } => {
                return self.resume(session, thread, Resume::ReverseContinue, reply);
            }
            Command::Step {
                session,
                thread,
                kind,
                granularity,
            } => {
                return self.resume(session, thread, Resume::Step(kind, granularity), reply);
            }
            Command::Pause { session, thread } => return self.pause(session, thread, reply),
            Command::RunTo {
                session,
                path,
                line,
            } => return self.run_to(session, path, line, reply),
            Command::StepInTargets { session, frame_id } => {
                return self.step_in_targets(session, frame_id, reply);
            }
            Command::StepInto {
                session,
                thread,
                target,
            } => {
                let how = Resume::StepInto(target);
                return self.resume(session, thread, how, reply);
            }
            Command::GotoTargets {
                session,
                source,
                line,
            } => return self.goto_targets(session, *source, line, reply),
            Command::Goto {
                session,
                thread,
                target,
            } => return self.goto(session, thread, target, reply),
            Command::RestartFrame { session, frame_id } => {
                return self.restart_frame(session, frame_id, reply);
            }
            Command::TerminateThreads { session, threads } => {
                return self.terminate_threads(session, threads, reply);
            }
            Command::SingleThread { session, on } => self.single_thread(session, on),
            Command::ValueFormat { session, hex } => self.value_format(session, hex),
            Command::RecordExecution { session, on } => {
                return self.record_execution(session, on, reply);
            }
            Command::BreakpointLocations {
                session,
                source,
                line,
                end_line,
            } => return self.breakpoint_locations(session, *source, (line, end_line), reply),
            Command::SetBreakpoint(spec) => return self.set_breakpoint(spec, reply),
            Command::RemoveBreakpoint { id } => return self.remove_breakpoint(id, reply),
            Command::EnableBreakpoint { id, enabled } => {
                return self.enable_breakpoint(id, enabled, reply);
            }
            Command::ExplainBreakpoint { id } => return self.explain(id, reply),
            Command::ClearBreakpoints => return self.clear_breakpoints(reply),
            Command::SetExceptionFilters { filters } => {
                return self.set_exception_filters(filters, reply);
            }
            Command::StackTrace {
                session,
                thread,
                levels,
            } => return self.stack_trace(session, thread, levels, reply),
            Command::Threads { session } => return self.threads(session, reply),
            Command::SelectFrame {
                session,
                thread,
                frame_id,
            } => return self.select_frame(session, thread, frame_id, reply),
            Command::Scopes { session, frame_id } => return self.scopes(session, frame_id, reply),
            Command::Variables {
                session,
                stop,
                reference,
                page,
            } => return self.variables(session, stop, reference, page, reply),
            Command::Previews {
                session,
                stop,
                variables,
            } => return self.previews(session, stop, variables, reply),
            Command::SetVariable {
                session,
                stop,
                container,
                name,
                evaluate_name,
                value,
            } => {
                return self.set_variable(
                    session,
                    stop,
                    container,
                    name,
                    evaluate_name,
                    value,
                    reply,
                );
            }
            Command::Evaluate {
                session,
                frame_id,
                expression,
                context,
            } => return self.evaluate(session, frame_id, &expression, &context, reply),
            Command::Data {
                session,
                frame_id,
                expression,
                query,
            } => return self.data(session, frame_id, expression, query, reply),
            Command::Records { session, query } => return self.records(session, query, reply),
            Command::Completions {
                session,
                frame_id,
                text,
                column,
            } => return self.completions(session, frame_id, &text, column, reply),
            Command::DataBreakpointInfo {
                session,
                container,
                frame_id,
                name,
                bytes,
                mode,
            } => {
                let what = Watched {
                    container,
                    frame_id,
                    name,
                    bytes,
                    mode,
                };
                return self.data_breakpoint_info(session, what, reply);
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
                return self.disassemble(session, arguments, reply);
            }
            Command::ReadMemory {
                session,
                memory_reference,
                offset,
                count,
            } => {
                let arguments = ReadMemoryArguments {
                    memory_reference,
                    offset,
                    count,
                };
                return self.read_memory(session, &arguments, reply);
            }
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
                return self.write_memory(session, &arguments, reply);
            }
            Command::Modules {
                session,
                start,
                count,
            } => return self.modules(session, start, count, reply),
            Command::LoadedSources { session } => return self.loaded_sources(session, reply),
            Command::CustomRequest {
                session,
                request,
                arguments,
            } => return self.custom_request(session, &request, arguments, reply),
            Command::Location {
                session,
                stop,
                reference,
            } => return self.location(session, stop, reference, reply),
            Command::Source { session, source } => return self.source(session, *source, reply),
            Command::AddWatch { expression } => self.add_watch(expression),
            Command::EditWatch { id, expression } => self.set_watch(id, expression),
            Command::RemoveWatch { id } => {
                self.hub.publish(EventKind::WatchRemoved { watch: id });
                Ok(Reply::Done)
            }
            Command::Remember { key, values } => {
                self.hub.publish(EventKind::Memory { key, values });
                Ok(Reply::Done)
            }
            Command::WriteStdin { session, text } => return self.write_stdin(session, text, reply),
            Command::OwnCode => Ok(self.own_code()),
            Command::ResizeTerminal {
                session,
                rows,
                columns,
            } => self.resize_terminal(session, rows, columns),
            Command::AnswerTerminal { session, at, text } => {
                self.answer_terminal(session, at, text)
            }
            Command::CancelProgress { session, id } => self.cancel_progress(session, id),
            Command::CancelRequest { session, request } => self.cancel_request(session, request),
            Command::Spent { session } => self.spent(session),
            Command::Protocol { session, after } => return self.protocol(session, after, reply),
            Command::Record { on, file } => return self.record(on, file, reply),
            Command::Play { session, speed } => self.play(session, speed),
            Command::Stops { session } => self.stops(session),
            Command::LookBack { session, number } => self.look_back(session, number),
            Command::Hang { session, threads } => return self.hang(session, threads, reply),
            Command::SetMode { mode } => self.set_mode(mode),
            Command::TakeControl => return self.request_control(String::new(), reply),
            Command::RequestControl { reason } => return self.request_control(reason, reply),
            Command::ReleaseControl => self.release_control(),
            Command::Decide { approval, consent } => self.decide(approval, consent),
            Command::Shutdown => return self.shutdown(reply),
        };
        let _ = reply.send(result);
    }
}
