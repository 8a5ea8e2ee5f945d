//! How everyone talks to a core, and which file does what they ask: a handle that any number of front ends hold, each as whoever they act
//! for; the owner's loop, which takes the commands in the order in which they come; the file that knows about each.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::OptionFuture;
use tokio::time::sleep_until;

use super::{owner::Control, prelude::*};
use crate::permission::Caller;

/// The core. Only its handle is ever held.
pub struct Core;

impl Core {
    /// Starts the core on the current runtime. It ends on [`Command::Shutdown`], or when the last handle is gone.
    pub fn start(config: CoreConfig) -> CoreHandle {
        let (control, control_rx) = mpsc::unbounded_channel();
        let owner = Owner::new(config, control.downgrade());
        let handle = CoreHandle {
            control,
            by: None,
            open: Arc::clone(&owner.hub.open),
        };
        tasks::spawn(owner.run(control_rx));
        handle
    }
}

/// A way to talk to a core.
#[derive(Clone, Debug)]
pub struct CoreHandle {
    pub(super) control: mpsc::UnboundedSender<Control>,
    /// Who acts through it; none = the person.
    pub(super) by: Option<Arc<Asker>>,
    /// Questions whose answers somebody waits for.
    pub(super) open: Arc<AtomicUsize>,
}

/// A question whose answer somebody waits for.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Someone who is there. Dropping it says that they have gone: what waited for consent of theirs waits no longer, and whoever they
/// drove for is without a driver.
#[derive(Debug)]
pub struct Presence {
    control: mpsc::WeakUnboundedSender<Control>,
    actor: Actor,
    answers: bool,
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(control) = self.control.upgrade() {
            let _ = control.send(Control::Gone {
                actor: mem::take(&mut self.actor),
                answers: self.answers,
            });
        }
    }
}

impl CoreHandle {
    /// The same core for someone else: whatever is asked through it is theirs.
    #[must_use]
    pub fn acting_as(&self, caller: impl Into<Caller>) -> Self {
        let caller = caller.into();
        let by = (!caller.is_the_person()).then_some(Asker {
            caller,
            action: None,
        });
        Self {
            by: by.map(Arc::new),
            ..self.clone()
        }
    }

    /// The same for what an action of the tool asks.
    pub(crate) fn doing(&self, action: &'static str) -> Self {
        let by = self.by.as_deref().map(|by| Asker {
            caller: by.caller.clone(),
            action: Some(action),
        });
        Self {
            by: by.map(Arc::new),
            ..self.clone()
        }
    }

    /// Who acts through it.
    pub fn actor(&self) -> Actor {
        let by = self.by.as_ref();
        by.map(|by| by.caller.actor.clone()).unwrap_or_default()
    }

    /// Says that whoever acts through it is there, and whether a person sits there who can answer what waits for consent: without
    /// any such person, what would have to be asked about is refused.
    pub fn present(&self, answers: bool) -> Presence {
        let actor = self.actor();
        let _ = self.control.send(Control::Here {
            actor: actor.clone(),
            answers,
        });
        Presence {
            control: self.control.downgrade(),
            actor,
            answers,
        }
    }

    /// Whether an action that only looks may be done.
    pub async fn may(&self, action: &'static str) -> Result<()> {
        let Some(by) = self.by.clone() else {
            return Ok(());
        };
        let (reply, answer) = oneshot::channel();
        self.put(Control::May { by, action, reply }, answer).await
    }

    /// Asks for something. Commands are taken in the order in which this is called, not in which the answers are awaited;
    /// dropping the answer does not take the command back.
    pub fn request(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        self.ask(command, None)
    }

    /// As [`Self::request`], for someone with a deadline: each request to the adapter that the command leads to may take
    /// `timeout`. When the answer is dropped before it is there, the adapter is told that the request under way is taken back,
    /// where it understands; nothing else changes, and a session that is starting starts.
    pub fn request_within(
        &self,
        command: Command,
        timeout: Duration,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let taken_back = CancellationToken::new();
        let guard = taken_back.clone().drop_guard();
        let terms = Terms {
            timeout,
            taken_back,
        };
        let answer = self.ask(command, Some(terms));
        async move {
            let answer = answer.await;
            guard.disarm();
            answer
        }
    }

