//! Which debug configuration of the project to start.

use debugger::configurations::{ConfigurationQuery, Listed};

use crate::{
    debug_prelude::*,
    kit::picking::{Picking, Source, Words, fitting, selected, wide},
};

/// The configurations of the project, beside the file at hand and its line: some are named after them.
#[derive(Debug)]
pub struct OfProject {
    file: Option<PathBuf>,
    line: Option<i64>,
    /// Starts one.
    prepare: fn(ConfigurationQuery) -> Effect,
}

/// The picker.
pub type Configurations = Picking<OfProject>;

/// The picker beside a file and its line; what is picked is prepared to be started.
pub fn beside(
    at: Option<(PathBuf, i64)>,
    prepare: fn(ConfigurationQuery) -> Effect,
) -> Configurations {
    let (file, line) = at.unzip();
    Picking::new(OfProject {
        file,
        line,
        prepare,
    })
}

impl Configurations {
    /// These are there, or why that is not known.
    pub fn listed(&mut self, listing: Result<Vec<Listed>, DebuggerError>) {
        match listing {
            Ok(listed) => self.show(listed),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn start(&mut self, cx: &Cx) {
        let Some(name) = self.selected().map(|one| one.name.clone()) else {
            return;
        };
        cx.close();
        let asked = ConfigurationQuery {
            name: Some(name),
            file: self.source.file.clone(),
            line: self.source.line,
            ..ConfigurationQuery::default()
        };
        cx.emit((self.source.prepare)(asked));
    }

    fn edit(&mut self, cx: &Cx) {
        let Some(one) = self.selected() else { return };
        let (path, line) = (one.file.clone(), one.line as i64);
        cx.close();
        cx.emit(Effect::Edit { path, line });
    }
}

impl Source for OfProject {
    type Entry = Listed;

    table! { Configurations: "Debug configurations";
        "configurations.start" "start" ["enter"], Footer  if selected => Configurations::start;
        "configurations.edit"  "edit"  ["ctrl-e"], Footer if selected => Configurations::edit;
        pick "configurations" "cancel" "cancel";
    }

    const WORDS: Words = Words {
        hint: "a few letters of its name",
        asking: "looking around…",
        nothing: "There is no .vscode/launch.json here.",
        unmatched: "No configuration has these letters.",
    };

    fn name<'e>(&self, one: &'e Listed) -> Cow<'e, str> {
        one.name.as_str().into()
    }

    fn size(&self, entries: Option<usize>, area: Rect) -> (u16, u16) {
        (wide(area, 100), fitting(entries.unwrap_or(0), 6, area))
    }

    fn row(&self, one: &Listed, _: bool, cells: &mut Cells) {
        cells.remark(&one.what).text(&one.name);
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::action::Layer;
    use crate::kit::test::Stage;
    use debugger::State;

    #[test]
    fn letters_narrow_the_list_and_enter_prepares_the_start() {
        let mut stage = Stage::new(State::default());
        let mut picker = beside(None, |_| Effect::work("a", |_| ()));
        let listed = |name: &str, what: &str| Listed {
            name: name.to_owned(),
            what: what.to_owned(),
            file: "/project/.vscode/launch.json".into(),
            line: 3,
        };
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(screen.contains("looking around"), "{screen}");
        picker.show(vec![
            listed("Go: tests", "launch go"),
            listed("web", "launch node"),
        ]);
        let cx = stage.cx();
        let key = KeyEvent::new(KeyCode::Char('w'), KeyModifiers::NONE);
        assert!(picker.text(key, &cx));
        let screen = stage.draw(&mut picker, 80, 24).join("\n");
        assert!(
            screen.contains("launch node") && screen.contains("1 of 2"),
            "{screen}"
        );
        assert!(!screen.contains("Go: tests"), "{screen}");
        picker.invoke("configurations.start", &cx);
        assert!(matches!(
            cx.effects.borrow().as_slice(),
            [Effect::Close, Effect::Work(_)]
        ));
        drop(cx);
        stage.survives(&mut picker);
    }
}
