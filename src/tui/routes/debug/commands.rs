//! Commands of the project: what can be run and tested in it, the test at the cursor, and what their compilers say.

use debugger::{
    LaunchSpec,
    adapters::trust::{self, Untrusted},
    configurations::ConfigurationQuery,
    runners::{
        discover::{self, Runnable},
        problems::Problem,
    },
};

use super::{starting, variables::panel::relative};
use crate::{
    overlays::{
        confirm::{Answering, Confirm},
        trust as question,
    },
    routes::debug::kit::prelude::*,
};

const LIST: &str = "debug.runnables";
const TEST: &str = "debug.test-at";
const ASK: &str = "debug.untrusted-command";

/// What `omp-debug .` begins with.
#[derive(Debug)]
pub struct OfProject;

/// Looks for what can be run and tested.
pub fn list(view: &View<'_>) -> Effect {
    let typed = typed(view);
    Effect::finding(
        LIST,
        move |teller| discover::list(teller.context(), &typed),
        |_: &mut DebugRoute, found, cx| offer(&found, cx),
    )
}

fn offer(found: &[Runnable], cx: &mut Cx<'_>) {
    let choice = |one: &Runnable| {
        let more = format!("{}:{}", relative(&one.file, &cx.view), one.line);
        let one = one.clone();
        let script = one
            .runs
            .iter()
            .find_map(|run| run.argv.get(2).filter(|_| one.command.contains(&run.name)));
        let more = script.map_or(more, ToString::to_string);
        Choice::new(one.title(), more, move || vec![start(&one, None)])
    };
    let choices = found.iter().map(choice).collect();
    cx.open(chooser::of("Run or test", choices));
}

/// Starts a test, once what lives was ended, if that is agreed to.
fn begin(route: &mut DebugRoute, test: Option<Runnable>, cx: &mut Cx<'_>) {
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
pub fn ended(route: &mut DebugRoute, msg: &Msg, cx: &mut Cx<'_>) {
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
fn start(one: &Runnable, trusted: Option<Untrusted>) -> Effect {
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
                let again = start(&one, Some(file.clone()));
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
            starting::prepare(asked, Vec::new())
        }
        None => Effect::core(Command::Launch(Box::new(LaunchSpec {
            command: one.command.clone(),
            ..LaunchSpec::default()
        }))),
    }
}

/// Starts the test that the cursor is in; where it stands at the selected frame, the one that this was called from.
pub fn test_here(route: &mut DebugRoute, cx: &mut Cx<'_>) {
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
    cx.emit(Effect::finding(
        TEST,
        move |teller| discover::test_of(&places, teller.context(), &typed),
        begin,
    ));
}

/// The command that was typed last: a part of it is run as the whole was.
fn typed(view: &View<'_>) -> Vec<String> {
    let typed = view.session().and_then(|one| one.typed.as_ref());
    typed.map_or_else(Vec::new, |typed| typed.command.clone())
}

/// What compilers said of the session in focus.
pub fn problems<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Problem> + use<'a> {
    let typed = view.session().and_then(|session| session.typed.as_deref());
    typed.into_iter().flat_map(|typed| &typed.problems)
}

/// What keeps the program from being built.
pub fn errors<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Problem> + use<'a> {
    problems(view).filter(|one| one.is_error)
}

/// Lists what compilers said, errors first; each opens its place, and is said there.
pub fn show_problems<'a>(problems: impl IntoIterator<Item = &'a Problem>, cx: &mut Cx<'_>) {
    let mut problems: Vec<_> = problems.into_iter().collect();
    problems.sort_by_key(|one| !one.is_error);
    let choices = problems.into_iter().map(|one| {
        let (path, line, column) = (one.file.clone(), one.line, one.column);
        let at = format!("{}:{line}", relative(&path, &cx.view));
        let (severity, text) = if one.is_error {
            (Severity::Error, one.text.clone())
        } else {
            (Severity::Warning, format!("warning: {}", one.text))
        };
        let said = clean(&text);
        Choice::new(at, text, move || {
            let said = Effect::Notify {
                severity,
                text: said.clone(),
                hint: None,
            };
            vec![Effect::show_place(&path, Some(line), column), said]
        })
    });
    let popup = chooser::of("What the compiler says", choices.collect());
    cx.open(popup);
}
