//! Numbers as a person reads them.

use base::text::amount;

use crate::prelude::*;

/// Tokens and money in one line.
pub fn spent(usage: &Usage) -> String {
    let mut parts = vec![
        amount::count(usage.input, "token in", "tokens in"),
        format!("{} out", usage.output),
    ];
    if usage.cache_read > 0 {
        parts.push(format!("{} from the cache", usage.cache_read));
    }
    if usage.cache_write > 0 {
        parts.push(format!("{} into the cache", usage.cache_write));
    }
    let mut line = parts.join(", ");
    if usage.cost > 0.0 {
        line = format!("{line}, ${:.4}", usage.cost);
    }
    line
}

/// Tokens and money.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Usage {
    /// Answers of a model.
    pub answers: u64,
    /// Tokens that were read anew.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
    /// Tokens that came out of the cache.
    pub cache_read: u64,
    /// Tokens that went into the cache.
    pub cache_write: u64,
    /// Tokens altogether, as the provider counted them.
    pub total: u64,
    /// Money, in US dollars.
    pub cost: f64,
}

impl Usage {
    /// Of an answer.
    pub(super) fn read(value: &Value) -> Self {
        const PARTS: [&str; 4] = ["input", "output", "cacheRead", "cacheWrite"];
        let number = |of: &Value, name: &str| of.get(name)?.as_f64();
        let count = |name| number(value, name).map_or(0, |n| n.max(0.0) as u64);
        let cost = |name| number(value.get("cost")?, name);
        let parts @ [input, output, cache_read, cache_write] = PARTS.map(count);
        Self {
            answers: 1,
            input,
            output,
            cache_read,
            cache_write,
            total: match count("totalTokens") {
                0 => parts.into_iter().fold(0, u64::saturating_add),
                total => total,
            },
            cost: cost("total").unwrap_or_else(|| PARTS.into_iter().filter_map(cost).sum()),
        }
    }

    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        for (sum, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.total, other.total),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.cost += other.cost;
    }
}
