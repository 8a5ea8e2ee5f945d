//! Everything that is known of a process's memory, as one record and as text for people.

use base::text::width::{pad, truncate_start};
use jiff::Timestamp;

use super::{
    Figures, ProcessError, ProcessIdentity, SCHEMA_VERSION, Sample, Subject,
    detail::{Detail, Limit},
    growth::{Growth, Mark, as_utc},
    mappings::{Group, Mapping, group, read},
};
use crate::{logs::utc, prelude::*, system::text::bytes};

/// Groups that the text shows.
const SHOWN: usize = 25;
/// Cells of a column with a size.
const CELLS: usize = 9;
/// Cells of the names.
/// Cells of a name in a table.
pub(super) const NAME: usize = 44;

/// A process at one moment, as `memory --json` writes it. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When it was read.
    #[serde(serialize_with = "as_utc")]
    pub taken: Timestamp,
    pub process: ProcessIdentity,
    /// What it holds, by the kernel's own sum.
    pub sample: Sample,
    /// By group, the one that holds most for itself first.
    pub groups: Vec<Group>,
    /// Every mapping, by address.
    pub mappings: Vec<Mapping>,
    #[serde(flatten)]
    pub detail: Detail,
    /// What grew between two marks, when there are marks.
    pub growth: Option<Growth>,
    /// What is to be known about how this was found out.
    pub notes: Vec<String>,
}

impl Report {
    /// Reads all of it now. Secrets are in it as they are: see [`Report::redact`].
    pub fn take(subject: &mut Subject, cancel: &Cancel) -> Result<Self, ProcessError> {
        let process = subject.who()?;
        let sample = subject.sample(cancel)?;
        let mappings = read(subject, cancel)?.all;
        let detail = Detail::read(subject, cancel)?;
        let mut report = Self {
            schema_version: SCHEMA_VERSION,
            taken: Timestamp::now(),
            process,
            sample,
            groups: group(&mappings),
            mappings,
            detail,
            growth: None,
            notes: Vec::new(),
        };
        if subject.adds_up {
            let note = "this kernel has no smaps_rollup (it came with Linux 4.14): every mapping was added up, which takes longer";
            report.notes.push(note.to_owned());
        }
        Ok(report)
    }

    /// The same moment, to be compared with others.
    pub fn mark(&self) -> Mark {
        let mut total = Figures::default();
        for group in &self.groups {
            total.add(&group.figures);
        }
        Mark {
            taken: self.taken,
            total,
            groups: self.groups.clone(),
        }
    }

    /// Takes secrets out of what the process was told and of the names of its files.
    pub fn redact(&mut self, redactor: &Redactor) {
        let clean = |text: &mut String| redactor.hide(text);
        clean(&mut self.process.command);
        self.groups
            .iter_mut()
            .for_each(|group| clean(&mut group.name));
        self.mappings
            .iter_mut()
            .for_each(|mapping| clean(&mut mapping.name));
        self.detail
            .files
            .rows
            .iter_mut()
            .for_each(|file| clean(&mut file.target));
        if let Some(growth) = &mut self.growth {
            growth.rows.iter_mut().for_each(|row| clean(&mut row.name));
        }
    }
}

/// A size with its sign: `+1.2MB`, `-512B`, `0B`.
pub fn change(difference: i64) -> String {
    let sign = match difference {
        0 => "",
        d if d > 0 => "+",
        _ => "-",
    };
    format!("{sign}{}", bytes(difference.unsigned_abs()))
}

/// One line about a sample: `2026-11-22T13:24:18.001Z  RSS 12.3MB  PSS …`.
pub fn sample_line(taken: Timestamp, sample: &Sample) -> String {
    let mut line = utc(taken);
    for (name, size) in measures(&sample.figures) {
        let _ = write!(line, "  {name} {:<CELLS$}", bytes(size));
    }
    let _ = write!(line, "  threads {}", sample.threads);
    line
}

