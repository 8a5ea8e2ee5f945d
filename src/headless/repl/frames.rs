//! Where the program is: the stack, its frames, the threads, and what the adapter can list of the debuggee.

use super::{announce::place, prelude::*, table::TOPICS};

/// Frames that `bt` shows unless told otherwise.
const FRAMES: usize = 50;
/// Frames that are counted.
const DEEP: usize = 1000;

impl Repl {
    /// Frames of the present thread, at least `levels` where there are as many; the selected one; whether these are all.
    pub(super) async fn stack(&mut self, levels: usize) -> Result<(Vec<StackFrame>, usize, bool)> {
        for asked in [false, true] {
            let session = self.stopped()?;
            let thread = session.current_thread();
            let stop = session.current_stop();
            let selected = stop.and_then(|s| s.selected).map(|s| s.frame_id);
            let stack = stop.and_then(|s| s.stacks.get(&thread?));
            if let Some(stack) = stack
                && (asked || stack.complete || stack.frames.len() >= levels)
            {
                let at = stack.frames.iter().position(|f| Some(f.id) == selected);
                return Ok((stack.frames.clone(), at.unwrap_or(0), stack.complete));
            }
            let command = Command::StackTrace {
                session: None,
                thread,
                levels: i64::try_from(levels).unwrap_or(i64::MAX),
            };
            self.ask(command).await?;
        }
        Err("There is no stack.".into())
    }

    /// How many frames the present thread has, unless there are too many to count.
    pub(super) async fn depth(&mut self) -> Option<usize> {
        let (frames, _, complete) = self.stack(DEEP).await.ok()?;
        complete.then_some(frames.len())
    }

    /// `bt`
    pub(super) async fn backtrace(&mut self, typed: &ParsedCommand) -> CommandResult {
        let outermost = typed.rest.strip_prefix('-').map(parse::count).transpose()?;
        let wanted = match typed.rest.as_str() {
            "" => FRAMES,
            _ if outermost.is_some() => usize::MAX,
            rest => parse::count(rest)? as usize,
        };
        let (frames, at, complete) = self.stack(wanted).await?;
        let skipped = outermost.map_or(0, |outermost| {
            frames.len().saturating_sub(outermost as usize)
        });
        for (index, frame) in frames.iter().enumerate().take(wanted).skip(skipped) {
            let line = self.frame_line(index, frame, index == at);
            self.out.line(&line);
        }
        if outermost.is_some() && !complete {
            let told = format!("(the outermost of the {} innermost)", frames.len());
            self.out.say(Role::Muted, told);
        } else if frames.len() > wanted || !complete {
            let told = format!("(more: bt {})", wanted * 2);
            self.out.say(Role::Muted, told);
        }
        Ok(())
    }

    fn frame_line(&self, index: usize, frame: &StackFrame, selected: bool) -> String {
        let look = self.out.look;
        let arrow = look.arrow(selected);
        let number = look.paint(Role::Muted, format!("#{index:<3}"));
        let name = look.paint(Role::Name, sanitise(&frame.name));
        format!("{arrow} {number} {name} ({})", place(frame))
    }

    /// `up`, `down`, `frame`
    pub(super) async fn select(&mut self, typed: &ParsedCommand) -> CommandResult {
        let rest = typed.rest.as_str();
        let (_, at, _) = self.stack(1).await?;
        let target = match typed.row.verb {
            Verb::Up => at.saturating_add(parse::count(rest)? as usize),
            Verb::Down => {
                if at == 0 {
                    return Err("This is the innermost frame.".into());
                }
                at.saturating_sub(parse::count(rest)? as usize)
            }
            _ if rest.is_empty() => at,
            _ => rest
                .trim_start_matches('#')
                .parse()
                .map_err(|_not_a_number| format!("{rest:?} is no frame: bt numbers them"))?,
        };
        let (frames, _, _) = self.stack(target.saturating_add(1)).await?;
        let last = frames.len().saturating_sub(1);
        if target > last && at == last && typed.row.verb == Verb::Up {
            return Err("This is the outermost frame.".into());
        }
        if target > last && typed.row.verb == Verb::Frame {
            return Err(format!("there is no frame {target}: the outermost is {last}").into());
        }
        let target = target.min(last);
        let Some(frame) = frames.get(target) else {
            return Err("There is no stack.".into());
        };
        if let Some(thread) = self.stopped()?.current_thread() {
            let command = Command::SelectFrame {
                session: None,
                thread,
                frame_id: Some(frame.id),
            };
            self.ask(command).await?;
        }
        self.show_selected(target, frame).await;
        Ok(())
    }

