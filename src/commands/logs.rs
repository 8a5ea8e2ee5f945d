//! `omp-debug logs`: entries as lines or as JSON, in the order of time, the newest last.
//!
//! Reading, merging and filtering is done in `diagnostics::logs`, drawing in `tui::routes::logs`.

use std::sync::mpsc::RecvTimeoutError;

use super::prelude::*;
use crate::{
    diagnostics::{
        logs::{
            self, Ends, Entry, Filter, Follow, Level, Log, LogPath, Spool, format_time,
            parse_since, refusal, stamp,
        },
        omp::log_files,
    },
    text::width::{truncate_start, width},
    tui::{
        kit::needle::Needle,
        routes::logs::{
            LogsTarget,
            conditions::{Conditions, LogTest},
        },
    },
};

/// Entries that are read and written at once.
const PAGE: usize = 1024;
/// How long nothing comes until an entry is taken for complete.
const MOMENT: Duration = Duration::from_millis(100);
/// Cells for the name of an entry's file, at most.
const NAME: usize = 24;

/// `logs`.
#[derive(Args, Debug)]
pub struct LogsArgs {
    /// Logs of any sort: JSON lines, plain text, compressed or not, a folder of them, or - for standard input [default: those of omp]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// One JSON object for each entry
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each entry, and its further lines indented
    #[arg(long)]
    pub print: bool,
    /// Only entries of this process; may be given several times
    #[arg(long, value_name = "N", value_parser = numbers(1..))]
    pub pid: Vec<u32>,
    /// Only entries at least as bad as this: trace, debug, info, warn, error or fatal; one without a level goes with the one before it
    #[arg(long, value_parser = level)]
    pub level: Option<Level>,
    /// Only entries in whose text this regular expression is found
    #[arg(long, value_name = "RE")]
    pub grep: Option<String>,
    /// Only entries since then: 2026-08-21T14:03, 2026-08-21, 14:03, 90s, 10m, 2h, 3d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only so many entries, the newest ones
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Only how many there are
    #[arg(long, conflicts_with = "limit")]
    pub count: bool,
}

fn level(text: &str) -> Result<Level, String> {
    Level::parse(text).ok_or_else(|| {
        format!("{text:?} is no level: write trace, debug, info, warn, error or fatal")
    })
}

impl DeskCommand for LogsArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.count || self.limit.is_some())
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let layout = desk.layout_with_warnings();
        let mut paths = self.paths.clone();
        let spool = Spool::take(&mut paths).map_err(Failure::failed)?;
        let is_sum = self.count || self.limit.is_some();
        let is_told = match (&spool, &*paths) {
            (Some(spool), [path]) if !is_sum && spool.begins_as_text() => {
                self.print_as_it_comes(spool, path, &mut BufWriter::new(stdout()))?;
                true
            }
            _ => false,
        };
        // Kept open until the answer is written.
        let _input = spool
            .map(Spool::wait)
            .transpose()
            .map_err(|error| Failure::failed(format!("cannot read standard input: {error}")))?;
        if !is_told {
            self.print_entries(&paths, &layout.logs)?;
        }
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        let conditions = self.conditions()?;
        self.filter()?;
        let mut paths = self.paths.clone();
        let spool = Spool::take(&mut paths).map_err(Failure::failed)?;
        let refused: Vec<_> = paths.iter().filter_map(|path| refusal(path)).collect();
        // One of several is passed over with a note.
        if refused.len() == paths.len()
            && let Some(why) = refused.first()
        {
            return Err(Failure::failed(sanitise(&why.to_string())));
        }
        let mut route = Route::to(RouteId::LOGS).begin(LogsTarget { paths, conditions });
        route.kept = spool.map(|spool| Box::new(spool) as _);
        Ok(route)
    }
}

impl LogsArgs {
    /// Which entries are asked for, as tests: the screen shows them.
    fn conditions(&self) -> Result<Conditions> {
        let conditions = self.without_grep()?;
        Ok(match &self.grep {
            Some(text) => conditions.with(LogTest::Text(Needle {
                text: text.clone(),
                is_expression: true,
            })),
            None => conditions,
        })
    }

