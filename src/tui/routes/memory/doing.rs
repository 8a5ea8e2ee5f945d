//! What the keys of the route do, and what becomes of what its work tells.

use diagnostics::{
    memory::{
        heap::{comparable, text as heap_text},
        text as process_text,
    },
    system::text::bytes,
};

use super::{
    Asked, MemoryRoute,
    chooser::{Chooser, Chosen},
    model::{HeapFile, Process, Subject},
    table::Tab,
    view::{file_line, since_line},
    work::{
        self, Choice, EXPORT, Exportable, Exported, HEAP, LIST, MARK, Marked, OLDER, Opened, Seen,
        WATCH,
    },
};
use crate::{kit::prelude::*, routes::debug::popups::message};

impl MemoryRoute {
    /// Begins with what the command line named.
    pub(super) fn begin(&mut self, asked: &Asked, cx: &mut Cx<'_>) {
        self.since.clone_from(&asked.since);
        if let Some(file) = &asked.file {
            self.chosen(Chosen::File(file.clone()), cx);
        } else if let Some(pid) = asked.pid {
            self.chosen(Chosen::Process(pid), cx);
        }
    }

    pub(super) fn show(&mut self, shown: bool, cx: &mut Cx<'_>) {
        if shown == self.shown {
            return;
        }
        self.shown = shown;
        if shown {
            if self.model.subject == Subject::Nothing {
                self.choose(cx);
            }
            self.watch(cx);
        } else {
            for work in [LIST, WATCH, MARK] {
                cx.end_work(work);
            }
        }
    }

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
    fn watch(&self, cx: &mut Cx<'_>) {
        match &self.model.subject {
            Subject::Process(process) if self.shown && !self.frozen && process.ended.is_none() => {
                cx.emit(work::watch(process.pid, process.started));
            }
            _ => cx.end_work(WATCH),
        }
    }

    fn process(&mut self) -> Option<&mut Process> {
        match &mut self.model.subject {
            Subject::Process(process) => Some(process),
            _ => None,
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
        if let Some(process) = self.process() {
            cx.emit(work::mark(process.pid, process.started));
        }
    }

    pub(super) fn forget_marks(&mut self) {
        if let Some(process) = self.process() {
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

    pub(super) fn told(&mut self, told: &Told, cx: &mut Cx<'_>) {
        if let Some(choices) = told.of::<Vec<Choice>>(LIST) {
            if let Some(chooser) = &mut self.chooser {
                chooser.list(choices, cx.view.state);
            }
        } else if let Some(seen) = told.of::<Seen>(WATCH) {
            self.seen(seen);
        } else if let Some(marked) = told.of::<Marked>(MARK) {
            self.marked(marked, cx);
        } else if let Some(opened) = told.of::<Opened>(HEAP) {
            self.opened(opened, cx);
        } else if let Some(opened) = told.of::<Opened>(OLDER) {
            self.opened_older(opened, cx);
        } else if let Some(exported) = told.of::<Exported>(EXPORT) {
            cx.emit(match exported {
                Ok((path, size)) => {
                    Effect::info(format!("Written: {} ({}).", path.display(), bytes(*size)))
                }
                Err(why) => Effect::warn(why.clone()),
            });
        } else {
            return;
        }
        cx.redraw();
    }

    fn seen(&mut self, seen: &Seen) {
        let Some(process) = self.process() else {
            return;
        };
        match seen {
            Seen::Sample(at, sample) => process.sample(*at, *sample),
            Seen::Report(report) => {
                process.started = Some(report.process.started);
                process.report = Some(report.clone());
                self.model.changed();
            }
            Seen::Ended(why) => process.ended = Some(why.clone()),
        }
    }

    fn marked(&mut self, marked: &Marked, cx: &mut Cx<'_>) {
        let mark = match marked {
            Ok(mark) => mark,
            Err(why) => return cx.warn(why.clone()),
        };
        let Some(process) = self.process() else {
            return;
        };
        process.mark((**mark).clone());
        let text = if process.to.is_none() {
            "Mark A is set: m again sets mark B, M forgets both."
        } else {
            "Mark B is set: the next one makes it mark A."
        };
        self.turn_to(Tab::Growth);
        cx.info(text);
    }

    fn opened(&mut self, opened: &Opened, cx: &mut Cx<'_>) {
        match opened {
            Opened::Percent(path, percent) => {
                self.model.subject = Subject::Reading(path.clone(), *percent);
            }
            Opened::Done(heap) => {
                self.look_at(Subject::Heap(HeapFile {
                    heap: heap.clone(),
                    ..HeapFile::default()
                }));
                if let Some(older) = self.since.take() {
                    cx.emit(work::open(older, true));
                }
            }
            Opened::Failed(why) => {
                self.since = None;
                self.look_at(Subject::Nothing);
                cx.warn(why.clone());
            }
        }
    }

    fn opened_older(&mut self, opened: &Opened, cx: &mut Cx<'_>) {
        match opened {
            Opened::Percent(_, percent) => {
                self.busy = Some(format!("reading the older file: {percent} %"));
            }
            Opened::Done(heap) => {
                self.busy = None;
                if let Subject::Heap(file) = &self.model.subject
                    && let Err(why) = comparable(heap, &file.heap)
                {
                    cx.warn(why);
                    return;
                }
                self.model.compare_with(heap);
                self.rows.select(Some(0));
            }
            Opened::Failed(why) => {
                self.busy = None;
                cx.warn(why.clone());
            }
        }
    }
}
