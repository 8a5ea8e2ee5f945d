//! Effects asked for in few words, and foreign text made fit to be shown in a sentence.

use std::{
    borrow::Borrow,
    sync::atomic::{AtomicU64, Ordering},
};

use debugger::Command;
use diagnostics::whole::NotWritten;

use super::{
    confirm::{Answering, Confirm},
    prompt::Question,
};
use crate::action::{Layer, prelude::*, work::Work};

impl Effect {
    /// See [`Work::new`].
    pub fn work(name: &'static str, run: impl FnOnce(&Teller) + Send + 'static) -> Self {
        Self::Work(Work::new(name, run))
    }

    /// Work that finds one thing, and what its route does with it.
    pub fn finding<R: 'static, T: Send + 'static>(
        name: &'static str,
        find: impl FnOnce(&Teller) -> T + Send + 'static,
        then: impl FnOnce(&mut R, T, &Cx) + Send + 'static,
    ) -> Self {
        Self::work(name, move |teller| {
            let found = find(teller);
            teller.call(move |route: &mut R, cx| then(route, found, cx));
        })
    }

    /// Something that a route, or a popup, of this type is to do, wherever one is now.
    pub fn on<R: 'static>(
        name: &'static str,
        what: impl FnOnce(&mut R, &Cx) + Send + 'static,
    ) -> Self {
        Self::work(name, |teller| {
            teller.call(what);
        })
    }

    /// Put an overlay on top.
    pub fn open(overlay: impl Layer + 'static) -> Self {
        Self::Open(Box::new(overlay))
    }
}

impl Cx {
    /// An informative line.
    pub fn info(&self, text: impl Into<String>) {
        self.emit(Effect::info(text));
    }

    /// A warning.
    pub fn warn(&self, text: impl Into<String>) {
        self.emit(Effect::warn(text));
    }

    /// A command whose reply matters only when it is an error.
    pub fn core(&self, command: Command) {
        self.emit(Effect::core(command));
    }

    /// A question to the core under a number of its own, which comes back with the answer.
    pub fn ask(&self, owner: &'static str, command: Command) -> u64 {
        let number = ticket();
        self.emit(Effect::ask(owner, number, command));
        number
    }

    /// To the clipboard; `what` names it in the status line.
    pub fn copy(&self, text: impl Into<String>, what: impl Into<String>) {
        self.emit(Effect::Copy {
            text: text.into(),
            what: what.into(),
        });
    }

    /// Do something beside the drawing task.
    pub fn work(&self, name: &'static str, run: impl FnOnce(&Teller) + Send + 'static) {
        self.emit(Effect::work(name, run));
    }

    /// See [`Effect::finding`].
    pub fn finding<R: 'static, T: Send + 'static>(
        &self,
        name: &'static str,
        find: impl FnOnce(&Teller) -> T + Send + 'static,
        then: impl FnOnce(&mut R, T, &Self) + Send + 'static,
    ) {
        self.emit(Effect::finding(name, find, then));
    }

    /// Nothing that work of this name finds is wanted any more.
    pub fn end_work(&self, name: &'static str) {
        self.emit(Effect::EndWork(name));
    }

    /// Put an overlay on top.
    pub fn open(&self, overlay: impl Layer + 'static) {
        self.emit(Effect::open(overlay));
    }

    /// Take the topmost overlay away.
    pub fn close(&self) {
        self.emit(Effect::Close);
    }

    /// Show a route.
    pub fn go(&self, route: RouteId) {
        self.emit(Effect::Go(route));
    }

    /// Run an action by id.
    pub fn invoke(&self, id: &str) {
        self.emit(Effect::Invoke(id.to_owned()));
    }

    /// Leave the route.
    pub fn back(&self) {
        self.invoke("app.back");
    }

    /// Asks for a file's name, `proposed` at first, relative to the project's folder or to one's home; `then` gets the path.
    pub fn ask_for_file(
        &self,
        title: impl Into<String>,
        hint: &str,
        proposed: impl Into<String>,
        then: impl FnOnce(PathBuf) -> Effect + 'static,
    ) {
        let folder = self.view.project.to_path_buf();
        let then = move |text: String| vec![then(path_of(&text, &folder))];
        let question = Question::new(title, hint, then)
            .text(proposed)
            .check(needed("Write the name of a file."));
        self.open(question);
    }

