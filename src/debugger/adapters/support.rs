//! What a language's own tools bring for a debugger: Rust's pretty printers for gdb, for one.
//!
//! The tool is asked where it is installed; without it, or without the folder, the debugger starts as it would anyway.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::probe;
use super::program::ProgramFacts;
use super::table::Adapter;

/// Further arguments of an adapter for programs of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageSupport {
    /// The language, as in [`Adapter::languages`].
    pub language: String,
    /// A program on PATH and its arguments; it prints the folder where the language is installed.
    pub ask: Vec<String>,
    /// Folder of the support below that one.
    pub below: String,
    /// Added to the adapter's command line; `${support}` is the folder.
    pub args: Vec<String>,
}

/// What is to be added to an adapter's command line for a program. Runs the language's tool: may take a moment.
pub fn support_arguments(
    adapter: &Adapter,
    facts: &ProgramFacts,
    context: &Context,
) -> Vec<String> {
    adapter
        .language_support
        .iter()
        .filter(|support| facts.languages.contains(&support.language))
        .filter_map(|support| {
            let (program, args) = support.ask.split_first()?;
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            let root = probe::ask(&context.on_path(program)?, &args, context)?;
            let folder = context.absolute(root.trim().as_ref()).join(&support.below);
            folder.is_dir().then(|| {
                let folder = folder.to_string_lossy();
                support
                    .args
                    .iter()
                    .map(|arg| arg.replace("${support}", &folder))
                    .collect::<Vec<_>>()
            })
        })
        .flatten()
        .collect()
}
