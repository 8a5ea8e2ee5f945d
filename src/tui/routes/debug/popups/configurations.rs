//! Which debug configuration of the project to start.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::debugger::configurations::{Asked, Listed};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::kit::picker::Picker;
use crate::tui::routes::debug::kit::{Cells, dialog, row};
use crate::tui::routes::debug::starting;

/// The picker.
#[derive(Debug, Default)]
pub struct Configurations {
    picker: Picker,
    /// The file at hand and its line, for what is named after them.
    file: Option<PathBuf>,
    line: Option<i64>,
    listed: Option<Vec<Listed>>,
    trouble: Option<String>,
}

/// Opens it beside a file and its line.
pub fn open(at: Option<(PathBuf, i64)>, cx: &mut Cx<'_>) {
    let (file, line) = at.unzip();
    cx.emit(Effect::Open(Box::new(Configurations {
        file,
        line,
        ..Configurations::default()
    })));
    cx.emit(starting::list());
}

impl Configurations {
    fn narrow(&mut self) {
        let listed = self.listed.as_deref().unwrap_or_default();
        self.picker
            .narrow(listed.iter().map(|one| one.name.as_str()));
    }

    fn selected(&self) -> Option<&Listed> {
        self.listed.as_ref()?.get(self.picker.selected()?)
    }

    fn any(&self, _: &View<'_>) -> Enabled {
        self.selected()
            .map(|_| ())
            .ok_or("No configuration is selected.")
    }

    fn start(&mut self, cx: &mut Cx<'_>) {
        let Some(name) = self.selected().map(|one| one.name.clone()) else {
            return;
        };
        cx.emit(Effect::Close);
        let asked = Asked {
            name: Some(name),
            file: self.file.clone(),
            line: self.line,
            ..Asked::default()
        };
        cx.emit(starting::prepare(asked, Vec::new()));
    }

    fn edit(&mut self, cx: &mut Cx<'_>) {
        let Some(one) = self.selected() else { return };
        let (path, line) = (one.file.clone(), one.line as i64);
        cx.emit(Effect::Close);
        cx.emit(Effect::Edit { path, line });
    }
}

impl Surface for Configurations {
    const TITLE: &'static str = "Debug configurations";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "configurations.start",
            "start",
            &["enter"],
            Show::Footer,
            Self::any,
            Self::start,
        ),
        row(
            "configurations.edit",
            "edit",
            &["ctrl-e"],
            Show::Footer,
            Self::any,
            Self::edit,
        ),
        row(
            "configurations.cancel",
            "cancel",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "configurations.up",
            "up",
            &["up", "ctrl-p"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(-1),
        ),
        row(
            "configurations.down",
            "down",
            &["down", "ctrl-n"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(1),
        ),
        row(
            "configurations.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(-1),
        ),
        row(
            "configurations.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let listed = self.listed.as_deref().unwrap_or_default();
        let right = match listed.len() {
            0 => String::new(),
            all => format!("{} of {all}", self.picker.len()),
        };
        let wide = (area.width * 3 / 4).clamp(40, 100);
        // The line to type in, and at least one for the list.
        let high = (listed.len() as u16 + 1).clamp(6, (area.height * 2 / 3).max(6));
        let buffer = frame.buffer_mut();
        let inner = dialog(buffer, area, (wide, high), Self::TITLE, &right, view);
        let none = match (&self.trouble, &self.listed) {
            (Some(trouble), _) => trouble.as_str(),
            (None, None) => "looking around…",
            (None, Some(listed)) if listed.is_empty() => "There is no .vscode/launch.json here.",
            (None, Some(_)) => "No configuration has these letters.",
        };
        self.picker.draw(
            buffer,
            inner,
            "a few letters of its name",
            none,
            view,
            |at, room| {
                let mut cells = Cells::new(room, view);
                if let Some(one) = listed.get(at) {
                    cells.right(&one.what, view.theme.muted);
                    cells.put(&one.name, view.theme.text);
                }
                cells.line()
            },
        );
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        let Msg::Told(told) = msg else { return };
        let Some(listing) = starting::listed(told) else {
            return;
        };
        match listing {
            Ok(listed) => self.listed = Some(listed.clone()),
            Err(error) => self.trouble = Some(error.to_string()),
        }
        self.narrow();
        cx.redraw();
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let tables = control && matches!(key.code, KeyCode::Char('e' | 'p' | 'n'));
        let mine = !tables && self.picker.key(key);
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
        if answer == Some(true) {
            self.start(cx);
        }
        answer.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debugger::State;
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::Stage;

    #[test]
    fn letters_narrow_the_list_and_enter_prepares_the_start() {
        let mut stage = Stage::new(State::default());
        let mut picker = Configurations::default();
        let listed = |name: &str, what: &str| Listed {
            name: name.to_owned(),
            what: what.to_owned(),
            file: "/project/.vscode/launch.json".into(),
            line: 3,
        };
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(screen.contains("looking around"), "{screen}");
        picker.listed = Some(vec![
            listed("Go: tests", "launch go"),
            listed("web", "launch node"),
        ]);
        picker.narrow();
        let mut cx = stage.cx();
        let key = KeyEvent::new(KeyCode::Char('w'), KeyModifiers::NONE);
        assert!(picker.text(key, &mut cx));
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(
            screen.contains("launch node") && screen.contains("1 of 2"),
            "{screen}"
        );
        assert!(!screen.contains("Go: tests"), "{screen}");
        picker.invoke("configurations.start", &mut cx);
        assert!(matches!(
            cx.effects.as_slice(),
            [Effect::Close, Effect::Work(_)]
        ));
        drop(cx);
        stage.survives(&mut picker);
    }
}
