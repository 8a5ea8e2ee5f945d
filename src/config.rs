//! The settings file, `$XDG_CONFIG_HOME/omp-debug/config.toml`: what can stand in it, and what does.
//!
//! Nothing in it is required. A line that cannot be understood is reported with its number and left out; the rest holds.
//! Command-line options win over the file; that is `cli.rs`' business.

use std::{fmt::Write as _, path::Path, time::Duration};

use serde::{Deserialize as _, de::IntoDeserializer as _};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    debugger::{
        Console,
        core::{self, HOOK_EVENTS, Hook, WhileStopped},
        permission::Mode,
        previews::RuleText,
    },
    text::nearest::did_you_mean,
    tui::{self, action::keymap::Binding, term::capabilities::ColourChoice},
};

/// One setting as it is documented: in `--help`, in the sample file, in warnings.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub key: &'static str,
    /// An example value, in TOML; the default where there is one.
    pub example: &'static str,
    pub about: &'static str,
}

const fn setting(key: &'static str, example: &'static str, about: &'static str) -> Setting {
    Setting {
        key,
        example,
        about,
    }
}

/// All settings, in the order of the sample file.
pub const SETTINGS: &[Setting] = &[
    setting(
        "theme",
        "\"auto\"",
        "auto (ask the terminal for its background), dark, light or mono",
    ),
    setting(
        "color",
        "\"auto\"",
        "auto (by the terminal and NO_COLOR), always or never",
    ),
    setting(
        "ascii",
        "false",
        "draw with ASCII characters only; without this the locale decides",
    ),
    setting(
        "mouse",
        "true",
        "click, scroll and drag; with false the terminal's own selection works (`m` changes it)",
    ),
    setting(
        "adapter",
        "\"debugpy\"",
        "the adapter to use when several fit; without this the best one that is installed",
    ),
    setting(
        "console",
        "\"internal\"",
        "where a launched program prints: internal (through the adapter), pipe (fastest), pty (it sees a terminal) or external (a window of $TERMINAL)",
    ),
    setting(
        "typed_while_stopped",
        "\"warn\"",
        "what is typed into the terminal of a program that stands still: warn (it waits, and that is said), off (it waits) or error (it is refused)",
    ),
    setting(
        "plain_adapter",
        "false",
        "start adapters without what makes them faster",
    ),
    setting(
        "own_code",
        "true",
        "steps keep to your own code; with false they go into libraries as well (Alt-O while debugging)",
    ),
    setting(
        "eval_timeout",
        "5",
        "seconds that an expression may take; then it is given up, and a watch is set aside",
    ),
    setting(
        "path_map",
        "[\"/home/ada/app=/srv/app\"]",
        "folders that lie elsewhere for the program: LOCAL=REMOTE, as in containers",
    ),
    setting(
        "debug.enabled",
        "true",
        "the debug tool for scripts and programs (`call`); with false it has no actions, and only people debug",
    ),
    setting(
        "debug.redact",
        "true",
        "hide what looks like a secret in what the debug tool tells; the screen shows everything",
    ),
];

/// The settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// What the screen has to know, and what was wrong with the file.
    pub screen: tui::Settings,
    /// What the core has to know.
    pub core: core::Settings,
    /// `adapter`.
    pub adapter: Option<String>,
    /// `console`.
    pub console: Console,
    /// What actors that are not people may do; the command line's alone to say.
    pub permission: Option<Mode>,
    /// `own_code`; on unless `false`.
    pub own_code: Option<bool>,
    /// `debug.enabled`; on unless `false`.
    pub debug_enabled: Option<bool>,
    /// `debug.redact`; on unless `false`.
    pub debug_redact: Option<bool>,
    /// `[[preview]]`: what values show, before our own rules.
    pub previews: Vec<RuleText>,
}

