//! Edits one breakpoint: condition, hit count, log message, what it records, mode, on or off. What of it an adapter
//! cannot do, but for the mode, the core does for it.

use super::modes::name_of;
use crate::debug_prelude::*;
use dap::types::BreakpointModeApplicability as Applies;
use debugger::{modes, record::Record};

const CONDITION: usize = 0;
const HITS: usize = 1;
const LOG: usize = 2;
const RECORD: usize = 3;
const MODE: usize = 4;
const ENABLED: usize = 5;
/// What stands for no mode.
const USUAL: &str = "default";

/// The editor.
#[derive(Debug)]
pub struct BreakpointEditor {
    spec: BreakpointSpec,
    /// The adapter's ids of the modes in the form, behind the usual one.
    modes: Vec<String>,
    form: Form,
}

/// Edits a breakpoint that is there.
pub fn open(breakpoint: &Breakpoint, cx: &Cx) {
    open_for(BreakpointSpec::of(breakpoint), cx);
}

/// Edits one that may not be there yet.
pub fn open_for(spec: BreakpointSpec, cx: &Cx) {
    let editor = BreakpointEditor::new(spec, &cx.view);
    cx.open(editor);
}

impl BreakpointEditor {
    fn new(spec: BreakpointSpec, view: &View) -> Self {
        // Without a session anything may be written: the adapter is not known yet.
        let can = view
            .session()
            .filter(|s| s.phase.is_live())
            .map(|s| &s.capabilities);
        let (mode, modes) = mode_row(&spec, can.map(AsRef::as_ref));
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
            mode,
            Item::choice(
                "enabled",
                ["no", "yes"],
                usize::from(spec.enabled),
                "A disabled one is kept and does nothing. Space switches.",
            ),
        ])
        // Ctrl-D deletes the breakpoint, also where editing would have a use for it.
        .leaving(&['d']);
        Self { spec, modes, form }
    }

    fn save(&mut self, cx: &Cx) {
        let mut spec = self.spec.clone();
        spec.condition = self.form.filled(CONDITION);
        spec.hit_condition = self.form.filled(HITS);
        spec.log_message = self.form.filled(LOG);
        let record = self.form.filled(RECORD);
        spec.record = record.as_deref().and_then(Record::written);
        if self.form.is_on(MODE) {
            let chosen = self.form.chosen(MODE).checked_sub(1);
            spec.mode = chosen.and_then(|at| self.modes.get(at)).cloned();
        }
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

/// The row of the modes that one can choose from, or why there is no choice; and their ids, without the usual one.
fn mode_row(spec: &BreakpointSpec, can: Option<&Capabilities>) -> (Item, Vec<String>) {
    let kind = modes::kind_of(&spec.site);
    let offered = match (can, &kind) {
        (Some(can), Some(kind)) => modes::offered(can, kind),
        _ => Vec::new(),
    };
    let why_not = match &kind {
        None => Some("The protocol knows no modes of breakpoints at functions."),
        Some(Applies::Data) => Some("The mode of data is chosen when it is set."),
        Some(_) if can.is_none() => Some("Modes are known once a session runs."),
        Some(_) if offered.is_empty() => Some("This adapter has no modes of such breakpoints."),
        Some(_) => None,
    };
    let explained: Vec<String> = offered
        .iter()
        .filter_map(|m| Some(format!("{}: {}", name_of(m), m.description.as_ref()?)))
        .collect();
    let mut ids: Vec<String> = offered.iter().map(|m| m.mode.clone()).collect();
    let mut labels: Vec<_> = std::iter::once(USUAL)
        .chain(offered.iter().map(name_of))
        .collect();
    let chosen = spec.mode.as_ref().map_or(0, |wished| {
        let meant = can
            .zip(kind.as_ref())
            .and_then(|(can, kind)| modes::meant(can, kind, wished).ok());
        let at = ids
            .iter()
            .position(|id| Some(id) == meant.as_ref().map(|m| &m.mode));
        at.unwrap_or_else(|| {
            // Another adapter's: it stays, unless one chooses otherwise.
            ids.push(wished.clone());
            labels.push(wished);
            ids.len() - 1
        }) + 1
    });
    let help = if explained.is_empty() {
        "How the adapter makes it stop. Space switches.".to_owned()
    } else {
        explained.join("; ")
    };
    let item = Item::choice("mode", labels, chosen, help);
    let item = item.off_if(why_not.is_some(), why_not.unwrap_or_default());
    (item, ids)
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
        let mut editor =
            BreakpointEditor::new(BreakpointSpec::line("/project/a.py", 3), &stage.view());
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
        let mut editor =
            BreakpointEditor::new(BreakpointSpec::line("/project/a.py", 3), &stage.view());
        stage.survives(&mut editor);
    }
}
