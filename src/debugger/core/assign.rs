//! Assignments: by the protocol's requests, by the debugger's own evaluator, or by what a person would type at the prompt.
//!
//! One may change anything that is shown: the selected frame is loaded again. What may be assigned, and what became of it, is in
//! `assignable`.

use dap::message::WITHOUT_REASON;
use futures_util::future::FutureExt as _;

use super::{
    assignable::{cut_number, in_array, refused},
    evaluate::evaluated,
    handled::handed_on,
    prelude::*,
    references::reference,
    refusals::still_at,
};
use crate::{data::code::last_step, reply::Evaluated};

impl Owner {
    pub fn set_variable(
        &mut self,
        session: Option<SessionId>,
        stop: StopId,
        container: i64,
        name: String,
        evaluate_name: Option<String>,
        value: String,
    ) -> Handled {
        let (session, client) = self.allowed(session, Action::Modify)?;
        still_at(session, stop)?;
        let id = session.id;
        let can = &session.capabilities;
        let at = session.current_stop();
        let frame_id = session.frame_id();
        // What a watch or an evaluation gave has no container: it can only be assigned to as an expression.
        let by_name = can.supports_set_variable && container > 0;
        let by_expression = can.supports_set_expression && evaluate_name.is_some();
        // A debugger of native programs evaluates assignments.
        let by_debugger =
            evaluate_name.is_some() && self.live(id).is_some_and(|l| l.personality.previews);
        if !(by_name || by_expression || by_debugger) {
            let lacks = lacks("changing variables").hint("try an assignment at the prompt");
            let part = can.supports_set_variable.then(|| last_step(&name));
            let Some(((holder, part), follow)) = part.flatten().zip(self.follow(id)) else {
                return Err(lacks);
            };
            let (holder, part) = (follow.watched(holder, frame_id), part.to_owned());
            let found = async move { Some((follow.holder_of(&holder, &part).await?, part)) };
            return onward(found, move |owner, found| {
                let (at, part) = found.ok_or(lacks)?;
                owner.set_variable(Some(id), stop, at, part, evaluate_name, value)
            });
        }
        // Where the variable is a scope's own, that scope's name.
        let scopes = at.zip(frame_id).and_then(|(s, frame)| s.frames.get(&frame));
        let scopes = scopes.map(|f| f.scopes.as_slice()).unwrap_or_default();
        let place = scopes
            .iter()
            .position(|s| s.scope.variables_reference == container);
        let scope = place
            .and_then(|at| scopes.get(at))
            .map(|s| s.scope.name.as_str());
        // By its name alone the innermost of them is meant.
        let within = scopes.iter().take(place.unwrap_or(0));
        let mut within = within.flat_map(|s| s.variables.iter().flatten());
        let is_hidden = within.any(|v| v.name == name);
        // A name that no scope of the frame has is one of the program's.
        let mut shown = scopes.iter().flat_map(|s| s.variables.iter().flatten());
        let is_outer = container == 0
            && !scopes.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && shown.all(|v| v.name != name);
        let habits = self.live(id).map(|l| &l.personality);
        let outer = habits.and_then(|habits| habits.scope_targets.keys().next());
        let scope = scope.or_else(|| outer.filter(|_| is_outer).map(String::as_str));
        let typed = match habits {
            Some(habits) if is_hidden && habits.assigns_by_name(scope) => {
                let text = format!("Only the `{name}` of the inner block can be changed here.");
                return Err(DebuggerError::adapter(text));
            }
            Some(habits) => habits.assigned(scope, &name, evaluate_name.as_deref(), &value),
            None => None,
        };
        if let Some((typed, target)) = typed {
            return self.assign_at_prompt(id, frame_id, stop, typed, target, value);
        }
        let format = session.value_format();
        let written = value.clone();
        // What is no scope's own is not meant by its name alone.
        let target = evaluate_name.clone();
        let target = target.filter(|expression| container == 0 || *expression != name);
        let target = target.or_else(|| scope.map(|_| name.clone()));
        let place = session.current_frame().and_then(|f| f.source.as_ref());
        let path = place.and_then(|source| source.path.as_deref());
        let copies_bytes =
            path.is_some_and(|path| Path::new(path).extension() == Some("c".as_ref()));
        let mut arguments = SetVariableArguments {
            variables_reference: if by_name { container } else { 0 },
            name: name.clone(),
            value: value.clone(),
            format: format.clone(),
        };
        if let Some(follow) = self.follow(id).filter(|f| f.personality.previews) {
            let set = async move {
                let client = follow.client.in_order();
                let failed = |error| not_changed(&error, &follow.personality);
                let whole = target.clone().unwrap_or(name);
                let known = follow.assigned_to(&arguments, &whole, frame_id).await;
                if known.is_none() && by_name && arguments.name.starts_with('[') {
                    // LLDB takes it for the number of a member.
                    let text = format!("not changed: it has no element {}", arguments.name);
                    return (None, Err(DebuggerError::usage(text)));
                }
                let type_name = known.as_ref().and_then(|known| known.type_.as_deref());
                if copies_bytes && matches!(type_name, Some("bool" | "_Bool")) {
                    // Shown in words that are macros to C.
                    arguments.value = match arguments.value.as_str() {
                        "true" => "1".to_owned(),
                        "false" => "0".to_owned(),
                        _ => arguments.value,
                    };
                }
                let room = type_name.and_then(|name| in_array(name, &arguments.value));
                let refusal =
                    known.and_then(|known| refused(&known, &arguments.value, copies_bytes));
                // What the debugger evaluates itself, in its own words for the language.
                let native = follow.personality.reasons.get("prefix");
                let native = native.map_or("", String::as_str);
                let context = follow.personality.evaluate_context("watch");
                let evaluate = |expression: String| {
                    let assignment = EvaluateArguments {
                        expression: format!("{native}{expression}"),
                        frame_id,
                        context: Some(context.to_owned()),
                        ..EvaluateArguments::default()
                    };
                    let answer = client.send::<Evaluate>(&assignment);
                    async move {
                        let (seq, answer) = (answer.seq(), answer.await);
                        let value = |r| Reply::Value {
                            value: evaluated(r, Some(stop), false),
                        };
                        (told(seq, &answer), answer.map(value).map_err(failed))
                    }
                };
                if let Some(bytes) = room {
                    let bytes = match bytes {
                        Ok(bytes) => bytes,
                        Err(error) => return (None, Err(error)),
                    };
                    let set = bytes.iter().zip(0..);
                    let set = set.map(|(byte, at)| format!("{whole}[{at}] = {byte}"));
                    return match evaluate(set.joined(", ")).await {
                        (_, Ok(_)) => evaluate(whole).await,
                        failed => failed,
                    };
                }
                if let Some(refusal) = refusal {
                    return match target.zip(refusal.takes) {
                        Some((target, (before, behind))) => {
                            let value = arguments.value;
                            evaluate(format!("{target}{before}{value}{behind}")).await
                        }
                        None => (None, Err(refusal.error)),
                    };
                }
                let (seq, answer) = if by_name {
                    let answer = client.send::<SetVariable>(&arguments);
                    (answer.seq(), answer.await)
                } else if !by_expression {
                    return evaluate(format!("{whole} = {}", arguments.value)).await;
                } else {
                    let arguments = SetExpressionArguments {
                        expression: whole,
                        value: arguments.value.clone(),
                        frame_id,
                        format,
                    };
                    let answer = client.send::<SetExpression>(&arguments);
                    (answer.seq(), answer.await)
                };
                // LLDB takes a number for any value; what it can make of an expression, it says.
                if let (Err(RequestError::Failed { text, .. }), Some(target)) = (&answer, target)
                    && text.ends_with(WITHOUT_REASON)
                {
                    return evaluate(format!("{target} = {}", arguments.value)).await;
                }
                let seq = told(seq, &answer);
                let set = match answer {
                    Ok(r) => Ok(follow.value_set(r, stop).await),
                    Err(error) => Err(failed(error)),
                };
                (seq, set)
            };
            self.may_run(id);
            return handed_on(set, move |owner, (seq, result), reply| {
                owner.in_order(id, seq, move |owner| {
                    owner.assigned(id, &written, result, reply);
                });
            });
        }
        self.may_run(id);
        let client = client.in_order();
        let is_number = written.trim().parse::<i128>().is_ok();
        let again = evaluate_name.clone().filter(|_| is_number);
        let again = again.zip(self.follow(id));
        let (seq, work): (i64, BoxFuture<'static, _>) = if by_name {
            let answer = client.send::<SetVariable>(&arguments);
            (answer.seq(), answer.boxed())
        } else {
            let arguments = SetExpressionArguments {
                expression: evaluate_name.unwrap_or(name),
                value,
                frame_id,
                format,
            };
            let answer = client.send::<SetExpression>(&arguments);
            (answer.seq(), answer.boxed())
        };
        let given = written.clone();
        let work = async move {
            let mut answer = work.await;
            // Some repeat what they were given, whatever became of it.
            if let (Ok(set), Some((name, follow))) = (&mut answer, again)
                && set.value.trim() == given.trim()
            {
                let now = follow.watched(&name, frame_id);
                let now = follow.client.send::<Evaluate>(&now).await;
                set.value = now.map_or_else(|_| given, |now| now.result);
            }
            answer
        };
        handed_on(work, move |owner, result, reply| {
            let seq = told(seq, &result);
            let result = match result {
                Ok(r) => Ok(Reply::Value {
                    value: value_of(r, stop),
                }),
                Err(error) => Err(not_changed(&error, &Personality::default())),
            };
            owner.in_order(id, seq, move |owner| {
                owner.assigned(id, &written, result, reply);
            });
        })
    }

