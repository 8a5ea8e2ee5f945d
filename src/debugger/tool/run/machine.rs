//! Below the source: instructions, memory, modules; and requests of the adapter's own.

use std::fmt::Write as _;

use base::text::sanitise::sanitise_block;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use dap::requests::{Disassemble, LoadedSources, Modules, ModulesArguments, ReadMemory};

use super::prelude::*;
use crate::tool::result::clean;

rows! {
    // `instruction_reference` is taken and not used: callers mix the two references up.
    ROW "disassemble" disassemble "List machine instructions, from a reference or from where the program stopped."
        needs ["instruction_count"] takes ["memory_reference" "instruction_reference" "offset" "instruction_offset" "resolve_symbols"] asks "disassemble" of "disassembly";
    ROW "read_memory" read_memory "Read bytes of the program's memory."
        needs ["memory_reference" "count"] takes ["offset"] asks "readMemory" of "memory reads";
    ROW "write_memory" write_memory Exec when Modify "Change bytes of the program's memory."
        needs ["memory_reference" "data"] takes ["offset" "allow_partial"] asks "writeMemory" of "memory writes";
    LISTS "modules" modules "List the modules of the program."
        takes ["start_module" "module_count"] asks "modules" of "module introspection";
    LISTS "loaded_sources" loaded_sources "List the sources that the program has loaded."
        asks "loadedSources" of "loaded sources";
    LISTS "custom_request" custom_request Exec "Send any request to the adapter, of the protocol or of the adapter's own."
        needs ["command"] takes ["arguments"];
}

async fn disassemble(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let asked = arguments.of_request()?;
    let instructions = turn.request::<Disassemble>(&asked).await?.instructions;
    Ok(ActionOutput::new(text::disassembly(&instructions)).with("disassembly", instructions))
}

async fn read_memory(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let read = turn.request::<ReadMemory>(&arguments.of_request()?).await?;
    let data = read.data.unwrap_or_default();
    let unreadable = read.unreadable_bytes.unwrap_or(0);
    let bytes = BASE64.decode(data.trim()).map_err(|error| {
        DebuggerError::adapter(format!("The adapter's answer is not base64: {error}."))
    })?;
    Ok(
        ActionOutput::new(text::memory(&read.address, &bytes, unreadable))
            .with("memoryAddress", read.address)
            .with("memoryData", data)
            .with("unreadableBytes", unreadable),
    )
}

async fn write_memory(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    let data = arguments.needed("data");
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
        memory_reference: arguments.needed("memory_reference"),
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
            Ok(ActionOutput::new(text)
                .with("bytesWritten", bytes)
                .with("offset", offset))
        }
        other => Err(other.unexpected()),
    }
}

async fn modules(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let asked: ModulesArguments = arguments.of_request()?;
    let answer = turn.request::<Modules>(&asked).await?;
    let mut modules = answer.modules;
    // Some adapters take no notice of what part of them is asked for.
    let size = |n: Option<i64>| usize::try_from(n.unwrap_or(0)).unwrap_or(0);
    let count = size(asked.module_count);
    if count > 0 && modules.len() > count {
        let page = modules.into_iter().skip(size(asked.start_module));
        modules = page.take(count).collect();
    }
    Ok(ActionOutput::new(text::modules(&modules))
        .with("modules", modules)
        .with("totalModules", answer.total_modules))
}

async fn loaded_sources(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let sources = turn.request::<LoadedSources>(&()).await?.sources;
    Ok(ActionOutput::new(text::sources(&sources)).with("sources", sources))
}

async fn custom_request(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    let request = arguments.needed("command");
    let command = Command::CustomRequest {
        session,
        request: request.clone(),
        arguments: arguments.object("arguments"),
    };
    match turn.ask(command).await? {
        Reply::Answer { body } => {
            let pretty = serde_json::to_string_pretty(&clean(body.clone())).unwrap_or_default();
            let text = format!(
                "{} response:\n{}",
                one_line(&request),
                sanitise_block(&pretty)
            );
            Ok(ActionOutput::new(text).with("customBody", body))
        }
        other => Err(other.unexpected()),
    }
}
