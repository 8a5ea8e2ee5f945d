//! Numbers as a person reads them.

use base::text::amount;

use super::totals::Usage;

/// Milliseconds as a person reads them: `240 ms`, `3.2 s`, `5 min 3 s`.
pub fn span(milliseconds: i64) -> String {
    match milliseconds {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms < 60_000 => format!("{}.{} s", ms / 1000, ms / 100 % 10),
        ms if ms < 3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
        ms => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

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