    fn without_grep(&self) -> Result<Conditions> {
        let mut conditions = Conditions::default();
        if !self.pid.is_empty() {
            conditions = conditions.with(LogTest::Pids(self.pid.clone()));
        }
        if let Some(level) = self.level {
            conditions = conditions.with(LogTest::Level(level));
        }
        if let Some(since) = self.since()? {
            conditions = conditions.with(LogTest::Since(since));
        }
        Ok(conditions)
    }

    /// The same for text, in which `--grep` tells cases apart; on the screen small letters find both.
    fn filter(&self) -> Result<Filter> {
        let filter = self.without_grep()?.filter();
        let filter = filter.map_err(|error| Failure::usage(error.to_string()))?;
        match &self.grep {
            Some(pattern) => filter
                .grep(pattern)
                .map_err(|error| Failure::usage(format!("--grep {error}"))),
            None => Ok(filter),
        }
    }

    /// The time that is asked for, in milliseconds since 1970.
    fn since(&self) -> Result<Option<i64>> {
        let Some(text) = &self.since else {
            return Ok(None);
        };
        let since = parse_since(text, &jiff::Zoned::now());
        since.map(Some).ok_or_else(|| {
            Failure::usage(format!("--since {text:?} is no time: write 2026-08-21T14:03, 2026-08-21, 14:03, or how long ago: 90s, 10m, 2h, 3d"))
        })
    }

    /// Standard input alone, of which nobody knows when it ends.
    fn print_as_it_comes(&self, spool: &Spool, path: &Path, out: &mut dyn Write) -> Result<()> {
        let filter = self.filter()?;
        let log = Log::new([LogPath::from(path)]);
        let lines = Lines::of(self, &log);
        let cancel = Cancel::default();
        let mut follow = Follow::from_ends(&log, &Ends::default(), &cancel);
        // The last entry may become longer: it is told when a moment long nothing came.
        let mut last: Option<Entry> = None;
        let mut told_last: Option<Entry> = None;
        let mut behind = None;
        let mut waited = Ok(());
        loop {
            let batch = follow.tick(&cancel);
            warn_of(&batch.notes);
            let mut told = Vec::new();
            for entry in batch.entries {
                let before = last.replace(entry);
                let is_longer =
                    before.as_ref().map(|e| e.offset) == last.as_ref().map(|e| e.offset);
                told.extend(before.filter(|_| !is_longer));
            }
            if waited.is_err() && !batch.more {
                told.extend(last.take());
            }
            for entry in told {
                let takes = filter.takes_with(behind, &entry);
                behind = entry.level.or(behind);
                let before = told_last.as_ref().filter(|e| e.offset == entry.offset);
                let more = before.and_then(|before| entry.text.strip_prefix(&before.text));
                match more.filter(|_| !self.json) {
                    Some(more) if takes => further(more.trim_start_matches('\n'), out)?,
                    None if takes => lines.write(&entry, out)?,
                    _ => {}
                }
                told_last = Some(entry);
            }
            out.flush()?;
            if !batch.more {
                if waited == Err(RecvTimeoutError::Disconnected) {
                    return Ok(());
                }
                waited = spool.wait_for_more(last.is_some().then_some(MOMENT));
            }
        }
    }

    fn print_entries(&self, paths: &[PathBuf], omp_logs: &Path) -> Result<()> {
        let filter = self.filter()?;
        let files = log_files::find(paths, omp_logs, &mut warn);
        let asked = files.len();
        let mut log = Log::new(files);
        let mut out = BufWriter::new(stdout());
        let written = write(self, &mut log, &filter, &mut out).and_then(|()| Ok(out.flush()?));
        let mut notes = log.take_notes();
        if asked == 1
            && log.failed().count() == 1
            && written.is_ok()
            && let Some(why) = notes.pop()
        {
            return Err(Failure::failed(sanitise(&why)));
        }
        warn_of(&notes);
        written?;
        if log.unreadable() == asked && (asked > 0 || !paths.is_empty()) {
            return Err(Failure::failed("none of the logs can be read"));
        }
        // A sum without one of the files that were named, or without its end, is not what was asked for.
        let named = |path: &&Path| paths.iter().any(|named| named == path);
        match log.failed().filter(named).count() {
            0 => Ok(()),
            missing => Err(Failure::failed(format!(
                "{missing} of {asked} logs cannot be read, or not to their end"
            ))),
        }
    }
}

