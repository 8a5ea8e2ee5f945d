//! Texts of `perf script` in all its forms, cut and strange ones among them.

use std::fmt::Write as _;

use super::*;

fn profile(text: &str) -> Result<Profile, String> {
    let mut builder = Builder::default();
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line.as_bytes(), &mut builder)?;
    }
    reader.end(&mut builder);
    Ok(builder.finish())
}

/// Stacks as folded text, the outermost first.
fn folded(profile: &Profile) -> Vec<String> {
    profile
        .samples
        .iter()
        .map(|sample| {
            let mut names: Vec<&str> = profile
                .frames_of(sample.stack)
                .filter_map(|id| Some(&*profile.frame(id)?.name))
                .collect();
            names.reverse();
            names.join(";")
        })
        .collect()
}

#[test]
fn every_form_of_the_columns() {
    let text = "\
# ========
# captured on    : Sun Nov 22
my prog 4711/4713 [001]  5678.123456:   10101010 cpu-clock:u: \n\
\t    55d3e1a2b1f4 std::vec<int, (x)>::at(unsigned long) const+0x14 (/srv/my (deleted) prog)
\t                 prog.cc:7
\t    55d3e1a2b200 main+0x1 (/srv/prog)
\n\
7 12 5678.2: 1 cpu-clock:u: \n\t ffffffff8100 [unknown] ([kernel.kallsyms])\n\t 7f00 [unknown] ([unknown])\n\n\
perf 12/12 5678.200000001: cpu-clock:u:\n\t 7f01 inner (inlined)\n\t 7f02 outer+0x2zz (/a)\n";
    let profile = profile(text).unwrap();
    assert_eq!(
        folded(&profile),
        [
            "main;std::vec<int, (x)>::at(unsigned long) const",
            "[unknown];[unknown]",
            "outer+0x2zz;inner"
        ]
    );
    let names: Vec<_> = profile
        .threads
        .iter()
        .map(|t| (&*t.name, t.pid, t.tid))
        .collect();
    assert_eq!(
        names,
        [
            ("my prog", Some(4711), Some(4713)),
            ("7", Some(12), Some(12)),
            ("perf", Some(12), Some(12))
        ]
    );
    let at: Vec<u64> = profile.samples.iter().map(|s| s.at).collect();
    assert_eq!(at, [0, 76_544_000, 76_544_001]);
    let source = profile.frames.iter().find(|f| f.line == Some(7)).unwrap();
    assert_eq!(source.file.as_deref(), Some("prog.cc"));
    let modules: Vec<_> = profile.frames.iter().map(|f| f.module.as_deref()).collect();
    assert!(modules.contains(&Some("[kernel.kallsyms]")));
    assert!(modules.contains(&Some("/srv/prog")));
}

#[test]
fn heads_say_what_was_counted_and_by_whom() {
    let said = |text| {
        let head = head(text)?;
        Some((head.pid, head.tid, head.period, head.event, head.rest))
    };
    assert_eq!(
        said("a b 7/8 [001] 1.5:   250000 cpu-clock:u: "),
        Some((Some(7), Some(8), Some(250_000), "cpu-clock:u", ""))
    );
    assert_eq!(
        said(" a 8 1.5: syscalls:sys_enter_write:  7f00 f+0x2 (/a b)"),
        Some((
            None,
            Some(8),
            None,
            "syscalls:sys_enter_write",
            "7f00 f+0x2 (/a b)"
        ))
    );
    // One that is gone has no number; what is no event is none.
    assert_eq!(
        said(":-1 -1 1.5: 1 cycles:"),
        Some((None, None, Some(1), "cycles", ""))
    );
    assert_eq!(said("a 8 1.5: whatever else"), None);
    let alone = frame("55d3e1 (/usr/bin/spin)").unwrap();
    assert_eq!(
        (&*alone.name, alone.module.as_deref()),
        ("[unknown]", Some("/usr/bin/spin"))
    );
}

#[test]
fn a_thread_with_a_number_for_a_name_is_no_frame() {
    let text = " dd 1/1 1.5: 1 cycles: 0 f (/x)\n dd 1/1 1.6: 1 cycles: 0 g (/x)\n\n\
        dd 1/1 1.7: 1 cycles:\n\t 0 [unknown] ([unknown])\n\t 7f h (/x)\n";
    let stacks = folded(&profile(text).unwrap());
    assert_eq!(stacks, ["f", "g", "h;[unknown]"]);
}

#[test]
fn what_was_lost_is_counted() {
    let text = "a 1/1 1.5: cycles:\n\t 7f f (/x)\n\n\
        a 1/1 1.6: PERF_RECORD_LOST lost 12\n\
        perf 2/2 1.7: PERF_RECORD_LOST_SAMPLES lost 3\n whatever\na 1/1 1.8: cycles:\n\t 7f f (/x)";
    let profile = profile(text).unwrap();
    assert_eq!((profile.samples.len(), profile.lost), (2, 15));
    assert_eq!(profile.total(), 2);
}

#[test]
fn another_text_is_refused_where_it_is_another() {
    let error = profile("# perf\n{\"nodes\": []}\n").unwrap_err();
    assert!(
        error.starts_with("\"{") && error.contains("nodes"),
        "{error}"
    );
    assert!(profile("").unwrap().samples.is_empty());
}

#[test]
fn stacks_of_any_depth_and_lines_of_any_length() {
    let mut text = "a 1/1 1.5: cycles:\n".to_owned();
    for depth in 0..20_000 {
        writeln!(text, "\t 7f{depth:04x} f{depth} (/x)").unwrap();
    }
    let long = "n".repeat(200_000);
    writeln!(text, "\nb 1/1 1.6: cycles:\n\t 7f {long} (/x)").unwrap();
    let profile = profile(&text).unwrap();
    let depths: Vec<usize> = profile
        .samples
        .iter()
        .map(|s| profile.frames_of(s.stack).count())
        .collect();
    assert_eq!(depths, [DEEPEST, 1]);
    assert!(
        profile
            .notes
            .iter()
            .any(|n| n.starts_with("1 stack was deeper"))
    );
    assert!(profile.frames.iter().all(|f| f.name.len() <= WIDEST));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_stumble(text in "([a-z/0-9:.\\[\\] ()+\\tx#é]{0,40}\n){0,12}") {
        let _ = profile(&text);
    }

    #[test]
    fn no_line_makes_it_stumble(line in ".{0,80}") {
        let _ = head(&line);
        let _ = frame(&line);
        let _ = source_line(&line);
    }
}
