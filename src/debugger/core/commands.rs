//! Which command goes where: each is done in the file that knows about it.

use dap::requests::WriteMemoryArguments;

use super::prelude::*;

/// The commands in two tables, each with the method that does it and the fields that it is given: those of the first say when they are
/// answered, those of the second have their answer at once. What is more than that stands below them as it is.
macro_rules! commands {
    (
        ($owner:ident, $command:ident)
        in_time { $($name:ident => $does:ident($($field:ident),*);)* }
        at_once { $($quick:ident => $answers:ident($($given:ident),*);)* }
        others { $($others:tt)* }
    ) => {
        match $command {
            $(Command::$name { $($field),* } => $owner.$does($($field),*),)*
            $(Command::$quick { $($given),* } => at_once($owner.$answers($($given),*)),)*
            $($others)*
        }
    };
}

impl Owner {
    /// Does a command; who asked is answered now, or when it is done.
    pub(super) fn command(&mut self, command: Command, reply: Answer) {
        let handled = self.handle_command(command);
        self.answer(handled, reply);
    }

    fn handle_command(&mut self, command: Command) -> Handled {
        commands! {
            (self, command)
            in_time {
                Restart => restart(session);
                Terminate => terminate(session);
                Detach => detach(session);
                Pause => pause(session, thread, momentary);
                RunTo => run_to(session, path, line);
                RestartFrame => restart_frame(session, frame_id);
                RecordExecution => record_execution(session, on);
                RemoveBreakpoint => remove_breakpoint(id);
                EnableBreakpoint => enable_breakpoint(id, enabled);
                ExplainBreakpoint => explain(id);
                ClearBreakpoints => clear_breakpoints();
                SetExceptionFilters => set_exception_filters(filters);
                StackTrace => stack_trace(session, thread, levels);
                Threads => threads(session);
                SelectFrame => select_frame(session, thread, frame_id);
                Scopes => scopes(session, frame_id);
                Variables => variables(session, stop, reference, page);
                Previews => previews(session, stop, variables);
                SetVariable => set_variable(session, stop, container, name, evaluate_name, value);
                Data => data(session, frame_id, expression, query);
                Records => records(session, query);
                WriteStdin => write_stdin(session, text);
                Protocol => protocol(session, after);
                Record => record(on, file);
                Hang => hang(session, threads);
                RequestControl => request_control(reason);
            }
            at_once {
                Clear => clear(session);
                Focus => focus(session);
                SingleThread => single_thread(session, on);
                ValueFormat => value_format(session, hex);
                AddWatch => add_watch(expression);
                EditWatch => set_watch(id, expression);
                ResizeTerminal => resize_terminal(session, rows, columns);
                AnswerTerminal => answer_terminal(session, at, text);
                CancelProgress => cancel_progress(session, id);
                CancelRequest => cancel_request(session, request);
                Spent => spent(session);
                Play => play(session, speed);
                Stops => stops(session);
                LookBack => look_back(session, number);
                SetMode => set_mode(mode);
                ReleaseControl => release_control();
                Decide => decide(approval, consent);
            }
            others {
                Command::Launch(spec) => self.launch(*spec),
                Command::Attach(spec) => self.attach(*spec),
                Command::Replay { path, folder } => self.replay(&path, folder),
                Command::Continue { session, thread } => self.resume(session, thread, Resume::Continue),
                Command::ReverseContinue { session, thread } => {
                    self.resume(session, thread, Resume::ReverseContinue)
                }
                Command::Step { session, thread, kind, granularity } => {
                    self.resume(session, thread, Resume::Step(kind, granularity))
                }
                Command::StepInto { session, thread, target } => {
                    self.resume(session, thread, Resume::StepInto(target))
                }
                Command::SetBreakpoint(spec) => self.set_breakpoint(spec),
                Command::Evaluate { session, frame_id, expression, context } => {
                    self.evaluate(session, frame_id, &expression, &context)
                }
                Command::Completions { session, frame_id, text, column } => {
                    self.completions(session, frame_id, &text, column)
                }
                Command::DataBreakpointInfo { session, container, frame_id, name, bytes, mode } => {
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
                Command::WriteMemory { session, memory_reference, offset, data, allow_partial } => {
                    let arguments = WriteMemoryArguments { memory_reference, offset, allow_partial, data };
                    self.write_memory(session, arguments)
                }
                Command::CustomRequest { session, request, arguments } => {
                    self.custom_request(session, &request, arguments.unwrap_or_default())
                }
                Command::Request { session, stop, request, arguments } => {
                    self.request(session, stop, &request, arguments)
                }
                Command::Source { session, source } => self.source(session, *source),
                Command::RemoveWatch { id } => self.published(EventKind::WatchRemoved { watch: id }),
                Command::Remember { key, values } => self.published(EventKind::Memory { key, values }),
                Command::OwnCode => at_once(Ok(self.own_code())),
                Command::TakeControl => self.request_control(String::new()),
                Command::Shutdown => held(Self::shutdown),
            }
        }
    }

    /// All that is to be done is that everyone hears of it.
    fn published(&mut self, event: EventKind) -> Handled {
        self.hub.publish(event);
        at_once(Ok(Reply::Done))
    }
}
