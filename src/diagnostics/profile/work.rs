//! What omp-debug itself was busy with, as a profile: made of the regions that [`base::regions`] keeps.
//!
//! A region weighs what it took itself, in nanoseconds, so that what is inside of it is not counted twice: in a view the region and all
//! below it together are its whole time, waiting included. omp's folded text and summary have the same shape, but count whole times.

use std::cmp::Reverse;

use base::regions::{self, Ended};

use crate::profile::prelude::*;

/// How far back a report looks.
pub const WINDOW: Duration = Duration::from_secs(30);

/// What ended within this time, as a profile of nanoseconds.
pub fn snapshot(last: Duration) -> Profile {
    profile(&regions::ended_within(last), last, regions::missed())
}

/// The members of a report that say what omp-debug was busy with, by their names; none when it was not.
pub fn members() -> Vec<(&'static str, Vec<u8>)> {
    let ended = regions::ended_within(WINDOW);
    if ended.is_empty() {
        return Vec::new();
    }
    vec![
        ("work.folded", fold(&ended).into_bytes()),
        ("work.md", table(&ended, WINDOW).into_bytes()),
    ]
}

fn profile(ended: &[Ended], last: Duration, missed: u64) -> Profile {
    let mut builder = Builder::new(Unit::Nanoseconds);
    let about = builder.about();
    "omp-debug's own work".clone_into(&mut about.name);
    about.duration = Some(last);
    about.lost = missed;
    if ended.len() >= regions::CAPACITY {
        let from = ended.first().map_or(Duration::ZERO, Ended::end);
        let to = ended.last().map_or(Duration::ZERO, Ended::end);
        about.notes.push(format!(
            "only the last {} regions are kept: those of the last {:.1} s",
            regions::CAPACITY,
            to.saturating_sub(from).as_secs_f64()
        ));
    }
    let thread = builder.thread(Thread {
        pid: Some(std::process::id()),
        tid: None,
        name: "omp-debug".into(),
    });
    let began = ended.iter().map(|region| region.start).min();
    for region in ended {
        let frames = region.path.iter().map(|name| Frame::named(*name));
        let Some(stack) = builder.stack_of_frames(frames) else {
            continue;
        };
        builder.sample(Sample {
            stack,
            thread,
            weight: nanoseconds(region.own),
            at: nanoseconds(region.start.saturating_sub(began.unwrap_or_default())),
        });
    }
    builder.finish()
}

fn fold(ended: &[Ended]) -> String {
    let mut stacks: BTreeMap<String, Duration> = BTreeMap::new();
    for region in ended {
        *stacks.entry(region.path.join(";")).or_default() += region.own;
    }
    let mut stacks: Vec<(String, u128)> = stacks
        .into_iter()
        .map(|(stack, own)| (stack, own.as_micros()))
        .filter(|(_, own)| *own > 0)
        .collect();
    // Equal ones stay in the order of their names.
    stacks.sort_by_key(|(_, own)| Reverse(*own));
    stacks.iter().fold(String::new(), |mut text, (stack, own)| {
        // Writing into a text does not fail.
        let _ = writeln!(text, "{stack} {own}");
        text
    })
}

/// What all regions of one name took.
#[derive(Default)]
struct Row {
    own: Duration,
    whole: Duration,
    waited: Duration,
    calls: u64,
}

fn table(ended: &[Ended], last: Duration) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for region in ended {
        let Some((name, around)) = region.path.split_last() else {
            continue;
        };
        let row = rows.entry(name).or_default();
        row.calls += 1;
        row.own += region.own;
        // A region inside of one of its own name is in that one's time.
        if !around.contains(name) {
            row.whole += region.duration;
            row.waited += region.duration.saturating_sub(region.busy);
        }
    }
    let total: Duration = rows.values().map(|row| row.own).sum();
    let mut rows: Vec<(&str, Row)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, row)| Reverse(row.own));
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let mut text = format!(
        "# Work Profile\n\nWindow: {:.1} ms  \nTotal work: {:.1} ms  \nSamples: {}\n\n\
        | Region | Self (ms) | % | With what is inside (ms) | Waited (ms) | Calls |\n|---|---:|---:|---:|---:|---:|\n",
        milliseconds(last),
        milliseconds(total),
        ended.len()
    );
    for (name, row) in rows {
        let share = words::share(nanoseconds(row.own), nanoseconds(total));
        // Writing into a text does not fail.
        let _ = writeln!(
            text,
            "| {} | {:.2} | {share:.1} | {:.2} | {:.2} | {} |",
            name.replace('|', "\\|"),
            milliseconds(row.own),
            milliseconds(row.whole),
            milliseconds(row.waited),
            row.calls
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(path: &[&'static str], duration: u64, own: u64, busy: u64) -> Ended {
        Ended {
            path: path.to_vec(),
            start: Duration::from_millis(5),
            duration: Duration::from_millis(duration),
            own: Duration::from_millis(own),
            busy: Duration::from_millis(busy),
        }
    }

    fn sample() -> Vec<Ended> {
        vec![
            ended(&["frame", "view"], 6, 6, 6),
            ended(&["frame"], 10, 4, 10),
            ended(&["request", "evaluate"], 30, 30, 0),
            ended(&["frame"], 2, 2, 2),
        ]
    }

    #[test]
    fn a_profile_counts_nothing_twice() {
        let profile = profile(&sample(), Duration::from_secs(30), 3);
        assert_eq!(profile.total(), 42_000_000);
        assert_eq!((profile.unit, profile.lost), (Unit::Nanoseconds, 3));
        assert_eq!(profile.samples.len(), 4);
        assert!(profile.notes.is_empty());
    }

    #[test]
    fn folded_text_is_sorted_by_time() {
        assert_eq!(
            fold(&sample()),
            "request;evaluate 30000\nframe 6000\nframe;view 6000\n"
        );
    }

    #[test]
    fn the_summary_tells_own_time_from_whole_and_waiting_from_both() {
        let text = table(&sample(), Duration::from_secs(30));
        assert!(text.contains("Window: 30000.0 ms  \nTotal work: 42.0 ms  \nSamples: 4\n"));
        assert!(
            text.contains("| evaluate | 30.00 | 71.4 | 30.00 | 30.00 | 1 |"),
            "{text}"
        );
        assert!(
            text.contains("| frame | 6.00 | 14.3 | 12.00 | 0.00 | 2 |"),
            "{text}"
        );
        let empty = table(&[], Duration::from_secs(1));
        assert!(empty.contains("Samples: 0"), "{empty}");
    }

    #[test]
    fn a_region_inside_of_its_own_kind_is_in_its_time_once() {
        let nested = [
            ended(&["walk", "walk"], 4, 4, 4),
            ended(&["walk"], 10, 6, 10),
        ];
        let text = table(&nested, Duration::from_secs(1));
        assert!(
            text.contains("| walk | 10.00 | 100.0 | 10.00 | 0.00 | 2 |"),
            "{text}"
        );
    }
}
