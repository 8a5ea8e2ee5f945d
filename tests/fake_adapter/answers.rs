//! What the adapter declares, and what it says about a program without changing its course.

use serde_json::{Value, json};

use crate::session::Session;
use crate::values::{Node, PLACES};

pub fn capabilities(overrides: &Value) -> Value {
    let mut body = json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportTerminateDebuggee": true,
        "supportsCancelRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsCompletionsRequest": true,
        "supportsModulesRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsGotoTargetsRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsDataBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsReadMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "exceptionBreakpointFilters": [
            {"filter": "raised", "label": "Raised Exceptions", "default": false},
            {"filter": "uncaught", "label": "Uncaught Exceptions", "default": true},
        ],
    });
    for (name, value) in overrides.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

const STACK: [&str; 3] = ["total", "checkout", "<module>"];
const MEMORY: u64 = 0x1000;
const MEMORY_END: u64 = 0x2000;

impl Session {
    /// The answer to a request that only asks; `None` when the command is not known.
    pub fn look_up(&mut self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        let number = |key: &str| arguments[key].as_i64();
        let size = |key: &str| usize::try_from(arguments[key].as_i64().unwrap_or(0)).unwrap_or(0);
        let first = self.options.first_thread;
        let answer = match command {
            "threads" if self.dead => Ok(json!({"threads": []})),
            "threads" => Ok(json!({"threads": [
                {"id": first, "name": "MainThread"}, {"id": first + 1, "name": "worker"}]})),
            "stackTrace" | "scopes" | "variables" | "exceptionInfo" if self.running => {
                Err("the program is running".to_owned())
            }
            "stackTrace" => self.stack(number("threadId"), size("startFrame"), size("levels")),
            "scopes" => self.scopes(number("frameId").unwrap_or(0)),
            "variables" => {
                let node = self.values.node(number("variablesReference").unwrap_or(0));
                let filter = arguments["filter"].as_str();
                let window = (size("start"), size("count"));
                node.map_or_else(
                    || Err("unknown variablesReference".to_owned()),
                    |node| {
                        let list = self.options.list;
                        let found = self.values.children(&node, list, filter, window);
                        Ok(json!({"variables": found}))
                    },
                )
            }
            "setVariable" | "setExpression" => {
                let name = arguments["name"]
                    .as_str()
                    .or_else(|| arguments["expression"].as_str());
                let value = arguments["value"].as_str().unwrap_or_default();
                self.values.set(name.unwrap_or_default(), value);
                Ok(json!({"value": value, "variablesReference": 0}))
            }
            "exceptionInfo" if self.stop_reason == "exception" => {
                Ok(json!({"exceptionId": "ValueError", "description": "raised",
                    "breakMode": "always", "details": {"message": "raised",
                        "typeName": "ValueError", "stackTrace": "Traceback …"}}))
            }
            "exceptionInfo" => Err("the program did not stop for an exception".to_owned()),
            "setFunctionBreakpoints" => {
                self.program.set_functions(arguments, 9000);
                Ok(numbered(arguments, "name", 9000))
            }
            "setDataBreakpoints" => Ok(numbered(arguments, "dataId", 9100)),
            "setInstructionBreakpoints" => Ok(numbered(arguments, "instructionReference", 9200)),
            "dataBreakpointInfo" => Ok(json!({"dataId": arguments["name"],
                "description": arguments["name"], "accessTypes": ["write"]})),
            "breakpointLocations" => {
                let from = u32::try_from(size("line")).unwrap();
                let to = u32::try_from(size("endLine")).unwrap().max(from);
                let lines = (from..=to).filter(|line| self.program.step_from(*line) == Some(*line));
                let lines: Vec<_> = lines.map(|line| json!({"line": line})).collect();
                Ok(json!({"breakpoints": lines}))
            }
            "gotoTargets" => {
                let line = number("line").unwrap_or(1);
                Ok(
                    json!({"targets": [{"id": line, "label": format!("line {line}"), "line": line}]}),
                )
            }
            "completions" => {
                let text = arguments["text"].as_str().unwrap_or_default();
                let names = ["i", "line", "name", "price", "items", "order"];
                let found = names.iter().filter(|name| name.starts_with(text));
                let found: Vec<_> = found
                    .map(|name| json!({"label": name, "type": "variable"}))
                    .collect();
                Ok(json!({"targets": found}))
            }
            "locations" if self.options.locations => {
                let wanted = number("locationReference");
                let place = PLACES.iter().find(|place| Some(place.0) == wanted);
                place.map_or_else(
                    || Err("unknown locationReference".to_owned()),
                    |(reference, line, column, end)| {
                        let source = match reference {
                            7003 => json!({"name": "made up", "sourceReference": 9}),
                            _ => self.program.source(),
                        };
                        Ok(json!({"source": source, "line": line, "column": column,
                            "endLine": end}))
                    },
                )
            }
            "source" => Ok(json!({"content": self.program.lines.join("\n")})),
            "loadedSources" => Ok(json!({"sources": [self.program.source()]})),
            "modules" => Ok(json!({"totalModules": 2, "modules": [
                {"id": 1, "name": "__main__", "path": self.program.path},
                {"id": "lib", "name": "library", "version": "1.0"}]})),
            "readMemory" => {
                let start = address(&arguments["memoryReference"], number("offset").unwrap_or(0));
                let count = size("count") as u64;
                let end = (start + count).min(MEMORY_END);
                if !(MEMORY..MEMORY_END).contains(&start) {
                    return Some(Err(format!("cannot read memory at {start:#x}")));
                }
                let bytes: Vec<u8> = (start..end).map(|place| place as u8).collect();
                Ok(
                    json!({"address": format!("{start:#x}"), "data": base64(&bytes),
                    "unreadableBytes": count - (end - start)}),
                )
            }
            "disassemble" => {
                let offset = 4 * number("instructionOffset").unwrap_or(0);
                let start = address(&arguments["memoryReference"], offset);
                let line = self.program.line;
                let all: Vec<_> = (0..size("instructionCount") as u64)
                    .map(|index| {
                        json!({"address": format!("{:#x}", start + 4 * index),
                        "instructionBytes": "1f 20 03 d5", "instruction": "nop", "line": line})
                    })
                    .collect();
                Ok(json!({"instructions": all}))
            }
            // Heard and not kept; without a count, as some real adapters answer.
            "writeMemory" | "terminateThreads" => Ok(Value::Null),
            _ => return None,
        };
        Some(answer)
    }

