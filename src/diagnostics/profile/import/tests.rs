//! Every format: files that its own tool wrote, and files that nobody should have written.

use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;

use super::*;
use crate::profile::{
    Sample, Unit,
    tree::{Options, Tree},
};

const NODE: &[u8] = include_bytes!("../../../../tests/profiles/node.cpuprofile");
const GO: &[u8] = include_bytes!("../../../../tests/profiles/go.pb.gz");
const PERF: &[u8] = include_bytes!("../../../../tests/profiles/perf-script.txt");
const PY_SPY: &[u8] = include_bytes!("../../../../tests/profiles/py-spy.folded");
const PY_SPY_SPEEDSCOPE: &[u8] =
    include_bytes!("../../../../tests/profiles/py-spy.speedscope.json");

fn read_bytes(bytes: &[u8]) -> Result<Profile, ImportError> {
    read_from(bytes, bytes.len() as u64, &Cancel::default(), &|_, _| ())
}

fn error(bytes: &[u8]) -> String {
    read_bytes(bytes).unwrap_err().to_string()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Own and total parts of a function, of a hundred.
fn part(profile: &Profile, name: &str) -> (f64, f64) {
    let tree = Tree::build(profile, None, &Options::default(), &Cancel::default());
    let row = tree
        .rows
        .iter()
        .find(|row| &*tree.function(row.function).unwrap().name == name)
        .unwrap_or_else(|| panic!("{name} is not in the profile"));
    let share = |weight: u64| weight as f64 * 100.0 / tree.total() as f64;
    (share(row.weight.own), share(row.weight.total))
}

/// Stacks as folded lines, in the order of their samples.
fn stacks(profile: &Profile) -> Vec<String> {
    let line = |sample: &Sample| {
        let mut names: Vec<&str> = profile
            .frames_of(sample.stack)
            .map(|frame| &*profile.frame(frame).unwrap().name)
            .collect();
        names.reverse();
        format!("{} {}", names.join(";"), sample.weight)
    };
    profile.samples.iter().map(line).collect()
}

#[test]
fn what_node_wrote() {
    for bytes in [NODE.to_vec(), gzipped(NODE)] {
        let profile = read_bytes(&bytes).unwrap();
        assert_eq!(profile.unit, Unit::Nanoseconds);
        // The two functions call burn with 70 and 30 parts of the work.
        let (_, hot) = part(&profile, "hot");
        let (_, cold) = part(&profile, "cold");
        assert!(hot > cold && hot + cold > 50.0, "{hot} {cold}");
        let burn = profile.frames.iter().find(|f| &*f.name == "burn").unwrap();
        assert_eq!(burn.file.as_deref(), Some("/srv/app/small.js"));
        // The file says 0.
        assert_eq!(burn.line, Some(1));
        assert!(stacks(&profile).iter().all(|s| !s.contains("(root)")));
        let duration = profile.duration.unwrap();
        let total = Duration::from_nanos(profile.total());
        assert!(total <= duration && total * 10 > duration * 9);
    }
}

#[test]
fn what_go_wrote() {
    let profile = read_bytes(GO).unwrap();
    assert_eq!(profile.unit, Unit::Nanoseconds);
    let (_, hot) = part(&profile, "main.hot");
    assert!((60.0..80.0).contains(&hot), "{hot}");
    let hot = profile
        .frames
        .iter()
        .find(|frame| &*frame.name == "main.hot")
        .unwrap();
    assert!(hot.file.as_deref().unwrap().ends_with("hot.go"));
    assert_eq!(hot.line, Some(19));
    assert!(profile.started.is_some() && profile.duration.is_some());
    assert_eq!(profile.interval, Some(Duration::from_millis(10)));
    assert!(
        profile.notes[0].contains("samples as well"),
        "{:?}",
        profile.notes
    );
}

#[test]
fn what_perf_wrote() {
    let profile = read_bytes(PERF).unwrap();
    assert_eq!(profile.unit, Unit::Nanoseconds);
    assert_eq!(profile.samples.len(), 6);
    assert_eq!(profile.total(), 6 * 10_101_010);
    assert_eq!(profile.samples[0].at, 0);
    let burn = profile.frames.iter().find(|f| &*f.name == "burn").unwrap();
    assert_eq!(burn.module.as_deref(), Some("/srv/app/hotc"));
    assert_eq!(burn.file.as_deref(), Some("hot.c"));
    assert_eq!(&*profile.threads[0].name, "hotc");
    assert!(stacks(&profile)[0].starts_with("__libc_start_call_main;main;burn "));
}

#[test]
fn every_column_of_perf() {
    let text = b"# captured on: today\n\
my prog  10/11 [002]  5.100000:     250000   cycles:u: \n\
\t    55d3 std::vec<int, (x)>::at(unsigned long) const+0x14 (/srv/my prog)\n\
\t    55d4 [unknown] ([kernel.kallsyms])\n\n\
my prog  10/11 [002]  5.200000:     1   page-faults: \n\t 55d3 f (/x)\n\n\
other 12 5.300000:     50   cycles:u:      7f00 leaf+0x1 (/lib/libc.so)\n";
    let profile = read_bytes(text).unwrap();
    assert_eq!(profile.unit, Unit::Count);
    assert_eq!(
        stacks(&profile),
        [
            "[unknown];std::vec<int, (x)>::at(unsigned long) const 250000",
            "leaf 50"
        ]
    );
    assert_eq!(profile.samples[1].at, 200_000_000);
    let thread = &profile.threads[0];
    assert_eq!(
        (thread.pid, thread.tid, &*thread.name),
        (Some(10), Some(11), "my prog")
    );
    assert_eq!(
        profile.notes,
        ["1 sample counts \"page-faults\", which is another event: left out"]
    );
    let broken = [text.as_slice(), b"what is this\n"].concat();
    let error = error(&broken);
    assert!(
        error.contains("line 10") && error.contains("what is this"),
        "{error}"
    );
}

#[test]
fn what_py_spy_wrote() {
    for bytes in [PY_SPY, PY_SPY_SPEEDSCOPE] {
        let profile = read_bytes(bytes).unwrap();
        let (_, hot) = part(&profile, "hot");
        assert!((50.0..85.0).contains(&hot), "{hot}");
        let burn = profile.frames.iter().find(|f| &*f.name == "burn").unwrap();
        assert!(burn.file.as_deref().unwrap().ends_with("hot.py"));
        assert!(burn.line.is_some());
    }
    assert_eq!(read_bytes(PY_SPY).unwrap().total(), 49);
    let seconds = read_bytes(PY_SPY_SPEEDSCOPE).unwrap();
    assert_eq!(seconds.unit, Unit::Nanoseconds);
    assert_eq!(seconds.samples[1].at, 20_000_000);
}

#[test]
fn folded_stacks_of_every_kind() {
    let profile = read_bytes(
        b"\n# made by hand\nmain;operator()(int) 3\nmain;a b c\t2.6\r\n;; 4\nmain;zero 0\nlast 1",
    )
    .unwrap();
    assert_eq!(
        stacks(&profile),
        ["main;operator()(int) 3", "main;a b c 3", "last 1"]
    );
    let cut = read_bytes(b"a;b 3\na;c;half a na").unwrap();
    assert_eq!(stacks(&cut), ["a;b 3"]);
    assert!(cut.notes[0].contains("line 2") && cut.notes[0].contains("cut short"));
    let wrong = error(b"a;b 3\nno number\nc 4\n");
    assert!(
        wrong.contains("line 2") && wrong.contains("no number"),
        "{wrong}"
    );
}

#[test]
fn a_cpuprofile_in_any_order_and_with_anything() {
    // Times before samples before nodes; a caller after what it calls; ids far apart.
    let text = br#"{"timeDeltas":[10,20,-5,40],"samples":[7,4000000000,7,1],"startTime":100,"endTime":200,
        "nodes":[{"id":4000000000,"callFrame":{"functionName":"leaf","url":"file:///a%20b/c.js","lineNumber":9}},
        {"id":7,"callFrame":{"functionName":"","lineNumber":-1},"children":[4000000000]},
        {"id":1,"callFrame":{"functionName":"(root)"},"children":[7]}]}"#;
    let profile = read_bytes(text).unwrap();
    assert_eq!(
        stacks(&profile),
        [
            "(anonymous) 20000",
            // The clock went back.
            "(anonymous);leaf 0",
            "(anonymous) 40000",
            "(root) 35000"
        ]
    );
    let leaf = profile.frames.iter().find(|f| &*f.name == "leaf").unwrap();
    assert_eq!(
        (leaf.file.as_deref(), leaf.line),
        (Some("/a b/c.js"), Some(10))
    );
    let hits = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},{"id":2,"callFrame":{"functionName":"f"},"hitCount":5}]}"#;
    let profile = read_bytes(hits).unwrap();
    assert_eq!(
        (stacks(&profile), profile.unit),
        (vec!["f 5".to_owned()], Unit::Samples)
    );
    // As the inspector answers.
    let wrapped = [br#"{"result":{"profile":"#.as_slice(), hits, b"}}"].concat();
    assert_eq!(stacks(&read_bytes(&wrapped).unwrap()), ["f 5"]);
}

