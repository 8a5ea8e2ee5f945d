//! Paging in both directions against a plain reading of the same files, and following files that change.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use pretty_assertions::assert_eq;

use super::*;
use crate::Cancel;

fn line(second: u32, pid: u32, message: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-08-21T10:{:02}:{:02}.000Z\",\"level\":\"info\",\"pid\":{pid},\"message\":\"{message}\"}}\n",
        second / 60,
        second % 60
    )
}

fn log_path(path: &Path) -> LogPath {
    LogPath::from(path)
}

fn messages(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.message.clone()).collect()
}

/// Two interleaved files with long lines, stacks and blank lines, larger than several blocks.
fn two_files(dir: &Path) -> (Vec<LogPath>, Vec<String>) {
    let mut expected = Vec::new();
    let mut texts = [String::new(), String::new()];
    for n in 0..2400_u32 {
        let which = usize::from(n % 3 == 0);
        let message = match n % 97 {
            0 => "long ".repeat(4000),
            _ => format!("message {n}"),
        };
        texts[which].push_str(&line(n, 7 + which as u32, &message));
        if n % 50 == 1 {
            texts[which].push_str("    at stack\n\n    at more\n");
        }
        expected.push(message);
    }
    let files = ["a.log", "b.log"].map(|name| dir.join(name));
    for (file, text) in files.iter().zip(&texts) {
        fs::write(file, text).unwrap();
    }
    (files.iter().map(|file| log_path(file)).collect(), expected)
}

