//! Values that a debug configuration asks for before it starts: typed, hidden while typed, or chosen.

use debugger::configurations::{ConfigurationQuery, Input, InputKind};

use crate::debug_prelude::*;

/// Cells of content.
const WIDE: u16 = 72;

/// The form.
#[derive(Debug)]
pub struct ConfigurationValues {
    asked: ConfigurationQuery,
    inputs: Vec<Input>,
    form: Form,
    /// Goes on with them.
    prepare: fn(ConfigurationQuery) -> Effect,
}

impl ConfigurationValues {
    /// Asks for `inputs` of what was `asked` to be started, and prepares that then.
    pub fn new(
        asked: ConfigurationQuery,
        inputs: &[Input],
        prepare: fn(ConfigurationQuery) -> Effect,
    ) -> Self {
        let items = inputs.iter().map(|input| {
            let label = clean(&input.id);
            let help = clean(&input.description);
            let first = input.default.as_deref().unwrap_or_default();
            match &input.kind {
                InputKind::Text { password } => {
                    let item = Item::text(label, first, "", help);
                    if *password { item.secret() } else { item }
                }
                InputKind::Pick(options) => {
                    let labels = options.iter().map(|(label, _)| label.as_str());
                    let chosen = options.iter().position(|(_, value)| value == first);
                    Item::choice(label, labels, chosen.unwrap_or(0), help)
                }
            }
        });
        Self {
            form: Form::new(items.collect()),
            inputs: inputs.to_vec(),
            asked,
            prepare,
        }
    }

    fn start(&mut self, cx: &Cx) {
        let mut asked = self.asked.clone();
        for (at, input) in self.inputs.iter().enumerate() {
            let value = match &input.kind {
                InputKind::Text { .. } => Some(self.form.text(at).to_owned()),
                InputKind::Pick(options) => options
                    .get(self.form.chosen(at))
                    .map(|(_, value)| value.clone()),
            };
            asked
                .inputs
                .extend(value.map(|value| (input.id.clone(), value)));
        }
        cx.close();
        cx.emit((self.prepare)(asked));
    }
}

impl Surface for ConfigurationValues {
    table! { "Values of a configuration", s, cx;
        "values.start"    "start"          ["enter"], Footer => Self::start;
        "values.next"     "next value"     ["tab"], Footer   => s.form.step(1);
        "values.previous" "previous value" ["shift-tab"]     => s.form.step(-1);
        "values.cancel"   "cancel"         ["esc"], Footer   => cx.close();
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let title = self.asked.name.as_deref().unwrap_or(Self::TITLE);
        let inner = dialog(canvas, area, (WIDE, self.form.height()), title, "");
        self.form.draw(canvas, inner);
    }

    input_of!(form);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::kit::test::Stage;
    use crossterm::event::{KeyCode, KeyModifiers};
    use debugger::State;

    fn form() -> ConfigurationValues {
        let input = |id: &str, kind| Input {
            id: id.to_owned(),
            description: format!("What {id} is"),
            default: None,
            kind,
        };
        let pair = |text: &str| (format!("the {text}"), text.to_owned());
        ConfigurationValues::new(
            ConfigurationQuery {
                name: Some("server".to_owned()),
                ..ConfigurationQuery::default()
            },
            &[
                input("key", InputKind::Text { password: true }),
                input("mode", InputKind::Pick(vec![pair("fast"), pair("slow")])),
            ],
            |_| Effect::work("a", |_| ()),
        )
    }

    #[test]
    fn a_password_is_not_shown_and_what_is_chosen_is() {
        let stage = Stage::new(State::default());
        let mut form = form();
        let cx = stage.cx();
        let press = |form: &mut ConfigurationValues, code| {
            form.text(KeyEvent::new(code, KeyModifiers::NONE), &cx)
        };
        for c in "s3cret".chars() {
            assert!(press(&mut form, KeyCode::Char(c)));
        }
        press(&mut form, KeyCode::Down);
        press(&mut form, KeyCode::Right);
        let screen = stage.draw(&mut form, 80, 24).join("\n");
        assert!(
            !screen.contains("s3cret") && screen.contains("******"),
            "{screen}"
        );
        assert!(
            screen.contains("the slow") && screen.contains("What mode is"),
            "{screen}"
        );
        let cx = stage.cx();
        form.invoke("values.start", &cx);
        assert!(matches!(
            cx.effects.borrow().as_slice(),
            [Effect::Close, Effect::Work(_)]
        ));
    }

    #[test]
    fn it_draws_at_every_size() {
        Stage::new(State::default()).survives(&mut form());
    }
}
