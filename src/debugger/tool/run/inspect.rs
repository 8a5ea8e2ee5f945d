//! Looking at a stopped program. What is not said is taken from the stop: its thread, its frame.

use super::prelude::*;

const SOME_REFERENCE: Choice = Choice {
    sets: &[&["variable_ref"], &["scope_id"]],
    words: "variable_ref or scope_id",
    exclusive: false,
};

rows! {
    ROW "data_breakpoint_info" data_breakpoint_info EvalSafe "Ask whether the program can be stopped when a variable changes, and under which id."
        needs ["name"] takes ["frame_id" "scope_id" "variable_ref" "mode"] asks "dataBreakpointInfo" of "data breakpoints";
    ROW "evaluate" evaluate Exec "Evaluate an expression in a frame, or run a command of the debugger's own where the adapter has such; either may run any code in the program."
        needs ["expression"] takes ["context" "frame_id"] asks "evaluate";
    ROW "stack_trace" stack_trace "List the frames of the stopped thread, innermost first."
        takes ["levels"] asks "stackTrace";
    LISTS "threads" threads "List the threads of the program and of its children."
        asks "threads";
    ROW "scopes" scopes "List the scopes of a frame, with the references of their variables."
        takes ["frame_id"] asks "scopes";
    ROW "variables" variables "List the variables of a scope, or the parts of a variable."
        one SOME_REFERENCE takes ["variable_ref" "scope_id"] asks "variables";
}

/// Frames that are listed when nobody says how many.
const FRAMES: i64 = 100;

async fn stack_trace(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    stack(turn, arguments, None).await
}

/// The stack of that thread, or of the one that stopped.
pub async fn stack(
    turn: &mut Turn,
    arguments: &Arguments,
    thread: Option<i64>,
) -> Result<ActionOutput> {
    let session = turn.session()?;
    let (id, thread) = (session.id, thread.or_else(|| session.current_thread()));
    let levels = arguments.integer("levels").unwrap_or(FRAMES);
    let enough = |stack: &Stack| stack.complete || stack.frames.len() as i64 >= levels;
    // A stack that was loaded is not asked for again: everyone else sees the same one.
    if stack_of(&turn.state, id, thread).is_some_and(enough) {
        turn.touch(id).await?;
    } else {
        turn.ask(Command::StackTrace {
            session: Some(id),
            thread,
            levels,
        })
        .await?;
    }
    let stack = stack_of(&turn.state, id, thread)
        .cloned()
        .unwrap_or_default();
    let shown: Vec<_> = stack
        .frames
        .iter()
        .take(usize::try_from(levels).unwrap_or(usize::MAX))
        .cloned()
        .collect();
    let more = (!stack.complete || shown.len() < stack.frames.len()).then(|| {
        let left = stack
            .total
            .map(|total| total - shown.len() as i64)
            .filter(|left| *left > 0);
        match left {
            Some(left) => format!("({left} more; ask with levels)"),
            None => "(there may be more; ask with levels)".to_owned(),
        }
    });
    Ok(ActionOutput::new(text::stack(&shown, more))
        .with("stackFrames", shown)
        .with("totalFrames", stack.total)
        .with("threadId", thread))
}

fn stack_of(state: &State, session: SessionId, thread: Option<i64>) -> Option<&Stack> {
    let session = state.session(session)?;
    let thread = thread.or_else(|| session.current_thread())?;
    session.current_stop()?.stacks.get(&thread)
}

/// The threads of the whole tree: each session numbers its own.
async fn threads(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let focused = turn.session()?.id;
    let root = turn.state.root_of(focused);
    let all: Vec<_> = tree(&turn.state, root)
        .filter(|s| gate::check(s, Action::List).is_ok())
        .map(|s| s.id)
        .collect();
    for id in all.iter().copied() {
        match turn.ask(Command::Threads { session: Some(id) }).await {
            // Another session of the tree may end meanwhile.
            Err(error) if id == focused || error.kind == ErrorKind::Timeout => return Err(error),
            _ => {}
        }
    }
    let several = all.len() > 1;
    let mut lines = Vec::new();
    let mut records = Vec::new();
    for session in all.iter().filter_map(|id| turn.state.session(*id)) {
        let name = session.id.to_string();
        for thread in &session.threads {
            lines.push(text::thread(thread, several.then_some(name.as_str())));
            records.push(json!({"id": thread.id, "name": thread.name, "stopped": thread.stopped, "sessionId": name}));
        }
    }
    Ok(ActionOutput::new(text::list("Threads:", lines, "(none)")).with("threads", records))
}