impl Config {
    /// Reads the file: `wanted` must exist, `config.toml` in our folder need not. The error says why it cannot be used at all.
    pub fn load(wanted: Option<&Path>, folder: &Path) -> Result<Self, String> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let path = wanted.map_or_else(|| folder.join("config.toml"), Path::to_path_buf);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if wanted.is_none() && [NotFound, NotADirectory].contains(&error.kind()) => {
                Ok(Self::default())
            }
            Err(why) => {
                let path = path.to_string_lossy();
                Err(format!("the settings file {path:?} cannot be read: {why}"))
            }
        }
    }

    /// Takes in the text of the file at `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let place = |offset: usize| format!("{}:{}", path.display(), line_of(text, offset));
        let (table, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            let told = |error: &toml::de::Error| {
                let place = place(error.span().map_or(0, |span| span.start));
                format!("{place}: {}", error.message())
            };
            let told: Vec<String> = errors.iter().map(told).collect();
            return Err(format!(
                "{}; correct it, or move the file away to start without it",
                told.join("\n")
            ));
        }
        let mut config = Self::default();
        config.screen.file = Some(path.to_path_buf());
        let mut troubles = Vec::new();
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("keys", DeValue::Table(keys)) => {
                    read_keys("", keys, text, &mut config.screen.keys, &mut troubles);
                }
                ("keys", other) => troubles.push((
                    value.span().start,
                    format!(
                        "`keys` is a table, not {}: write [keys] on a line of its own",
                        a(other)
                    ),
                )),
                ("preview", DeValue::Array(rules)) => {
                    for rule in rules {
                        match written(rule.get_ref()).and_then(RuleText::own) {
                            Ok(rule) => config.previews.push(rule),
                            Err(why) => troubles
                                .push((rule.span().start, format!("a preview is left out: {why}"))),
                        }
                    }
                }
                ("hook", DeValue::Array(hooks)) => {
                    for found in hooks {
                        match hook(found) {
                            Ok(hook) => config.core.hooks.push(hook),
                            Err(why) => troubles
                                .push((found.span().start, format!("a hook is left out: {why}"))),
                        }
                    }
                }
                ("debug", DeValue::Table(inner)) => {
                    for (key, value) in inner {
                        let set = config.set(&format!("debug.{}", key.get_ref()), value.get_ref());
                        troubles.extend(set.err().map(|why| (key.span().start, why)));
                    }
                }
                (name, value) => {
                    let set = config.set(name, value);
                    troubles.extend(set.err().map(|why| (key.span().start, why)));
                }
            }
        }
        let told = troubles.into_iter();
        config.screen.warnings = told
            .map(|(offset, sentence)| format!("{}: {sentence}", place(offset)))
            .collect();
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        match key {
            "theme" => {
                let name = text(key, value)?;
                self.screen.theme = match name {
                    "auto" => None,
                    name => Some(
                        name.parse()
                            .map_err(|e: tui::theme::UnknownTheme| e.to_string())?,
                    ),
                };
            }
            "color" => {
                self.screen.colour = Some(match text(key, value)? {
                    "auto" => ColourChoice::Auto,
                    "always" => ColourChoice::Always,
                    "never" => ColourChoice::Never,
                    other => {
                        return Err(format!(
                            "`color` cannot be {other:?}: write auto, always or never"
                        ));
                    }
                });
            }
            "console" => {
                self.console = match text(key, value)? {
                    "internal" => Console::Internal,
                    "pipe" => Console::Pipe,
                    "pty" => Console::Pty,
                    "external" => Console::External,
                    other => {
                        return Err(format!(
                            "`console` cannot be {other:?}: write internal, pipe, pty or external"
                        ));
                    }
                };
            }
            "typed_while_stopped" => {
                self.core.typed_while_stopped = match text(key, value)? {
                    "off" => WhileStopped::Off,
                    "warn" => WhileStopped::Warn,
                    "error" => WhileStopped::Error,
                    other => {
                        return Err(format!(
                            "`{key}` cannot be {other:?}: write warn, off or error"
                        ));
                    }
                };
            }
            "adapter" => self.adapter = Some(text(key, value)?.to_owned()),
            "ascii" => self.screen.ascii = Some(flag(key, value)?),
            "mouse" => self.screen.mouse = Some(flag(key, value)?),
            "debug.enabled" => self.debug_enabled = Some(flag(key, value)?),
            "debug.redact" => self.debug_redact = Some(flag(key, value)?),
            "own_code" => self.own_code = Some(flag(key, value)?),
            "plain_adapter" => self.core.plain_adapter = flag(key, value)?,
            "eval_timeout" => {
                let number = match value {
                    DeValue::Integer(n) => n.as_str().parse().ok(),
                    DeValue::Float(n) => n.as_str().parse().ok(),
                    _ => None,
                };
                let seconds = number.filter(|n: &f64| (0.1..=86_400.0).contains(n));
                let seconds = seconds.map(Duration::from_secs_f64);
                self.core.eval_timeout = seconds.ok_or_else(|| {
                    format!(
                        "`{key}` is a number of seconds from 0.1 to 86400, not {}",
                        a(value)
                    )
                })?;
            }
            "path_map" => {
                let list = value
                    .as_array()
                    .ok_or_else(|| format!("`{key}` is a list of texts, not {}", a(value)))?;
                self.core.path_mappings = list
                    .iter()
                    .map(|pair| text(key, pair.get_ref())?.parse())
                    .collect::<Result<_, _>>()?;
            }
            _ => {
                let known: Vec<&str> = SETTINGS.iter().map(|s| s.key).collect();
                return Err(match did_you_mean(key, known.iter().copied()).as_str() {
                    "" => format!(
                        "there is no setting {key:?}; there are {} and [keys]",
                        known.join(", ")
                    ),
                    near => format!("there is no setting {key:?}{near}"),
                });
            }
        }
        Ok(())
    }

    /// A settings file with every setting, commented out.
    pub fn sample() -> String {
        let mut out = String::from(
            "# Settings of omp-debug. Remove the # in front of what you want to change.\n",
        );
        for setting in SETTINGS {
            // Writing to a String cannot fail.
            let _ = write!(
                out,
                "\n# {}\n# {} = {}\n",
                setting.about, setting.key, setting.example
            );
        }
        out.push_str(
            "\n# Keys by the action's name, which help (?) and palette (:) show. A list gives several, [] takes the key away.\n\
             # [keys]\n# \"debug.step-over\" = [\"f10\", \"n\"]\n\
             \n# What values of a type show in one line: {a.b} is the part b of the part a. Or `as`: list, map, tuple, fields.\n\
             # [[preview]]\n# type = \"Money\"\n# show = \"{amount} {currency}\"\n\
             \n# What is run when something happens (stopped, continued, output, exited, terminated, or * for all), with the event as JSON\n\
             # on its standard input.\n# [[hook]]\n# on = \"stopped\"\n# run = [\"notify-send\", \"Stopped\"]\n",
        );
        out
    }
}

