//! Chooses whose memory: a process, the one with most memory first, or a heap file whose path is typed.

use debugger::State;
use diagnostics::system::{processes::Process, text::bytes};

use super::{LIST, MemoryRoute, Subject};
use crate::kit::{
    picking::{Picking, Source, Words},
    prelude::*,
};

/// All processes.
pub struct Processes;

/// The popup.
pub type Chooser = Picking<Processes>;

fn is_debugged(state: &State, pid: u32) -> bool {
    state
        .live()
        .any(|session| session.pid == Some(i64::from(pid)))
}

/// The file whose path is typed.
fn is_file(text: &str) -> bool {
    text.contains('/') || text.ends_with(".heapsnapshot")
}

impl Chooser {
    /// These processes are there; debuggers of ours are no choice, unless they are debugged.
    pub fn list(&mut self, mut choices: Vec<Process>, ours: &HashSet<u32>, state: &State) {
        choices.retain(|choice| !ours.contains(&choice.pid) || is_debugged(state, choice.pid));
        choices.sort_by_key(|choice| !is_debugged(state, choice.pid));
        self.show(choices);
    }

    fn accept(&mut self, cx: &Cx) {
        if is_file(self.query()) {
            let file = path_of(self.query(), &cx.view.project);
            return Self::done(cx, |s, cx| s.look_at_file(file, cx));
        }
        // A whole number is that process, whatever else has its digits.
        let pid = self.query().parse::<u32>().ok();
        let named = self.entries().iter().find(|one| Some(one.pid) == pid);
        if let Some(pid) = named.or_else(|| self.selected()).map(|one| one.pid) {
            Self::done(cx, move |s, cx| s.look_at_process(pid, cx));
        }
    }

    fn leave(_: &mut Self, cx: &Cx) {
        Self::done(cx, |s, cx| {
            if s.model.subject == Subject::Nothing {
                cx.go(RouteId::HOME);
            }
        });
    }

    fn done(cx: &Cx, then: impl FnOnce(&mut MemoryRoute, &Cx) + Send + 'static) {
        cx.close();
        cx.emit(Effect::on(LIST, then));
    }
}

impl Source for Processes {
    type Entry = Process;
    table! { Chooser: "Whose memory?";
        "memory-picker.look" "look at it" ["enter"], Footer => Chooser::accept;
        "memory-picker.leave" "leave" ["esc"], Footer => Chooser::leave;
        steps "memory-picker";
    }

    const WORDS: Words = Words {
        hint: "name, pid, or the path of a heap file",
        asking: "looking around…",
        nothing: "There is no process.",
        unmatched: "No process has these letters.",
    };

    fn name<'e>(&self, one: &'e Process) -> Cow<'e, str> {
        format!("{} {} {}", one.pid, one.name, one.command).into()
    }

    fn size(&self, _: Option<usize>, area: Rect) -> (u16, u16) {
        let wide = (area.width * 4 / 5).clamp(40, 120);
        (wide, (area.height * 4 / 5).clamp(6, 40))
    }

    fn row(&self, choice: &Process, _: bool, cells: &mut Cells) {
        let view = cells.view.clone();
        if choice.pid == std::process::id() {
            cells.remark("this screen");
        } else if is_debugged(&view.state, choice.pid) {
            cells.right("debugged here", view.theme.warning);
        }
        let memory = format!("{:>9} ", bytes(choice.memory));
        cells
            .text(&memory)
            .column(&choice.pid.to_string(), 8, view.theme.number)
            .column(&choice.name, 16, view.theme.text)
            .skip(1)
            .muted(&choice.command);
    }

    fn instead(&self, query: &str) -> Option<String> {
        is_file(query).then(|| format!("Enter opens the heap file {query}"))
    }
}