async fn scopes(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    let frame_id = arguments.integer("frame_id");
    match turn.ask(Command::Scopes { session, frame_id }).await? {
        Reply::Scopes { scopes } => {
            let scopes: Vec<_> = scopes.scopes.into_iter().map(|s| s.scope).collect();
            Ok(ActionOutput::new(text::scopes(scopes.iter())).with("scopes", scopes))
        }
        other => Err(other.unexpected()),
    }
}

async fn variables(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let (session, stop) = at_stop(turn)?;
    let reference = reference(arguments).unwrap_or_default();
    let command = Command::Variables {
        session: Some(session),
        stop,
        reference,
        page: None,
    };
    match turn.ask(command).await? {
        Reply::Variables { mut variables } => {
            if let Some(command) = Command::previews(Some(session), stop, &variables)
                && let Ok(Reply::Variables { variables: known }) = turn.ask(command).await
            {
                variables = known;
            }
            for variable in &mut variables {
                let preview = variable.preview.take();
                variable.preview = preview.map(|p| turn.discretion.value(&variable.name, p));
                let value = mem::take(&mut variable.value);
                variable.value = turn.discretion.value(&variable.name, value);
            }
            Ok(ActionOutput::new(text::variables(&variables)).with("variables", variables))
        }
        other => Err(other.unexpected()),
    }
}

async fn evaluate(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let context = arguments.text("context").unwrap_or("repl");
    evaluate_in(turn, arguments, context).await
}

pub async fn evaluate_in(
    turn: &mut Turn,
    arguments: &Arguments,
    context: &str,
) -> Result<ActionOutput> {
    let session = turn.session()?;
    let (id, has_commands) = (session.id, session.console_commands);
    let expression = arguments.needed("expression");
    let command = |expression: String| Command::Evaluate {
        session: Some(id),
        frame_id: arguments.integer("frame_id"),
        expression,
        context: context.to_owned(),
    };
    let mut answer = turn.ask(command(expression.clone())).await;
    // At a prompt that takes both, what is no expression may be a command. A name alone is a name: some debuggers take the
    // first letters of a command for the whole of it, and a loop's `k` would kill the program.
    if let Err(error) = &mut answer
        && error.kind == ErrorKind::Adapter
        && has_commands
        && context == "repl"
        && !expression.trim_start().starts_with('!')
    {
        if !expression.trim().contains(char::is_whitespace) {
            error.hint = Some(format!(
                "!{expression} runs it as a command of the debugger's"
            ));
            return Err(error.clone());
        }
        let first = error.clone();
        answer = turn
            .ask(command(format!("!{expression}")))
            .await
            .map_err(|second| first.hint(format!("as a command of the debugger's: {second}")));
    }
    match answer? {
        Reply::Value { mut value } => {
            value.result = turn.discretion.value(&expression, value.result);
            let preview = value.preview.take();
            value.preview = preview.map(|p| turn.discretion.value(&expression, p));
            let record = json!({
                "result": value.result,
                "type": value.type_name,
                "variablesReference": value.variables_reference,
                "namedVariables": value.named_variables,
                "indexedVariables": value.indexed_variables,
                "memoryReference": value.memory_reference,
                "valueLocationReference": value.declared,
                "preview": value.preview,
            });
            Ok(ActionOutput::new(text::evaluated(&value)).with("evaluation", record))
        }
        other => Err(other.unexpected()),
    }
}

async fn data_breakpoint_info(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    let command = Command::DataBreakpointInfo {
        session,
        container: reference(arguments),
        frame_id: arguments.integer("frame_id"),
        name: arguments.needed("name"),
        bytes: None,
        mode: arguments.owned("mode"),
    };
    match turn.ask(command).await? {
        Reply::DataBreakpointInfo { info } => {
            Ok(ActionOutput::new(text::data_breakpoint_info(&info))
                .with("dataBreakpointInfo", info))
        }
        other => Err(other.unexpected()),
    }
}

/// The variable wins over the scope.
pub fn reference(arguments: &Arguments) -> Option<i64> {
    arguments
        .integer("variable_ref")
        .or_else(|| arguments.integer("scope_id"))
}

/// The session that is meant, and its present stop.
pub fn at_stop(turn: &Turn) -> Result<(SessionId, StopId)> {
    let session = turn.session()?;
    match session.current_stop() {
        Some(stop) => Ok((session.id, stop.id)),
        None => Err(DebuggerError::state("No thread is stopped.")),
    }
}
