//! With what a value can be compared: itself at an earlier stop, in another frame or thread, any other expression.

use debugger::history::Stops;

use super::DataView;
use crate::{debug_prelude::*, routes::debug::stops::place};

/// Stops that are offered behind all else.
const STOPS: usize = 200;

fn comparing(with: String) -> Vec<Effect> {
    vec![Effect::on("data.compare", |view: &mut DataView, cx| {
        view.compare(Some(with), cx);
    })]
}

impl DataView {
    /// Lists what it can be compared with.
    pub(super) fn beside(&mut self, cx: &Cx) {
        let there = places(self.frame, &cx.view);
        let session = self.session;
        let read = move |reply: &Reply| {
            let Reply::Stops { stops } = reply else {
                return Err("The answer was no list of stops.".to_owned());
            };
            let mut earlier = stops_of(stops);
            let first = earlier.next();
            let there = there
                .iter()
                .map(|(with, more)| choice(with.clone(), more.clone()));
            let typed = Choice::new("another expression…", "", ask);
            let all = first.into_iter().chain([typed]);
            Ok(all.chain(there).chain(earlier.take(STOPS)).collect())
        };
        let command = Command::Stops { session };
        let none = "There is nothing to compare it with.";
        cx.extend(chooser::ask("Compare with", command, false, none, read));
    }
}

fn choice(with: String, more: String) -> Choice {
    Choice::new(with.clone(), more, move || comparing(with.clone()))
}

fn ask() -> Vec<Effect> {
    let then = |text: &str| comparing(text.to_owned());
    let hint = "An expression here; frame 1 total and thread 5 total are those there.";
    vec![Effect::open(prompt(
        "Compare with",
        hint,
        "",
        Some("an expression"),
        then,
    ))]
}

fn stops_of(stops: &Stops) -> impl Iterator<Item = Choice> {
    let earlier = stops
        .stops
        .iter()
        .rev()
        .filter(|stop| Some(stop.number) != stops.here);
    earlier.map(|stop| choice(format!("stop {}", stop.number), place(stop)))
}

/// Other frames of the thread, and other threads: the words for them, and where they are.
fn places(frame: Option<i64>, view: &View) -> Vec<(String, String)> {
    let session = view.session();
    let Some((session, stop)) = session.and_then(|s| Some((s, s.current_stop()?))) else {
        return Vec::new();
    };
    let thread = stop.selected.map(|selected| selected.thread_id);
    let stack = thread.and_then(|thread| stop.stacks.get(&thread));
    let frames = stack
        .into_iter()
        .flat_map(|stack| &stack.frames)
        .enumerate();
    let frames = frames.filter(|(_, f)| Some(f.id) != frame).map(|(at, f)| {
        let path = f.path();
        let name = path.and_then(|path| path.rsplit('/').next());
        let file = name.map(|name| format!("  {name}:{}", f.line));
        (
            format!("frame {at}"),
            format!("{}{}", f.name, file.unwrap_or_default()),
        )
    });
    let threads = session
        .threads
        .iter()
        .filter(|t| Some(t.id) != thread && t.stopped);
    let threads = threads.map(|t| (format!("thread {}", t.id), t.name.clone()));
    frames.chain(threads).collect()
}
