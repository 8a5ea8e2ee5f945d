//! A session written down: what the transcript looks like, what is left out of it, and its way into a file or the clipboard.
//!
//! [`work`] writes, here is what keys change, [`view`] draws. The preview is the beginning of the transcript; what is counted is all of it.

mod view;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::work::{Choice, Copied, Meant, Previewed, Saved};
use super::sessions::HAND_OVER;
use crate::action::{Action, Cx, Enabled, Show, Surface, TypingKeys, View, always};
use crate::app::effect::{Effect, RouteId};
use crate::app::msg::Msg;
use crate::app::work::Told;
use crate::overlays::confirm::{Answering, Confirm};
use crate::overlays::prompt::Question;
use crate::routes::debug::kit::{Field, row, wheel};
use crate::widgets::text_view::TextView;
use base::text::sanitise::sanitise;
use diagnostics::sessions::Summary;
use diagnostics::transcript::{Format, Report};

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

impl Surface for TranscriptRoute {
    const TITLE: &'static str = "Transcript";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "transcript.write",
            "write to a file",
            &["w"],
            Show::Bar("write"),
            has_session,
            |s, cx| s.write(cx),
        ),
        row(
            "transcript.copy",
            "copy all of it",
            &["y", "ctrl-c"],
            Show::Bar("copy"),
            has_session,
            Self::copy,
        ),
        row(
            "transcript.format",
            "Markdown or text",
            &["f"],
            Show::Footer,
            always,
            |s, cx| {
                let format = match s.choice.format {
                    Format::Markdown => Format::Text,
                    Format::Text => Format::Markdown,
                };
                s.choose(Choice { format, ..s.choice }, cx);
            },
        ),
        row(
            "transcript.thinking",
            "thoughts",
            &["h"],
            Show::Footer,
            always,
            |s, cx| {
                s.choose(
                    Choice {
                        thinking: !s.choice.thinking,
                        ..s.choice
                    },
                    cx,
                );
            },
        ),
        row(
            "transcript.branches",
            "other branches",
            &["b"],
            Show::Footer,
            always,
            |s, cx| {
                s.choose(
                    Choice {
                        all_branches: !s.choice.all_branches,
                        ..s.choice
                    },
                    cx,
                );
            },
        ),
        row(
            "transcript.secrets",
            "hide or show secrets",
            &["x"],
            Show::Footer,
            always,
            |s, cx| {
                s.choose(
                    Choice {
                        show_secrets: !s.choice.show_secrets,
                        ..s.choice
                    },
                    cx,
                );
            },
        ),
        row(
            "transcript.sessions",
            "choose a session",
            &["s"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Go(RouteId::Sessions)),
        ),
        row(
            "transcript.search",
            "search",
            &["/"],
            Show::Footer,
            always,
            |s, _| s.search = Some(Field::new("")),
        ),
        row(
            "transcript.next-match",
            "next match",
            &["n"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.next_match(1),
        ),
        row(
            "transcript.previous-match",
            "previous match",
            &["N"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.next_match(-1),
        ),
        row(
            "transcript.up",
            "up",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.scroll_by(-1),
        ),
        row(
            "transcript.down",
            "down",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.scroll_by(1),
        ),
        row(
            "transcript.page-up",
            "a page up",
            &["pageup", "ctrl-b"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.page_by(-1),
        ),
        row(
            "transcript.page-down",
            "a page down",
            &["pagedown", "ctrl-f"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.page_by(1),
        ),
        row(
            "transcript.first",
            "the beginning",
            &["home", "g"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.home(),
        ),
        row(
            "transcript.last",
            "the end of the preview",
            &["end", "G"],
            Show::HelpOnly,
            always,
            |s, _| s.preview.end(),
        ),
        row(
            "transcript.reload",
            "read anew",
            &["r"],
            Show::HelpOnly,
            always,
            Self::begin,
        ),
        row(
            "transcript.back",
            "stop writing, then back",
            &["esc"],
            Show::HelpOnly,
            always,
            |s, cx| {
                if s.busy.take().is_some() {
                    cx.emit(Effect::EndWork(work::SAVE));
                    cx.emit(Effect::EndWork(work::COPY));
                    cx.emit(Effect::info("Cancelled; nothing was written."));
                } else {
                    cx.emit(Effect::Invoke("app.back".to_owned()));
                }
            },
        ),
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
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let Some(field) = &mut self.search else {
            return false;
        };
        match key.code {
            KeyCode::Enter => self.search = None,
            KeyCode::Esc => self.leave_search(),
            KeyCode::Char('c') if control => self.leave_search(),
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
        let Some(by) = wheel(&event) else {
            return false;
        };
        self.preview.scroll_by(by);
        cx.redraw();
        true
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
            cx.emit(Effect::EndWork(work::FIND));
            cx.emit(Effect::EndWork(work::PREVIEW));
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
                Ok(text) => cx.emit(Effect::Copy {
                    text: text.clone(),
                    what: "The transcript".to_owned(),
                }),
                Err(why) => cx.emit(Effect::warn(sanitise(why).into_owned())),
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
                cx.emit(Effect::info(sanitise(&text).into_owned()));
            }
            Saved::Exists(target) => {
                self.busy = None;
                let again = self.saving(target.clone(), true, cx);
                let name = sanitise(&target.display().to_string()).into_owned();
                cx.emit(Effect::Open(Box::new(Confirm {
                    choice: Answering::default(),
                    title: "Replace the file?".to_owned(),
                    lines: vec![format!("{name} is there already.")],
                    yes_label: "replace it".to_owned(),
                    on_yes: again,
                })));
            }
            Saved::Failed(why) => {
                self.busy = None;
                cx.emit(Effect::warn(sanitise(why).into_owned()));
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
            .check(|text| {
                if text.trim().is_empty() {
                    Err("Write the name of a file.".to_owned())
                } else {
                    Ok(())
                }
            });
        cx.emit(Effect::Open(Box::new(question)));
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
