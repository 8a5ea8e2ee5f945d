//! `omp-debug profile`: reads a profile or takes one, and writes it or shows it.

use super::{choices::seconds, prelude::*, profile_take};
use crate::{
    diagnostics::{
        profile::{
            Profile, Unit,
            export::{self, Format},
            import::{self, FileError, READABLE},
            sample::{self, Clock, RATE, Source, Tools},
            take::{DebuggerHold, ProcessChoice, Request},
            tree::{Options, Row, Tree},
            words,
        },
        whole::Hindrance,
    },
    text::width::{pad_start, truncate},
    tui::routes::performance::ProfileBegin,
};

/// How long it is taken when nobody says.
const SECONDS: Duration = Duration::from_secs(10);

/// `profile`.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = "\
Examples:
  omp-debug profile CPU.cpuprofile                     a flame graph on the screen
  omp-debug profile go.pb.gz --print                   the functions that weigh most
  omp-debug profile perf.txt -o flame.svg              a picture for a browser; the name says the form
  omp-debug profile --self -o self.svg -- logs --json    what omp-debug itself does meanwhile
  omp-debug profile new.folded --diff old.folded       what grew and what shrank
  py-spy record -f raw -o - -- python a.py | omp-debug profile - --format pprof -o a.pb.gz")]
#[command(group = clap::ArgGroup::new("source").required(true).args(["file", "pid", "itself"]))]
pub struct ProfileArgs {
    #[arg(help = format!("A profile of another tool, or - for standard input: {READABLE}; each may be gzipped"))]
    pub file: Option<PathBuf>,
    /// Take one of this process
    #[arg(long, value_name = "N", value_parser = numbers(1..))]
    pub pid: Option<u32>,
    /// Take one of omp-debug itself
    #[arg(long = "self")]
    pub itself: bool,
    /// What it is compared with
    #[arg(long, value_name = "FILE", requires = "file")]
    pub diff: Option<PathBuf>,
    /// Write it in this form: svg, folded, pprof, speedscope, firefox, markdown or json [default: by the file's name, else markdown]
    #[arg(long, value_name = "FORM")]
    pub format: Option<Format>,
    /// Write it here, for your eyes only (0600)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "output")]
    pub force: bool,
    /// The functions that weigh most as text, no screen
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub print: bool,
    /// For so many seconds
    #[arg(
        long,
        value_name = "S",
        help_heading = "Taking",
        conflicts_with = "file",
        value_parser = seconds(0.01..=86_400.0)
    )]
    pub seconds: Option<Duration>,
    /// So many looks a second [default: 100]
    #[arg(long, value_name = "HZ", help_heading = "Taking", conflicts_with = "file", value_parser = numbers(1..=1000))]
    pub rate: Option<u32>,
    /// Waiting counts as well as running
    #[arg(long, help_heading = "Taking", conflicts_with = "file")]
    pub wall: bool,
    /// Only this thread, by its number in the system
    #[arg(
        long,
        value_name = "TID",
        help_heading = "Taking",
        conflicts_with = "file"
    )]
    pub thread: Option<u32>,
    /// Its child processes as well
    #[arg(long, help_heading = "Taking", conflicts_with = "file")]
    pub children: bool,
    /// Open the inspector of a Node that has none open, and shut it again: a port of this machine through which code can be run in it
    #[arg(
        long,
        help_heading = "Taking",
        conflicts_with = "file",
        requires = "pid"
    )]
    pub inspect: bool,
    /// By this means instead of the best one there is: own, native, py-spy, inspector or proc
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Taking",
        conflicts_with = "file"
    )]
    pub with: Option<Source>,
    /// What omp-debug is to do meanwhile, after --: any of its commands [default: what it does on the screen; without one, wait]
    #[arg(
        last = true,
        help_heading = "Taking",
        requires = "itself",
        conflicts_with = "seconds"
    )]
    pub command: Vec<OsString>,
}

impl DeskCommand for ProfileArgs {
    fn is_for_the_screen(&self) -> bool {
        let is_input = self
            .file
            .as_ref()
            .is_some_and(|file| file.as_os_str() == "-");
        !(self.print
            || !self.command.is_empty()
            || self.format.is_some()
            || self.output.is_some()
            || is_input)
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        // Before anything is read or taken.
        if let (Some(output), None) = (&self.output, self.format)
            && let Some(why) = Format::unknown(output)
        {
            return Err(Failure::usage(format!("--output {why}")));
        }
        let tools = Tools::of(&desk.context.env, &desk.context.data_dir);
        let mut code = 0;
        let profile = match &self.file {
            None if !self.command.is_empty() => {
                let request = self.request();
                let (profile, done) =
                    profile_take::beside(&request, &tools, || (desk.start)(&self.command));
                code = done?;
                profile.map_err(Failure::failed)?
            }
            Some(file) => read(file, &Cancel::default())?,
            None => {
                let mut request = self.request();
                if self.itself {
                    // Without a screen there is nothing that takes time.
                    request.options.clock = Clock::Wall;
                }
                profile_take::run(&request, &tools)?
            }
        };
        warn_of(&profile.notes);
        self.write(&profile, desk)?;
        Ok(code)
    }

    fn route(&self, desk: &Desk<'_>) -> Result<Route> {
        let path = |file: &Option<PathBuf>| file.as_ref().map(|file| desk.path(file));
        Ok(Route::to(RouteId::PERFORMANCE).begin(ProfileBegin {
            file: path(&self.file),
            base: path(&self.diff),
            // Without a time it is taken until a person has seen enough.
            take: self.file.is_none().then(|| Request {
                duration: self.seconds,
                ..self.request()
            }),
        }))
    }
}

