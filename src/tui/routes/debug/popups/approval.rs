//! What an agent asks a person: a note at the foot of the screen while it waits, and the card that answers it.
//!
//! Nothing that is typed for something else is an answer: the note takes no key, the card comes up when its key is pressed, and what
//! follows by itself on an answer hears nothing for a moment. What is settled meanwhile stays in sight until it is closed, so that a
//! key meant for it is none for what lies below. Who asks what, and what becomes of an answer, is the core's.

use std::time::UNIX_EPOCH;

use debugger::permission::{Approval, Consent};

use crate::{debug_prelude::*, kit::confirm::Answering};

/// Cells of the card's content.
const WIDTH: u16 = 76;
/// Cells and rows of the note, with its frame.
const NOTE: (u16, u16) = (64, 4);
/// From this height on a note has a frame.
const ROOMY: u16 = 12;

/// The card.
#[derive(Debug)]
pub struct ApprovalCard {
    asked: Approval,
    subject: TextView,
    hearing: Answering,
    writing: Option<OpenQuestion<Writing>>,
}

/// What is written before it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Pattern,
    Subject,
    Reason,
}

/// Whether something waits for an answer.
pub fn waits(view: &View) -> Enabled {
    let any = !view.state.sharing.approvals.is_empty();
    any.or_why("No agent is asking.")
}

/// Shows what waits longest.
pub fn open(cx: &Cx) {
    if let Some(asked) = cx.view.state.sharing.approvals.first() {
        let card = ApprovalCard::of(asked, Answering::listening());
        cx.open(card);
    }
}

/// Draws what waits longest as a note that takes no key; `key` opens the card. What is `fresh` has a frame where there is room, what
/// was put aside is a line. Gives where it is.
pub fn note(canvas: &Canvas, area: Rect, key: &str, fresh: bool) -> Option<Rect> {
    let asked = canvas.state.sharing.approvals.first()?;
    let opens = format!("{key} answers");
    let framed = fresh && area.height >= ROOMY;
    let rows = if framed { NOTE.1 } else { 1 };
    let place = area.last(NOTE.0);
    let place = Rect {
        y: (area.bottom().saturating_sub(rows + u16::from(framed))).max(area.y),
        height: rows.min(area.height),
        ..place
    };
    let (theme, title) = (&canvas.theme, title(asked));
    if !framed {
        canvas.clear(place, theme.overlay_bg);
        let mut cells = canvas.cells_at(place);
        cells
            .right(&opens, theme.key_hint_key)
            .warning(&title)
            .skip(1);
        cells.text(&asked.subject).draw(canvas, place);
        return Some(place);
    }
    let remark = remark(asked, canvas);
    let inner = boxed(canvas, place, &title, &remark);
    let bold = theme.text.add_modifier(Modifier::BOLD);
    cut_line(canvas, inner, &asked.subject, bold);
    let mut cells = canvas.cells_at(inner);
    cells.right(&opens, theme.key_hint_key);
    cells.warning(&asked.warning).draw(canvas, inner.row(1));
    Some(place)
}

/// `claude-code asks: write memory`.
fn title(asked: &Approval) -> String {
    format!("{} asks: {}", asked.actor, asked.action.replace('_', " "))
}

/// How many wait, and how long this one still does.
fn remark(asked: &Approval, view: &View) -> String {
    let all = &view.state.sharing.approvals;
    let count = match all.iter().position(|other| other.id == asked.id) {
        None => return "settled".to_owned(),
        Some(_) if all.len() == 1 => String::new(),
        Some(at) => format!("{} of {}, ", at + 1, all.len()),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_millis() as u64);
    let left = asked.expires_ms.saturating_sub(now).div_ceil(1000);
    format!("{count}{left} s left")
}

impl ApprovalCard {
    fn of(asked: &Approval, hearing: Answering) -> Self {
        Self {
            asked: asked.clone(),
            subject: TextView::new(&asked.subject),
            hearing,
            writing: None,
        }
    }

    /// The next one that waits, from the first again after the last.
    fn next<'a>(&self, view: &'a View) -> Option<&'a Approval> {
        let all = &view.state.sharing.approvals;
        let here = all.iter().position(|other| other.id == self.asked.id);
        let next = here.map_or(0, |at| at + 1);
        let mut others = all.iter().cycle().skip(next).take(all.len());
        others.find(|other| other.id != self.asked.id)
    }

    fn go_on(&mut self, cx: &Cx) {
        if let Some(next) = self.next(&cx.view) {
            *self = Self::of(next, Answering::listening());
        }
    }

    fn answer(&mut self, consent: Consent, cx: &Cx) {
        if can_answer(self, &cx.view).is_err() {
            return;
        }
        let approval = self.asked.id;
        cx.core(Command::Decide { approval, consent });
        match self.next(&cx.view) {
            // A key that was pressed twice is no answer to what comes up.
            Some(next) => *self = Self::of(next, Answering::default()),
            None => cx.close(),
        }
    }

    fn write(&mut self, what: Writing) {
        let subject = self.asked.subject.as_str();
        let (label, hint, text) = match what {
            Writing::Pattern => (
                "Always allow what is like (Enter):",
                "* and ? stand for anything",
                subject,
            ),
            Writing::Subject => ("Allow instead (Enter):", "", subject),
            Writing::Reason => ("Refuse, because (Enter):", "no reason need be given", ""),
        };
        let mut asking = OpenQuestion::new(what, label, hint, text);
        asking.or_nothing = what == Writing::Reason;
        self.writing = Some(asking);
    }

    fn written(&mut self, text: &str, cx: &Cx) {
        let Some(writing) = self.writing.take() else {
            return;
        };
        let text = text.to_owned();
        let consent = match writing.about {
            Writing::Pattern => Consent::Always { pattern: text },
            Writing::Subject => Consent::Edited { subject: text },
            Writing::Reason => Consent::Deny {
                reason: Some(text).filter(|text| !text.is_empty()),
            },
        };
        self.answer(consent, cx);
    }

    /// What became of it, where the audit knows.
    fn outcome(&self, view: &View) -> String {
        let mut entries = view.state.sharing.audit.iter().rev();
        let last = entries.find(|entry| entry.hash == self.asked.hash && entry.decision != "asked");
        let decision = last.map_or("answered elsewhere", |entry| entry.decision.as_str());
        format!("It no longer waits: {decision}. Esc closes this.")
    }

    /// Where the program would feel it: `shop.py:42 total() · debugpy · debug-1`.
    fn place(&self, view: &View) -> String {
        let session = self.asked.session;
        let adapter = session.and_then(|id| view.state.session(id));
        let parts = [
            self.asked.place.clone(),
            adapter.map_or_else(String::new, |session| session.adapter.clone()),
            session.map_or_else(String::new, |id| id.to_string()),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        joined(parts, " · ")
    }
}

