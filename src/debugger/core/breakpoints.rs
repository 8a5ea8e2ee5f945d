//! The commands that make, change and remove breakpoints: the user's wishes.
//!
//! Without a session a wish is only kept. What adapters are told is in `lists`, what they say to it in `answers`.

use base::{stat, text::missing::no_file};
use dap::types::BreakpointModeApplicability as Applies;

use super::{breakpoint_list::list_of, lists, prelude::*, rules::plain_count};
use crate::{adapters, breakpoint::Passing, modes};

impl Owner {
    pub fn set_breakpoint(&mut self, spec: BreakpointSpec) -> Handled {
        if spec.mode.is_some() && matches!(spec.site, BreakpointSite::Data { .. }) {
            return self.set_data_in_mode(spec);
        }
        self.set_breakpoint_as_is(spec)
    }

    /// Sets one; of data, what there is to ask first was asked.
    pub fn set_breakpoint_as_is(&mut self, spec: BreakpointSpec) -> Handled {
        let breakpoint = self.wished(spec)?;
        self.place(breakpoint)
    }

    /// Sets a line's breakpoint that only this session stops at, once.
    pub fn set_goal(&mut self, spec: BreakpointSpec, session: SessionId) -> Handled {
        let goal = Breakpoint {
            session: Some(session),
            ..self.wished(spec)?
        };
        self.place(goal)
    }

