//! Finds what is meant by a few letters, best first. Names are matched as paths: a letter after `/` counts more.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

/// Positions of the names that match, best first; without a query all, in their own order.
pub fn rank<N: AsRef<str>>(query: &str, names: impl Iterator<Item = N>) -> Vec<usize> {
    if query.trim().is_empty() {
        return names.enumerate().map(|(at, _)| at).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut buffer = Vec::new();
    let mut found: Vec<(u32, usize)> = names
        .enumerate()
        .filter_map(|(at, name)| {
            let score = pattern.score(Utf32Str::new(name.as_ref(), &mut buffer), &mut matcher)?;
            Some((score, at))
        })
        .collect();
    found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    found.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn the_best_match_comes_first_and_no_query_keeps_the_order() {
        let names = ["docs/shopping.md", "src/shop.py", "src/main.rs"];
        assert_eq!(rank("", names.iter().copied()), [0, 1, 2]);
        assert_eq!(rank("shop.py", names.iter().copied()), [1]);
        assert_eq!(rank("smain", names.iter().copied()), [2]);
        assert!(rank("zzz", names.iter().copied()).is_empty());
    }
}
