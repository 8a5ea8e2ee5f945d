//! Draws the route: what goes in, or what is in an archive; the text of a member; what is typed, and how far the work is.

use diagnostics::report::Part;

use super::{
    Busy, ReportRoute,
    model::{Model, Row},
};
use crate::prelude::*;

/// From this width on a member's text stands beside the list.
const BESIDE: u16 = 130;
/// Fewest cells in which it can be said what a member is.
const ABOUT: usize = 16;
/// Cells of the columns.
const SIZE: usize = 9;
const SECRETS: usize = 14;
/// Name of the longest member that every report has, and a little more.
const NAME: usize = 26;

impl DrawRows for ReportRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let (title, badge, state) = self.head();
        let mut inner = framed(canvas, area, (title, &badge, &state));
        if inner.height > 3 && self.has_foot() {
            let (rest, foot) = over_last(inner);
            inner = rest;
            match &mut self.line {
                Some(line) => line.draw(canvas, foot, ""),
                None => self.draw_remark(canvas, foot),
            }
        }
        let list = match &mut self.text {
            None => inner,
            Some(shown) => {
                let words = (&*shown.name, "", &*shown.remark);
                let parts = (BESIDE, [(1, 2), (2, 3)]);
                room::with_text(canvas, inner, &mut shown.text, words, parts)
            }
        };
        if let Some(browse) = &mut self.browse {
            browse.draw(canvas, list, canvas.focused && self.text.is_none());
        } else {
            self.draw_choice(canvas, list);
        }
    }
}

impl ReportRoute {
    fn head(&self) -> (&'static str, String, String) {
        if let Some(browse) = &self.browse {
            let name = clean(&file_name(&browse.path));
            let badge = match &browse.bundle {
                Some(bundle) => format!(
                    "{name}  {}, {}",
                    counted(bundle.entries.len(), "member"),
                    amount::size(bundle.compressed)
                ),
                None => name,
            };
            return ("Report", badge, browse.state());
        }
        let Some(model) = &self.model else {
            return ("New report", String::new(), String::new());
        };
        let sum = model.sum();
        let badge = if sum.members == sum.of {
            let members = counted(sum.of, "member");
            format!("{members}, {}", amount::size(sum.size))
        } else {
            format!(
                "{} of {}, {}",
                sum.members,
                counted(sum.of, "member"),
                amount::size(sum.size)
            )
        };
        let state = match self.busy {
            Busy::Counting(done, total) => {
                format!("counting secrets {} %", percent(done, total))
            }
            Busy::Writing(done, total) => format!("writing {} %, Esc stops", percent(done, total)),
            Busy::Finding => "looking…".to_owned(),
            Busy::No if !model.complete => String::new(),
            Busy::No => match sum.secrets {
                0 => "no secrets found".to_owned(),
                n => amount::count(n, "secret will be replaced", "secrets will be replaced"),
            },
        };
        ("New report", badge, state)
    }

    fn has_foot(&self) -> bool {
        self.line.is_some()
            || self.failed.is_some()
            || (self.browse.is_none() && (self.written.is_some() || self.model.is_some()))
            || self.text.is_some()
    }

    fn draw_remark(&self, canvas: &Canvas, foot: Rect) {
        let theme = &canvas.theme;
        let mut cells = canvas.cells_at(foot);
        if let Some(failed) = &self.failed {
            cells.put(failed, theme.error);
        } else if let Busy::Writing(done, total) = self.busy {
            bar(&mut cells, done, total);
        } else if let Some(shown) = &self.text {
            let status = shown.text.search_status();
            cells.remark("Esc closes the text");
            cells.accent(&status);
        } else if self.browse.is_some() {
        } else if let Some(written) = &self.written {
            cells.remark("o looks into it, y copies the path");
            cells.put("written: ", theme.success);
            cells.text(&written.path.to_string_lossy());
        } else if let Busy::Counting(done, total) = self.busy {
            bar(&mut cells, done, total);
        } else if let Some(session) = self.model.as_ref().and_then(|m| m.plan.session.as_ref()) {
            cells.remark("s another");
            cells.muted("session ");
            cells.text(&file_name(&session.path));
            cells.muted(&format!(", {}", session.why.label()));
        } else {
            cells.remark("s names one");
            cells.warning("no session of omp was found");
        }
        cells.draw(canvas, foot);
    }

