//! Below the source: instructions, memory, modules; and requests of the adapter's own.

use std::fmt::Write as _;

use base::text::sanitise::sanitise_block;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::{Done, odd};
use crate::{
    prelude::*,
    tool::{
        arguments::Arguments,
        result::clean,
        text::{self, one_line},
        turn::Turn,
    },
};

pub async fn disassemble(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let session = Some(turn.session()?.id);
    let command = Command::Disassemble {
        session,
        memory_reference: arguments.owned("memory_reference"),
        offset: arguments.integer("offset"),
        instruction_offset: arguments.integer("instruction_offset"),
        instruction_count: arguments.integer("instruction_count").unwrap_or_default(),
        resolve_symbols: arguments.flag("resolve_symbols"),
    };
    match turn.ask(command).await? {
        Reply::Disassembly { instructions } => {
            Ok(Done::new(text::disassembly(&instructions)).with("disassembly", instructions))
        }
        other => Err(odd(&other)),
    }
}

pub async fn read_memory(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let session = Some(turn.session()?.id);
    let command = Command::ReadMemory {
        session,
        memory_reference: arguments.owned("memory_reference").unwrap_or_default(),
        offset: arguments.integer("offset"),
        count: arguments.integer("count").unwrap_or_default(),
    };
    match turn.ask(command).await? {
        Reply::Memory {
            address,
            data,
            unreadable_bytes,
        } => {
            let bytes = BASE64.decode(data.trim()).map_err(|error| {
                DebuggerError::new(
                    Kind::Adapter,
                    format!("The adapter's answer is not base64: {error}."),
                )
            })?;
            Ok(Done::new(text::memory(&address, &bytes, unreadable_bytes))
                .with("memoryAddress", address)
                .with("memoryData", data)
                .with("unreadableBytes", unreadable_bytes))
        }
        other => Err(odd(&other)),
    }
}

pub async fn write_memory(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let session = Some(turn.session()?.id);
    let data = arguments.owned("data").unwrap_or_default();
    let length = BASE64
        .decode(&data)
        .map_err(|error| {
            DebuggerError::usage(format!("data of write_memory is not base64: {error}."))
                .hint("encode the bytes with padding, as in \"AQID\" or \"/w==\"")
        })?
        .len();
    let allow_partial = arguments.flag("allow_partial");
    let command = Command::WriteMemory {
        session,
        memory_reference: arguments.owned("memory_reference").unwrap_or_default(),
        offset: arguments.integer("offset"),
        data,
        allow_partial,
    };
    match turn.ask(command).await? {
        Reply::Written { bytes, offset } => {
            // Who may not write a part and did not fail has written all of it.
            let bytes = bytes.or_else(|| (allow_partial != Some(true)).then_some(length as i64));
            let mut text = "Memory write completed.".to_owned();
            if let Some(bytes) = bytes {
                let _ = write!(text, "\nBytes written: {bytes}");
            }
            if let Some(offset) = offset {
                let _ = write!(text, "\nOffset: {offset}");
            }
            Ok(Done::new(text)
                .with("bytesWritten", bytes)
                .with("offset", offset))
        }
        other => Err(odd(&other)),
    }
}

pub async fn modules(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let command = Command::Modules {
        session: Some(turn.session()?.id),
        start: arguments.integer("start_module"),
        count: arguments.integer("module_count"),
    };
    match turn.ask(command).await? {
        Reply::Modules { modules, total } => Ok(Done::new(text::modules(&modules))
            .with("modules", modules)
            .with("totalModules", total)),
        other => Err(odd(&other)),
    }
}

pub async fn loaded_sources(turn: &mut Turn, _: &Arguments) -> Result<Done> {
    let session = Some(turn.session()?.id);
    match turn.ask(Command::LoadedSources { session }).await? {
        Reply::Sources { sources } => {
            Ok(Done::new(text::sources(&sources)).with("sources", sources))
        }
        other => Err(odd(&other)),
    }
}

pub async fn custom_request(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    let session = Some(turn.session()?.id);
    let request = arguments.owned("command").unwrap_or_default();
    let command = Command::CustomRequest {
        session,
        request: request.clone(),
        arguments: arguments.object("arguments"),
    };
    match turn.ask(command).await? {
        Reply::Custom { body } => {
            let pretty = serde_json::to_string_pretty(&clean(body.clone())).unwrap_or_default();
            let text = format!(
                "{} response:\n{}",
                one_line(&request),
                sanitise_block(&pretty)
            );
            Ok(Done::new(text).with("customBody", body))
        }
        other => Err(odd(&other)),
    }
}
