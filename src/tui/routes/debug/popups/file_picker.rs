//! Finds a file of the project by a few letters: to look at its source, or to debug it.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use debugger::workspace::{FILE_LIMIT, FileEntry};

use super::launch_form;
use crate::routes::debug::kit::{
    picking::{Picking, Source, Words, high, selected, wide},
    prelude::*,
};

/// What becomes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Its source is shown.
    Show,
    /// The launch form gets it as program.
    Launch,
}

/// The files below a folder.
#[derive(Debug)]
pub struct Files {
    purpose: Purpose,
    root: PathBuf,
}

/// The picker.
pub type FilePicker = Picking<Files>;

/// Lists the files below the project's folder to show one of them.
pub fn open(cx: &mut Cx<'_>) {
    open_for(Purpose::Show, cx);
}

/// Lists the files below the project's folder.
pub fn open_for(purpose: Purpose, cx: &mut Cx<'_>) {
    let root = cx.view.project.to_owned();
    picker(purpose, &root).open(cx);
    cx.emit(Effect::ListFiles(root));
}

fn picker(purpose: Purpose, root: &Path) -> FilePicker {
    let root = root.to_owned();
    Picking::new(Files { purpose, root })
}

impl FilePicker {
    fn accept(&mut self, cx: &mut Cx<'_>) {
        match self.source.purpose {
            Purpose::Show => self.show_source(cx),
            Purpose::Launch => self.launch(cx),
        }
    }

    fn show_source(&mut self, cx: &mut Cx<'_>) {
        if let Some(file) = self.selected() {
            cx.emit(Effect::Close);
            cx.emit(Effect::show_file(&file.path, None));
        }
    }

    fn launch(&mut self, cx: &mut Cx<'_>) {
        if let Some(file) = self.selected() {
            cx.emit(Effect::Close);
            launch_form::open_with(&file.path, cx);
        }
    }
}

impl Source for Files {
    type Entry = FileEntry;

    const TITLE: &'static str = "Files";
    const ACTIONS: &'static [Action<FilePicker>] = rows! {
        "files.accept" "choose"          ["enter"], Footer  if selected => FilePicker::accept;
        "files.debug"  "debug it"        ["ctrl-d"], Footer if selected => FilePicker::launch;
        "files.show"   "show its source" ["ctrl-o"], Footer if selected => FilePicker::show_source;
        pick "files" "cancel" "cancel";
    };

    fn title(&self) -> &'static str {
        match self.purpose {
            Purpose::Show => "Show a source",
            Purpose::Launch => "Debug a program",
        }
    }

    fn words(&self) -> Words {
        Words {
            hint: "a few letters of its name",
            asking: "looking around…",
            nothing: "There are no files here.",
            unmatched: "No file has these letters.",
        }
    }

    fn name<'e>(&self, file: &'e FileEntry) -> Cow<'e, str> {
        file.name.as_str().into()
    }

    fn size(&self, _: Option<usize>, area: Rect) -> (u16, u16) {
        (wide(area, 100), high(area))
    }

    fn row(&self, file: &FileEntry, _: bool, cells: &mut Cells<'_>, view: &View<'_>) {
        cells
            .right(&amount::size(file.size), view.theme.muted)
            .put(&file.name, view.theme.text);
        if file.executable {
            cells.put("  program", view.theme.success);
        }
    }

    fn count(&self, left: usize, all: usize) -> String {
        match all {
            0 => String::new(),
            FILE_LIMIT.. => format!("{left} of the nearest {FILE_LIMIT}"),
            _ => format!("{left} of {all}"),
        }
    }

    fn on_msg(list: &mut FilePicker, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Files { root, result } = msg
            && *root == list.source.root
        {
            match result {
                Ok(files) => list.show(files.clone()),
                Err(text) => list.fail(text.clone()),
            }
            cx.redraw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::Stage;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use debugger::State;

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
        let mut picker = picker(Purpose::Show, Path::new("/project"));
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
