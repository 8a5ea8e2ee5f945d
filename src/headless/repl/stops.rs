//! Where to stop: breakpoints of every kind, exceptions, watches.

use std::fmt::Write as _;

use dap::types::DataBreakpointAccessType;
use debugger::{BreakpointStatus, ExceptionFilter, WatchId, address::number, exceptions};

use super::prelude::*;

impl Repl {
    /// `break`, `tbreak`, `logpoint`
    pub(super) async fn set_breakpoint(&mut self, typed: &ParsedCommand) -> CommandResult {
        let here = self.here();
        let spec = match typed.row.verb {
            Verb::Logpoint => parse::logpoint(&typed.rest, &here)?,
            _ => parse::breakpoint(&typed.rest, &here)?,
        };
        self.place(spec, typed.row.verb == Verb::TemporaryBreak)
            .await
    }

    async fn place(&mut self, spec: BreakpointSpec, once: bool) -> CommandResult {
        if let Some(path) = spec.site.file().filter(|path| !path.exists()) {
            let told = format!("there is no file {} here", path.display());
            self.out.say(Role::Warning, sanitise(&told));
        }
        let Reply::Breakpoint { breakpoint } = self.ask(Command::SetBreakpoint(spec)).await? else {
            return Err("the breakpoint is gone again".into());
        };
        if once {
            self.once.push(breakpoint.id);
        } else {
            self.once.retain(|id| *id != breakpoint.id);
        }
        let line = self.described(&breakpoint).await;
        self.out.line(&line);
        Ok(())
    }

    /// One breakpoint in a line.
    async fn described(&mut self, breakpoint: &Breakpoint) -> String {
        let look = self.out.look;
        let what = match &breakpoint.site {
            _ if breakpoint.log_message.is_some() => "Log point",
            _ if breakpoint.record.is_some() => "Recording breakpoint",
            BreakpointSite::Data { .. } => "Watchpoint",
            _ if self.once.contains(&breakpoint.id) => "Temporary breakpoint",
            _ => "Breakpoint",
        };
        let mut line = format!(
            "{what} {} at {}",
            breakpoint.id.0,
            sanitise(&breakpoint.label())
        );
        if let Some((_, real)) = breakpoint.moved() {
            let _ = write!(line, ", moved to line {real}");
        }
        let record = breakpoint.record.as_ref().map(ToString::to_string);
        for (before, part) in [
            (" if ", &breakpoint.condition),
            (", hit ", &breakpoint.hit_condition),
            (", mode ", &breakpoint.mode),
            (" => ", &record),
            (": ", &breakpoint.log_message),
        ] {
            if let Some(part) = part {
                line.extend([before, &sanitise(part)]);
            }
        }
        match breakpoint.status() {
            BreakpointStatus::Verified => {}
            BreakpointStatus::Pending => {
                let told = match &breakpoint.never_hit {
                    Some(why) => format!(" ({})", sanitise(why)),
                    None => " (waits for the program)".to_owned(),
                };
                line.push_str(&look.paint(Role::Muted, told));
            }
            BreakpointStatus::Disabled => line.push_str(&look.paint(Role::Muted, " (off)")),
            BreakpointStatus::Unverified => {
                let command = Command::ExplainBreakpoint { id: breakpoint.id };
                let why = match self.ask(command).await {
                    Ok(Reply::Explained { text }) => text,
                    _ => breakpoint.message().unwrap_or("no reason given").to_owned(),
                };
                let told = format!(" (not in place: {})", sanitise(&why));
                line.push_str(&look.paint(Role::Warning, told));
            }
        }
        line
    }

    /// `info breakpoints`
    pub(super) async fn list_breakpoints(&mut self) {
        let mut lines = Vec::new();
        for breakpoint in self.state.breakpoints.clone() {
            lines.push(self.described(&breakpoint).await);
        }
        self.out.list(lines, "No breakpoints.");
    }

    /// `watchpoint`, `rwatch`, `awatch`
    pub(super) async fn watchpoint(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (name, mode) = parse::cut_mode(&typed.rest)?;
        let name = typed.said(name, "what")?;
        let (wanted, done) = match typed.row.verb {
            Verb::ReadWatchpoint => (DataBreakpointAccessType::Read, "read"),
            Verb::AccessWatchpoint => (DataBreakpointAccessType::ReadWrite, "read or changed"),
            _ => (DataBreakpointAccessType::Write, "changed"),
        };
        self.stopped()?;
        let (place, bytes) = name.strip_prefix('*').and_then(at_address).unzip();
        let asked = Command::DataBreakpointInfo {
            session: None,
            container: None,
            frame_id: None,
            name: place.unwrap_or_else(|| name.to_owned()),
            bytes,
            mode: mode.clone(),
        };
        let Reply::DataBreakpointInfo { info } = self.ask(asked).await? else {
            return Err("the adapter did not say whether it can be watched".into());
        };
        let Some(data_id) = info.data_id else {
            let why = sanitise(&info.description).into_owned();
            return Err(format!("{name} cannot be watched: {why}").into());
        };
        let mut spec = BreakpointSpec::at(BreakpointSite::Data {
            data_id,
            access: Some(wanted),
            name: Some(name.to_owned()),
        });
        spec.mode = mode;
        let name = sanitise(name);
        self.out.line(format!("Stops when {name} is {done}:"));
        self.place(spec, false).await
    }

