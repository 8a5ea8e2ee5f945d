//! Small files as their tools write them, and files that nobody should have written.

use std::io::Write as _;

use proptest::prelude::*;

use super::{heaptrack::looks_like, *};
use crate::profile::import::{self, read_from};

/// What `heaptrack` wrote of a small C program.
const HEAPTRACK: &[u8] = include_bytes!("../../../../../tests/profiles/heaptrack.zst");

fn allocations(bytes: &[u8]) -> Result<Allocations, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("heap");
    std::fs::write(&path, bytes).unwrap();
    let read = import::open(&path, &Cancel::default(), &|_, _| (), |_, input| {
        heaptrack::read(input)
    });
    read.map_err(|error| error.error.to_string())
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
    for (head, is_one) in [
        (&b"v 10500 3\nX a\n"[..], true),
        (b"v 10500", true),
        (b"memray\0\x0b", false),
        (b"\x80\x05\x95nothing", false),
        (b"v 1\n", false),
        (b"v 10500 of a function;more 5\n", false),
        (b"main;work 12\n", false),
        (b"", false),
    ] {
        assert_eq!(looks_like(head), is_one, "{head:?}");
    }
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
    let named = |name: &str| stacks.frames.iter().any(|frame| &*frame.name == name);
    assert!(named("keep_large") && named("branch") && named("main"));
    for end in 1..HEAPTRACK.len() {
        // Cut in the packing, wherever that is.
        assert!(profile(&HEAPTRACK[..end]).is_err(), "{end}");
    }
}

/// As `heaptrack_interpret` writes it, unpacked.
const TEXT: &str = "v 10500 3\nX ./work\nI 1000 4096\ns 4 main\ns 4 work\ns 3 a.c\ni 5174 0 1 3 4\ni 5203 0 2 3 4\nt 1 0\nt 2 1\na 40 2\n+ 0\nc 10\n";

#[test]
fn what_is_damaged_is_quoted() {
    assert_eq!(profile(TEXT.as_bytes()).unwrap().total(), 0x40);
    for (from, to, said) in [
        ("s 4 main", "s zz main", "zz"),
        ("t 2 1", "t 2 9", "9"),
        ("a 40 2", "a \u{1b}[2J 2", "[2J"),
        ("a 40 2", "a 40 77", "77"),
        ("+ 0", "+ 99", "99"),
    ] {
        assert!(TEXT.contains(from), "{from}");
        let told = error(TEXT.replacen(from, to, 1).as_bytes());
        assert!(
            told.contains(said) && told.contains("line "),
            "{to}: {told}"
        );
        assert!(!told.contains('\u{1b}'), "{told}");
    }
    let packed = profile(&gzipped(TEXT.as_bytes())).unwrap();
    assert_eq!(packed.total(), 0x40);
}

#[test]
fn figures_at_the_end_of_numbers_stay_there() {
    let most = format!("{:x}", u64::MAX);
    let text = TEXT.replace("a 40 2", &format!("a {most} 2\na {most} 1"));
    let text = text.replace("+ 0", "+ 0\n+ 0\n+ 1");
    assert_eq!(profile(text.as_bytes()).unwrap().total(), u64::MAX);
}

#[test]
fn ten_thousand_addresses_deep() {
    let stacks = (1..10_000).map(|at| format!("t 1 {:x}", at + 1));
    let stacks = stacks.collect::<Vec<_>>().join("\n");
    let text = TEXT.replace("a 40 2", &format!("{stacks}\na 40 {:x}", 10_001));
    let profile = profile(text.as_bytes()).unwrap();
    let stack = profile.samples[0].stack;
    assert!(profile.frames_of(stack).count() >= 10_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_makes_it_fall(which in 0..2_usize, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let files = [TEXT.as_bytes(), HEAPTRACK];
        let mut bytes = files[which].to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        // A cut one, and a whole one with a byte that is wrong.
        let _ = allocations(&bytes[..cut.index(bytes.len())]);
        let _ = profile(&bytes);
    }
}
