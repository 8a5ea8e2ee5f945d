//! `omp-debug adapters list|doctor|install`: the table of adapters for a person or a script to read.
//!
//! Writes aligned text or JSON to the writer it is given. What is here and how it gets here is decided in `debugger::adapters`.

use clap::Subcommand;

use super::{failure::ADAPTER_MISSING, prelude::*};
use crate::{
    debugger::adapters::{
        AdapterError, Backend, Install, Method, Origin, Progress, Status, Table, Warning, doctor,
        install, untrusted,
    },
    text::width::width as text_width,
};

/// `adapters …`.
#[derive(Debug, Subcommand)]
pub enum AdaptersCommand {
    /// All adapters, and which would be used here (the default)
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Try each one, and say what is missing
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Install one into omp-debug's own data folder
    Install {
        /// Which
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl From<AdapterError> for Failure {
    fn from(error: AdapterError) -> Self {
        Self {
            hint: error.hint,
            ..Self::new(ADAPTER_MISSING, error.what)
        }
    }
}

/// Runs the command (without one, the list) and writes its answer.
pub async fn run(
    command: Option<&AdaptersCommand>,
    context: &Context,
    out: &mut dyn Write,
) -> Result<()> {
    let (table, warnings) = Table::load(context);
    match command {
        None => list(&table, &warnings, false, out),
        Some(AdaptersCommand::List { json }) => list(&table, &warnings, *json, out),
        Some(AdaptersCommand::Doctor { json }) => {
            examine(&table, &warnings, context, *json, out).await
        }
        Some(AdaptersCommand::Install { name, yes }) => get(&table, name, *yes, context, out).await,
    }
}

fn list(table: &Table, warnings: &[Warning], as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let adapters: Vec<_> = table
            .iter()
            .map(|adapter| {
                json!({
                    "name": adapter.name,
                    "title": adapter.title,
                    "aliases": adapter.aliases,
                    "languages": adapter.languages,
                    "file_types": adapter.file_types,
                    "root_markers": adapter.root_markers,
                    "connect": adapter.connect,
                    "accepts_directory_program": adapter.accepts_directory_program,
                    "install": adapter.install,
                    "origin": match &adapter.origin {
                        Origin::BuiltIn => "built in".to_owned(),
                        Origin::File(path) => path.display().to_string(),
                    },
                })
            })
            .collect();
        return write_pretty(
            out,
            &json!({"adapters": adapters, "warnings": texts(warnings)}),
        );
    }
    let rows: Vec<[String; 4]> = table
        .iter()
        .map(|adapter| {
            [
                adapter.name.clone(),
                adapter.languages.join(" "),
                adapter.file_types.join(" "),
                match &adapter.origin {
                    Origin::BuiltIn => how_to_get(&adapter.install),
                    Origin::File(path) => path.display().to_string(),
                },
            ]
        })
        .collect();
    write_rows(&["NAME", "LANGUAGES", "FILES", "FROM"], &rows, out)?;
    write_warnings(warnings, out)
}

/// The first way of getting it, in a word or two.
fn how_to_get(install: &Install) -> String {
    let (tool, packages) = match install.first() {
        Some(Method::Venv { packages }) => ("pip", packages),
        Some(Method::Npm { packages }) => ("npm", packages),
        Some(Method::Go { packages }) => ("go", packages),
        Some(Method::Apt { packages, .. }) => ("apt", packages),
        Some(Method::Manual { .. }) | None => return "by hand".to_owned(),
    };
    format!("{tool} {}", packages.join(" "))
}

async fn examine(
    table: &Table,
    warnings: &[Warning],
    context: &Context,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let reports = doctor(table, context).await;
    let waiting = untrusted::pending(context);
    let backend = Backend::wanted(context);
    if as_json {
        return write_pretty(
            out,
            &json!({
                "adapters": reports,
                "warnings": texts(warnings),
                "untrusted": waiting,
                "lldb_backend": backend_in_words(backend.as_ref()),
                "simulators": simulators_in_words(context),
            }),
        );
    }
    let rows: Vec<[String; 4]> = reports
        .into_iter()
        .map(|report| match report.status {
            Status::Found { version, how, .. } => [
                "ok".to_owned(),
                report.name,
                version.unwrap_or_else(|| "-".to_owned()),
                how,
            ],
            Status::Missing { why, hint } => [
                "missing".to_owned(),
                report.name,
                "-".to_owned(),
                if hint.is_empty() {
                    why
                } else {
                    format!("{why}. Try: {hint}")
                },
            ],
        })
        .collect();
    write_rows(&["STATE", "NAME", "VERSION", "WHERE"], &rows, out)?;
    writeln!(out)?;
    let backend = backend_in_words(backend.as_ref());
    writeln!(out, "LLDB backend: {}", sanitise(&backend))?;
    let simulators = simulators_in_words(context);
    writeln!(out, "simulator support: {}", sanitise(&simulators))?;
    write_warnings(warnings, out)
}

/// By which of its two ways LLDB is spoken to.
fn backend_in_words(backend: Result<&Option<Backend>, &AdapterError>) -> String {
    match backend {
        Ok(None) => {
            "not chosen: its debug adapter when that is here, else its command line".to_owned()
        }
        Ok(Some(Backend::Dap)) => "dap, as chosen".to_owned(),
        Ok(Some(Backend::LldbCli)) => "lldb-cli, as chosen".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// What is known of simulators, here and in general.
fn simulators_in_words(context: &Context) -> String {
    let here = context.on_path("xcrun").map_or_else(
        || "no xcrun on PATH here".to_owned(),
        |path| format!("by {}", path.display()),
    );
    format!(
        "{here}; logic and lldb traffic tested on Linux against a stand-in xcrun; not yet run on macOS"
    )
}

async fn get(
    table: &Table,
    name: &str,
    yes: bool,
    context: &Context,
    out: &mut dyn Write,
) -> Result<()> {
    let adapter = table.get(name)?;
    let mut trouble = None;
    let installed = install(adapter, context, yes, |progress| {
        let written = match progress {
            Progress::Step(step) => writeln!(out, "$ {}", sanitise(&step)),
            Progress::Line(line) => writeln!(out, "  {}", sanitise(&line)),
        };
        // The install goes on: half an install is worse than a missing line about it.
        if let Err(error) = written {
            trouble.get_or_insert(error);
        }
    })
    .await?;
    if let Some(error) = trouble {
        return Err(error.into());
    }
    writeln!(
        out,
        "{} {} is ready: {}",
        installed.name,
        installed.version.as_deref().unwrap_or("(version unknown)"),
        sanitise(&installed.resolved.how)
    )?;
    Ok(())
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

fn write_warnings(warnings: &[Warning], out: &mut dyn Write) -> Result<()> {
    for warning in warnings {
        writeln!(out, "warning: {}", sanitise(&warning.to_string()))?;
    }
    Ok(())
}

/// Columns as wide as their widest cell; the last one is left ragged.
fn write_rows(head: &[&str; 4], rows: &[[String; 4]], out: &mut dyn Write) -> Result<()> {
    let head = head.map(str::to_owned);
    let mut widths = [0usize; 4];
    for row in std::iter::once(&head).chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(text_width(&sanitise(cell)));
        }
    }
    for row in std::iter::once(&head).chain(rows) {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| pad(&sanitise(cell), width + 2));
        writeln!(out, "{}", cells.collect::<String>().trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn nowhere(dir: &Path) -> Context {
        let env = BTreeMap::from([("HOME".to_owned(), dir.to_string_lossy().into_owned())]);
        Context::new(dir.to_owned(), env)
    }

    #[tokio::test]
    async fn doctor_names_the_command_that_installs_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        run(
            Some(&AdaptersCommand::Doctor { json: false }),
            &nowhere(dir.path()),
            &mut out,
        )
        .await
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        let row = text.lines().find(|line| line.contains("debugpy")).unwrap();
        assert!(row.starts_with("missing"), "{row}");
        assert!(row.contains("omp-debug adapters install debugpy"), "{row}");
    }

    #[tokio::test]
    async fn an_unknown_name_is_answered_with_a_suggestion() {
        let dir = tempfile::tempdir().unwrap();
        let command = AdaptersCommand::Install {
            name: "debug".to_owned(),
            yes: false,
        };
        let error = run(Some(&command), &nowhere(dir.path()), &mut Vec::new())
            .await
            .unwrap_err();
        assert!(error.text.contains(r#""debug""#), "{error:?}");
        assert_eq!(error.hint.as_deref(), Some("did you mean debugpy?"));
    }

    #[tokio::test]
    async fn json_is_one_document() {
        let dir = tempfile::tempdir().unwrap();
        for command in [
            AdaptersCommand::List { json: true },
            AdaptersCommand::Doctor { json: true },
        ] {
            let mut out = Vec::new();
            run(Some(&command), &nowhere(dir.path()), &mut out)
                .await
                .unwrap();
            let value: Value = serde_json::from_slice(&out).unwrap();
            assert!(value["adapters"].as_array().unwrap().len() >= 15);
        }
    }
}
