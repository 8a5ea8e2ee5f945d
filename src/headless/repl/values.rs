//! Values: what is in a frame, what an expression comes to, and how it is changed.

use base::text::{beginning, sanitise::sanitise_block};
use debugger::{
    Evaluated,
    adapters::{Shows, Table},
    data::{Query, code::last_step},
};

use super::prelude::*;

/// Parts of a value that are shown.
const PARTS: usize = 40;
/// Levels that may be opened.
const DEPTH: usize = 8;
/// Characters of a value in a list of them: JavaScript's functions come with their source.
const LONGEST: usize = 400;
/// Lines that one value may take.
const LINES: usize = 400;

impl Repl {
    pub(super) async fn evaluate(&mut self, expression: &str, context: &str) -> Result<Evaluated> {
        self.stopped()?;
        let command = Command::Evaluate {
            session: None,
            frame_id: None,
            expression: expression.to_owned(),
            context: context.to_owned(),
        };
        match self.ask(command).await {
            Ok(Reply::Value { value }) => Ok(value),
            Ok(_) => Err("The answer was not a value.".into()),
            Err(failure) => Err(slip(failure)),
        }
    }

    /// `print`
    pub(super) async fn print(&mut self, typed: &ParsedCommand) -> CommandResult {
        let expression = typed.needed("what")?;
        let depth = typed.modifier.parse::<usize>().ok();
        let letters = typed.modifier.as_str();
        let is_format = !letters.is_empty() && depth.is_none();
        if is_format && let Some(shows) = self.shows() {
            let asked = format!("!{}{letters} {expression}", shows.format);
            let value = self.evaluate(&asked, "repl").await?;
            // `$1 = 0xff`
            let told = value.shown().split_once(" = ");
            let told = told.map_or_else(|| value.shown(), |(_, told)| told);
            self.show_value(&sanitise(expression), told, None);
            return Ok(());
        }
        let value = self.evaluate(expression, "repl").await?;
        let text = if is_format {
            radix(&value.result, letters).ok_or_else(|| {
                format!(
                    "/{letters} cannot show this: /x /o /t /d show whole numbers, /N opens N levels"
                )
            })?
        } else {
            value.shown().to_owned()
        };
        let name = sanitise(expression).into_owned();
        let says_nothing = text.is_empty() && value.type_name.as_deref().is_none_or(str::is_empty);
        if says_nothing && value.variables_reference == 0 {
            // A statement, a call of what gives nothing, or Python's `None`, which a prompt leaves out. Only what calls nothing
            // and sets nothing is asked for once more.
            let again = if expression.contains(['(', '=']) {
                None
            } else {
                self.evaluate(expression, "watch").await.ok()
            };
            match again.filter(|again| !again.shown().is_empty()) {
                Some(again) => self.show_value(&name, again.shown(), again.type_name.as_deref()),
                None => self.out.line(self.out.look.paint(Role::Muted, "done")),
            }
            return Ok(());
        }
        self.show_value(&name, &text, value.type_name.as_deref());
        let (Some(stop), true) = (value.stop, value.variables_reference > 0) else {
            return Ok(());
        };
        let parts = self.parts(stop, value.variables_reference).await?;
        let depth = depth.unwrap_or_else(|| usize::from(!speaks(&value.result, &parts)));
        let mut left = LINES;
        self.show_parts(stop, parts, 1, depth.min(DEPTH), &mut left)
            .await;
        Ok(())
    }

    pub(super) fn show_value(&mut self, name: &str, value: &str, type_name: Option<&str>) {
        let text = sanitise_block(value.trim_end());
        if text.contains('\n') {
            self.out.line(format!("{name} ="));
            self.out.lines(text.lines());
            return;
        }
        let shown = if text.is_empty() {
            let told = type_name.unwrap_or("(nothing)");
            self.out.look.paint(Role::Muted, sanitise(told))
        } else {
            text
        };
        self.out.line(format!("{name} = {shown}"));
    }

    pub(super) async fn parts(&mut self, stop: StopId, reference: i64) -> Result<Vec<Variable>> {
        let command = Command::Variables {
            session: None,
            stop,
            reference,
            page: None,
        };
        let Reply::Variables { variables } = self.ask(command).await? else {
            return Ok(Vec::new());
        };
        Ok(self.previewed(None, stop, variables).await)
    }

    /// Variables, with what they show.
    pub(super) async fn previewed(
        &mut self,
        session: Option<SessionId>,
        stop: StopId,
        variables: Vec<Variable>,
    ) -> Vec<Variable> {
        if let Some(command) = Command::previews(session, stop, &variables)
            && let Ok(Reply::Variables { variables: known }) = self.ask(command).await
        {
            return known;
        }
        variables
    }

