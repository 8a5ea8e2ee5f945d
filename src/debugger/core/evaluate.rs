//! Expressions: evaluated and completed. What is assigned to is in `assign`.
//!
//! Whatever is typed at the prompt may change anything that is shown: the selected frame is loaded again.

use dap::{tolerant::bounded, types::ValueFormat};

use super::{
    complete::CompletionQuery,
    evaluations::{Evaluation, evaluation},
    prelude::*,
    references::reference,
};
use crate::{pattern::reworded, reply::Evaluated};

/// Where an expression is evaluated.
pub struct EvaluationContext {
    pub session: SessionId,
    pub stop: Option<StopId>,
    pub frame_id: Option<i64>,
    pub format: Option<ValueFormat>,
    /// Values can be had whole.
    pub untruncated: bool,
}

impl Owner {
    /// Where an expression is evaluated: in this frame, or in the selected one.
    pub fn evaluated_in(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
    ) -> Result<EvaluationContext> {
        let (session, _) = self.allowed(session, Action::Inspect)?;
        Ok(EvaluationContext {
            session: session.id,
            stop: session.stop_id(),
            frame_id: frame_id.or_else(|| session.frame_id()),
            format: session.value_format(),
            untruncated: session.capabilities.supports_clipboard_context,
        })
    }

    pub fn evaluate(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        expression: &str,
        context: &str,
    ) -> Handled {
        let EvaluationContext {
            session: id,
            stop,
            frame_id,
            format,
            untruncated,
        } = self.evaluated_in(session, frame_id)?;
        let (_, personality) = self.client_and_personality(id).ok_or_else(gone)?;
        let changes = context == "repl";
        // What is copied is wanted whole. Not all adapters know that word.
        let whole = context == "clipboard";
        let context = if whole && !untruncated {
            "watch"
        } else {
            context
        };
        let command =
            changes && personality.repl_is_command && expression.trim_start().starts_with('!');
        // Who types a command where expressions are taken is told the way to the command line.
        let adapter = self.session(id).map(|s| s.adapter.clone());
        let offers = adapter.filter(|_| changes && personality.repl_is_command && !command);
        let keeps = personality
            .reverse
            .as_ref()
            .filter(|_| changes)
            .and_then(|own| own.keeps(expression));
        let (context, typed) = if changes {
            personality.typed(expression)
        } else {
            (personality.evaluate_context(context), expression)
        };
        let asked = if changes && !command {
            reworded(typed, &personality.typed_expressions)
        } else {
            typed.to_owned()
        };
        let arguments = EvaluateArguments {
            expression: asked,
            frame_id,
            context: Some(context.to_owned()),
            format,
            ..EvaluateArguments::default()
        };
        let expression = typed.to_owned();
        evaluation(id, stop, arguments, command, move |owner, outcome| {
            let refused = matches!(
                outcome,
                Evaluation::Answered(Ok(_) | Err(RequestError::Failed { .. }))
            );
            let result = outcome.told(&expression, &personality);
            if let (Ok(_), Some(on)) = (&result, keeps) {
                owner.change(id, Change::RecordingExecution { on });
            }
            // What was typed may have changed anything.
            if changes && result.is_ok() {
                owner.reload_frame(id, true);
            }
            at_once(match result {
                Ok(r) => Ok(Reply::Value {
                    value: evaluated(r, stop, whole),
                }),
                Err(error) => Err(match offers.filter(|_| refused) {
                    Some(adapter) => error.hint(format!("! runs {adapter}'s own commands")),
                    None => error,
                }),
            })
        })
    }

    pub fn completions(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        text: &str,
        column: usize,
    ) -> Handled {
        let (session, client) =
            self.capable::<Completions>(session, Action::Inspect, "completions")?;
        let (_, personality) = self.client_and_personality(session.id).ok_or_else(gone)?;
        let asked = CompletionQuery::new(&personality, text, column);
        let arguments = CompletionsArguments {
            frame_id: frame_id.or_else(|| session.frame_id()),
            text: asked.text.clone(),
            column: asked.column,
            line: Some(1),
        };
        let answer = client.send::<Completions>(&arguments);
        later(async move {
            let items = answer.await?.targets.into_iter();
            Ok(Reply::Completions {
                items: items.filter_map(|item| asked.told(item)).collect(),
            })
        })
    }
}

pub fn evaluated(answer: EvaluateResponse, stop: Option<StopId>, whole: bool) -> Evaluated {
    Evaluated {
        result: if whole {
            answer.result
        } else {
            bounded(answer.result)
        },
        type_name: answer.type_,
        variables_reference: answer.variables_reference,
        named_variables: answer.named_variables,
        indexed_variables: answer.indexed_variables,
        memory_reference: answer.memory_reference,
        declared: reference(answer.value_location_reference),
        preview: answer.preview,
        stop,
    }
}
