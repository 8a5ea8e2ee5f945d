//! `sse run -- COMMAND`: a command whose clients of providers speak through a proxy of ours.
//!
//! The command keeps our terminal and streams. It runs under a supervisor, so that neither it nor what it starts outlives us, and its
//! end is ours.

use std::{
    ffi::OsString,
    fmt::Write as _,
    os::unix::process::ExitStatusExt as _,
    process::{Command, ExitStatus},
};

use tokio::signal::unix::{SignalKind, signal};

use super::{
    args::SseRunArgs,
    live::{Live, Summary, Writing, unheard},
    out::Form,
};
use crate::{
    commands::{prelude::*, setup::small_runtime},
    dap::supervise,
    diagnostics::sse::live::{Proxy, Upstream},
    headless::{codes, signals::Signals},
};

/// A provider: its name in paths, where it is (nothing: only if a variable says so), and the variables that clients read. Variables
/// say where everything behind them is to be asked, with or without a version in the path as the provider's own clients have it.
const PROVIDERS: &[(&str, Option<&str>, &[&str])] = &[
    (
        "anthropic",
        Some("https://api.anthropic.com"),
        &["ANTHROPIC_BASE_URL"],
    ),
    (
        "openai",
        Some("https://api.openai.com/v1"),
        &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    ),
    (
        "google",
        Some("https://generativelanguage.googleapis.com"),
        &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
    ),
    ("groq", Some("https://api.groq.com"), &["GROQ_BASE_URL"]),
    (
        "openrouter",
        Some("https://openrouter.ai/api/v1"),
        &["OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"],
    ),
    (
        "deepseek",
        Some("https://api.deepseek.com"),
        &["DEEPSEEK_BASE_URL", "DEEPSEEK_API_BASE"],
    ),
    (
        "xai",
        Some("https://api.x.ai/v1"),
        &["XAI_BASE_URL", "XAI_API_BASE"],
    ),
    ("mistral", None, &["MISTRAL_BASE_URL", "MISTRAL_API_BASE"]),
    ("azure", None, &["AZURE_OPENAI_ENDPOINT"]),
    ("litellm", None, &["LITELLM_BASE_URL", "LITELLM_PROXY_URL"]),
];

/// Upstreams, and the variables that lead to them.
#[derive(Debug, Default)]
struct Plan {
    upstreams: Vec<Upstream>,
    variables: Vec<(&'static str, &'static str)>,
    warnings: Vec<String>,
}

impl Plan {
    fn of(env: &[(String, String)]) -> Self {
        let mut plan = Self::default();
        let set = |wanted: &str| {
            let (_, value) = env.iter().find(|(name, _)| name == wanted)?;
            Some(value.as_str()).filter(|value| !value.trim().is_empty())
        };
        for (name, default, variables) in PROVIDERS {
            let given = variables
                .iter()
                .find_map(|variable| Some((*variable, set(variable)?)));
            let Some(url) = given.map(|(_, url)| url).or(*default) else {
                continue;
            };
            match Upstream::new(Some(name), url) {
                Ok(upstream) => {
                    plan.upstreams.push(upstream);
                    for variable in *variables {
                        if let Some(other) = set(variable).filter(|other| *other != url) {
                            plan.warnings.push(format!(
                                "{variable} was {other:?} and leads to {url:?} now, as the others of its provider do"
                            ));
                        }
                        plan.variables.push((variable, name));
                    }
                }
                Err(error) => {
                    let variable = given.map_or("", |(variable, _)| variable);
                    plan.warnings
                        .push(format!("{variable} is left as it is: {error}"));
                }
            }
        }
        plan
    }
}

/// Runs the command to its end; its exit code, or 128 and the signal that ended it.
pub fn run_command(args: &SseRunArgs, desk: &Desk<'_>) -> Result<u8> {
    // This program is the supervisor, too.
    let supervisor = std::env::current_exe().map_err(Failure::failed)?;
    let live: Live = args.capture.live(args.json.then_some(Form::Json), desk)?;
    let plan = Plan::of(&desk.variables::<Vec<_>>());
    for text in &plan.warnings {
        warn(&sanitise(&live.redactor.redact(text)));
    }
    let runtime = small_runtime()?;
    let (proxy, wires) = Proxy::start(plan.upstreams, 0).map_err(unheard)?;
    let writing = Writing::start(live, wires)?;
    let ended = runtime.block_on(to_its_end(&args.argv, &supervisor, &proxy, &plan.variables));
    // Whoever asked is gone, and so is what was answered.
    drop(proxy);
    let summary = writing.summary();
    let status = ended?;
    tell(&summary, args.capture.output.as_deref(), &plan.variables);
    Ok(code(status))
}

