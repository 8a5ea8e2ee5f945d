//! Source text: the line the program stands at, and `list` with arrow and breakpoints.

use dap::types::Source;
use debugger::workspace;

use super::{parse::Here, prelude::*};

/// Lines that `list` shows.
const SHOWN: i64 = 11;

/// The frames that are known of where the session that is meant stands.
pub fn frames(state: &State) -> impl Iterator<Item = &StackFrame> {
    let stop = state.focused().and_then(|s| s.current_stop());
    let stacks = stop.into_iter().flat_map(|s| s.stacks.values());
    stacks.flat_map(|s| &s.frames)
}

/// Files that are known by more than their name: the program's source, those of frames, then those of breakpoints.
pub fn known(state: &State, program: Option<&Path>) -> Vec<PathBuf> {
    let program = program.filter(|p| workspace::is_source(p));
    let breakpoints = state.breakpoints.iter();
    let breakpoints = breakpoints.filter_map(|b| b.site.file().map(Path::to_path_buf));
    let all = program.map(Path::to_path_buf).into_iter();
    all.chain(frames(state).filter_map(path_of))
        .chain(breakpoints)
        .collect()
}

fn path_of(frame: &StackFrame) -> Option<PathBuf> {
    frame.path().map(PathBuf::from)
}

impl Repl {
    /// Where one is.
    pub(super) fn here(&self) -> Here {
        let frame = self
            .state
            .focused()
            .filter(|s| s.current_stop().is_some())
            .and_then(|s| s.current_frame());
        let program = self.options.launch.as_ref().map(|l| l.program.as_path());
        let known = known(&self.state, program);
        let program = program.filter(|p| workspace::is_source(p));
        let listed = self.listing.as_ref().map(|(path, _)| path.clone());
        let last = known.last().cloned();
        Here {
            cwd: self.options.cwd.clone(),
            file: (frame.and_then(path_of))
                .or_else(|| program.map(Path::to_path_buf))
                .or(listed)
                .or(last),
            line: frame.map(|f| f.line),
            known,
        }
    }

