//! The command that opens a file at a line in the person's editor.
//!
//! Pure: the environment comes in, an argument list goes out. Lending the terminal to it is the loop's business.

use std::{ffi::OsString, path::Path};

/// Program and arguments; `line` is 1-based. `$VISUAL` wins over `$EDITOR` over `vi`; options in them are kept.
pub fn command(variable: impl Fn(&str) -> Option<String>, path: &Path, line: i64) -> Vec<OsString> {
    let wanted = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| variable(name).filter(|v| !v.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    let mut argv: Vec<OsString> = wanted.split_whitespace().map(OsString::from).collect();
    let program = argv
        .first()
        .and_then(|p| Path::new(p).file_stem())
        .map(|p| p.to_string_lossy().into_owned())
        .unwrap_or_default();
    let line = line.max(1);
    let at_line = || {
        let mut place = path.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    // How an editor is told the line.
    match &*program {
        "vi" | "vim" | "nvim" | "view" | "gvim" | "nano" | "pico" | "emacs" | "emacsclient"
        | "micro" | "kak" | "joe" | "jed" | "mg" | "ne" | "mcedit" | "ed" | "ex" | "elvis"
        | "nvi" | "vis" | "gedit" => {
            argv.push(format!("+{line}").into());
            argv.push(path.as_os_str().to_owned());
        }
        "hx" | "helix" | "subl" | "zed" | "lapce" => argv.push(at_line()),
        "code" | "codium" | "code-insiders" | "cursor" | "windsurf" => {
            argv.push("--wait".into());
            argv.push("--goto".into());
            argv.push(at_line());
        }
        _ => argv.push(path.as_os_str().to_owned()),
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        let with = |visual: Option<&str>, editor: Option<&str>| {
            let (visual, editor) = (visual.map(str::to_owned), editor.map(str::to_owned));
            command(
                move |name| match name {
                    "VISUAL" => visual.clone(),
                    _ => editor.clone(),
                },
                Path::new("/w/a b.py"),
                12,
            )
            .into_iter()
            .map(|a| a.into_string().unwrap())
            .collect::<Vec<_>>()
        };
        assert_eq!(with(None, None), ["vi", "+12", "/w/a b.py"]);
        assert_eq!(
            with(Some("/usr/bin/nvim -R"), Some("nano")),
            ["/usr/bin/nvim", "-R", "+12", "/w/a b.py"]
        );
        assert_eq!(with(Some(" "), Some("hx")), ["hx", "/w/a b.py:12"]);
        assert_eq!(
            with(None, Some("code")),
            ["code", "--wait", "--goto", "/w/a b.py:12"]
        );
        assert_eq!(with(None, Some("my-editor")), ["my-editor", "/w/a b.py"]);
    }
}