    /// `delete`, `disable`, `enable`
    pub(super) async fn change_breakpoints(&mut self, typed: &ParsedCommand) -> CommandResult {
        let ids = self.named(&typed.rest)?;
        let verb = typed.row.verb;
        if verb == Verb::Delete && typed.rest.is_empty() {
            self.ask(Command::ClearBreakpoints).await?;
            self.once.clear();
        } else {
            for id in &ids {
                let command = match verb {
                    Verb::Delete => Command::RemoveBreakpoint { id: *id },
                    _ => Command::EnableBreakpoint {
                        id: *id,
                        enabled: verb == Verb::Enable,
                    },
                };
                self.ask(command).await?;
                if verb == Verb::Delete {
                    self.once.retain(|o| o != id);
                }
            }
        }
        let done = match verb {
            Verb::Delete => "removed",
            Verb::Enable => "on",
            _ => "off",
        };
        let numbers: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
        self.out
            .line(format!("Breakpoint {}: {done}", numbers.join(", ")));
        Ok(())
    }

    /// `condition`
    pub(super) async fn condition(&mut self, typed: &ParsedCommand) -> CommandResult {
        let text = typed.needed("which breakpoint")?;
        let (number, expression) = text.split_once(' ').unwrap_or((text, ""));
        let expression = expression.trim();
        let [id] = *self.named(number)? else {
            return Err("it does not say which breakpoint: write condition N [EXPR]".into());
        };
        let Some(known) = self.state.breakpoint(id) else {
            return Ok(());
        };
        let mut spec = BreakpointSpec::of(known);
        spec.condition = (!expression.is_empty()).then(|| expression.to_owned());
        let set = Command::SetBreakpoint(spec);
        if let Reply::Breakpoint { breakpoint } = self.ask(set).await? {
            let line = self.described(&breakpoint).await;
            self.out.line(&line);
        }
        Ok(())
    }

    /// The breakpoints with these numbers; all of them for none.
    fn named(&self, text: &str) -> Result<Vec<BreakpointId>, String> {
        let all = &self.state.breakpoints;
        if all.is_empty() {
            return Err("there are no breakpoints".to_owned());
        }
        if text.is_empty() {
            return Ok(all.iter().map(|b| b.id).collect());
        }
        text.split([' ', ','])
            .filter(|w| !w.is_empty())
            .map(|word| {
                let number = word.trim_start_matches('#').parse().ok();
                let found = number.and_then(|n| all.iter().find(|b| b.id == BreakpointId(n)));
                found.map(|b| b.id).ok_or_else(|| {
                    format!("there is no breakpoint {word:?}: info breakpoints lists them")
                })
            })
            .collect()
    }

    /// `catch`
    pub(super) async fn catch(&mut self, typed: &ParsedCommand) -> CommandResult {
        let filters = match typed.rest.as_str() {
            "" => {
                self.list_exceptions();
                return Ok(());
            }
            "off" | "none" => Some(Vec::new()),
            "default" => None,
            words => {
                let (words, mode) = parse::cut_mode(words)?;
                let filters = words.split_whitespace().map(|filter| ExceptionFilter {
                    mode: mode.clone(),
                    ..ExceptionFilter::named(filter)
                });
                Some(filters.collect())
            }
        };
        self.ask(Command::SetExceptionFilters { filters }).await?;
        self.list_exceptions();
        Ok(())
    }

