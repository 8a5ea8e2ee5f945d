//! `agent-guide`: how a coding agent uses the debugger, and where its client looks for that and for the MCP server.

use std::{collections::BTreeMap, fs, io};

use clap::ValueEnum;
use serde_json::value::RawValue;

use super::prelude::*;
use crate::files;

const GUIDE: &str = include_str!("../../assets/agent-guide.md");
/// By this, a client decides when its model reads the guide.
const ABOUT: &str = "Debug a running program with breakpoints, stops, stacks and values instead of prints. Use it when a question is about one run of a program: a wrong value, a crash, a hang.";
/// The server in a configuration of JSON, and of TOML.
const ENTRY: &str = r#""omp-debug": {"command": "omp-debug", "args": ["mcp"]}"#;
const TABLE: &str = "[mcp_servers.omp-debug]\ncommand = \"omp-debug\"\nargs = [\"mcp\"]\n";
const NO_SERVERS: &str = "{\n  \"mcpServers\": {\n  }\n}\n";
/// Around the guide in a file that has other things, too.
const BEGIN: &str = "<!-- omp-debug -->\n";
const END: &str = "<!-- /omp-debug -->\n";

/// `agent-guide`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omp-debug agent-guide                      read it
  omp-debug agent-guide --for claude --write a skill and .mcp.json in this project

What is in a configuration stays there. Exit codes: 0 done, 2 a file is in the way and nothing was written.")]
pub struct AgentGuideArgs {
    /// For this client [default: the guide alone]
    #[arg(long = "for", value_enum)]
    pub client: Option<Client>,
    /// Write the guide and the MCP server's configuration into this project
    #[arg(long, requires = "client")]
    pub write: bool,
    /// Replace a guide that is not the one of this omp-debug
    #[arg(long, requires = "write")]
    pub force: bool,
}

/// Clients that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Code: .claude/skills and .mcp.json
    Claude,
    /// Codex: AGENTS.md and .codex/config.toml, which it reads in a project that it trusts
    Codex,
    /// omp: .omp/skills and .omp/mcp.json
    Omp,
    /// Cursor: .cursor/rules and .cursor/mcp.json
    Cursor,
}

impl Client {
    /// Where the guide and the configuration are.
    fn files(self) -> [&'static str; 2] {
        match self {
            Self::Claude => [".claude/skills/omp-debug/SKILL.md", ".mcp.json"],
            Self::Codex => ["AGENTS.md", ".codex/config.toml"],
            Self::Omp => [".omp/skills/omp-debug/SKILL.md", ".omp/mcp.json"],
            Self::Cursor => [".cursor/rules/omp-debug.mdc", ".cursor/mcp.json"],
        }
    }

    /// The guide as its file has it.
    fn guide(self) -> String {
        match self {
            Self::Codex => format!("{BEGIN}{GUIDE}{END}"),
            Self::Cursor => {
                format!("---\ndescription: {ABOUT:?}\nalwaysApply: false\n---\n\n{GUIDE}")
            }
            Self::Claude | Self::Omp => {
                format!("---\nname: omp-debug\ndescription: {ABOUT:?}\n---\n\n{GUIDE}")
            }
        }
    }

    /// The file with the guide; none where somebody wrote something else there.
    fn guided(self, old: &str) -> Option<String> {
        let guide = self.guide();
        if self != Self::Codex {
            return (old.is_empty() || old == guide).then_some(guide);
        }
        match old.split_once(BEGIN) {
            None => Some(format!(
                "{old}{}{guide}",
                if old.is_empty() { "" } else { "\n" }
            )),
            Some(_) => old.contains(&guide).then(|| old.to_owned()),
        }
    }

    /// The same, whatever is there of an earlier guide.
    fn replaced(self, old: &str) -> String {
        let section = old.split_once(BEGIN).filter(|_| self == Self::Codex);
        let after = |rest: &str| rest.split_once(END).map(|(_, after)| after.to_owned());
        match section.and_then(|(before, rest)| Some((before, after(rest)?))) {
            Some((before, after)) => format!("{before}{}{after}", self.guide()),
            None => self.guide(),
        }
    }

