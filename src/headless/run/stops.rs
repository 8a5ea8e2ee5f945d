//! One stop: what is asked of it, and what is told. When to go on is decided in [`super::runner`].

use debugger::{Evaluated, adapters::Table, causes, hits::stopped_by, state::FrameScopes};

use super::{
    compact, diff,
    events::{Evaluation, Exception, Frame, Viewed},
    exceptions::{self, Thrown},
    prelude::*,
    values::{Expansion, Limits},
};

/// After all else of a stop is known, how long the adapter may take over the exception.
const EXCEPTION_PATIENCE: Duration = Duration::from_secs(3);

/// What is to be told of a stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture {
    pub locals: bool,
    pub evaluations: bool,
    /// A stop's own changes are told, or those of a step.
    pub changes: bool,
    /// The stack is told, and not only its innermost frame.
    pub stack: bool,
}

/// What was told, and what decides how to go on.
pub struct Captured {
    pub halt: Halt,
    /// Expressions that must be true, with what they came to.
    pub asserted: Vec<(String, Evaluation)>,
    /// What `--trace-until` came to.
    pub until: Option<Evaluation>,
    /// The function stopped in, for telling one from another.
    pub function: Location,
}

impl Runner {
    /// The stop, while it is the present one.
    pub(super) fn at(&self, session: SessionId, stop: StopId) -> Option<(&Session, &Stop)> {
        let session = self.state.session(session)?;
        let now = session.current_stop().filter(|now| now.id == stop)?;
        Some((session, now))
    }

    /// Waits for the stack of a stop. False when the stop is over or has none.
    pub(super) async fn stack_known(&mut self, session: SessionId, stop: StopId) -> bool {
        self.until(|runner| {
            runner
                .at(session, stop)
                .is_none_or(|(_, now)| now.trouble.is_some() || now.selected.is_some())
        })
        .await;
        self.at(session, stop).is_some()
    }

    /// Asks for everything wanted of a stop, at once, and waits for it.
    pub(super) async fn capture(
        &mut self,
        session: SessionId,
        stop: StopId,
        what: Capture,
        is_exception: bool,
        test_failure: bool,
    ) -> Option<Captured> {
        let (_, now) = self.at(session, stop)?;
        let frame_id = now.selected.map(|s| s.frame_id);
        let expressions = self.expressions(what);
        let wants_locals = what.locals || what.changes;
        let scopes = if let Some(frame) = frame_id.filter(|_| wants_locals) {
            self.until(|runner| {
                runner
                    .at(session, stop)
                    .is_none_or(|(_, now)| now.frames.contains_key(&frame))
            })
            .await;
            self.at(session, stop)
                .and_then(|(_, now)| now.frames.get(&frame).cloned())
        } else {
            None
        };
        let mut expansion = Expansion {
            core: self.core.clone(),
            session,
            stop,
            limits: Limits {
                depth: self.options.depth,
                items: self.options.max_items,
                bytes: self.options.max_bytes,
                all: self.options.all_variables,
            },
            redactor: self.printer.redactor.clone(),
            used: 0,
            requests: 0,
            truncated: false,
        };
        let mut left_out = 0;
        let (locals, scope_trouble) = match scopes {
            Some(scopes) => {
                let (mut variables, trouble) = variables_of(scopes);
                let before = variables.len();
                if !self.options.all_variables {
                    self.leave_out_furniture(session, stop, frame_id, &mut variables);
                }
                left_out = before - variables.len();
                (Some(expansion.fields(variables).await), trouble)
            }
            None => (None, None),
        };
        // After the locals, and each opened before the next: a function that an expression calls may end what was told before it.
        let mut evaluations = Vec::new();
        for expression in &expressions {
            let answer = self.core.request(Command::Evaluate {
                session: Some(session),
                frame_id,
                expression: expression.clone(),
                context: "watch".to_owned(),
            });
            evaluations.push(match answer.await {
                Ok(Reply::Value { value }) => {
                    self.evaluation(expression, value, &mut expansion).await
                }
                Ok(_) => Evaluation::default(),
                Err(error) => Evaluation {
                    error: Some(error.to_string()),
                    ..Evaluation::default()
                },
            });
        }
        let data = if what.evaluations {
            self.viewed(session, frame_id).await
        } else {
            Vec::new()
        };
        if is_exception {
            self.exception_known(session, stop).await;
        }
        let (known, now) = self.at(session, stop)?;
        let stack = now.selected.and_then(|s| now.stacks.get(&s.thread_id));
        let frames = stack.map(|s| s.frames.as_slice()).unwrap_or_default();
        let shown = frames
            .iter()
            .find(|f| Some(f.id) == frame_id)
            .or_else(|| frames.first());
        let place = shown.map(|f| location(f, known));
        let function = place.clone().unwrap_or_default();
        let total = stack.and_then(|s| s.total);
        let mut halt = Halt {
            id: stopped_by(known, now, &self.state)
                .map(|b| b.id.0)
                .filter(|_| !test_failure),
            thread_id: now.thread_id.or_else(|| now.selected.map(|s| s.thread_id)),
            location: place,
            trouble: now.trouble.clone().or(scope_trouble),
            truncated: expansion.truncated,
            data,
            test_failure,
            session: self.child_name(known.id),
            ..Halt::default()
        };
        if what.stack {
            let told: Vec<Frame> = frames
                .iter()
                .map(|f| Frame {
                    frame_id: f.id,
                    at: location(f, known),
                })
                .collect();
            let all = total.unwrap_or(told.len() as i64).max(told.len() as i64);
            let mut told = if self.options.compact {
                compact::own_frames(told)
            } else {
                told
            };
            told.truncate(self.options.frames());
            halt.more_frames = Some(all - told.len() as i64).filter(|n| *n > 0);
            halt.stack_trace = Some(told);
        }
        let mut values = expressions.into_iter().zip(evaluations);
        if what.evaluations && !self.options.evals.is_empty() {
            let told = values.by_ref().take(self.options.evals.len());
            halt.evaluations = Some(told.collect());
        }
        let asserted = values.by_ref().take(self.options.asserts.len()).collect();
        let until = values.next().map(|(_, value)| value);
        if let Some(locals) = locals {
            self.tell_locals(&mut halt, what, session, &function, locals);
            halt.locals_left_out = Some(left_out).filter(|n| *n > 0 && halt.locals.is_some());
        }
        if self.options.compact {
            compact::halt(&mut halt, &self.options.cwd);
        }
        Some(Captured {
            halt,
            asserted,
            until,
            function,
        })
    }