    /// Assigns by what a person would type at the adapter's prompt, whose errors can be believed, and reads the value back.
    fn assign_at_prompt(
        &mut self,
        id: SessionId,
        frame_id: Option<i64>,
        stop: StopId,
        typed: String,
        target: String,
        written: String,
    ) -> Handled {
        let (client, personality) = self.client_and_personality(id).ok_or_else(gone)?;
        let format = self.session(id).and_then(Session::value_format);
        let ask = move |expression, context: &str| {
            client.send::<Evaluate>(&EvaluateArguments {
                expression,
                frame_id,
                context: Some(context.to_owned()),
                format: format.clone(),
                ..EvaluateArguments::default()
            })
        };
        let watch = personality.evaluate_context("watch").to_owned();
        let prompt = personality.evaluate_context("repl").to_owned();
        self.may_run(id);
        let work = async move {
            match ask(typed, &prompt).await {
                Ok(told) if personality.error_results.fit(&told.result) => {
                    Err(unchanged(&told.result, &personality))
                }
                Ok(_) => {
                    let now = ask(target, &watch).await?;
                    Ok(Reply::Value {
                        value: evaluated(now, Some(stop), false),
                    })
                }
                Err(error) => Err(not_changed(&error, &personality)),
            }
        };
        handed_on(work, move |owner, result, reply| {
            owner.assigned(id, &written, result, reply);
        })
    }

