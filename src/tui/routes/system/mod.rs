//! System: what this machine is and allows, and how busy chosen processes are.
//!
//! [`model`] holds what was found, [`view`] draws. Everything is read and sampled by work beside the drawing task, and only while this
//! is the route that is shown.

pub mod model;
mod view;

use debugger::adapters::{Table, doctor};
use diagnostics::system::{
    Adapter, Collector, System,
    processes::{Process, Sampler, look_up},
};

use self::model::Model;
use crate::prelude::*;

const LOOK: &str = "system.look";
const SAMPLE: &str = "system.sample";
const FIND: &str = "system.find";
/// Between two samples.
const EVERY: Duration = Duration::from_secs(1);

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Facts,
    Processes,
}

/// The route.
#[derive(Debug, Default)]
pub struct SystemRoute {
    model: Model,
    facts: ListState,
    processes: ListState,
    focus: Focus,
    shown: bool,
    frozen: bool,
    /// The number being typed of a process to be watched.
    line: Option<Typing<Self>>,
    /// Where the names of the two halves were drawn when there is room for one of them.
    tabs: Vec<(Rect, usize)>,
}

static ADD: TypedLine<SystemRoute> = TypedLine {
    hint: "as ps shows it",
    ..TypedLine::new(
        &[("Enter", "watch it"), ("Esc", "leave")],
        |_| ["", "Process number: "],
        |_, needle, cx| SystemRoute::added(needle.text.trim(), cx),
    )
};

fn on_process(s: &SystemRoute, _: &View) -> Enabled {
    match s.focus {
        Focus::Processes if s.selected_process().is_some() => Ok(()),
        _ => Err("Select a process first: Tab goes to them."),
    }
}

gates! { SystemRoute, s;
    has_facts: !s.model.lines.is_empty(), "It is still being read.";
}

impl SystemRoute {
    /// Reads everything anew.
    fn look(&mut self, cx: &Cx) {
        let omp = cx.view.omp.as_ref().clone();
        cx.work(LOOK, move |teller| look(teller, omp));
        let own = Process {
            pid: std::process::id(),
            name: "omp-debug".to_owned(),
            ..Process::default()
        };
        self.model.list(&own, "this screen", false);
        self.learn(cx);
        self.sample(cx);
    }

    /// Lists what is being debugged.
    fn learn(&mut self, cx: &Cx) {
        let mut new = false;
        for session in cx.view.state.live() {
            let pid = session.pid.and_then(|pid| u32::try_from(pid).ok());
            let Some(pid) = pid.filter(|pid| *pid > 0) else {
                continue;
            };
            let process = Process {
                pid,
                name: session.name.clone(),
                ..Process::default()
            };
            new |= self.model.list(&process, "being debugged", true);
        }
        if new {
            self.sample(cx);
        }
    }

    /// Samples the chosen processes from now on.
    fn sample(&self, cx: &Cx) {
        let asked = self.model.chosen();
        if !self.shown || self.frozen || asked.is_empty() {
            cx.end_work(SAMPLE);
            return;
        }
        cx.work(SAMPLE, move |teller| {
            let mut sampler = Sampler::new(&asked);
            loop {
                let (pids, taken) = (asked.clone(), sampler.sample());
                let goes_on = teller.call(move |s: &mut Self, cx| {
                    s.model.sample(&pids, &taken);
                    if s.model.chosen().is_empty() {
                        cx.end_work(SAMPLE);
                    }
                });
                if !goes_on {
                    return;
                }
                std::thread::sleep(EVERY);
            }
        });
    }

    pub(super) fn facts(&mut self, system: &System, cx: &Cx) {
        let before = self.model.chosen();
        self.model.facts(system);
        if self.model.chosen() != before {
            self.sample(cx);
        }
        if self.facts.selected().is_none() {
            self.facts.select(Some(0));
            self.processes.select(Some(0));
        }
    }

    fn selected_process(&self) -> Option<usize> {
        let at = self.processes.selected()?;
        (at < self.model.processes.len()).then_some(at)
    }

    /// Samples the selected process, or no longer.
    fn choose(&mut self, cx: &Cx, chosen: Option<bool>) {
        let at = self.selected_process();
        let Some(process) = at.and_then(|at| self.model.processes.get_mut(at)) else {
            return;
        };
        process.chosen = chosen.unwrap_or(!process.chosen);
        self.sample(cx);
    }

    fn freeze(&mut self, cx: &Cx) {
        self.frozen = !self.frozen;
        self.sample(cx);
    }

    fn forget(&mut self, cx: &Cx) {
        if let Some(at) = self.selected_process() {
            self.model.processes.remove(at);
            self.sample(cx);
        }
    }

