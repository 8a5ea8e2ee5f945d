//! What compilers say of the program that is debugged.

use debugger::runners::problems::Problem;

use super::prelude::*;

/// What compilers said of the session in focus.
pub fn all(view: &View) -> impl Iterator<Item = &Problem> {
    let typed = view.session().and_then(|session| session.typed.as_deref());
    typed.into_iter().flat_map(|typed| &typed.problems)
}

/// What keeps the program from being built.
pub fn errors(view: &View) -> impl Iterator<Item = &Problem> {
    all(view).filter(|one| one.is_error)
}

/// Lists what compilers said, errors first; each opens its place, and is said there.
pub fn show<'a>(problems: impl IntoIterator<Item = &'a Problem>, cx: &Cx) {
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
            let said = Effect::notice(severity, said.clone());
            vec![Effect::show_place(&path, Some(line), column), said]
        })
    });
    let popup = chooser::of("What the compiler says", choices.collect());
    cx.open(popup);
}