    async fn show_parts(
        &mut self,
        stop: StopId,
        parts: Vec<Variable>,
        level: usize,
        depth: usize,
        left: &mut usize,
    ) {
        if level > depth {
            return;
        }
        let indent = "  ".repeat(level);
        let many = parts.len();
        for part in parts.into_iter().take(PARTS) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            // Groups that only collect what nobody asked for.
            if is_group(&part) {
                continue;
            }
            let name = sanitise(&part.name);
            let value = if part.shown().is_empty() && part.variables_reference > 0 {
                "{…}".into()
            } else {
                sanitise(part.shown())
            };
            self.out.line(format!("{indent}{name} = {value}"));
            if part.variables_reference > 0
                && level < depth
                && let Ok(inner) = self.parts(stop, part.variables_reference).await
            {
                Box::pin(self.show_parts(stop, inner, level + 1, depth, left)).await;
            }
        }
        if many > PARTS {
            let told = format!("{indent}({} more)", many - PARTS);
            self.out.say(Role::Muted, told);
        }
    }

    /// `data`, `records`
    pub(super) async fn data(&mut self, typed: &ParsedCommand) -> CommandResult {
        let session = None;
        let command = if typed.row.verb == Verb::Records {
            let (_, query) = Query::written(&format!("records {}", typed.rest))?;
            Command::Records { session, query }
        } else {
            let line = typed.needed("what")?;
            let (expression, query) = Query::written(line)?;
            Command::Data {
                session,
                frame_id: None,
                expression,
                query,
            }
        };
        if let Reply::Data { data } = self.ask(command).await.map_err(slip)? {
            self.out.lines(data.told().lines());
        }
        Ok(())
    }

    /// The debugger's own commands that show what its adapter has no requests for, where they can be given now.
    pub(super) fn shows(&self) -> Option<&'static Shows> {
        let session = self.state.focused().filter(|s| s.console_commands)?;
        let adapter = Table::builtin().get(&session.adapter).ok()?;
        adapter.personality.shows.as_ref()
    }

    /// `whatis`, `ptype`
    pub(super) async fn type_of(&mut self, typed: &ParsedCommand) -> CommandResult {
        let expression = typed.needed("what")?;
        if typed.row.verb == Verb::TypeParts
            && let Some(shows) = self.shows()
        {
            let asked = format!("!{}{expression}", shows.type_parts);
            return self.answer(&asked).await;
        }
        let value = self.evaluate(expression, "watch").await?;
        let Some(name) = value.type_name.filter(|name| !name.is_empty()) else {
            return Err("the adapter tells no type of it".into());
        };
        self.out
            .line(format!("{}: {}", sanitise(expression), sanitise(&name)));
        Ok(())
    }

    /// `eval`
    pub(super) async fn eval(&mut self, typed: &ParsedCommand) -> CommandResult {
        self.answer(typed.needed("what")?).await
    }

    /// `!…`
    pub(super) async fn raw(&mut self, text: &str) -> CommandResult {
        if text.is_empty() {
            return Err("it does not say what: write !COMMAND of the adapter".into());
        }
        let session = self.stopped()?;
        let line = if session.console_commands {
            format!("!{text}")
        } else {
            text.to_owned()
        };
        self.answer(&line).await
    }

    async fn answer(&mut self, text: &str) -> CommandResult {
        let value = self.evaluate(text, "repl").await?;
        let text = sanitise_block(value.shown().trim_end());
        if !text.is_empty() {
            self.out.lines(text.lines());
        }
        Ok(())
    }

    /// `locals`
    pub(super) async fn locals(&mut self, _: &ParsedCommand) -> CommandResult {
        self.stopped()?;
        let command = Command::Scopes {
            session: None,
            frame_id: None,
        };
        let Reply::Scopes { scopes } = self.ask(command).await? else {
            return Ok(());
        };
        let stop = self.stop().map(|s| s.id);
        let mut lines = Vec::new();
        for mut scope in scopes.scopes {
            if let (Some(stop), Some(variables)) = (stop, scope.variables.take()) {
                scope.variables = Some(self.previewed(None, stop, variables).await);
            }
            if let Some(trouble) = &scope.trouble {
                lines.push(format!(
                    "{}: {}",
                    sanitise(&scope.scope.name),
                    sanitise(trouble)
                ));
            }
            let variables = scope.variables.iter().flatten();
            for v in variables.filter(|v| !is_group(v)) {
                let shown = beginning(&sanitise(v.shown()), LONGEST);
                lines.push(format!("{} = {shown}", sanitise(&v.name)));
            }
        }
        lines.extend(scopes.trouble.iter().map(|t| sanitise(t).into_owned()));
        self.out.list(lines, "No variables.");
        Ok(())
    }

    /// `set`
    pub(super) async fn set(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (name, value) = parse::assignment(&typed.rest)?;
        self.stopped()?;
        // What ran a function of the program leaves scopes that are read anew: they are waited for.
        let scopes = Command::Scopes {
            session: None,
            frame_id: None,
        };
        let container = match self.ask(scopes).await {
            Ok(Reply::Scopes { scopes }) => scopes.of(&name).unwrap_or(0),
            _ => 0,
        };
        let stop = self.stop().map(|s| s.id).unwrap_or_default();
        let command = Command::SetVariable {
            session: None,
            stop,
            container,
            name: name.clone(),
            evaluate_name: Some(name.clone()),
            value: value.clone(),
        };
        let now = match self.ask(command).await {
            Ok(Reply::Value { value }) => value,
            Ok(_) => return Ok(()),
            // The language may assign to it.
            Err(mut error) if error.kind == ErrorKind::Capability => {
                let before = self.evaluate(&name, "watch").await?.result;
                self.evaluate(&format!("{name} = {value}"), "repl").await?;
                let now = self.evaluate(&name, "watch").await?;
                if now.result == before && before != value {
                    // That was tried.
                    error.hint = None;
                    return Err(error);
                }
                now
            }
            Err(error) => match self.set_part(&name, &value, container).await {
                Some(now) => now,
                None => return Err(slip(error)),
            },
        };
        let shown = now.preview.as_deref().unwrap_or(&now.result);
        self.show_value(&sanitise(&name), shown, now.type_name.as_deref());
        Ok(())
    }

    /// Sets what the language of a native debugger cannot reach, and is shown all the same: an element of a container is a part of it. Where
    /// assignments are the program's own language, its refusal holds.
    async fn set_part(&mut self, name: &str, value: &str, container: i64) -> Option<Evaluated> {
        let adapter = Table::builtin().get(&self.state.focused()?.adapter).ok()?;
        let able = container == 0 && adapter.personality.previews;
        let (holder, part) = last_step(name).filter(|_| able)?;
        let holder = self.evaluate(holder, "watch").await.ok()?;
        let command = Command::SetVariable {
            session: None,
            stop: self.stop()?.id,
            container: holder.variables_reference,
            name: part.to_owned(),
            evaluate_name: None,
            value: value.to_owned(),
        };
        match self.ask(command).await {
            Ok(Reply::Value { value }) => Some(value),
            _ => None,
        }
    }
}

