//! `omp-debug report`: what would go into a report, and the report itself, as text or as JSON; what is in one is said by `report_contents`.
//!
//! Finding, redacting and packing is done in `diagnostics::report`, drawing in `tui::routes::report`.

use std::{
    io::Read as _,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    failure::{DENIED, INTERRUPTED},
    hang::HangArgs,
    prelude::*,
    report_contents::{look, row},
    setup::small_runtime,
};
use crate::{
    debugger::hang::MOST,
    diagnostics::report::{
        self, Bundle, BundleError, Extra, Level, Note, Outcome, PackError, Packed, Part, Plan,
        ReportError, Request, Step,
    },
    tui::routes::report::ReportBegin,
};

/// Artifacts that are listed one by one; of more only those with secrets are.
const LISTED: usize = 20;
/// What has to be typed for a report with secrets.
const CONSENT: &str = "with secrets";

/// `report`.
#[derive(Args, Debug)]
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
    /// The session it is about: its file, or the beginning of its id [default: this terminal's, else the newest]
    #[arg(long, conflicts_with = "file")]
    pub session: Option<String>,
    /// Leave out a member, or all below a folder; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub without: Vec<String>,
    /// Put in a file, a profile for example; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub add: Vec<PathBuf>,
    /// Put in what was recorded of a provider's stream
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    raw_sse: Option<PathBuf>,
    /// Put in what an adapter was told and said
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub protocol: Option<PathBuf>,
    /// Look at this process as `omp-debug hang` does, and put in what is seen
    #[arg(long, value_name = "N", conflicts_with = "file", value_parser = numbers(1..))]
    pub pid: Option<u32>,
    /// The same of a core dump
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "pid"])]
    pub core: Option<PathBuf>,
    /// The program that died, for its symbols
    #[arg(long, value_name = "FILE", requires = "core")]
    pub program: Option<PathBuf>,
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
#[derive(Args, Debug)]
#[command(next_help_heading = "Leaving out")]
pub struct PartArgs {
    /// Leave out system.json
    #[arg(long)]
    no_system: bool,
    /// Leave out env.json
    #[arg(long)]
    no_env: bool,
    /// Leave out config.json
    #[arg(long)]
    no_config: bool,
    /// Leave out logs.txt
    #[arg(long)]
    no_logs: bool,
    /// Leave out raw-sse.txt
    #[arg(long)]
    no_raw_sse: bool,
    /// Leave out session.jsonl
    #[arg(long)]
    pub no_session: bool,
    /// Leave out artifacts, sessions of subagents among them
    #[arg(long)]
    no_artifacts: bool,
    /// Leave out profiles
    #[arg(long)]
    no_profiles: bool,
    /// Leave out the debugger's sessions
    #[arg(long)]
    no_debug_session: bool,
    /// Leave out what debugger and adapter said
    #[arg(long)]
    no_protocol: bool,
}

impl DeskCommand for ReportArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json
            || self.print
            || self.yes
            || self.no_redact
            || self.output.is_some()
            || self.show.is_some())
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let work = Work::default();
        work.cancel_on_interrupt();
        match &self.file {
            Some(file) => look(file, self.show.as_deref(), self.json, &work.cancel),
            None => make(self, &self.wanted(desk), &work),
        }?;
        Ok(0)
    }

    fn route(&self, desk: &Desk<'_>) -> Result<Route> {
        let file = self.file.as_ref().map(|file| desk.path(file));
        if let Some(file) = &file
            && let Err(error @ (BundleError::Open(..) | BundleError::NoArchive(..))) =
                Bundle::read(file, 0, 0, &Cancel::default())
        {
            // What is damaged further behind is told among what could be read.
            return Err(Failure::failed(error));
        }
        Ok(Route::to(RouteId::REPORT).begin(ReportBegin {
            request: self.wanted(desk),
            file,
            fast: self.fast,
        }))
    }
}

impl ReportArgs {
    /// What a report is to hold.
    fn wanted(&self, desk: &Desk<'_>) -> Request {
        Request {
            layout: desk.layout(),
            variables: desk.variables(),
            cwd: desk.context.cwd.clone(),
            session: self.session.clone(),
            extras: self.extras().into_iter().chain(self.hang(desk)).collect(),
            without: self.without_parts().collect(),
            without_members: self.without.iter().cloned().collect(),
            ..Request::default()
        }
    }

