//! One of several things that the adapter names: where to jump, which call to step into, what to stop at, modules, sources.
//! Narrowed by what is typed. What becomes of the choice is the asker's.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::debugger::{Command, Reply};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::{Effect, Tag};
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::kit::picker::Picker;
use crate::tui::routes::debug::kit::{Cells, dialog, row};
use crate::tui::routes::debug::variables::ticket;

const OWNER: &str = "chooser";

/// One thing to choose.
pub struct Choice {
    /// What it is called, and what typing narrows by.
    pub name: String,
    /// What stands behind its name.
    pub more: String,
    /// What stands at the end of its row.
    pub end: String,
    /// What is done when it is chosen; nothing for what is only looked at.
    pub then: Option<Box<dyn Fn() -> Vec<Effect>>>,
}

/// Makes choices of an answer, or says why there are none.
pub type Read = Box<dyn Fn(&Reply) -> Result<Vec<Choice>, String>>;

/// The popup.
pub struct Chooser {
    title: &'static str,
    picker: Picker,
    choices: Option<Vec<Choice>>,
    trouble: Option<String>,
    ticket: u64,
    read: Option<Read>,
    /// A lone choice is no choice: it is taken at once.
    at_once: bool,
    none: &'static str,
}

impl Chooser {
    /// Choices that are known already.
    pub fn of(title: &'static str, choices: Vec<Choice>) -> Self {
        let mut chooser = Self::empty(title, "There is nothing to choose.");
        chooser.choices = Some(choices);
        chooser.narrow();
        chooser
    }

    fn empty(title: &'static str, none: &'static str) -> Self {
        Self {
            title,
            picker: Picker::default(),
            choices: None,
            trouble: None,
            ticket: 0,
            read: None,
            at_once: false,
            none,
        }
    }

    /// Puts it on top.
    pub fn open(self, cx: &mut Cx<'_>) {
        cx.emit(Effect::Open(Box::new(self)));
    }

    fn narrow(&mut self) {
        let choices = self.choices.as_deref().unwrap_or_default();
        self.picker.narrow(choices.iter().map(|c| c.name.as_str()));
    }

    fn selected(&self) -> Option<&Choice> {
        self.choices.as_ref()?.get(self.picker.selected()?)
    }

    fn any(&self, _: &View<'_>) -> Enabled {
        match self.selected() {
            Some(choice) if choice.then.is_some() => Ok(()),
            Some(_) => Err("It can only be looked at."),
            None => Err("Nothing is selected."),
        }
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        if let Some(then) = self.selected().and_then(|c| c.then.as_ref()) {
            let effects = then();
            cx.emit(Effect::Close);
            cx.effects.extend(effects);
        }
    }

    fn copy(&mut self, cx: &mut Cx<'_>) {
        if let Some(choice) = self.selected() {
            let text = [choice.name.as_str(), choice.more.as_str()]
                .into_iter()
                .filter(|t| !t.is_empty())
                .collect::<Vec<_>>()
                .join("  ");
            cx.emit(Effect::Copy {
                text,
                what: "the row".to_owned(),
            });
        }
    }
}

/// Asks the core, and lets a person choose from the answer; with `at_once` a lone choice is taken without asking.
pub fn ask(
    title: &'static str,
    command: Command,
    at_once: bool,
    none: &'static str,
    read: Read,
) -> Vec<Effect> {
    let mut chooser = Chooser::empty(title, none);
    chooser.ticket = ticket();
    chooser.read = Some(read);
    chooser.at_once = at_once;
    let tag = Tag(OWNER, chooser.ticket);
    vec![
        Effect::Open(Box::new(chooser)),
        Effect::Core { command, tag },
    ]
}

