//! A session written down: what the transcript looks like, what is left out of it, and its way into a file or the clipboard.
//!
//! [`work`] writes, here is what keys change, [`view`] draws. The preview is the beginning of the transcript; what is counted is all of it.

mod view;
mod work;

use diagnostics::{
    sessions::Summary,
    transcript::{Format, Report},
};

use self::work::{Choice, Copied, Meant, Previewed, Saved};
use super::sessions::HAND_OVER;
use crate::kit::prelude::*;

/// What the command line asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Which session; none = that of this terminal, else the newest.
    pub session: Option<String>,
    /// Markdown or text.
    pub format: Format,
    /// With what the model thought.
    pub thinking: bool,
    /// With the branches that were left.
    pub all_branches: bool,
    /// With the secrets.
    pub show_secrets: bool,
}

/// The route.
#[derive(Debug)]
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
    search: Option<Field>,
    shown: bool,
}

impl Default for TranscriptRoute {
    fn default() -> Self {
        Self {
            choice: Choice {
                format: Format::Markdown,
                thinking: true,
                all_branches: false,
                show_secrets: false,
            },
            session: None,
            word: None,
            preview: TextView::new(""),
            report: None,
            percent: None,
            busy: None,
            failed: None,
            search: None,
            shown: false,
        }
    }
}

fn has_session(s: &TranscriptRoute, _: &View<'_>) -> Enabled {
    match (&s.session, &s.report) {
        (Some(_), Some(_)) => Ok(()),
        (Some(_), None) if s.failed.is_some() => Err("There is no transcript of this."),
        (Some(_), None) => Err("The transcript is being made."),
        (None, _) => Err("There is no session: s chooses one."),
    }
}

impl Scrolls for TranscriptRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Text(&mut self.preview)
    }
}

impl Surface for TranscriptRoute {
    const TITLE: &'static str = "Transcript";
    const ACTIONS: &'static [Action<Self>] = rows![
        "transcript.write" "write to a file" ["w"]: Bar("write") if has_session => |s, cx| s.write(cx);
        "transcript.copy" "copy all of it" ["y", "ctrl-c"]: Bar("copy") if has_session => Self::copy;
        "transcript.format" "Markdown or text" ["f"]: Footer => |s, cx| {
            let format = match s.choice.format {
                Format::Markdown => Format::Text,
                Format::Text => Format::Markdown,
            };
            s.choose(Choice { format, ..s.choice }, cx);
        };
        "transcript.thinking" "thoughts" ["h"]: Footer => |s, cx| {
            s.choose(
                Choice {
                    thinking: !s.choice.thinking,
                    ..s.choice
                },
                cx,
            );
        };
        "transcript.branches" "other branches" ["b"]: Footer => |s, cx| {
            s.choose(
                Choice {
                    all_branches: !s.choice.all_branches,
                    ..s.choice
                },
                cx,
            );
        };
        "transcript.secrets" "hide or show secrets" ["x"]: Footer => |s, cx| {
            s.choose(
                Choice {
                    show_secrets: !s.choice.show_secrets,
                    ..s.choice
                },
                cx,
            );
        };
        "transcript.sessions" "choose a session" ["s"]: Footer => |_, cx| cx.go(RouteId::Sessions);
        "transcript.search" "search" ["/"]: Footer => |s, _| s.search = Some(Field::new(""));
        "transcript.next-match" "next match" ["n"] => |s, _| s.preview.next_match(1);
        "transcript.previous-match" "previous match" ["N"] => |s, _| s.preview.next_match(-1);
        lines "transcript" "up" "down";
        ends "transcript" "the beginning" "the end of the preview";
        "transcript.reload" "read anew" ["r"] => Self::begin;
        "transcript.back" "stop writing, then back" ["esc"] => |s, cx| {
            if s.busy.take().is_some() {
                cx.end_work(work::SAVE);
                cx.end_work(work::COPY);
                cx.info("Cancelled; nothing was written.");
            } else {
                cx.back();
            }
        };
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) => self.show(*route == RouteId::Transcript, cx),
            Msg::Begin(begin) => {
                if let Some(asked) = begin.of::<Asked>() {
                    self.word.clone_from(&asked.session);
                    self.choice = Choice {
                        format: asked.format,
                        thinking: asked.thinking,
                        all_branches: asked.all_branches,
                        show_secrets: asked.show_secrets,
                    };
                    self.session = None;
                    if self.shown {
                        self.begin(cx);
                    }
                }
            }
            Msg::Told(told) => self.told(told, cx),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        self.search.is_some()
    }

    fn typing_keys(&self) -> TypingKeys {
        &[("Enter", "search"), ("Esc", "leave")]
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        let Some(field) = &mut self.search else {
            return false;
        };
        match key.code {
            KeyCode::Enter => self.search = None,
            _ if leaves(key) => self.leave_search(),
            _ if field.key(key) => {
                let text = field.text().to_owned();
                // Plain text is no expression that could be wrong.
                let _ = self.preview.search(&text, false);
            }
            _ => return false,
        }
        true
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let Some(field) = &mut self.search else {
            return false;
        };
        field.paste(text);
        let text = field.text().to_owned();
        let _ = self.preview.search(&text, false);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        self.pointed(event, cx)
    }
}

