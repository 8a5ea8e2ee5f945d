use super::*;
use crate::theme::{Symbols, Theme};

fn press(prompt: &mut Prompt, code: KeyCode) -> Answer {
    prompt.key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn type_in(prompt: &mut Prompt, text: &str) {
    for letter in text.chars() {
        assert_eq!(press(prompt, KeyCode::Char(letter)), Answer::Changed);
    }
}

#[test]
fn typing_editing_and_submitting() {
    let mut prompt = Prompt::default();
    type_in(&mut prompt, "ab👩\u{200d}💻");
    assert_eq!(press(&mut prompt, KeyCode::Backspace), Answer::Changed);
    assert_eq!(prompt.text(), "ab", "one grapheme is one step");
    assert_eq!(press(&mut prompt, KeyCode::Left), Answer::Moved);
    type_in(&mut prompt, "x");
    assert_eq!(
        press(&mut prompt, KeyCode::Enter),
        Answer::Submitted("axb".into())
    );
    assert_eq!(prompt.text(), "");
    assert_eq!(press(&mut prompt, KeyCode::Backspace), Answer::Moved);
    assert_eq!(press(&mut prompt, KeyCode::F(5)), Answer::Ignored);
    assert_eq!(press(&mut prompt, KeyCode::Esc), Answer::Cancelled);
}

#[test]
fn history_gives_the_draft_back() {
    let mut prompt = Prompt::default().with_history(vec!["one".into(), "two".into()]);
    type_in(&mut prompt, "dr");
    let mut seen = Vec::new();
    for code in [
        KeyCode::Up,
        KeyCode::Up,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Down,
        KeyCode::Down,
    ] {
        press(&mut prompt, code);
        seen.push(prompt.text().to_owned());
    }
    assert_eq!(seen, ["two", "one", "one", "two", "dr", "dr"]);
    for text in ["two", "two", " "] {
        prompt.set_text(text);
        press(&mut prompt, KeyCode::Enter);
    }
    assert_eq!(prompt.history(), ["one", "two"], "no repetition, no blanks");
}

#[test]
fn a_paste_is_text() {
    let mut prompt = Prompt::new("[]");
    press(&mut prompt, KeyCode::Left);
    assert_eq!(prompt.paste("a\r\nb\rq"), Answer::Changed);
    assert_eq!(prompt.text(), "[a\nb\nq]");
    assert_eq!(prompt.cursor(), 6);
}

#[test]
fn completions_replace_the_word() {
    let completion = |text: &str, replaces| Completion {
        text: text.into(),
        label: text.into(),
        detail: String::new(),
        replaces,
    };
    let mut prompt = Prompt::new("self.na + 1");
    for _ in 0..4 {
        press(&mut prompt, KeyCode::Left);
    }
    assert_eq!(press(&mut prompt, KeyCode::Tab), Answer::Complete);
    prompt.complete(vec![completion("name", None), completion("native", None)]);
    press(&mut prompt, KeyCode::Tab);
    press(&mut prompt, KeyCode::Enter);
    assert_eq!(prompt.text(), "self.native + 1");
    prompt.complete(vec![completion("other", Some((0, 4)))]);
    assert_eq!(
        prompt.text(),
        "other.native + 1",
        "a single one goes in at once"
    );
    prompt.complete(vec![completion("x", Some((90, 90))), completion("y", None)]);
    press(&mut prompt, KeyCode::Char('!'));
    assert!(!prompt.is_completing());
}

fn shown(buffer: &Buffer) -> String {
    buffer
        .content
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect()
}

#[test]
fn a_long_text_scrolls_with_the_cursor() {
    let (theme, symbols) = (Theme::mono(), Symbols::ASCII);
    let look = Look {
        theme: &theme,
        symbols: &symbols,
    };
    let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
    let mut prompt = Prompt::new("0123456789");
    let cursor = prompt.draw(&mut buffer, Rect::new(0, 0, 8, 1), "> ", "", look);
    assert_eq!(cursor, Some(Position::new(7, 0)));
    assert_eq!(shown(&buffer), "> 56789 ");
    press(&mut prompt, KeyCode::Home);
    buffer.reset();
    assert_eq!(
        prompt.draw(&mut buffer, Rect::new(0, 0, 8, 1), "> ", "", look),
        Some(Position::new(2, 0))
    );
    assert_eq!(shown(&buffer), "> 012345");
    prompt.click(3);
    assert_eq!(prompt.cursor(), 3);
}

#[test]
fn control_r_goes_back_to_what_contains_the_text() {
    let search = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL);
    let mut prompt = Prompt::new("tot");
    assert_eq!(prompt.key(search), Answer::Ignored, "without a history");
    let history = ["total", "len(x)", "total + 1", "x"].map(str::to_owned);
    let mut prompt = Prompt::new("tot").with_history(history.into());
    let mut seen = Vec::new();
    for _ in 0..3 {
        prompt.key(search);
        seen.push(prompt.text().to_owned());
    }
    assert_eq!(seen, ["total + 1", "total", "total"]);
    for _ in 0..4 {
        press(&mut prompt, KeyCode::Down);
    }
    assert_eq!(prompt.text(), "tot");
    // What terminals, and shells as well, mean by it stays; the rest is no command of ours.
    let is_text = |c, modifiers| is_for_text(KeyEvent::new(KeyCode::Char(c), modifiers));
    assert!(is_text('t', KeyModifiers::CONTROL) && is_text('r', KeyModifiers::ALT));
    assert!(!is_text('c', KeyModifiers::CONTROL) && !is_text('t', KeyModifiers::NONE));
}
