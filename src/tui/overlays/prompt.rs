//! One line of text asked for, with a check before it is taken.

use base::text::width::{width, wrap};
use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::{Frame, layout::Rect, style::Style};

use crate::{
    action::{Action, Cx, Surface, View},
    app::effect::Effect,
    widgets::{
        input::{Answer, Prompt},
        paint,
        panel::Panel,
        popup,
    },
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
    prompt: Prompt,
    field: Rect,
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
            prompt: Prompt::default(),
            field: Rect::default(),
            check: Box::new(|_| Ok(())),
            reading: Box::new(|_| Vec::new()),
            then: Some(Box::new(then)),
            trouble: None,
        }
    }

    /// With a text to begin with.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.prompt.set_text(text);
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
}

impl Surface for Question {
    const TITLE: &'static str = "Prompt";
    const ACTIONS: &'static [Action<Self>] = &[];

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        match self.prompt.key(key) {
            Answer::Ignored | Answer::Complete => return false,
            Answer::Moved => {}
            Answer::Changed => self.trouble = None,
            Answer::Cancelled => cx.close(),
            Answer::Submitted(text) => match (self.check)(&text) {
                Ok(()) => {
                    cx.close();
                    for effect in self.then.take().map(|then| then(text)).unwrap_or_default() {
                        cx.emit(effect);
                    }
                }
                Err(sentence) => {
                    // The prompt forgets what it gives away.
                    self.prompt.set_text(text);
                    self.trouble = Some(sentence);
                }
            },
        }
        cx.redraw();
        true
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.prompt.paste(text);
        self.trouble = None;
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let inside = self.field.contains((event.column, event.row).into());
        if inside && matches!(event.kind, MouseEventKind::Down(_)) {
            self.prompt.click(event.column - self.field.x);
            cx.redraw();
            return true;
        }
        false
    }

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let look = view.look();
        let cells = area.width.saturating_sub(4).min(76);
        let inside = usize::from(cells.saturating_sub(4)).max(1);
        // What is wrong stands above what it means and what can be written, which is needed most then.
        let trouble = self.trouble.iter().map(|line| (line, look.theme.error));
        let reading = (self.reading)(self.prompt.text());
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
        let place = popup::centred(area, cells, 3 + extra);
        let inner = popup::draw(
            frame.buffer_mut(),
            place,
            Panel::new(look, &self.title),
            look,
        );
        let inner = paint::first(paint::from(inner, 1), inner.width.saturating_sub(2));
        for (row, (line, style)) in (0..extra).zip(below) {
            paint::text(frame.buffer_mut(), paint::row(inner, row + 1), line, style);
        }
        let mark = width(look.symbols.prompt) as u16 + 1;
        self.field = paint::from(paint::row(inner, 0), mark);
        super::draw_prompt(frame, inner, &mut self.prompt, &self.hint, look);
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::routes::debug::kit::test::Stage;
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
            let mut cx = stage.cx();
            question.on_text(KeyEvent::from(code), &mut cx);
        };
        press(&mut question, KeyCode::Char('x'));
        press(&mut question, KeyCode::Enter);
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
}
