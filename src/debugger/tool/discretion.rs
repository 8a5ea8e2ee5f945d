//! What is told to others of a program's values: everything but secrets, unless somebody wants those, too.
//!
//! How a secret is known is the matter of [`base::text::redact`]; here is which name belongs to which value. What was hidden for
//! its name is hidden from then on wherever else it appears, in all clones.

use serde_json::Value;

use base::text::redact::{Redactor, Stream};

/// Whether secrets are hidden, and which are known. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Discretion(Option<Redactor>);

impl Default for Discretion {
    /// Hides what looks like a secret, and what has a secret's name.
    fn default() -> Self {
        Self(Some(Redactor::new().learning()))
    }
}

impl From<Redactor> for Discretion {
    fn from(redactor: Redactor) -> Self {
        Self(Some(redactor))
    }
}

impl Discretion {
    /// Hides also the values of those variables whose names say that they are secret.
    pub fn knowing<K: AsRef<str>, V: AsRef<str>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self(Some(Redactor::new().with_secrets(variables).learning()))
    }

    /// Hides nothing.
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether nothing is hidden.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Text of any kind.
    pub fn text(&self, text: String) -> String {
        match &self.0 {
            Some(redactor) => redactor.redact(&text).into_owned(),
            None => text,
        }
    }

    /// The value of a variable or an expression.
    pub fn value(&self, of: &str, value: String) -> String {
        let Some(redactor) = &self.0 else {
            return value;
        };
        // What is calculated from a secret need not be one: `len(password)`.
        let is_name = !of.contains(['(', ' ', '+', '=', '<', '>']);
        let alone = redactor.redact_value(Some(of).filter(|_| is_name), &value);
        if alone != value {
            return alone.into_owned();
        }
        // A name may stand at an expression's end: `user.password`, `config["token"]`.
        let before = format!("{of} = ");
        let line = format!("{before}{value}");
        let clean = redactor.redact(&line);
        match clean.strip_prefix(&before) {
            Some(clean) if clean != value => {
                redactor.learn(value.trim_matches(['"', '\'', '`']));
                clean.to_owned()
            }
            _ => value,
        }
    }

    /// Every text in `value`, by the names of the members they stand in.
    pub fn json(&self, value: &mut Value) {
        if let Some(redactor) = &self.0 {
            redactor.redact_json(value);
            // A secret may have shown its name only after another member with it was done.
            if redactor.has_learned() {
                redactor.redact_json(value);
            }
        }
    }

    /// For text that comes in pieces; none when nothing is hidden.
    pub fn stream(&self) -> Option<Stream> {
        self.0.as_ref().map(Redactor::stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(of: &str, value: &str) -> String {
        Discretion::default().value(of, value.to_owned())
    }

    #[test]
    fn a_value_is_judged_by_the_name_it_has() {
        for secret in [
            "password",
            "user.password",
            "config[\"api_key\"]",
            "self.db_password",
        ] {
            let value = told(secret, "'wolf-hound-77'");
            assert!(
                value.contains("[redacted:") && !value.contains("wolf"),
                "{secret}: {value}"
            );
        }
        for (plain, value) in [
            ("passenger", "'wolf-hound-77'"),
            ("len(password)", "13"),
            ("password == other", "False"),
            ("max_tokens", "4096"),
            ("rows[0].name", "'ada'"),
        ] {
            assert_eq!(told(plain, value), value, "{plain}");
        }
    }

    #[test]
    fn what_has_a_secrets_name_once_is_hidden_everywhere() {
        let discretion = Discretion::default();
        let list = || "['wolf-hound-77', 'a']".to_owned();
        assert_eq!(discretion.value("lst", list()), list());
        discretion.value("user.password", "'wolf-hound-77'".to_owned());
        let shown = discretion.clone().value("lst", list());
        assert!(
            shown.starts_with("['[redacted:") && shown.ends_with("]', 'a']"),
            "{shown}"
        );
        let mut fields = serde_json::json!({"lst": list(), "all": [{"name": "token", "value": "sheep-in-99"}], "z": "sheep-in-99"});
        discretion.json(&mut fields);
        let told = fields.to_string();
        assert!(!told.contains("wolf") && !told.contains("sheep"), "{told}");
    }

    #[test]
    fn nothing_is_hidden_from_those_who_want_it_all() {
        let all = Discretion::none();
        assert_eq!(all.value("password", "'x-77-y'".to_owned()), "'x-77-y'");
        assert_eq!(all.text("password=x-77-y".to_owned()), "password=x-77-y");
        assert!(all.stream().is_none());
    }
}
