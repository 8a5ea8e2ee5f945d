//! `omp-debug memory`: what a process holds, or what is in a heap file, as text or as JSON.
//!
//! Reading is done in `diagnostics::memory`, drawing in `tui::routes::memory`.

use jiff::Timestamp;

use super::{choices::seconds, prelude::*};
use crate::{
    diagnostics::{
        logs::utc,
        memory::{
            ProcessError, SCHEMA_VERSION, Subject,
            growth::{Growth, Mark},
            heap,
            text::{self, Report, sample_line},
        },
        profile::import::FileError,
    },
    tui::routes::memory::MemoryTarget,
};

/// `memory`.
#[derive(Args, Debug)]
pub struct MemoryArgs {
    /// A heap snapshot of node, Chromium or Bun to open
    #[arg(conflicts_with = "pid")]
    pub file: Option<PathBuf>,
    /// Look at the process with this id
    #[arg(long, value_name = "N", value_parser = numbers(1..))]
    pub pid: Option<u32>,
    /// One line a sample, every SECS seconds, until the process ends
    #[arg(long, value_name = "SECS", value_parser = seconds(0.01..=86_400.0), requires = "pid")]
    pub watch: Option<Duration>,
    /// With --watch: end after so many samples, and say what grew between the first and the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "watch")]
    pub count: Option<u64>,
    /// With FILE: what came and went since this older heap file
    #[arg(long, value_name = "OLDER", requires = "file")]
    pub since: Option<PathBuf>,
    /// JSON: one object, or with --watch one a line
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// As text
    #[arg(long)]
    pub print: bool,
}

impl DeskCommand for MemoryArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.watch.is_some())
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let (redactor, out) = (desk.redactor(), &mut stdout());
        match (&self.file, self.pid, self.watch) {
            (Some(file), ..) => heap_file(file, self, &redactor, out),
            (None, Some(pid), Some(every)) => watch(pid, every, self, &redactor, out),
            (None, Some(pid), None) => process(pid, self.json, &redactor, out),
            (None, None, _) => Err(Failure::usage(
                "say whose memory: a process (omp-debug memory --pid N) or a heap file (omp-debug memory FILE)",
            )),
        }?;
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        Ok(Route::to(RouteId::MEMORY).begin(MemoryTarget {
            pid: self.pid,
            file: self.file.clone(),
            since: self.since.clone(),
        }))
    }
}

fn process(pid: u32, json: bool, redactor: &Redactor, out: &mut dyn Write) -> Result<()> {
    let mut subject = Subject::open(pid, None).map_err(Failure::failed)?;
    let report = Report::take(&mut subject, &Cancel::default());
    let mut report = report.map_err(Failure::failed)?;
    report.redact(redactor);
    if json {
        write_pretty(out, &report)?;
    } else {
        out.write_all(text::write(&report).as_bytes())?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, value: &Value) -> Result<()> {
    write_line(out, value)?;
    // Somebody may be reading along.
    out.flush()?;
    Ok(())
}

fn watch(
    pid: u32,
    every: Duration,
    args: &MemoryArgs,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> Result<()> {
    let cancel = Cancel::default();
    let mut subject = Subject::open(pid, None).map_err(Failure::failed)?;
    let begin = args
        .count
        .map(|_| Mark::take(&subject, &cancel))
        .transpose()
        .map_err(Failure::failed)?;
    let mut taken = 0;
    let mut due = Instant::now();
    loop {
        let sample = match subject.sample(&cancel) {
            Ok(sample) => sample,
            // That it ends is how watching ends; that it was never there is an error.
            Err(error) if taken > 0 && error.is_end() => return ended(&error, args, out),
            Err(error) => return Err(Failure::failed(error)),
        };
        let now = Timestamp::now();
        if args.json {
            let more = json!({"type": "sample", "schema_version": SCHEMA_VERSION, "timestamp": utc(now), "pid": pid});
            line(out, &with_members(&sample, more)?)?;
        } else {
            writeln!(out, "{}", sample_line(now, &sample))?;
            out.flush()?;
        }
        taken += 1;
        if args.count.is_some_and(|count| taken >= count) {
            break;
        }
        // By the clock, not by the pause: samples do not drift.
        due += every;
        let now = Instant::now();
        match due.checked_duration_since(now) {
            Some(pause) => std::thread::sleep(pause),
            None => due = now,
        }
    }
    let Some(begin) = begin else { return Ok(()) };
    let end = match Mark::take(&subject, &cancel) {
        Ok(end) => end,
        Err(error) if error.is_end() => return ended(&error, args, out),
        Err(error) => return Err(Failure::failed(error)),
    };
    let mut growth = Growth::between(&begin, &end);
    for row in &mut growth.rows {
        row.name = redactor.redact(&row.name).into_owned();
    }
    if args.json {
        let more = json!({"type": "growth", "timestamp": utc(end.taken), "pid": pid});
        line(out, &with_members(&growth, more)?)
    } else {
        write!(out, "\n{}", text::write_growth(&growth))?;
        Ok(())
    }
}

fn ended(error: &ProcessError, args: &MemoryArgs, out: &mut dyn Write) -> Result<()> {
    if args.json {
        let now = utc(Timestamp::now());
        let told = json!({"type": "ended", "timestamp": now, "pid": args.pid, "reason": error.to_string()});
        return line(out, &told);
    }
    writeln!(out, "{error}")?;
    Ok(())
}

fn heap_file(
    file: &Path,
    args: &MemoryArgs,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> Result<()> {
    let open = |path: &Path| {
        let mut heap = heap::open(path, &Cancel::default(), &|_, _| {})?;
        heap.redact(redactor);
        Ok::<_, FileError>(heap)
    };
    let before = args.since.as_deref().map(open).transpose();
    let before = before.map_err(Failure::failed)?;
    let after = open(file).map_err(Failure::failed)?;
    let differences = before
        .as_ref()
        .map(|before| heap::compare::compare(before, &after));
    if args.json {
        // A path need not be text.
        let since = args.since.as_ref().map(|path| path.to_string_lossy());
        let more =
            json!({"schema_version": SCHEMA_VERSION, "since": since, "differences": differences});
        return write_pretty(out, &with_members(&after, more)?);
    }
    let text = match (&before, &differences) {
        (Some(before), Some(rows)) => heap::text::write_differences(before, &after, rows),
        _ => heap::text::write(&after),
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}
