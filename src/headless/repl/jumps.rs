//! Going on elsewhere or otherwise: back, into one call, at another line, from a frame's beginning, one thread alone; and what
//! of that the adapter can be asked about first.

use std::time::SystemTime;

use dap::{
    requests::{
        Goto, GotoArguments, GotoTargets, GotoTargetsArguments, StepInTargets,
        StepInTargetsArguments,
    },
    types::Source,
};

use super::prelude::*;

impl Repl {
    /// `back`
    pub(super) async fn back(&mut self, typed: &ParsedCommand) -> CommandResult {
        for _ in 0..parse::count(&typed.rest)? {
            self.one_step(StepKind::Back, Granularity::Line, typed.background)
                .await?;
        }
        Ok(())
    }

    /// `record`, `alone`, `hex`: on, off, or with nothing behind it the other one of the two.
    pub(super) async fn switch(&mut self, typed: &ParsedCommand) -> CommandResult {
        let focused = self.state.focused();
        let now = match typed.row.verb {
            Verb::Record => self.stopped()?.records_execution,
            Verb::Alone => focused.is_some_and(|s| s.single_thread),
            _ => focused.is_some_and(|s| s.hex),
        };
        let on = match typed.rest.as_str() {
            "" => !now,
            "on" | "full" => true,
            "off" | "stop" => false,
            other => return Err(format!("{other:?} is neither on nor off").into()),
        };
        let session = None;
        let (command, is_on, is_off) = match typed.row.verb {
            Verb::Record => (
                Command::RecordExecution { session, on },
                "What the program does is kept: back and reverse-continue go back in it.",
                "What the program does is not kept.",
            ),
            Verb::Alone => (
                Command::SingleThread { session, on },
                "Only the selected thread runs.",
                "All threads run.",
            ),
            _ => (
                Command::ValueFormat { session, hex: on },
                "Values in hexadecimal.",
                "Values as the adapter writes them.",
            ),
        };
        self.ask(command).await?;
        self.out.line(if on { is_on } else { is_off });
        Ok(())
    }

    /// `into`
    pub(super) async fn step_into(&mut self, typed: &ParsedCommand) -> CommandResult {
        // Of one that does not stand still the core says so.
        let stopped = self.state.focused().filter(|s| s.current_stop().is_some());
        let frame_id = stopped.map_or(Ok(0), |s| s.frame_id().ok_or("No frame is selected."))?;
        let asked = StepInTargetsArguments { frame_id };
        let targets = self.request::<StepInTargets>(&asked).await?.targets;
        let wanted = typed.rest.as_str();
        if wanted.is_empty() {
            let lines = (1..)
                .zip(&targets)
                .map(|(n, target)| format!("{n}  {}", sanitise(&target.label)));
            self.out
                .list(lines.collect(), "There is no call in this line.");
            return Ok(());
        }
        let number = wanted.parse::<usize>().ok();
        let target = match number {
            Some(number) => number.checked_sub(1).and_then(|at| targets.get(at)),
            None => targets.iter().find(|t| t.label.contains(wanted)),
        };
        let target = target.map(|t| t.id).ok_or_else(|| {
            format!("{wanted:?} is no call of this line: into lists them, with numbers")
        })?;
        let command = Command::StepInto {
            session: None,
            thread: None,
            target,
        };
        self.go(command, typed).await
    }

    /// `jump`
    pub(super) async fn jump(&mut self, typed: &ParsedCommand) -> CommandResult {
        let place = typed.needed("where to")?;
        let (path, line) = self.place_of(place).await?;
        let thread = self.stopped()?.current_thread();
        let thread_id = thread.ok_or("Debugger reported no threads.")?;
        let asked = GotoTargetsArguments {
            source: Source::file(&path),
            line,
            column: None,
        };
        let targets = self.request::<GotoTargets>(&asked).await?.targets;
        let Some(target_id) = targets.first().map(|t| t.id) else {
            return Err(format!("there is nowhere to jump to at line {line}").into());
        };
        let to = GotoArguments {
            thread_id,
            target_id,
        };
        self.go(Command::request::<Goto>(None, &to), typed).await
    }

