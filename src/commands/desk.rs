//! What commands of the desk have in common: what they are given, and their two ways, to text and to the screen.

use std::{
    any::Any,
    ffi::OsString,
    io::{BufRead as _, IsTerminal as _, Write, stdin},
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::Value;

use super::failure::{Result, warn};
use crate::{
    base::locks::lock,
    debugger::{Command, adapters::Context},
    diagnostics::omp::{Environment, Layout},
    surroundings::NOWHERE,
    text::{json::printable, redact::Redactor},
    tui::action::{effect::RouteId, msg::Begin},
};

/// Where a command of the desk works.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// Our surroundings.
    pub context: &'a Context,
    /// Where omp keeps its files, when that was said.
    pub omp_dir: Option<&'a Path>,
    /// Does what another command line says, of which the words are without the program's name; the exit code.
    pub start: fn(&[OsString]) -> Result<u8>,
}

impl Desk<'_> {
    /// Where omp keeps its files.
    pub fn layout(&self) -> Layout {
        let context = self.context;
        Layout::find(&Environment {
            home: context.home.clone().unwrap_or_else(|| NOWHERE.into()),
            cwd: context.cwd.clone(),
            variables: self.variables(),
            omp_dir: self.omp_dir.map(Path::to_path_buf),
        })
    }

    /// The same, and what is odd about it is said.
    pub fn layout_with_warnings(&self) -> Layout {
        let layout = self.layout();
        layout.warnings.iter().for_each(|text| warn(text));
        layout
    }

    /// The environment.
    pub fn variables<T: FromIterator<(String, String)>>(&self) -> T {
        let variables = self.context.env.iter();
        variables
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Takes out what looks like a secret.
    pub fn redactor(&self) -> Redactor {
        Redactor::new().with_secrets(self.context.env.iter())
    }

    /// A file that was named.
    pub fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.context.cwd.join(file)
    }
}

/// What the screen begins with.
#[derive(Default)]
pub struct Route {
    /// Which route; none = the selector, or what the commands lead to.
    pub id: Option<RouteId>,
    /// What it is told first.
    pub begin: Option<Begin>,
    /// What the core is asked for.
    pub commands: Vec<Command>,
    /// Kept for as long as the screen is there.
    pub kept: Option<Box<dyn Any>>,
}

impl Route {
    /// To this route.
    pub fn to(id: RouteId) -> Self {
        Self {
            id: Some(id),
            ..Self::default()
        }
    }

    /// Which is told this first.
    #[must_use]
    pub fn begin<T: Any + Send>(mut self, what: T) -> Self {
        self.begin = Some(Begin::new(what));
        self
    }
}

/// A command of the desk.
pub trait DeskCommand {
    /// Whether the options leave it open where the answer is shown.
    fn is_for_the_screen(&self) -> bool {
        false
    }

    /// Whether it is done only after the settings were read.
    fn reads_settings(&self) -> bool {
        false
    }

    /// The answer as text or JSON; gives the exit code.
    fn run(&self, desk: &Desk<'_>) -> Result<u8>;

    /// The answer on the screen.
    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        Ok(Route::default())
    }
}

/// Whether a person is there to be asked.
pub fn can_ask() -> bool {
    stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// What the person answers, in lower case; nothing where it cannot be read.
pub fn ask(question: &str) -> Option<String> {
    let _ = write!(std::io::stderr(), "{question}");
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).ok()?;
    Some(answer.trim().to_lowercase())
}

/// A value as JSON, with these members added to its own.
pub fn with_members(value: &impl Serialize, more: Value) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(value)?;
    if let (Some(own), Value::Object(more)) = (value.as_object_mut(), more) {
        own.extend(more);
    }
    Ok(value)
}

/// One JSON value on one line.
pub fn write_line(out: &mut dyn Write, value: &Value) -> std::io::Result<()> {
    writeln!(out, "{}", printable(&value.to_string()))
}

/// One JSON value, indented.
pub fn write_pretty(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(out, "{}", printable(&text))?)
}

/// One line on standard error that says how far the work is, and is written over.
pub struct StatusLine {
    /// Whether somebody looks.
    live: bool,
    /// When it was written last.
    last: Mutex<Option<Instant>>,
}

impl Default for StatusLine {
    fn default() -> Self {
        Self {
            live: std::io::stderr().is_terminal(),
            last: Mutex::new(None),
        }
    }
}

impl StatusLine {
    /// How often it is written anew.
    const PAUSE: Duration = Duration::from_millis(100);

    /// Writes it, if it is time to.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let mut last = lock(&self.last);
        if self.live && last.is_none_or(|last| last.elapsed() >= Self::PAUSE) {
            *last = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", text());
        }
    }

    /// Takes it away.
    pub fn end(&self) {
        if lock(&self.last).take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
