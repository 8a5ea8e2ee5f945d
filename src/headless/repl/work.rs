//! A line's way to its handler, and help out of the table.

use base::text::width::wrap_hanging;

use super::{
    parse::{self, Line, Typed},
    session::{Done, End, Failure, Repl},
    style::Role,
    table::{self, COMMANDS, Group, TOPICS, Verb},
};

impl Repl {
    /// Does one line, and says what went wrong with it.
    pub(super) async fn do_line(&mut self, text: &str) {
        let done = match parse::line(text) {
            Err(unknown) => Err(Failure::from(unknown.to_string())),
            Ok(Line::Comment) => Ok(()),
            Ok(Line::Empty) => match (self.origin.is_none(), self.repeat.clone()) {
                (true, Some(again)) => self.command(&again).await,
                _ => Ok(()),
            },
            Ok(Line::Raw(raw)) => self.raw(&raw).await,
            Ok(Line::Command(typed)) => {
                self.repeat = typed.row.repeats.then(|| Typed {
                    // `list 30`, then what follows it.
                    rest: match typed.row.verb {
                        Verb::List | Verb::Examine => String::new(),
                        _ => typed.rest.clone(),
                    },
                    ..typed.clone()
                });
                self.command(&typed).await
            }
        };
        self.announce(false).await;
        if let Err(failure) = done {
            self.tell(&failure);
        }
        self.out.flush();
    }

    async fn command(&mut self, typed: &Typed) -> Done {
        match typed.row.verb {
            Verb::Run | Verb::Start => self.run(typed).await,
            Verb::Restart => self.restart(typed).await,
            Verb::Attach => self.attach(typed).await,
            Verb::Detach => self.detach().await,
            Verb::Kill => self.kill().await,
            Verb::Stdin => self.stdin(typed).await,
            Verb::Continue => self.resume(typed).await,
            Verb::Step
            | Verb::Next
            | Verb::Finish
            | Verb::StepInstruction
            | Verb::NextInstruction => self.step(typed).await,
            Verb::Until => self.until(typed).await,
            Verb::IntoCall => self.step_into(typed).await,
            Verb::Jump => self.jump(typed).await,
            Verb::Back => self.back(typed).await,
            Verb::ReverseContinue => self.reverse_continue(typed).await,
            Verb::Record => self.record(typed).await,
            Verb::RestartFrame => self.restart_frame(typed).await,
            Verb::Alone => self.alone(typed).await,
            Verb::Pause => self.pause().await,
            Verb::Wait => self.wait().await,
            Verb::Break | Verb::TemporaryBreak | Verb::Logpoint => self.set_breakpoint(typed).await,
            Verb::Watchpoint | Verb::ReadWatchpoint | Verb::AccessWatchpoint => {
                self.watchpoint(typed).await
            }
            Verb::Catch => self.catch(typed).await,
            Verb::Delete | Verb::Disable | Verb::Enable => self.change_breakpoints(typed).await,
            Verb::Condition => self.condition(typed).await,
            Verb::Backtrace => self.backtrace(typed).await,
            Verb::Up | Verb::Down | Verb::Frame => self.select(typed).await,
            Verb::Locals => self.locals().await,
            Verb::List => self.list(typed).await,
            Verb::Print => self.print(typed).await,
            Verb::Data | Verb::Records => self.data(typed).await,
            Verb::Eval => self.eval(typed).await,
            Verb::Type => self.type_of(typed).await,
            Verb::Declared => self.declared(typed).await,
            Verb::Set => self.set(typed).await,
            Verb::Watch => self.watch(typed).await,
            Verb::Unwatch => self.unwatch(typed).await,
            Verb::Examine => self.examine(typed).await,
            Verb::Write => self.write(typed).await,
            Verb::Disassemble => self.disassemble(typed).await,
            Verb::Hex => self.hex(typed).await,
            Verb::Places => self.places(typed).await,
            Verb::Threads => self.threads().await,
            Verb::Hang => self.hang().await,
            Verb::Session => self.session(typed).await,
            Verb::Thread => self.thread(typed).await,
            Verb::EndThread => self.end_thread(typed).await,
            Verb::Cancel => self.cancel(typed).await,
            Verb::Info => self.info(typed).await,
            Verb::Source => {
                let path = super::stops::needed(&typed.rest, "which file", "source FILE")?;
                self.waiting.read_file(&self.options.cwd.join(path))?;
                Ok(())
            }
            Verb::Help => self.help(&typed.rest),
            Verb::Quit => {
                if self.may_quit().await && self.ending.is_none() {
                    self.ending = Some(End::AsItWent);
                }
                Ok(())
            }
        }
    }

    fn help(&mut self, about: &str) -> Done {
        let look = self.out.look;
        if about.is_empty() {
            let room = self.editor.is_some().then(columns).flatten();
            let lines = overview(room, |title| look.paint(Role::Notice, title).into_owned());
            self.out.lines(lines);
            return Ok(());
        }
        let row = table::find(about).map_err(|unknown| unknown.to_string())?;
        let name = look.paint(Role::Notice, row.name).into_owned();
        self.out.line(format!("{name} {}", row.args).trim_end());
        self.out.line(&format!("  {}", row.help));
        if !row.more.is_empty() {
            self.out.line(&format!("  {}", row.more));
        }
        if row.verb == Verb::Info {
            for (topic, help) in TOPICS {
                self.out.line(&format!("  {topic:<12} {help}"));
            }
        }
        if !row.short.is_empty() {
            self.out.line(&format!("  Short: {}", row.short.join(", ")));
        }
        if row.repeats {
            self.out.line("  An empty line does it again.");
        }
        if !row.actions.is_empty() {
            self.out
                .line(&format!("  Debug tool: {}", row.actions.join(", ")));
        }
        Ok(())
    }
}

/// Every command in a line, under its heading.
///
/// `room`: columns of the terminal; nothing is broken without one.
fn overview(room: Option<usize>, heading: impl Fn(&'static str) -> String) -> Vec<String> {
    const INDENT: usize = 21;
    const BLANK: &str = "                     ";
    let mut lines = Vec::new();
    for group in Group::ALL {
        lines.push(heading(group.title()));
        for row in COMMANDS.iter().filter(|r| r.group == group) {
            let names: Vec<_> = table::spellings(row).take(2).collect();
            let line = format!("  {:<18} {}", names.join(", "), row.help);
            let rows = wrap_hanging(&line, room.unwrap_or(usize::MAX), INDENT).into_iter();
            let texts = rows.filter_map(|row| line.get(row));
            let indents = std::iter::once("").chain(std::iter::repeat(BLANK));
            lines.extend(
                indents
                    .zip(texts)
                    .map(|(indent, text)| format!("{indent}{text}")),
            );
        }
    }
    let last =
        "! and a command of the adapter's own console; # begins a comment; help COMMAND says more.";
    let rows = wrap_hanging(last, room.unwrap_or(usize::MAX), 0).into_iter();
    lines.extend(rows.filter_map(|row| last.get(row)).map(str::to_owned));
    lines
}

/// Columns of the terminal that is written to.
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_is_broken_between_words() {
        let whole = overview(None, str::to_owned).join("\n");
        let broken = overview(Some(60), str::to_owned);
        for line in &broken {
            let cells = base::text::width::width(line);
            assert!(cells <= 60, "{cells}: {line}");
        }
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&broken.join("\n")), words(&whole));
    }
}