    /// An assignment was answered: what is shown may have changed with it, and the value may have been that of a function. Debuggers take
    /// a number that has no room, and say nothing of it.
    fn assigned(&mut self, id: SessionId, written: &str, result: Result<Reply>, reply: Answer) {
        if let Ok(Reply::Value { value }) = &result
            && let Some(now) = cut_number(written, &value.result)
        {
            self.warn(id, format!("{written} has no room there: it is {now} now."));
        }
        self.evaluation_over(id, false, move |owner, _| {
            owner.reload_frame(id, true);
            let _ = reply.send(result);
        });
    }
}

/// The number under which an answer stands among what the adapter said: only its own do.
fn told<T>(seq: i64, answer: &Result<T, RequestError>) -> Option<i64> {
    matches!(answer, Ok(_) | Err(RequestError::Failed { .. })).then_some(seq)
}

/// An assignment that failed: the variable is what it was.
fn not_changed(error: &RequestError, personality: &Personality) -> DebuggerError {
    let RequestError::Failed { text, .. } = error else {
        return error.clone().into();
    };
    unchanged(text, personality)
}

/// The same, for the text that says why.
fn unchanged(text: &str, personality: &Personality) -> DebuggerError {
    let (why, details) = personality.evaluation_error(text);
    DebuggerError {
        details,
        ..DebuggerError::adapter(format!("not changed: {why}"))
    }
}

/// A value that was assigned.
fn value_of(r: SetExpressionResponse, stop: StopId) -> Evaluated {
    Evaluated {
        result: r.value,
        type_name: r.type_,
        variables_reference: r.variables_reference.unwrap_or(0),
        named_variables: r.named_variables,
        indexed_variables: r.indexed_variables,
        memory_reference: r.memory_reference,
        declared: reference(r.value_location_reference),
        preview: None,
        stop: Some(stop),
    }
}

/// Pointers to pointers that are followed to what holds a part.
const MOST_POINTERS: usize = 4;

impl Follow {
    /// A value that was assigned, with what it shows.
    async fn value_set(&self, r: SetExpressionResponse, stop: StopId) -> Reply {
        let variable = Variable {
            value: r.value.clone(),
            type_: r.type_.clone(),
            variables_reference: r.variables_reference.unwrap_or(0),
            ..Variable::default()
        };
        let preview = self.shown(&variable).await;
        Reply::Value {
            value: Evaluated {
                preview,
                ..value_of(r, stop)
            },
        }
    }

    /// The reference of what holds a part of that name: of what an expression gives, or of what that points to.
    async fn holder_of(&self, asked: &EvaluateArguments, part: &str) -> Option<i64> {
        let answer = self.client.send::<Evaluate>(asked);
        let mut at = answer.await.ok()?.variables_reference;
        for _ in 0..MOST_POINTERS {
            let parts = self.parts_of(at, None).await.ok()?.variables;
            match &parts[..] {
                _ if parts.iter().any(|p| p.name == part) => return Some(at),
                [inside] if inside.name.is_empty() || inside.name.starts_with('*') => {
                    at = reference(Some(inside.variables_reference))?;
                }
                _ => break,
            }
        }
        None
    }

    /// The value that is to be another one, as it is.
    async fn assigned_to(
        &self,
        asked: &SetVariableArguments,
        whole: &str,
        frame_id: Option<i64>,
    ) -> Option<Variable> {
        if asked.variables_reference > 0 {
            let arguments = VariablesArguments {
                variables_reference: asked.variables_reference,
                ..VariablesArguments::default()
            };
            let answer = self.client.send::<Variables>(&arguments);
            let variables = answer.await.ok()?.variables;
            return variables.into_iter().find(|v| v.name == asked.name);
        }
        let arguments = EvaluateArguments {
            expression: whole.to_owned(),
            frame_id,
            context: Some(self.personality.evaluate_context("watch").to_owned()),
            ..EvaluateArguments::default()
        };
        let now = self.client.send::<Evaluate>(&arguments);
        let now = now.await.ok()?;
        Some(Variable {
            name: whole.to_owned(),
            value: now.result,
            type_: now.type_,
            variables_reference: now.variables_reference,
            ..Variable::default()
        })
    }
}
