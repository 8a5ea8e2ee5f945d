//! All that was said: nothing is lost when the next message takes the line.

use debugger::Severity;

use crate::{prelude::*, theme::Look};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// The sentence; safe to draw.
    pub text: String,
    /// What to do about it; safe to draw.
    pub hint: Option<String>,
    /// Local time of day, `14:03:59`.
    pub time: String,
    /// How often it was said in a row.
    pub times: u32,
}

impl Notice {
    /// All of it: what was said, and what to do.
    fn whole(&self) -> String {
        let hint = self.hint.as_deref().map(|h| format!("  {h}"));
        format!("{}{}", self.text, hint.unwrap_or_default())
    }

    /// How often, if more than once; to be put behind the text.
    pub fn repeated(&self) -> String {
        match self.times {
            1 => String::new(),
            n => format!(" ({n} times)"),
        }
    }
}

/// The message history, newest first.
#[derive(Debug, Default)]
pub struct Messages {
    notices: Vec<Arc<Notice>>,
    list: ListState,
}

impl Messages {
    /// Shows `notices`, oldest first as they come.
    pub fn new(mut notices: Vec<Arc<Notice>>) -> Self {
        notices.reverse();
        let mut list = ListState::default();
        list.home(notices.len());
        Self { notices, list }
    }

    fn chosen(&self) -> Option<&Notice> {
        self.notices.get(self.list.selected()?).map(Arc::as_ref)
    }
}

/// The glyph and the look of what is said with that weight.
pub fn severity_look(severity: Severity, look: Look<'_>) -> (&'static str, Style) {
    match severity {
        Severity::Info => (look.symbols.separator, look.theme.info),
        Severity::Warning => (look.symbols.warning, look.theme.warning),
        Severity::Error => (look.symbols.error, look.theme.error),
    }
}

impl Scrolls for Messages {
    moves!(list, notices.len());
}

impl Surface for Messages {
    table! { "Messages", s, cx;
        "messages.copy" "copy" ["y"], Footer if |s, _| s.chosen().or_why("no message is selected") => {
            if let Some(notice) = s.chosen() {
                cx.copy(notice.whole(), "message");
            }
        };
        lines "messages" "up" "down";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let count = match self.notices.len() {
            0 => String::new(),
            1 => "1 message".to_owned(),
            n => format!("{n} messages, newest first"),
        };
        let inner = super::page(canvas, area, Self::TITLE, &count);
        let look = canvas.look();
        // The selected one in full below the list: lines are cut, sentences must not be.
        let full = self.chosen().map(Notice::whole);
        let detail = full.as_ref().map_or(0, |text| {
            wrap(text, usize::from(inner.width))
                .len()
                .min(usize::from(inner.height / 2)) as u16
        });
        let gap = u16::from(detail > 0 && inner.height > detail + 2);
        let rows = Rect {
            height: inner.height.saturating_sub(detail + gap),
            ..inner
        };
        let notices = &self.notices;
        List::new(look, notices.len())
            .empty("Nothing was said yet.")
            .rows(canvas, rows, &mut self.list, |row| {
                notices.get(row.index).map_or_else(Line::default, |notice| {
                    let (mark, style) = severity_look(notice.severity, look);
                    Line::from(vec![
                        Span::styled(notice.time.clone(), look.theme.muted),
                        Span::styled(format!(" {mark} "), style),
                        Span::styled(
                            notice.text.clone(),
                            if notice.severity == Severity::Info {
                                look.theme.text
                            } else {
                                style
                            },
                        ),
                        Span::styled(notice.repeated(), look.theme.muted),
                    ])
                })
            });
        if let Some(text) = full {
            let top = rows.height + gap;
            for (row, range) in (0..detail).zip(wrap(&text, usize::from(inner.width))) {
                let line = text.get(range).unwrap_or_default();
                canvas.text(inner.row(top + row), line, look.theme.text);
            }
        }
    }

    rolls!();
}