    fn stack(&self, thread: Option<i64>, start: usize, levels: usize) -> Result<Value, String> {
        let index = thread.unwrap_or(-1) - self.options.first_thread;
        if !(0..2).contains(&index) {
            return Err(format!("unknown thread {}", thread.unwrap_or(-1)));
        }
        let count = if levels == 0 { STACK.len() } else { levels };
        let all = self.options.frames;
        let (start, count) = if all > 0 { (0, all) } else { (start, count) };
        let deeper = all.saturating_sub(STACK.len());
        let top = if index == 0 { self.program.line } else { 1 };
        let farther = self.program.step_from(1).unwrap_or(1);
        let source = self.program.source();
        let frames: Vec<Value> = STACK
            .into_iter()
            .chain(std::iter::repeat_n("deep", deeper))
            .enumerate()
            .skip(start)
            .take(count)
            .map(|(depth, name)| {
                let line = if depth == 0 { top } else { farther };
                // Those far out are many: nothing is asked of them, and they are no longer than they must be.
                if depth >= 9 {
                    let id = -(depth as i64);
                    return json!({"id": id, "name": name, "line": line, "column": 1, "source": source});
                }
                let id = self.stops * 100 + index * 10 + depth as i64 + 1;
                json!({"id": id, "name": name, "line": line, "column": 1, "source": source,
                    "instructionPointerReference": format!("{:#x}", MEMORY + 4 * u64::from(line))})
            })
            .collect();
        let total = (all == 0).then_some(STACK.len());
        Ok(json!({"stackFrames": frames, "totalFrames": total}))
    }

    fn scopes(&mut self, frame: i64) -> Result<Value, String> {
        if frame / 100 != self.stops {
            return Err(format!("unknown frame {frame}"));
        }
        // The outer frames have a pass of their own, so that frames can be told apart.
        let depth = u32::try_from(frame % 10 - 1).unwrap_or(0);
        let locals = Node::Locals {
            line: self.program.line,
            pass: self.program.pass + 100 * depth,
        };
        let locals = self.values.reference(&locals);
        let globals = self.values.reference(&Node::Globals);
        Ok(json!({"scopes": [
            {"name": "Locals", "presentationHint": "locals", "variablesReference": locals,
                "expensive": false, "namedVariables": 9},
            {"name": "Globals", "variablesReference": globals, "expensive": true}]}))
    }
}

/// Breakpoints that are accepted and never reached.
fn numbered(arguments: &Value, key: &str, first: i64) -> Value {
    let wanted = arguments["breakpoints"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let all: Vec<Value> = (first..)
        .zip(wanted)
        .map(|(id, wanted)| json!({"id": id, "verified": true, "message": wanted[key]}))
        .collect();
    json!({"breakpoints": all})
}

fn address(reference: &Value, offset: i64) -> u64 {
    let text = reference.as_str().unwrap_or_default();
    let base = u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0);
    base.saturating_add_signed(offset)
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        let word = word << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                text.push(char::from(
                    ALPHABET[(word >> (18 - 6 * place) & 63) as usize],
                ));
            } else {
                text.push('=');
            }
        }
    }
    text
}