/// A hook: what it is for, and what is run.
fn hook(value: &Spanned<DeValue<'_>>) -> Result<Hook, String> {
    let read = Hook::deserialize(value.clone().into_deserializer());
    let is_known = |on: &str| on == "*" || HOOK_EVENTS.contains(&on);
    let hook = read.ok().filter(|hook| is_known(&hook.on));
    hook.filter(|hook| !hook.run.is_empty()).ok_or_else(|| {
        format!(
            "write on = \"stopped\" (or {}, or *) and run = [\"program\", \"argument\"]",
            HOOK_EVENTS[1..].join(", ")
        )
    })
}

/// A rule with all of its texts.
fn written(rule: &DeValue<'_>) -> Result<toml::Table, String> {
    let table = rule
        .as_table()
        .ok_or("write [[preview]] on a line of its own")?;
    let texts = table.iter().map(|(key, value)| {
        let name = key.get_ref().to_string();
        let text = text(&name, value.get_ref())?;
        Ok((name, toml::Value::from(text)))
    });
    texts.collect()
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|b| *b == b'\n').count() + 1
}

fn a(value: &DeValue<'_>) -> String {
    match value.type_str() {
        word if word.starts_with(['a', 'i', 'o']) => format!("an {word}"),
        word => format!("a {word}"),
    }
}

fn text<'v>(key: &str, value: &'v DeValue<'_>) -> Result<&'v str, String> {
    value
        .as_str()
        .ok_or_else(|| format!("`{key}` is a text in quotes, not {}", a(value)))
}

fn flag(key: &str, value: &DeValue<'_>) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("`{key}` is true or false, not {}", a(value)))
}