    /// Why a process hangs, or why that cannot be told.
    fn hang(&self, desk: &Desk<'_>) -> Option<Extra> {
        let args = HangArgs {
            pid: self.pid,
            core: self.core.clone(),
            program: self.program.clone(),
            threads: MOST,
            ..HangArgs::default()
        };
        if args.pid.is_none() && args.core.is_none() {
            return None;
        }
        let setup = Setup {
            config: Config::default(),
            context: desk.context.clone(),
            recorder: None,
        };
        let seen = small_runtime().and_then(|runtime| runtime.block_on(args.seen(&setup)));
        Some(Extra::Hang(match seen {
            Ok(hang) => hang.text(),
            Err(why) => {
                let text = format!("It could not be looked at: {}\n", why.text);
                warn(&format!(
                    "the report has nothing of what hangs or died. {}",
                    text.trim_end()
                ));
                text
            }
        }))
    }

    /// What is left out.
    fn without_parts(&self) -> impl Iterator<Item = Part> {
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
    fn extras(&self) -> Vec<Extra> {
        let raw_sse = self.raw_sse.iter().cloned().map(Extra::RawSse);
        let protocol = self.protocol.iter().cloned().map(Extra::Protocol);
        let files = self.add.iter().cloned().map(Extra::File);
        raw_sse.chain(protocol).chain(files).collect()
    }
}

/// Work that can be ended.
#[derive(Default)]
struct Work {
    cancel: Cancel,
    /// Whether an answer is waited for.
    asking: Arc<AtomicBool>,
}

impl Work {
    /// Ctrl-C and a polite kill end the work, so that nothing half done is left.
    fn cancel_on_interrupt(&self) {
        let (cancel, asking) = (self.cancel.clone(), Arc::clone(&self.asking));
        // Without it the command can still be ended by force.
        let _ = super::setup::at_interrupts(move || {
            cancel.cancel();
            // Nothing is begun while a question waits, and reading its answer cannot be ended otherwise.
            if asking.load(Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
    }

    /// The line that a person types.
    fn answer(&self) -> std::io::Result<String> {
        let mut answer = String::new();
        self.asking.store(true, Ordering::Relaxed);
        let read = stdin().lock().take(1024).read_line(&mut answer);
        self.asking.store(false, Ordering::Relaxed);
        read.map(|_| answer)
    }
}

fn cancelled() -> Failure {
    Failure::new(INTERRUPTED, "cancelled; nothing was written")
}

/// Shows what would go in, asks, and writes; as far as it is args.
fn make(args: &ReportArgs, request: &Request, work: &Work) -> Result<()> {
    for extra in &request.extras {
        if let Extra::File(path) | Extra::RawSse(path) | Extra::Protocol(path) = extra {
            std::fs::metadata(path).map_err(|error| {
                let path = path.to_string_lossy();
                Failure::usage(format!("{path:?} cannot be put in: {error}"))
            })?;
        }
    }
    let (cancel, status) = (&work.cancel, StatusLine::default());
    let redactor = (!args.no_redact).then(|| request.redactor());
    let plan = Plan::find(request, cancel)
        .map_err(|error| Failure::usage(format!("--session: {error}")))?;
    if !args.yes {
        let outcome = report::pack(&plan, redactor.as_ref(), None, cancel, &mut |step| {
            status.show(|| progress("reading", step));
        });
        let outcome = outcome.map_err(|error| match error {
            PackError::Cancelled => cancelled(),
            PackError::Write(error) => error.into(),
        })?;
        status.end();
        let writes = args.output.is_some();
        if !(writes && args.json) {
            preview(args, &plan, &outcome, &mut stdout())?;
        }
        stdout().flush()?;
        if !writes {
            return Ok(());
        }
        ask(args.no_redact, work)?;
    }
    let path = if let Some(path) = &args.output {
        request.cwd.join(path)
    } else {
        let name = report::name_of_report(jiff::Timestamp::now());
        request.layout.reports.join(name)
    };
    let level = if args.fast { Level::Fast } else { Level::Small };
    let written = report::write(
        &plan,
        redactor.as_ref(),
        &path,
        (level, args.force),
        cancel,
        &mut |step| status.show(|| progress("packing", step)),
    );
    status.end();
    let written = written.map_err(|error| match error {
        ReportError::Cancelled => Failure::new(INTERRUPTED, error),
        ReportError::NotWritten(ref why) if why.is_usage() => Failure::usage(error),
        _ => Failure::failed(error),
    })?;
    for note in &written.outcome.notes {
        warn(&sentence(note));
    }
    if args.json {
        let answer = answer(args, &plan, &written.outcome, Some(&written.path));
        write_line(&mut stdout(), &answer)?;
    } else {
        writeln!(
            stdout(),
            "{}\n{} members, {}, {} secrets replaced",
            sanitise(&written.path.to_string_lossy()),
            written.outcome.packed.len() + 1,
            amount::size(written.outcome.written),
            written.outcome.replaced()
        )?;
    }
    Ok(())
}

fn ask(with_secrets: bool, work: &Work) -> Result<()> {
    let denied = |why| Failure::new(DENIED, format!("nothing was written: {why}"));
    if !stdin().is_terminal() {
        return Err(denied(if with_secrets {
            "a report with secrets has to be agreed to at a terminal"
        } else {
            "give --yes, or say yes at a terminal"
        }));
    }
    warn(&if with_secrets {
        format!("Secrets stay in this report. Type \"{CONSENT}\" to write it:")
    } else {
        "Write this report? [y/N]".to_owned()
    });
    let answer = work.answer()?;
    let answer = answer.trim();
    let agreed = if with_secrets {
        answer == CONSENT
    } else {
        matches!(answer.to_lowercase().as_str(), "y" | "yes")
    };
    agreed
        .then_some(())
        .ok_or_else(|| denied("nobody said yes"))
}

fn progress(what: &str, step: &Step<'_>) -> String {
    let percent = (step.done.min(step.total) * 100)
        .checked_div(step.total)
        .unwrap_or(100);
    let (done, total) = (amount::size(step.done), amount::size(step.total));
    format!("{what} {percent:3} %  {done} of {total}")
}

fn sentence(note: &Note) -> String {
    let what = if note.left_out { " is not in it" } else { "" };
    let member = sanitise(&note.member);
    format!("{member}{what}: {}", sanitise(&note.text))
}

fn preview(
    args: &ReportArgs,
    plan: &Plan,
    outcome: &Outcome,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    if args.json {
        let answer = answer(args, plan, outcome, None);
        return write_line(out, &answer);
    }
    if let Some(session) = &plan.session {
        writeln!(
            out,
            "Session {} ({})",
            sanitise(&session.path.to_string_lossy()),
            session.why.label()
        )?;
    }
    writeln!(out, "{:>10} {:>8}  member", "size", "secrets")?;
    let of = |part: Part| {
        outcome.packed.iter().filter(move |packed| {
            plan.members
                .get(packed.index)
                .is_some_and(|member| member.part == part)
        })
    };
    for part in Part::ALL {
        let many = of(part).count() > LISTED;
        for packed in of(part).filter(|p| !many || p.replaced.total() > 0) {
            row(
                out,
                packed.size,
                Some(packed.replaced.total()),
                &packed.name,
                &remark(packed),
            )?;
        }
        if many {
            let rest = || of(part).filter(|p| p.replaced.total() == 0);
            let size = rest().map(|p| p.size).sum();
            let name = format!("{} others below {}/", rest().count(), part.name());
            row(out, size, Some(0), &name, "")?;
        }
    }
    let size = outcome.packed.iter().map(|p| p.size).sum();
    let total = format!("{} members", outcome.packed.len());
    row(out, size, Some(outcome.replaced()), &total, "")?;
    for note in &outcome.notes {
        writeln!(out, "{}", sentence(note))?;
    }
    Ok(())
}

fn remark(packed: &Packed) -> String {
    if !packed.text {
        return "(binary: as it is)".to_owned();
    }
    let kinds: Vec<String> = packed
        .replaced
        .iter()
        .map(|(kind, count)| format!("{count} {}", kind.label()))
        .collect();
    if kinds.is_empty() {
        String::new()
    } else {
        format!("({})", kinds.join(", "))
    }
}

fn answer(args: &ReportArgs, plan: &Plan, outcome: &Outcome, path: Option<&Path>) -> Value {
    let members: Vec<Value> = outcome
        .packed
        .iter()
        .map(|packed| {
            let part = plan.members.get(packed.index).map(|m| m.part.name());
            let by: serde_json::Map<String, Value> = packed
                .replaced
                .iter()
                .map(|(kind, count)| (kind.label().to_owned(), json!(count)))
                .collect();
            json!({
                "name": packed.name,
                "part": part,
                "size": packed.size,
                "kind": if packed.text { "text" } else { "binary" },
                "secrets_replaced": packed.replaced.total(),
                "by": by,
            })
        })
        .collect();
    let notes: Vec<Value> = outcome
        .notes
        .iter()
        .map(|note| json!({"name": note.member, "left_out": note.left_out, "text": note.text}))
        .collect();
    json!({
        "path": path.map(|path| path.to_string_lossy()),
        "written": path.map(|_| outcome.written),
        "session": plan.session.as_ref().map(|s| s.path.to_string_lossy()),
        "redacted": !args.no_redact,
        "secrets_replaced": outcome.replaced(),
        "members": members,
        "notes": notes,
    })
}
