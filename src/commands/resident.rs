//! Gives back the pages of code that only the start needed.
//!
//! The kernel maps the program's file in large pieces around each place that runs, so that after the first screen most of it is resident though
//! little of it runs again. Those pages are the file's own, unchanged: what is needed again comes back from the page cache in
//! microseconds. What this program wrote to is not touched, and nothing is while a debugger traces it: its breakpoints are written into the code.

use std::time::Duration;

use crate::{
    base::threads::tracer,
    debugger::{Change, CoreHandle, EventKind},
    tasks,
};

/// By then what was begun is drawn, and what it asked for has come.
const SETTLED: Duration = Duration::from_millis(500);

/// A moment after the start, and once more after the first stop, by when adapters were looked for and a program was started. Without `/proc`
/// nothing is given back, and nothing is lost.
pub async fn settle(core: CoreHandle) {
    let told = core.subscribe().await;
    // The core ends when nobody holds it any more.
    drop(core);
    pause().await;
    let Some((_, mut told)) = told else { return };
    while let Some(events) = told.next().await {
        let is_stop = |change: &Change| matches!(change, Change::Stopped { .. });
        if events.iter().any(
            |event| matches!(&event.kind, EventKind::Session { change, .. } if is_stop(change)),
        ) {
            drop(told);
            return pause().await;
        }
    }
}

async fn pause() {
    tokio::time::sleep(SETTLED).await;
    // Page tables are walked: not on a thread that serves the screen.
    let _ = tasks::blocking(give_back).await;
}

fn give_back() {
    if tracer(std::process::id().into()).is_some() {
        return;
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (start, length) in maps.lines().filter_map(code) {
        forget(start, length);
    }
}

/// Where a line of `/proc/self/maps` (`proc_pid_maps(5)`) has code of a file: readable, executable, never writable, private. Such pages are as
/// they are in the file.
fn code(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split_ascii_whitespace();
    let (range, rights) = (words.next()?, words.next()?);
    let path = words.nth(3)?;
    if rights != "r-xp" || !path.starts_with('/') {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    Some((start, end.checked_sub(start)?))
}

#[expect(unsafe_code, reason = "madvise has no safe form")]
fn forget(start: usize, length: usize) {
    // SAFETY: the range was a mapping of code a moment ago, and this program unmaps none. MADV_DONTNEED on private pages that nobody may write
    // to drops them from the page table only; the next access reads the same bytes from the file. On failure nothing changes.
    unsafe {
        libc::madvise(
            std::ptr::with_exposed_provenance_mut(start),
            length,
            libc::MADV_DONTNEED,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn only_code_of_files_is_given_back() {
        let line = "7f0000001000-7f0000003000 r-xp 00001000 fd:00 12  /usr/lib/libm.so.6";
        assert_eq!(code(line), Some((0x7f00_0000_1000, 0x2000)));
        for other in [
            "7f0000001000-7f0000003000 r--p 00001000 fd:00 12  /usr/lib/libm.so.6",
            "7f0000001000-7f0000003000 rwxp 00001000 fd:00 12  /usr/lib/libm.so.6",
            "7f0000001000-7f0000003000 r-xp 00000000 00:00 0  [vdso]",
            "7f0000001000-7f0000003000 r-xp 00000000 00:00 0",
            "7f0000003000-7f0000001000 r-xp 00000000 fd:00 12  /bin/sh",
            "junk",
            "",
        ] {
            assert_eq!(code(other), None, "{other}");
        }
    }
}
