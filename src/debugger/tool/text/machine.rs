//! Instructions, bytes and modules in columns.

use std::fmt::Write as _;

use super::{list, one_line, position, source_name};
use base::text::{
    hex,
    width::{pad, width},
};
use dap::types::{DisassembledInstruction, Module};

/// Bytes of a row of a dump.
const ROW: usize = 16;
/// Cells of the first column of a dump: a 64-bit address.
const LABEL: usize = 18;
/// Cells of sixteen bytes in hexadecimal.
const HEX: usize = ROW * 3 - 1;

/// One line an instruction: address, bytes, instruction, `<symbol>`, `[path:line:col]`.
pub(in super::super) fn disassembly(instructions: &[DisassembledInstruction]) -> String {
    let bytes_of =
        |i: &DisassembledInstruction| one_line(i.instruction_bytes.as_deref().unwrap_or_default());
    let addresses = instructions
        .iter()
        .map(|i| width(&one_line(&i.address)))
        .max()
        .unwrap_or(0);
    let bytes = instructions
        .iter()
        .map(|i| width(&bytes_of(i)))
        .max()
        .unwrap_or(0);
    let lines = instructions.iter().map(|i| {
        let mut parts = vec![pad(&one_line(&i.address), addresses)];
        if bytes > 0 {
            parts.push(pad(&bytes_of(i), bytes));
        }
        parts.push(one_line(&i.instruction));
        if let Some(symbol) = i.symbol.as_deref().filter(|s| !s.is_empty()) {
            parts.push(format!("<{}>", one_line(symbol)));
        }
        if let Some(source) = i.location.as_ref().and_then(source_name) {
            parts.push(format!("[{}]", position(source, i.line, i.column)));
        }
        parts.join("  ")
    });
    list("Disassembly:", lines, "(none)")
}

/// Sixteen bytes a row: where, in hexadecimal, as text; then how many could not be read.
pub(in super::super) fn memory(address: &str, bytes: &[u8], unreadable: i64) -> String {
    let mut lines = Vec::new();
    for (index, row) in bytes.chunks(ROW).enumerate() {
        let label = match index {
            0 => one_line(address),
            _ => format!("+0x{:x}", index * ROW),
        };
        lines.push(format!(
            "{}  {}  |{}|",
            pad(&label, LABEL),
            pad(&hex::digits(row), HEX),
            hex::signs(row)
        ));
    }
    let mut out = list(
        &format!("Memory at {}:", one_line(address)),
        lines,
        "(no bytes)",
    );
    if unreadable > 0 {
        let _ = write!(out, "\nUnreadable bytes: {unreadable}");
    }
    out
}

/// A table: ID, Name, Path, Symbols, Range.
pub(in super::super) fn modules(modules: &[Module]) -> String {
    const HEADINGS: [&str; 5] = ["ID", "Name", "Path", "Symbols", "Range"];
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(modules.iter().map(|m| {
        let text = |field: &Option<String>| field.as_deref().map(one_line).unwrap_or_default();
        let id = one_line(&m.id.to_string());
        [
            id,
            one_line(&m.name),
            text(&m.path),
            text(&m.symbol_status),
            text(&m.address_range),
        ]
    }));
    let mut wide = [0; HEADINGS.len()];
    for row in &rows {
        for (most, cell) in wide.iter_mut().zip(row) {
            *most = width(cell).max(*most);
        }
    }
    rows.insert(1, wide.map(|cells| "-".repeat(cells)));
    if modules.is_empty() {
        return list("Modules:", [], "(none)");
    }
    let lines = rows.iter().map(|row| {
        let cells: Vec<_> = row
            .iter()
            .zip(wide)
            .map(|(cell, most)| pad(cell, most))
            .collect();
        cells.join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dap::types::Source;

    #[test]
    fn a_dump_has_sixteen_bytes_a_row_and_counts_what_is_missing() {
        let bytes: Vec<u8> = (0x3c..=0x4f).collect();
        let expected = "\
Memory at 0x1000:
0x1000              3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b  |<=>?@ABCDEFGHIJK|
+0x10               4c 4d 4e 4f                                      |LMNO|
Unreadable bytes: 4";
        assert_eq!(memory("0x1000", &bytes, 4), expected);
        assert_eq!(memory("0x0", &[], 0), "Memory at 0x0:\n(no bytes)");
        assert!(memory("0x0", &[0, 0x1b, 0x7f, 0xff], 0).ends_with("|....|"));
    }

    #[test]
    fn instructions_stand_in_columns() {
        let one = |address: &str, bytes: Option<&str>, text: &str| DisassembledInstruction {
            address: address.to_owned(),
            instruction_bytes: bytes.map(str::to_owned),
            instruction: text.to_owned(),
            ..DisassembledInstruction::default()
        };
        let mut second = one("0x10a", Some("89 e5"), "mov rbp\u{1b}");
        second.symbol = Some("main".to_owned());
        second.line = Some(3);
        second.location = Some(Source {
            path: Some("/w/a.c".to_owned()),
            ..Source::default()
        });
        let expected = "\
Disassembly:
0x9    55     push
0x10a  89 e5  mov rbp␛  <main>  [/w/a.c:3]";
        assert_eq!(
            disassembly(&[one("0x9", Some("55"), "push"), second]),
            expected
        );
        assert_eq!(
            disassembly(&[one("0x9", None, "nop")]),
            "Disassembly:\n0x9  nop"
        );
        assert_eq!(disassembly(&[]), "Disassembly:\n(none)");
    }

    #[test]
    fn modules_are_a_table() {
        let module = Module {
            id: dap::tolerant::Id::Number(7),
            name: "libc.so.6".to_owned(),
            path: Some("/lib/libc.so.6".to_owned()),
            ..Module::default()
        };
        let expected = "\
ID  Name       Path            Symbols  Range
--  ---------  --------------  -------  -----
7   libc.so.6  /lib/libc.so.6";
        assert_eq!(modules(&[module]), expected);
        assert_eq!(modules(&[]), "Modules:\n(none)");
    }
}
