//! What is asked of a program that stands: threads, frames, values, memory, instructions. lldb's Python reads them; this gives
//! them their DAP names.

use super::{
    Adapter, Outcome,
    arguments::{arguments, integer, list},
    breakpoints::address,
};
use crate::prelude::*;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Arguments {
    thread_id: Option<i64>,
    frame_id: Option<i64>,
    start_frame: i64,
    levels: i64,
    variables_reference: i64,
    start: i64,
    count: i64,
    name: String,
    value: String,
    expression: String,
    context: String,
    memory_reference: String,
    offset: i64,
    instruction_offset: i64,
    instruction_count: i64,
    data: String,
    start_module: i64,
    module_count: i64,
}

/// Instructions read in one request at most.
const INSTRUCTIONS: i64 = 10_000;
/// Bytes read in one request at most.
const BYTES: i64 = 1 << 20;

impl Arguments {
    fn address(&self) -> Result<u64, String> {
        Ok(address(&self.memory_reference)?.wrapping_add_signed(self.offset))
    }
}

impl Adapter {
    /// Requests that only ask, and those that change values.
    pub(super) async fn inspect(&mut self, command: &str, given: &Value) -> Outcome {
        let asked = || arguments::<Arguments>(given);
        match command {
            "stackTrace" => self.stack(asked()?).await,
            "scopes" => self.scopes(asked()?).await,
            "variables" => self.variables(asked()?).await,
            "setVariable" => self.set_variable(asked()?).await,
            "setExpression" => self.set_expression(asked()?).await,
            "evaluate" => self.evaluate(asked()?).await,
            "readMemory" => self.read_memory(asked()?).await,
            "writeMemory" => self.write_memory(asked()?).await,
            "disassemble" => self.disassemble(asked()?).await,
            "modules" => self.modules(asked()?).await,
            other => Err(format!(
                "LLDB's command line backend has no request `{other}`"
            )),
        }
    }

    pub(super) async fn threads(&mut self) -> Outcome {
        let told = self.ask("threads", json!({})).await?;
        let threads: Vec<_> = list(&told)
            .map(|thread| {
                let name = text(thread, "name");
                let tid = integer(thread, "tid");
                let name = if name.is_empty() {
                    format!("thread {tid}")
                } else {
                    name.to_owned()
                };
                json!({ "id": thread.get("id"), "name": name })
            })
            .collect();
        Ok(json!({ "threads": threads }))
    }

    async fn stack(&mut self, asked: Arguments) -> Outcome {
        let thread = asked.thread_id.ok_or("stackTrace needs a `threadId`")?;
        let with = json!({ "thread": thread, "start": asked.start_frame.max(0), "count": asked.levels.max(0) });
        let told = self.ask("stack", with).await?;
        let mut frames = Vec::new();
        for frame in list(told.get("frames").unwrap_or(&Value::Null)) {
            let index = integer(frame, "index");
            let path = frame.text_of("path");
            frames.push(json!({
                "id": self.frame_id(thread, index),
                "name": frame.get("name"),
                "line": frame.get("line"),
                "column": frame.get("column"),
                "instructionPointerReference": frame.get("pc"),
                "moduleId": frame.get("module"),
                "source": path.map(source),
                "presentationHint": path.is_none().then_some("subtle"),
            }));
        }
        Ok(json!({ "stackFrames": frames, "totalFrames": told.get("total") }))
    }

    /// The id of a frame at this stop.
    fn frame_id(&mut self, thread: i64, index: i64) -> usize {
        let frame = (thread, index);
        if let Some(at) = self.frames.iter().position(|known| *known == frame) {
            return at + 1;
        }
        self.frames.push(frame);
        self.frames.len()
    }

    /// Thread and index of a frame; both null for the selected one.
    fn frame(&self, id: Option<i64>) -> Result<(Value, Value), String> {
        let Some(id) = id else {
            return Ok((Value::Null, json!(0)));
        };
        let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        at.and_then(|at| self.frames.get(at))
            .map(|(thread, index)| (json!(thread), json!(index)))
            .ok_or_else(|| format!("frame {id} belongs to an earlier stop"))
    }

    async fn scopes(&mut self, asked: Arguments) -> Outcome {
        let (thread, index) = self.frame(asked.frame_id)?;
        let told = self
            .ask("scopes", json!({ "thread": thread, "index": index }))
            .await?;
        let scopes: Vec<_> = list(&told)
            .map(|scope| {
                let name = text(scope, "name");
                let hint = match name {
                    "Locals" => json!("locals"),
                    "Registers" => json!("registers"),
                    _ => Value::Null,
                };
                json!({
                    "name": name,
                    "presentationHint": hint,
                    "variablesReference": scope.get("ref"),
                    "namedVariables": scope.get("count"),
                    "expensive": name == "Registers",
                })
            })
            .collect();
        Ok(json!({ "scopes": scopes }))
    }

