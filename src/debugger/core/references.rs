//! References as what they refer to: of a debugger that shows an address in their place, with the value as their only part.

use dap::{client::Reply as DapReply, tolerant::bounded, types::ValueFormat};

use super::{prelude::*, refusals::still_at};
use crate::{pattern::reworded, previews::Pointers};

/// How what was answered is to be read.
#[derive(Clone)]
pub struct Follow {
    pub client: Client,
    pub personality: Arc<Personality>,
    pub format: Option<ValueFormat>,
    pub pointers: Pointers,
    pub reads_memory: bool,
    /// Cancelled when the program is let go.
    pub moved: CancellationToken,
}

/// A reference as adapters write it; some write 0 for none.
pub fn reference(told: Option<i64>) -> Option<i64> {
    told.filter(|reference| *reference > 0)
}

impl Owner {
    /// How values of a session are read.
    pub fn follow(&self, id: SessionId) -> Option<Follow> {
        let (client, personality) = self.client_and_personality(id)?;
        let session = self.session(id)?;
        let pointers = pointers_in(&personality, session.current_frame());
        Some(Follow {
            client,
            personality,
            format: session.value_format(),
            pointers,
            reads_memory: session.capabilities.supports_read_memory_request,
            moved: self.live(id)?.evaluations.moved.clone(),
        })
    }

    /// How values of a session are read at a stop, which must be the present one.
    pub fn follow_at(&self, session: Option<SessionId>, stop: StopId) -> Result<Follow> {
        let (session, _) = self.allowed(session, Action::Inspect)?;
        still_at(session, stop)?;
        self.follow(session.id).ok_or_else(stale)
    }
}

/// How pointers are shown in a frame.
pub fn pointers_in(personality: &Personality, frame: Option<&StackFrame>) -> Pointers {
    let path = frame.and_then(StackFrame::path);
    if path.is_some_and(|path| personality.plain_references.fit(path)) {
        Pointers::Values
    } else {
        Pointers::Addresses
    }
}

/// Stands for a value that is read when somebody asks for it, as in browsers.
const UNREAD: &str = "(...)";

impl Follow {
    /// A question for a value as a watch asks for it.
    pub fn watched(&self, expression: &str, frame_id: Option<i64>) -> EvaluateArguments {
        EvaluateArguments {
            expression: self.personality.expression(expression),
            frame_id,
            context: Some(self.personality.evaluate_context("watch").to_owned()),
            ..EvaluateArguments::default()
        }
    }

    /// The innermost frames of a thread.
    pub fn stack(&self, thread_id: i64, levels: i64) -> DapReply<StackTrace> {
        ask_stack(&self.client, thread_id, levels)
    }

    /// Variables, each reference among them with the value of what it refers to. They are asked for together.
    pub async fn variables(
        &self,
        answer: Result<VariablesResponse, RequestError>,
    ) -> Result<VariablesResponse, RequestError> {
        let is_own = |variable: &Variable| !self.personality.made_variables.fit(&variable.name);
        let variables = answer?.variables.into_iter().filter(is_own);
        let variables = variables.map(async |mut variable| {
            if variable.is_lazy() {
                // What it says instead of its value is how that is read: the text of a getter, of the type "function".
                UNREAD.clone_into(&mut variable.value);
                variable.type_ = None;
                return variable;
            }
            variable.value = reworded(&variable.value, &self.personality.values);
            let part = self.part(&variable.value, variable.variables_reference);
            let mut variable = match part.await {
                Some(part) => Variable {
                    value: part.value,
                    variables_reference: part.variables_reference,
                    named_variables: part.named_variables,
                    indexed_variables: part.indexed_variables,
                    ..variable
                },
                None => variable,
            };
            variable.preview = self.at_a_glance(&variable);
            variable
        });
        Ok(VariablesResponse {
            variables: join_all(variables).await,
        })
    }

    /// The same for the value of an expression.
    pub async fn value(&self, mut answer: EvaluateResponse) -> EvaluateResponse {
        answer.result = reworded(&answer.result, &self.personality.values);
        let part = self.part(&answer.result, answer.variables_reference);
        let mut answer = match part.await {
            Some(part) => EvaluateResponse {
                result: part.value,
                variables_reference: part.variables_reference,
                named_variables: part.named_variables,
                indexed_variables: part.indexed_variables,
                ..answer
            },
            None => answer,
        };
        let variable = Variable {
            value: bounded(answer.result.clone()),
            type_: answer.type_.clone(),
            variables_reference: answer.variables_reference,
            indexed_variables: answer.indexed_variables,
            ..Variable::default()
        };
        answer.preview = self.shown(&variable).await;
        answer
    }

    async fn part(&self, value: &str, variables_reference: i64) -> Option<Variable> {
        if variables_reference == 0 || !self.personality.reference_values.fit(value) {
            return None;
        }
        let mut parts = self
            .parts_of(variables_reference, None)
            .await
            .ok()?
            .variables;
        if parts.len() > 1 {
            return None;
        }
        parts.pop()
    }

    /// Asks for the parts of a value, or for some of them: from which on, and how many.
    pub fn parts_of(
        &self,
        variables_reference: i64,
        some: Option<(usize, usize)>,
    ) -> DapReply<Variables> {
        let arguments = VariablesArguments {
            variables_reference,
            start: some.and_then(|(start, _)| i64::try_from(start).ok()),
            count: some.and_then(|(_, count)| i64::try_from(count).ok()),
            format: self.format.clone(),
            ..VariablesArguments::default()
        };
        self.client.send::<Variables>(&arguments)
    }
}
