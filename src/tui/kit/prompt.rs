//! One line of text asked for, with a check before it is taken.

use super::{field::Field, room::popup, rows::table};
use crate::{
    action::prelude::*,
    widgets::{panel::Panel, popup::centred},
};

/// Whether a text can be taken; the sentence says why not.
pub type Check = Box<dyn Fn(&str) -> Result<(), String>>;
/// What a text means, a line each, said while it is written.
pub type Reading = Box<dyn Fn(&str) -> Vec<String>>;
/// What a text that was taken leads to.
pub type Then = Box<dyn FnOnce(String) -> Vec<Effect>>;

/// The question.
pub struct Question {
    title: String,
    hint: String,
    field: Field,
    place: Rect,
    check: Check,
    reading: Reading,
    then: Option<Then>,
    trouble: Option<String>,
}

impl Question {
    /// Asks; `hint` stands in the empty field.
    pub fn new(
        title: impl Into<String>,
        hint: impl Into<String>,
        then: impl FnOnce(String) -> Vec<Effect> + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            hint: hint.into(),
            field: Field::default(),
            place: Rect::default(),
            check: Box::new(|_| Ok(())),
            reading: Box::new(|_| Vec::new()),
            then: Some(Box::new(then)),
            trouble: None,
        }
    }

    /// With a text to begin with.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.field.set(text);
        self
    }

    /// With a text to begin with that the first letter typed replaces.
    #[must_use]
    pub fn proposing(mut self, text: impl Into<String>) -> Self {
        self.field = Field::proposing(text);
        self
    }

    /// With a check before a text is taken.
    #[must_use]
    pub fn check(mut self, check: impl Fn(&str) -> Result<(), String> + 'static) -> Self {
        self.check = Box::new(check);
        self
    }

    /// With what the text means said below it while it is written.
    #[must_use]
    pub fn reading(mut self, reading: impl Fn(&str) -> Vec<String> + 'static) -> Self {
        self.reading = Box::new(reading);
        self
    }

    fn accept(&mut self, cx: &Cx) {
        match (self.check)(self.field.text()) {
            Ok(()) => {
                // Closed first: what follows may open something else.
                cx.close();
                let text = self.field.text().to_owned();
                let then = self.then.take().map(|then| then(text));
                cx.extend(then.unwrap_or_default());
            }
            Err(sentence) => self.trouble = Some(sentence),
        }
        cx.redraw();
    }
}

/// A popup that asks for one line, with a sentence of help below it. The line begins with `initial`, which the first letter typed
/// replaces. When it is left empty, the popup asks for what is `missing`; without that, an empty line is an answer.
pub fn prompt(
    title: impl Into<String>,
    help: impl Into<String>,
    initial: impl Into<String>,
    missing: Option<&'static str>,
    then: impl FnOnce(&str) -> Vec<Effect> + 'static,
) -> Question {
    let help = help.into();
    let check = move |text: &str| match missing {
        Some(missing) if text.trim().is_empty() => Err(format!("Type {missing}, or press Esc.")),
        _ => Ok(()),
    };
    Question::new(title, "", move |text| then(text.trim()))
        .proposing(initial)
        .reading(move |_| vec![help.clone()])
        .check(check)
}

impl Surface for Question {
    table! { "Prompt";
        "prompt.accept" "accept" ["enter"], Footer => Self::accept;
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        match key.code {
            KeyCode::Esc => cx.close(),
            _ if self.field.key(key) => self.trouble = None,
            _ => return false,
        }
        cx.redraw();
        true
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        self.field.paste(text);
        self.trouble = None;
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let inside = self.place.contains((event.column, event.row).into());
        if inside && matches!(event.kind, MouseEventKind::Down(_)) {
            self.field.click(event.column - self.place.x);
            cx.redraw();
            return true;
        }
        false
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let look = canvas.look();
        let cells = area.width.saturating_sub(4).min(76);
        let inside = usize::from(cells.saturating_sub(4)).max(1);
        // What is wrong stands above what it means and what can be written, which is needed most then.
        let trouble = self.trouble.iter().map(|line| (line, look.theme.error));
        let reading = (self.reading)(self.field.text());
        let reading = reading
            .iter()
            .filter(|line| Some(*line) != self.trouble.as_ref())
            .map(|line| (line, look.theme.muted));
        let below: Vec<(&str, Style)> = trouble
            .chain(reading)
            .filter(|(line, _)| width(line) > 0)
            .flat_map(|(line, style)| {
                let parts = wrap(line, inside).into_iter();
                parts.filter_map(move |range| Some((line.get(range)?, style)))
            })
            .collect();
        let extra = below.len() as u16;
        let place = centred(area, cells, 3 + extra);
        let inner = popup(canvas, place, Panel::new(look, &self.title));
        let inner = inner.after(1).first(inner.width.saturating_sub(2));
        for (row, (line, style)) in (0..extra).zip(below) {
            canvas.text(inner.row(row + 1), line, style);
        }
        let line = inner.row(0);
        let mark = canvas.text(line, look.symbols.prompt, look.theme.accent);
        self.place = line.after(mark + 1);
        if let Some(at) = self.field.lay(canvas, self.place, &self.hint) {
            canvas.set_cursor(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::{kit::asks::needed, kit::test::Stage};
    use debugger::State;

    #[test]
    fn help_stays_when_something_is_wrong() {
        let stage = Stage::new(State::default());
        let mut question = Question::new("Which", "a number", |_| Vec::new())
            .check(|text| match text.parse::<u8>() {
                Ok(_) => Ok(()),
                Err(_) => Err(format!("{text:?} is no number.")),
            })
            .reading(|text| match text {
                "x" => vec![
                    "\"x\" is no number.".to_owned(),
                    "write 0 to 255".to_owned(),
                ],
                text => vec![format!("means {text}"), "write 0 to 255".to_owned()],
            });
        let press = |question: &mut Question, code| {
            let cx = stage.cx();
            question.on_text(KeyEvent::from(code), &cx);
        };
        press(&mut question, KeyCode::Char('x'));
        question.accept(&stage.cx());
        let screen = stage.draw(&mut question, 60, 9).join("\n");
        assert_eq!(screen.matches("is no number").count(), 1, "{screen}");
        assert!(screen.contains("write 0 to 255"), "{screen}");
        press(&mut question, KeyCode::Backspace);
        press(&mut question, KeyCode::Char('7'));
        let screen = stage.draw(&mut question, 60, 9).join("\n");
        assert!(
            screen.contains("means 7") && screen.contains("write 0 to 255"),
            "{screen}"
        );
        assert!(!screen.contains("is no number"), "{screen}");
    }

    #[test]
    fn an_empty_answer_keeps_the_question_and_says_why() {
        let stage = Stage::new(State::default());
        let mut question = Question::new("Go to line", "", |_| vec![Effect::Repaint])
            .proposing("1")
            .check(needed("Type a line number, or press Esc."));
        let cx = stage.cx();
        question.on_text(KeyCode::Backspace.into(), &cx);
        question.accept(&cx);
        assert!(cx.effects.borrow().is_empty());
        let screen = stage.draw(&mut question, 80, 24).join("\n");
        assert!(
            screen.contains("Type a line number, or press Esc."),
            "{screen}"
        );
        question.on_paste("42", &cx);
        question.accept(&cx);
        assert!(matches!(
            cx.effects.borrow().as_slice(),
            [Effect::Close, Effect::Repaint]
        ));
    }

    #[test]
    fn it_draws_at_every_size() {
        let mut question = Question::new("Which", "a number", |_| Vec::new());
        Stage::new(State::default()).survives(&mut question);
    }
}
