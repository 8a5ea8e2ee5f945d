//! What was said to the person: the last message, until a key is pressed, and all earlier ones.
//!
//! Drawing the line is [`super::chrome`]'s, the list of old ones an overlay's.

use debugger::Severity;

use crate::{overlays::messages::Notice, prelude::*};

/// The message shown, and the history.
#[derive(Debug, Default)]
pub struct Status {
    shown: bool,
    history: VecDeque<Arc<Notice>>,
}

impl Status {
    /// Messages remembered.
    pub const KEPT: usize = 500;

    /// Says something. The same again only counts.
    pub fn say(&mut self, severity: Severity, text: &str, hint: Option<&str>) {
        let text = sanitise(text).into_owned();
        let hint = hint.map(|h| sanitise(h).into_owned());
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.shown = true;
        if let Some(last) = self.history.back_mut()
            && last.severity == severity
            && last.text == text
            && last.hint == hint
        {
            let last = Arc::make_mut(last);
            last.times = last.times.saturating_add(1);
            last.time = time;
            return;
        }
        if self.history.len() == Self::KEPT {
            self.history.pop_front();
        }
        self.history.push_back(Arc::new(Notice {
            severity,
            text,
            hint,
            time,
            times: 1,
        }));
    }

    /// A key was pressed: the message was seen. Whether that changes the screen.
    pub fn fade(&mut self) -> bool {
        mem::take(&mut self.shown)
    }

    /// The message to show now.
    pub fn shown(&self) -> Option<&Notice> {
        self.history.back().filter(|_| self.shown).map(Arc::as_ref)
    }

    /// All messages, oldest first.
    pub fn history(&self) -> Vec<Arc<Notice>> {
        self.history.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fades_with_the_next_key_and_stays_in_the_history() {
        let mut status = Status::default();
        assert!(!status.fade());
        status.say(Severity::Warning, "odd \u{1b}[2J thing", Some("do this"));
        let shown = status.shown().unwrap();
        assert!(!shown.text.contains('\u{1b}'), "{shown:?}");
        assert!(status.fade());
        assert_eq!(status.shown(), None);
        assert_eq!(status.history().len(), 1);
    }

    #[test]
    fn repetition_counts_and_the_history_is_bounded() {
        let mut status = Status::default();
        for _ in 0..3 {
            status.say(Severity::Info, "again", None);
        }
        assert_eq!(status.history()[0].times, 3);
        for n in 0..Status::KEPT {
            status.say(Severity::Info, &n.to_string(), None);
        }
        let history = status.history();
        assert_eq!(history.len(), Status::KEPT);
        assert_eq!(history[0].text, "0");
    }
}