    fn place(&mut self, breakpoint: Breakpoint) -> Handled {
        let id = breakpoint.id;
        let before = self.breakpoint(id).ok().map(|before| list_of(&before.site));
        let mut touched = vec![list_of(&breakpoint.site)];
        touched.extend(before.filter(|old| !touched.contains(old)));
        self.hub.publish(EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint),
        });
        resent(touched, move |owner| match owner.breakpoint(id) {
            Ok(breakpoint) => Reply::Breakpoint {
                breakpoint: Box::new(breakpoint.clone()),
            },
            Err(_) => Reply::Done,
        })
    }

    /// A line's breakpoint is in this file of the program, as the only one that was meant; what it was at first is said.
    pub fn move_to_file(&mut self, session: SessionId, id: BreakpointId, path: PathBuf) {
        let Ok(known) = self.breakpoint(id) else {
            return;
        };
        let mut moved = known.clone();
        let BreakpointSite::Source {
            path: was, line, ..
        } = &mut moved.site
        else {
            return;
        };
        let told = format!(
            "{}: the program has it as {}:{line}",
            no_file(was),
            path.display()
        );
        *was = path;
        if self.breakpoints().all(|other| other.site != moved.site) {
            self.inform(session, sentence(&told));
            self.hub.publish(EventKind::BreakpointSet {
                breakpoint: Box::new(moved),
            });
        }
    }

    /// Breakpoints go with their lines, in files that have changed since they were set; what moved is said. Not while another program
    /// runs, which has the lines that were, but for a child that read its sources after them (a server that loads what was edited anew).
    /// Nor in a file that is newer than what is debugged.
    pub fn follow_lines(&mut self, session: SessionId, origin: &Origin) {
        let pid = self.session(session).and_then(|s| s.pid?.try_into().ok());
        let is_other = |id: &SessionId| *id != session;
        let is_alone = || !self.hub.state.live_roots().iter().any(is_other);
        let starts = match origin {
            Origin::Launch(_) | Origin::Attach(_) => is_alone(),
            Origin::Child(_) => pid.is_some_and(stat::is_spawned),
            Origin::Replay(_) => false,
        };
        if !starts {
            return;
        }
        let found = |known: &Breakpoint| {
            let BreakpointSite::Source { path, line, .. } = &known.site else {
                return None;
            };
            let now = known.anchor?.find(path, *line);
            (now != Some(*line) && path.is_file()).then(|| (known.clone(), now))
        };
        let mut found: Vec<_> = self.breakpoints().filter_map(found).collect();
        if found.is_empty() {
            return;
        }
        let made = made_at(origin, pid);
        found.retain(|(known, _)| {
            let changed = known.site.file().and_then(changed_at);
            made.is_none_or(|made| changed.is_some_and(|changed| changed <= made))
        });
        let (moved, gone): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, now)| now.is_some());
        let goes: Vec<_> = moved.iter().map(|(known, _)| known.id).collect();
        for (known, now) in moved {
            if let Some(now) = now {
                let is_gone = |id| gone.iter().any(|(gone, _)| gone.id == id);
                self.move_to_line(session, known, now, &goes, is_gone);
            }
        }
        let left: Vec<_> = gone
            .iter()
            .filter(|(known, _)| known.enabled && self.breakpoint(known.id).is_ok())
            .map(|(known, _)| known.label())
            .collect();
        if !left.is_empty() {
            let text = format!(
                "Breakpoints whose lines are gone from their files stay at their line numbers: {}.",
                left.join(", ")
            );
            self.inform(session, text);
        }
    }

    /// One goes to where its line is now. Where another one is that does not go (`goes`), one of the two can stay: that whose line is not
    /// gone, or else that which says more.
    fn move_to_line(
        &mut self,
        session: SessionId,
        mut known: Breakpoint,
        now: i64,
        goes: &[BreakpointId],
        is_gone: impl Fn(BreakpointId) -> bool,
    ) {
        let was = known.label();
        if let BreakpointSite::Source { line, .. } = &mut known.site {
            *line = now;
        }
        known.anchor = known.site.anchor();
        // What programs with the older lines said was about those.
        known.answers.clear();
        let is_there = |other: &&Breakpoint| other.site == known.site && !goes.contains(&other.id);
        let other = self.breakpoints().find(is_there).map(|other| {
            let says_less = other.is_plain() && !known.is_plain();
            (other.id, is_gone(other.id) || says_less)
        });
        let mut told = format!("The breakpoint {was} is at line {now} now: its file was changed.");
        if let Some((other, gives_way)) = other {
            told.push_str(" There was another breakpoint at that line; one of the two is kept.");
            let removed = if gives_way { other } else { known.id };
            self.remove_those(|b| b.id == removed);
            if !gives_way {
                return self.inform(session, told);
            }
        }
        self.inform(session, told);
        self.hub.publish(EventKind::BreakpointSet {
            breakpoint: Box::new(known),
        });
    }

    /// What a spec asks for, as a breakpoint: new, or the one at its site (or with its id) changed.
    pub fn wished(&self, spec: BreakpointSpec) -> Result<Breakpoint> {
        let site = match spec.site {
            BreakpointSite::Source { line, .. } if line < 1 => {
                return Err(DebuggerError::usage(format!(
                    "Line {line} is no line: lines count from 1."
                )));
            }
            BreakpointSite::Source { path, line, column } => BreakpointSite::Source {
                path: normal(&self.config.context.cwd, &path),
                line,
                column,
            },
            BreakpointSite::Function { name } if name.trim().is_empty() => {
                return Err(DebuggerError::usage(
                    "A function breakpoint needs a function's name.",
                ));
            }
            BreakpointSite::Function { name } => BreakpointSite::Function {
                name: name.trim().to_owned(),
            },
            BreakpointSite::Instruction { reference, .. } if reference.trim().is_empty() => {
                return Err(DebuggerError::usage(
                    "An instruction breakpoint needs an instruction's reference, mostly its address.",
                ));
            }
            BreakpointSite::Instruction { reference, offset } => BreakpointSite::Instruction {
                reference: reference.trim().to_owned(),
                offset: offset.filter(|bytes| *bytes != 0),
            },
            BreakpointSite::Data { data_id, .. } if data_id.trim().is_empty() => {
                return Err(
                    DebuggerError::usage("A data breakpoint needs the id of its data.")
                        .hint("ask for it with a data breakpoint's info"),
                );
            }
            data @ BreakpointSite::Data { .. } => data,
        };
        let existing = match spec.id {
            Some(id) => Some(self.breakpoint(id)?),
            None => self.breakpoints().find(|b| b.site == site),
        };
        let tidy =
            |text: Option<String>| text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        let mode = tidy(spec.mode);
        if let Some(mode) = &mode
            && existing.and_then(|b| b.mode.as_ref()) != Some(mode)
        {
            self.has_mode(&site, mode)?;
        }
        let session = if site.outlives_process() {
            None
        } else {
            Some(self.owner(&site, existing.and_then(|b| b.session))?)
        };
        let id = existing.map_or_else(|| self.next_breakpoint(), |b| b.id);
        let passing = spec.for_this_run.then(|| match existing {
            Some(Breakpoint {
                passing: Some(passing),
                ..
            }) => passing.clone(),
            existing => Passing {
                instead_of: existing
                    .filter(|b| !b.temporary)
                    .map(|b| Box::new(b.clone())),
            },
        });
        Ok(Breakpoint {
            condition: tidy(spec.condition),
            hit_condition: tidy(spec.hit_condition).map(plain_count),
            log_message: tidy(spec.log_message),
            record: spec.record,
            mode,
            enabled: spec.enabled,
            temporary: spec.temporary,
            session,
            passing,
            by: Some(self.actor()).filter(|actor| actor.kind == ActorKind::Agent),
            answers: existing.map(|b| b.answers.clone()).unwrap_or_default(),
            anchor: existing
                .filter(|b| b.site == site)
                .and_then(|b| b.anchor)
                .or_else(|| site.anchor()),
            ..Breakpoint::new(id, site)
        })
    }

    /// Refuses a mode that cannot be; without an adapter that could tell, only where the protocol knows none.
    fn has_mode(&self, site: &BreakpointSite, mode: &str) -> Result<()> {
        let Some(kind) = modes::kind_of(site) else {
            return Err(DebuggerError::usage(
                "A breakpoint at a function has no mode: the protocol knows none.",
            )
            .hint("set it at a line"));
        };
        // Data had its mode when it was asked for: its id has it.
        let knows = |s: &&Session| {
            s.phase.is_live() && !s.capabilities.declared.is_empty() && kind != Applies::Data
        };
        match self.hub.state.focused().filter(knows) {
            Some(session) => modes::meant(&session.capabilities, &kind, mode)
                .map(|_| ())
                .map_err(|why| DebuggerError::capability(sentence(&why))),
            None => Ok(()),
        }
    }

    /// The session whose process a site of the machine's is true of, if its adapter can stop there.
    fn owner(&self, site: &BreakpointSite, known: Option<SessionId>) -> Result<SessionId> {
        let (session, _) = self.allowed(known, Action::List)?;
        match lists::lacking(&list_of(site), &session.capabilities) {
            Some(lack) => Err(DebuggerError::capability(lack)),
            None => Ok(session.id),
        }
    }

    /// Removes those of a kind; the lists that had them are to be sent again.
    pub fn remove_those(&mut self, which: impl Fn(&Breakpoint) -> bool) -> Vec<Which> {
        let all = self.breakpoints();
        let gone: Vec<_> = all
            .filter(|b| which(b))
            .map(|b| (b.id, list_of(&b.site)))
            .collect();
        let mut lists = Vec::new();
        for (breakpoint, list) in gone {
            self.hub
                .publish(EventKind::BreakpointRemoved { breakpoint });
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        lists
    }

    pub fn breakpoint(&self, id: BreakpointId) -> Result<&Breakpoint> {
        self.breakpoints()
            .find(|b| b.id == id)
            .ok_or_else(|| DebuggerError::usage(format!("There is no breakpoint {id}.")))
    }

    pub fn remove_breakpoint(&mut self, id: BreakpointId) -> Handled {
        self.breakpoint(id)?;
        resent(self.remove_those(|b| b.id == id), |_| Reply::Done)
    }

    pub fn enable_breakpoint(&mut self, id: BreakpointId, enabled: bool) -> Handled {
        let spec = BreakpointSpec {
            enabled,
            ..BreakpointSpec::of(self.breakpoint(id)?)
        };
        self.set_breakpoint(spec)
    }

    pub fn clear_breakpoints(&mut self) -> Handled {
        resent(self.remove_those(|_| true), |_| Reply::Done)
    }

    pub fn set_exception_filters(&mut self, filters: Option<Vec<ExceptionFilter>>) -> Handled {
        let kept = filters.clone();
        self.hub.publish(EventKind::ExceptionFilters { filters });
        self.keep_choice(kept.as_deref());
        resent(vec![Which::Exceptions], |_| Reply::Done)
    }

    /// Temporary breakpoints have done their work once anything stopped; one that is another session's waits for that.
    pub fn drop_temporary(&mut self, stopped: SessionId) {
        let lists =
            self.remove_those(|b| b.temporary && b.session.is_none_or(|owner| owner == stopped));
        self.resend(&lists, |_| {});
    }
}