gates! { ApprovalCard, s, view;
can_answer: view.state.sharing.approvals.iter().any(|other| other.id == s.asked.id), "It is settled."; }
gates! { ApprovalCard, s, _;
 can_edit after can_answer: s.asked.editable, "It can be allowed or refused only as it is.";
}

impl Scrolls for ApprovalCard {
    moves!(text subject);
}

impl Surface for ApprovalCard {
    table! { "Approval", s, cx;
        "approval.once"   "allow it once"                                    ["o"], Bar("once")      if can_answer => s.answer(Consent::Once, cx);
        "approval.stop"   "allow every action of this kind until the program goes on" ["s"], Bar("all such here") if can_answer => s.answer(Consent::ThisStop, cx);
        "approval.always" "allow always what is like a pattern"              ["a"], Bar("always")    if can_answer => s.write(Writing::Pattern);
        "approval.edit"   "change it, and allow that"                        ["e"], Bar("edit")      if can_edit => s.write(Writing::Subject);
        "approval.deny"   "refuse it, with a reason"                         ["d"], Bar("deny")      if can_answer => s.write(Writing::Reason);
        "approval.abort"  "refuse it, and whatever else this one asks"       ["x"], Bar("abort")     if can_answer => s.answer(Consent::Abort, cx);
        "approval.next"   "the next that waits"                              ["f3" "tab"], Footer    if |s, v| s.next(v).or_why("Nothing else waits.") => Self::go_on;
        "approval.copy"   "copy what is asked for"                           ["y"]                   => cx.copy(s.subject.text(), "what is asked for");
        scroll "approval";
    }

    answers_of!(writing, written);

    fn deaf_until(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.hearing.deaf_until(now, typed)
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let theme = &canvas.theme;
        let cells = usize::from(area.width.saturating_sub(4).min(WIDTH));
        let risk = wrapped(&self.asked.warning, cells).into_iter();
        let mut head: Vec<_> = risk.map(|line| (line, theme.warning)).collect();
        let place = self.place(canvas);
        head.extend((!place.is_empty()).then_some((place, theme.muted)));
        head.push((String::new(), theme.text));
        let mut tail = vec![(String::new(), theme.text)];
        let cut = (self.asked.subject_bytes > self.asked.subject.len() as u64).then(|| {
            let bytes = thousands(self.asked.subject_bytes);
            format!("Not all of its {bytes} bytes are shown.")
        });
        tail.extend(cut.clone().map(|cut| (cut, theme.error)));
        let rows = wrapped(&self.asked.subject, cells.saturating_sub(1)).len();
        let wish = (rows + head.len() + tail.len() + 1).min(usize::from(area.height)) as u16;
        let (title, remark) = (title(&self.asked), remark(&self.asked, canvas));
        let inner = dialog(canvas, area, (cells as u16, wish), &title, &remark);
        // With little room, what is asked for comes before what is said of it; the footer has the keys.
        let cramped = usize::from(inner.height) < head.len() + rows.min(2) + tail.len() + 1;
        if cramped {
            head.clear();
            tail.clear();
        }
        let first = head.len() as u16;
        let foot = inner.height.saturating_sub(1);
        let end = foot.saturating_sub(tail.len() as u16);
        for (row, (text, style)) in (0..first).chain(end..foot).zip(head.iter().chain(&tail)) {
            cut_line(canvas, inner.row(row), text, *style);
        }
        let text = top(inner.below(first), end.saturating_sub(first));
        self.subject.show(canvas, text);
        if let Some(writing) = &mut self.writing {
            writing.draw(canvas, inner);
            return;
        }
        let mut last = canvas.cells_at(inner);
        if can_answer(self, canvas).is_err() {
            last.warning(&self.outcome(canvas));
        } else if !self.hearing.hears() {
            last.muted(Answering::DEAF);
        } else if let Some(cut) = cut.filter(|_| cramped) {
            last.error(&cut);
        } else {
            // The keys that answer.
            for action in Self::ACTIONS {
                let ([key], Show::Bar(title)) = (action.keys, action.show) else {
                    continue;
                };
                let (of_key, of_title) = match (action.enabled)(self, canvas) {
                    Ok(()) => (theme.key_hint_key, theme.key_hint_text),
                    Err(_) => (theme.key_hint_disabled, theme.key_hint_disabled),
                };
                last.put(key, of_key).skip(1).put(title, of_title).skip(2);
            }
        }
        last.draw(canvas, inner.row(foot));
    }

    rolls!();
}

#[cfg(test)]
mod tests;
