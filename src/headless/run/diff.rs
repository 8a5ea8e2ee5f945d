//! What changed between two stops in the same function: created, modified (with the value before) and deleted variables.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{fields::Field, prelude::*};

/// Paths like `item.price`, and what happened to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Changes {
    /// New ones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub created: BTreeMap<String, ValueField>,
    /// Other ones than before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub modified: BTreeMap<String, Modified>,
    /// Those that are gone, as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub deleted: BTreeMap<String, ValueField>,
}

/// A variable before and after.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Modified {
    /// Before.
    pub old: ValueField,
    /// Now.
    pub new: ValueField,
}

/// What makes `after` of `before`. Objects are compared part by part, everything else as a whole.
pub(super) fn changes(before: &Fields, after: &Fields) -> Changes {
    let mut out = Changes::default();
    compare(before, after, "", &mut out);
    out
}

fn compare(before: &Fields, after: &Fields, path: &str, out: &mut Changes) {
    let old: BTreeMap<&str, &Field> = by_name(before);
    let new: BTreeMap<&str, &Field> = by_name(after);
    for (name, field) in &new {
        let at = join(path, name);
        match old.get(name) {
            None => {
                out.created.insert(at, field.value.clone());
            }
            Some(was) => match (&was.value, &field.value) {
                (ValueField::Object(was), ValueField::Object(is)) => compare(was, is, &at, out),
                (was, is) if was == is => {}
                (was, is) => {
                    let modified = Modified {
                        old: was.clone(),
                        new: is.clone(),
                    };
                    out.modified.insert(at, modified);
                }
            },
        }
    }
    for (name, field) in &old {
        if !new.contains_key(name) {
            out.deleted.insert(join(path, name), field.value.clone());
        }
    }
}

fn by_name(fields: &Fields) -> BTreeMap<&str, &Field> {
    fields
        .0
        .iter()
        .map(|(name, field)| (name.as_str(), field))
        .collect()
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else if name.starts_with('[') {
        format!("{path}{name}")
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(list: &[(&str, ValueField)]) -> Fields {
        Fields(
            list.iter()
                .map(|(name, value)| {
                    let field = Field {
                        value: value.clone(),
                        ..Field::default()
                    };
                    ((*name).to_owned(), field)
                })
                .collect(),
        )
    }

    fn text(text: &str) -> ValueField {
        ValueField::Text(text.to_owned())
    }

    #[test]
    fn parts_are_compared_by_their_paths() {
        let before = fields(&[
            ("same", text("s")),
            ("gone", text("g")),
            (
                "item",
                ValueField::Object(fields(&[("price", text("1")), ("name", text("n"))])),
            ),
        ]);
        let after = fields(&[
            ("same", text("s")),
            ("new", text("x")),
            (
                "item",
                ValueField::Object(fields(&[("price", text("2")), ("name", text("n"))])),
            ),
        ]);
        let found = changes(&before, &after);
        assert_eq!(
            found.created,
            BTreeMap::from([("new".to_owned(), text("x"))])
        );
        assert_eq!(
            found.deleted,
            BTreeMap::from([("gone".to_owned(), text("g"))])
        );
        let price = Modified {
            old: text("1"),
            new: text("2"),
        };
        assert_eq!(
            found.modified,
            BTreeMap::from([("item.price".to_owned(), price)])
        );
        assert_eq!(changes(&after, &after), Changes::default());
    }
}
