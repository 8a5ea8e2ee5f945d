//! Small files as their tools write them, and files that nobody should have written.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;
use crate::profile::import::{self, read_from};

const JEMALLOC: &str = "heap_v2/4096\n  t*: 71: 3298389 [0: 0]\n  t0: 71: 3298389 [0: 0]\n@ 0x5174 0x5203 0x5261\n  t*: 50: 3276800 [0: 0]\n  t0: 50: 3276800 [0: 0]\n@ 0x5196 0x5235 0x5261\n  t*: 21: 21589 [0: 0]\n  t0: 21: 21589 [0: 0]\n\nMAPPED_LIBRARIES:\n5000-6000 r-xp 00001000 fe:00 59 /nowhere/alloc\n";
/// What `heaptrack` wrote of a small C program.
const HEAPTRACK: &[u8] = include_bytes!("../../../../../tests/profiles/heaptrack.zst");

fn allocations(bytes: &[u8]) -> Result<Allocations, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("heap");
    std::fs::write(&path, bytes).unwrap();
    import::read_allocations(&path, &Cancel::default(), &|_, _| ())
        .map_err(|error| error.error.to_string())?
        .ok_or_else(|| "something else".to_owned())
}

fn profile(bytes: &[u8]) -> Result<Profile, ImportError> {
    read_from(bytes, bytes.len() as u64, &Cancel::default(), &|_, _| ())
}

