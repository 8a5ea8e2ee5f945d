//! Which report is looked into: one of those that are there, or another, whose path is typed.

use diagnostics::report::reports_in;

use super::ReportRoute;
use crate::kit::{
    picking::{Picking, Source, Words, fitting},
    prelude::*,
};

const LIST: &str = "report.list";
/// Reports that are offered.
const OFFERED: usize = 200;

/// The reports that are there.
pub struct Reports {
    /// One was to be opened before it was known which there are.
    is_chosen: bool,
}

/// The popup.
pub type Opening = Picking<Reports>;

/// Looks which reports there are, `written` first.
pub fn ask(written: Option<PathBuf>, cx: &Cx) {
    cx.open(Opening::new(Reports { is_chosen: false }));
    let folder = cx.view.omp.reports.clone();
    cx.work(LIST, move |teller| {
        let files = reports_in(&folder, written, OFFERED);
        teller.call(|list: &mut Opening, cx| {
            list.show(files);
            if list.source.is_chosen && list.query().is_empty() {
                list.accept(cx);
            }
        });
    });
}

impl Opening {
    fn path(&self, folder: &Path) -> Option<PathBuf> {
        let typed = self.query();
        let is_path =
            typed.contains('/') || Path::new(typed).extension().is_some_and(|e| e == "gz");
        if is_path {
            return Some(path_of(typed, folder));
        }
        self.selected().map(|(path, _)| path.clone())
    }

    fn accept(&mut self, cx: &Cx) {
        self.source.is_chosen = true;
        if let Some(path) = self.path(&cx.view.project) {
            cx.close();
            cx.emit(Effect::on(LIST, |s: &mut ReportRoute, cx| s.open(path, cx)));
        }
    }
}

impl Source for Reports {
    type Entry = (PathBuf, u64);
    table! { Opening: "Look into a report";
        "report-picker.open" "open" ["enter"], Footer => Opening::accept;
        pick "report-picker" "cancel" "leave";
    }

    const WORDS: Words = Words {
        hint: "a few letters, or a path of any .tar.gz",
        asking: "reading…",
        nothing: "There are no reports yet.",
        unmatched: "No report is called so.",
    };

    fn name<'e>(&self, (path, _): &'e (PathBuf, u64)) -> Cow<'e, str> {
        file_name(path)
    }

    fn size(&self, entries: Option<usize>, area: Rect) -> (u16, u16) {
        (70, fitting(entries.unwrap_or(1), 4, area))
    }

    fn row(&self, (path, size): &(PathBuf, u64), _: bool, cells: &mut Cells) {
        cells.remark(&amount::size(*size)).text(&file_name(path));
    }
}