    async fn variables(&mut self, asked: Arguments) -> Outcome {
        let with = json!({ "ref": asked.variables_reference, "start": asked.start.max(0), "count": asked.count.max(0) });
        let told = self.ask("variables", with).await?;
        let variables: Vec<_> = list(&told)
            .map(|value| {
                let mut shown = described(value);
                shown.put("name", value.get("name").cloned().unwrap_or_default());
                shown
            })
            .collect();
        Ok(json!({ "variables": variables }))
    }

    async fn set_variable(&mut self, asked: Arguments) -> Outcome {
        let with =
            json!({ "ref": asked.variables_reference, "name": asked.name, "value": asked.value });
        Ok(described(&self.ask("set", with).await?).into())
    }

    async fn set_expression(&mut self, asked: Arguments) -> Outcome {
        let (thread, index) = self.frame(asked.frame_id)?;
        let with = json!({ "expression": asked.expression, "value": asked.value, "thread": thread, "index": index });
        Ok(described(&self.ask("assign", with).await?).into())
    }

    async fn evaluate(&mut self, asked: Arguments) -> Outcome {
        if asked.context == "repl" {
            return self.typed(&asked.expression).await;
        }
        let (thread, index) = self.frame(asked.frame_id)?;
        let with = json!({ "expression": asked.expression, "thread": thread, "index": index });
        let mut shown = described(&self.ask("evaluate", with).await?);
        let value = shown.remove("value").unwrap_or_default();
        shown.put("result", value);
        Ok(shown.into())
    }

    async fn read_memory(&mut self, asked: Arguments) -> Outcome {
        let at = asked.address()?;
        let data = self
            .ask(
                "read",
                json!({ "address": at, "count": asked.count.clamp(0, BYTES) }),
            )
            .await?;
        Ok(json!({ "address": format!("{at:#x}"), "data": data }))
    }

    async fn write_memory(&mut self, asked: Arguments) -> Outcome {
        let at = asked.address()?;
        let written = self
            .ask("write", json!({ "address": at, "data": asked.data }))
            .await?;
        Ok(json!({ "bytesWritten": written }))
    }

    async fn disassemble(&mut self, asked: Arguments) -> Outcome {
        let at = asked.address()?;
        let with = json!({
            "address": at,
            "offset": asked.instruction_offset.clamp(-INSTRUCTIONS, INSTRUCTIONS),
            "count": asked.instruction_count.clamp(0, INSTRUCTIONS),
        });
        let told = self.ask("disassemble", with).await?;
        let instructions: Vec<_> = list(&told)
            .map(|one| {
                let path = one.text_of("path");
                json!({
                    "address": one.get("address"),
                    "instruction": one.get("instruction"),
                    "instructionBytes": one.get("bytes"),
                    "symbol": one.get("symbol"),
                    "location": path.map(source),
                    "line": path.and_then(|_| one.get("line")),
                })
            })
            .collect();
        Ok(json!({ "instructions": instructions }))
    }

    async fn modules(&mut self, asked: Arguments) -> Outcome {
        let with =
            json!({ "start": asked.start_module.max(0), "count": asked.module_count.max(0) });
        let told = self.ask("modules", with).await?;
        let modules: Vec<_> = list(told.get("modules").unwrap_or(&Value::Null))
            .map(|module| {
                let symbols = module
                    .get("symbols")
                    .and_then(Value::as_bool)
                    .unwrap_or_default();
                json!({
                    "id": module.get("path").filter(|path| path.is_string()).or_else(|| module.get("name")),
                    "name": module.get("name"),
                    "path": module.get("path"),
                    "version": module.get("version"),
                    "symbolStatus": if symbols { "Symbols loaded." } else { "Symbols not found." },
                    "addressRange": module.get("address"),
                })
            })
            .collect();
        Ok(json!({ "modules": modules, "totalModules": told.get("total") }))
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.text_of(name).unwrap_or_default()
}

fn source(path: &str) -> Value {
    let name = path.rsplit('/').next().unwrap_or(path);
    json!({ "name": name, "path": path })
}

/// A value as DAP tells one.
fn described(value: &Value) -> Map<String, Value> {
    let names = [
        ("value", "value"),
        ("type", "type"),
        ("ref", "variablesReference"),
        ("named", "namedVariables"),
        ("indexed", "indexedVariables"),
        ("memory", "memoryReference"),
        ("path", "evaluateName"),
    ];
    names
        .into_iter()
        .filter_map(|(ours, theirs)| Some((theirs.to_owned(), value.get(ours)?.clone())))
        .collect()
}
