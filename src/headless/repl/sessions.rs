//! Which processes are debugged: their sessions as a tree, the one that is meant, and the threads of each.

use std::fmt::Write as _;

use debugger::session_tree;

use super::{announce::place, prelude::*};

impl Repl {
    /// `session`
    pub(super) async fn session(&mut self, typed: &ParsedCommand) -> CommandResult {
        let rest = typed.rest.trim();
        if rest.is_empty() {
            self.sessions();
            return Ok(());
        }
        let number = rest.strip_prefix("debug-").unwrap_or(rest);
        let meant = number.parse().ok().map(SessionId);
        let known = meant.filter(|id| self.state.session(*id).is_some());
        let session =
            known.ok_or_else(|| format!("there is no session {rest:?}: session lists them"))?;
        self.ask(Command::Focus { session }).await?;
        let Some(session) = self.state.session(session) else {
            return Ok(());
        };
        let line = told_of(session);
        self.out.line(&line);
        self.values.clear();
        self.listing = None;
        Ok(())
    }

    /// `info session`
    pub(super) fn sessions(&mut self) {
        let several = self.state.sessions.len() > 1;
        let mut lines = Vec::new();
        for member in session_tree::in_order(&self.state) {
            let Some(session) = self.state.session(member.id) else {
                continue;
            };
            let line = told_of(session);
            if !several {
                lines.push(line);
                continue;
            }
            let arrow = self.out.look.arrow(self.state.focus == Some(member.id));
            let indent = "  ".repeat(usize::from(member.depth));
            lines.push(format!("{arrow} {indent}{line}"));
        }
        self.out.list(lines, "No program was started yet.");
    }

    /// `threads`: of the session that is meant, with numbers; of the others of its tree, with their session's name.
    pub(super) async fn threads(&mut self, _: &ParsedCommand) -> CommandResult {
        self.ask(Command::Threads { session: None }).await?;
        let Some(focused) = self.state.focused().map(|s| s.id) else {
            return Ok(());
        };
        let root = self.state.root_of(focused);
        let members = session_tree::in_order(&self.state)
            .into_iter()
            .map(|m| m.id);
        let others: Vec<_> = members
            .filter(|id| *id != focused && self.state.root_of(*id) == root)
            .filter(|id| {
                let phase = self.state.session(*id).map(|s| s.phase);
                matches!(phase, Some(Phase::Running | Phase::Stopped))
            })
            .collect();
        for session in others.iter().copied().map(Some) {
            // It may end meanwhile; then it has no threads to tell of.
            let _ = self.ask(Command::Threads { session }).await;
        }
        let mut lines = Vec::new();
        let all = std::iter::once(&focused).chain(&others);
        for session in all.filter_map(|id| self.state.session(*id)) {
            if !others.is_empty() {
                lines.push(format!("{} {}", session.id, sanitise(&session.name)));
            }
            lines.extend(self.threads_of(session, session.id == focused));
        }
        self.out.list(lines, "No threads.");
        Ok(())
    }

    /// `hang`.
    pub(super) async fn hang(&mut self, _: &ParsedCommand) -> CommandResult {
        let (session, threads) = (None, None);
        if let Reply::Hang { hang } = self.ask(Command::Hang { session, threads }).await? {
            self.out.lines(hang.text().lines());
        }
        Ok(())
    }

    /// Only those of the session that is meant are marked and have the numbers that `thread` takes.
    fn threads_of(&self, session: &Session, meant: bool) -> Vec<String> {
        let look = self.out.look;
        let current = session.current_thread().filter(|_| meant);
        let stop = session.current_stop();
        let mut lines = Vec::new();
        for (index, thread) in session.threads.iter().enumerate() {
            let arrow = look.arrow(current == Some(thread.id) && stop.is_some());
            let frame = stop.and_then(|s| s.stacks.get(&thread.id)?.frames.first());
            let at = match frame {
                Some(frame) => format!("{} ({})", sanitise(&frame.name), place(frame)),
                None if thread.stopped => "stopped".to_owned(),
                None => "running".to_owned(),
            };
            let name = look.paint(Role::Name, sanitise(&thread.name));
            let id = look.paint(Role::Muted, format!("id {}", thread.id));
            let number = if meant {
                (index + 1).to_string()
            } else {
                String::new()
            };
            lines.push(format!("{arrow} {number:<3} {name}  {id}  {at}"));
        }
        lines
    }
}

/// `debug-1 shop.py: running, launched with debugpy, process 4711`
fn told_of(session: &Session) -> String {
    let mut line = format!(
        "{} {}: {}, {} {}",
        session.id,
        sanitise(&session.name),
        session.phase.word(),
        match session.kind {
            StartKind::Launch => "launched with",
            StartKind::Attach => "attached with",
        },
        sanitise(&session.adapter),
    );
    if let Some(pid) = session.pid {
        let _ = write!(line, ", process {pid}");
    }
    if let Some(code) = session.exit_code {
        let _ = write!(line, ", exit code {code}");
    }
    if session.children_passed_over > 0 {
        let count = session.children_passed_over;
        let _ = write!(line, ", {count} child processes not debugged");
    }
    line
}