impl ProfileArgs {
    /// What is to be taken.
    fn request(&self) -> Request {
        Request {
            who: self.pid.map_or(ProcessChoice::Own, ProcessChoice::Pid),
            options: sample::Options {
                rate: self.rate.unwrap_or(RATE),
                clock: if self.wall { Clock::Wall } else { Clock::Cpu },
                thread: self.thread,
                children: self.children,
                may_open: self.inspect,
            },
            duration: Some(self.seconds.unwrap_or(SECONDS)),
            with: self.with,
            held: DebuggerHold::default(),
        }
    }

    /// Writes a profile, and says what was written into a file.
    fn write(&self, profile: &Profile, desk: &Desk<'_>) -> Result<()> {
        let cancel = &Cancel::default();
        let output = self.output.as_ref().map(|file| desk.path(file));
        let named = output.as_deref().and_then(Format::of);
        let format = self.format.or(named).unwrap_or(Format::Markdown);
        if let Some(target) = &output {
            let saved = export::save(profile, format, target, self.force, cancel);
            let size = saved.map_err(|error| Failure::blaming(error.is_usage(), error))?;
            let (target, name) = (target.display(), format.name());
            let said = format!("{target}: {name}, {}", amount::size(size));
            warn(&sanitise(&said));
            return Ok(());
        }
        let mut out = BufWriter::new(stdout());
        match &self.diff {
            Some(base) => {
                let base = import::read(&desk.path(base), cancel, &|_, _| ());
                let base = base.map_err(Failure::failed)?;
                profile.comparable(&base).map_err(Failure::usage)?;
                compare(profile, &base, &mut out, cancel).map_err(Hindrance::from)
            }
            None => export::write(profile, format, &mut out, cancel),
        }
        .and_then(|()| Ok(out.flush()?))
        .or_else(|error| match error {
            // The reader has seen enough.
            Hindrance::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            error => Err(Failure::failed(error)),
        })
    }
}

/// Reads a profile; `-` is standard input.
fn read(file: &Path, cancel: &Cancel) -> Result<Profile> {
    if file.as_os_str() != "-" {
        return import::read(file, cancel, &|_, _| ()).map_err(Failure::failed);
    }
    import::read_from(&mut stdin(), 0, cancel, &|_, _| ()).map_err(|error| {
        Failure::failed(FileError {
            path: "standard input".into(),
            error,
        })
    })
}

/// What grew and what shrank, the largest change first: memory in bytes, all else in parts of each profile's own total, so that runs of
/// other lengths can be compared.
fn compare(
    profile: &Profile,
    base: &Profile,
    out: &mut dyn Write,
    cancel: &Cancel,
) -> std::io::Result<()> {
    let tree = Tree::build(profile, Some(base), &Options::default(), cancel);
    let (total, base_total) = (tree.total(), tree.base_total());
    writeln!(
        out,
        "{}: {}; before: {}",
        sanitise(&profile.name),
        words::weight(total, profile.unit),
        words::weight(base_total, base.unit)
    )?;
    if profile.unit != base.unit {
        writeln!(
            out,
            "The two count different things: only their parts of the whole can be compared."
        )?;
    }
    let in_bytes = profile.unit == Unit::Bytes && base.unit == Unit::Bytes;
    let change = |row: &Row| tree.change(row.weight.own, row.base.own);
    let columns = |row: &Row| {
        if in_bytes {
            let (now, before) = (row.weight.own, row.base.own);
            let sign = if now < before { "-" } else { "+" };
            let grown = words::brief(now.abs_diff(before), profile.unit);
            let [now, before] = [now, before].map(|bytes| words::brief(bytes, profile.unit));
            return (format!("{sign}{grown}"), now, before);
        }
        (
            format!("{:+.1}", change(row)),
            words::percent(row.weight.own, total),
            words::percent(row.base.own, base_total),
        )
    };
    let mut rows: Vec<&Row> = tree.rows.iter().collect();
    rows.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()));
    writeln!(out, "  change     own   before   function")?;
    for row in rows.into_iter().take(COMPARED) {
        let Some(function) = tree.function(row.function) else {
            continue;
        };
        let place = function.place();
        let (name, _) = truncate(&function.name, 60);
        let (change, own, before) = columns(row);
        writeln!(
            out,
            "{}  {} {}   {} {}",
            pad_start(&change, 8),
            pad_start(&own, 7),
            pad_start(&before, 8),
            pad(&sanitise(&name), 32),
            sanitise(&place)
        )?;
    }
    Ok(())
}

/// Functions that a comparison shows.
const COMPARED: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commands::cli::Cli, diagnostics::profile::sample::Source};
    use clap::Parser as _;

    #[test]
    fn options_become_a_request_or_a_sentence() {
        let wanted = ProfileArgs {
            pid: Some(7),
            seconds: Some(Duration::from_millis(500)),
            rate: Some(50),
            wall: true,
            with: Some(Source::PySpy),
            ..ProfileArgs::default()
        };
        let taken = wanted.request();
        assert_eq!(taken.who, ProcessChoice::Pid(7));
        assert_eq!(taken.duration, Some(Duration::from_millis(500)));
        assert_eq!((taken.options.rate, taken.options.clock), (50, Clock::Wall));
        assert_eq!(taken.with, Some(Source::PySpy));
        let own = ProfileArgs::default().request();
        assert_eq!((own.who, own.options.rate), (ProcessChoice::Own, RATE));
        for [option, value, said] in [
            ["--seconds", "0", "between 0.01 and 86400"],
            ["--seconds", "NaN", "between 0.01 and 86400"],
            ["--rate", "0", "1..=1000"],
            ["--with", "magic", "there are own, native, py-spy"],
        ] {
            let words = ["omp-debug", "profile", "--self", option, value];
            let error = Cli::try_parse_from(words).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
