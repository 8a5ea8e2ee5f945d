//! The grammar of `omp-debug report`.

use std::path::PathBuf;

use clap::Args;

use crate::diagnostics::report::{Extra, Part};

/// `report`.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = "\
Examples:
  omp-debug report                              choose on the screen what goes in, then write it
  omp-debug report --print                      what would go in, and how many secrets would be replaced
  omp-debug report -o bug.tar.gz --no-session   ask, then write everything but the conversation
  omp-debug report --yes                        write it where omp keeps its reports
  omp-debug report bug.tar.gz                   look into a report, of omp or of omp-debug
  omp-debug report bug.tar.gz --show logs.txt   print a member")]
pub struct ReportArgs {
    /// A report to look into; without it a new one is made
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Write the report here
    #[arg(short, long, value_name = "FILE.tar.gz", conflicts_with = "file")]
    pub output: Option<PathBuf>,
    /// Do not ask before writing; without -o into omp's folder for reports
    #[arg(long, conflicts_with = "file")]
    pub yes: bool,
    /// Replace a file that is there
    #[arg(long, requires = "output")]
    pub force: bool,
    /// The session it is about: its file, or a part of the file's name [default: this terminal's, else the newest]
    #[arg(long, value_name = "SESSION", conflicts_with = "file")]
    pub session: Option<String>,
    /// Leave out a member, or all below a folder; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub without: Vec<String>,
    /// Put in a file, a profile for example; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub add: Vec<PathBuf>,
    /// Put in what was recorded of a provider's stream
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub raw_sse: Option<PathBuf>,
    /// Put in what an adapter was told and said
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub protocol: Option<PathBuf>,
    /// Finish sooner; the file is about a tenth larger
    #[arg(long, conflicts_with = "file")]
    pub fast: bool,
    /// Leave secrets in; asks for a typed sentence
    #[arg(long, conflicts_with_all = ["file", "yes"])]
    pub no_redact: bool,
    /// Lines of text, no screen
    #[arg(long)]
    pub print: bool,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// Print this member of FILE
    #[arg(long, value_name = "MEMBER", requires = "file", conflicts_with_all = ["print", "json"])]
    pub show: Option<String>,
    /// Parts that are left out.
    #[command(flatten)]
    pub parts: PartArgs,
}

/// `--no-…`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Leaving out")]
pub struct PartArgs {
    /// Leave out system.json
    #[arg(long)]
    pub no_system: bool,
    /// Leave out env.json
    #[arg(long)]
    pub no_env: bool,
    /// Leave out config.json
    #[arg(long)]
    pub no_config: bool,
    /// Leave out logs.txt
    #[arg(long)]
    pub no_logs: bool,
    /// Leave out raw-sse.txt
    #[arg(long)]
    pub no_raw_sse: bool,
    /// Leave out session.jsonl
    #[arg(long)]
    pub no_session: bool,
    /// Leave out artifacts, sessions of subagents among them
    #[arg(long)]
    pub no_artifacts: bool,
    /// Leave out profiles
    #[arg(long)]
    pub no_profiles: bool,
    /// Leave out the debugger's sessions
    #[arg(long)]
    pub no_debug_session: bool,
    /// Leave out what debugger and adapter said
    #[arg(long)]
    pub no_protocol: bool,
}

impl ReportArgs {
    /// Whether these options leave it open where the report is shown.
    pub fn is_for_the_screen(&self) -> bool {
        !(self.json
            || self.print
            || self.yes
            || self.no_redact
            || self.output.is_some()
            || self.show.is_some())
    }

    /// What is left out.
    pub fn without_parts(&self) -> impl Iterator<Item = Part> {
        let parts = &self.parts;
        [
            (parts.no_system, Part::System),
            (parts.no_env, Part::Env),
            (parts.no_config, Part::Config),
            (parts.no_logs, Part::Logs),
            (parts.no_raw_sse, Part::RawSse),
            (parts.no_session, Part::Session),
            (parts.no_artifacts, Part::Artifacts),
            (parts.no_profiles, Part::Profiles),
            (parts.no_debug_session, Part::Debug),
            (parts.no_protocol, Part::Protocol),
        ]
        .into_iter()
        .filter_map(|(no, part)| no.then_some(part))
    }

    /// What is put in.
    pub fn extras(&self) -> Vec<Extra> {
        let raw_sse = self.raw_sse.iter().cloned().map(Extra::RawSse);
        let protocol = self.protocol.iter().cloned().map(Extra::Protocol);
        let files = self.add.iter().cloned().map(Extra::File);
        raw_sse.chain(protocol).chain(files).collect()
    }
}
