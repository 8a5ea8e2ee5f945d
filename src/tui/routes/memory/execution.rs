//! What the keys of the route do, and what becomes of what its work tells.

use diagnostics::memory::{
    growth::Mark,
    heap::{Heap, comparable, text as heap_text},
    text::{self as process_text, Report},
};

use super::{
    LIST, MemoryRoute, WATCH,
    chooser::{Chooser, Chosen},
    model::{HeapFile, Process, Subject},
    table::Tab,
    view::{file_line, since_line},
    work::{self, Exportable, HEAP, OLDER},
};
use crate::{kit::prelude::*, routes::debug::popups::message};

impl MemoryRoute {
    pub(super) fn choose(&mut self, cx: &mut Cx<'_>) {
        self.chooser = Some(Chooser::default());
        cx.emit(work::list());
    }

    pub(super) fn chosen(&mut self, chosen: Chosen, cx: &mut Cx<'_>) {
        cx.redraw();
        match chosen {
            Chosen::Nothing => return,
            Chosen::Leave => {
                self.chooser = None;
                cx.end_work(LIST);
                if self.model.subject == Subject::Nothing {
                    cx.go(RouteId::Home);
                }
                return;
            }
            Chosen::Process(pid) => {
                cx.end_work(HEAP);
                self.look_at(Subject::Process(Box::new(Process {
                    pid,
                    ..Process::default()
                })));
                self.frozen = false;
                self.watch(cx);
            }
            Chosen::File(path) => {
                cx.end_work(WATCH);
                self.look_at(Subject::Reading(path.clone(), 0));
                cx.emit(work::open(path, false));
            }
        }
        self.chooser = None;
        cx.end_work(LIST);
    }

    fn look_at(&mut self, subject: Subject) {
        self.model.show(subject);
        self.rows.select(Some(0));
    }

    /// Samples the process from now on, or no longer.
    pub(super) fn watch(&self, cx: &mut Cx<'_>) {
        match &self.model.subject {
            Subject::Process(process) if self.shown && !self.frozen && process.ended.is_none() => {
                cx.emit(work::watch(process.pid, process.started));
            }
            _ => cx.end_work(WATCH),
        }
    }

    pub(super) fn freeze(&mut self, cx: &mut Cx<'_>) {
        self.frozen = !self.frozen;
        self.watch(cx);
    }

    pub(super) fn turn(&mut self, by: isize) {
        self.model.turn(by);
        self.rows.select(Some(0));
    }

    pub(super) fn turn_to(&mut self, tab: Tab) {
        self.model.turn_to(tab);
        self.rows.select(Some(0));
    }

    pub(super) fn mark(&mut self, cx: &mut Cx<'_>) {
        if let Some(process) = self.model.process_mut() {
            cx.emit(work::mark(process.pid, process.started));
        }
    }

    pub(super) fn forget_marks(&mut self) {
        if let Some(process) = self.model.process_mut() {
            process.forget_marks();
            self.model.changed();
        }
    }

    pub(super) fn give_up(&mut self, cx: &mut Cx<'_>) {
        // The work notices, cleans up and has nobody to tell.
        cx.end_work(OLDER);
        self.busy = None;
        cx.info("It was given up.");
    }

    pub(super) fn ask_older(&self, cx: &mut Cx<'_>) {
        let Subject::Heap(file) = &self.model.subject else {
            return;
        };
        let folder = file.heap.path.parent().unwrap_or_else(|| Path::new(""));
        let begin = folder.join("").display().to_string();
        let question = Question::new("The older heap file", "its path", |text| {
            vec![work::open(PathBuf::from(text.trim()), true)]
        });
        cx.open(question.text(begin));
    }

