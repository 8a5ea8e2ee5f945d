//! How a program is to be started. What was started before comes first; what cannot be started stays in the form, with the
//! reason and what to do about it. Whether the program exists is the core's to say: nothing is read here.

use base::text::words;
use debugger::{
    Console, LaunchSpec,
    adapters::Table,
    workspace::{FileEntry, is_source},
};

use crate::{debug_prelude::*, routes::home::model as home};

/// Cells of content.
const WIDE: u16 = 88;
/// Lines at most for what went wrong.
const TROUBLE: u16 = 3;

const PROGRAM: usize = 0;
const ARGS: usize = 1;
const CWD: usize = 2;
const ENV: usize = 3;
const STDIN: usize = 4;
const ADAPTER: usize = 5;
const STOP: usize = 6;
const CONSOLE: usize = 7;

/// As the form names them.
const CONSOLES: [Console; 4] = [
    Console::Internal,
    Console::Pipe,
    Console::Pty,
    Console::External,
];

/// The form.
#[derive(Debug, Default)]
pub struct LaunchForm {
    form: Form,
    root: PathBuf,
    files: Vec<String>,
    /// Launches of earlier times, newest first, and which one is shown.
    history: Vec<LaunchSpec>,
    shown: Option<usize>,
    /// What the form was filled from: what it has no row for is kept.
    base: LaunchSpec,
    asked: PendingAnswer,
    trouble: Option<String>,
}

/// Opens it with what was started last.
pub fn open(cx: &Cx) {
    let mut form = LaunchForm::new(&cx.view.project, &cx.view.state);
    form.recall(0);
    show(form, cx);
}

/// Opens it with a program; the rest as it was the last time that program was started.
pub fn open_with(program: &Path, cx: &Cx) {
    let mut form = LaunchForm::new(&cx.view.project, &cx.view.state);
    match form.history.iter().position(|s| s.program == program) {
        Some(at) => form.recall(at),
        None => form.form.set_text(PROGRAM, &program.to_string_lossy()),
    }
    show(form, cx);
}

fn show(form: LaunchForm, cx: &Cx) {
    let root = form.root.clone();
    cx.open(form);
    cx.emit(Effect::ListFiles(root));
}

impl LaunchForm {
    fn new(root: &Path, state: &State) -> Self {
        let mut adapters = vec!["the one that fits"];
        adapters.extend(Table::builtin().iter().map(|a| a.name.as_str()));
        let form = Form::new(vec![
            Item::text(
                "program",
                "",
                "a script or a binary",
                "Tab completes files of this project.",
            ),
            Item::text(
                "arguments",
                "",
                "none",
                "Words as for a shell; quotes keep blanks together.",
            ),
            Item::text("folder", "", "this one", "The program's working directory."),
            Item::text(
                "environment",
                "",
                "as ours",
                "NAME=value words; NAME alone takes a variable away.",
            ),
            Item::text(
                "stdin",
                "",
                "nothing",
                "A file that the program reads as standard input.",
            ),
            Item::choice(
                "adapter",
                adapters,
                0,
                "Left and right choose which debugger runs it.",
            ),
            Item::choice(
                "stop at start",
                ["if no breakpoint is set", "yes", "no"],
                0,
                "Whether to stop at the program's own first line.",
            ),
            Item::choice(
                "console",
                ["internal", "pipe", "terminal", "window"],
                0,
                "Internal: through the adapter. Pipe: fastest. Terminal: a pane here. Window: of $TERMINAL.",
            ),
        ])
        .leaving(&['p', 'n']);
        let saved = state
            .memory
            .get(home::MEMORY)
            .map_or(&[][..], Vec::as_slice);
        Self {
            form,
            root: root.to_owned(),
            history: saved
                .iter()
                .rev()
                .filter_map(|t| serde_json::from_str(t).ok())
                .collect(),
            ..Self::default()
        }
    }

    /// Fills the form from the history.
    fn recall(&mut self, at: usize) {
        let Some(spec) = self.history.get(at).cloned() else {
            return;
        };
        self.shown = Some(at);
        let path = |p: Option<&PathBuf>| {
            p.map(|p| p.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        self.form.set_text(PROGRAM, &spec.program.to_string_lossy());
        self.form.set_text(ARGS, &words::join(&spec.args));
        self.form.set_text(CWD, &path(spec.cwd.as_ref()));
        let env = spec.env.iter().map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        });
        self.form.set_text(ENV, &words::join(env));
        self.form.set_text(STDIN, &path(spec.stdin.as_ref()));
        let adapter = spec
            .adapter
            .as_deref()
            .and_then(|name| Table::builtin().iter().position(|a| a.name == name));
        self.form.choose(ADAPTER, adapter.map_or(0, |at| at + 1));
        let stops = spec.stop_on_entry;
        self.form
            .choose(STOP, stops.map_or(0, |stop| if stop { 1 } else { 2 }));
        let console = CONSOLES.iter().position(|c| *c == spec.console);
        self.form.choose(CONSOLE, console.unwrap_or(0));
        self.base = spec;
    }

    fn older(&mut self, by: isize) {
        let at = self.shown.map_or(0, |at| at.saturating_add_signed(by));
        self.recall(at.min(self.history.len().saturating_sub(1)));
    }

