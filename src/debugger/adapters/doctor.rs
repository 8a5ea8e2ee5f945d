//! Which adapters are here, in which version, and why the others are not.

use futures_util::future::join_all;

use super::{
    formatters::of_project,
    probe::{ask, parse_version},
    resolve::resolve,
    support::formatters,
    trust::read_small,
};
use crate::prelude::*;

/// One adapter's state on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub name: String,
    pub title: String,
    /// Whether it is here.
    #[serde(flatten)]
    pub status: Status,
}

impl Report {
    /// Whether it is here, its version when it tells one, and where it was found or what helps.
    pub fn in_short(&self) -> (bool, Option<&str>, &str) {
        match &self.status {
            Status::Found { version, how, .. } => (true, version.as_deref(), how),
            Status::Missing { why, hint } if hint.is_empty() => (false, None, why),
            Status::Missing { hint, .. } => (false, None, hint),
        }
    }
}

/// Whether an adapter is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    /// It can be started.
    Found {
        /// Its command line.
        argv: Vec<String>,
        /// Its version, when it tells one.
        version: Option<String>,
        /// Where it was found.
        how: String,
    },
    /// It cannot.
    Missing {
        why: String,
        /// The command or sentence that helps.
        hint: String,
    },
}

/// Looks at every adapter; versions are asked for at the same time.
pub async fn doctor(table: &Table, context: &Context) -> Vec<Report> {
    join_all(table.iter().map(|adapter| examine(adapter, context))).await
}

async fn examine(adapter: &Arc<Adapter>, context: &Context) -> Report {
    let found = tasks::blocking({
        let (adapter, context) = (Arc::clone(adapter), context.clone());
        move || {
            let resolved = resolve(&adapter, &context)?;
            let loaded = formatters(&adapter, &context);
            Ok((resolved, loaded + &of_project(&adapter, &context)))
        }
    })
    .await
    .unwrap_or_else(|error| {
        Err(AdapterError::new(
            ErrorKind::AdapterMissing,
            error.to_string(),
            "",
        ))
    });
    let status = match found {
        Ok((found, formatters)) => Status::Found {
            version: version(&found).await,
            how: format!("{}{formatters}", found.how),
            // Code that we hand to an interpreter is no use to a reader.
            argv: found.words(true).to_vec(),
        },
        Err(error) => Status::Missing {
            why: error.tried.unwrap_or(error.what),
            hint: error.hint.unwrap_or_default(),
        },
    };
    Report {
        name: adapter.name.clone(),
        title: adapter.title.clone(),
        status,
    }
}

/// The version of what was found, when it can be learnt without running a file of the project.
pub async fn version(found: &Resolved) -> Option<String> {
    if let Some(file) = &found.version.file {
        let (text, _) = read_small(file).ok()?;
        let value: Value = serde_json::from_slice(text.as_bytes()).ok()?;
        return Some(value.text_of("version")?.trim_start_matches('v').to_owned());
    }
    let (program, args) = found.version.argv.split_first()?;
    let program = PathBuf::from(program);
    let (args, context) = (args.to_vec(), found.context.clone());
    tasks::blocking(move || {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        ask(&program, &args, &context)
            .and_then(|said| parse_version(&said))
            .map(|(_, version)| version)
            .or_else(|| version_in_name(&program))
    })
    .await
    .ok()?
}

/// The number that Debian's versioned packages put into a path, as in `/usr/lib/llvm-19/bin/lldb-dap`.
fn version_in_name(program: &Path) -> Option<String> {
    let path = program.canonicalize().ok()?;
    path.iter().rev().find_map(|part| {
        let part = part.to_str()?;
        let (_, version) = part.rsplit_once('-')?;
        let is_version = version.chars().all(|c| c.is_ascii_digit() || c == '.');
        (is_version && !version.is_empty()).then(|| version.to_owned())
    })
}
