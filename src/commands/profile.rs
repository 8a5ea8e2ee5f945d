//! What may be said to `omp-debug profile`; `profile_run` does it.

use super::{choices::seconds, prelude::*};
use crate::diagnostics::profile::{export::Format, sample::Source};

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
    /// A profile of another tool, or - for standard input: .cpuprofile, pprof, speedscope, Firefox's, folded stacks, perf script, py-spy's raw form; each may be gzipped
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
    /// By this means instead of the best one there is: own, native, perf, py-spy, inspector or proc
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
