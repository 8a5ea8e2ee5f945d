//! The answers of a terminal.

/// What the terminal says its background is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    Dark,
    Light,
    /// A terminal that does not answer colour questions.
    Silent,
    /// A terminal, or a line, on which no answer to anything comes.
    Mute,
}

/// The side of a terminal that talks back.
pub(super) struct Emulator {
    pub(super) background: Background,
    pub(super) answers: Vec<u8>,
    /// How many answers were given.
    pub(super) answered: usize,
    pub(super) titles: Vec<String>,
    pub(super) clipboard: Vec<Vec<u8>>,
    /// A frame has begun and not ended (synchronised output, mode 2026): nobody sees the half of it.
    pub(super) is_drawing: bool,
}

impl vt100::Callbacks for Emulator {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.titles
            .push(String::from_utf8_lossy(title).into_owned());
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _kind: &[u8], data: &[u8]) {
        self.clipboard.push(data.to_owned());
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        let (foreground, background) = match self.background {
            Background::Dark => ("d4d4/d4d4/d4d4", "1e1e/1e1e/1e1e"),
            Background::Light => ("1e1e/1e1e/1e1e", "ffff/ffff/ffff"),
            Background::Silent | Background::Mute => return,
        };
        let colour = match params {
            [b"10", b"?"] => foreground,
            [b"11", b"?"] => background,
            _ => return,
        };
        self.answered += 1;
        let number = String::from_utf8_lossy(params[0]);
        self.answers
            .extend(format!("\x1b]{number};rgb:{colour}\x1b\\").bytes());
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let number = params.first().and_then(|p| p.first()).copied().unwrap_or(0);
        if let (Some(b'?'), None, 'h' | 'l', 2026) = (first, second, last, number) {
            self.is_drawing = last == 'h';
            return;
        }
        if self.background == Background::Mute {
            return;
        }
        let answer = match (first, second, last, number) {
            (None, None, 'c', 0) => "\x1b[?62;22c".to_owned(),
            (None, None, 'n', 5) => "\x1b[0n".to_owned(),
            (None, None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                format!("\x1b[{};{}R", row + 1, column + 1)
            }
            // Synchronised output: known, off.
            (Some(b'?'), Some(b'$'), 'p', 2026) => "\x1b[?2026;2$y".to_owned(),
            // Its name.
            (Some(b'>'), None, 'q', 0) => "\x1bP>|emulator(1)\x1b\\".to_owned(),
            // Keyboard flags: known, none set.
            (Some(b'?'), None, 'u', _) => "\x1b[?0u".to_owned(),
            _ => return,
        };
        self.answered += 1;
        self.answers.extend(answer.bytes());
    }
}