    /// Values as data, one page of each.
    async fn viewed(&self, session: SessionId, frame_id: Option<i64>) -> Vec<Viewed> {
        let mut all = Vec::new();
        for (expression, query) in &self.options.data {
            let answer = self.core.request(Command::Data {
                session: Some(session),
                frame_id,
                expression: expression.clone(),
                query: query.clone(),
            });
            let mut viewed = Viewed {
                expression: expression.clone(),
                ..Viewed::default()
            };
            match answer.await {
                Ok(Reply::Data { mut data }) => {
                    let is_compared = query.compare.is_some();
                    data.hide(expression, is_compared, |name, text| self.clean(name, text));
                    viewed.data = Some(data);
                }
                Ok(_) => {}
                Err(error) => viewed.error = Some(error.to_string()),
            }
            all.push(viewed);
        }
        all
    }

    /// Takes out what a file's own frame holds besides the program's data: what it imports and defines.
    fn leave_out_furniture(
        &self,
        session: SessionId,
        stop: StopId,
        frame_id: Option<i64>,
        variables: &mut Vec<Variable>,
    ) {
        let Some((known, now)) = self.at(session, stop) else {
            return;
        };
        let frames = now.stacks.values().flat_map(|stack| &stack.frames);
        let mut here = frames.filter(|f| Some(f.id) == frame_id);
        let (Some(frame), Ok(adapter)) = (here.next(), Table::builtin().get(&known.adapter)) else {
            return;
        };
        let personality = &adapter.personality;
        variables.retain(|v| !personality.is_furniture(&frame.name, &v.name, v.type_.as_deref()));
    }

    fn tell_locals(
        &mut self,
        halt: &mut Halt,
        what: Capture,
        session: SessionId,
        function: &Location,
        locals: Fields,
    ) {
        let Location { function, file, .. } = function.clone();
        let key = (session, halt.thread_id, function, file);
        let before = self.seen_locals.get(&key);
        if what.changes
            && let Some(before) = before
        {
            halt.changes = Some(diff::changes(before, &locals));
        }
        // Whoever wants few words reads the changes.
        if what.locals && !(self.options.compact && halt.changes.is_some()) {
            halt.locals = Some(locals.clone());
        }
        if self.options.diff_vars || self.options.compact {
            self.seen_locals.insert(key, locals);
        }
    }

    /// What is evaluated: expressions to tell, then those that must be true, then that which ends a path.
    fn expressions(&self, what: Capture) -> Vec<String> {
        let options = &self.options;
        let told = if what.evaluations {
            options.evals.as_slice()
        } else {
            &[]
        };
        let until = options
            .trace
            .as_ref()
            .filter(|_| self.trace.is_some())
            .and_then(|t| t.until.as_ref());
        told.iter()
            .chain(&options.asserts)
            .chain(until)
            .cloned()
            .collect()
    }

