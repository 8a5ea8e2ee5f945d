//! What grew between two marks, by group: where a leak is.

use jiff::Timestamp;
use serde::Serializer;

use super::{
    Figures, ProcessError, Subject,
    mappings::{Group, MappingKind, group, read, title},
};
use crate::{logs::utc, prelude::*};

/// What a process held at a moment that is to be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// When.
    #[serde(serialize_with = "as_utc")]
    pub taken: Timestamp,
    pub total: Figures,
    pub groups: Vec<Group>,
}

pub(super) fn as_utc<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&utc(*time))
}

impl Mark {
    /// Reads all mappings now.
    pub fn take(subject: &Subject, cancel: &Cancel) -> Result<Self, ProcessError> {
        let mappings = read(subject, cancel)?;
        Ok(Self {
            taken: Timestamp::now(),
            total: mappings.total,
            groups: group(&mappings.all),
        })
    }
}

/// How much more (or less) of each figure there is, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Addresses taken.
    pub size: i64,
    /// Resident.
    pub rss: i64,
    /// Resident, shared pages divided.
    pub pss: i64,
    /// Resident and nobody else's.
    pub uss: i64,
    /// Swapped out.
    pub swap: i64,
    /// What the process holds for itself: see [`Figures::own`].
    pub own: i64,
}

impl Change {
    fn between(before: &Figures, after: &Figures) -> Self {
        let change = |of: fn(&Figures) -> u64| {
            let (before, after) = (of(before), of(after));
            let most = if after > before { i64::MAX } else { i64::MIN };
            after.checked_signed_diff(before).unwrap_or(most)
        };
        Self {
            size: change(|f| f.size),
            rss: change(|f| f.rss),
            pss: change(|f| f.pss),
            uss: change(|f| f.uss),
            swap: change(|f| f.swap),
            own: change(Figures::own),
        }
    }
}

/// How a group changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    pub kind: MappingKind,
    /// Its name: see [`Group::name`].
    pub name: String,
    /// Mappings before and after.
    pub mappings: (usize, usize),
    /// What it held for itself before and after.
    pub own: (u64, u64),
    /// How much more there is.
    pub change: Change,
}

impl Row {
    /// What it is called on a screen; foreign text.
    pub fn title(&self) -> String {
        title(self.kind, &self.name)
    }
}

/// What changed between two marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// Milliseconds between them.
    pub milliseconds: i64,
    pub total: Change,
    /// The groups that changed; what grew most first, what shrank most last.
    pub rows: Vec<Row>,
}

impl Growth {
    /// From one mark to another.
    pub fn between(from: &Mark, to: &Mark) -> Self {
        let mut before: HashMap<(MappingKind, &str), &Group> = from
            .groups
            .iter()
            .map(|group| ((group.kind, group.name.as_str()), group))
            .collect();
        let empty = Group::default();
        let row = |kind: MappingKind, name: &str, before: &Group, after: &Group| Row {
            kind,
            name: name.to_owned(),
            mappings: (before.mappings, after.mappings),
            own: (before.figures.own(), after.figures.own()),
            change: Change::between(&before.figures, &after.figures),
        };
        let mut rows: Vec<Row> = Vec::new();
        for after in &to.groups {
            let name = after.name.as_str();
            let old = before.remove(&(after.kind, name)).unwrap_or(&empty);
            rows.push(row(after.kind, name, old, after));
        }
        rows.extend(
            before
                .into_iter()
                .map(|((kind, name), old)| row(kind, name, old, &empty)),
        );
        // What only other processes' sharing changed is no change of this one.
        rows.retain(|row| {
            Change {
                pss: 0,
                ..row.change
            } != Change::default()
        });
        rows.sort_by(|a, b| {
            let (more, less) = (b.change, a.change);
            (more.own, more.rss, more.size, a.kind, &a.name)
                .cmp(&(less.own, less.rss, less.size, b.kind, &b.name))
        });
        Self {
            milliseconds: to.taken.as_millisecond() - from.taken.as_millisecond(),
            total: Change::between(&from.total, &to.total),
            rows,
        }
    }

    /// How much more the process holds for itself every second, in bytes; nothing when no time passed.
    pub fn rate(&self) -> Option<f64> {
        (self.milliseconds > 0).then(|| self.total.own as f64 * 1000.0 / self.milliseconds as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(uss: u64) -> Figures {
        Figures {
            size: uss,
            rss: uss,
            pss: uss,
            uss,
            ..Figures::default()
        }
    }

    fn mark(at: i64, groups: &[(MappingKind, &str, u64)]) -> Mark {
        let mut mark = Mark {
            taken: Timestamp::from_millisecond(at).unwrap(),
            ..Mark::default()
        };
        for (kind, name, uss) in groups {
            mark.total.add(&figures(*uss));
            mark.groups.push(Group {
                kind: *kind,
                name: (*name).to_owned(),
                mappings: 1,
                figures: figures(*uss),
            });
        }
        mark
    }

    #[test]
    fn what_grew_is_first_and_what_is_the_same_is_left_out() {
        let before = mark(
            1000,
            &[
                (MappingKind::Heap, "", 100),
                (MappingKind::File, "/a", 50),
                (MappingKind::File, "/gone", 70),
            ],
        );
        let after = mark(
            3000,
            &[
                (MappingKind::File, "/a", 50),
                (MappingKind::Heap, "", 400),
                (MappingKind::Anonymous, "new", 10),
            ],
        );
        let growth = Growth::between(&before, &after);
        let told: Vec<_> = growth
            .rows
            .iter()
            .map(|row| (row.title(), row.mappings, row.change.own))
            .collect();
        assert_eq!(
            told,
            [
                ("heap".to_owned(), (1, 1), 300),
                ("anonymous: new".to_owned(), (0, 1), 10),
                ("/gone".to_owned(), (1, 0), -70),
            ]
        );
        assert_eq!((growth.total.own, growth.milliseconds), (240, 2000));
        assert_eq!(growth.rate(), Some(120.0));
        let same = Growth::between(&before, &before);
        assert!(same.rows.is_empty() && same.rate().is_none());
    }
}