    /// Asks for a file's name, `proposed` at first, and has the file written.
    pub fn save_as<R: 'static>(
        &self,
        title: impl Into<String>,
        proposed: String,
        saving: Saving<R>,
    ) {
        self.ask_for_file(title, "a file's name", proposed, move |path| {
            saving.to(path, false)
        });
    }

    /// Asks whether to do something that cannot be taken back easily.
    pub fn confirm(&self, title: &str, lines: Vec<String>, yes: &str, on_yes: Vec<Effect>) {
        self.open(Confirm {
            choice: Answering::default(),
            title: title.to_owned(),
            lines,
            yes_label: yes.to_owned(),
            on_yes,
        });
    }
}

type Save = Box<dyn Fn(&Teller, &Path, bool) -> Result<String, NotWritten> + Send>;

/// A file that a route of type `R` has written beside the drawing task.
pub struct Saving<R> {
    /// The work that writes it.
    work: &'static str,
    save: Save,
    /// What the route does when it is over; the path, where it was written.
    then: fn(&mut R, Option<&Path>),
}

impl<R: 'static> Saving<R> {
    /// `save` writes it, in place of one that is there only if it is told so, and gives the sentence to say.
    pub fn new(
        work: &'static str,
        save: impl Fn(&Teller, &Path, bool) -> Result<String, NotWritten> + Send + 'static,
        then: fn(&mut R, Option<&Path>),
    ) -> Self {
        Self {
            work,
            save: Box::new(save),
            then,
        }
    }

    /// Writes it there. Whether a file that is there is to be written anew is asked.
    pub fn to(self, path: PathBuf, force: bool) -> Effect {
        Effect::work(self.work, move |teller| {
            let saved = (self.save)(teller, &path, force);
            teller.call(move |route: &mut R, cx| {
                (self.then)(route, saved.is_ok().then_some(path.as_path()));
                match saved {
                    Ok(said) => cx.info(clean(&said)),
                    Err(NotWritten::Exists(_)) => {
                        let line = format!("{} is there already.", clean_path(&path));
                        let again = vec![self.to(path, true)];
                        cx.confirm("Replace the file?", vec![line], "replace it", again);
                    }
                    Err(why) => cx.warn(clean(&why.to_string())),
                }
            });
        })
    }
}

/// A number that no other question of the screen has.
pub fn ticket() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// One foreign line, made safe.
pub fn clean(text: &str) -> String {
    sanitise(text).into_owned()
}

/// A path as one safe line.
pub fn clean_path(path: &Path) -> String {
    clean(&path.to_string_lossy())
}

/// The path that somebody wrote, who stands in `folder`.
pub fn path_of(text: &str, folder: &Path) -> PathBuf {
    match (text.trim().strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(text.trim()),
    }
}

/// Texts one behind the other, with something between them.
pub fn joined(texts: impl IntoIterator<Item: Borrow<str>>, between: &str) -> String {
    texts.into_iter().collect::<Vec<_>>().join(between)
}

/// The time of day, local, to the second.
pub fn time_of_day(milliseconds: i64) -> String {
    let stamp = format_time(milliseconds);
    stamp.get(11..19).unwrap_or(&stamp).to_owned()
}

/// The last part of a path; foreign text.
pub fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// For [`Question::check`](Question::check): something has to be written.
pub fn needed(sentence: &'static str) -> impl Fn(&str) -> Result<(), String> {
    move |text| match text.trim() {
        "" => Err(sentence.to_owned()),
        _ => Ok(()),
    }
}

/// Whether what comes at the end of a list is followed, and how much came since it is not.
pub fn following(is_paused: bool, fresh: u64) -> String {
    match (is_paused, fresh) {
        (false, _) => "following".to_owned(),
        (true, 0) => "paused, End follows".to_owned(),
        (true, new) => format!("{} new, End follows", thousands(new)),
    }
}

/// How far it is, of a hundred.
pub fn percent(done: u64, all: u64) -> u64 {
    let hundredfold = done.min(all).saturating_mul(100);
    hundredfold.checked_div(all).unwrap_or(100)
}
