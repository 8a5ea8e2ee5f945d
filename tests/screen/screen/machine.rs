//! Below the source, with real debuggers: instructions beside their lines, steps and breakpoints by instructions, memory that is
//! looked at and written, registers, a program that is run backwards.

use crate::support::desk::{Desk, pane, value_in};
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
    // The source may come a moment after the news of the stop.
    desk.pty.wait_for("static int price_of");
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

/// `by_instruction`: the adapter steps by instructions.
fn instructions(adapter: &str, by_instruction: bool) {
    let (desk, line) = in_price_of(adapter);
    desk.pty.key("9");
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
    if by_instruction {
        // With the instructions in front, a step is one of them.
        desk.pty.key("F10");
        let screen = desk.pty.wait_until("the next instruction", |screen| {
            let row = arrow(screen, "Disassembly");
            row.and_then(|row| address(&row))
                .is_some_and(|at| at > first)
        });
        let second = address(&arrow(&screen, "Disassembly").unwrap()).unwrap();
        assert!(second - first <= 15, "{first:#x} to {second:#x}");
        desk.wait_at("prog.c", line);
    }
    if !by_instruction {
        desk.pty
            .key("F9")
            .wait_for("This adapter has no instruction breakpoints.");
        desk.leave_live("e");
        return;
    }
    // A breakpoint two instructions on, set where one looks, stops there.
    desk.pty.key("Down").key("Down").key("F9");
    let screen = desk.pty.wait_until("the breakpoint", |screen| {
        pane(screen, "Disassembly")
            .iter()
            .any(|row| row.starts_with('●'))
    });
    let rows = pane(&screen, "Disassembly");
    let wanted = rows.iter().find(|row| row.starts_with('●')).unwrap();
    let wanted = wanted
        .trim_start_matches('●')
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    desk.pty.key("F5");
    desk.pty.wait_until("a stop at the breakpoint", |screen| {
        arrow(screen, "Disassembly")
            .is_some_and(|row| row.starts_with('●') && row.contains(&wanted))
    });
    desk.pty.key("PageUp");
    desk.pty
        .wait_until("instructions before the function", |screen| {
            arrow(screen, "Disassembly").is_none() && pane(screen, "Disassembly").len() > 3
        });
    desk.leave_live("e");
}

#[test]
fn instructions_are_in_step_with_the_source_in_gdb() {
    require!(gdb);
    instructions("gdb", true);
}

#[test]
fn instructions_are_in_step_with_the_source_in_lldb() {
    require!(lldb_dap);
    instructions("lldb-dap", false);
}

#[test]
fn memory_is_looked_at_and_written() {
    require!(gdb);
    let (desk, _) = in_price_of("gdb");
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
        pane(screen, "Memory")
            .iter()
            .any(|row| row.contains("i32 2 "))
    });
    desk.pty.key("i").wait_for("Write");
    desk.pty
        .type_text("07")
        .key("Enter")
        .wait_for("Write memory");
    desk.pty.wait_for("then 07");
    desk.pty.agree().wait_gone("then 07");
    desk.pty.wait_until("the new price", |screen| {
        pane(screen, "Memory")
            .iter()
            .any(|row| row.contains("i32 7 "))
    });
    // The program has it, too.
    desk.pty.key("1").key("F10");
    desk.wait_value("Scopes", "price", "70");
    desk.pty.key("0").key("g").wait_for("Memory at");
    desk.pty.type_text("0x10").key("Enter");
    desk.pty.wait_until("memory that cannot be read", |screen| {
        pane(screen, "Memory")
            .iter()
            .any(|row| row.contains("-- --"))
    });
    desk.pty.key("C-w").wait_until("the pane closed", |screen| {
        pane(screen, "Memory").is_empty()
    });
    desk.leave_live("e");
}

#[test]
fn what_an_adapter_lacks_is_said_where_it_is_asked_for() {
    require!(debugpy);
    let desk = Desk::open(args![tools::python_program()]);
    desk.wait_header("stopped");
    desk.pty.wait_until("the scopes", |screen| {
        pane(screen, "Scopes")
            .iter()
            .any(|row| row.contains("Globals"))
    });
    for (key, why) in [
        ("9", "This adapter does not disassemble."),
        ("0", "This adapter does not read memory."),
        ("N", "This adapter does not step by instructions."),
        ("D", "This adapter has no data breakpoints."),
        ("S-F10", "This adapter cannot run backwards."),
        ("M-r", "This adapter cannot restart a frame."),
        ("$", "This adapter shows no registers."),
    ] {
        desk.pty.key(key).wait_for(why);
    }
    desk.leave_live("e");
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
    desk.wait_header("kept to go back");
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
    desk.pty.wait_until("the scopes", |screen| {
        pane(screen, "Scopes")
            .iter()
            .any(|row| row.contains("Registers"))
    });
    desk.pty.key("$");
    let rax = |screen: &Screen| value_in(screen, "Scopes", "rax");
    let is_decimal = |screen: &Screen| rax(screen).is_some_and(|v| !v.starts_with("0x"));
    desk.pty.wait_until("registers", is_decimal);
    desk.pty.key("x");
    desk.wait_value("Scopes", "rax", "0x");
    desk.pty.key("x");
    desk.pty.wait_until("decimal values", is_decimal);
    desk.leave_live("e");
}

