//! What comes of packing.

use base::text::redact::Report;

/// Something that should be known about a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its name.
    pub member: String,
    /// Whether it is not in the report at all.
    pub left_out: bool,
    /// What, or why.
    pub text: String,
}

impl Note {
    pub(super) fn left_out(member: &str, why: &str) -> Self {
        Self {
            member: member.to_owned(),
            left_out: true,
            text: why.to_owned(),
        }
    }

    pub(super) fn about(member: &str, text: &str) -> Self {
        Self {
            left_out: false,
            ..Self::left_out(member, text)
        }
    }
}

/// A member as it stands in the archive, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its place in the plan.
    pub index: usize,
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Of these bytes.
    pub sha256: [u8; 32],
    /// Whether it was searched for secrets.
    pub text: bool,
    /// Secrets that were replaced.
    pub replaced: Report,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The members, in order.
    pub packed: Vec<Packed>,
    /// What should be known, of the plan as well.
    pub notes: Vec<Note>,
    /// Bytes of the archive.
    pub written: u64,
}

impl Outcome {
    /// Secrets replaced in all members.
    pub fn replaced(&self) -> u64 {
        self.packed.iter().map(|p| p.replaced.total()).sum()
    }
}
