//! Edits one breakpoint: condition, hit count, log message, what it records, on or off. What of it an adapter cannot do the core does
//! for it.

use crate::debug_prelude::*;
use debugger::record::Record;

const CONDITION: usize = 0;
const HITS: usize = 1;
const LOG: usize = 2;
const RECORD: usize = 3;
const ENABLED: usize = 4;

/// The editor.
#[derive(Debug)]
pub struct BreakpointEditor {
    spec: BreakpointSpec,
    form: Form,
}

/// Edits a breakpoint that is there.
pub fn open(breakpoint: &Breakpoint, cx: &Cx) {
    open_for(BreakpointSpec::of(breakpoint), cx);
}

/// Edits one that may not be there yet.
pub fn open_for(spec: BreakpointSpec, cx: &Cx) {
    cx.open(BreakpointEditor::new(spec));
}

impl BreakpointEditor {
    fn new(spec: BreakpointSpec) -> Self {
        let text = |t: &Option<String>| t.clone().unwrap_or_default();
        let form = Form::new(vec![
            Item::text(
                "condition",
                text(&spec.condition),
                "always",
                "Stops only when this expression is true.",
            ),
            Item::text(
                "hit count",
                text(&spec.hit_condition),
                "every time",
                "Stops on the n-th hit: a number, or >= 3, % 2.",
            ),
            Item::text(
                "log message",
                text(&spec.log_message),
                "stop instead of printing",
                "Prints this and goes on; {expressions} are filled in.",
            ),
            Item::text(
                "record",
                spec.record.as_ref().map(ToString::to_string).unwrap_or_default(),
                "stop instead of recording",
                "Records these (a, b.c) with stack and time, and goes on; 20/s before them: at most 20 a second.",
            ),
            Item::choice(
                "enabled",
                ["no", "yes"],
                usize::from(spec.enabled),
                "A disabled one is kept and does nothing. Space switches.",
            ),
        ])
        // Ctrl-D deletes the breakpoint, also where editing would have a use for it.
        .leaving(&['d']);
        Self { spec, form }
    }

    fn save(&mut self, cx: &Cx) {
        let mut spec = self.spec.clone();
        spec.condition = self.form.filled(CONDITION);
        spec.hit_condition = self.form.filled(HITS);
        spec.log_message = self.form.filled(LOG);
        let record = self.form.filled(RECORD);
        spec.record = record.as_deref().and_then(Record::written);
        spec.enabled = self.form.chosen(ENABLED) == 1;
        cx.close();
        cx.core(Command::SetBreakpoint(spec));
    }

    fn delete(&mut self, cx: &Cx) {
        cx.close();
        if let Some(id) = self.spec.id {
            cx.core(Command::RemoveBreakpoint { id });
        }
    }

    fn place(&self, view: &View) -> String {
        match &self.spec.site {
            BreakpointSite::Source { path, line, .. } => {
                format!("{}:{line}", relative(path, view))
            }
            site => site.to_string(),
        }
    }
}

gates! { BreakpointEditor, s, _;
    exists: s.spec.id, "This breakpoint is not set yet.";
}

impl Surface for BreakpointEditor {
    table! { "Breakpoint", s, cx;
        "breakpoint.save"           "save"           ["enter"], Footer  => Self::save;
        "breakpoint.next-field"     "next field"     ["tab"], Footer    => s.form.step(1);
        "breakpoint.delete"         "delete it"      ["ctrl-d"], Footer if exists => Self::delete;
        "breakpoint.cancel"         "cancel"         ["esc"], Footer    => cx.close();
        "breakpoint.previous-field" "previous field" ["shift-tab"]      => s.form.step(-1);
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let place = self.place(canvas);
        let size = (76, self.form.height());
        let inner = dialog(canvas, area, size, Self::TITLE, &place);
        self.form.draw(canvas, inner);
    }

    input_of!(form);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use {KeyCode, KeyModifiers};

    fn type_text(editor: &mut BreakpointEditor, text: &str, cx: &Cx) {
        for c in text.chars() {
            editor.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
        }
    }

    #[test]
    fn what_is_typed_is_set_whatever_the_adapter_lacks() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut editor = BreakpointEditor::new(BreakpointSpec::line("/project/a.py", 3));
        let cx = stage.cx();
        type_text(&mut editor, "n > 3", &cx);
        editor.invoke("breakpoint.next-field", &cx);
        type_text(&mut editor, "2", &cx);
        let screen = stage.draw(&mut editor, 80, 24).join("\n");
        assert!(
            screen.contains("a.py:3") && screen.contains("n > 3"),
            "{screen}"
        );
        // What the adapter lacks is done for it.
        assert!(!screen.contains("not supported"), "{screen}");
        editor.invoke("breakpoint.save", &cx);
        let Some(Effect::Core {
            command: Command::SetBreakpoint(spec),
            ..
        }) = cx.pop()
        else {
            panic!("no command");
        };
        assert_eq!(
            (spec.condition.as_deref(), spec.hit_condition.as_deref()),
            (Some("n > 3"), Some("2"))
        );
        assert!(
            editor.invoke("breakpoint.delete", &cx).unwrap().is_err(),
            "not set yet"
        );
    }

    #[test]
    fn it_draws_at_every_size() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut editor = BreakpointEditor::new(BreakpointSpec::line("/project/a.py", 3));
        stage.survives(&mut editor);
    }
}