#[test]
fn a_cpuprofile_that_cannot_be() {
    let nodes = |children: &str, samples: &str| {
        format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"a"}},"children":{children}}},{{"id":2,"callFrame":{{"functionName":"b"}},"children":[1]}}],"samples":{samples},"timeDeltas":[1,1]}}"#
        )
    };
    let circle = error(nodes("[2]", "[1,2]").as_bytes());
    assert!(circle.contains("its own callers"), "{circle}");
    let missing = error(nodes("[9]", "[1,2]").as_bytes());
    assert!(missing.contains("child 9"), "{missing}");
    let nowhere = error(nodes("[]", "[5,2]").as_bytes());
    assert!(nowhere.contains("node 5"), "{nowhere}");
    let text = error(br#"{"nodes":[{"id":"x"}]}"#);
    assert!(
        text.contains("line 1 column") && text.contains("\"x\""),
        "{text}"
    );
    let cut = error(NODE.get(..2000).unwrap());
    assert!(
        cut.contains(".cpuprofile ends in the middle, at line 1 column 2000"),
        "{cut}"
    );
    let none = error(br#"{"nodes":[],"samples":[],"timeDeltas":[]}"#);
    assert!(none.contains("no samples"), "{none}");
}

#[test]
fn speedscope_of_both_types() {
    let text = br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","name":"two",
        "profiles":[{"type":"evented","name":"t","unit":"milliseconds","startValue":0,"endValue":14,"events":[
            {"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":10},{"type":"C","frame":0,"at":14}]},
            {"type":"sampled","name":"u","unit":"milliseconds","startValue":0,"endValue":3,"samples":[[0,1],[]],"weights":[2,1]}],
        "shared":{"frames":[{"name":"a"},{"name":"b","file":"b.rb","line":4}]}}"#;
    let profile = read_bytes(text).unwrap();
    assert_eq!(profile.name, "two");
    assert_eq!(
        stacks(&profile),
        ["a 2000000", "a;b 8000000", "a 4000000", "a;b 2000000"]
    );
    assert_eq!(profile.threads.len(), 2);
    let text = String::from_utf8(text.to_vec()).unwrap();
    let crossed = text.replacen(r#""C","frame":1"#, r#""C","frame":0"#, 1);
    let crossed = error(crossed.as_bytes());
    assert!(crossed.contains("event 3 of profile 1"), "{crossed}");
    let outside = error(text.replace("[0,1]", "[0,9]").as_bytes());
    assert!(
        outside.contains("frame 9") && outside.contains("there are 2"),
        "{outside}"
    );
    let unit = error(text.replace("milliseconds", "fortnights").as_bytes());
    assert!(unit.contains("fortnights"), "{unit}");
}

/// As profiler.firefox.com has it, with tables of its threads or common ones.
#[test]
fn firefox_old_and_new() {
    let tables = r#""stackTable":{"frame":[0,1],"prefix":[null,0],"length":2},
        "frameTable":{"func":[0,1],"line":[null,12],"length":2},
        "funcTable":{"name":[0,1],"fileName":[null,2],"resource":[-1,0],"lineNumber":[3,null],"length":2},
        "resourceTable":{"name":[3],"length":1},"stringArray":["main","inner","a.rs","app"]"#;
    let samples = r#""name":"GeckoMain","pid":"123","tid":7,"samples":{"stack":[1,null,0],"time":[100.5,101.5,102.5],"weightType":"samples","weight":null,"length":3},"markers":{"data":[{"x":[1]}]}"#;
    let meta = r#""meta":{"interval":1,"startTime":1700000000000,"preprocessedProfileVersion":48,"product":"Firefox"}"#;
    let old = format!(r#"{{{meta},"threads":[{{{samples},{tables}}}]}}"#);
    let new = format!(r#"{{{meta},"shared":{{{tables}}},"threads":[{{{samples}}}]}}"#);
    for text in [old.clone(), new] {
        let profile = read_bytes(text.as_bytes()).unwrap();
        assert_eq!(stacks(&profile), ["main;inner 1", "main 1"]);
        assert_eq!(profile.samples[1].at, 2_000_000);
        let inner = profile.frames.iter().find(|f| &*f.name == "inner").unwrap();
        assert_eq!(inner.file.as_deref(), Some("a.rs"));
        assert_eq!(
            (inner.line, inner.module.as_deref()),
            (Some(12), Some("app"))
        );
        assert_eq!(profile.threads[0].pid, Some(123));
        assert_eq!(profile.interval, Some(Duration::from_millis(1)));
    }
    let ahead = error(old.replace("[null,0]", "[1,0]").as_bytes());
    assert!(ahead.contains("does not come before it"), "{ahead}");
    let raw = error(
        br#"{"meta":{},"threads":[{"name":"x","samples":{"schema":{"stack":0},"data":[]}}]}"#,
    );
    assert!(raw.contains("raw form"), "{raw}");
}

#[test]
fn what_is_no_profile_is_said() {
    for (bytes, word) in [
        (b"".as_slice(), "empty"),
        (b"PERFILE2xxxx", "perf script"),
        (b"v 10500 3\nX ./work\nI 1000 4096\n", "heaptrack_print"),
        (b"{\"a\":1,\"bb\":2}", "\"a\", \"bb\""),
        (b"[1,2]", "list in JSON"),
        (b"{\"snapshot\":{},\"nodes\":[1]}", "heap snapshot"),
        (b"{\"traceEvents\":[]}", "trace of Chrome"),
        (b"{\"samples\":3}", "its keys are \"samples\""),
        (b"{\"samples\":[3}", "broken at line 1"),
        (
            b"# callgrind format\nversion: 1\nevents: Ir\n",
            "callgrind_annotate",
        ),
        (b"just some words\n", "no stack with a number"),
        (b"\x7fELF\x02", "a program"),
        (b"\x00\x01\x02\x03", "begins with"),
        (b"<svg>", "XML"),
        (b"{\"nodes\":", "ends in the middle"),
    ] {
        let error = error(bytes);
        assert!(error.contains(word), "{bytes:?}: {error}");
    }
    assert!(error(&gzipped(NODE)[..900]).contains("cut short"));
    let mut damaged = gzipped(NODE);
    damaged
        .iter_mut()
        .skip(40)
        .take(200)
        .for_each(|b| *b ^= 0x55);
    assert!(read_bytes(&damaged).is_err());
    let twice = error(&gzipped(&gzipped(NODE)));
    assert!(twice.contains("twice"), "{twice}");
    let dir = tempfile::tempdir().unwrap();
    let folder = read(dir.path(), &Cancel::default(), &|_, _| ())
        .unwrap_err()
        .to_string();
    assert!(folder.contains("is a folder"), "{folder}");
    let gone = read(
        &dir.path().join("gone\u{1b}[31m"),
        &Cancel::default(),
        &|_, _| (),
    );
    let gone = gone.unwrap_err().to_string();
    assert!(!gone.contains('\u{1b}') && gone.contains("gone"), "{gone}");
}

/// Names may be anything; what they do to a terminal is taken out where they are shown.
#[test]
fn hostile_names_are_names() {
    let text = b"main;a<b>&\"'\x01\x1b[31m\xff\xfe;\xe2\x80\xae evil name that is rather long 5\nmain;]]>--> 3\nmain;plain_function 2\n";
    let profile = read_bytes(text).unwrap();
    assert_eq!(profile.total(), 10);
    let name = &profile.frames[1].name;
    assert!(name.contains('\u{1b}') && name.contains('\u{fffd}'));
}

#[test]
fn reading_can_be_ended() {
    let cancel = Cancel::default();
    let lines: Vec<_> = (0..100_000).map(|n| format!("a;b{n} 1")).collect();
    let text = lines.join("\n");
    let stop = cancel.clone();
    let done = read_from(text.as_bytes(), text.len() as u64, &cancel, &|read, all| {
        assert!(read <= all);
        stop.cancel();
    });
    assert!(matches!(done, Err(ImportError::Cancelled)));
}

/// Ten thousand calls deep in every format, and every question about it is answered.
#[test]
fn no_stack_is_too_deep() {
    const DEEP: usize = 10_000;
    let folded = (0..DEEP)
        .map(|n| format!("f{n}"))
        .collect::<Vec<_>>()
        .join(";");
    let folded = format!("{folded} 5\n");
    let nodes: Vec<_> = (1..=DEEP)
        .map(|n| {
            let children = if n < DEEP {
                format!("[{}]", n + 1)
            } else {
                "[]".to_owned()
            };
            format!(r#"{{"id":{n},"callFrame":{{"functionName":"f{n}"}},"children":{children}}}"#)
        })
        .collect();
    let cpu = format!(
        r#"{{"nodes":[{}],"samples":[{DEEP}],"timeDeltas":[0],"startTime":0,"endTime":7}}"#,
        nodes.join(",")
    );
    let numbers = (0..DEEP)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let frames: Vec<_> = (0..DEEP).map(|n| format!(r#"{{"name":"f{n}"}}"#)).collect();
    let speedscope = format!(
        r#"{{"shared":{{"frames":[{}]}},"profiles":[{{"type":"sampled","name":"","unit":"none","startValue":0,"endValue":1,"samples":[[{numbers}]],"weights":[1]}}]}}"#,
        frames.join(",")
    );
    let lines: Vec<_> = (0..DEEP)
        .map(|n| format!("\t {n:x} f{n}+0x1 (/a)"))
        .collect();
    let perf = format!("a 1 1.5: cpu-clock:\n{}\n", lines.join("\n"));
    for text in [folded, cpu, speedscope, perf] {
        let profile = read_bytes(text.as_bytes()).unwrap();
        assert_eq!(profile.frames_of(profile.samples[0].stack).count(), DEEP);
        let tree = Tree::build(&profile, None, &Options::default(), &Cancel::default());
        assert_eq!((tree.depth as usize, tree.len()), (DEEP, DEEP + 1));
        assert_eq!(tree.rows.len(), DEEP);
        assert!(tree.rows.iter().all(|row| row.weight.total == tree.total()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Cut anywhere, with a byte changed anywhere: an answer, never a panic.
    #[test]
    fn damage_is_survived(cut in 0_usize..5000, at in 0_usize..5000, byte in any::<u8>()) {
        for bytes in [NODE, GO, PERF, PY_SPY, PY_SPY_SPEEDSCOPE] {
            let mut bytes = bytes.get(..cut.min(bytes.len())).unwrap().to_vec();
            let _ = read_bytes(&bytes);
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let _ = read_bytes(&bytes);
        }
        // Behind the compression, too.
        let mut plain = Vec::new();
        flate2::bufread::MultiGzDecoder::new(GO).read_to_end(&mut plain).unwrap();
        plain.truncate(cut.max(2));
        if let Some(place) = plain.get_mut(at % 700) {
            *place = byte;
        }
        let _ = read_bytes(&plain);
    }
}