    /// `info exceptions`
    pub(super) fn list_exceptions(&mut self) {
        let wished = self.state.exception_filters.as_deref();
        let offered = self
            .state
            .focused()
            .map(|s| s.capabilities.exception_breakpoint_filters.clone())
            .unwrap_or_default();
        let chosen = exceptions::choice(wished, &offered);
        let mut lines = Vec::new();
        for filter in &offered {
            let on = chosen.as_ref().map_or_else(
                || filter.default.unwrap_or(false),
                |c| c.iter().any(|(name, _)| *name == filter.filter),
            );
            let sign = if on { "on " } else { "off" };
            lines.push(format!(
                "{sign} {:<20} {}",
                sanitise(&filter.filter),
                sanitise(&filter.label)
            ));
        }
        // Before a program runs it is what was chosen; then it is the types.
        let chosen = wished.unwrap_or_default().iter().filter(|own| !own.off);
        let chosen = chosen.filter(|_| offered.is_empty());
        for own in chosen.chain(exceptions::typed(wished, &offered)) {
            let doubt = if offered.is_empty() && !exceptions::is_common(&own.filter) {
                "  if the adapter has a filter of that name; a type begins with a capital letter, or is qualified"
            } else {
                ""
            };
            lines.push(format!("on  {}{doubt}", sanitise(&own.filter)));
        }
        let none = match wished {
            Some(_) => "No exception stops the program.",
            None => "The adapter's own defaults; it says which there are once it runs.",
        };
        self.out.list(lines, none);
    }

    /// `watch`
    pub(super) async fn watch(&mut self, typed: &ParsedCommand) -> CommandResult {
        if typed.rest.is_empty() {
            self.list_watches();
            return Ok(());
        }
        let expression = typed.rest.clone();
        let can = |s: &Session| s.capabilities.supports_data_breakpoints;
        if self.state.watches.is_empty() && self.state.focused().is_some_and(can) {
            let told = "It is shown where it changed; to stop there: watchpoint.";
            self.out.say(Role::Muted, told);
        }
        let known = |state: &State| {
            let mut watches = state.watches.iter();
            watches.find(|w| w.expression == expression).map(|w| w.id.0)
        };
        if known(&self.state).is_some() {
            return Err(format!("{expression:?} is watched already").into());
        }
        let add = Command::AddWatch {
            expression: expression.clone(),
        };
        self.ask(add).await?;
        let number = known(&self.state).unwrap_or_default();
        if self.stopped().is_err() {
            self.out
                .line(format!("Watch {number}: {}", sanitise(&expression)));
            return Ok(());
        }
        let value = self.evaluate(&expression, "watch").await;
        let shown = match value {
            Ok(value) => {
                self.values.insert(WatchId(number), value.result.clone());
                sanitise(&value.result).into_owned()
            }
            // It may mean something elsewhere.
            Err(failure) => format!("<{}>", sanitise(failure.what.trim())),
        };
        self.out.line(format!(
            "Watch {number}: {} = {shown}",
            sanitise(&expression)
        ));
        Ok(())
    }

    /// `info watch`
    pub(super) fn list_watches(&mut self) {
        let stop = self.stop();
        let lines = self
            .state
            .watches
            .iter()
            .map(|watch| {
                let value = stop.and_then(|s| s.watches.get(&watch.id));
                let value = value.map_or_else(String::new, |v| match &v.result {
                    debugger::Outcome::Value(text) => format!(" = {}", sanitise(text)),
                    debugger::Outcome::Error(why) => {
                        format!(" = <{}>", sanitise(why.trim()))
                    }
                });
                format!(
                    "Watch {}: {}{value}",
                    watch.id.0,
                    sanitise(&watch.expression)
                )
            })
            .collect();
        self.out.list(lines, "No watch expressions.");
    }

    /// `unwatch`
    pub(super) async fn unwatch(&mut self, typed: &ParsedCommand) -> CommandResult {
        let all: Vec<WatchId> = self.state.watches.iter().map(|w| w.id).collect();
        let ids = if typed.rest.is_empty() {
            all
        } else {
            let known = |word: &str| {
                let number = word.parse().ok().map(WatchId);
                number.filter(|id| all.contains(id)).or_else(|| {
                    let same = self.state.watches.iter().find(|w| w.expression == word);
                    same.map(|w| w.id)
                })
            };
            let found: Option<Vec<_>> = match known(&typed.rest) {
                Some(one) => Some(vec![one]),
                None => typed.rest.split_whitespace().map(known).collect(),
            };
            found.ok_or_else(|| {
                format!("there is no watch {:?}: info watch lists them", typed.rest)
            })?
        };
        for id in ids {
            self.ask(Command::RemoveWatch { id }).await?;
            self.values.remove(&id);
        }
        Ok(())
    }
}

/// `ADDRESS [BYTES]`: an address and how many bytes of it, one when that is not said.
fn at_address(text: &str) -> Option<(String, i64)> {
    let (place, count) = match text.trim().split_once(char::is_whitespace) {
        Some((place, count)) => (place, count.trim().parse().ok().filter(|n| *n > 0)?),
        None => (text.trim(), 1),
    };
    Some((format!("{:#x}", number(place)?), count))
}
