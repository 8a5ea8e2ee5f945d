//! Finds a file of the project by a few letters: to look at its source, or to debug it.

use debugger::workspace::{FILE_LIMIT, FileEntry};

use super::launch_form;
use crate::{
    debug_prelude::*,
    kit::picking::{Picking, Source, Words, high, selected, wide},
};

/// The files below a folder.
#[derive(Debug)]
pub struct Files {
    root: PathBuf,
}

/// The picker.
pub type FilePicker = Picking<Files>;

/// Lists the files below the project's folder.
pub fn open(cx: &Cx) {
    let root = cx.view.project.to_path_buf();
    cx.open(Picking::new(Files { root: root.clone() }));
    cx.emit(Effect::ListFiles(root));
}

impl FilePicker {
    fn show_source(&mut self, cx: &Cx) {
        if let Some(file) = self.selected() {
            cx.close();
            cx.emit(Effect::show_file(&file.path, None));
        }
    }

    fn launch(&mut self, cx: &Cx) {
        if let Some(file) = self.selected() {
            cx.close();
            launch_form::open_with(&file.path, cx);
        }
    }
}

impl Source for Files {
    type Entry = FileEntry;

    table! { FilePicker: "Files";
        "files.accept" "choose"          ["enter"], Footer  if selected => FilePicker::show_source;
        "files.debug"  "debug it"        ["ctrl-d"], Footer if selected => FilePicker::launch;
        "files.show"   "show its source" ["ctrl-o"], Footer if selected => FilePicker::show_source;
        pick "files" "cancel" "cancel";
    }

    fn title(&self) -> &'static str {
        "Show a source"
    }

    const WORDS: Words = Words {
        hint: "a few letters of its name",
        asking: "looking around…",
        nothing: "There are no files here.",
        unmatched: "No file has these letters.",
    };

    fn name<'e>(&self, file: &'e FileEntry) -> Cow<'e, str> {
        file.name.as_str().into()
    }

    fn size(&self, _: Option<usize>, area: Rect) -> (u16, u16) {
        (wide(area, 100), high(area))
    }

    fn row(&self, file: &FileEntry, _: bool, cells: &mut Cells) {
        cells.remark(&amount::size(file.size)).text(&file.name);
        if file.executable {
            cells.put("  program", cells.view.theme.success);
        }
    }

    fn count(&self, left: usize, all: usize) -> String {
        match all {
            0 => String::new(),
            FILE_LIMIT.. => format!("{left} of the nearest {FILE_LIMIT}"),
            _ => format!("{left} of {all}"),
        }
    }

    fn on_msg(list: &mut FilePicker, msg: &Msg, cx: &Cx) {
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
    use crate::kit::test::Stage;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use debugger::State;

    fn file(name: &str) -> FileEntry {
        FileEntry {
            path: PathBuf::from("/project").join(name),
            name: name.into(),
            executable: name == "run",
            size: 1_234,
        }
    }

    #[test]
    fn letters_narrow_the_files_and_enter_shows_the_best() {
        let mut stage = Stage::new(State::default());
        let root = PathBuf::from("/project");
        let mut picker = Picking::new(Files { root });
        assert!(
            stage
                .draw(&mut picker, 80, 24)
                .join("\n")
                .contains("looking around…")
        );
        let cx = stage.cx();
        let files = Msg::Files {
            root: "/project".into(),
            result: Ok(vec![file("src/shop.py"), file("src/main.py"), file("run")]),
        };
        picker.message(&files, &cx);
        for c in "main".chars() {
            picker.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &cx);
        }
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(
            screen.contains("src/main.py")
                && !screen.contains("shop.py")
                && screen.contains("1 of 3"),
            "{screen}"
        );
        picker.invoke("files.accept", &cx);
        let Some(Effect::ShowSource { source, .. }) = cx.pop() else {
            panic!("nothing shown")
        };
        assert_eq!(source.path.as_deref(), Some("/project/src/main.py"));
        drop(cx);
        stage.survives(&mut picker);
    }
}