    /// `info registers`
    pub(super) async fn registers(&mut self) -> CommandResult {
        let session = self.stopped()?;
        let stop = session.stop_id().unwrap_or_default();
        let registers = session.current_scopes().and_then(|all| {
            let mut scopes = all.scopes.iter().map(|s| &s.scope);
            scopes.find(|s| {
                s.presentation_hint.as_deref() == Some("registers")
                    || s.name.to_ascii_lowercase().contains("register")
            })
        });
        let Some(reference) = registers.map(|s| s.variables_reference) else {
            return Err("the adapter shows no registers".into());
        };
        let groups = self.parts(stop, reference).await?;
        for group in &groups {
            if group.variables_reference == 0 || !group.value.is_empty() {
                self.show_register(group);
                continue;
            }
            let parts = self.parts(stop, group.variables_reference).await?;
            // Some adapters show groups of registers, others registers, of which wide ones can be read in several ways.
            if parts.iter().all(|part| part.variables_reference > 0) {
                let ways: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
                let ways = ways.join(", ");
                self.show_value(&sanitise(&group.name), &format!("{{{ways}}}"), None);
            } else {
                for part in &parts {
                    self.show_register(part);
                }
            }
        }
        Ok(())
    }

    /// A number as an address, too.
    fn show_register(&mut self, register: &Variable) {
        let number = register.value.parse().ok();
        let value = match number.filter(|number: &i64| !(0..10).contains(number)) {
            Some(number) => format!("{number:#x}  {number}"),
            None => register.value.clone(),
        };
        self.show_value(&sanitise(&register.name), &value, None);
    }

    /// `info progress`
    pub(super) fn list_progress(&mut self) {
        let session = self.state.focused();
        let lines = session
            .into_iter()
            .flat_map(|s| &s.progress)
            .map(|work| {
                let share = work
                    .percentage
                    .filter(|p| p.is_finite())
                    .map_or_else(String::new, |p| format!("  {:.0} %", p.clamp(0.0, 100.0)));
                let message = work.message.as_deref().unwrap_or_default();
                let text = format!("{}  {}{share}  {message}", work.id, work.title);
                sanitise(text.trim_end()).into_owned()
            })
            .collect();
        self.out
            .list(lines, "The adapter is busy with nothing that it tells of.");
    }

    /// `info requests`
    pub(super) fn list_requests(&mut self) {
        let now = SystemTime::now();
        let session = self.state.focused();
        let cancels = session.is_some_and(|s| s.capabilities.supports_cancel_request);
        let mut lines: Vec<String> = session
            .into_iter()
            .flat_map(|s| &s.pending)
            .map(|p| format!("{}  {}  no answer for {}", p.seq, p.command, p.age(now)))
            .map(|line| sanitise(&line).into_owned())
            .collect();
        if !lines.is_empty() && !cancels {
            lines.push(
                "The adapter cannot be asked to give them up: wait, or kill ends the session."
                    .to_owned(),
            );
        }
        self.out
            .list(lines, "No request waits long for its answer.");
    }

    /// `cancel`
    pub(super) async fn cancel(&mut self, typed: &ParsedCommand) -> CommandResult {
        let is_meant = |id: &str| typed.rest.is_empty() || id == typed.rest;
        let session = self.state.focused();
        let works = session.into_iter().flat_map(|s: &Session| &s.progress);
        let works = works
            .filter(|work| work.cancellable && is_meant(&work.id))
            .map(|work| Command::CancelProgress {
                session: None,
                id: work.id.clone(),
            });
        let requests = session.into_iter().flat_map(|s| &s.pending);
        let requests = requests
            .filter(|asked| is_meant(&asked.seq.to_string()))
            .map(|asked| Command::CancelRequest {
                session: None,
                request: asked.seq,
            });
        let commands: Vec<Command> = works.chain(requests).collect();
        if commands.is_empty() {
            return Err(
                "there is no such work that can be given up: info progress and info requests list it"
                    .into(),
            );
        }
        for command in commands {
            self.ask(command).await?;
        }
        self.out.say(Role::Muted, "Asked to give it up.");
        Ok(())
    }
}
