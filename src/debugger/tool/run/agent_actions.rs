//! What an agent needs beside the 28 actions: waiting, reading a source or a value, running to a line, who drives.

use super::{
    control::{FIRST_STOP, Reached, await_stop, newest_stop, outcome, told},
    inspect,
    prelude::*,
};
use crate::{exceptions, permission::is_path, tool::snapshot};

rows! {
    ALWAYS "wait" wait "Wait until the program stops or ends, or until `timeout` is over (it then says that the program still runs)."
        takes ["after_stop"];
    ALWAYS "events" events "What happened after the event `since`: stops, ends, breakpoints, lost output."
        takes ["since"];
    ALWAYS "source" source "Lines of a source, as the debugger has it; without `file` around the place where the program stands."
        takes ["file" "line" "levels"];
    ALWAYS "breakpoints" breakpoints "List all breakpoints, whose they are and whether they are in place.";
    ROW "evaluate_hover" peek EvalSafe "Read a value by a name, a member or an index (`order.items[0].price`); nothing is called, and anything else is refused."
        needs ["expression"] takes ["frame_id"] asks "evaluate";
    ROW "thread_stack" thread_stack "List the frames of another thread; their ids go to scopes, evaluate and data."
        needs ["thread"] takes ["levels"] asks "stackTrace";
    RESUME "run_to" run_to "Run until this line is reached."
        needs ["file" "line"] asks "continue";
    ALWAYS "set_exception_breakpoints" exception_breakpoints Control "Choose on which exceptions to stop, by the adapter's filters or by names of types; an empty list is none."
        needs ["filters"];
    ROW "set_variable" set_variable Exec when Modify "Give a variable another value; a local of the frame, or a part of `variable_ref`."
        needs ["name" "value"] takes ["variable_ref" "scope_id" "frame_id"] asks "setVariable";
    ROW "restart" restart Exec when Restart "End the program and start it again in the same way, breakpoints in place.";
    ALWAYS "request_control" request_control Control "Ask to drive the program, with a reason; a person may be asked."
        takes ["reason"];
    ALWAYS "release_control" release_control Control "Drive the program no more.";
    LISTS "hang" hang Control "Why the program hangs: all threads, goroutines or tasks merged by equal stacks, who waits for whom, deadlocks, and who is busy. One that runs is stopped for a moment, and goes on."
        asks "stackTrace";
}

/// Lines of a source that are told when nobody says how many.
const LINES: i64 = 40;

async fn wait(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let root = turn.state.root_of(turn.meant().ok_or_else(no_session)?.id);
    let after = arguments.integer("after_stop").unwrap_or_default();
    let after = StopId(u64::try_from(after).unwrap_or_default());
    let deadline = turn.deadline();
    let reached = await_stop(turn, root, after, deadline).await?;
    let stands = turn.meant().is_some_and(|s| s.phase == Phase::Stopped);
    if reached == Reached::Running && stands {
        let seconds = turn.patience().as_secs_f64();
        let told = format!("It stands where it stood: nothing moved it within {seconds} s.");
        return Ok(ActionOutput::new(told).with("timedOut", true));
    }
    Ok(told(turn, root, reached, Some(turn.patience())))
}

async fn source(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = turn.meant();
    let frame = session.and_then(Session::current_frame);
    let here = frame.and_then(|frame| Some((frame.source.clone()?, frame.line)));
    let (source, line) = match (arguments.owned("file"), here) {
        (Some(path), here) => {
            let base = session.map(|s| s.cwd.clone()).unwrap_or_default();
            let path = base.join(path).lossy();
            let at = here.filter(|(source, _)| source.path.as_ref() == Some(&path));
            let source = Source {
                path: Some(path),
                ..Source::default()
            };
            (source, at.map_or(1, |(_, line)| line))
        }
        (None, Some(here)) => here,
        (None, None) => {
            return Err(
                DebuggerError::state("The program stands nowhere that has a source.")
                    .hint("name a `file`"),
            );
        }
    };
    let count = arguments.integer("levels").unwrap_or(LINES);
    let line = arguments.integer("line").unwrap_or(line);
    let first = (line - count / 2).max(1);
    let id = session.map(|s| s.id);
    let lines = snapshot::lines(turn, id, &source, first, count).await?;
    let rows = lines
        .iter()
        .map(|(number, line)| format!("{number:>5} {}", one_line(line)));
    let heading = source
        .path
        .as_deref()
        .or(source.name.as_deref())
        .unwrap_or_default();
    let told = text::list(&one_line(heading), rows, "(no such lines)");
    Ok(ActionOutput::new(told).with("firstLine", first))
}

#[expect(clippy::unused_async, reason = "as all operations")]
async fn breakpoints(turn: &Turn, _: &Arguments) -> Result<ActionOutput> {
    let all = &turn.state.breakpoints;
    let rows = all.iter().map(|b| {
        let by =
            b.by.as_ref()
                .map(|by| format!(" by {by}"))
                .unwrap_or_default();
        format!("{} in {}{by}", text::breakpoint(b), one_line(&b.label()))
    });
    let mut told = text::list("Breakpoints:", rows, "(none)");
    if let Some(chosen) = &turn.state.exception_filters {
        let on = chosen.iter().filter(|filter| !filter.off);
        let on = on.map(|filter| one_line(&filter.filter)).joined(", ");
        let on = if on.is_empty() { "none" } else { &on };
        told = format!("{told}\nStops at exceptions: {on}.");
    }
    Ok(ActionOutput::new(told).with("breakpoints", all))
}

