//! What a report would hold, as rows that can be switched, and an archive that is looked into.

use diagnostics::report::{Note, Packed, Part, Plan};

use crate::prelude::*;

/// More artifacts than this are folded at first.
const FOLDED: usize = 8;

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A member, by its place in the plan.
    Member(usize),
    Artifacts,
    /// Something that is left out, or that should be known.
    Note(usize),
}

/// The report to be.
#[derive(Debug, Default)]
pub struct Model {
    pub plan: Arc<Plan>,
    pub counted: BTreeMap<usize, Packed>,
    pub off: BTreeSet<usize>,
    pub notes: Vec<Note>,
    pub folded: bool,
    pub rows: Vec<Row>,
    /// Whether all of it was counted.
    pub complete: bool,
}

/// Several members together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// How many go in.
    pub members: usize,
    pub of: usize,
    /// Bytes that go in.
    pub size: u64,
    /// Secrets replaced in them, as far as it is counted.
    pub secrets: u64,
    /// Whether all of them are counted.
    pub counted: bool,
}

impl Model {
    /// A plan whose members all go in, except those that were switched off by name.
    pub fn new(plan: Arc<Plan>, off: &BTreeSet<String>, folded: Option<bool>) -> Self {
        let artifacts = plan.members.iter().filter(|m| m.part == Part::Artifacts);
        let folded = folded.unwrap_or_else(|| artifacts.count() > FOLDED);
        let names = plan.members.iter().enumerate();
        let off = names.filter(|(_, member)| off.contains(&member.name));
        let mut model = Self {
            off: off.map(|(index, _)| index).collect(),
            notes: plan.notes.clone(),
            folded,
            plan,
            ..Self::default()
        };
        model.lay_out();
        model
    }

    /// The row here of the same kind and member as `row` of `other`.
    pub fn row_of_same_member(&self, row: Row, other: &Self) -> Option<usize> {
        let meant = (mem::discriminant(&row), other.name(row));
        let mut rows = self.rows.iter();
        rows.position(|own| (mem::discriminant(own), self.name(*own)) == meant)
    }

    /// The member that a row is about; none is all artifacts.
    fn name(&self, row: Row) -> Option<&str> {
        match row {
            Row::Member(index) => self.plan.members.get(index).map(|m| &*m.name),
            Row::Note(index) => self.notes.get(index).map(|note| &*note.member),
            Row::Artifacts => None,
        }
    }

    /// Members were counted.
    pub fn learn(&mut self, packed: &[Packed]) {
        for packed in packed {
            self.counted.insert(packed.index, packed.clone());
        }
    }

    /// Everything was counted.
    pub fn complete(&mut self, notes: Vec<Note>) {
        self.notes = notes;
        self.complete = true;
        self.lay_out();
    }

    /// Whether a member goes in.
    pub fn goes_in(&self, index: usize) -> bool {
        !self.off.contains(&index)
    }

    /// Names of what does not go in.
    pub fn names_off(&self) -> BTreeSet<String> {
        let members = self.off.iter().filter_map(|at| self.plan.members.get(*at));
        members.map(|member| member.name.clone()).collect()
    }

    pub fn artifacts(&self) -> impl Iterator<Item = usize> + '_ {
        let members = self.plan.members.iter().enumerate();
        members
            .filter(|(_, member)| member.part == Part::Artifacts)
            .map(|(index, _)| index)
    }

    /// Switches what a row stands for.
    pub fn switch(&mut self, row: Row) {
        match row {
            Row::Member(index) => {
                if !self.off.remove(&index) {
                    self.off.insert(index);
                }
            }
            Row::Artifacts => {
                let all: Vec<usize> = self.artifacts().collect();
                if all.iter().all(|index| self.off.contains(index)) {
                    self.off.retain(|index| !all.contains(index));
                } else {
                    self.off.extend(all);
                }
            }
            Row::Note(_) => {}
        }
    }

    /// Shows artifacts one by one, or as one row; gives that row's number.
    pub fn fold(&mut self) -> Option<usize> {
        self.folded = !self.folded;
        self.lay_out();
        self.rows.iter().position(|row| *row == Row::Artifacts)
    }

    /// What goes in.
    pub fn sum(&self) -> Sum {
        self.sum_of(0..self.plan.members.len())
    }

    /// What of these goes in.
    pub fn sum_of(&self, members: impl Iterator<Item = usize>) -> Sum {
        let mut sum = Sum {
            counted: true,
            ..Sum::default()
        };
        for index in members {
            sum.of += 1;
            let packed = self.counted.get(&index);
            // What could not be read is a note and never counted.
            sum.counted &= packed.is_some() || self.complete;
            if !self.goes_in(index) {
                continue;
            }
            sum.members += 1;
            let planned = self.plan.members.get(index).map_or(0, |member| member.size);
            sum.size += packed.map_or(planned, |packed| packed.size);
            sum.secrets += packed.map_or(0, |packed| packed.replaced.total());
        }
        sum
    }

    fn lay_out(&mut self) {
        self.rows.clear();
        let mut grouped = false;
        for (index, member) in self.plan.members.iter().enumerate() {
            if member.part == Part::Artifacts {
                if !grouped {
                    self.rows.push(Row::Artifacts);
                    grouped = true;
                }
                if self.folded {
                    continue;
                }
            }
            self.rows.push(Row::Member(index));
        }
        let left_out = self.notes.iter().enumerate();
        let left_out = left_out.filter(|(_, note)| note.left_out);
        self.rows
            .extend(left_out.map(|(index, _)| Row::Note(index)));
    }
}