impl Surface for Chooser {
    const TITLE: &'static str = "Choose";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "chooser.accept",
            "choose",
            &["enter"],
            Show::Footer,
            Self::any,
            Self::accept,
        ),
        row(
            "chooser.copy",
            "copy the row",
            &["ctrl-y"],
            Show::Footer,
            always,
            Self::copy,
        ),
        row(
            "chooser.cancel",
            "close",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "chooser.up",
            "up",
            &["up", "ctrl-p"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(-1),
        ),
        row(
            "chooser.down",
            "down",
            &["down", "ctrl-n"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(1),
        ),
        row(
            "chooser.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(-1),
        ),
        row(
            "chooser.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let right = match &self.choices {
            Some(choices) => format!("{} of {}", self.picker.len(), choices.len()),
            None => String::new(),
        };
        let wide = (area.width * 3 / 4).clamp(40, 110);
        let wished = self.choices.as_ref().map_or(3, |c| c.len() + 2);
        let most = (area.height * 2 / 3).clamp(6, 30);
        let high = (wished.min(usize::from(most)) as u16).max(4);
        let buf = frame.buffer_mut();
        let inner = dialog(buf, area, (wide, high), self.title, &right, view);
        let none = match (&self.trouble, &self.choices) {
            (Some(trouble), _) => trouble.as_str(),
            (None, None) => "asking…",
            (None, Some(choices)) if choices.is_empty() => self.none,
            (None, Some(_)) => "Nothing has these letters.",
        };
        let choices = self.choices.as_deref().unwrap_or_default();
        self.picker
            .draw(buf, inner, "a few letters", none, view, |at, room| {
                let mut cells = Cells::new(room, view);
                if let Some(choice) = choices.get(at) {
                    cells.right(&choice.end, view.theme.muted);
                    cells.put(&choice.name, view.theme.text);
                    if !choice.more.is_empty() {
                        cells.skip(2).put(&choice.more, view.theme.muted);
                    }
                }
                cells.line()
            });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        let Msg::Reply { tag, result } = msg else {
            return;
        };
        if *tag != Tag(OWNER, self.ticket) {
            return;
        }
        cx.redraw();
        let read = self.read.as_ref();
        let choices = match (result, read) {
            (Ok(reply), Some(read)) => read(reply),
            (Ok(_), None) => return,
            (Err(error), _) => Err(error.what.clone()),
        };
        match choices {
            Ok(choices) => {
                self.choices = Some(choices);
                self.narrow();
                let alone = self.choices.as_ref().is_some_and(|c| c.len() == 1);
                if self.at_once && alone {
                    self.accept(cx);
                }
            }
            Err(why) => self.trouble = Some(why),
        }
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let is_row = key.modifiers.contains(KeyModifiers::CONTROL)
            && matches!(key.code, KeyCode::Char('y' | 'p' | 'n'));
        let mine = !is_row && self.picker.key(key);
        if mine {
            self.narrow();
            cx.redraw();
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.picker.paste(text);
        self.narrow();
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let answer = self.picker.mouse(event, cx);
        if answer == Some(true) && self.selected().is_some_and(|c| c.then.is_some()) {
            self.accept(cx);
        }
        answer.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debugger::{DebuggerError, Kind, State};
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::Stage;

    fn asked(stage: &Stage, at_once: bool) -> (Box<dyn Layer>, Tag) {
        let read = |reply: &Reply| match reply {
            Reply::GotoTargets { targets } => Ok(targets
                .iter()
                .map(|t| Choice {
                    name: t.label.clone(),
                    more: String::new(),
                    end: format!("line {}", t.line),
                    then: Some(Box::new(|| vec![Effect::Repaint])),
                })
                .collect()),
            _ => Err("The answer was something else.".to_owned()),
        };
        let command = Command::LoadedSources { session: None };
        let mut effects = ask("Jump", command, at_once, "none", Box::new(read)).into_iter();
        let (Some(Effect::Open(popup)), Some(Effect::Core { tag, .. })) =
            (effects.next(), effects.next())
        else {
            panic!("nothing opened")
        };
        let _ = stage;
        (popup, tag)
    }

    fn targets(n: i64) -> Reply {
        Reply::GotoTargets {
            targets: (0..n)
                .map(|n| crate::dap::types::GotoTarget {
                    id: n,
                    label: format!("place {n}"),
                    line: n,
                    ..Default::default()
                })
                .collect(),
        }
    }

    #[test]
    fn typing_narrows_and_enter_takes_it() {
        let mut stage = Stage::new(State::default());
        let (mut popup, tag) = asked(&stage, true);
        assert!(
            stage
                .draw(&mut *popup, 80, 24)
                .join("\n")
                .contains("asking…")
        );
        let mut cx = stage.cx();
        let result = Ok(targets(12));
        popup.message(&Msg::Reply { tag, result }, &mut cx);
        for c in "11".chars() {
            popup.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &mut cx);
        }
        let screen = stage.draw(&mut *popup, 80, 24).join("\n");
        assert!(
            screen.contains("place 11") && screen.contains("1 of 12"),
            "{screen}"
        );
        popup.invoke("chooser.accept", &mut cx);
        assert!(matches!(cx.effects[..], [Effect::Close, Effect::Repaint]));
        drop(cx);
        stage.survives(&mut *popup);
    }

    #[test]
    fn a_lone_choice_is_taken_and_an_error_is_shown() {
        let stage = Stage::new(State::default());
        let (mut popup, tag) = asked(&stage, true);
        let mut cx = stage.cx();
        popup.message(
            &Msg::Reply {
                tag,
                result: Ok(targets(1)),
            },
            &mut cx,
        );
        assert!(matches!(cx.effects[..], [Effect::Close, Effect::Repaint]));
        let (mut popup, tag) = asked(&stage, true);
        let result = Err(DebuggerError::new(Kind::Adapter, "no such line"));
        popup.message(&Msg::Reply { tag, result }, &mut cx);
        let screen = stage.draw(&mut *popup, 80, 24).join("\n");
        assert!(screen.contains("no such line"), "{screen}");
    }
}
