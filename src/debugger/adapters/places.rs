//! Names and path templates of the table, as they stand for files of this machine.

use crate::prelude::*;

/// Names that are to be looked for; one with a slash is a path already.
pub fn bare(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().filter(|name| !name.contains('/'))
}

/// The names, then NAME-A down to NAME-B for each of them.
pub fn with_versions(names: &[String], versions: Option<[u32; 2]>) -> Vec<String> {
    let mut all = names.to_vec();
    if let Some([newest, oldest]) = versions {
        all.extend(names.iter().flat_map(|name| {
            (oldest..=newest)
                .rev()
                .map(move |version| format!("{name}-{version}"))
        }));
    }
    all
}

/// Fills the placeholders of a template; nothing when one of them has no value here.
pub fn expand(template: &str, context: &Context) -> Option<String> {
    substitute(template, |name| value(name, context))
}

/// Fills the placeholders that have a value now, and leaves those that a launch fills. As in a shell, a variable that is not
/// set is empty.
pub fn filled(text: &str, context: &Context) -> String {
    let known = |name: &str| match name.strip_prefix("env:") {
        Some(variable) => Some(context.var(variable).unwrap_or_default().to_owned()),
        None => value(name, context).or_else(|| Some(format!("${{{name}}}"))),
    };
    substitute(text, known).unwrap_or_else(|| text.to_owned())
}

fn substitute(template: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}')?;
        text.push_str(before);
        text.push_str(&value(name)?);
        rest = behind;
    }
    text.push_str(rest);
    Some(text)
}

fn value(name: &str, context: &Context) -> Option<String> {
    Some(match name {
        "home" => context.home.as_ref()?.lossy(),
        "data_home" => context.data_home()?.lossy(),
        "platform" => platform(),
        _ => context.var(name.strip_prefix("env:")?)?.to_owned(),
    })
}

/// This machine as Node's packages spell it.
fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}-{architecture}")
}

/// The paths a template with `*` in its components stands for, the greatest names first, numbers by value.
pub fn glob(template: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    for part in template.components() {
        let text = part.as_os_str().to_string_lossy();
        let Some((start, end)) = text.split_once('*') else {
            for path in &mut paths {
                path.push(part);
            }
            continue;
        };
        paths = paths
            .iter()
            .filter_map(|dir| fs::read_dir(dir).ok())
            .flat_map(|entries| {
                let mut names: Vec<_> = entries
                    .take(10_000)
                    .flatten()
                    .filter(|entry| {
                        let name = entry.file_name();
                        let name = name.to_string_lossy();
                        name.len() >= start.len() + end.len()
                            && name.starts_with(start)
                            && name.ends_with(end)
                    })
                    .map(|entry| entry.path())
                    .collect();
                names.sort_by_key(|path| std::cmp::Reverse(natural(path)));
                names
            })
            .collect();
    }
    paths
}

/// A key that sorts `name-9` before `name-10`.
fn natural(path: &Path) -> Vec<(u64, String)> {
    let text = path.to_string_lossy();
    text.split_inclusive(|c: char| !c.is_ascii_digit())
        .map(|piece| {
            let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
            (digits.parse().unwrap_or(0), piece.to_owned())
        })
        .collect()
}