fn error(bytes: &[u8]) -> String {
    profile(bytes).unwrap_err().to_string()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn each_is_known_by_how_it_begins() {
    for (head, tool) in [
        (JEMALLOC.as_bytes(), Some(Tool::Jemalloc)),
        (b"v 10500 3\nX a\n", Some(Tool::Heaptrack)),
        (b"v 10500", Some(Tool::Heaptrack)),
        (b"memray\0\x0b", None),
        (b"\x80\x05\x95nothing", None),
        (b"v 1\n", None),
        (b"v 10500 of a function;more 5\n", None),
        (b"main;work 12\n", None),
        (b"", None),
    ] {
        assert_eq!(Tool::of(head), tool, "{head:?}");
    }
}

#[test]
fn jemalloc_as_jeprof_counts_it_plain_and_packed() {
    for bytes in [JEMALLOC.as_bytes().to_vec(), gzipped(JEMALLOC.as_bytes())] {
        let found = allocations(&bytes).unwrap();
        let total = found.total();
        assert_eq!((total.bytes, total.blocks), (3_276_800 + 97_261, 144));
        assert!(!found.known.all);
        let profile = profile(&bytes).unwrap();
        assert_eq!((profile.total(), profile.unit), (total.bytes, Unit::Bytes));
        let notes = profile.notes.join("\n");
        assert!(notes.contains("4.00 KiB"), "{notes}");
        let gone = "5 addresses have no names: alloc is not here any more";
        assert!(notes.contains(gone), "{notes}");
        let names: Vec<&str> = profile.frames().iter().map(|frame| &*frame.name).collect();
        assert!(names.contains(&"alloc+0x1173"), "{names:?}");
    }
}

#[test]
fn jemalloc_with_what_was_freed() {
    // Written with prof_accum; a mean block of a megabyte is always seen.
    let text = "heap_v2/1\n@ 0x5\n t*: 1: 1048576 [3: 3145728]\n@ 0x6\n t*: 0: 0 [2: 2097152]\nMAPPED_LIBRARIES:\n";
    let found = allocations(text.as_bytes()).unwrap();
    let total = found.total();
    assert_eq!((total.bytes, total.blocks), (1 << 20, 1));
    assert_eq!((total.allocated, total.calls), (5 << 20, 5));
    assert!(found.known.all && !found.known.leaked);
    // Nothing is held any more: what was allocated is shown.
    let freed = text.replace("1: 1048576 [", "0: 0 [");
    let profile = profile(freed.as_bytes()).unwrap();
    assert_eq!(profile.total(), 5 << 20);
    assert!(
        profile.notes[0].contains("none is held any more"),
        "{:?}",
        profile.notes
    );
}

#[test]
fn heaptracks_figures_are_its_own() {
    let found = allocations(HEAPTRACK).unwrap();
    let total = found.total();
    // What heaptrack_print says of this file.
    assert_eq!((total.calls, total.temporary), (502, 300));
    assert_eq!(format!("{:.2}", total.bytes as f64 / 1e6), "6.99");
    assert_eq!(total.leaked_blocks, 151);
    let stacks = &found.profile;
    let named = |name: &str| stacks.frames().iter().any(|frame| &*frame.name == name);
    assert!(named("keep_large") && named("branch") && named("main"));
    for end in 1..HEAPTRACK.len() {
        // Cut in the packing, wherever that is.
        assert!(profile(&HEAPTRACK[..end]).is_err(), "{end}");
    }
}

#[test]
fn what_is_damaged_is_quoted() {
    for (text, from, to, said) in [
        (JEMALLOC, "heap_v2/4096", "heap_v2/0", "between two samples"),
        (JEMALLOC, "heap_v2/4096", "heap_v2/cat", "\"heap_v2/cat\""),
        (JEMALLOC, "@ 0x5174", "@ 0x51zz", "0x51zz"),
        (
            JEMALLOC,
            "@ 0x5174",
            "@ 0x11111111111111111",
            "no stack of addresses",
        ),
        (JEMALLOC, "t*: 50: 3276800", "t*: 50: x", "no counts"),
        (JEMALLOC, "t*: 50: 3276800", "t*: -50: 3276800", "no counts"),
        (
            JEMALLOC,
            "t*: 50: 3276800",
            "t*: 99999999999999999999: 3",
            "no counts",
        ),
        (
            JEMALLOC,
            "@ 0x5196",
            "\u{1b}[2J 0x5196",
            "neither a stack nor its counts",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let said_was = error(text.replacen(from, to, 1).as_bytes());
        assert!(
            said_was.contains(said) && said_was.contains("line "),
            "{to}: {said_was}"
        );
        assert!(!said_was.contains('\u{1b}'), "{said_was}");
    }
    let cut = error(JEMALLOC.split("MAPPED").next().unwrap().as_bytes());
    assert!(cut.contains("ends in the middle"), "{cut}");
    // Within the list at its end nothing of the counts is missing.
    let cut = profile(&JEMALLOC.as_bytes()[..JEMALLOC.len() - 20]).unwrap();
    let said = cut.notes.join("\n");
    assert!(
        said.contains("the file ends within a line of what was mapped"),
        "{said}"
    );
    let bare = profile(JEMALLOC.split("5000-").next().unwrap().as_bytes()).unwrap();
    let said = bare.notes.join("\n");
    assert!(
        said.contains("where what was mapped is to be listed"),
        "{said}"
    );
    let whole = profile(JEMALLOC.as_bytes()).unwrap();
    assert!(!whole.notes.join("\n").contains("cut short"));
    let nothing = "heap_v2/1\nt*: 0: 0 [0: 0]\nMAPPED_LIBRARIES:\n";
    assert!(error(nothing.as_bytes()).contains("no samples"));
}

#[test]
fn figures_at_the_end_of_numbers_stay_there() {
    let most = u64::MAX;
    let text = format!(
        "heap_v2/1\n@ 0x1 0x2\nt*: {most}: {most} [{most}: {most}]\n@ 0x1 0x3\nt*: {most}: {most} [{most}: {most}]\nMAPPED_LIBRARIES:\n"
    );
    assert_eq!(profile(text.as_bytes()).unwrap().total(), most);
}

#[test]
fn ten_thousand_addresses_deep() {
    let stack: Vec<String> = (1..=10_000).map(|at| format!("{:#x}", at * 16)).collect();
    let stack = stack.join(" ");
    let text = format!("heap_v2/1\n@ {stack}\nt*: 1: 8 [1: 8]\nMAPPED_LIBRARIES:\n");
    let profile = profile(text.as_bytes()).unwrap();
    assert_eq!(
        profile.frames_of(profile.samples()[0].stack).count(),
        10_000
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_makes_it_fall(which in 0..2_usize, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let files = [JEMALLOC.as_bytes(), HEAPTRACK];
        let mut bytes = files[which].to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        // A cut one, and a whole one with a byte that is wrong.
        let _ = allocations(&bytes[..cut.index(bytes.len())]);
        let _ = profile(&bytes);
    }
}