/// The figures that matter most, with their names.
pub fn measures(figures: &Figures) -> [(&'static str, u64); 5] {
    [
        ("RSS", figures.rss),
        ("PSS", figures.pss),
        ("USS", figures.uss),
        ("Swap", figures.swap),
        ("Size", figures.size),
    ]
}

/// All of it for people; safe to print.
pub fn write(report: &Report) -> String {
    let mut out = String::new();
    let process = &report.process;
    let _ = writeln!(
        out,
        "Memory of {} {}: {}",
        process.pid, process.name, process.command
    );
    let _ = writeln!(out, "{}", sample_line(report.taken, &report.sample));
    for note in &report.notes {
        let _ = writeln!(out, "Note: {note}");
    }
    let _ = writeln!(out);
    title_row(&mut out);
    for group in report.groups.iter().take(SHOWN) {
        let f = &group.figures;
        let sizes = [f.size, f.rss, f.pss, f.uss, f.swap].map(bytes);
        group_row(
            &mut out,
            &group.title(),
            &group.mappings.to_string(),
            &sizes,
        );
    }
    more(&mut out, report.groups.len(), SHOWN);
    let _ = writeln!(out);
    let detail = &report.detail;
    let threads = &detail.threads;
    let _ = writeln!(out, "Threads: {}", threads.count);
    for thread in threads.rows.iter().take(10) {
        let _ = writeln!(
            out,
            "  {:<8} {} {:<18} {:>9.2} s of processor time",
            thread.tid,
            pad(&thread.name, 16),
            thread.state,
            thread.cpu_ms as f64 / 1000.0
        );
    }
    more(&mut out, threads.count, 10);
    let kinds: Vec<_> = detail
        .file_kinds
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let _ = writeln!(
        out,
        "Open files: {} ({})",
        detail.files.count,
        kinds.join(", ")
    );
    let _ = writeln!(out, "Limits:");
    for limit in &detail.limits {
        let _ = writeln!(out, "  {}", limit_line(limit));
    }
    if let Some(score) = detail.oom_score {
        let adjusted = detail.oom_score_adj.unwrap_or_default();
        let _ = writeln!(
            out,
            "When memory is short: ended with score {score} of 1000 (asked for: {adjusted:+})"
        );
    }
    out
}

const TITLES: [&str; 6] = ["Maps", "Size", "RSS", "PSS", "USS", "Swap"];

fn title_row(out: &mut String) {
    row(out, &pad("Group", NAME), CELLS, &TITLES);
    out.push('\n');
}

fn group_row(out: &mut String, title: &str, maps: &str, sizes: &[String; 5]) {
    let name = sanitise(title);
    let (name, _) = truncate_start(&name, NAME);
    row(out, &pad(&name, NAME), CELLS, &[maps]);
    row(out, "", CELLS, sizes);
    out.push('\n');
}

/// A name, and cells of this width behind it.
pub(super) fn row(out: &mut String, name: &str, width: usize, cells: &[impl AsRef<str>]) {
    out.push_str(name);
    for cell in cells {
        let _ = write!(out, " {:>width$}", cell.as_ref());
    }
}

pub(super) fn more(out: &mut String, count: usize, shown: usize) {
    if count > shown {
        let _ = writeln!(out, "  … and {} more (--json has all)", count - shown);
    }
}

/// A size, a time or a number, or `unlimited`.
pub fn limit_value(value: Option<u64>, unit: &str) -> String {
    match (value, unit) {
        (None, _) => "unlimited".to_owned(),
        (Some(value), "bytes") => bytes(value),
        (Some(value), "seconds") => format!("{value}s"),
        (Some(value), _) => value.to_string(),
    }
}

/// `open files: 1024 of 4096, used 12`.
pub fn limit_line(limit: &Limit) -> String {
    let value = |value| limit_value(value, &limit.unit);
    let used = match limit.used {
        Some(used) => format!(", used {}", limit_value(Some(used), &limit.unit)),
        None => String::new(),
    };
    let hard = if limit.hard == limit.soft {
        String::new()
    } else {
        format!(", can be raised to {}", value(limit.hard))
    };
    format!("{}: {}{used}{hard}", limit.name, value(limit.soft))
}

/// What grew in all: `USS + swap +24.0MB in 2.0 s (+12.0MB/s)`.
pub fn grown(growth: &Growth) -> String {
    let own = growth.total.own;
    let rate = growth
        .rate()
        .filter(|_| own != 0)
        .map_or_else(String::new, |rate| format!(" ({}/s)", change(rate as i64)));
    format!(
        "USS + swap {} in {:.1} s{rate}",
        change(own),
        growth.milliseconds as f64 / 1000.0
    )
}

/// What grew, for people; safe to print.
pub fn write_growth(growth: &Growth) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "Growth: {}", grown(growth));
    title_row(&mut out);
    for row in &growth.rows {
        let maps = row.mappings.1 as i64 - row.mappings.0 as i64;
        let c = &row.change;
        let sizes = [c.size, c.rss, c.pss, c.uss, c.swap].map(change);
        group_row(&mut out, &row.title(), &format!("{maps:+}"), &sizes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_our_own_has_no_secret_and_no_escape() {
        let mut subject = Subject::open(std::process::id(), None).unwrap();
        let mut report = Report::take(&mut subject, &Cancel::default()).unwrap();
        report
            .process
            .command
            .push_str(" --token=correct-horse-battery-staple");
        report.groups.insert(
            0,
            Group {
                name: "/tmp/\u{1b}[31m".to_owned(),
                kind: super::super::mappings::MappingKind::File,
                ..Group::default()
            },
        );
        let secrets = [("API_TOKEN", "correct-horse-battery-staple")];
        report.redact(&Redactor::new().with_secrets(secrets));
        let text = write(&report);
        assert!(
            !text.contains("correct-horse") && !text.contains('\u{1b}'),
            "{text}"
        );
        for wanted in [
            "RSS ",
            "Group ",
            "heap",
            "[vdso]",
            "Threads: ",
            "Open files: ",
            "open files: ",
        ] {
            assert!(text.contains(wanted), "{wanted} in\n{text}");
        }
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["schema_version"], 1);
        assert!(json["sample"]["uss"].as_u64().unwrap() > 0);
        assert!(json["groups"][1]["rss"].as_u64().is_some());
        assert!(json["mappings"][0]["access"].as_str().is_some());
    }

    #[test]
    fn signs_of_changes() {
        assert_eq!(change(0), "0B");
        assert_eq!(change(1536), "+1.5KB");
        assert_eq!(change(-3 << 20), "-3.0MB");
        assert_eq!(change(i64::MIN).chars().next(), Some('-'));
    }
}
