//! Finds what is meant by a few letters or by words, best first. Names are matched as paths: a letter after `/` counts more.

use std::cmp::Reverse;

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};

/// Positions of the names that match, best first; without a query all, in their own order.
pub fn rank<N: AsRef<str>>(query: &str, names: impl Iterator<Item = N>) -> Vec<usize> {
    let config = Config::DEFAULT.match_paths();
    best(query, config, CaseMatching::Smart, names, |name, score| {
        Some((score(name.as_ref(), By::Letters)?, ()))
    })
}

/// How a text is searched.
#[derive(Clone, Copy)]
pub enum By {
    /// For the letters of the query, in this order, with others between them.
    Letters,
    /// For each word of the query as it stands: letters of a sentence make up almost any word.
    Words,
}

/// Positions of the things that fit, best first: those with the highest score, of these those that come first by what goes with it.
pub fn best<T, O: Ord>(
    query: &str,
    config: Config,
    case: CaseMatching,
    things: impl Iterator<Item = T>,
    mut fit: impl FnMut(T, &mut dyn FnMut(&str, By) -> Option<u32>) -> Option<(u32, O)>,
) -> Vec<usize> {
    let mut matcher = Matcher::new(config);
    let letters = Pattern::parse(query, case, Normalization::Smart);
    let words = Pattern::new(query, case, Normalization::Smart, AtomKind::Substring);
    let mut buffer = Vec::new();
    let mut score = |text: &str, by| {
        let pattern = match by {
            By::Letters => &letters,
            By::Words => &words,
        };
        pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher)
    };
    let mut found: Vec<_> = things
        .enumerate()
        .filter_map(|(at, thing)| {
            let (score, order) = fit(thing, &mut score)?;
            Some((Reverse(score), order, at))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(.., at)| at).collect()
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
