//! Below the source, with real debuggers: instructions beside their lines, steps and breakpoints by instructions, memory that is
//! looked at and written, registers, a program that is run backwards.

use crate::support::desk::{Desk, pane};
use crate::support::pty::Screen;
use crate::support::{line_of, program_source, tools};

/// Stops in `price_of`, at the first of its lines.
fn in_price_of(adapter: &str) -> (Desk, u32) {
    let source = program_source("prog.c");
    let line = line_of(&source, "price");
    let desk = Desk::open(args![
        "--adapter",
        adapter,
        "-b",
        format!("{}:{line}", source.display()),
        tools::c_program()
    ]);
    desk.wait_at("prog.c", line);
    (desk, line)
}

/// The row of a pane that has the arrow.
fn arrow(screen: &Screen, title: &str) -> Option<String> {
    let rows = pane(screen, title);
    rows.into_iter().find(|row| row.contains('▶'))
}

/// The address that stands behind the arrow.
fn address(row: &str) -> Option<u64> {
    let digits = row.split('▶').nth(1)?.split_whitespace().next()?;
    u64::from_str_radix(digits, 16).ok()
}

fn instructions(adapter: &str) {
    let (desk, line) = in_price_of(adapter);
    desk.pty.key("8");
    let screen = desk
        .pty
        .wait_until("the instruction that runs next", |screen| {
            arrow(screen, "Disassembly").is_some_and(|row| row.contains("mov"))
        });
    let first = address(&arrow(&screen, "Disassembly").unwrap()).unwrap();
    // Its line of source stands above it, with its text.
    let place = format!("prog.c:{line}");
    desk.pty.wait_until("the line's text", |screen| {
        pane(screen, "Disassembly")
            .iter()
            .any(|row| row.contains(&place) && row.contains("int price"))
    });
    // With the instructions in front, a step is one of them.
    desk.pty.key("F10");
    let screen = desk.pty.wait_until("the next instruction", |screen| {
        let row = arrow(screen, "Disassembly");
        row.and_then(|row| address(&row)).is_some_and(|at| at > first)
    });
    let second = address(&arrow(&screen, "Disassembly").unwrap()).unwrap();
    assert!(second - first <= 15, "{first:#x} to {second:#x}");
    desk.wait_at("prog.c", line);
    // A breakpoint two instructions on, set where one looks, stops there.
    desk.pty.key("Down").key("Down").key("F9");
    let screen = desk.pty.wait_until("the breakpoint", |screen| {
        pane(screen, "Disassembly").iter().any(|row| row.starts_with('●'))
    });
    let rows = pane(&screen, "Disassembly");
    let wanted = rows.iter().find(|row| row.starts_with('●')).unwrap();
    let wanted = wanted.trim_start_matches('●').split_whitespace().next().unwrap().to_owned();
    desk.pty.key("F5");
    desk.pty.wait_until("a stop at the breakpoint", |screen| {
        arrow(screen, "Disassembly").is_some_and(|row| row.starts_with('●') && row.contains(&wanted))
    });
    desk.pty.key("PageUp");
    desk.pty.wait_until("instructions before the function", |screen| {
        arrow(screen, "Disassembly").is_none() && pane(screen, "Disassembly").len() > 3
    });
    desk.leave_live("e");
}

#[test]
fn instructions_are_in_step_with_the_source_in_gdb() {
    require!(gdb);
    instructions("gdb");
}

#[test]
fn instructions_are_in_step_with_the_source_in_lldb() {
    require!(lldb_dap);
    instructions("lldb-dap");
}

fn memory(adapter: &str) {
    let (desk, _) = in_price_of(adapter);
    // From the pointer's value to what it points to: bolt costs 2 and there are 10 of it, behind a pointer to its name.
    desk.select_scope("item");
    desk.pty.key("@");
    let bytes = "02 00 00 00 0a 00 00 00";
    let two_rows = ["02 00 00 00", "0a 00 00 00"];
    desk.pty.wait_until("the bytes of the item", |screen| {
        let rows = pane(screen, "Memory").join("\n");
        rows.contains(bytes) || two_rows.iter().all(|part| rows.contains(part))
    });
    // The price stands eight bytes on.
    for _ in 0..8 {
        desk.pty.key("Right");
    }
    desk.pty.wait_until("the price as a number", |screen| {
        pane(screen, "Memory").iter().any(|row| row.contains("i32 2 "))
    });
    desk.pty.key("i").wait_for("Write");
    desk.pty.type_text("07").key("Enter").wait_for("Write memory");
    desk.pty.wait_for("then 07");
    desk.pty.key("y").wait_gone("then 07");
    desk.pty.wait_until("the new price", |screen| {
        pane(screen, "Memory").iter().any(|row| row.contains("i32 7 "))
    });
    // The program has it, too.
    desk.pty.key("1").key("F10");
    desk.wait_value("Scopes", "price", "70");
    desk.pty.key("9").key("g").wait_for("Memory at");
    desk.pty.type_text("0x10").key("Enter");
    desk.pty.wait_until("memory that cannot be read", |screen| {
        pane(screen, "Memory").iter().any(|row| row.contains("-- --"))
    });
    desk.pty.key("C-w").wait_until("the pane closed", |screen| {
        pane(screen, "Memory").is_empty()
    });
    desk.leave_live("e");
}

#[test]
fn memory_is_looked_at_and_written_in_gdb() {
    require!(gdb);
    memory("gdb");
}

#[test]
fn memory_is_looked_at_and_written_in_lldb() {
    require!(lldb_dap);
    memory("lldb-dap");
}

#[test]
fn a_program_is_run_backwards() {
    require!(gdb);
    let source = program_source("prog.c");
    let line = |mark| line_of(&source, mark);
    let desk = Desk::open(args![
        "--adapter",
        "gdb",
        "-b",
        format!("{}:{}", source.display(), line("loop-call")),
        tools::c_program()
    ]);
    desk.wait_at("prog.c", line("loop-call"));
    desk.wait_value("Scopes", "total", "0");
    // Not yet: nothing is kept.
    desk.pty.key("S-F10").wait_for("Nothing is kept yet");
    desk.pty.key("C-r").wait_for("it can be run backwards");
    desk.pty.key("F10");
    desk.wait_at("prog.c", line("loop"));
    desk.pty.key("F10");
    desk.wait_at("prog.c", line("loop") + 1);
    desk.wait_value("Scopes", "total", "20");
    // Back over the sum: it is as it was.
    desk.pty.key("S-F10");
    desk.wait_at("prog.c", line("loop"));
    desk.wait_value("Scopes", "total", "0");
    desk.pty.key("S-F10");
    desk.wait_at("prog.c", line("loop-call"));
    // Forwards again to the second pass, and all the way back to where keeping began.
    desk.pty.key("F5");
    desk.wait_value("Scopes", "total", "20");
    desk.pty.key("S-F9");
    desk.wait_value("Scopes", "total", "0");
    desk.wait_at("prog.c", line("loop-call"));
    desk.leave_live("e");
}

#[test]
fn registers_are_shown_in_hexadecimal_when_asked() {
    require!(gdb);
    let (desk, _) = in_price_of("gdb");
    desk.pty.key("$");
    desk.wait_value("Scopes", "rip", "0x");
    desk.pty.key("M-x").wait_for("Values in hexadecimal.");
    desk.wait_value("Scopes", "price", "0x");
    desk.pty.key("M-x");
    desk.pty.wait_until("decimal values", |screen| {
        crate::support::desk::value_in(screen, "Scopes", "price").is_some_and(|v| !v.starts_with("0x"))
    });
    desk.leave_live("e");
}
