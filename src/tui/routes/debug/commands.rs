//! Commands of the project: what can be run and tested in it, the test at the cursor, and what their compilers say.

use std::path::PathBuf;

use debugger::{
    LaunchSpec,
    configurations::ConfigurationQuery,
    runners::{
        Typed,
        discover::{self, Runnable},
    },
};

use super::{
    DebugRoute,
    popups::chooser::{self, Choice},
    starting,
};
use crate::{
    app::work::{Told, Work},
    routes::debug::kit::prelude::*,
};

const LIST: &str = "debug.runnables";
const TEST: &str = "debug.test-at";

/// What `omp-debug .` begins with.
#[derive(Debug)]
pub struct OfProject;

/// Looks for what can be run and tested.
pub fn list() -> Effect {
    Effect::Work(Work::new(LIST, |teller| {
        let found = discover::list(teller.context());
        teller.tell(found);
    }))
}

/// Offers or starts what was found.
pub fn told(told: &Told, cx: &mut Cx<'_>) {
    if let Some(found) = told.of::<Vec<Runnable>>(LIST) {
        let choice = |one: &Runnable| {
            let file = one.file.strip_prefix(cx.view.project).unwrap_or(&one.file);
            let more = format!("{}:{}", file.display(), one.line);
            let one = one.clone();
            Choice::new(one.title(), more, move || vec![start(&one)])
        };
        let choices = found.iter().map(choice).collect();
        let popup = chooser::of("Run or test", choices);
        cx.emit(Effect::Open(Box::new(popup)));
    }
    match told.of::<Option<Runnable>>(TEST) {
        Some(Some(test)) => cx.emit(start(test)),
        Some(None) => cx.emit(Effect::warn("No test is known at the cursor.".to_owned())),
        None => {}
    }
}

fn start(one: &Runnable) -> Effect {
    match &one.configuration {
        Some(name) => {
            let name = Some(name.clone());
            starting::prepare(
                ConfigurationQuery {
                    name,
                    ..ConfigurationQuery::default()
                },
                Vec::new(),
            )
        }
        None => Effect::core(Command::Launch(Box::new(LaunchSpec {
            command: one.command.clone(),
            ..LaunchSpec::default()
        }))),
    }
}

/// Whether nothing runs beside which a test could not be started.
pub fn can_test(route: &DebugRoute, view: &View<'_>) -> Enabled {
    match view.state.live().next() {
        Some(_) => Err("A session lives: Shift-F5 ends it."),
        None => route.source.at_file_line(),
    }
}

/// Starts the test that the cursor is in.
pub fn test_here(route: &mut DebugRoute, cx: &mut Cx<'_>) {
    let Some((path, line)) = route.source.cursor() else {
        return;
    };
    let (path, line): (PathBuf, _) = (path.to_path_buf(), usize::try_from(line).unwrap_or(1));
    cx.emit(Effect::Work(Work::new(TEST, move |teller| {
        let found = discover::test_at(&path, line, &teller.context().cwd);
        teller.tell(found);
    })));
}

/// Whether a compiler said something.
pub fn has_problems(_: &DebugRoute, view: &View<'_>) -> Enabled {
    let typed = view
        .state
        .focused()
        .and_then(|session| session.typed.as_deref());
    match typed {
        Some(typed) if !typed.problems.is_empty() => Ok(()),
        _ => Err("No compiler said anything."),
    }
}

/// Lists what compilers said; each opens its place.
pub fn show_problems(typed: &Typed, cx: &mut Cx<'_>) {
    let choices = typed.problems.iter().map(|one| {
        let (path, line, column) = (one.file.clone(), one.line, one.column);
        let file = path.strip_prefix(cx.view.project).unwrap_or(&path);
        let at = format!("{}:{line}", file.display());
        let text = if one.is_error {
            one.text.clone()
        } else {
            format!("warning: {}", one.text)
        };
        Choice::new(at, text, move || {
            vec![Effect::show_place(&path, line, column)]
        })
    });
    let popup = chooser::of("What the compiler says", choices.collect());
    cx.emit(Effect::Open(Box::new(popup)));
}