impl TranscriptRoute {
    fn leave_search(&mut self) {
        self.search = None;
        let _ = self.preview.search("", false);
    }

    fn show(&mut self, shown: bool, cx: &mut Cx<'_>) {
        if shown && !self.shown && self.report.is_none() {
            self.begin(cx);
        } else if !shown && self.shown {
            // What is being written is finished nevertheless: the person asked for it.
            cx.end_work(work::FIND);
            cx.end_work(work::PREVIEW);
            self.percent = None;
        }
        self.shown = shown;
    }

    /// Finds the session, or makes the preview of the one that is known.
    fn begin(&mut self, cx: &mut Cx<'_>) {
        self.failed = None;
        self.report = None;
        let omp = Arc::clone(cx.view.omp);
        match &self.session {
            None => cx.emit(work::find(omp, self.word.clone())),
            Some(session) => {
                self.percent = Some(0);
                let path = session.path.clone();
                cx.emit(work::preview(omp, path, self.choice));
            }
        }
    }

    fn choose(&mut self, choice: Choice, cx: &mut Cx<'_>) {
        self.choice = choice;
        if self.session.is_some() {
            self.begin(cx);
        }
    }

    fn told(&mut self, told: &Told, cx: &mut Cx<'_>) {
        if let Some(path) = told.of::<PathBuf>(HAND_OVER) {
            self.session = None;
            self.report = None;
            self.preview = TextView::new("");
            cx.emit(work::meant(path.clone()));
        } else if let Some(meant) = told.of::<Meant>(work::FIND) {
            match meant {
                Ok(session) => {
                    self.session = Some(session.as_ref().clone());
                    self.begin(cx);
                }
                Err(why) => self.failed = Some(why.clone()),
            }
        } else if let Some(previewed) = told.of::<Previewed>(work::PREVIEW) {
            match previewed {
                Previewed::Percent(n) => self.percent = Some(*n),
                Previewed::Done(text, report) => {
                    self.percent = None;
                    let cut = report.bytes > text.len() as u64;
                    self.report = Some(report.as_ref().clone());
                    if cut {
                        self.preview.set_text(&format!(
                            "{text}\n\n… the preview ends here; what is written or copied has all of it"
                        ));
                    } else {
                        self.preview.set_text(text);
                    }
                }
                Previewed::Failed(why) => {
                    self.percent = None;
                    self.failed = Some(why.clone());
                }
            }
        } else if let Some(saved) = told.of::<Saved>(work::SAVE) {
            self.saved(saved, cx);
        } else if let Some(copied) = told.of::<Copied>(work::COPY) {
            self.busy = None;
            match copied {
                Ok(text) => cx.copy(text.clone(), "The transcript"),
                Err(why) => cx.warn(clean(why)),
            }
        }
    }

    fn saved(&mut self, saved: &Saved, cx: &mut Cx<'_>) {
        match saved {
            Saved::Percent(n) => self.busy = Some(format!("writing {n} %, Esc stops")),
            Saved::Done(target, report) => {
                self.busy = None;
                let said = report.sentences().join("; ");
                let text = format!("Written to {}: {said}.", target.display());
                cx.info(clean(&text));
            }
            Saved::Exists(target) => {
                self.busy = None;
                let again = self.saving(target.clone(), true, cx);
                let name = clean_path(target);
                cx.confirm(
                    "Replace the file?",
                    vec![format!("{name} is there already.")],
                    "replace it",
                    again,
                );
            }
            Saved::Failed(why) => {
                self.busy = None;
                cx.warn(clean(why));
            }
        }
    }

    fn saving(&self, target: PathBuf, force: bool, cx: &Cx<'_>) -> Vec<Effect> {
        let session = self.session.as_ref().map(|session| session.path.clone());
        let omp = Arc::clone(cx.view.omp);
        let save = |path| work::save(omp, path, self.choice, target, force);
        session.map(save).into_iter().collect()
    }

    fn write(&self, cx: &mut Cx<'_>) {
        let Some(session) = &self.session else {
            return;
        };
        let id: String = session
            .id
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(12)
            .collect();
        let name = format!("transcript-{id}.{}", self.choice.format.extension());
        let (omp, path, choice) = (Arc::clone(cx.view.omp), session.path.clone(), self.choice);
        let folder = cx.view.project.to_path_buf();
        let then = move |text: String| {
            let target = folder.join(text.trim());
            vec![work::save(omp, path, choice, target, false)]
        };
        let question = Question::new("Write the transcript to", "a file's name", then)
            .text(name)
            .check(needed("Write the name of a file."));
        cx.open(question);
    }

    fn copy(&mut self, cx: &mut Cx<'_>) {
        if let Some(session) = &self.session {
            self.busy = Some("copying…".to_owned());
            let (omp, path) = (Arc::clone(cx.view.omp), session.path.clone());
            cx.emit(work::copy(omp, path, self.choice));
        }
    }
}

#[cfg(test)]
mod tests;
