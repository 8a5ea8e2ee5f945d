//! The person's rules: which action, on what, is allowed, asked about or denied. They are in a file of the person's own settings, never in
//! a project's, whose author need not be the person.

use crate::prelude::*;

/// Name of the file in the folder of the settings.
pub const FILE: &str = "permissions.toml";
/// Longest pattern in characters.
const LONGEST: usize = 1_000;

/// What a rule says; where several match, the strictest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    Allow,
    /// Ask a person.
    Ask,
    Deny,
}

/// One rule.
#[derive(Clone, Debug)]
struct Rule {
    tool: Regex,
    subject: Option<Regex>,
    ruling: Ruling,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    rule: Vec<WrittenRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    tool: String,
    subject: Option<String>,
    decision: Ruling,
}

impl Rules {
    /// Those of a folder of settings; none where it has no such file.
    pub fn load(config_dir: &Path) -> Result<Self, String> {
        let path = config_dir.join(FILE);
        let named = path.to_string_lossy();
        match fs::read_to_string(&path) {
            Ok(text) => Self::read(&text).map_err(|what| {
                format!("the permission rules in {named:?} cannot be used, so nothing is permitted: {what}")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!(
                "the permission rules in {named:?} cannot be read: {error}"
            )),
        }
    }

    /// Those that a text says. A word that is not known is an error: what is misspelt must not permit more.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: RulesFile = toml::from_str(text).in_words()?;
        let mut rules = Self::default();
        for rule in written.rule {
            rules.add(&rule.tool, rule.subject.as_deref(), rule.decision)?;
        }
        Ok(rules)
    }

    /// One more. `tool` and `subject` are globs: `*` is any text and `?` any character; without a subject, whatever it is.
    pub fn add(&mut self, tool: &str, subject: Option<&str>, ruling: Ruling) -> Result<(), String> {
        // As the tools are called over MCP, too.
        let bare = ["debug_", "debug."].into_iter();
        let bare = bare.fold(tool, |tool, prefix| {
            tool.strip_prefix(prefix).unwrap_or(tool)
        });
        self.0.push(Rule {
            tool: glob(bare)?,
            subject: subject.map(glob).transpose()?,
            ruling,
        });
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What they say of an action.
    pub fn of(&self, action: &str, subject: &str) -> Option<Ruling> {
        let matching = self.0.iter().filter(|rule| {
            let on = rule.subject.as_ref();
            rule.tool.is_match(action) && on.is_none_or(|on| on.is_match(subject))
        });
        matching.map(|rule| rule.ruling).max()
    }
}

/// A glob as a regular expression.
fn glob(pattern: &str) -> Result<Regex, String> {
    if pattern.trim().is_empty() || pattern.chars().count() > LONGEST {
        return Err(format!(
            "a pattern has 1 to {LONGEST} characters (* for anything), not {:?}",
            pattern.chars().take(40).collect::<String>()
        ));
    }
    let escaped = regex::escape(pattern);
    let escaped = escaped.replace(r"\*", ".*").replace(r"\?", ".");
    Regex::new(&format!(r"(?s)\A{escaped}\z")).in_words()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_of_the_rules_that_match_counts() {
        let rules = Rules::read(
            r#"
            [[rule]]
            tool = "debug_evaluate"
            subject = "len(*)"
            decision = "allow"
            [[rule]]
            tool = "ev?luate"
            subject = "*secret*"
            decision = "deny"
            [[rule]]
            tool = "step_*"
            decision = "ask"
            "#,
        )
        .unwrap();
        assert_eq!(rules.of("evaluate", "len(a)"), Some(Ruling::Allow));
        assert_eq!(rules.of("evaluate", "len(\na)"), Some(Ruling::Allow));
        assert_eq!(rules.of("evaluate", "len(secret)"), Some(Ruling::Deny));
        assert_eq!(rules.of("evaluate", "len(a) + 1"), None);
        assert_eq!(rules.of("step_in", ""), Some(Ruling::Ask));
        assert_eq!(rules.of("stepping", ""), None);
        // What means something in a regular expression means itself.
        assert_eq!(rules.of("evaluate", "lenn"), None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_and_quoted() {
        for (text, quoted) in [
            ("[[rule]]\ntool = \"x\"\ndecision = \"alow\"", "alow"),
            ("[[rule]]\ntool = \"x\"\ndecison = \"deny\"", "decison"),
            ("[[rules]]\ntool = \"x\"\ndecision = \"deny\"", "rules"),
            ("[[rule]]\ndecision = \"deny\"", "tool"),
            ("[[rule]]\ntool = \"\"\ndecision = \"deny\"", "\"\""),
            ("[[rule]\n", "1"),
        ] {
            let error = Rules::read(text).unwrap_err();
            assert!(error.contains(quoted), "{text}: {error}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert!(Rules::default().add(&long, None, Ruling::Deny).is_err());
    }

    #[test]
    fn a_folder_without_the_file_has_no_rules_and_a_broken_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Rules::load(folder.path()).unwrap().is_empty());
        let path = folder.path().join(FILE);
        fs::write(&path, "[[rule]]\ntool = \"*\"\ndecision = \"deny\"").unwrap();
        assert_eq!(
            Rules::load(folder.path()).unwrap().of("x", ""),
            Some(Ruling::Deny)
        );
        fs::write(&path, "rule = 7").unwrap();
        let error = Rules::load(folder.path()).unwrap_err();
        assert!(error.contains(FILE) && error.contains('7'), "{error}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = Rules::load(folder.path()).unwrap_err();
        assert!(error.contains("cannot be read"), "{error}");
    }
}
