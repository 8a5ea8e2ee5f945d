//! How secrets are known, and how many of each there were.

crate::kinds! {
    /// How a secret was known.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum SecretKind {
        /// By the name before it.
        Name = "by name",
        /// A header's value.
        Header = "header",
        /// A part of a URL.
        Url = "url",
        /// A provider's token.
        Token = "token",
        /// A JSON web token.
        Jwt = "jwt",
        /// What follows `Bearer` or `Basic`.
        Bearer = "bearer",
        PrivateKey = "private key",
        /// The value of a sensitive variable.
        Value = "known value",
    }
    /// A short name for reports.
    pub fn label(self) -> &'static str;
}

/// How many secrets were replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub(super) counts: [u64; SecretKind::ALL.len()],
}

impl Report {
    /// How many of this kind.
    pub fn count(&self, kind: SecretKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    /// How many altogether.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Counts those of another report as well.
    pub fn add(&mut self, more: &Self) {
        for (count, more) in self.counts.iter_mut().zip(more.counts) {
            *count += more;
        }
    }

    /// The kinds that were found, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (SecretKind, u64)> + '_ {
        SecretKind::ALL
            .into_iter()
            .map(|kind| (kind, self.count(kind)))
            .filter(|(_, count)| *count > 0)
    }
}