    pub(super) fn ask_export(&self, cx: &mut Cx<'_>) {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let name = match &self.model.subject {
            Subject::Process(process) => format!("memory.{}.{now}.json", process.pid),
            _ => format!("heap.{now}.json"),
        };
        let what = match &self.model.subject {
            Subject::Process(process) => process.report.clone().map(Exportable::Process),
            Subject::Heap(file) => Some(Exportable::Heap(file.heap.clone())),
            _ => None,
        };
        let Some(what) = what else { return };
        let question = Question::new("Write it as JSON into", "a new file", move |text| {
            vec![work::save(what, Path::new(text.trim()))]
        });
        cx.open(question.text(name).check(needed("Name a file.")));
    }

    /// Shows in full what stands cut above the tables.
    pub(super) fn show_notes(&self, cx: &mut Cx<'_>) {
        let (title, all) = match &self.model.subject {
            Subject::Process(process) => {
                let mut all: Vec<String> = process.ended.iter().cloned().collect();
                if let Some(report) = &process.report {
                    all.push(report.process.command.clone());
                    all.extend(report.notes.iter().cloned());
                }
                ("About the process", all)
            }
            Subject::Heap(file) => {
                let mut all = vec![heap_text::headline(&file.heap), file_line(&file.heap)];
                all.extend(since_line(file));
                all.extend(file.heap.notes.iter().cloned());
                ("About the heap file", all)
            }
            _ => return,
        };
        cx.emit(message::note(title, String::new(), &all.join("\n\n")));
    }

    pub(super) fn copy(&self, cx: &mut Cx<'_>) {
        if let Some(row) = self.rows.selected() {
            let text = clean(&self.model.row_text(row));
            cx.copy(text, self.model.tab().title().to_lowercase());
        }
    }

    pub(super) fn copy_all(&self, cx: &mut Cx<'_>) {
        let text = match &self.model.subject {
            Subject::Process(process) => {
                let Some(report) = &process.report else {
                    return;
                };
                let growth = report.growth.as_ref().map(process_text::write_growth);
                let text = process_text::write(report);
                match growth {
                    Some(growth) => format!("{text}\n{growth}"),
                    None => text,
                }
            }
            Subject::Heap(file) => heap_text::write(&file.heap),
            _ => return,
        };
        cx.copy(text, "memory");
    }

    pub(super) fn reported(&mut self, report: Box<Report>) {
        if let Some(process) = self.model.process_mut() {
            process.started = Some(report.process.started);
            process.report = Some(report);
            self.model.changed();
        }
    }

    pub(super) fn marked(&mut self, marked: Result<Mark, String>, cx: &mut Cx<'_>) {
        let mark = match marked {
            Ok(mark) => mark,
            Err(why) => return cx.warn(why),
        };
        let Some(process) = self.model.process_mut() else {
            return;
        };
        process.mark(mark);
        let text = if process.to.is_none() {
            "Mark A is set: m again sets mark B, M forgets both."
        } else {
            "Mark B is set: the next one makes it mark A."
        };
        self.turn_to(Tab::Growth);
        cx.info(text);
    }

    /// Of a heap file so much is read; `older` = of the one that is compared with.
    pub(super) fn reading(&mut self, path: PathBuf, percent: u64, older: bool) {
        if older {
            self.busy = Some(format!("reading the older file: {percent} %"));
        } else {
            self.model.subject = Subject::Reading(path, percent);
        }
    }

    pub(super) fn opened(&mut self, heap: Result<Box<Heap>, String>, cx: &mut Cx<'_>) {
        match heap {
            Ok(heap) => {
                self.look_at(Subject::Heap(HeapFile {
                    heap,
                    ..HeapFile::default()
                }));
                if let Some(older) = self.since.take() {
                    cx.emit(work::open(older, true));
                }
            }
            Err(why) => {
                self.since = None;
                self.look_at(Subject::Nothing);
                cx.warn(why);
            }
        }
    }

    pub(super) fn opened_older(&mut self, heap: Result<Box<Heap>, String>, cx: &mut Cx<'_>) {
        self.busy = None;
        let fits = heap.and_then(|heap| match &self.model.subject {
            Subject::Heap(file) => comparable(&heap, &file.heap).map(|()| heap),
            _ => Ok(heap),
        });
        match fits {
            Ok(heap) => {
                self.model.compare_with(&heap);
                self.rows.select(Some(0));
            }
            Err(why) => cx.warn(why),
        }
    }
}