/// `"debug.step-over" = "f10"` and, as TOML reads names without quotes, `[keys.debug] step-over = "f10"`.
fn read_keys(
    prefix: &str,
    table: &DeTable<'_>,
    text: &str,
    bindings: &mut Vec<Binding>,
    troubles: &mut Vec<(usize, String)>,
) {
    for (key, value) in table {
        let id = if prefix.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{prefix}.{}", key.get_ref())
        };
        let keys = match value.get_ref() {
            DeValue::Table(inner) => {
                read_keys(&id, inner, text, bindings, troubles);
                continue;
            }
            DeValue::String(one) => Some(vec![one.to_string()]),
            DeValue::Array(several) => several
                .iter()
                .map(|v| v.get_ref().as_str().map(str::to_owned))
                .collect(),
            _ => None,
        };
        match keys {
            Some(keys) => bindings.push(Binding {
                id,
                keys,
                line: line_of(text, key.span().start),
            }),
            None => troubles.push((
                key.span().start,
                format!(
                    "the keys of {id:?} are a text or a list of texts, not {}",
                    a(value.get_ref())
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::ThemeName;

    fn parse(text: &str) -> Config {
        Config::parse(text, Path::new("c.toml")).unwrap()
    }

    #[test]
    fn settings_and_keys_are_read() {
        let config = parse(
            "theme = 'light'\ncolor = 'never'\nmouse = false\nconsole = 'pty'\n\n[keys]\n\"debug.step-over\" = 'f8'\ndebug.step-in = ['f7', 'i']\n",
        );
        assert_eq!(config.screen.theme, Some(ThemeName::Light));
        assert_eq!(config.screen.colour, Some(ColourChoice::Never));
        assert_eq!(config.screen.mouse, Some(false));
        assert_eq!(config.console, Console::Pty);
        assert_eq!(config.screen.warnings, Vec::<String>::new());
        let mut keys = config.screen.keys;
        keys.sort_by_key(|b| b.line);
        assert_eq!(
            keys,
            [
                Binding {
                    id: "debug.step-over".into(),
                    keys: vec!["f8".into()],
                    line: 7
                },
                Binding {
                    id: "debug.step-in".into(),
                    keys: vec!["f7".into(), "i".into()],
                    line: 8
                },
            ]
        );
    }

    #[test]
    fn the_tool_has_settings_of_its_own() {
        let config = parse("mouse = true\n[debug]\nenabled = false\nredact = false\n");
        assert_eq!(config.screen.warnings, Vec::<String>::new());
        assert_eq!(
            (config.debug_enabled, config.debug_redact),
            (Some(false), Some(false))
        );
        assert_eq!(parse("debug.enabled = true").debug_enabled, Some(true));
        let config = parse("\n[debug]\nenabeld = false\n");
        assert_eq!(config.debug_enabled, None);
        let warning = &config.screen.warnings[0];
        assert!(
            warning.starts_with("c.toml:3: ") && warning.contains("did you mean debug.enabled"),
            "{warning}"
        );
    }

    #[test]
    fn hooks_are_read_and_what_is_none_is_told() {
        let config = parse(
            "typed_while_stopped = 'error'\n[[hook]]\non = 'stopped'\nrun = ['a', 'b c']\n[[hook]]\non = 'stoped'\nrun = ['a']\n[[hook]]\non = '*'\nrun = []\n",
        );
        let hook = Hook {
            on: "stopped".into(),
            run: vec!["a".into(), "b c".into()],
        };
        assert_eq!(
            (config.core.hooks, config.core.typed_while_stopped),
            (vec![hook], WhileStopped::Error)
        );
        assert_eq!(
            config.screen.warnings.len(),
            2,
            "{:?}",
            config.screen.warnings
        );
        assert!(config.screen.warnings[0].starts_with("c.toml:5: a hook is left out: write on = "));
    }

    #[test]
    fn what_cannot_be_understood_is_reported_with_its_line_and_left_out() {
        let config = parse(
            "mouse = 'no'\n\ntheem = 'dark'\ntheme = 'pink'\nascii = true\n[keys]\nx.y = 3\n",
        );
        assert_eq!(config.screen.ascii, Some(true));
        let mut warnings = config.screen.warnings;
        warnings.sort();
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        for (warning, parts) in warnings.iter().zip([
            ["c.toml:1: ", "`mouse` is true or false, not a string"],
            ["c.toml:3: ", "no setting \"theem\""],
            ["c.toml:4: ", "\"pink\""],
            ["c.toml:7: ", "\"x.y\" are a text or a list"],
        ]) {
            assert!(parts.iter().all(|p| warning.contains(p)), "{warning}");
        }
        let error = Config::parse("a = 1\nb = = 2\n", Path::new("c.toml")).unwrap_err();
        assert!(error.starts_with("c.toml:2: "), "{error}");
        let error = Config::parse("a = 1\nb = = 2\nc = 1\nd = ]\n", Path::new("c.toml"));
        let told = error.unwrap_err();
        let lines: Vec<_> = told.lines().filter_map(|line| line.get(..9)).collect();
        assert!(
            lines.contains(&"c.toml:2:") && lines.contains(&"c.toml:4:"),
            "{told}"
        );
    }

    #[test]
    fn the_sample_names_every_setting_and_holds_when_its_marks_are_removed() {
        let sample = Config::sample();
        let real: String = sample
            .lines()
            .filter_map(|l| l.strip_prefix("# "))
            .filter(|l| l.contains(" = ") || l.starts_with('['))
            .flat_map(|l| [l, "\n"])
            .collect();
        let config = parse(&real);
        assert_eq!(config.screen.warnings, Vec::<String>::new(), "{real}");
        assert_eq!(config.screen.keys.len(), 1);
        assert_eq!(config.console, Console::Internal);
        assert!(
            SETTINGS
                .iter()
                .all(|s| real.contains(&format!("{} = ", s.key)))
        );
    }

    #[test]
    fn a_missing_default_file_is_no_trouble_and_a_missing_named_one_is() {
        for folder in ["/nonexistent-home/.config/omp-debug", "/dev/null/omp-debug"] {
            assert_eq!(
                Config::load(None, Path::new(folder)).unwrap(),
                Config::default()
            );
        }
        let missing = Path::new("/nonexistent.toml");
        let error = Config::load(Some(missing), missing).unwrap_err();
        assert!(error.contains("/nonexistent.toml"), "{error}");
    }
}