/// Answers when the adapters have answered to their new lists.
fn resent(lists: Vec<Which>, reply: impl FnOnce(&Owner) -> Reply + Send + 'static) -> Handled {
    held(move |owner, answer| {
        owner.resend(&lists, |owner| {
            let _ = answer.send(Ok(reply(owner)));
        });
    })
}

/// When a file was changed last.
fn changed_at(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// When what is debugged got the lines that it has, where it does not read its sources at the start: it was compiled, or runs already.
fn made_at(origin: &Origin, pid: Option<u32>) -> Option<SystemTime> {
    match origin {
        Origin::Launch(spec) => {
            let is_compiled = adapters::inspect(&spec.program).debug_info.is_some();
            is_compiled.then(|| changed_at(&spec.program)).flatten()
        }
        Origin::Attach(spec) => spec.pid.and_then(stat::began),
        Origin::Child(_) => pid.and_then(stat::began),
        Origin::Replay(_) => None,
    }
}

/// The one spelling of a path: absolute, links of its folder resolved where that is there. A file that is itself a link
/// keeps its name: that is how the program knows it.
pub fn normal(cwd: &Path, path: &Path) -> PathBuf {
    let joined = cwd.join(path);
    let joined = std::path::absolute(&joined).unwrap_or(joined);
    match (
        joined.parent().and_then(|p| p.canonicalize().ok()),
        joined.file_name(),
    ) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => joined,
    }
}
