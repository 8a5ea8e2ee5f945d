//! What the keys of the route do, and what becomes of what its work tells.

use diagnostics::memory::{
    export::export,
    growth::Mark,
    heap::{Heap, text as heap_text},
    text as process_text,
};

use super::{
    MemoryRoute, WATCH,
    chooser::{Chooser, Processes},
    model::{HeapFile, Process, Subject},
    table::Tab,
    view::{file_line, since_line},
    work::{self, HEAP},
};
use crate::kit::{prelude::*, sheet};

impl MemoryRoute {
    pub(super) fn choose(cx: &Cx) {
        cx.open(Chooser::new(Processes));
        cx.emit(work::list());
    }

    /// Shows the memory of a process, as it is and as it goes on.
    pub(super) fn look_at_process(&mut self, pid: u32, cx: &Cx) {
        cx.end_work(HEAP);
        self.look_at(Subject::Process(Box::new(Process {
            pid,
            ..Process::default()
        })));
        self.frozen = false;
        self.watch(cx);
    }

    /// Shows what is in a heap file.
    pub(super) fn look_at_file(&mut self, path: PathBuf, cx: &Cx) {
        cx.end_work(WATCH);
        self.look_at(Subject::Reading(path.clone(), 0));
        cx.emit(work::open(path, false));
    }

    fn look_at(&mut self, subject: Subject) {
        self.model.show(subject);
        self.rows.select(Some(0));
    }

    /// Samples the process from now on, or no longer.
    pub(super) fn watch(&self, cx: &Cx) {
        match &self.model.subject {
            Subject::Process(process) if self.shown && !self.frozen && process.ended.is_none() => {
                cx.emit(work::watch(process.pid, process.started));
            }
            _ => cx.end_work(WATCH),
        }
    }

    pub(super) fn freeze(&mut self, cx: &Cx) {
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

    pub(super) fn mark(&mut self, cx: &Cx) {
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

    pub(super) fn ask_older(&mut self, cx: &Cx) {
        let Subject::Heap(file) = &self.model.subject else {
            return;
        };
        let folder = file.heap.path.parent().unwrap_or_else(|| Path::new(""));
        let begin = folder.join("").display().to_string();
        cx.ask_for_file("The older heap file", "its path", begin, |path| {
            work::open(path, true)
        });
    }

    pub(super) fn ask_export(&mut self, cx: &Cx) {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let (name, saving) = match &self.model.subject {
            Subject::Process(process) => {
                let Some(report) = process.report.clone() else {
                    return;
                };
                let saving = work::saving(move |path, force| export(path, force, &report));
                (format!("memory.{}.{now}.json", process.pid), saving)
            }
            Subject::Heap(file) => {
                let heap = file.heap.clone();
                let saving = work::saving(move |path, force| export(path, force, &heap));
                (format!("heap.{now}.json"), saving)
            }
            _ => return,
        };
        cx.save_as("Write it as JSON into", name, saving);
    }

    /// Shows in full what stands cut above the tables.
    pub(super) fn show_notes(&mut self, cx: &Cx) {
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
        cx.emit(sheet::note(title, String::new(), &all.join("\n\n")));
    }

    pub(super) fn copy(&mut self, cx: &Cx) {
        if let Some(row) = self.rows.selected() {
            let text = clean(&self.model.row_text(row));
            cx.copy(text, self.model.tab.title().to_lowercase());
        }
    }

    pub(super) fn copy_all(&mut self, cx: &Cx) {
        let text = match &self.model.subject {
            Subject::Process(process) => {
                let Some(report) = &process.report else {
                    return;
                };
                let growth = report.growth.as_ref().map(process_text::write_growth);
                joined(
                    [process_text::write(report)].into_iter().chain(growth),
                    "\n",
                )
            }
            Subject::Heap(file) => heap_text::write(&file.heap),
            _ => return,
        };
        cx.copy(text, "memory");
    }

    pub(super) fn marked(&mut self, marked: Result<Mark, String>, cx: &Cx) {
        let mark = match marked {
            Ok(mark) => mark,
            Err(why) => return cx.warn(why),
        };
        let Some(process) = self.model.process_mut() else {
            return;
        };
        process.mark(mark);
        let text = match process.to {
            None => "Mark A is set: m again sets mark B, M forgets both.",
            Some(_) => "Mark B is set: the next one makes it mark A.",
        };
        self.turn_to(Tab::Growth);
        cx.info(text);
    }

    pub(super) fn reading(&mut self, done: u64, all: u64) {
        if let Subject::Reading(_, shown) = &mut self.model.subject {
            *shown = percent(done, all);
        }
    }

    pub(super) fn opened(&mut self, heap: Result<Box<Heap>, String>, cx: &Cx) {
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

    pub(super) fn opened_older(&mut self, heap: Result<Box<Heap>, String>, cx: &Cx) {
        self.busy = None;
        match heap {
            Ok(heap) => {
                self.model.compare_with(&heap);
                self.rows.select(Some(0));
            }
            Err(why) => cx.warn(why),
        }
    }
}
