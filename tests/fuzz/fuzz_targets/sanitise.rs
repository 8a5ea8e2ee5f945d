//! Whatever text comes in, what goes to a cell holds no character that drives a terminal, hides or reorders others; it is one
//! line, and making it safe twice changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use omp_debug::text::json::printable;
use omp_debug::text::sanitise::{is_deceptive, lossy, sanitise, sanitise_block, sanitise_from};

fn is_safe(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() && !is_deceptive(c))
}

fuzz_target!(|data: &[u8]| {
    let shown = lossy(data);
    assert!(is_safe(&shown), "{shown:?}");
    let text = String::from_utf8_lossy(data);
    let once = sanitise(&text);
    assert!(is_safe(&once), "{once:?}");
    assert_eq!(sanitise(&once), once);
    let column = usize::from(data.first().copied().unwrap_or(0));
    assert!(is_safe(&sanitise_from(&text, column % 9, column)));
    let block = sanitise_block(&text);
    assert!(block.split('\n').all(is_safe), "{block:?}");
    let json = printable(&format!("\"{}\"", text.escape_debug())).into_owned();
    assert!(is_safe(&json), "{json:?}");
});
