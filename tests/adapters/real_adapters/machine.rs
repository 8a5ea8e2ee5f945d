//! Scenarios below the source: instructions, registers, bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use omp_debug::dap::requests::{
    Disassemble, DisassembleArguments, ReadMemory, ReadMemoryArguments,
};
use omp_debug::dap::types::DisassembledInstruction;
use omp_debug::debugger::{Command, Reply, Stop};

use super::bench::Bench;
use crate::support::core::Outcome;

async fn instructions(
    bench: &mut Bench,
    offset: i64,
    count: i64,
) -> Outcome<Vec<DisassembledInstruction>> {
    let asked = DisassembleArguments {
        instruction_offset: Some(offset),
        instruction_count: count,
        resolve_symbols: Some(true),
        ..DisassembleArguments::default()
    };
    Ok(bench.request::<Disassemble>(&asked).await?.instructions)
}

pub async fn disassembly(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let instructions = instructions(bench, 0, 8).await?;
    // Of those before a place none is the place. CodeLLDB refuses where there are too few of them.
    let before = self::instructions(bench, -4, 4).await.unwrap_or_default();
    let here = instructions.first().map(|i| &i.address);
    if before.iter().any(|i| Some(&i.address) == here) {
        return Err(bench.blame(format!("before {here:?} are {before:?}")));
    }
    let readable = instructions
        .iter()
        .filter(|i| i.address.starts_with("0x") && !i.instruction.is_empty());
    if readable.count() == 8 {
        return Ok(());
    }
    Err(bench.blame(format!("the instructions are {instructions:?}")))
}

/// A register is where the stop says, or one level below: some adapters group them.
pub async fn registers(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let frame = &stop.frames[&stop.selected.unwrap().frame_id];
    let scope = frame.scopes.iter().map(|scope| &scope.scope).find(|scope| {
        scope.presentation_hint.as_deref() == Some("registers")
            || scope.name.to_lowercase().contains("registers")
    });
    let Some(scope) = scope else {
        return Err(bench.blame("no scope has registers"));
    };
    let mut level = bench.page(stop, scope.variables_reference, None).await?;
    let groups: Vec<_> = level.iter().map(|v| v.variables_reference).collect();
    for group in groups
        .into_iter()
        .filter(|reference| *reference > 0)
        .take(1)
    {
        level.extend(bench.page(stop, group, None).await?);
    }
    let pointer = level
        .iter()
        .find(|register| matches!(register.name.trim().to_lowercase().as_str(), "rip" | "pc"));
    if pointer.is_some_and(|register| register.value.contains("0x")) {
        return Ok(());
    }
    let names: Vec<_> = level.iter().map(|v| (&v.name, &v.value)).collect();
    Err(bench.blame(format!("no instruction pointer among {names:?}")))
}

/// The price's lowest bytes are read, changed and put back.
pub async fn memory(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let words = bench.rig.words;
    let command = bench.evaluation(None, words.address);
    let value = match bench.must(words.address, command).await? {
        Reply::Value { value } => value,
        other => return Err(format!("{} gave {other:?}", words.address)),
    };
    // An adapter that names no place for a pointer writes it out.
    let written = value.result.split_once("0x").map(|(_, digits)| {
        let digits = digits.split(|c: char| !c.is_ascii_hexdigit()).next();
        format!("0x{}", digits.unwrap_or_default())
    });
    let Some(reference) = value.memory_reference.clone().or(written) else {
        return Err(bench.blame(format!("it has no place: {value:?}")));
    };
    let read = ReadMemoryArguments {
        memory_reference: reference.clone(),
        offset: None,
        count: 4,
    };
    for (number, next) in [(20, 21), (21, 20)] {
        let data = bench.request::<ReadMemory>(&read).await?.data;
        let data = STANDARD.decode(data.unwrap_or_default());
        let data = data.map_err(|e| e.to_string())?;
        if data != [number, 0, 0, 0] {
            return Err(bench.blame(format!("at {reference} there is {data:?}, not {number}")));
        }
        let write = Command::WriteMemory {
            session: bench.at,
            memory_reference: reference.clone(),
            offset: None,
            data: STANDARD.encode([next, 0, 0, 0]),
            allow_partial: None,
        };
        bench.must("write", write).await?;
    }
    bench.must_be(words.price, "20").await
}
