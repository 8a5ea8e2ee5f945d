//! Edits one breakpoint: condition, hit count, log message, on or off. Says which of them the adapter cannot do.

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::debugger::{Breakpoint, BreakpointSite, BreakpointSpec, Command};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::routes::debug::kit::{Form, Item, dialog, row};

const CONDITION: usize = 0;
const HITS: usize = 1;
const LOG: usize = 2;
const ENABLED: usize = 3;

/// The editor.
#[derive(Debug)]
pub struct BreakpointEditor {
    spec: BreakpointSpec,
    form: Form,
}

/// Edits a breakpoint that is there.
pub fn open(breakpoint: &Breakpoint, cx: &mut Cx<'_>) {
    open_for(BreakpointSpec::of(breakpoint), cx);
}

/// Edits one that may not be there yet.
pub fn open_for(spec: BreakpointSpec, cx: &mut Cx<'_>) {
    let editor = BreakpointEditor::new(spec, &cx.view);
    cx.emit(Effect::Open(Box::new(editor)));
}

impl BreakpointEditor {
    fn new(spec: BreakpointSpec, view: &View<'_>) -> Self {
        // Without a session anything may be written: the adapter is not known yet.
        let can = view
            .state
            .focused()
            .filter(|s| s.phase.is_live())
            .map(|s| &s.capabilities);
        let lacks =
            |has: fn(&crate::dap::types::Capabilities) -> bool| can.is_some_and(|c| !has(c));
        let function = !matches!(spec.site, BreakpointSite::Source { .. });
        let text = |t: &Option<String>| t.clone().unwrap_or_default();
        let form = Form::new(vec![
            Item::text(
                "condition",
                text(&spec.condition),
                "always",
                "Stops only when this expression is true.",
            )
            .off_if(
                lacks(|c| c.supports_conditional_breakpoints),
                "This adapter has no conditions on breakpoints.",
            ),
            Item::text(
                "hit count",
                text(&spec.hit_condition),
                "every time",
                "Stops on the n-th hit: a number, or what the adapter takes (>= 3, % 2).",
            )
            .off_if(
                lacks(|c| c.supports_hit_conditional_breakpoints),
                "This adapter does not count hits.",
            ),
            Item::text(
                "log message",
                text(&spec.log_message),
                "stop instead of printing",
                "Prints this and goes on; {expressions} are filled in.",
            )
            .off_if(function, "A function breakpoint cannot print.")
            .off_if(
                lacks(|c| c.supports_log_points),
                "This adapter has no log points.",
            ),
            Item::choice(
                "enabled",
                &["no", "yes"],
                usize::from(spec.enabled),
                "A disabled one is kept and does nothing. Space switches.",
            ),
        ]);
        Self { spec, form }
    }

    fn save(&mut self, cx: &mut Cx<'_>) {
        let mut spec = self.spec.clone();
        spec.condition = self.form.filled(CONDITION);
        spec.hit_condition = self.form.filled(HITS);
        spec.log_message = self.form.filled(LOG);
        spec.enabled = self.form.chosen(ENABLED) == 1;
        cx.emit(Effect::Close);
        cx.emit(Effect::core(Command::SetBreakpoint(spec)));
    }

    fn delete(&mut self, cx: &mut Cx<'_>) {
        cx.emit(Effect::Close);
        if let Some(id) = self.spec.id {
            cx.emit(Effect::core(Command::RemoveBreakpoint { id }));
        }
    }

    fn exists(&self, _: &View<'_>) -> Enabled {
        self.spec
            .id
            .map(|_| ())
            .ok_or("This breakpoint is not set yet.")
    }

    fn place(&self, view: &View<'_>) -> String {
        match &self.spec.site {
            BreakpointSite::Source { path, line, .. } => {
                let path = path.strip_prefix(view.project).unwrap_or(path);
                format!("{}:{line}", path.display())
            }
            site => site.to_string(),
        }
    }
}

impl Surface for BreakpointEditor {
    const TITLE: &'static str = "Breakpoint";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "breakpoint.save",
            "save",
            &["enter"],
            Show::Footer,
            always,
            Self::save,
        ),
        row(
            "breakpoint.next-field",
            "next field",
            &["tab"],
            Show::Footer,
            always,
            |s, _| s.form.step(1),
        ),
        row(
            "breakpoint.delete",
            "delete it",
            &["ctrl-d"],
            Show::Footer,
            Self::exists,
            Self::delete,
        ),
        row(
            "breakpoint.cancel",
            "cancel",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "breakpoint.previous-field",
            "previous field",
            &["shift-tab"],
            Show::HelpOnly,
            always,
            |s, _| s.form.step(-1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let place = self.place(view);
        let rows = self.form.len() as u16 + 1;
        let inner = dialog(
            frame.buffer_mut(),
            area,
            (76, rows),
            Self::TITLE,
            &place,
            view,
        );
        self.form.draw(frame.buffer_mut(), inner, view);
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        // Ctrl-D deletes the breakpoint, also where editing would have a use for it.
        let delete = key
            == KeyEvent::new(
                crossterm::event::KeyCode::Char('d'),
                crossterm::event::KeyModifiers::CONTROL,
            );
        let mine = !delete && self.form.key(key);
        if mine {
            cx.redraw();
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.form.paste(text);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let mine = event.kind == MouseEventKind::Down(MouseButton::Left)
            && self.form.click(event.column, event.row);
        if mine {
            cx.redraw();
        }
        mine
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dap::types::Capabilities;
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::{Stage, stopped_in_main};
    use crossterm::event::{KeyCode, KeyModifiers};
    use std::sync::Arc;

    fn type_text(editor: &mut BreakpointEditor, text: &str, cx: &mut Cx<'_>) {
        for c in text.chars() {
            editor.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
        }
    }

    #[test]
    fn what_is_typed_is_set_and_what_is_not_supported_is_said() {
        let mut known = stopped_in_main(1, Vec::new());
        known.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
            supports_conditional_breakpoints: true,
            ..Capabilities::default()
        });
        let stage = Stage::new(known);
        let mut editor =
            BreakpointEditor::new(BreakpointSpec::line("/project/a.py", 3), &stage.view());
        let mut cx = stage.cx();
        type_text(&mut editor, "n > 3", &mut cx);
        editor.invoke("breakpoint.next-field", &mut cx);
        type_text(&mut editor, "2", &mut cx);
        let screen = stage.draw(&mut editor, 80, 24).join("\n");
        assert!(
            screen.contains("a.py:3") && screen.contains("n > 3"),
            "{screen}"
        );
        assert!(screen.contains("not supported by this adapter"), "{screen}");
        assert!(
            screen.contains("This adapter does not count hits."),
            "{screen}"
        );
        editor.invoke("breakpoint.save", &mut cx);
        let Some(Effect::Core {
            command: Command::SetBreakpoint(spec),
            ..
        }) = cx.effects.pop()
        else {
            panic!("no command");
        };
        assert_eq!(
            (spec.condition.as_deref(), spec.hit_condition),
            (Some("n > 3"), None)
        );
        assert!(
            editor
                .invoke("breakpoint.delete", &mut cx)
                .unwrap()
                .is_err(),
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