    async fn evaluation(
        &self,
        expression: &str,
        value: Evaluated,
        expansion: &mut Expansion,
    ) -> Evaluation {
        let has_parts = value.variables_reference != 0;
        // Told even where there is no room left for what the value holds.
        let type_name = value.type_name.clone().filter(|name| !name.is_empty());
        let type_name = type_name.unwrap_or_else(|| "unknown".to_owned());
        let variable = Variable {
            name: expression.to_owned(),
            value: value.result,
            type_: value.type_name,
            variables_reference: value.variables_reference,
            named_variables: value.named_variables,
            indexed_variables: value.indexed_variables,
            memory_reference: value.memory_reference,
            ..Variable::default()
        };
        let preview = value.preview.map(|p| self.clean(Some(expression), p));
        let own = self.clean(Some(expression), variable.value.clone());
        // GDB has no text for a structure.
        let text = match &preview {
            Some(preview) if own.is_empty() => preview.clone(),
            _ => own,
        };
        let fields = expansion.fields(vec![variable]).await;
        let field = fields.0.into_iter().next().map(|(_, field)| field);
        Evaluation {
            result: Some(text),
            type_name: Some(type_name),
            preview,
            value: field.filter(|_| has_parts).map(|f| f.value),
            error: None,
        }
    }

    /// Waits for the exception of a stop, for as long as one may take.
    async fn exception_known(&mut self, session: SessionId, stop: StopId) {
        // What is thrown is known before its type, and a panic before its text.
        let is_known = |now: &Stop| {
            let told = now.exception.as_deref();
            told.is_some_and(|told| !causes::is_asked(told))
        };
        let able = self.at(session, stop).is_some_and(|(known, now)| {
            !is_known(now)
                && (now.exception.is_some()
                    || known.capabilities.supports_exception_info_request
                    || now.reason == "signal")
        });
        if able {
            let known = self.until(|runner| {
                runner
                    .at(session, stop)
                    .is_none_or(|(_, now)| is_known(now))
            });
            // An adapter that fails to tell says nothing: the stop is told without.
            let _ = tokio::time::timeout(EXCEPTION_PATIENCE, known).await;
        }
    }

    pub(super) fn exception(&self, session: SessionId, stop: StopId) -> Option<Exception> {
        let (known, now) = self.at(session, stop)?;
        let adapter = Table::builtin().get(&known.adapter).ok();
        let chained = adapter
            .as_ref()
            .and_then(|a| a.personality.chained_tracebacks.as_ref());
        let mut exception = exceptions::of(now, chained, self.options.root_cause);
        if let Some(message) = exception.message.take() {
            exception.message = Some(self.clean(None, message));
        }
        Some(exception)
    }

    /// Whether this exception was told already, deeper in the same stack.
    pub(super) fn unwinds(
        &mut self,
        session: SessionId,
        stop: StopId,
        exception: &Exception,
    ) -> bool {
        let Some((_, now)) = self.at(session, stop) else {
            return false;
        };
        let Some(thread) = now.selected.map(|s| s.thread_id) else {
            return false;
        };
        let frames = now.stacks.get(&thread).map(|s| s.frames.as_slice());
        let thrown = Thrown::of(exception, frames.unwrap_or_default());
        let same = |earlier: &Thrown| thrown.is_on_its_way(earlier);
        let told = self.thrown.get(&(session, thread)).is_some_and(same);
        self.thrown.insert((session, thread), thrown);
        told
    }
}

/// The variables of the frame's own scopes, and what hindered them.
fn variables_of(scopes: FrameScopes) -> (Vec<Variable>, Option<String>) {
    let mut trouble = scopes.trouble;
    let mut variables = Vec::new();
    for scope in scopes.scopes {
        trouble = trouble.or(scope.trouble);
        variables.extend(scope.variables.into_iter().flatten());
    }
    (variables, trouble)
}

/// Where a frame is.
pub fn location(frame: &StackFrame, session: &Session) -> Location {
    let source = frame.source.as_ref();
    let file = source.and_then(|s| s.path.clone().or_else(|| s.name.clone()));
    let module = frame.module_id.as_ref().map(|id| {
        let id = id.to_string();
        let known = session.modules.get(&id).map(|m| m.name.clone());
        known.unwrap_or(id)
    });
    // What an adapter says behind the name of the frame.
    let name = frame.name.strip_suffix(" (Current frame)");
    Location {
        line: file.as_ref().map(|_| frame.line),
        column: file.as_ref().map(|_| frame.column).filter(|c| *c > 0),
        file,
        function: name.unwrap_or(&frame.name).to_owned(),
        module,
    }
}