#[test]
fn pages_of_any_size_in_both_directions_give_everything_once() {
    let dir = tempfile::tempdir().unwrap();
    let (files, expected) = two_files(dir.path());
    let cancel = Cancel::default();
    for size in [7, 50, 1000, 100_000] {
        let mut log = Log::new(files.clone());
        let (mut back, mut cursor) = (Vec::new(), log.end());
        loop {
            let page = log
                .before(&cursor, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            assert!(page.entries.len() <= size);
            back.splice(0..0, messages(&page.entries));
            cursor = page.before;
            if page.reached_end {
                break;
            }
        }
        assert_eq!(back.len(), expected.len(), "pages of {size} from the end");
        assert!(back == expected, "pages of {size} from the end");
        assert_eq!(cursor, log.start());
        let (mut forward, mut cursor) = (Vec::new(), log.start());
        loop {
            let page = log
                .after(&cursor, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            forward.extend(messages(&page.entries));
            cursor = page.after;
            if page.reached_end {
                break;
            }
        }
        assert!(forward == expected, "pages of {size} from the beginning");
    }
}

/// Threads that write to one file put its lines out of order a little: pages in both directions, turned round anywhere, give every
/// entry once and in the order of time.
#[test]
fn a_file_that_is_out_of_order_is_read_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let files = ["a.log", "b.log"].map(|name| dir.path().join(name));
    let mut texts = [String::new(), String::new()];
    let mut seed = 7_u32;
    for n in 0..3000_u32 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Up to 20 seconds late.
        let second = (n + 20 - (seed >> 16) % 20) % 3600;
        texts[(n % 2) as usize].push_str(&line(second, 7, &format!("{n}")));
    }
    for (file, text) in files.iter().zip(&texts) {
        fs::write(file, text).unwrap();
    }
    let cancel = Cancel::default();
    let mut log = Log::new(files.iter().map(|file| log_path(file)));
    let all = log
        .after(&log.start(), 10_000, &Filter::default(), u64::MAX, &cancel)
        .unwrap()
        .entries;
    assert_eq!(all.len(), 3000);
    assert!(all.is_sorted_by_key(|entry| entry.time));
    for size in [7, 50, 333] {
        let (mut back, mut cursor) = (Vec::new(), log.end());
        loop {
            let page = log
                .before(&cursor, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            // What is behind the place where a page ends is what comes when turning round there.
            let again = log
                .after(&page.before, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            assert_eq!(
                again.entries[..page.entries.len()],
                page.entries,
                "pages of {size}"
            );
            back.splice(0..0, page.entries);
            cursor = page.before;
            if page.reached_end {
                break;
            }
        }
        assert!(back == all, "pages of {size} from the end");
        let (mut forth, mut cursor) = (Vec::new(), log.start());
        loop {
            let page = log
                .after(&cursor, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            forth.extend(page.entries);
            cursor = page.after;
            if page.reached_end {
                break;
            }
        }
        assert!(forth == all, "pages of {size} from the beginning");
    }
}

#[test]
fn a_time_is_found_in_every_file() {
    let dir = tempfile::tempdir().unwrap();
    let (files, _) = two_files(dir.path());
    let (mut log, cancel) = (Log::new(files), Cancel::default());
    let all = log
        .after(&log.start(), 10_000, &Filter::default(), u64::MAX, &cancel)
        .unwrap()
        .entries;
    for wanted in [0, 1, 700, 1234, 2399] {
        let time = all[wanted].time.unwrap();
        let place = log.at(time, &cancel).unwrap();
        let page = log
            .after(&place, 1, &Filter::default(), u64::MAX, &cancel)
            .unwrap();
        assert_eq!(page.entries, [all[wanted].clone()]);
        let page = log
            .before(&place, 1, &Filter::default(), u64::MAX, &cancel)
            .unwrap();
        assert_eq!(page.entries, all[wanted.saturating_sub(1)..wanted]);
    }
    let late = log.at(i64::MAX / 4, &cancel).unwrap();
    assert_eq!(late, log.end());
}

#[test]
fn a_page_can_be_left_in_both_directions() {
    let dir = tempfile::tempdir().unwrap();
    let (files, expected) = two_files(dir.path());
    let (mut log, cancel) = (Log::new(files), Cancel::default());
    let all = Filter::default();
    let last = log.before(&log.end(), 50, &all, u64::MAX, &cancel).unwrap();
    let older = log
        .before(&last.before, 50, &all, u64::MAX, &cancel)
        .unwrap();
    let again = log
        .after(&older.before, 50, &all, u64::MAX, &cancel)
        .unwrap();
    assert_eq!(
        again.entries, older.entries,
        "the same entries, known by file and offset"
    );
    let newest = log
        .after(&again.after, 50, &all, u64::MAX, &cancel)
        .unwrap();
    assert_eq!(messages(&newest.entries), expected[expected.len() - 50..]);
}

#[test]
fn the_last_page_costs_the_same_in_a_large_file() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::default();
    let mut costs = Vec::new();
    for lines in [1000, 100_000] {
        let file = dir.path().join(format!("{lines}.log"));
        let text: String = (0..lines)
            .map(|n| line(n % 3600, 1, "always as long"))
            .collect();
        fs::write(&file, text).unwrap();
        let mut log = Log::new([log_path(&file)]);
        let first = log
            .before(&log.end(), 50, &Filter::default(), u64::MAX, &cancel)
            .unwrap();
        let second = log
            .before(&first.before, 50, &Filter::default(), u64::MAX, &cancel)
            .unwrap();
        costs.push((first.read, second.read));
    }
    assert_eq!(costs[0], costs[1]);
    assert!(costs[1].0 <= 64 * 1024, "{costs:?}");
}

#[test]
fn a_search_hands_out_what_it_has_when_its_budget_is_used_up() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.log");
    let mut text: String = (0..20_000).map(|n| line(n % 3600, 1, "hay")).collect();
    text.insert_str(0, &line(0, 1, "needle"));
    fs::write(&file, &text).unwrap();
    let (mut log, cancel) = (Log::new([log_path(&file)]), Cancel::default());
    let filter = Filter::default().grep("needle").unwrap();
    let (mut cursor, mut pages, mut found) = (log.end(), 0, Vec::new());
    loop {
        let page = log.before(&cursor, 50, &filter, 300_000, &cancel).unwrap();
        assert!(page.read <= 300_000 + 256 * 1024, "{}", page.read);
        found.extend(messages(&page.entries));
        cursor = page.before;
        pages += 1;
        if page.reached_end {
            break;
        }
    }
    assert!(pages > 2, "{pages} pages");
    assert_eq!(found, ["needle"]);
    cancel.cancel();
    let page = log
        .before(&log.end(), 50, &Filter::default(), u64::MAX, &cancel)
        .unwrap();
    assert!(
        page.entries.is_empty() && !page.reached_end,
        "cancelled work ends"
    );
}

#[test]
fn counting_in_parts_is_counting() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.log");
    let mut text = String::new();
    for n in 0..300_000_u32 {
        text.push_str(&line(
            n % 3600,
            if n % 1000 == 3 { 66601 } else { 5 },
            "66601 in a message counts for nothing",
        ));
        if n % 5000 == 0 {
            text.push_str("not JSON 66601\n{\"pid\":66601\n");
        }
    }
    fs::write(&file, &text).unwrap();
    let (mut log, cancel) = (Log::new([log_path(&file)]), Cancel::default());
    assert!(text.len() > 24 << 20, "several parts");
    assert_eq!(
        count(&mut log, &Filter::default().pids(&[66601]), &cancel).unwrap(),
        300
    );
    let found = summary(&mut log, Effort::All, &cancel).unwrap();
    assert_eq!(found.lines, text.lines().count() as u64);
    assert_eq!(
        found.pids.into_iter().collect::<Vec<_>>(),
        [(5, 299_700), (66601, 300)]
    );
}