    /// Lines of a source: the adapter's text where there is one, the file otherwise.
    pub(super) async fn text(&mut self, source: &Source) -> Result<Arc<Vec<String>>> {
        let path = source.path.as_ref().map(PathBuf::from);
        if let Some(path) = &path
            && let Some(lines) = self.sources.get(path)
        {
            return Ok(Arc::clone(lines));
        }
        let asked = if self.state.focused().is_some() {
            self.ask(Command::Source {
                session: None,
                source: Box::new(source.clone()),
            })
            .await
            .ok()
        } else {
            None
        };
        let content = match (asked, &path) {
            (Some(Reply::Source { content, .. }), _) => content,
            (_, Some(path)) => {
                let read = tokio::fs::read(path).await;
                let bytes = read.map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            (_, None) => return Err("There is no source for this frame.".into()),
        };
        let lines = Arc::new(content.lines().map(str::to_owned).collect::<Vec<_>>());
        if let Some(path) = path {
            self.sources.insert(path, Arc::clone(&lines));
        }
        Ok(lines)
    }

    /// The line a frame stands at; whether there is one.
    pub(super) async fn show_line(&mut self, frame: &StackFrame) -> bool {
        let Some(source) = &frame.source else {
            return false;
        };
        let Ok(lines) = self.text(source).await else {
            return false;
        };
        let index = usize::try_from(frame.line - 1).ok();
        let Some(line) = index.and_then(|i| lines.get(i)) else {
            return false;
        };
        let look = self.out.look;
        let number = look.paint(Role::Muted, format!("{:>5}", frame.line));
        let arrow = look.arrow(true);
        self.out
            .line(format!("{arrow}{number}  {}", sanitise(line)));
        true
    }

    /// `list`
    pub(super) async fn list(&mut self, typed: &ParsedCommand) -> CommandResult {
        let here = self.here();
        // gdb's `FIRST,LAST`.
        let range = typed.rest.rsplit_once(',');
        let range = range.and_then(|(rest, last)| Some((rest, last.trim().parse::<i64>().ok()?)));
        let (rest, last) = range.map_or((typed.rest.as_str(), None), |(r, l)| (r.trim(), Some(l)));
        if rest == "." {
            self.listing = None;
        }
        let (path, centre, from) = if rest.is_empty() || rest == "." {
            if let Some((path, from)) = self.listing.clone() {
                (path, None, from)
            } else {
                let path = here.file.clone();
                let path = path
                    .ok_or_else(|| "there is no present file: write list FILE:LINE".to_owned())?;
                (path, Some(here.line.unwrap_or(1)), 0)
            }
        } else {
            let (path, line) = match self.function_place(rest) {
                Some(place) => place,
                None => self.place_of(rest).await?,
            };
            match last {
                Some(_) => (path, None, line),
                None => (path, Some(line), 0),
            }
        };
        let source = self.source_of(&path);
        let lines = self.text(&source).await?;
        let count = lines.len() as i64;
        let from = centre.map_or(from, |line| line - SHOWN / 2).max(1);
        if from > count {
            let name = path.display();
            return Err(format!(
                "{name} has {count} lines; list . goes back to where the program stands"
            )
            .into());
        }
        let until = last.unwrap_or(from + SHOWN - 1).min(count);
        let present = here
            .line
            .filter(|_| here.file.as_deref() == Some(path.as_path()));
        for number in from..=until {
            let text = usize::try_from(number - 1).ok().and_then(|i| lines.get(i));
            let line = self.listed(&path, number, text.map_or("", String::as_str), present);
            self.out.line(&line);
        }
        self.listing = Some((path, until + 1));
        Ok(())
    }

    fn listed(&self, path: &Path, number: i64, text: &str, present: Option<i64>) -> String {
        let look = self.out.look;
        let mut breakpoints = self.state.breakpoints.iter();
        let breakpoint =
            breakpoints.find(|b| b.site.file() == Some(path) && b.shown_line() == Some(number));
        let sign = match breakpoint {
            None => " ".to_owned(),
            Some(b) if !b.enabled => look.paint(Role::Muted, "o"),
            Some(_) => look.paint(Role::Breakpoint, "*"),
        };
        let is_present = present == Some(number);
        let arrow = look.arrow(is_present);
        let number = look.paint(Role::Muted, format!("{number:>5}"));
        format!("{sign}{arrow}{number}  {}", sanitise(text))
            .trim_end()
            .to_owned()
    }

    /// The source with this path as a frame names it: it may have a reference of the adapter's.
    fn source_of(&self, path: &Path) -> Source {
        let mut sources = frames(&self.state).filter_map(|f| f.source.as_ref());
        sources
            .find(|s| s.path.as_deref().map(Path::new) == Some(path))
            .cloned()
            .unwrap_or_else(|| Source::file(path))
    }

    /// A line that is written, or that of a function which the debugger's own command line finds.
    pub(super) async fn place_of(&mut self, text: &str) -> Result<(PathBuf, i64)> {
        let here = self.here();
        let why = match parse::place(text, &here) {
            Ok(place) => return Ok(place),
            Err(why) => why,
        };
        let Some(shows) = self.shows() else {
            return Err(why.into());
        };
        let asked = format!("!{}{text}", shows.place);
        let told = self.evaluate(&asked, "repl").await?.result;
        let found = shows.place_is.captures(&told);
        let found = found.and_then(|c| Some((c.get(2)?.as_str(), c.get(1)?.as_str())));
        let (file, line) = found.ok_or_else(|| told.trim().to_owned())?;
        // It may be as the compiler was given it.
        parse::place(&format!("{file}:{line}"), &here).map_err(Into::into)
    }

    /// Where a function of the stack stands.
    fn function_place(&self, name: &str) -> Option<(PathBuf, i64)> {
        let frame = frames(&self.state).find(|f| f.name == name)?;
        Some((path_of(frame)?, frame.line))
    }
}
