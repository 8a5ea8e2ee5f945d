//! All that was said: nothing is lost when the next message takes the line.

use std::sync::Arc;

use base::text::width::wrap;
use crossterm::event::{MouseEvent, MouseEventKind};
use debugger::Severity;
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    action::{Action, Cx, Show, Surface, View, always},
    app::{
        chrome::{severity_mark, severity_style},
        effect::Effect,
        status::Notice,
    },
    widgets::{
        list::{List, ListState},
        paint,
    },
};

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

    fn moved(&mut self, rows: isize) {
        self.list.move_by(rows, self.notices.len());
    }
}

impl Surface for Messages {
    const TITLE: &'static str = "Messages";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "messages.copy",
            title: "copy",
            keys: &["y"],
            show: Show::Footer,
            enabled: |s, _| s.chosen().map(|_| ()).ok_or("no message is selected"),
            run: |s, cx| {
                if let Some(notice) = s.chosen() {
                    let hint = notice.hint.as_deref().map(|h| format!(" ({h})"));
                    cx.emit(Effect::Copy {
                        text: format!("{}{}", notice.text, hint.unwrap_or_default()),
                        what: "message".to_owned(),
                    });
                }
            },
        },
        Action {
            id: "messages.down",
            title: "down",
            keys: &["down", "j"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.moved(1),
        },
        Action {
            id: "messages.up",
            title: "up",
            keys: &["up", "k"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.moved(-1),
        },
        Action {
            id: "messages.page-down",
            title: "a page down",
            keys: &["pagedown"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.list.page_by(1, s.notices.len()),
        },
        Action {
            id: "messages.page-up",
            title: "a page up",
            keys: &["pageup"],
            show: Show::HelpOnly,
            enabled: always,
            run: |s, _| s.list.page_by(-1, s.notices.len()),
        },
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let count = match self.notices.len() {
            0 => String::new(),
            1 => "1 message".to_owned(),
            n => format!("{n} messages, newest first"),
        };
        let buffer = frame.buffer_mut();
        let inner = super::page(buffer, area, view, Self::TITLE, &count);
        let look = view.look();
        // The selected one in full below the list: lines are cut, sentences must not be.
        let full = self.chosen().map(|notice| {
            let hint = notice.hint.as_deref().map(|h| format!("  {h}"));
            (
                notice.severity,
                format!("{}{}", notice.text, hint.unwrap_or_default()),
            )
        });
        let detail = full.as_ref().map_or(0, |(_, text)| {
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
            .draw(buffer, rows, &mut self.list, |row| {
                notices.get(row.index).map_or_else(Line::default, |notice| {
                    let style = severity_style(notice.severity, look.theme);
                    let times = match notice.times {
                        1 => String::new(),
                        n => format!(" ({n} times)"),
                    };
                    Line::from(vec![
                        Span::styled(notice.time.clone(), look.theme.muted),
                        Span::styled(format!(" {} ", severity_mark(notice.severity, look)), style),
                        Span::styled(
                            notice.text.clone(),
                            if notice.severity == Severity::Info {
                                look.theme.text
                            } else {
                                style
                            },
                        ),
                        Span::styled(times, look.theme.muted),
                    ])
                })
            });
        if let Some((_, text)) = full {
            let top = rows.height + gap;
            for (row, range) in (0..detail).zip(wrap(&text, usize::from(inner.width))) {
                let line = text.get(range).unwrap_or_default();
                paint::text(buffer, paint::row(inner, top + row), line, look.theme.text);
            }
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        match event.kind {
            MouseEventKind::ScrollDown => self.list.scroll_by(3, self.notices.len()),
            MouseEventKind::ScrollUp => self.list.scroll_by(-3, self.notices.len()),
            MouseEventKind::Down(_) => {
                let Some(row) = self.list.row_at(event.column, event.row) else {
                    return false;
                };
                self.list.select(Some(row));
            }
            _ => return false,
        }
        cx.redraw();
        true
    }
}
