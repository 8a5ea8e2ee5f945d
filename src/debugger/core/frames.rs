//! Threads and their frames: how they are asked for, which are the person's own, and which is shown first.

use dap::client;

use super::prelude::*;

/// Frames asked for at a stop; more come on demand.
pub const FIRST_FRAMES: i64 = 20;

/// Where Node's own code is, as its debugger says.
const NODE: &str = "<node_internals>/";

/// Packages that run from their sources, and Go's own library.
const PACKAGES: &[&str] = &["/node_modules/", "/go/src/", "/lib/go-", "/go/pkg/mod/"];

/// The frame to show: the innermost; when the program did not stop where it is, the innermost with a source.
pub fn pick_frame(frames: &[StackFrame], unwind: bool) -> Option<i64> {
    let usable = |f: &&StackFrame| {
        !matches!(f.presentation_hint.as_deref(), Some("label" | "subtle"))
            && f.source.as_ref().is_some_and(|s| {
                s.reference().is_some() || s.path.as_ref().is_some_and(|p| Path::new(p).exists())
            })
    };
    frames
        .iter()
        .find(|f| f.presentation_hint.as_deref() != Some("label"))
        .filter(|f| !unwind || usable(f))
        .or_else(|| frames.iter().find(usable))
        .or_else(|| frames.first())
        .map(|f| f.id)
}

/// Whether a frame is in the person's own code, whatever the language: there is its source, and it is no library's.
pub(crate) fn is_own(frame: &StackFrame) -> bool {
    let is_there = |path: &str| Path::new(path).exists();
    !is_library(frame) && !is_others(frame) && frame.path().is_some_and(is_there)
}

/// Whether a frame is in what others wrote in a language that is run from its sources, by its path alone.
pub fn is_others(frame: &StackFrame) -> bool {
    const PLACES: &[&str] = &[
        "<node_internals>/",
        "/node_modules/",
        "/site-packages/",
        "/dist-packages/",
        "/lib/python",
        "/gems/",
        "/go/src/",
        "/usr/lib/go-",
        "/go/pkg/mod/",
        "/.yarn/",
        "/omp-debug-",
    ];
    let is_one = |path: &str| PLACES.iter().any(|place| path.contains(place));
    frame.path().is_some_and(is_one)
}

/// Whether a function of machine code comes from elsewhere: a language's own sources, other people's packages, what has no source.
/// Debuggers give the person's own files with all of their path, and those of a distribution as they were named where it was built.
fn is_library(frame: &StackFrame) -> bool {
    const PLACES: &[&str] = &[
        "/rustc/",
        "/rustlib/src/rust/",
        "/.cargo/registry/",
        "/.cargo/git/",
    ];
    const SYSTEM: &[&str] = &[
        "/usr/include/",
        "/usr/lib",
        "/usr/bin/",
        "/usr/src/debug/",
        "/usr/share/",
        "/usr/local/include/",
    ];
    // Where a distribution builds, which is nowhere here.
    let is_far = |path: &str| path.starts_with("/build/") && !Path::new(path).exists();
    let path = frame.path();
    path.is_none_or(|path| {
        !path.starts_with('/')
            || is_far(path)
            || SYSTEM.iter().any(|place| path.starts_with(place))
            || PLACES.iter().any(|place| path.contains(place))
    })
}

/// Asks for the frames of a thread, from the innermost one.
pub fn ask_stack(client: &Client, thread_id: i64, levels: i64) -> client::Reply<StackTrace> {
    let arguments = StackTraceArguments {
        thread_id,
        start_frame: Some(0),
        levels: Some(levels),
        format: None,
    };
    client.send(&arguments)
}

/// Asks which threads there are.
pub fn ask_threads(client: &Client) -> client::Reply<Threads> {
    client.send(&Default::default())
}

/// The first of them, where there is one.
pub fn first_thread(answer: &Result<ThreadsResponse, RequestError>) -> Option<i64> {
    Some(answer.as_ref().ok()?.threads.first()?.id)
}

