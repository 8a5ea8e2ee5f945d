//! Starting what the project has: a debug configuration, a command that can be run or tested, the test at the cursor.
//!
//! What one comes to is found out beside the drawing task, and what a person has to say to it (trust, values) is asked for in between.

use debugger::{
    LaunchSpec,
    adapters::trust::{self, Untrusted},
    configurations::{self, ConfigurationQuery, Prepared},
    runners::discover::{self, Runnable},
};

use super::{
    DebugRoute,
    popups::{
        configuration_values::ConfigurationValues,
        configurations::{self as list_of_configurations, Configurations},
        launch_form,
    },
};
use crate::{
    debug_prelude::*,
    kit::confirm::{Answering, Confirm},
    overlays::trust as question,
};

const CONFIGURATIONS: &str = "debug.configurations";
const PREPARE: &str = "debug.prepare-configuration";
const RUNNABLES: &str = "debug.runnables";
const TEST: &str = "debug.test-at";
const ASK: &str = "debug.untrusted-command";

/// Offers what there is to be started.
pub fn start(route: &mut DebugRoute, cx: &Cx) {
    match route.configured {
        Some(true) => configure(route, cx),
        Some(false) => launch_form::open(cx),
        // The answer is on its way; without one it is asked for.
        None => {
            route.wants_start = true;
            cx.emit(configurations());
        }
    }
}

/// Offers the debug configurations of the project.
pub fn configure(route: &mut DebugRoute, cx: &Cx) {
    let at = route.source.cursor();
    let at = at.map(|(path, line)| (path.to_path_buf(), line));
    cx.open(list_of_configurations::beside(at, |asked| {
        prepare(asked, Vec::new())
    }));
    cx.emit(configurations());
}

/// Looks for configurations: F5 offers what there is, and so does the list of them that may be open.
pub fn configurations() -> Effect {
    Effect::work(CONFIGURATIONS, |teller| {
        let listing = configurations::list(teller.context());
        // One that cannot be read is worth being told of, too.
        let configured = listing.as_ref().map_or(true, |all| !all.is_empty());
        teller.call(move |route: &mut DebugRoute, cx| {
            route.configured = Some(configured);
            if mem::take(&mut route.wants_start) {
                start(route, cx);
            }
        });
        teller.call(|popup: &mut Configurations, _| popup.listed(listing));
    })
}

/// Finds out what a configuration comes to, after the files were trusted that a person said yes to; starts it, or asks for what is
/// missing.
pub fn prepare(asked: ConfigurationQuery, trusted: Vec<Untrusted>) -> Effect {
    Effect::work(PREPARE, move |teller| {
        let context = teller.context();
        let granted = trusted
            .iter()
            .try_for_each(|file| trust::grant(context, file));
        let prepared = granted
            .map_err(DebuggerError::usage)
            .and_then(|()| configurations::prepare(context, &asked));
        teller.call(|_: &mut DebugRoute, cx| go_on(asked, prepared, cx));
    })
}

fn go_on(asked: ConfigurationQuery, prepared: Result<Prepared, DebuggerError>, cx: &Cx) {
    match prepared {
        Ok(Prepared::Ready(ready)) => {
            cx.go(RouteId::DEBUG);
            cx.extend(ready.commands.into_iter().map(Effect::core));
        }
        Ok(Prepared::Untrusted(files)) => {
            let again = prepare(asked, files.clone());
            cx.open(question::before_start(&files, vec![again]));
        }
        Ok(Prepared::Inputs(inputs)) => {
            cx.open(ConfigurationValues::new(asked, &inputs, |asked| {
                prepare(asked, Vec::new())
            }));
        }
        Err(error) => {
            // There is one line for it.
            let folder = format!("{}/", cx.view.project.display());
            cx.emit(Effect::notice(
                Severity::Error,
                error.to_string().replace(&folder, ""),
            ));
        }
    }
}

/// What `omp-debug .` begins with.
#[derive(Debug)]
pub struct OfProject;

/// Looks for what can be run and tested.
pub fn runnables(view: &View) -> Effect {
    let typed = typed(view);
    Effect::finding(
        RUNNABLES,
        move |teller| discover::list(teller.context(), &typed),
        |_: &mut DebugRoute, found, cx| offer(&found, cx),
    )
}

