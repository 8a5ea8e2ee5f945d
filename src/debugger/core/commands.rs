//! Which command goes where: each is done in the file that knows about it.

use dap::requests::{DataBreakpointInfoArguments, WriteMemoryArguments};

use super::{
    asker::Answer,
    handled::{Handled, at_once, held},
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
            Command::StepInto {
                session,
                thread,
                target,
            } => self.resume(session, thread, Resume::StepInto(target)),
            Command::RestartFrame { session, frame_id } => self.restart_frame(session, frame_id),
            Command::SingleThread { session, on } => at_once(self.single_thread(session, on)),
            Command::ValueFormat { session, hex } => at_once(self.value_format(session, hex)),
            Command::RecordExecution { session, on } => self.record_execution(session, on),
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
            Command::CustomRequest {
                session,
                request,
                arguments,
            } => self.custom_request(session, &request, arguments.unwrap_or_default()),
            Command::Request {
                session,
                stop,
                request,
                arguments,
            } => self.request(session, stop, &request, arguments),
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
