//! Asks for one line. What becomes of the answer is the asker's: a function from the text to effects. Where something has to be
//! typed, the question stays until it is.

use crate::routes::debug::kit::prelude::*;

/// What becomes of the answer.
type Then = Box<dyn Fn(&str) -> Vec<Effect>>;

/// A question for one line.
pub struct Prompt {
    title: String,
    hint: String,
    field: Field,
    /// What is missing where nothing is typed; none where nothing is an answer, too.
    missing: Option<&'static str>,
    trouble: Option<String>,
    then: Then,
}

impl Prompt {
    /// A question with a title, a sentence of help, a text to begin with, which the first letter typed replaces, and what is
    /// missing where nothing is typed.
    pub fn new(
        title: impl Into<String>,
        hint: impl Into<String>,
        initial: impl Into<String>,
        missing: Option<&'static str>,
        then: impl Fn(&str) -> Vec<Effect> + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            hint: hint.into(),
            field: Field::proposing(initial),
            missing,
            trouble: None,
            then: Box::new(then),
        }
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        cx.redraw();
        let text = self.field.text().trim();
        if let Some(missing) = self.missing.filter(|_| text.is_empty()) {
            self.trouble = Some(format!("Type {missing}, or press Esc."));
            return;
        }
        // Closed first: what follows may open something else.
        cx.close();
        cx.effects.extend((self.then)(text));
    }
}

impl Surface for Prompt {
    const TITLE: &'static str = "Question";
    const ACTIONS: &'static [Action<Self>] = rows! {
        "prompt.accept" "accept" ["enter"], Footer => Self::accept;
        "prompt.cancel" "cancel" ["esc"], Footer   => |_, cx| cx.close();
    };

    fn fill(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let note = self.trouble.as_deref().unwrap_or(&self.hint);
        let wish = width(note).max(width(&self.title) + 4).clamp(40, 100);
        let inner = dialog(buf, area, (wish as u16, 2), &self.title, "", view);
        let line = paint::row(inner, 0);
        let used = paint::text(buf, line, view.symbols.prompt, view.theme.accent);
        let line = paint::from(line, used + 1);
        self.field.draw(buf, line, true, "", view);
        let style = if self.trouble.is_some() {
            view.theme.error
        } else {
            view.theme.muted
        };
        cut_line(buf, paint::row(inner, 1), note, style, view);
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let mine = self.field.key(key);
        if mine {
            self.trouble = None;
            cx.redraw();
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.field.paste(text);
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::Stage;
    use debugger::State;

    fn prompt() -> Prompt {
        let then = |_: &str| vec![Effect::Repaint];
        Prompt::new(
            "Go to line",
            "A line number.",
            "",
            Some("a line number"),
            then,
        )
    }

    #[test]
    fn an_empty_answer_keeps_the_question_and_says_why() {
        let stage = Stage::new(State::default());
        let mut prompt = prompt();
        let mut cx = stage.cx();
        prompt.invoke("prompt.accept", &mut cx);
        assert!(cx.effects.is_empty());
        let screen = stage.draw(&mut prompt, 80, 24).join("\n");
        assert!(
            screen.contains("Type a line number, or press Esc."),
            "{screen}"
        );
        prompt.field.set("42");
        prompt.invoke("prompt.accept", &mut cx);
        assert!(matches!(
            cx.effects.as_slice(),
            [Effect::Close, Effect::Repaint]
        ));
    }

    #[test]
    fn it_draws_at_every_size() {
        Stage::new(State::default()).survives(&mut prompt());
    }
}