fn offer(found: &[Runnable], cx: &Cx) {
    let choice = |one: &Runnable| {
        let more = format!("{}:{}", relative(&one.file, &cx.view), one.line);
        let one = one.clone();
        let script = one
            .runs
            .iter()
            .find_map(|run| run.argv.get(2).filter(|_| one.command.contains(&run.name)));
        let more = script.map_or(more, ToString::to_string);
        Choice::new(one.title(), more, move || vec![start_one(&one, None)])
    };
    let choices = found.iter().map(choice).collect();
    cx.open(chooser::of("Run or test", choices));
}

/// Starts a test, once what lives was ended, if that is agreed to.
fn begin(route: &mut DebugRoute, test: Option<Runnable>, cx: &Cx) {
    let Some(test) = test else {
        return cx.warn("No test is known at the cursor.");
    };
    let Some(first) = cx.view.state.live_roots().first().copied() else {
        return cx.emit(launch(&test));
    };
    let session = Some(first);
    let end = Effect::ask(TEST, 0, Command::Terminate { session });
    let question = Confirm {
        title: "Run the test".to_owned(),
        lines: vec![
            format!("{first} is not over; it is ended first."),
            test.title(),
        ],
        yes_label: "run it instead".to_owned(),
        on_yes: vec![end],
        choice: Answering::listening(),
    };
    route.next_test = Some(test);
    cx.open(question);
}

/// What lived has ended: the test is next.
pub fn ended(route: &mut DebugRoute, msg: &Msg, cx: &Cx) {
    if let Msg::Reply {
        tag: Tag(TEST, _),
        result,
    } = msg
        && let Some(test) = route.next_test.take()
    {
        cx.emit(match result {
            Ok(_) => launch(&test),
            Err(error) => Effect::failure(Severity::Error, error),
        });
    }
}

/// Starts one, once what its file has it run is trusted; `trusted` was just said to be.
fn start_one(one: &Runnable, trusted: Option<Untrusted>) -> Effect {
    if one.runs.is_empty() {
        return launch(one);
    }
    let one = one.clone();
    Effect::work(ASK, move |teller| {
        let context = teller.context();
        let granted = trusted
            .iter()
            .try_for_each(|file| trust::grant(context, file));
        let left = granted.map(|()| discover::untrusted(context, &one));
        teller.call(move |_: &mut DebugRoute, cx| match left {
            Ok(Some(file)) => {
                let again = start_one(&one, Some(file.clone()));
                cx.open(question::before_start(&[file], vec![again]));
            }
            Ok(None) => cx.emit(launch(&one)),
            Err(error) => cx.warn(error),
        });
    })
}

fn launch(one: &Runnable) -> Effect {
    match &one.configuration {
        Some(name) => {
            let asked = ConfigurationQuery {
                name: Some(name.clone()),
                ..ConfigurationQuery::default()
            };
            prepare(asked, Vec::new())
        }
        None => Effect::core(Command::Launch(Box::new(LaunchSpec {
            command: one.command.clone(),
            ..LaunchSpec::default()
        }))),
    }
}

/// Starts the test that the cursor is in; where it stands at the selected frame, the one that this was called from.
pub fn test_here(route: &mut DebugRoute, cx: &Cx) {
    let Some((path, line)) = route.source.cursor() else {
        return;
    };
    let stop = cx.view.session().and_then(Session::current_stop);
    let place = |frame: &StackFrame| {
        let path = frame.path()?;
        Some((PathBuf::from(path), frame.line))
    };
    let cursor = (path.to_path_buf(), line);
    let frame = cx.view.session().and_then(Session::current_frame);
    let is_here = frame.and_then(place) == Some(cursor.clone());
    let stack = stop.and_then(|stop| stop.stacks.get(&stop.selected?.thread_id));
    let frames = stack.filter(|_| is_here).into_iter();
    let called = frames.flat_map(|stack| stack.frames.iter().rev().filter_map(place));
    let places: Vec<_> = called.chain([cursor]).collect();
    let typed = typed(&cx.view);
    cx.finding(
        TEST,
        move |teller| discover::test_of(&places, teller.context(), &typed),
        begin,
    );
}

/// The command that was typed last: a part of it is run as the whole was.
fn typed(view: &View) -> Vec<String> {
    let typed = view.session().and_then(|one| one.typed.as_ref());
    typed.map_or_else(Vec::new, |typed| typed.command.clone())
}
