//! Heap files that are not read here, each with what makes a form of it that is: folded stacks in bytes, for `omp-debug profile`.
//!
//! A pickle runs what is written in it when it is loaded, so that we never do; the others need their own tool for the names of functions
//! (jemalloc, gperftools, heaptrack) or have no form that their makers promise to keep (memray).

use std::io::Read as _;

/// Packed with LZ4 when it is whole, and plain while it is written.
const MEMRAY: (&str, &str) = (
    "a recording of memray",
    r#"python3 -c "import sys, memray; [print(';'.join(f'{n} ({f}:{l})' for n, f, l in reversed(r.stack_trace())), r.size) for r in memray.FileReader(sys.argv[1]).get_high_watermark_allocation_records(merge_threads=True)]" FILE > heap.folded"#,
);

/// How each of them begins, what it is, and the command that writes folded stacks; `FILE` is the file.
const KNOWN: &[(&[u8], &str, &str)] = &[
    (b"memray", MEMRAY.0, MEMRAY.1),
    (
        b"heap_v2/",
        "a heap profile of jemalloc",
        "jeprof --collapsed PROGRAM FILE > heap.folded",
    ),
    (
        b"heap profile:",
        "a heap profile of gperftools",
        "pprof --collapsed PROGRAM FILE > heap.folded",
    ),
    // Its first line is its version: `v 10500 3`.
    (b"v 1", "a recording of heaptrack", HEAPTRACK),
    (
        &[0x28, 0xb5, 0x2f, 0xfd],
        "packed with zstd, as heaptrack does with its recordings",
        HEAPTRACK,
    ),
];

const HEAPTRACK: &str = "heaptrack_print -f FILE --flamegraph-cost-type peak -F heap.folded";

/// A snapshot's `dump`, which is a pickle.
const TRACEMALLOC: (&str, &str) = (
    "a snapshot of tracemalloc",
    r#"python3 -c "import sys, tracemalloc; [print(';'.join(f'{f.filename}:{f.lineno}' for f in t.traceback), t.size) for t in tracemalloc.Snapshot.load(sys.argv[1]).traces]" FILE > heap.folded (loading a pickle runs what is in it: only one that you trust)"#,
);

/// What a file is that begins like this, and what makes folded stacks of it.
pub fn known(begin: &[u8]) -> Option<(&'static str, &'static str)> {
    // Protocol 2 and later; the class stands near the beginning.
    let is_pickle = begin.first() == Some(&0x80);
    if is_pickle && memchr::memmem::find(begin, b"tracemalloc").is_some() {
        return Some(TRACEMALLOC);
    }
    let is_lz4 = begin.starts_with(&[0x04, 0x22, 0x4d, 0x18]);
    // The first words of a packed block stand in it as they are.
    let words = begin.get(..begin.len().min(64)).unwrap_or_default();
    if is_lz4 && memchr::memmem::find(words, b"memray").is_some() {
        return Some(MEMRAY);
    }
    let mut head = Vec::new();
    let begin = if begin.starts_with(&[0x1f, 0x8b]) {
        // What is cut off behind the head is an error that does not matter.
        let packed = flate2::read::GzDecoder::new(begin).take(64);
        let _ = std::io::BufReader::new(packed).read_to_end(&mut head);
        head.as_slice()
    } else {
        begin
    };
    let found = KNOWN.iter().find(|(magic, ..)| begin.starts_with(magic));
    found.map(|(_, what, command)| (*what, *command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn each_is_known_by_how_it_begins() {
        let what = |begin: &[u8]| known(begin).map(|(what, _)| what);
        assert_eq!(
            what(b"heap_v2/524288\n  t*: 28106: 56637512 [0: 0]\n"),
            Some("a heap profile of jemalloc")
        );
        for memray in [
            b"memray\0\x0b".as_slice(),
            b"\x04\x22\x4d\x18\x40\x40\xc0\x13\x3c\x00\x00\xf9\x05memray\x00",
        ] {
            assert_eq!(what(memray), Some("a recording of memray"));
        }
        let zstd = what(b"\x28\xb5\x2f\xfd\x04\x58").unwrap();
        assert!(zstd.contains("heaptrack"), "{zstd}");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"v 10500 3\nx /usr/bin/a\n").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(what(&packed), Some("a recording of heaptrack"));
        // Cut within its compression.
        assert_eq!(what(packed.get(..6).unwrap()), None);
        let pickle = b"\x80\x05\x95\x10\x00\x00\x00\x8c\x0btracemalloc\x94\x8c\x08Snapshot";
        assert_eq!(what(pickle), Some("a snapshot of tracemalloc"));
        for other in [b"\x80\x05\x95nothing".as_slice(), b"", b"{}", b"\x1f\x8b"] {
            assert_eq!(what(other), None);
        }
    }
}