    /// The frame that was selected just now, and the line it stands at.
    async fn show_selected(&mut self, index: usize, frame: &StackFrame) {
        self.listing = None;
        let line = self.frame_line(index, frame, true);
        self.out.line(&line);
        self.show_line(frame).await;
    }

    /// `thread`
    pub(super) async fn thread(&mut self, typed: &ParsedCommand) -> CommandResult {
        let rest = typed.rest.as_str();
        if rest.is_empty() {
            let session = self.stopped()?;
            let id = session.current_thread().unwrap_or_default();
            let known = session.threads.iter().find(|t| t.id == id);
            let name = sanitise(known.map_or("", |t| &t.name));
            let line = format!("Thread {id} {name}");
            self.out.line(&line);
            return Ok(());
        }
        self.ask(Command::Threads { session: None }).await?;
        let threads = &self.stopped()?.threads;
        let number = rest.parse::<i64>().ok();
        // The adapter's own ids first; then the numbers of the list.
        let thread = threads
            .iter()
            .find(|t| Some(t.id) == number)
            .or_else(|| {
                let index = usize::try_from(number? - 1).ok()?;
                threads.get(index)
            })
            .map(|t| t.id)
            .ok_or_else(|| format!("there is no thread {rest:?}: threads lists them"))?;
        let command = Command::SelectFrame {
            session: None,
            thread,
            frame_id: None,
        };
        self.ask(command).await?;
        let (frames, at, _) = self.stack(1).await?;
        if let Some(frame) = frames.get(at) {
            self.show_selected(at, frame).await;
        }
        Ok(())
    }

    /// `info`
    pub(super) async fn info(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (topic, rest) = typed
            .rest
            .split_once(char::is_whitespace)
            .unwrap_or((typed.rest.as_str(), ""));
        // gdb's `info b`, `info display`, `info reg`: the beginning of a topic is enough.
        let topic = if topic == "display" { "watch" } else { topic };
        let found = TOPICS
            .iter()
            .map(|(name, _)| *name)
            .find(|name| !topic.is_empty() && name.starts_with(topic));
        if let (Some(topic), false) = (found, rest.trim().is_empty()) {
            return Err(format!("info {topic} shows all of it: p EXPR shows one value").into());
        }
        let typed = ParsedCommand {
            rest: String::new(),
            ..typed.clone()
        };
        match found {
            Some("breakpoints") => self.list_breakpoints().await,
            Some("threads") => self.threads(&typed).await?,
            Some("sources") => self.operation("loaded_sources", "").await?,
            Some("modules") => self.operation("modules", "").await?,
            Some("watch") => self.list_watches(),
            Some("session") => self.sessions(),
            Some("frame") => {
                self.select(&typed).await?;
            }
            Some("locals") => self.locals(&typed).await?,
            Some("exceptions") => self.list_exceptions(),
            Some("registers") => self.registers().await?,
            Some("progress") => self.list_progress(),
            Some("requests") => self.list_requests(),
            Some("time") => self.time().await?,
            _ => {
                let names: Vec<_> = TOPICS.iter().map(|(name, _)| *name).collect();
                let told = if topic.is_empty() {
                    format!("info about what? {}", names.join(", "))
                } else {
                    format!("{topic:?} is no topic of info: {}", names.join(", "))
                };
                return Err(told.into());
            }
        }
        Ok(())
    }

    async fn time(&mut self) -> CommandResult {
        let Reply::Spent { spent } = self.ask(Command::Spent { session: None }).await? else {
            return Ok(());
        };
        self.out.lines(spent.lines());
        Ok(())
    }
}
