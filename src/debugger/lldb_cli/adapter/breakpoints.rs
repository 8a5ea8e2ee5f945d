//! The lists of breakpoints that the core sends whole, kept as lldb's own: what is new is added, what is gone is deleted, what
//! stays is left alone.

use super::{
    Adapter, Outcome,
    arguments::{arguments, integer, list},
    placed::{BreakpointKind, BreakpointRequest, Placed},
};
use crate::{lldb_cli::quote::quoted, prelude::*};

impl Adapter {
    pub async fn set_breakpoints(&mut self, given: &Value) -> Outcome {
        let path = given
            .pointer("/source/path")
            .and_then(Value::as_str)
            .ok_or("setBreakpoints needs `source.path`")?;
        self.replace(BreakpointKind::Source, path, given.get("breakpoints"))
            .await
    }

    pub async fn set_exception_breakpoints(&mut self, given: &Value) -> Outcome {
        let given = |name| given.get(name).into_iter().flat_map(list);
        let plain = given("filters").map(|filter| json!({ "filter": filter }));
        let mut wishes: Vec<_> = plain.collect();
        let options = given("filterOptions");
        wishes.extend(options.map(|option| json!({ "filter": option.get("filterId"), "condition": option.get("condition") })));
        self.replace(BreakpointKind::Exception, "", Some(&wishes.into()))
            .await
    }

    /// Makes lldb's breakpoints of this kind and file those that are wished.
    pub async fn replace(
        &mut self,
        kind: BreakpointKind,
        file: &str,
        wishes: Option<&Value>,
    ) -> Outcome {
        let wishes: Vec<BreakpointRequest> = wishes.map_or_else(|| Ok(Vec::new()), arguments)?;
        let key = (kind, file.to_owned());
        let mut old = self.breakpoints.0.remove(&key).unwrap_or_default();
        let mut kept = Vec::with_capacity(wishes.len());
        for wish in &wishes {
            let at = old.iter().position(|placed| placed.wish == *wish);
            kept.push(at.map(|at| old.swap_remove(at)));
        }
        for placed in old {
            self.lldb
                .command(&format!("breakpoint delete {}", placed.id))
                .await?;
        }
        let mut placed = Vec::new();
        let mut answers = Vec::new();
        for (wish, kept) in wishes.into_iter().zip(kept) {
            let id = match kept {
                Some(kept) => Ok(kept.id),
                None => self.place(kind, file, &wish).await,
            };
            match id {
                Ok(id) => {
                    placed.push(Placed {
                        id,
                        wish,
                        has_place: false,
                    });
                    answers.push(json!(id));
                }
                Err(why) => answers.push(json!({ "verified": false, "message": why })),
            }
        }
        let ids: Vec<_> = placed.iter().map(|placed| placed.id).collect();
        let told = self.ask("breakpoints", json!({ "ids": ids })).await?;
        let mut known = told.as_array().cloned().unwrap_or_default().into_iter();
        for answer in answers.iter_mut().filter(|answer| answer.is_number()) {
            *answer = described(&known.next().unwrap_or_default(), kind);
        }
        for (one, answer) in placed.iter_mut().zip(list(&told)) {
            one.has_place = has_place(answer);
        }
        self.breakpoints.0.insert(key, placed);
        Ok(json!({ "breakpoints": answers }))
    }

    /// Adds one; gives its number.
    async fn place(
        &mut self,
        kind: BreakpointKind,
        file: &str,
        wish: &BreakpointRequest,
    ) -> Result<i64, String> {
        let ignored = wish
            .hit_condition
            .as_deref()
            .map(ignore_count)
            .transpose()?;
        let condition = wish
            .condition
            .as_deref()
            .map(|c| quoted("the condition", c))
            .transpose()?;
        let line = match kind {
            BreakpointKind::Source => {
                let line = wish.line.ok_or("a breakpoint needs a `line`")?;
                let column = wish
                    .column
                    .map(|column| format!(" --column {column}"))
                    .unwrap_or_default();
                format!(
                    "breakpoint set --file {} --line {line}{column}",
                    quoted("the file", file)?
                )
            }
            BreakpointKind::Function => {
                let name = wish
                    .name
                    .as_deref()
                    .ok_or("a function breakpoint needs a `name`")?;
                format!("breakpoint set --name {}", quoted("the function", name)?)
            }
            BreakpointKind::Instruction => {
                let reference = wish.instruction_reference.as_deref();
                let address = address(
                    reference.ok_or("an instruction breakpoint needs an `instructionReference`")?,
                )?;
                format!(
                    "breakpoint set --address {:#x}",
                    address.wrapping_add_signed(wish.offset.unwrap_or_default())
                )
            }
            BreakpointKind::Exception => match wish.filter.as_deref() {
                Some("cpp_throw") => {
                    "breakpoint set --language-exception c++ --on-throw true --on-catch false"
                        .to_owned()
                }
                Some("cpp_catch") => {
                    "breakpoint set --language-exception c++ --on-throw false --on-catch true"
                        .to_owned()
                }
                other => {
                    return Err(format!(
                        "there is no exception filter {other:?}; there are cpp_throw and cpp_catch"
                    ));
                }
            },
        };
        let printed = self.lldb.command(&line).await?;
        let id = number(&printed)
            .ok_or_else(|| format!("lldb told no number for the breakpoint: {printed}"))?;
        if let Err(why) = self
            .refine(id, condition, ignored, wish.log_message.as_deref())
            .await
        {
            // Without its condition it would stop where nobody wants it.
            self.lldb
                .command(&format!("breakpoint delete {id}"))
                .await?;
            return Err(why);
        }
        Ok(id)
    }

