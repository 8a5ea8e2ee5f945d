//! Finds a file of the project by a few letters: to look at its source, or to debug it.

use std::path::{Path, PathBuf};

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::launch_form;
use crate::debugger::workspace::{FILE_LIMIT, FileEntry};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::kit::picker::Picker;
use crate::tui::routes::debug::kit::{Cells, dialog, row};

/// What becomes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Its source is shown.
    Show,
    /// The launch form gets it as program.
    Launch,
}

/// The picker.
#[derive(Debug)]
pub struct FilePicker {
    purpose: Purpose,
    root: PathBuf,
    picker: Picker,
    files: Option<Vec<FileEntry>>,
    trouble: Option<String>,
}

/// Lists the files below the project's folder to show one of them.
pub fn open(cx: &mut Cx<'_>) {
    open_for(Purpose::Show, cx);
}

/// Lists the files below the project's folder.
pub fn open_for(purpose: Purpose, cx: &mut Cx<'_>) {
    let root = cx.view.project.to_owned();
    cx.emit(Effect::Open(Box::new(FilePicker::new(purpose, &root))));
    cx.emit(Effect::ListFiles(root));
}

impl FilePicker {
    fn new(purpose: Purpose, root: &Path) -> Self {
        Self {
            purpose,
            root: root.to_owned(),
            picker: Picker::default(),
            files: None,
            trouble: None,
        }
    }

    fn narrow(&mut self) {
        let files = self.files.as_deref().unwrap_or_default();
        self.picker.narrow(files.iter().map(|f| f.name.as_str()));
    }

    fn selected(&self) -> Option<&FileEntry> {
        self.files.as_ref()?.get(self.picker.selected()?)
    }

    fn any(&self, _: &View<'_>) -> Enabled {
        self.selected().map(|_| ()).ok_or("No file is selected.")
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        match self.purpose {
            Purpose::Show => self.show(cx),
            Purpose::Launch => self.launch(cx),
        }
    }

    fn show(&mut self, cx: &mut Cx<'_>) {
        let Some(path) = self.selected().map(|f| f.path.clone()) else {
            return;
        };
        cx.emit(Effect::Close);
        cx.emit(Effect::show_file(&path, None));
    }

    fn launch(&mut self, cx: &mut Cx<'_>) {
        let Some(path) = self.selected().map(|f| f.path.clone()) else {
            return;
        };
        cx.emit(Effect::Close);
        launch_form::open_with(&path, cx);
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

impl Surface for FilePicker {
    const TITLE: &'static str = "Files";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "files.accept",
            "choose",
            &["enter"],
            Show::Footer,
            Self::any,
            Self::accept,
        ),
        row(
            "files.debug",
            "debug it",
            &["ctrl-d"],
            Show::Footer,
            Self::any,
            Self::launch,
        ),
        row(
            "files.show",
            "show its source",
            &["ctrl-o"],
            Show::Footer,
            Self::any,
            Self::show,
        ),
        row(
            "files.cancel",
            "cancel",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "files.up",
            "up",
            &["up", "ctrl-p"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(-1),
        ),
        row(
            "files.down",
            "down",
            &["down", "ctrl-n"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(1),
        ),
        row(
            "files.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(-1),
        ),
        row(
            "files.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let title = match self.purpose {
            Purpose::Show => "Show a source",
            Purpose::Launch => "Debug a program",
        };
        let right = match &self.files {
            Some(files) if files.len() >= FILE_LIMIT => {
                format!("{} of the nearest {FILE_LIMIT}", self.picker.len())
            }
            Some(files) => format!("{} of {}", self.picker.len(), files.len()),
            None => String::new(),
        };
        let size_of = (area.width * 3 / 4).clamp(40, 100);
        let high = (area.height * 2 / 3).clamp(6, 30);
        let buf = frame.buffer_mut();
        let inner = dialog(buf, area, (size_of, high), title, &right, view);
        let none = match (&self.trouble, &self.files) {
            (Some(trouble), _) => trouble.as_str(),
            (None, None) => "looking around…",
            (None, Some(files)) if files.is_empty() => "There are no files here.",
            (None, Some(_)) => "No file has these letters.",
        };
        let files = self.files.as_deref().unwrap_or_default();
        self.picker.draw(
            buf,
            inner,
            "a few letters of its name",
            none,
            view,
            |at, room| {
                let mut cells = Cells::new(room, view);
                if let Some(file) = files.get(at) {
                    cells.right(&size(file.size), view.theme.muted);
                    cells.put(&file.name, view.theme.text);
                    if file.executable {
                        cells.put("  program", view.theme.success);
                    }
                }
                cells.line()
            },
        );
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Files { root, result } = msg
            && *root == self.root
        {
            match result {
                Ok(files) => self.files = Some(files.clone()),
                Err(text) => self.trouble = Some(text.clone()),
            }
            self.narrow();
            cx.redraw();
        }
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let plain = !key
            .modifiers
            .contains(crossterm::event::KeyModifiers::CONTROL)
            || !matches!(
                key.code,
                crossterm::event::KeyCode::Char('d' | 'o' | 'p' | 'n')
            );
        let mine = plain && self.picker.key(key);
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
            self.accept(cx);
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
    use crossterm::event::{KeyCode, KeyModifiers};

    fn file(name: &str) -> FileEntry {
        FileEntry {
            path: Path::new("/project").join(name),
            name: name.into(),
            executable: name == "run",
            size: 1_234,
        }
    }

    #[test]
    fn letters_narrow_the_files_and_enter_shows_the_best() {
        let mut stage = Stage::new(State::default());
        let mut picker = FilePicker::new(Purpose::Show, Path::new("/project"));
        assert!(
            stage
                .draw(&mut picker, 80, 24)
                .join("\n")
                .contains("looking around…")
        );
        let mut cx = stage.cx();
        let files = Msg::Files {
            root: "/project".into(),
            result: Ok(vec![file("src/shop.py"), file("src/main.py"), file("run")]),
        };
        picker.message(&files, &mut cx);
        for c in "main".chars() {
            picker.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &mut cx);
        }
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(
            screen.contains("src/main.py")
                && !screen.contains("shop.py")
                && screen.contains("1 of 3"),
            "{screen}"
        );
        picker.invoke("files.accept", &mut cx);
        let Some(Effect::ShowSource { source, .. }) = cx.effects.pop() else {
            panic!("nothing shown")
        };
        assert_eq!(source.path.as_deref(), Some("/project/src/main.py"));
        drop(cx);
        stage.survives(&mut picker);
    }
}