    /// The configuration with the server, and all that it had.
    fn configured(self, old: &str) -> Result<String, String> {
        if self != Self::Codex {
            return with_entry(if old.trim().is_empty() {
                NO_SERVERS
            } else {
                old
            })
            .map_err(|e| e.to_string());
        }
        let known: toml::Table = old.parse().map_err(|e: toml::de::Error| e.to_string())?;
        let servers = known
            .get("mcp_servers")
            .and_then(|servers| servers.as_table());
        if servers.is_some_and(|servers| servers.contains_key("omp-debug")) {
            return Ok(old.to_owned());
        }
        let new = format!("{old}{}{TABLE}", if old.is_empty() { "" } else { "\n" });
        new.parse::<toml::Table>().map_err(|e| e.to_string())?;
        Ok(new)
    }
}

/// JSON with the server among the others. Only what is added changes.
fn with_entry(text: &str) -> serde_json::Result<String> {
    type Fields<'t> = BTreeMap<String, &'t RawValue>;
    let all: Fields<'_> = serde_json::from_str(text)?;
    let (within, known, new) = match all.get("mcpServers") {
        Some(servers) => (
            servers.get(),
            serde_json::from_str(servers.get())?,
            format!("\n    {ENTRY}"),
        ),
        None => (
            text.trim_start(),
            all,
            format!("\n  \"mcpServers\": {{\n    {ENTRY}\n  }}"),
        ),
    };
    if known.contains_key("omp-debug") {
        return Ok(text.to_owned());
    }
    // Both are parts of one text, and what begins there is an object's bracket.
    let at = within.as_ptr().addr() - text.as_ptr().addr() + 1;
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let comma = if known.is_empty() { "" } else { "," };
    Ok(format!("{before}{new}{comma}{after}"))
}

impl AgentGuideArgs {
    /// Prints or writes it.
    pub fn run(&self) -> Result<u8> {
        let Some(client) = self.client else {
            return print(GUIDE.as_bytes());
        };
        let [guide, configuration] = client.files();
        if !self.write {
            let empty = client.configured("").map_err(Failure::failed)?;
            let text = format!("{}\n{configuration}:\n\n{empty}", client.guide());
            return print(text.as_bytes());
        }
        let (old_guide, old) = (read(guide)?, read(configuration)?);
        let new_guide = match client.guided(&old_guide) {
            Some(new) => new,
            None if self.force => client.replaced(&old_guide),
            None => {
                let why = format!(
                    "{guide} is not the guide of this omp-debug: somebody changed it, or another version wrote it"
                );
                return Err(Failure::usage(why).hint("--force replaces it"));
            }
        };
        let new = client.configured(&old).map_err(|why| {
            Failure::usage(format!(
                "{configuration} cannot be read, so nothing is added to it: {why}"
            ))
        })?;
        let mut told = String::new();
        for (path, old, new) in [(guide, old_guide, new_guide), (configuration, old, new)] {
            let is_same = old == new;
            if !is_same {
                write(path, &new)
                    .map_err(|why| Failure::failed(format!("{path} cannot be written: {why}")))?;
            }
            let what = if is_same { "as it was" } else { "written" };
            told.extend([path, ": ", what, "\n"]);
        }
        print(told.as_bytes())
    }
}

/// What is in a file; nothing when there is none.
fn read(path: &str) -> Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|why| Failure::usage(format!("{path} cannot be read: {why}"))),
    }
}

/// As a whole, and readable for whom it was before; one that is new is a file of the project like any other.
fn write(path: &str, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let known = fs::metadata(&path).map(|found| found.permissions());
    files::replace(&path, |out| {
        out.write_all(text.as_bytes())?;
        let new = || std::os::unix::fs::PermissionsExt::from_mode(0o644);
        out.get_ref()
            .set_permissions(known.unwrap_or_else(|_| new()))
    })
}