    /// What the form says; the row that is wrong gets the cursor.
    fn spec(&self) -> Result<LaunchSpec, (usize, String)> {
        let path = |row: usize| self.form.filled(row).map(PathBuf::from);
        let program =
            path(PROGRAM).ok_or_else(|| (PROGRAM, "Type the program to start.".to_owned()))?;
        let args = words::arguments(self.form.text(ARGS)).map_err(|e| (ARGS, e))?;
        let mut env = Vec::new();
        for word in words::split(self.form.text(ENV)).map_err(|e| (ENV, e))? {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            if name.is_empty() {
                return Err((
                    ENV,
                    format!("`{word}` names no variable; write NAME=value."),
                ));
            }
            env.push((name.to_owned(), value));
        }
        Ok(LaunchSpec {
            program,
            args,
            cwd: path(CWD),
            env,
            stdin: path(STDIN),
            adapter: (self.form.chosen(ADAPTER) > 0).then(|| self.form.option(ADAPTER).to_owned()),
            stop_on_entry: match self.form.chosen(STOP) {
                0 => None,
                chosen => Some(chosen == 1),
            },
            console: CONSOLES
                .get(self.form.chosen(CONSOLE))
                .copied()
                .unwrap_or_default(),
            ..self.base.clone()
        })
    }

    fn launch(&mut self, cx: &Cx) {
        match self.spec() {
            Ok(spec) => {
                self.trouble = None;
                self.base = spec.clone();
                self.asked.ask((), Command::Launch(Box::new(spec)), cx);
            }
            Err((row, trouble)) => {
                self.form.set_focus(row);
                self.trouble = Some(trouble);
            }
        }
    }

    /// Files that begin as the program is written.
    fn candidates(&self) -> Vec<&str> {
        let typed = self.form.text(PROGRAM);
        let root = format!("{}/", self.root.display());
        let typed = typed.strip_prefix(&root).unwrap_or(typed);
        let typed = typed.strip_prefix("./").unwrap_or(typed);
        self.files
            .iter()
            .map(String::as_str)
            .filter(|f| f.starts_with(typed))
            .collect()
    }

    /// Completes the program as far as it is certain; there is nothing to complete: on to the next row.
    fn next(&mut self) {
        if self.form.focus == PROGRAM {
            let candidates = self.candidates();
            let typed = self.form.text(PROGRAM);
            let common = common_prefix(candidates.iter().copied());
            if !typed.ends_with(common) {
                let common = common.to_owned();
                self.form.set_text(PROGRAM, &common);
                return;
            }
        }
        self.form.step(1);
    }

    /// What is said below the rows.
    fn note(&self) -> Option<String> {
        if let Some(trouble) = &self.trouble {
            return Some(trouble.clone());
        }
        if self.asked.is_open() {
            return Some("starting…".into());
        }
        let candidates = self.candidates();
        if self.form.focus != PROGRAM
            || candidates.is_empty()
            || candidates.contains(&self.form.text(PROGRAM))
        {
            return None;
        }
        let few: Vec<_> = candidates.iter().take(4).copied().collect();
        let more = match candidates.len() - few.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!("{}{more}", few.join("  ")))
    }
}

gates! { LaunchForm, s, _;
    idle: !s.asked.is_open(), "It is being started.";
    has_history: !s.history.is_empty(), "Nothing was started in this project before.";
}

impl Surface for LaunchForm {
    table! { "Debug a program", s, cx;
        "launch.start"          "start"                ["enter"], Footer  if idle => Self::launch;
        "launch.next-field"     "complete, next field" ["tab"], Footer    => s.next();
        "launch.older"          "earlier one"          ["ctrl-p"], Footer if has_history => s.older(1);
        "launch.newer"          "later one"            ["ctrl-n"]         if has_history => s.older(-1);
        "launch.previous-field" "previous field"       ["shift-tab"]      => s.form.step(-1);
        "launch.cancel"         "cancel"               ["esc"], Footer    => cx.close();
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let rows = self.form.height();
        let right = match (self.shown, self.history.len()) {
            (Some(at), all) if all > 0 => format!("{} of {all} earlier ones", at + 1),
            _ => String::new(),
        };
        let note = self.note().map(|n| sanitise_block(&n).replace('\n', " "));
        let note = note.unwrap_or_default();
        let cells = usize::from(WIDE.min(area.width.saturating_sub(4))).saturating_sub(2);
        let lines = wrap(&note, cells.max(1));
        // One line is always there, so that the form does not jump while completions come and go.
        let below = (lines.len() as u16).clamp(1, TROUBLE);
        let size = (WIDE, rows + 1 + below);
        let inner = dialog(canvas, area, size, Self::TITLE, &right);
        self.form.draw(canvas, top(inner, rows));
        if note.is_empty() {
            return;
        }
        let muted = canvas.theme.muted;
        let style = self.trouble.as_ref().map_or(muted, |_| canvas.theme.error);
        // Without room for it below the rows, what went wrong is more than the last row of help.
        let first = rows.saturating_add(1).min(inner.height.saturating_sub(1));
        for (range, at) in lines.into_iter().zip(first..inner.height) {
            let row = inner.row(at);
            canvas.clear(row, canvas.theme.overlay_bg);
            let text = note.get(range).unwrap_or_default();
            cut_line(canvas, row.after(2), text, style);
        }
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        if let Msg::Files {
            root,
            result: Ok(files),
        } = msg
            && *root == self.root
        {
            let can_start = |f: &&FileEntry| f.executable || is_source(&f.path);
            let files = files.iter().filter(can_start);
            self.files = files.map(|f| f.name.clone()).collect();
            cx.redraw();
        }
        if let Some(((), result)) = self.asked.answer(msg) {
            match result {
                Ok(_) => {
                    let remember = home::remember(&cx.view.state, &self.base);
                    cx.extend(remember.map(Effect::core));
                    cx.close();
                    cx.go(RouteId::DEBUG);
                }
                Err(error) => self.trouble = Some(with_hint(error)),
            }
            cx.redraw();
        }
    }

    input_of!(form, trouble);
}

#[cfg(test)]
mod tests;