fn write(args: &LogsArgs, log: &mut Log, filter: &Filter, out: &mut dyn Write) -> Result<()> {
    let cancel = Cancel::default();
    if args.count {
        writeln!(
            out,
            "{}",
            logs::count(log, filter, &cancel).map_err(Failure::failed)?
        )?;
        return Ok(());
    }
    let mut cursor = log.start();
    if let Some(limit) = args.limit {
        cursor = log.end();
        let mut left = limit;
        while left > 0 {
            let page = log
                .before(&cursor, left.min(PAGE), filter, u64::MAX, &cancel)
                .map_err(Failure::failed)?;
            left -= page.entries.len().min(left);
            cursor = page.before;
            if page.reached_end {
                break;
            }
        }
    }
    let lines = Lines::of(args, log);
    let mut left = args.limit.unwrap_or(usize::MAX);
    while left > 0 {
        let page = log
            .after(&cursor, left.min(PAGE), filter, u64::MAX, &cancel)
            .map_err(Failure::failed)?;
        for entry in &page.entries {
            lines.write(entry, out)?;
        }
        left -= page.entries.len().min(left);
        cursor = page.after;
        if page.reached_end {
            break;
        }
    }
    Ok(())
}

/// How entries are written.
struct Lines {
    json: bool,
    /// What their files are called: in full, and as short as can be.
    names: Vec<String>,
    short: Vec<String>,
    /// Cells for the short ones.
    column: usize,
}

impl Lines {
    fn of(args: &LogsArgs, log: &Log) -> Self {
        let name = |file: &LogPath| {
            if file.path.starts_with("/dev/fd") {
                logs::name_of(&file.path)
            } else {
                file.path.display().to_string()
            }
        };
        let short = log.names();
        let widest = short.iter().map(|name| width(&sanitise(name))).max();
        Self {
            json: args.json,
            names: log.files().map(name).collect(),
            column: widest.unwrap_or(0).min(NAME),
            short,
        }
    }

    fn write(&self, entry: &Entry, out: &mut dyn Write) -> Result<()> {
        if self.json {
            let file = self.names.get(entry.source).map_or("", String::as_str);
            return Ok(write_line(out, &record(entry, file))?);
        }
        let name = self.short.get(entry.source);
        Ok(print(
            entry,
            name.map(|name| (name.as_str(), self.column)),
            out,
        )?)
    }
}

fn record(entry: &Entry, file: &str) -> Value {
    let (members, more) = entry.parts();
    let mut record = json!({
        "timestamp": stamp(entry.time),
        "level": entry.level.map(Level::name),
        "pid": entry.pid,
        "message": entry.message,
        "file": file,
        "offset": entry.offset,
        "fields": Some(members).filter(|members| !members.is_empty()),
        "more": Some(more).filter(|more| !more.trim().is_empty()),
        "length": entry.cut.then_some(entry.length),
    });
    if let Some(all) = record.as_object_mut() {
        let may_lack = |name: &str| matches!(name, "fields" | "more" | "length");
        all.retain(|name, value| !(value.is_null() && may_lack(name)));
    }
    record
}

/// `name` is what its file is called, and how many cells there are for that.
fn print(entry: &Entry, name: Option<(&str, usize)>, out: &mut dyn Write) -> std::io::Result<()> {
    let (_, more) = entry.parts();
    let mut lines = entry.said().lines();
    let time = entry.time.map_or_else(String::new, format_time);
    let level = entry.level.map_or("", Level::name).to_ascii_uppercase();
    let pid = entry.pid.map_or_else(String::new, |pid| pid.to_string());
    write!(out, "{time:23} {level:5} {pid:>7}  ")?;
    if let Some((name, cells)) = name {
        let name = sanitise(name);
        write!(out, "{}  ", pad(&truncate_start(&name, cells).0, cells))?;
    }
    let first = sanitise(lines.next().unwrap_or_default());
    write!(out, "{first}{}", entry.fields())?;
    if entry.cut {
        write!(out, " … ({} bytes)", entry.length)?;
    }
    writeln!(out)?;
    for line in lines {
        further(line, out)?;
    }
    further(more, out)
}

/// Lines that belong to an entry.
fn further(text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    for line in text.lines() {
        writeln!(out, "    {}", sanitise(line))?;
    }
    Ok(())
}
