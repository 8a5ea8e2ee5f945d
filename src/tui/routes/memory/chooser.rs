//! Chooses whose memory: a process, the one with most memory first, or a heap file whose path is typed.

use debugger::State;
use diagnostics::system::{processes::Process, text::bytes};

use crate::kit::prelude::*;

/// The list and what is typed.
#[derive(Debug, Default)]
pub struct Chooser {
    picker: Picker,
    choices: Option<Vec<Process>>,
    names: Vec<String>,
}

/// What a key or a click led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Still choosing.
    Nothing,
    /// Never mind.
    Leave,
    Process(u32),
    File(PathBuf),
}

/// What is being debugged here, by its process.
fn is_debugged(state: &State, pid: u32) -> bool {
    state
        .live()
        .any(|session| session.pid == Some(i64::from(pid)))
}

impl Chooser {
    /// Takes in the processes; those that are debugged here come first.
    pub fn list(&mut self, mut choices: Vec<Process>, ours: &HashSet<u32>, state: &State) {
        choices.retain(|choice| !ours.contains(&choice.pid) || is_debugged(state, choice.pid));
        choices.sort_by_key(|choice| !is_debugged(state, choice.pid));
        self.names = choices
            .iter()
            .map(|c| format!("{} {} {}", c.pid, c.name, c.command))
            .collect();
        self.choices = Some(choices);
        self.narrow();
    }

    fn narrow(&mut self) {
        self.picker.narrow(self.names.iter().map(String::as_str));
    }

    fn file(&self) -> Option<PathBuf> {
        let text = self.picker.query();
        let is_path = text.contains('/') || text.ends_with(".heapsnapshot");
        is_path.then(|| PathBuf::from(text))
    }

    fn accept(&self) -> Chosen {
        if let Some(file) = self.file() {
            return Chosen::File(file);
        }
        // A whole number is that process, whatever else has its digits.
        let pid = self.picker.query().parse::<u32>().ok();
        let choices = self.choices.as_deref().unwrap_or_default();
        if let Some(choice) = choices.iter().find(|choice| Some(choice.pid) == pid) {
            return Chosen::Process(choice.pid);
        }
        let selected = self.picker.selected();
        let choice = selected.and_then(|at| self.choices.as_ref()?.get(at));
        choice.map_or(Chosen::Nothing, |choice| Chosen::Process(choice.pid))
    }

    /// Takes a key; nothing = not one of its keys.
    pub fn key(&mut self, key: KeyEvent) -> Option<Chosen> {
        match key.code {
            KeyCode::Enter => return Some(self.accept()),
            KeyCode::Esc => return Some(Chosen::Leave),
            _ if self.picker.moved(key) => {}
            _ if self.picker.key(key) => self.narrow(),
            _ => return None,
        }
        Some(Chosen::Nothing)
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.picker.paste(text);
        self.narrow();
    }

    /// Takes a mouse event; nothing = not its.
    pub fn mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> Option<Chosen> {
        let again = self.picker.mouse(event, cx)?;
        Some(if again {
            self.accept()
        } else {
            Chosen::Nothing
        })
    }

    /// Draws it over the route.
    pub fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let wide = (area.width * 4 / 5).clamp(40, 120);
        let high = (area.height * 4 / 5).clamp(6, 40);
        let right = self.choices.as_ref().map_or_else(String::new, |all| {
            format!("{} of {}", self.picker.len(), all.len())
        });
        let title = "Whose memory?";
        let inner = dialog(buf, area, (wide, high), title, &right, view);
        let none = match (self.file(), &self.choices) {
            (Some(file), _) => format!("Enter opens the heap file {}", file.display()),
            (None, None) => "looking around…".to_owned(),
            (None, Some(_)) => "No process has these letters.".to_owned(),
        };
        let choices = self.choices.as_deref().unwrap_or_default();
        let hint = "name, pid, or the path of a heap file";
        self.picker.draw(buf, inner, hint, &none, view, |at, room| {
            let mut cells = Cells::new(room, view);
            if let Some(choice) = choices.get(at) {
                if choice.pid == std::process::id() {
                    cells.remark("this screen");
                } else if is_debugged(view.state, choice.pid) {
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
            cells.line()
        });
    }
}
