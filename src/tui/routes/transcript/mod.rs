//! A session written down: what the transcript looks like, what is left out of it, and its way into a file or the clipboard.
//!
//! [`work`] writes, here is what keys change, [`view`] draws. The preview is the beginning of the transcript; what is counted is all of it.

mod choice;
mod view;
mod work;

use diagnostics::{
    sessions::Summary,
    transcript::{Format, Report},
};

use crate::prelude::*;

pub use self::choice::Choice;

/// What the command line asked for.
#[derive(Debug)]
pub struct TranscriptTarget {
    /// Which session; none = that of this terminal, else the newest.
    pub session: Option<String>,
    /// How it is written down.
    pub choice: Choice,
}

/// The route.
#[derive(Debug, Default)]
pub struct TranscriptRoute {
    choice: Choice,
    session: Option<Summary>,
    word: Option<String>,
    preview: TextView,
    report: Option<Report>,
    percent: Option<u64>,
    /// What runs besides the preview.
    busy: Option<String>,
    failed: Option<String>,
    line: Option<Typing<Self>>,
    shown: bool,
}

static SEARCH: TypedLine<TranscriptRoute> = TypedLine {
    // Plain text is no expression that could be wrong.
    changed: |s, needle, _| drop(s.preview.search(&needle.text, false)),
    left: |s, _| drop(s.preview.search("", false)),
    ..TypedLine::new(
        &[("Enter", "search"), ("Esc", "leave")],
        |_| ["", "Search: "],
        |_, _, _| Ok(()),
    )
};

fn has_session(s: &TranscriptRoute, _: &View) -> Enabled {
    match (&s.session, &s.report) {
        (Some(_), Some(_)) => Ok(()),
        (Some(_), None) if s.failed.is_some() => Err("There is no transcript of this."),
        (Some(_), None) => Err("The transcript is being made."),
        (None, _) => Err("There is no session: s chooses one."),
    }
}

impl Scrolls for TranscriptRoute {
    moves!(text preview);
}

impl Browser for TranscriptRoute {
    table! { "Transcript", s, cx;
        "transcript.write" "write to a file" ["w"], Bar("write") if has_session => Self::write;
        "transcript.copy" "copy all of it" ["y" "ctrl-c"], Bar("copy") if has_session => Self::copy;
        "transcript.format" "Markdown or text" ["f"], Footer => {
            s.choice.format = match s.choice.format {
                Format::Markdown => Format::Text,
                Format::Text => Format::Markdown,
            };
            s.chosen(cx);
        };
        "transcript.thinking" "thoughts" ["h"], Footer => {
            s.choice.thinking = !s.choice.thinking;
            s.chosen(cx);
        };
        "transcript.branches" "other branches" ["b"], Footer => {
            s.choice.all_branches = !s.choice.all_branches;
            s.chosen(cx);
        };
        "transcript.secrets" "hide or show secrets" ["x"], Footer => {
            s.choice.show_secrets = !s.choice.show_secrets;
            s.chosen(cx);
        };
        "transcript.sessions" "choose a session" ["s"], Footer -> SESSIONS;
        "transcript.search" "search" ["/"], Footer => s.line = SEARCH.with(Field::default());
        "transcript.next-match" "next match" ["n"] => s.preview.next_match(1);
        "transcript.previous-match" "previous match" ["N"] => s.preview.next_match(-1);
        lines "transcript" "up" "down";
        ends "transcript" "the beginning" "the end of the preview";
        "transcript.reload" "read anew" ["r"] => Self::make;
        "transcript.back" "stop writing, then back" ["esc"] => {
            if s.busy.take().is_some() {
                cx.end_work(work::SAVE);
                cx.end_work(work::COPY);
                cx.info("Cancelled; nothing was written.");
            } else {
                cx.back();
            }
        };
    }

    type Begin = TranscriptTarget;

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown && self.report.is_none() {
            self.make(cx);
        } else if !shown {
            // What is being written is finished nevertheless: the person asked for it.
            cx.end_work(work::FIND);
            cx.end_work(work::PREVIEW);
            self.percent = None;
        }
    }

    fn begin(&mut self, asked: &TranscriptTarget, cx: &Cx) {
        self.word.clone_from(&asked.session);
        self.choice = asked.choice;
        self.session = None;
        if self.shown {
            self.make(cx);
        }
    }

    types_in!(line);
}

impl TranscriptRoute {
    /// Finds the session, or makes the preview of the one that is known.
    fn make(&mut self, cx: &Cx) {
        self.failed = None;
        self.report = None;
        let omp = Arc::clone(&cx.view.omp);
        match &self.session {
            None => cx.emit(work::find(omp, self.word.clone())),
            Some(session) => {
                self.percent = Some(0);
                let path = session.path.clone();
                cx.emit(work::preview(omp, path, self.choice));
            }
        }
    }

    /// Something else was chosen.
    fn chosen(&mut self, cx: &Cx) {
        if self.session.is_some() {
            self.make(cx);
        }
    }

    /// Another session is to be written down.
    pub fn hand_over(&mut self, path: PathBuf, cx: &Cx) {
        self.session = None;
        self.report = None;
        self.preview = TextView::default();
        cx.emit(work::meant(path));
    }

    pub(super) fn found(&mut self, found: Result<Summary, String>, cx: &Cx) {
        match found {
            Ok(session) => {
                self.session = Some(session);
                self.make(cx);
            }
            Err(why) => self.failed = Some(why),
        }
    }

    pub(super) fn previewed(&mut self, made: Result<(String, Report), String>) {
        self.percent = None;
        let (mut text, report) = match made {
            Ok(made) => made,
            Err(why) => return self.failed = Some(why),
        };
        if report.bytes > text.len() as u64 {
            text += "\n\n… the preview ends here; what is written or copied has all of it";
        }
        self.report = Some(report);
        self.preview.set_text(&text);
    }

    pub(super) fn copied(&mut self, text: Result<String, String>, cx: &Cx) {
        self.busy = None;
        match text {
            Ok(text) => cx.copy(text, "The transcript"),
            Err(why) => cx.warn(clean(&why)),
        }
    }

    fn write(&mut self, cx: &Cx) {
        let Some(session) = &self.session else {
            return;
        };
        let id = session.id.chars().filter(char::is_ascii_alphanumeric);
        let id: String = id.take(12).collect();
        let name = format!("transcript-{id}.{}", self.choice.format.extension());
        let (omp, path) = (Arc::clone(&cx.view.omp), session.path.clone());
        let saving = work::saving(omp, path, self.choice);
        cx.save_as("Write the transcript to", name, saving);
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(session) = &self.session {
            self.busy = Some("copying…".to_owned());
            let (omp, path) = (Arc::clone(&cx.view.omp), session.path.clone());
            cx.emit(work::copy(omp, path, self.choice));
        }
    }
}

#[cfg(test)]
mod tests;
