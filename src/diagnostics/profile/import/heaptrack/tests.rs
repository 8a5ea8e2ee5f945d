//! Small files as their tools write them, and files that nobody should have written.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;
use crate::profile::import::read_from;

/// What `heaptrack` wrote of a small C program.
const HEAPTRACK: &[u8] = include_bytes!("../../../../../tests/profiles/heaptrack.zst");

fn profile(bytes: &[u8]) -> Result<Profile, ImportError> {
    read_from(bytes, bytes.len() as u64, &Cancel::default(), &|_, _| ())
}

fn error(bytes: &[u8]) -> String {
    profile(bytes).unwrap_err().to_string()
}

fn notes(profile: &Profile, said: &str) {
    let notes = &profile.notes;
    assert!(notes.iter().any(|note| note.contains(said)), "{notes:?}");
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
    let found = profile(HEAPTRACK).unwrap();
    // What heaptrack_print says of this file.
    notes(&found, "502 allocations, 300 of them temporary");
    assert_eq!(format!("{:.2}", found.total() as f64 / 1e6), "6.99");
    let named = |name: &str| found.frames.iter().any(|frame| &*frame.name == name);
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

const SMALL: &str = "v 10400 3\nX ./a\nI 1000 5e\ns 4 /a/b\ns 4 main\ns 4 keep\ns 3 a.c\ni 10 1 2 4 5\ni 20 1 3 4 7\nt 1 0\nt 2 1\na 64 2\na a 1\n+ 0\n+ 0\nc 5\n+ 1\n- 1\n+ 1\n- 0\nc 9\n- 0\n";

#[test]
fn peak_leaks_and_what_lived_shortly() {
    let found = profile(SMALL.as_bytes()).unwrap();
    assert_eq!(found.total(), 210);
    notes(
        &found,
        "10 B never freed, 4 allocations, 1 of them temporary",
    );
    notes(&found, "5.00 ms");
    let frames = &found.frames;
    let keep = frames.iter().find(|frame| &*frame.name == "keep").unwrap();
    assert_eq!((keep.file.as_deref(), keep.line), (Some("a.c"), Some(7)));
}

#[test]
fn what_cannot_be_is_quoted() {
    for (from, to, said) in [
        (
            "t 2 1\n",
            "t 2 2\n",
            "does not come before it as its caller",
        ),
        (
            "t 2 1\n",
            "t 2 7\n",
            "does not come before it as its caller",
        ),
        ("t 2 1\n", "t 3 1\n", "names an address"),
        ("a a 1\n", "a a 5\n", "names a stack"),
        ("+ 1\n", "+ 2\n", "names an allocation"),
        ("- 1\n", "- ffffffffffffffff\n", "names an allocation"),
        ("+ 1\n", "+ 11111111111111111\n", "is damaged"),
        ("i 20 1 3 4 7", "i 20 1 9 4 7", "names text 0x9"),
        ("s 4 keep", "s 3 keep", "longer than it says"),
        ("s 4 keep", "s ffffffff keep", "more than a megabyte"),
        ("c 5", "\u{7} 5", "a letter that means nothing"),
        ("v 10400 3", "v 10400 9", "a version"),
        ("v 10400 3", "v 10400", "a version"),
        ("X ./a", "x 3 /a", "raw recording"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let error = error(SMALL.replacen(from, to, 1).as_bytes());
        assert!(error.contains(said), "{to}: {error}");
    }
    let cut = SMALL.find("main").unwrap() + 2;
    let error = error(&SMALL.as_bytes()[..cut]);
    assert!(error.contains("ends in the middle"), "{error}");
    let twice = SMALL.replacen("c 9\n", "- 1\n- 1\n", 1);
    notes(&profile(twice.as_bytes()).unwrap(), "1 free of");
}

#[test]
fn a_text_may_have_lines_and_old_ones_have_no_length() {
    let text = SMALL.replacen("s 4 keep", "s 9 keep\nthis", 1);
    let found = profile(text.as_bytes()).unwrap();
    assert!(found.frames.iter().any(|f| &*f.name == "keep\nthis"));
    let mut old = SMALL.replacen(" 3\n", " 1\n", 1);
    for text in ["/a/b", "main", "keep", "a.c"] {
        old = old.replacen(&format!("s {} {text}", text.len()), &format!("s {text}"), 1);
    }
    assert_eq!(profile(old.as_bytes()).unwrap().total(), 210);
}

#[test]
fn ten_thousand_calls_deep() {
    use std::fmt::Write as _;
    let mut text = "v 10400 3\ni 10 0\nt 1 0\n".to_owned();
    for caller in 1..10_000 {
        writeln!(text, "t 1 {caller:x}").unwrap();
    }
    text.push_str("a 8 2710\n+ 0\n");
    let found = profile(text.as_bytes()).unwrap();
    assert_eq!(found.frames_of(found.samples[0].stack).count(), 10_000);
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
        let _ = profile(&bytes[..cut.index(bytes.len())]);
        let _ = profile(&bytes);
    }
}