impl Owner {
    /// The stack that an adapter answered with, its names made plain.
    pub fn stack_of(&self, id: SessionId, response: StackTraceResponse, levels: i64) -> Stack {
        let mut stack = Stack::of(response, levels);
        let personality = self.live(id).map(|live| &*live.personality);
        plain_names(personality, &mut stack.frames);
        stack
    }
}

/// Takes from the names of frames what a compiler added, and marks what is not the person's own code.
pub fn plain_names(personality: Option<&Personality>, frames: &mut [StackFrame]) {
    // Where nothing is the person's own, a program without debug information is: then nothing of it is a library.
    let native = personality.is_some_and(|p| p.own_filters);
    let has_own = native && !frames.iter().all(is_library);
    let is_node = |path: &str| path.starts_with(NODE);
    let is_package = |path: &str| PACKAGES.iter().any(|place| path.contains(place));
    // Unless a package itself is debugged.
    let foreign = |frame: &StackFrame| frame.path().is_none_or(|p| is_node(p) || is_package(p));
    let packages = !frames.iter().all(foreign);
    for frame in frames {
        let is_inner = |path| is_node(path) || packages && is_package(path);
        let is_inner = frame.path().is_some_and(is_inner);
        if is_inner || has_own && frame.presentation_hint.is_none() && is_library(frame) {
            frame.presentation_hint = Some("subtle".to_owned());
        }
        let plain = personality.map_or(&*frame.name, |p| p.plain_name(&frame.name));
        let readable = demangled(plain);
        if readable.is_some() || plain.len() < frame.name.len() {
            frame.name = readable.unwrap_or_else(|| plain.to_owned());
        }
    }
}

/// A path of Rust's in which a debugger left what a symbol has for `<`, `>` and the like: `_$LT$Sq$u20$as$u20$Shape$GT$::area`.
fn demangled(name: &str) -> Option<String> {
    let is_escaped = ["$LT$", "$GT$", "$u20$", "$u7b$"];
    if !is_escaped.iter().any(|escape| name.contains(escape)) {
        return None;
    }
    let parts = name.split("::").map(|part| format!("{}{part}", part.len()));
    let symbol = format!("_ZN{}E", parts.collect::<String>());
    let path = rustc_demangle::try_demangle(&symbol).ok()?;
    Some(format!("{path:#}"))
}

#[cfg(test)]
mod tests {
    use dap::types::Source;

    use super::*;

    #[test]
    fn names_of_rust_are_as_they_are_written() {
        let escaped =
            "_$LT$shop..Flat$u20$as$u20$shop..Discount$GT$::apply::_$u7b$$u7b$closure$u7d$$u7d$";
        let name = demangled(escaped);
        assert_eq!(
            name.as_deref(),
            Some("<shop::Flat as shop::Discount>::apply::{{closure}}")
        );
        assert_eq!(demangled("$scope::apply"), None);
    }

    #[test]
    fn frames_of_packages_are_not_the_persons_own() {
        let folded = |paths: &[&str]| -> Vec<bool> {
            let frame = |path: &&str| StackFrame {
                source: Some(Source {
                    path: Some((*path).to_owned()),
                    ..Source::default()
                }),
                ..StackFrame::default()
            };
            let mut frames: Vec<_> = paths.iter().map(frame).collect();
            plain_names(None, &mut frames);
            let is_folded = |f: &StackFrame| f.presentation_hint.as_deref() == Some("subtle");
            frames.iter().map(is_folded).collect()
        };
        let (node, package) = ("<node_internals>/loader", "/a/node_modules/chai/index.js");
        let all = [package, "/a/shop.test.ts", package, node];
        assert_eq!(folded(&all), [true, false, true, true]);
        // A package that is itself debugged is.
        assert_eq!(folded(&[package, node]), [false, true]);
    }
}