fn append(file: &PathBuf, text: &str) {
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

#[test]
fn following_growth_truncation_rotation_and_midnight() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("omp.2026-08-21.7.log");
    append(&file, &line(1, 7, "old"));
    let cancel = Cancel::default();
    let log = Log::new([log_path(&file)]);
    let reads = |path: &Path| is_log_name(path).then(|| LogPath::from(path));
    let mut follow = Follow::from_ends(&log, &Ends::now(&log), &cancel)
        .with_folder(dir.path().to_path_buf(), reads);
    assert!(
        follow.tick(&cancel).entries.is_empty(),
        "what was there is not new"
    );

    append(&file, &line(2, 7, "new"));
    let batch = follow.tick(&cancel);
    assert_eq!(messages(&batch.entries), ["new"]);
    let offset = batch.entries[0].offset;
    assert!(follow.tick(&cancel).entries.is_empty(), "once");

    // An entry that becomes longer is the same entry.
    append(&file, "    at stack\n");
    let batch = follow.tick(&cancel);
    assert_eq!(
        (
            batch.entries[0].offset,
            batch.entries[0].text.ends_with("at stack")
        ),
        (offset, true)
    );
    append(&file, "{\"half\":");
    append(&file, "1}\n");
    let batch = follow.tick(&cancel);
    assert_eq!(messages(&batch.entries), ["{\"half\":1}"]);

    // The next part, the next day.
    let part = dir.path().join("omp.2026-08-21.7.log.1");
    append(&part, &line(4, 7, "part"));
    append(
        &dir.path().join("omp.2026-08-22.7.log"),
        &line(3, 7, "midnight"),
    );
    let batch = follow.tick(&cancel);
    assert_eq!(messages(&batch.entries), ["midnight", "part"], "by time");
    assert_eq!(batch.opened.len(), 2);

    fs::write(&file, line(5, 7, "again")).unwrap();
    let batch = follow.tick(&cancel);
    assert_eq!(messages(&batch.entries), ["again"]);
    // They are not taken for those that stood at the same places before.
    assert_eq!(batch.entries[0].source, batch.opened[0].0);
    assert!(
        batch.notes[0].ends_with("was truncated"),
        "{:?}",
        batch.notes
    );

    // Renamed away and made anew: what the old one got last is not lost.
    append(&file, &line(6, 7, "last of the old"));
    fs::rename(&file, dir.path().join("gone")).unwrap();
    append(&file, &line(7, 7, "first of the new"));
    let batch = follow.tick(&cancel);
    assert_eq!(messages(&batch.entries), ["last of the old"]);
    assert!(batch.more);
    assert_eq!(
        messages(&follow.tick(&cancel).entries),
        ["first of the new"]
    );

    // Vanished, and there again.
    fs::remove_file(&part).unwrap();
    assert!(follow.tick(&cancel).notes.is_empty());
}