/// Only what is read by name: nothing is asked of the adapter for anything else.
async fn peek(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let expression = arguments.text("expression").unwrap_or_default();
    if !is_path(expression) {
        let what = format!(
            "{} is more than a name, a member or an index.",
            one_line(expression)
        );
        return Err(
            DebuggerError::usage(what).hint("evaluate takes any expression, and may need consent")
        );
    }
    inspect::evaluate_in(turn, arguments, "hover").await
}

async fn thread_stack(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    inspect::stack(turn, arguments, arguments.integer("thread")).await
}

async fn run_to(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = turn.session()?;
    let file = arguments.text("file").unwrap_or_default();
    let command = Command::RunTo {
        session: Some(session.id),
        path: session.cwd.join(file),
        line: arguments.integer("line").unwrap_or_default(),
    };
    let root = turn.state.root_of(session.id);
    let after = newest_stop(&turn.state);
    turn.ask(command).await?;
    outcome(turn, root, after, None).await
}

async fn restart(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let id = turn.session()?.id;
    let after = newest_stop(&turn.state);
    let command = Command::Restart { session: Some(id) };
    let root = match turn.ask(command).await? {
        Reply::Session { session } => turn.state.root_of(session),
        _ => turn.state.root_of(id),
    };
    outcome(turn, root, after, Some(FIRST_STOP)).await
}

async fn exception_breakpoints(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let names = arguments.texts("filters");
    if let Some(session) = turn.meant().filter(|session| session.phase.is_live()) {
        let offered = &session.capabilities.exception_breakpoint_filters;
        let mut wrong = names.iter();
        if let Some(wrong) = wrong.find(|name| exceptions::sent_as(name, offered).is_none()) {
            let what =
                format!("This adapter has no exception filter {wrong:?}; nothing is changed.");
            let names = offered.iter().map(|f| f.filter.as_str()).joined(", ");
            return Err(DebuggerError::usage(what).hint(format!("it has: {names}")));
        }
    }
    let filters = names.iter().map(|name| ExceptionFilter {
        filter: name.clone(),
        ..ExceptionFilter::default()
    });
    let filters = Some(filters.collect());
    turn.ask(Command::SetExceptionFilters { filters }).await?;
    let all = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    Ok(ActionOutput::new(format!(
        "Stops at exceptions: {}.",
        one_line(&all)
    )))
}

fn is_one_name(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_alphanumeric() || "_$#@".contains(c))
}

async fn set_variable(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let (session, stop) = inspect::at_stop(turn)?;
    let name = arguments.needed("name");
    let mut is_new = false;
    let container = if let Some(reference) = inspect::reference(arguments) {
        reference
    } else {
        let scopes = turn.ask(Command::Scopes {
            session: Some(session),
            frame_id: arguments.integer("frame_id"),
        });
        let Reply::Scopes { scopes } = scopes.await? else {
            return Err(DebuggerError::state("The frame has no scopes."));
        };
        is_new = scopes.of(&name).is_none();
        // A name that nobody knows may be a new one; an expression is one of the selected frame.
        let may_be_new = is_one_name(&name) || arguments.integer("frame_id").is_some();
        let mut cheap = scopes.scopes.iter().filter(|s| !s.scope.expensive);
        let first = cheap.next().filter(|_| may_be_new);
        let first = first.map(|s| s.scope.variables_reference);
        scopes.of(&name).or(first).unwrap_or(0)
    };
    let command = Command::SetVariable {
        session: Some(session),
        stop,
        container,
        evaluate_name: Some(name.clone()),
        name: name.clone(),
        value: arguments.needed("value"),
    };
    match turn.ask(command).await? {
        Reply::Value { value } => {
            let shown = turn.discretion.value(&name, value.shown().to_owned());
            let mut told = format!("{} = {}", one_line(&name), one_line(&shown));
            if is_new && is_one_name(&name) {
                told.push_str("\nThere was no such variable in this frame: look whether it is the one that is meant.");
            }
            Ok(ActionOutput::new(told).with("value", shown))
        }
        other => Err(other.unexpected()),
    }
}

/// What happened is told with every answer.
#[expect(clippy::unused_async, reason = "as all operations")]
async fn events(_: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    Ok(ActionOutput::new(""))
}

async fn request_control(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let reason = arguments.needed("reason");
    control(turn, Command::RequestControl { reason }).await
}

async fn release_control(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    control(turn, Command::ReleaseControl).await
}

/// Asks to drive, or drives no more.
async fn control(turn: &mut Turn, command: Command) -> Result<ActionOutput> {
    turn.ask(command).await?;
    let driver = turn.state.sharing.driver.as_ref();
    let told = driver.map_or_else(
        || "Nobody drives.".to_owned(),
        |driver| format!("{} drives.", driver.to_others()),
    );
    Ok(ActionOutput::new(told))
}

/// Who waits for whom, without changing where the program is.
async fn hang(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    match turn
        .ask(Command::Hang {
            session,
            threads: None,
        })
        .await?
    {
        Reply::Hang { hang } => Ok(ActionOutput::new(hang.text()).with("hang", hang)),
        other => Err(other.unexpected()),
    }
}