fn code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| Some(i32::from(codes::SIGNAL) + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn tell(summary: &Summary, save: Option<&Path>, variables: &[(&str, &str)]) {
    let mut text = summary.text();
    if let Some(path) = save {
        // Writing to a String cannot fail.
        let _ = write!(text, " in {:?}", path.to_string_lossy());
    }
    if summary.responses == 0 {
        let names: Vec<_> = variables
            .iter()
            .map(|(variable, _)| *variable)
            .take(3)
            .collect();
        let _ = write!(
            text,
            "; the command asked nobody through {}, …",
            names.join(", ")
        );
    }
    warn(&text);
}

async fn to_its_end(
    argv: &[OsString],
    supervisor: &Path,
    proxy: &Proxy,
    variables: &[(&str, &str)],
) -> Result<ExitStatus> {
    let program = argv.first().cloned().unwrap_or_default();
    let failed = |why: std::io::Error| {
        let program = program.display().to_string();
        Failure::failed(format!("cannot start {program:?}: {why}"))
    };
    // A terminal's Ctrl-C reaches the command, too, and its end is what we wait for.
    let mut signals = Signals::new()?;
    let mut quit = signal(SignalKind::quit()).map_err(failed)?;
    let (control, theirs) = supervise::control_pair().map_err(failed)?;
    let mut command: Command =
        supervise::command(supervisor, theirs, [supervise::IN_TERMINAL], argv);
    for (variable, name) in variables {
        command.env(variable, proxy.url(Some(name)));
    }
    for name in ["NO_PROXY", "no_proxy"] {
        let mut hosts = std::env::var(name).unwrap_or_default();
        if !hosts.is_empty() {
            hosts.push(',');
        }
        hosts.push_str("127.0.0.1,localhost");
        command.env(name, hosts);
    }
    let mut command = tokio::process::Command::from(command);
    let mut child = command.spawn().map_err(failed)?;
    // It holds the supervisor's end of the control connection.
    drop(command);
    loop {
        tokio::select! {
            status = child.wait() => return status.map_err(failed),
            _ = quit.recv() => {}
            code = signals.next() => if code != codes::INTERRUPTED {
                let _ = control.say(supervise::Word::Terminate);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn what_is_set_already_is_the_upstream() {
        let plan = Plan::of(&env(&[
            ("OPENAI_API_BASE", "http://127.0.0.1:9/v1"),
            ("MISTRAL_BASE_URL", "http://127.0.0.1:8"),
            ("ANTHROPIC_BASE_URL", " "),
        ]));
        let url = |name: &str| {
            let found = plan.upstreams.iter().find(|u| u.name() == Some(name));
            found.map(Upstream::url)
        };
        assert_eq!(url("openai").as_deref(), Some("http://127.0.0.1:9/v1"));
        assert_eq!(url("mistral").as_deref(), Some("http://127.0.0.1:8/"));
        assert_eq!(
            url("anthropic").as_deref(),
            Some("https://api.anthropic.com/")
        );
        // Nobody knows where it is.
        assert_eq!(url("azure"), None);
        assert!(plan.variables.contains(&("OPENAI_BASE_URL", "openai")));
        assert!(
            !plan
                .variables
                .iter()
                .any(|(name, _)| *name == "AZURE_OPENAI_ENDPOINT")
        );
    }

    #[test]
    fn what_cannot_be_used_is_left_and_told() {
        let plan = Plan::of(&env(&[
            ("OPENAI_BASE_URL", "unix:/socket"),
            ("GROQ_BASE_URL", "http://a"),
            ("DEEPSEEK_BASE_URL", "http://a"),
            ("DEEPSEEK_API_BASE", "http://b"),
        ]));
        assert!(
            !plan
                .variables
                .iter()
                .any(|(name, _)| name.starts_with("OPENAI"))
        );
        assert_eq!(plan.warnings.len(), 2, "{:?}", plan.warnings);
        assert!(
            plan.warnings
                .iter()
                .any(|text| text.contains("unix:/socket"))
        );
        assert!(plan.warnings.iter().any(|text| text.contains("http://b")));
    }
}