    fn draw_choice(&mut self, canvas: &Canvas, area: Rect) {
        let Some(model) = &self.model else {
            if area.height > 0 {
                let lines: Vec<&str> = match &self.failed {
                    Some(_) => vec![
                        "There is nothing to choose from",
                        "s names another session, r looks again, o looks into a report",
                    ],
                    None => vec!["Looking for what there is…"],
                };
                empty(canvas, area, &lines);
            }
            return;
        };
        let rows = &model.rows;
        List::new(canvas.look(), rows.len())
            .focused(canvas.focused && self.text.is_none())
            .empty("There is nothing to report.")
            .each(canvas, area, &mut self.list, rows, |row, cells| {
                line(model, *row, cells);
            });
    }
}

/// So much of so much is done.
fn bar(cells: &mut Cells, done: u64, total: u64) {
    let done_of_all = [done.min(total), total].map(amount::size).join(" of ");
    cells.remark(&done_of_all);
    cells.bar(done, total, cells.room());
}

fn line(model: &Model, row: Row, line: &mut Cells) {
    let view = line.view.clone();
    let index = match row {
        Row::Note(index) => {
            if let Some(note) = model.notes.get(index) {
                line.muted(" -  ");
                line.muted(&note.member);
                line.warning("  left out: ");
                line.muted(&note.text);
            }
            return;
        }
        Row::Artifacts => {
            let sum = model.sum_of(model.artifacts());
            let mark = match sum.members {
                0 => "[ ] ",
                n if n == sum.of => "[x] ",
                _ => "[-] ",
            };
            let sign = view.symbols.fold(!model.folded);
            let name = format!("artifacts {sign}");
            let secrets = if sum.counted { Some(sum.secrets) } else { None };
            let about = format!(
                "{} of {}, {}",
                sum.members,
                counted(sum.of, "file"),
                Part::Artifacts.about()
            );
            columns(
                line,
                mark,
                (&name, &about),
                sum.size,
                &secrets_text(secrets, true),
            );
            return;
        }
        Row::Member(index) => index,
    };
    let Some(member) = model.plan.members.get(index) else {
        return;
    };
    let mark = if model.goes_in(index) { "[x] " } else { "[ ] " };
    let packed = model.counted.get(&index);
    let secrets = match packed {
        Some(packed) => secrets_text(Some(packed.replaced.total()), packed.text),
        None if model.complete => ("unreadable".to_owned(), true),
        None => secrets_text(None, true),
    };
    let name = match member.name.strip_prefix("artifacts/") {
        Some(name) => format!("  {name}"),
        None => member.name.clone(),
    };
    let note = model.notes.iter().find(|note| note.member == member.name);
    let about = match (note, member.part) {
        (Some(note), _) => note.text.clone(),
        (None, Part::Artifacts) => String::new(),
        (None, Part::Debug) if name == "hang.txt" => "why the program hangs".to_owned(),
        (None, part) => part.about().to_owned(),
    };
    let size = packed.map_or(member.size, |packed| packed.size);
    columns(line, mark, (&name, &about), size, &secrets);
}

/// How many secrets, and whether that is worth a look.
fn secrets_text(secrets: Option<u64>, text: bool) -> (String, bool) {
    match secrets {
        _ if !text => ("binary".to_owned(), false),
        None => ("…".to_owned(), false),
        Some(0) => ("no secrets".to_owned(), false),
        Some(n) => (counted(n, "secret"), true),
    }
}

fn columns(
    line: &mut Cells,
    mark: &str,
    (name, about): (&str, &str),
    size: u64,
    (secrets, matters): &(String, bool),
) {
    let theme = line.view.theme.clone();
    let cells = line.room();
    let is_on = mark != "[ ] ";
    let text = theme.text_if(is_on);
    line.put(mark, if is_on { theme.accent } else { theme.muted });
    let numbers = SIZE + 1 + SECRETS;
    let narrow = cells < numbers + 20;
    let room = line
        .room()
        .saturating_sub(if narrow { SIZE } else { numbers } + 1);
    let wanted = width(name).max(NAME) + 2;
    if wanted + ABOUT <= room && !about.is_empty() {
        line.column(name, wanted, text);
        line.column(about, room - wanted, theme.muted);
    } else {
        line.column(name, room, text);
    }
    line.skip(1);
    line.muted(&format!("{:>SIZE$}", amount::size(size)));
    if !narrow {
        let style = if *matters && is_on {
            theme.warning
        } else {
            theme.muted
        };
        line.skip(1);
        line.put(&format!("{secrets:>SECRETS$}"), style);
    }
}
