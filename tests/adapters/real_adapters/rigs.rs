//! The rigs: adapters, each with the warehouse program in a language that it debugs, and how things are said in that language.

use std::path::{Path, PathBuf};

use crate::support::{program_source, tools};

/// One adapter with a program for it.
#[derive(Clone)]
pub struct Rig {
    pub adapter: &'static str,
    pub program: PathBuf,
    pub source: PathBuf,
    /// What runs the program where it does not run by itself.
    pub interpreter: Option<PathBuf>,
    pub words: Words,
    /// What is printed in the end when the price of 20 was changed to 5 at the line that returns it. Where the result is in its
    /// register by then, nothing comes of it.
    pub sum: &'static str,
    /// The failure that stops the program for good.
    pub failure: Failure,
    /// The exception that the program catches.
    pub caught: Failure,
    /// A variable that can be watched for changes, at the loop's call, and how its place is said.
    pub data: (&'static str, &'static str),
    /// The program, put together again from a source elsewhere.
    pub rebuild: fn(&Path, &Path) -> PathBuf,
}

/// How things are said in a language.
#[derive(Clone, Copy)]
pub struct Words {
    /// The function that has the price, for a breakpoint.
    pub function: &'static str,
    pub price: &'static str,
    pub price_and_one: &'static str,
    pub price_is_25: &'static str,
    pub total: &'static str,
    pub unknown: &'static str,
    /// In the frame of `stock`: the city, which has an ö in it, or another text of the like, and what it is.
    pub city: (&'static str, &'static str),
    /// In the frame of `stock`: the long list, and its length.
    pub numbers: (&'static str, i64),
    /// Where the price lies, as an expression.
    pub address: &'static str,
}

/// A mode of the program, the mark where it fails, and what is said of it.
#[derive(Clone, Copy)]
pub struct Failure {
    pub mode: &'static str,
    pub mark: &'static str,
    pub text: &'static str,
    /// The filter that stops there; none where the adapter's own choice does.
    pub filter: Option<&'static str>,
    /// A condition of that filter which holds, and one which does not.
    pub conditions: (&'static str, &'static str),
}

const NONE: Failure = Failure {
    mode: "stock",
    mark: "price",
    text: "",
    filter: None,
    conditions: ("", ""),
};

const SCRIPT: Words = Words {
    function: "price_of",
    price: "price",
    price_and_one: "price + 1",
    price_is_25: "price == 25",
    total: "total",
    unknown: "no_such_name",
    city: ("from.city", "Köln"),
    numbers: ("numbers", 100_000),
    address: "&price",
};

/// A copy of a script, in another folder.
fn copied(source: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join(source.file_name().unwrap());
    std::fs::copy(source, &copy).unwrap();
    copy
}

pub fn debugpy() -> Option<Rig> {
    let python = tools::required("debugpy", tools::debugpy())?;
    Some(Rig {
        adapter: "debugpy",
        program: tools::python_program(),
        source: tools::python_program(),
        interpreter: Some(python),
        words: Words {
            city: ("supplier.address.city", "Köln"),
            ..SCRIPT
        },
        sum: "total 150",
        failure: Failure {
            mode: "uncaught",
            mark: "raise-uncaught",
            text: "no such shelf: 1",
            ..NONE
        },
        caught: Failure {
            mode: "caught",
            mark: "raise-caught",
            text: "missing",
            filter: Some("raised"),
            ..NONE
        },
        data: ("total", "&total"),
        rebuild: copied,
    })
}

fn c(adapter: &'static str) -> Rig {
    Rig {
        adapter,
        program: tools::c_program(),
        source: program_source("prog.c"),
        interpreter: None,
        words: Words {
            city: ("text", "café"),
            ..SCRIPT
        },
        sum: "total 150",
        failure: Failure {
            mode: "crash",
            mark: "crash",
            text: "SIGSEGV",
            ..NONE
        },
        caught: NONE,
        data: ("hits", "&hits"),
        rebuild: |source, folder| tools::build_c(&copied(source, folder), &folder.join("prog")),
    }
}

pub fn lldb_c() -> Option<Rig> {
    tools::required("lldb-dap", tools::lldb_dap())?;
    Some(c("lldb-dap"))
}

pub fn lldb_rust() -> Option<Rig> {
    tools::required("lldb-dap", tools::lldb_dap())?;
    Some(Rig {
        program: tools::rust_program(),
        source: program_source("prog.rs"),
        words: Words {
            city: ("from.city", "Köln"),
            ..SCRIPT
        },
        sum: "total 1",
        failure: Failure {
            mode: "uncaught",
            mark: "raise-uncaught",
            text: "no such shelf: 1",
            ..NONE
        },
        data: ("total", "&total"),
        rebuild: |source, folder| tools::build_rust(&copied(source, folder), &folder.join("prog")),
        ..c("lldb-dap")
    })
}

pub fn lldb_command_line() -> Option<Rig> {
    tools::required("lldb", tools::lldb())?;
    Some(c("lldb-cli"))
}

pub fn gdb() -> Option<Rig> {
    tools::required("gdb", tools::gdb())?;
    Some(Rig {
        failure: Failure {
            text: "signal",
            ..c("gdb").failure
        },
        ..c("gdb")
    })
}

pub fn codelldb() -> Option<Rig> {
    tools::required("codelldb", tools::codelldb())?;
    Some(Rig {
        words: Words {
            address: "/nat &price",
            ..c("codelldb").words
        },
        data: ("hits", "hits"),
        ..c("codelldb")
    })
}

pub fn dlv() -> Option<Rig> {
    tools::required("dlv", tools::dlv())?;
    let go = tools::required("go", tools::go())?;
    Some(Rig {
        adapter: "dlv",
        program: tools::go_program(&go),
        source: program_source("prog/main.go"),
        interpreter: None,
        words: Words {
            function: "main.priceOf",
            city: ("from.City", "Köln"),
            ..SCRIPT
        },
        sum: "total 165",
        failure: Failure {
            mode: "uncaught",
            mark: "raise-uncaught",
            text: "no such shelf: 1",
            ..NONE
        },
        caught: NONE,
        data: ("total", "&total"),
        rebuild: |source, folder| {
            std::fs::copy(source.with_file_name("go.mod"), folder.join("go.mod")).unwrap();
            copied(source, folder);
            tools::build_go(&tools::go().unwrap(), folder, &folder.join("prog"))
        },
    })
}

const ERRORS: (Failure, Failure) = (
    Failure {
        mode: "uncaught",
        mark: "raise-uncaught",
        text: "no such shelf: 1",
        filter: Some("uncaught"),
        conditions: ("", ""),
    },
    Failure {
        mode: "caught",
        mark: "raise-caught",
        text: "missing",
        filter: Some("all"),
        conditions: ("error.message === 'missing'", "error.message === 'other'"),
    },
);

pub fn js_debug() -> Option<Rig> {
    tools::required("js-debug", tools::js_debug())?;
    let node = tools::required("node", tools::node())?;
    let (failure, caught) = ERRORS;
    Some(Rig {
        adapter: "js-debug-adapter",
        program: program_source("prog.js"),
        source: program_source("prog.js"),
        interpreter: Some(node),
        words: Words {
            address: "bytes",
            ..SCRIPT
        },
        sum: "total 150",
        failure,
        caught,
        data: ("total", "&total"),
        rebuild: copied,
    })
}

pub fn typescript() -> Option<Rig> {
    tools::required("esbuild", tools::esbuild())?;
    Some(Rig {
        program: tools::typescript_program(),
        source: program_source("prog.ts"),
        rebuild: |source, folder| {
            tools::build_typescript(&copied(source, folder), &folder.join("prog.js"))
        },
        ..js_debug()?
    })
}

pub fn bash_dap() -> Option<Rig> {
    tools::required("bash-dap", tools::bash_dap())?;
    Some(Rig {
        adapter: "bash-dap",
        program: program_source("prog.sh"),
        source: program_source("prog.sh"),
        interpreter: tools::find(&["bash"]),
        words: Words {
            price_and_one: "$((price + 1))",
            price_is_25: "((price == 25))",
            city: ("city", "Köln"),
            numbers: ("numbers", 300),
            ..SCRIPT
        },
        sum: "total 165",
        failure: NONE,
        caught: NONE,
        data: ("total", "&total"),
        rebuild: copied,
    })
}

pub fn rdbg() -> Option<Rig> {
    tools::required("rdbg", tools::rdbg())?;
    let ruby = tools::required("ruby", tools::ruby())?;
    Some(Rig {
        adapter: "rdbg",
        program: program_source("prog.rb"),
        source: program_source("prog.rb"),
        interpreter: Some(ruby),
        words: SCRIPT,
        sum: "total 150",
        failure: Failure {
            mode: "uncaught",
            mark: "raise-uncaught",
            text: "no such shelf: 1",
            ..NONE
        },
        caught: Failure {
            mode: "caught",
            mark: "raise-caught",
            text: "missing",
            filter: Some("any"),
            conditions: ("true", "false"),
        },
        data: ("total", "&total"),
        rebuild: copied,
    })
}