/// An expression that means nothing is the asker's slip, not the adapter's.
fn slip(failure: DebuggerError) -> DebuggerError {
    DebuggerError {
        kind: ErrorKind::Usage,
        ..failure
    }
}

/// A node that only groups others: no value, and a hint or a name that says so.
fn is_group(variable: &Variable) -> bool {
    variable.value.is_empty()
        && variable.variables_reference > 0
        && variable.name.contains("variables")
}

/// Whether a value's text already shows its parts.
fn speaks(text: &str, parts: &[Variable]) -> bool {
    let first = parts.iter().find(|p| !p.value.is_empty());
    first.is_none_or(|p| text.contains(p.value.as_str()) && !text.starts_with("0x"))
}

/// A whole number in another base: gdb's letters.
fn radix(text: &str, letters: &str) -> Option<String> {
    // A character comes as its number, then itself.
    let text = text.split(" '").next().unwrap_or(text).trim();
    let number: i128 = text.parse().ok().or_else(|| {
        let digits = text.strip_prefix("0x")?;
        i128::from_str_radix(digits, 16).ok()
    })?;
    let sign = if number < 0 { "-" } else { "" };
    let size = number.unsigned_abs();
    Some(match letters {
        "x" => format!("{sign}{size:#x}"),
        "o" => format!("{sign}{size:#o}"),
        "t" => format!("{sign}{size:#b}"),
        "d" => number.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, value: &str) -> Variable {
        Variable {
            name: name.into(),
            value: value.into(),
            ..Variable::default()
        }
    }

    #[test]
    fn a_value_that_shows_its_parts_is_not_opened() {
        let parts = [part("special variables", ""), part("0", "7")];
        assert!(speaks("[7, 8]", &parts));
        assert!(!speaks("<Shop object at 0x1>", &[part("name", "'Ada'")]));
        assert!(!speaks(
            "0x7ffe10",
            &[part("price", "2"), part("x", "0x7f")]
        ));
        assert!(speaks("{}", &[]));
    }

    #[test]
    fn whole_numbers_are_shown_in_other_bases() {
        assert_eq!(radix("255", "x").as_deref(), Some("0xff"));
        assert_eq!(radix("-5", "t").as_deref(), Some("-0b101"));
        assert_eq!(radix("0x10", "d").as_deref(), Some("16"));
        assert_eq!(radix("65 'A'", "x").as_deref(), Some("0x41"));
        assert_eq!(radix("1.5", "x"), None);
        assert_eq!(radix("1", "q"), None);
    }
}