    async fn refine(
        &mut self,
        id: i64,
        condition: Option<String>,
        ignored: Option<u64>,
        log: Option<&str>,
    ) -> Result<(), String> {
        if let Some(condition) = condition {
            self.lldb
                .command(&format!("breakpoint modify -c {condition} {id}"))
                .await?;
        }
        if let Some(ignored) = ignored.filter(|ignored| *ignored > 0) {
            self.lldb
                .command(&format!("breakpoint modify -i {ignored} {id}"))
                .await?;
        }
        if let Some(log) = log {
            self.ask("log", json!({ "breakpoint": id, "parts": parts(log) }))
                .await?;
            self.lldb
                .command(&format!("breakpoint command add -F omp_debug_hit {id}"))
                .await?;
        }
        Ok(())
    }

    /// Tells of breakpoints that have found their place meanwhile.
    pub async fn tell_placed(&mut self) {
        let waiting: Vec<_> = self
            .breakpoints
            .0
            .values()
            .flatten()
            .filter(|one| !one.has_place)
            .map(|one| one.id)
            .collect();
        if waiting.is_empty() {
            return;
        }
        let Ok(told) = self.ask("breakpoints", json!({ "ids": waiting })).await else {
            return;
        };
        for known in list(&told) {
            let id = integer(known, "id");
            if !has_place(known) {
                continue;
            }
            let kind = self.breakpoints.kind(id).unwrap_or(BreakpointKind::Source);
            for one in self
                .breakpoints
                .0
                .values_mut()
                .flatten()
                .filter(|one| one.id == id)
            {
                one.has_place = true;
            }
            let body = json!({ "reason": "changed", "breakpoint": described(known, kind) });
            self.wire.event("breakpoint", body).await;
        }
    }
}

/// Whether lldb has code for a breakpoint.
fn has_place(known: &Value) -> bool {
    known.get("verified") == Some(&Value::Bool(true))
}

/// What the core is told of a breakpoint that lldb has.
fn described(known: &Value, kind: BreakpointKind) -> Value {
    match kind {
        BreakpointKind::Exception => json!({ "id": known.get("id"), "verified": true }),
        _ => known.clone(),
    }
}

/// The number in `Breakpoint 3: where = …`.
fn number(printed: &str) -> Option<i64> {
    printed.lines().find_map(|line| {
        line.strip_prefix("Breakpoint ")?
            .split(':')
            .next()?
            .parse()
            .ok()
    })
}

/// How many hits pass before the one that is meant.
fn ignore_count(hits: &str) -> Result<u64, String> {
    match hits.trim().parse::<u64>() {
        Ok(hits) => Ok(hits.saturating_sub(1)),
        Err(_) => Err(format!(
            "lldb counts to a plain number of hits, not to {hits:?}"
        )),
    }
}

/// An address as DAP writes it.
fn address(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    digits
        .map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16))
        .map_err(|error| {
            format!("{text:?} is no address ({error}); write 0x and hexadecimal digits")
        })
}

/// A log message as texts and, in lists of one, expressions. `\{` is a brace.
fn parts(message: &str) -> Vec<Value> {
    let mut parts = Vec::new();
    let (mut text, mut expression, mut depth) = (String::new(), String::new(), 0_usize);
    let mut characters = message.chars().peekable();
    while let Some(character) = characters.next() {
        match (depth, character) {
            (0, '\\') if matches!(characters.peek(), Some('{' | '}')) => {
                text.extend(characters.next());
            }
            (0, '{') => {
                parts.push(json!(mem::take(&mut text)));
                depth = 1;
            }
            (0, _) => text.push(character),
            (1, '}') => {
                parts.push(json!([mem::take(&mut expression).trim()]));
                depth = 0;
            }
            (_, _) => {
                match character {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                expression.push(character);
            }
        }
    }
    if depth > 0 {
        text = format!("{{{expression}");
    }
    parts.push(json!(text));
    parts.retain(|part| part.as_str() != Some(""));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_message_is_cut_at_its_expressions() {
        assert_eq!(parts("a {b} c"), [json!("a "), json!(["b"]), json!(" c")]);
        assert_eq!(parts("{s{1}.x}"), [json!(["s{1}.x"])]);
        assert_eq!(parts(r"\{x\} {y"), [json!("{x} "), json!("{y")]);
        assert_eq!(parts(""), Vec::<Value>::new());
    }

    #[test]
    fn the_number_of_a_breakpoint_is_read_from_what_lldb_prints() {
        assert_eq!(
            number("Breakpoint 12: where = a`f at a.c:4:13, address = 0x1169"),
            Some(12)
        );
        assert_eq!(
            number("WARNING: Unable to resolve\nBreakpoint 3: no locations (pending)."),
            Some(3)
        );
        assert_eq!(number("Breakpoint x: y"), None);
    }

    #[test]
    fn hits_are_plain_numbers() {
        assert_eq!(ignore_count("3"), Ok(2));
        assert_eq!(ignore_count(" 1 "), Ok(0));
        assert!(ignore_count(">= 3").unwrap_err().contains("\">= 3\""));
    }

    #[test]
    fn addresses_are_read_in_both_spellings() {
        assert_eq!(address("0x10"), Ok(16));
        assert_eq!(address("17"), Ok(17));
        assert!(address("x").is_err());
    }
}