    fn ask(
        &self,
        command: Command,
        terms: Option<Terms>,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let (reply, answer) = oneshot::channel();
        // That is answered when the program has read it, which may be never.
        let is_input = matches!(command, Command::WriteStdin { .. });
        let open = (!is_input).then(|| Open::new(&self.open));
        let question = Control::Command {
            command: Box::new(command),
            terms,
            by: self.by.clone(),
            reply,
        };
        let answer = self.put(question, answer);
        async move {
            let _open = open;
            answer.await
        }
    }

    fn put<T: Send + 'static>(
        &self,
        question: Control,
        answer: oneshot::Receiver<Result<T>>,
    ) -> impl Future<Output = Result<T>> + Send + use<T> {
        let sent = self.control.send(question);
        async move {
            sent.map_err(|_closed| gone())?;
            answer.await.unwrap_or_else(|_closed| Err(gone()))
        }
    }

    /// The state as of now, and every event after it.
    pub async fn subscribe(&self) -> Option<(State, Subscription)> {
        let (reply, answer) = oneshot::channel();
        self.control.send(Control::Subscribe { reply }).ok()?;
        answer.await.ok()
    }
}

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
    /// The loop, in the order of importance.
    async fn run(mut self, mut control: mpsc::UnboundedReceiver<Control>) {
        let Some(mut from_adapters) = self.from_adapters.take() else {
            return;
        };
        let taken = Arc::clone(&self.hub.taken);
        let (unkept, mut troubles) = mpsc::unbounded_channel();
        let mut hooks = self.hooks(&unkept);
        self.restore(unkept).await;
        loop {
            let idle_at = self.idle_at().into_iter().chain(self.guard_at()).min();
            if self.live.is_empty()
                && self.explaining == 0
                && let Some(answers) = self.shutting_down.take()
            {
                if let Some(project) = &mut self.project {
                    project.finish().await;
                }
                self.finish_recording().await;
                if let Some(hooks) = hooks.take() {
                    hooks.finish().await;
                }
                for answer in answers {
                    let _ = answer.send(Ok(Reply::Done));
                }
                break;
            }
            let is_ahead = self.hub.is_ahead();
            tokio::select! {
                biased;
                message = control.recv() => match message {
                    Some(Control::Command { command, terms, by, reply }) => {
                        self.used(&command);
                        self.on_behalf(by, terms, |owner| owner.take(*command, reply));
                    }
                    Some(Control::May { by, action, reply }) => {
                        let _ = reply.send(self.may_look(&by, action));
                    }
                    Some(Control::Here { actor, answers }) => self.came(actor, answers),
                    Some(Control::Gone { actor, answers }) => self.went(&actor, answers),
                    Some(Control::Subscribe { reply }) => {
                        let _ = reply.send(self.hub.subscribe());
                    }
                    Some(Control::Then(work)) => work(&mut self),
                    None if self.live.is_empty() => break,
                    None => {
                        // Nobody holds the core any more: end what we started, leave what we came to.
                        self.abandon();
                        break;
                    }
                },
                () = taken.notified(), if is_ahead => {}
                Some(batch) = from_adapters.recv(), if !is_ahead => self.incoming(batch),
                Some(why) = troubles.recv() => self.warn(None, why),
                Some(()) = OptionFuture::from(idle_at.map(sleep_until)) => {
                    self.end_idle();
                    self.expire();
                }
            }
            self.refuse_stale();
            if let Some(project) = &mut self.project {
                project.save_if_changed(&self.hub.state, self.hub.kept_at);
            }
        }
        self.finish_recording().await;
        if let Some(hooks) = hooks {
            hooks.finish().await;
        }
        self.hub.close();
    }

    /// Takes a command of someone's: does it, asks a person, or refuses.
    pub fn take(&mut self, command: Command, reply: Answer) {
        if self.by.is_none() && self.driver().is_none() {
            return self.command(command, reply);
        }
        match self.weigh(&command) {
            Ok(None) => self.command(command, reply),
            Ok(Some(operation)) => self.ask_consent(operation, command, reply),
            Err(error) => self.answer(Err(error), reply),
        }
    }

    /// Does a command; who asked is answered now, or when it is done.
    pub fn command(&mut self, command: Command, reply: Answer) {
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