/// Stops at a line of the sample program in Python.
fn in_python(mark: &str) -> (Desk, u32) {
    let program = tools::python_program();
    let line = line_of(&program, mark);
    let place = format!("{}:{line}", program.display());
    let desk = Desk::open(args!["-b", place, program]);
    desk.wait_at("inventory.py", line);
    (desk, line)
}

#[test]
fn the_call_to_step_into_is_chosen() {
    require!(debugpy);
    let (desk, _) = in_python("loop-call");
    desk.pty.key("M-s").wait_for("Step into");
    desk.pty.wait_for(" 1 of 1 ");
    desk.pty.key("Enter").wait_gone("Step into");
    desk.wait_header(" in price_of");
    desk.leave_live("e");
}

#[test]
fn one_jumps_over_lines_without_running_them() {
    require!(debugpy);
    let (desk, _) = in_python("loop");
    desk.wait_value("Scopes", "total", "0");
    // Past the sum of this pass, without adding anything.
    let total = line_of(&tools::python_program(), "total");
    desk.go_to_line(total);
    desk.pty.key("J");
    desk.wait_at("inventory.py", total);
    desk.wait_header("jumped");
    desk.wait_value("Scopes", "total", "0");
    desk.leave_live("e");
}

#[test]
fn modules_and_sources_are_listed_and_narrowed() {
    require!(debugpy);
    let (desk, _) = in_python("loop-call");
    desk.pty.key("M-m").wait_for("Modules");
    for module in ["__main__  /", "runpy"] {
        desk.pty.wait_for(module);
    }
    desk.pty.type_text("__main");
    // The title of the source counts as well: " 1 of 131 ".
    desk.pty.wait_until("one module", |screen| {
        screen.contains("› __main ") && screen.contains("__main__  /") && !screen.contains("runpy")
    });
    desk.pty.key("Esc").wait_gone("─ Modules");
    desk.leave_live("e");
}

#[test]
fn an_exception_is_shown_with_what_lies_behind_it() {
    require!(debugpy);
    let program = tools::python_program();
    let desk = Desk::open(args![program, "--", "uncaught"]);
    desk.wait_header("stopped");
    desk.pty
        .key("W")
        .wait_for("The program did not stop for an exception.");
    desk.pty.key("F5");
    desk.wait_header("no such shelf: 1");
    desk.pty.key("W").wait_for("─ Exception");
    desk.pty.wait_until("type, message and trace", |screen| {
        screen.contains("ValueError")
            && screen.contains("no such shelf: 1")
            && screen.contains("inventory.py\", line")
    });
    desk.pty.key("Esc").wait_gone("─ Exception");
    desk.leave_live("e");
}

#[test]
fn where_breakpoints_can_be_stands_in_the_gutter() {
    require!(gdb);
    let (desk, line) = in_price_of("gdb");
    // A line of code has a point, a blank line has none.
    let gutter = |screen: &Screen, line: u32| {
        let rows = screen.size().1;
        let wanted = format!(" {line} ");
        (0..rows).find_map(|row| {
            let cells: String = screen.cells(row).into_iter().take(9).collect();
            cells.contains(&wanted).then(|| cells.contains('·'))
        })
    };
    desk.pty.key("M-b").wait_until("the points", |screen| {
        gutter(screen, line + 1) == Some(true) && gutter(screen, line + 3) == Some(false)
    });
    desk.pty
        .key("M-b")
        .wait_until("no point", |screen| gutter(screen, line + 1) == Some(false));
    desk.leave_live("e");
}

#[test]
fn a_program_stops_where_a_value_is_changed() {
    require!(lldb_dap);
    let source = program_source("prog.c");
    let line = |mark| line_of(&source, mark);
    let desk = Desk::open(args![
        "--adapter",
        "lldb-dap",
        "-b",
        format!("{}:{}", source.display(), line("loop-call")),
        tools::c_program()
    ]);
    desk.wait_at("prog.c", line("loop-call"));
    desk.select_scope("total");
    desk.pty.key("D").wait_for("Stop at data");
    desk.pty.wait_for("when it is changed");
    // What one mostly wants comes first.
    desk.pty.key("Enter").wait_gone("Stop at data");
    desk.pty.wait_until("its name in the list", |screen| {
        pane(screen, "Breakpoints")
            .iter()
            .any(|row| row.contains(" total"))
    });
    desk.pty.key("F5");
    desk.wait_header("stopped: data breakpoint: total");
    desk.wait_at("prog.c", line("loop") + 1);
    desk.wait_value("Scopes", "total", "20");
    desk.leave_live("e");
}

#[test]
fn the_call_of_a_frame_is_begun_anew() {
    require!(js_debug);
    require!(node);
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("price.js");
    let code =
        "function price(n) {\n  let total = 1;\n  total += n;\n  return total;\n}\nprice(3);\n";
    std::fs::write(&program, code).unwrap();
    let place = format!("{}:3", program.display());
    // Where the adapter was installed to.
    let data = tools::test_home().join("share");
    let desk = Desk::with(|builder| {
        builder
            .env("XDG_DATA_HOME", data)
            .args(args!["-b", place, program])
    });
    desk.wait_at("price.js", 3);
    desk.pty.key("F10");
    desk.wait_at("price.js", 4);
    desk.wait_value("Scopes", "total", "4");
    desk.pty.key("M-r");
    desk.wait_at("price.js", 2);
    desk.wait_header("at the frame's beginning");
    desk.leave_live("e");
}