    fn added(text: &str, cx: &Cx) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        let Some(wanted) = text.parse::<u32>().ok().filter(|pid| *pid > 0) else {
            return Err(format!(
                "{text:?} is no process number: write one as ps shows it."
            ));
        };
        let find = move |teller: &Teller| {
            let redactor = Redactor::new().with_secrets(teller.context().env.iter());
            look_up(&[wanted], &redactor)
        };
        cx.finding(FIND, find, move |s: &mut Self, found, cx| {
            let Some(process) = found.first() else {
                return cx.warn(format!("There is no process {wanted}."));
            };
            s.model.list(process, "", true);
            let at = s.model.processes.iter().position(|p| p.pid == wanted);
            s.processes.select(at);
            s.choose(cx, Some(true));
        });
        Ok(())
    }

    fn section(&mut self, back: bool, _: &Cx) {
        self.focus = Focus::Facts;
        let from = self.facts.selected().unwrap_or(0);
        if let Some(at) = self.model.heading(from, back) {
            self.facts.select(Some(at));
        }
    }

    fn copy(&mut self, cx: &Cx) {
        let (text, what) =
            if let (Focus::Processes, Some(at)) = (self.focus, self.selected_process()) {
                let process = self.model.processes.get(at);
                let text = process.map(|p| format!("{} {} {}", p.pid, p.name, p.about));
                (text, "process".to_owned())
            } else {
                let at = self.facts.selected().unwrap_or(0);
                let text = self.model.line_text(at);
                let label = text.as_deref().and_then(|t| t.split([':', '\n']).next());
                let what = label.unwrap_or_default().to_owned();
                (text, what)
            };
        if let Some(text) = text {
            cx.copy(text, what);
        }
    }
}

/// Facts first, then what takes longer.
fn look(teller: &Teller, omp: diagnostics::omp::Layout) {
    let context = teller.context();
    let env = context.env.as_ref().clone();
    let redactor = Redactor::new().with_secrets(env.iter());
    let collector = Collector::new(&context.cwd, env, omp);
    let facts = Box::new(collector.facts());
    if !teller.call(move |s: &mut SystemRoute, cx| s.facts(&facts, cx)) {
        return;
    }
    let (versions, unknown) = collector.versions(teller.cancel());
    let versions = Box::new(versions);
    if !teller.call(move |s: &mut SystemRoute, _| s.model.versions(&versions, &unknown)) {
        return;
    }
    let (table, _warnings) = Table::load(context);
    // Work runs on a thread of the runtime that may block.
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    let reports = runtime.block_on(doctor(&table, context));
    let adapter = |report: &debugger::adapters::Report| {
        Adapter::new(&report.name, report.in_short(), &redactor)
    };
    let adapters: Vec<Adapter> = reports.iter().map(adapter).collect();
    teller.call(move |s: &mut SystemRoute, _| s.model.adapters(&adapters));
}

impl Scrolls for SystemRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match self.focus {
            Focus::Facts => Scrolled::Rows(&mut self.facts, self.model.lines.len()),
            Focus::Processes => Scrolled::Rows(&mut self.processes, self.model.processes.len()),
        }
    }

    fn roll(&mut self, at: (u16, u16), by: isize, _cx: &Cx) {
        match self.processes.row_at(at.0, at.1) {
            Some(_) => self.processes.scroll_by(by, self.model.processes.len()),
            None => self.facts.scroll_by(by, self.model.lines.len()),
        }
    }

    fn click(&mut self, (column, row): (u16, u16), _cx: &Cx) -> bool {
        for (focus, list) in [
            (Focus::Processes, &mut self.processes),
            (Focus::Facts, &mut self.facts),
        ] {
            if let Some(at) = list.row_at(column, row) {
                self.focus = focus;
                list.select(Some(at));
                return true;
            }
        }
        false
    }
}

impl Browser for SystemRoute {
    table! { "System", s, cx;
        "system.copy" "copy this" ["y" "ctrl-c"], Bar("copy") if has_facts => Self::copy;
        "system.copy-all" "copy all" ["Y"], Bar("copy all") if has_facts => cx.copy(s.model.text(), "system");
        "system.pane" "facts or processes" ["tab" "shift-tab"], Bar("processes") => s.focus = beside(&[Focus::Facts, Focus::Processes], s.focus, 1);
        "system.watch" "watch this process, or no longer" ["space" "enter"], Footer if on_process => s.choose(cx, None);
        "system.add" "watch a process by number" ["a" "+"], Footer => {
            s.focus = Focus::Processes;
            s.line = ADD.with(Field::default());
        };
        "system.freeze" "freeze the charts, or go on" ["f"], Footer => Self::freeze;
        "system.refresh" "read anew" ["r"], Footer => Self::look;
        "system.terminal" "terminal" ["e"], Footer -> TERMINAL;
        "system.forget" "take the process off the list" ["delete" "x"] if on_process => Self::forget;
        jumps "system" "section" "section" ["]" "}"] ["[" "{"] if has_facts => section;
        lines "system" "up" "down";
        ends "system" "first line" "last line";
    }

    type Begin = ();

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            self.look(cx);
        } else {
            for work in [LOOK, SAMPLE, FIND] {
                cx.end_work(work);
            }
        }
    }

    fn happened(&mut self, msg: &Msg, cx: &Cx) {
        if self.shown && matches!(msg, Msg::Events(_)) {
            self.learn(cx);
        }
    }

    types_in!(line);

    tabs_in!(tabs);

    fn turned_to(&mut self, tab: usize, _cx: &Cx) {
        self.focus = match tab {
            0 => Focus::Facts,
            _ => Focus::Processes,
        };
    }
}

#[cfg(test)]
mod tests;