/// Between the look at the ends and the first look at what is new: growth, a shorter file, another one, a compressed one.
#[test]
fn what_comes_before_following_has_begun_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::default();
    let paths = ["grown", "shorter", "replaced", "still", "packed"]
        .map(|name| dir.path().join(format!("{name}.log")));
    let [grown, shorter, replaced, still, packed] = &paths;
    for path in [grown, shorter, replaced, still] {
        append(path, &line(1, 7, "an old one, of some length"));
    }
    let mut gz = flate2::write::GzEncoder::new(
        fs::File::create(packed).unwrap(),
        flate2::Compression::fast(),
    );
    for second in 0..100 {
        gz.write_all(line(second, 7, "packed").as_bytes()).unwrap();
    }
    gz.finish().unwrap();
    let log = Log::new(paths.iter().map(|path| log_path(path)));
    let ends = Ends::now(&log);

    append(grown, &line(2, 7, "grown"));
    fs::write(shorter, line(3, 7, "short")).unwrap();
    // The old one stays, or the new one may get its number.
    fs::rename(replaced, dir.path().join("kept")).unwrap();
    append(
        replaced,
        &line(4, 7, "another, longer than the one before it was"),
    );
    let mut follow = Follow::from_ends(&log, &ends, &cancel);
    let batch = follow.tick(&cancel);
    assert_eq!(
        messages(&batch.entries),
        [
            "grown",
            "short",
            "another, longer than the one before it was"
        ]
    );
    assert!(follow.tick(&cancel).entries.is_empty(), "once");
}

/// The last line of a file that was cut has no time: it stays with the line before it, also among those of other files.
#[test]
fn what_has_no_time_at_a_files_end_stays_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.log"), dir.path().join("new.log"));
    fs::write(
        &old,
        line(1, 7, "first") + &line(2, 7, "second") + "{\"timestamp\":\"2026-08",
    )
    .unwrap();
    fs::write(&new, line(900, 8, "third") + &line(901, 8, "fourth")).unwrap();
    let mut log = Log::new([log_path(&old), log_path(&new)]);
    let cancel = Cancel::default();
    let fragment = "{\"timestamp\":\"2026-08";
    for size in [1, 2, 50] {
        let (mut back, mut cursor) = (Vec::new(), log.end());
        loop {
            let page = log
                .before(&cursor, size, &Filter::default(), u64::MAX, &cancel)
                .unwrap();
            back.splice(0..0, messages(&page.entries));
            cursor = page.before;
            if page.reached_end {
                break;
            }
        }
        assert_eq!(back, ["first", "second", fragment, "third", "fourth"]);
    }
}

#[test]
fn nothing_is_lost_in_a_flood() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.log");
    fs::write(&file, "").unwrap();
    let cancel = Cancel::default();
    let log = Log::new([log_path(&file)]);
    let mut follow = Follow::from_ends(&log, &Ends::now(&log), &cancel);
    let mut found = Vec::new();
    for round in 0..4 {
        let text: String = (0..25_000)
            .map(|n| line(n % 3600, 1, &format!("{}", round * 25_000 + n)))
            .collect();
        append(&file, &text);
        loop {
            let batch = follow.tick(&cancel);
            found.extend(messages(&batch.entries));
            if !batch.more {
                break;
            }
        }
    }
    // By time within a batch, so sorted by number they are all there, once.
    let mut numbers: Vec<u32> = found.iter().map(|n| n.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert!(
        numbers.iter().copied().eq(0..100_000),
        "{} entries",
        numbers.len()
    );
}
