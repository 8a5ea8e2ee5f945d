//! What a language's own tools bring for a debugger: Rust's pretty printers for gdb, for one.
//!
//! The tool is asked where it is installed; without it, or without the folder, the debugger starts as it would anyway.

use super::{adapter::LanguageSupport, probe, program::ProgramFacts, resolve::asset};
use crate::prelude::*;

/// What a row brings that makes values readable.
const VALUES: &str = "values";

/// Adds what a program's languages bring to an adapter's command line and to the arguments of a start, and says where values will be raw
/// for want of it. Runs the language's tool: may take a moment.
pub fn add_support(
    adapter: &Adapter,
    facts: &ProgramFacts,
    context: &Context,
    argv: &mut Vec<String>,
    arguments: &mut Value,
) -> Vec<String> {
    let rows = adapter.language_support.iter();
    let rows: Vec<_> = rows
        .filter(|row| facts.languages.contains(&row.language))
        .collect();
    let mut roots = HashMap::new();
    let mut warnings = Vec::new();
    for support in rows {
        // Several rows ask the same.
        let root = roots
            .entry(&support.ask)
            .or_insert_with(|| answer(&support.ask, context));
        let folder = root
            .as_deref()
            .and_then(|root| below(support, root, context));
        let Some((folder, build)) = folder.and_then(|f| Some((f, build_of(support, context)?)))
        else {
            if support.brings == VALUES {
                let (name, language) = (&adapter.name, &support.language);
                let hint = &support.hint;
                warnings.push(format!("{name} shows {language} values raw: {hint}."));
            }
            continue;
        };
        let fill = |word: &String| {
            let word = asset(word).unwrap_or_else(|| word.clone());
            word.replace("${support}", &folder)
                .replace("${build}", &build)
        };
        give(&support.args, &support.init_commands, fill, argv, arguments);
    }
    warnings
}

/// Keeps steps out of what is not the person's own code, from the start on.
pub fn add_own_code(adapter: &Adapter, argv: &mut Vec<String>, arguments: &mut Value) {
    let Some(own_code) = &adapter.personality.launch.own_code else {
        return;
    };
    match &own_code.option {
        Some(option) => {
            let commands = own_code.on.iter();
            argv.extend(commands.flat_map(|command| [option.clone(), command.clone()]));
        }
        None => begin_with(own_code.on.clone(), arguments),
    }
}

/// Tells an adapter the program's terminal; `false` where there is no way to.
pub fn add_terminal(
    adapter: &Adapter,
    tty: &str,
    argv: &mut Vec<String>,
    arguments: &mut Value,
) -> bool {
    let shape = &adapter.personality.launch;
    let fill = |word: &String| word.replace("${tty}", tty);
    give(&shape.tty_args, &shape.tty_commands, fill, argv, arguments);
    !(shape.tty_args.is_empty() && shape.tty_commands.is_empty())
}

/// Makes a program of C's or C++'s print line by line, which takes its C library. What prints so by itself is left alone, and so is what
/// wants to be loaded before all others.
pub fn add_lines(adapter: &Adapter, facts: &ProgramFacts, argv: &mut Vec<String>) {
    let shape = &adapter.personality.launch;
    let has = |runtime| {
        let image = facts.image.as_ref();
        image.is_some_and(|image| image.runtimes.contains(&runtime))
    };
    let is_meant = has("glibc") && !has("rust") && !has("sanitizer");
    let library = shape.line_libraries.iter().find(|path| path.exists());
    if let Some(library) = library.filter(|_| is_meant) {
        let fill = |word: &String| word.replace("${library}", &library.lossy());
        argv.extend(shape.line_args.iter().map(fill));
    }
}

/// Adds words to an adapter's command line, and commands to those that come first, all filled in.
pub fn give(
    words: &[String],
    commands: &[String],
    fill: impl Fn(&String) -> String,
    argv: &mut Vec<String>,
    arguments: &mut Value,
) {
    argv.extend(words.iter().map(&fill));
    begin_with(commands.iter().map(&fill).collect(), arguments);
}

/// Adds commands before the person's own, which may change what these did.
fn begin_with(commands: Vec<String>, arguments: &mut Value) {
    if commands.is_empty() {
        return;
    }
    let own = arguments.get("initCommands").and_then(Value::as_array);
    let own = own.cloned().unwrap_or_default();
    let all: Vec<_> = commands.into_iter().map(Value::from).chain(own).collect();
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.put("initCommands", json!(all));
    }
}

/// What a tool prints; nothing where none has to be asked.
fn answer(words: &[String], context: &Context) -> Option<String> {
    let Some((program, args)) = words.split_first() else {
        return Some(String::new());
    };
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    probe::ask(&context.on_path(program)?, &args, context)
}

/// Which build of the language is here; empty where that does not matter.
fn build_of(support: &LanguageSupport, context: &Context) -> Option<String> {
    let Some((words, pattern)) = &support.build else {
        return Some(String::new());
    };
    let said = answer(words, context)?;
    Some(pattern.captures(&said)?.get(1)?.as_str().to_owned())
}

/// Where the support is, if it is here.
fn below(support: &LanguageSupport, root: &str, context: &Context) -> Option<String> {
    let folder = context.absolute(root.trim().as_ref()).join(&support.below);
    let is_here = folder.is_dir();
    is_here.then(|| folder.lossy())
}

/// What languages bring for an adapter, for the doctor: `; rust values by /usr/lib/rustlib/etc`.
pub fn formatters(adapter: &Adapter, context: &Context) -> String {
    let supports = adapter.language_support.iter();
    let supports = supports.filter(|support| !support.ask.is_empty());
    let told = supports.map(|support| {
        let (language, brings) = (&support.language, &support.brings);
        let root = answer(&support.ask, context);
        match root.and_then(|root| below(support, &root, context)) {
            Some(folder) => format!("; {language} {brings} by {folder}"),
            None => format!("; no {language} {brings}: {}", support.hint),
        }
    });
    let libraries = adapter.formatters.iter().map(|(library, folder)| {
        if folder.as_os_str().is_empty() {
            return format!("; {library} values by itself");
        }
        let folder_name = folder.display();
        if folder.is_dir() {
            format!("; {library} values by {folder_name}")
        } else {
            format!("; no {library} values: there is no {folder_name}")
        }
    });
    let raw = adapter.no_formatters.iter();
    let raw = raw.map(|runtime| format!("; no {runtime} values: LLDB has them"));
    told.chain(libraries).chain(raw).collect()
}
