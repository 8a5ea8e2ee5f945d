//! A line's way to its command, and help out of the table.

use base::text::width::wrap_hanging;
use debugger::{
    gate::NO_SESSION,
    tool::{self, Tool, discretion::Discretion, parameters, written},
};

use super::{
    habits,
    input::read_file,
    parse::Line,
    prelude::*,
    session::ReplEnd,
    table::{self, COMMANDS, Group, TOPICS},
};

impl Repl {
    /// Does one line, and says what went wrong with it.
    pub(super) async fn do_line(&mut self, text: &str) {
        // In a script the lines of a block are not commands that are meant now.
        let (opens, closes) = habits::block(text);
        let was_inside = self.blocks > 0;
        if opens && self.origin.is_some() {
            self.blocks += 1;
        } else if closes {
            self.blocks = self.blocks.saturating_sub(1);
        }
        if was_inside {
            return;
        }
        let done = match parse::line(text) {
            Err(unknown) => Err(unknown.into()),
            Ok(Line::Comment) => Ok(()),
            Ok(Line::Empty) => match (self.origin.is_none(), self.repeat.clone()) {
                (true, Some(again)) => self.command(&again).await,
                _ => Ok(()),
            },
            Ok(Line::Raw(raw)) => self.raw(&raw).await,
            Ok(Line::Operation(row, rest)) => self.operation(row.name, &rest).await,
            Ok(Line::Command(typed)) => {
                self.repeat = typed.row.repeats.then(|| ParsedCommand {
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
            // Before the first program all commands say the same.
            let is_early = failure.what == NO_SESSION;
            let told = self.stopped().err().filter(|_| is_early);
            self.tell(&told.unwrap_or(failure));
        }
        self.out.flush();
    }

    /// `source`
    #[expect(clippy::unused_async, reason = "as all handlers")]
    pub(super) async fn source(&mut self, typed: &ParsedCommand) -> CommandResult {
        let path = typed.needed("which file")?;
        let path = self.options.cwd.join(path);
        Ok(read_file(&mut self.waiting, &path)?)
    }

    /// An operation that no command stands for.
    pub(super) async fn operation(&mut self, name: &str, rest: &str) -> CommandResult {
        let row = tool::action(name)?;
        let mut arguments = written::line(row, rest)?;
        written::full_paths(&mut arguments, &self.options.cwd);
        let tool = match self.tool.take() {
            Some(tool) => tool,
            // Nothing is hidden, as in all that is shown here.
            None => Tool::open(self.core.clone())
                .await
                .ok_or("The debugger core has ended.")?
                .telling(Discretion::none()),
        };
        let result = self.await_answer(tool.call_own(row.name, &arguments)).await;
        self.tool = Some(tool);
        let result = result?.map_err(ToolError::into_core)?;
        self.out.lines(result.text.lines());
        Ok(())
    }

    /// `quit`
    pub(super) async fn quit(&mut self, _: &ParsedCommand) -> CommandResult {
        if self.may_quit().await && self.ending.is_none() {
            self.ending = Some(ReplEnd::AsItWent);
        }
        Ok(())
    }

    /// `help`
    #[expect(clippy::unused_async, reason = "as all handlers")]
    pub(super) async fn help(&mut self, typed: &ParsedCommand) -> CommandResult {
        let about = typed.rest.as_str();
        let look = self.out.look;
        if about.is_empty() {
            let room = self.editor.is_some().then(columns).flatten();
            let lines = overview(room, |title| look.paint(Role::Notice, title));
            self.out.lines(lines);
            return Ok(());
        }
        if let (None, Some(row)) = (table::exact(about), table::operation(about)) {
            self.out.line(written::usage(row));
            self.out.line(format!("  {}", row.help));
            for parameter in row.parameters().filter_map(parameters::parameter) {
                self.out
                    .line(format!("  {:<12} {}", parameter.name, parameter.help));
            }
            return Ok(());
        }
        let row = table::find(about)?;
        let name = look.paint(Role::Notice, row.name);
        self.out.line(format!("{name} {}", row.args).trim_end());
        self.out.line(format!("  {}", row.help));
        if !row.more.is_empty() {
            self.out.line(format!("  {}", row.more));
        }
        if row.verb == Verb::Info {
            for (topic, help) in TOPICS {
                self.out.line(format!("  {topic:<12} {help}"));
            }
        }
        if !row.short.is_empty() {
            self.out.line(format!("  Short: {}", row.short.join(", ")));
        }
        if row.repeats {
            self.out.line("  An empty line does it again.");
        }
        if !row.actions.is_empty() {
            self.out
                .line(format!("  Debug tool: {}", row.actions.join(", ")));
        }
        Ok(())
    }
}

/// Every command in a line, under its heading.
///
/// `room`: columns of the terminal; nothing is broken without one.
fn overview(room: Option<usize>, heading: impl Fn(&'static str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let room = room.unwrap_or(usize::MAX);
    let mut put = |line: &str, indent: usize| {
        let rows = wrap_hanging(line, room, indent).into_iter();
        let indents = std::iter::once(0).chain(std::iter::repeat(indent));
        let rows = indents.zip(rows.filter_map(|row| line.get(row)));
        lines.extend(rows.map(|(indent, text)| format!("{:indent$}{text}", "")));
    };
    for group in Group::ALL {
        put(&heading(group.title()), 0);
        for row in COMMANDS.iter().filter(|r| r.group == group) {
            let names: Vec<_> = table::spellings(row).take(2).collect();
            put(&format!("  {:<18} {}", names.join(", "), row.help), 21);
        }
    }
    put(&heading("Operations of the debug tool"), 0);
    for row in table::operations() {
        put(&format!("  {:<18} {}", row.name, row.help), 21);
    }
    let last =
        "! and a command of the adapter's own console; # begins a comment; help COMMAND says more.";
    put(last, 0);
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
