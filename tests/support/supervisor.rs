//! The supervisor alone, as `main` runs it: what the tests of process trees and terminals start.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    omp_debug::dap::supervise::main(&arguments)
}
