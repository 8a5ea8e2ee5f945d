//! Beginning and end of sessions, and what can be told of them at any time.

use std::fmt::Write as _;

use base::text::sanitise;

use super::{
    control::{FIRST_STOP, newest_stop, outcome},
    prelude::*,
};
use crate::{lldb_cli::simulator, runners, tool::summary::Summary};

const SOME_PROCESS: Choice = Choice {
    // An adapter that is named may know what to attach to from its own settings.
    sets: &[
        &["pid"],
        &["port"],
        &["adapter"],
        &["simulator"],
        &["bundle_id"],
    ],
    words: "pid or port",
    exclusive: false,
};

rows! {
    ALWAYS "launch" launch Exec "Start a program under a debugger, and wait up to 5 s for its first stop; without breakpoints or chosen exceptions that is its first line."
        needs ["program"] takes ["args" "adapter" "cwd"] asks "launch";
    ALWAYS "attach" attach Exec "Attach to a process by its id, to a debug server by its port, or to an app in a simulator."
        one SOME_PROCESS takes ["pid" "port" "host" "simulator" "bundle_id" "wait_for" "adapter" "cwd"] asks "attach";
    ALWAYS "output" output "Show what the program and its adapter printed last; after the end too.";
    ROW "terminate" terminate Exec when Terminate "End the session and its children: a launched program ends, one that was attached to runs on."
        asks "disconnect";
    ALWAYS "sessions" sessions "List the sessions; one that has ended stays until the next launch.";
}

async fn launch(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let (program, args) = (
        arguments.text("program").unwrap_or_default(),
        arguments.texts("args"),
    );
    let words = iter::once(program.to_owned()).chain(args.iter().cloned());
    let mut command: Vec<String> = words.collect();
    let cwd = Path::new(arguments.text("cwd").unwrap_or("."));
    if !runners::is_known(&command, cwd) {
        command.clear();
    }
    let chosen = turn.state.exception_filters.as_deref();
    let spec = LaunchSpec {
        // Whoever chose exceptions waits for one.
        stop_on_entry: chosen.is_some_and(|all| !all.is_empty()).then_some(false),
        program: PathBuf::from(program),
        args,
        command,
        cwd: arguments.text("cwd").map(PathBuf::from),
        adapter: arguments.owned("adapter"),
        ..LaunchSpec::default()
    };
    start(turn, Command::Launch(Box::new(spec))).await
}

async fn attach(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    // Both were checked against their bounds.
    let pid = arguments.integer("pid").and_then(|n| n.try_into().ok());
    let spec = AttachSpec {
        simulator: simulator::SimulatorRequest::of(
            arguments.owned("simulator"),
            arguments.owned("bundle_id"),
            pid,
            arguments.flag("wait_for").unwrap_or_default(),
        ),
        pid,
        port: arguments.integer("port").and_then(|n| n.try_into().ok()),
        host: arguments.owned("host"),
        cwd: arguments.text("cwd").map(PathBuf::from),
        adapter: arguments.owned("adapter"),
        ..AttachSpec::default()
    };
    start(turn, Command::Attach(Box::new(spec))).await
}

/// Starts, and waits a while for the first stop: without one the program simply runs.
async fn start(turn: &mut Turn, command: Command) -> Result<ActionOutput> {
    let after = newest_stop(&turn.state);
    let root = match turn.ask(command).await {
        Ok(Reply::Session { session }) => session,
        Ok(other) => return Err(other.unexpected()),
        Err(error) if error.kind == ErrorKind::Timeout => {
            return Err(error.hint(
                "the session may still come up: ask for `sessions`, or end it with `terminate`",
            ));
        }
        Err(error) => return Err(error),
    };
    let done = outcome(turn, root, after, Some(FIRST_STOP)).await?;
    let adapter = turn.state.session(root).map(|s| s.adapter.clone());
    Ok(done.with("adapter", adapter))
}

/// Ends the whole tree of the session that is meant. Where there is nothing to end, that is no failure.
async fn terminate(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let live = |session: &&Session| {
        session.phase.is_live() || turn.state.live_roots().contains(&session.id)
    };
    // The one in focus lives as long as any does. One that is named is the only one meant.
    let Some(meant) = turn.meant().filter(live) else {
        return Ok(match turn.meant() {
            Some(last) => {
                ActionOutput::new(turn.with_lines(last.id, "No debug session to terminate."))
                    .about(last.id)
            }
            None => ActionOutput::new("No debug session to terminate."),
        });
    };
    let root = turn.state.root_of(meant.id);
    turn.ask(Command::Terminate {
        session: Some(root),
    })
    .await?;
    let told = format!("Debug session {root} terminated.");
    Ok(ActionOutput::new(turn.with_lines(root, &told)).about(root))
}

#[expect(clippy::unused_async, reason = "as all operations")]
async fn sessions(turn: &Turn, _: &Arguments) -> Result<ActionOutput> {
    let all: Vec<_> = turn
        .state
        .sessions
        .iter()
        .map(|s| Summary::of(&turn.state, s))
        .collect();
    let text = match all.as_slice() {
        [] => "No debug sessions.".to_owned(),
        all => all.iter().map(Summary::paragraph).joined("\n\n"),
    };
    let all: Vec<_> = all.iter().map(Summary::json).collect();
    Ok(ActionOutput::new(text).with("sessions", all))
}

/// What was printed last by the session that is meant and those of its tree; runs of one category are one entry.
async fn output(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let meant = turn.meant().ok_or_else(no_session)?.id;
    turn.touch(meant).await?;
    let meant = turn.meant().ok_or_else(no_session)?;
    let root = turn.state.root_of(meant.id);
    let printing: Vec<_> = tree(&turn.state, root)
        .filter(|s| s.output.total_bytes > 0)
        .collect();
    let several = printing.len() > 1;
    let mut entries: Vec<Value> = Vec::new();
    let mut text = String::new();
    let mut truncated = false;
    let mut bytes = 0;
    for session in printing {
        if several {
            let _ = writeln!(text, "[{}]", session.id);
        }
        bytes += session.output.total_bytes;
        if session.output.dropped_bytes > 0 {
            truncated = true;
            let _ = writeln!(
                text,
                "({} earlier bytes are no longer kept)",
                session.output.dropped_bytes
            );
        }
        text.push_str(&sanitise::sanitise_block(&session.output.text()));
        if several && !text.ends_with('\n') {
            text.push('\n');
        }
        entries.extend(runs(session));
    }
    if text.is_empty() {
        "(no output)".clone_into(&mut text);
    }
    let file = meant.output.spill.as_ref().map(Lossy::lossy);
    Ok(ActionOutput::new(text)
        .about(meant.id)
        .with("output", entries)
        .with("outputBytes", bytes)
        .with("outputTruncated", truncated)
        .with("outputFile", file))
}

fn runs(session: &Session) -> Vec<Value> {
    let mut runs: Vec<(&str, String)> = Vec::new();
    for line in session.output.lines() {
        if runs
            .last()
            .is_none_or(|(category, _)| *category != line.category)
        {
            runs.push((&line.category, String::new()));
        }
        if let Some((_, text)) = runs.last_mut() {
            text.push_str(&line.text);
            if line.ended {
                text.push('\n');
            }
        }
    }
    let entry = |(category, text)| json!({"category": category, "text": text, "session": session.id.to_string()});
    runs.into_iter().map(entry).collect()
}
