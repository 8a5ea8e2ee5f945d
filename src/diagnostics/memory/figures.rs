//! Amounts of memory, and the lines of `smaps` that they are read from.

use crate::prelude::*;

/// What is counted of a mapping, a group of mappings or a process; in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Addresses taken, whether or not there is memory behind them.
    pub size: u64,
    /// Resident: in memory now, shared pages counted in full.
    pub rss: u64,
    /// Resident, shared pages divided by how many processes share them.
    pub pss: u64,
    /// Resident and nobody else's: what would be free if the process ended.
    pub uss: u64,
    /// Resident and mapped by other processes, too.
    pub shared: u64,
    /// Resident and not the copy of a file.
    pub anonymous: u64,
    /// Swapped out.
    pub swap: u64,
    /// Swapped out, divided by how many processes share it.
    pub swap_pss: u64,
    /// Locked in memory.
    pub locked: u64,
}

impl Figures {
    /// What the process holds for itself, in memory or swapped out: what a leak adds to.
    pub fn own(&self) -> u64 {
        self.uss + self.swap_pss
    }

    /// Adds what another one counts.
    pub fn add(&mut self, other: &Self) {
        self.size += other.size;
        self.rss += other.rss;
        self.pss += other.pss;
        self.uss += other.uss;
        self.shared += other.shared;
        self.anonymous += other.anonymous;
        self.swap += other.swap;
        self.swap_pss += other.swap_pss;
        self.locked += other.locked;
    }
}

/// Takes in a line `Name: N kB`; false when it is another one.
pub(super) fn count(figures: &mut Figures, line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line) else {
        return false;
    };
    let (name, value) = line.split_at(colon);
    let target = match name {
        b"Rss" => &mut figures.rss,
        b"Pss" => &mut figures.pss,
        b"Private_Clean" | b"Private_Dirty" | b"Private_Hugetlb" => &mut figures.uss,
        b"Shared_Clean" | b"Shared_Dirty" | b"Shared_Hugetlb" => &mut figures.shared,
        b"Anonymous" => &mut figures.anonymous,
        b"Swap" => &mut figures.swap,
        b"SwapPss" => &mut figures.swap_pss,
        b"Locked" => &mut figures.locked,
        _ => return false,
    };
    let mut number: u64 = 0;
    let mut digits = 0;
    for byte in value.get(1..).unwrap_or_default() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                number = number
                    .saturating_mul(10)
                    .saturating_add(u64::from(byte - b'0'));
            }
            b' ' if digits == 0 => {}
            _ => break,
        }
    }
    *target = target.saturating_add(number.saturating_mul(1024));
    digits > 0
}
