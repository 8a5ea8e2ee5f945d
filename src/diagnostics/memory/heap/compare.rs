//! Two heap files side by side: what came and what went, by constructor.

use super::{Class, Heap};
use crate::prelude::*;

/// How the objects of one constructor changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The constructor's name. Foreign text.
    pub name: String,
    /// How many more.
    pub count: i64,
    /// How many more of their own bytes.
    pub shallow: i64,
    /// How many more bytes they retain.
    pub retained: i64,
    pub before: Class,
    pub after: Class,
}

/// What changed from `before` to `after`; what grew most by itself first, what shrank most last.
pub fn compare(before: &Heap, after: &Heap) -> Vec<Difference> {
    let mut old: HashMap<&str, &Class> = before
        .classes
        .iter()
        .map(|class| (class.name.as_str(), class))
        .collect();
    let none = Class::default();
    let mut rows: Vec<Difference> = Vec::new();
    for class in &after.classes {
        let before = old.remove(class.name.as_str()).unwrap_or(&none);
        rows.push(difference(&class.name, before, class));
    }
    rows.extend(
        old.into_values()
            .map(|class| difference(&class.name, class, &none)),
    );
    rows.retain(|row| (row.count, row.shallow, row.retained) != (0, 0, 0));
    rows.sort_by(|a, b| {
        (b.shallow, b.retained, b.count, &a.name).cmp(&(a.shallow, a.retained, a.count, &b.name))
    });
    rows
}

fn difference(name: &str, before: &Class, after: &Class) -> Difference {
    let change = |before: u64, after: u64| after.checked_signed_diff(before).unwrap_or(i64::MAX);
    Difference {
        name: name.to_owned(),
        count: change(before.count, after.count),
        shallow: change(before.shallow, after.shallow),
        retained: change(before.retained, after.retained),
        before: before.clone(),
        after: after.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(classes: &[(&str, u64, u64)]) -> Heap {
        let class = |(name, count, shallow): &(&str, u64, u64)| Class {
            name: (*name).to_owned(),
            count: *count,
            shallow: *shallow,
            retained: *shallow,
        };
        Heap {
            classes: classes.iter().map(class).collect(),
            ..Heap::default()
        }
    }

    #[test]
    fn what_came_and_what_went() {
        let before = heap(&[("Old", 1, 10), ("Leak", 5, 50), ("Same", 2, 2)]);
        let after = heap(&[("Leak", 9, 90), ("Same", 2, 2), ("New", 1, 3)]);
        let rows = compare(&before, &after);
        let told: Vec<_> = rows
            .iter()
            .map(|r| (r.name.as_str(), r.count, r.shallow))
            .collect();
        assert_eq!(told, [("Leak", 4, 40), ("New", 1, 3), ("Old", -1, -10)]);
    }
}
