//! Draws the route: the age, what would go, what stays and why, the trash, a bar while something is done.

use diagnostics::artifacts::age;

use super::{CacheRoute, Phase};
use crate::{
    prelude::*,
    routes::artifacts::rows::{self, sum},
};

/// Sentences below the list at most.
const MOST_LINES: usize = 6;

impl DrawRows for CacheRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let totals = self.totals();
        let badge = if totals.folders == 0 {
            String::new()
        } else {
            sum(&totals)
        };
        let mut inner = framed(canvas, area, ("Clear cache", &badge, &self.state()));
        if inner.height > 3 {
            self.draw_age(canvas, inner.row(0));
            inner = inner.below(1);
        }
        let lines = self.lines(canvas);
        let room = usize::from(inner.height.saturating_sub(4)).min(lines.len()) as u16;
        let (list, below) = split(inner, inner.height - room);
        for (row, (text, style)) in (0..room).zip(&lines) {
            let place = below.row(row);
            let mut line = canvas.cells_at(place);
            line.skip(1).put(text, *style);
            line.draw(canvas, place);
        }
        self.draw_list(canvas, list);
        if let Phase::Busy(what, progress, _) = &self.phase
            && inner.height > 0
        {
            // Over the first of these lines, which say nothing new meanwhile.
            let place = room::bottom(inner, 1);
            canvas.clear(place, Style::new());
            let mut line = canvas.cells_at(place);
            line.remark("Esc stops");
            let files = counted(progress.files, "file");
            line.skip(1).text(&format!("{what}  "));
            let said = format!("  {files} of {}", progress.of);
            let room = line.room().saturating_sub(said.len() + 1).min(60);
            line.bar(progress.files, progress.of, room).muted(&said);
            line.draw(canvas, place);
        }
    }
}

impl CacheRoute {
    fn state(&self) -> String {
        match self.scanning {
            Some((_, 0)) => "measuring…".to_owned(),
            Some((done, of)) => format!("measuring… {done} of {of}"),
            None => String::new(),
        }
    }

    fn draw_age(&self, canvas: &Canvas, row: Rect) {
        let mut line = canvas.cells_at(row);
        line.remark("into the trash");
        line.skip(1).muted("Unchanged for ");
        line.accent(&age::length(self.age()));
        line.muted("  - shorter  + longer");
        line.draw(canvas, row);
    }

    /// What stands below the list: what came of the last thing done, what stays, the trash.
    fn lines(&self, view: &View) -> Vec<(String, Style)> {
        let theme = &view.theme;
        let mut lines: Vec<(String, Style)> = Vec::new();
        for (n, text) in self.result.iter().enumerate() {
            let style = if n == 0 { theme.success } else { theme.warning };
            lines.push((text.clone(), style));
        }
        if lines.len() > MOST_LINES {
            let more = lines.len() - MOST_LINES + 1;
            lines.truncate(MOST_LINES - 1);
            lines.push((
                format!("and {more} more; omp-debug cache says all of it"),
                theme.muted,
            ));
        }
        if let Some(scan) = &self.scan {
            let notes = scan.notes.iter().take(3);
            lines.extend(notes.map(|note| (note.clone(), theme.warning)));
        }
        let count = |name: &str| {
            let kept = self.plan.kept.iter();
            kept.filter(|kept| kept.why.name() == name).count()
        };
        let said: Vec<String> = [
            ("young", "changed lately"),
            ("live", "in use"),
            ("unreadable", "not readable"),
            ("nothing", "with session files only"),
        ]
        .into_iter()
        .filter(|(name, _)| count(name) > 0)
        .map(|(name, said)| format!("{} {said}", count(name)))
        .collect();
        if !said.is_empty() {
            lines.push((
                format!("Stays: {}. Session files always stay.", said.join(", ")),
                theme.muted,
            ));
        }
        if let Some(batch) = self.batches.first() {
            let when = age::ago(batch.time, self.now.max(batch.time));
            let when = match &*when {
                "now" => "just now".to_owned(),
                when => format!("{when} ago"),
            };
            let all = sum(&self.trash_totals());
            lines.push((format!("In the trash: {all}; the newest since {when}. u brings it back, E empties the trash."), theme.muted));
        }
        if matches!(self.phase, Phase::Busy(..)) {
            lines.push((String::new(), theme.muted));
        }
        lines
    }

    fn draw_list(&mut self, canvas: &Canvas, area: Rect) {
        if self.plan.clear.is_empty() {
            let age = format!("No artifacts are unchanged for {}", age::length(self.age()));
            let mut lines: Vec<&str> = Vec::new();
            if let Some(failed) = &self.failed {
                lines.extend([failed.as_str(), "r tries again"]);
            } else if self.scan.is_none() {
                lines.push("Measuring…");
            } else if self.scan.as_ref().is_some_and(|scan| scan.found.is_empty()) {
                lines.extend(["The artifact cache is empty", "There is nothing to clear"]);
            } else {
                lines.extend([age.as_str(), "- asks for a shorter age"]);
            }
            return empty(canvas, area, &lines);
        }
        let Self {
            list,
            plan,
            spared,
            now,
            ..
        } = self;
        list_of(canvas, plan.clear.len()).calm(canvas, area, list, |row| {
            let mut line = Cells::new(row.width, canvas);
            let Some(found) = plan.clear.get(row.index) else {
                return line.line();
            };
            let stays = spared.contains(&found.spot);
            let mark = if stays { " [ ] " } else { " [x] " };
            rows::row(found, mark, *now, &mut line);
            let mut line = line.line();
            if stays {
                for span in &mut line.spans {
                    span.style = canvas.theme.muted;
                }
            }
            line
        });
    }
}
