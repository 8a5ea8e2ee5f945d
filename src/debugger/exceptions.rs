//! What exception filters are called: adapters have different words for the same two.

/// Every exception, as it is raised.
pub const RAISED: &str = "raised";
/// An exception that nobody handles.
pub const UNCAUGHT: &str = "uncaught";

/// Words for every exception, the best first.
const ALL_RAISED: &[&str] = &[
    RAISED,
    "all",
    "always",
    "caught",
    "throw",
    "cpp_throw",
    "exception",
    "any",
    "*",
];
/// Words for those that nobody handles, the best first.
const ALL_UNCAUGHT: &[&str] = &[
    UNCAUGHT,
    "unhandled",
    "userUnhandled",
    "user-unhandled",
    "rust_panic",
];

/// The filter that an adapter means by `wanted`, out of those that it offers.
pub fn offered_as<'o>(wanted: &str, offered: &[&'o str]) -> Option<&'o str> {
    let exact = offered.iter().find(|o| **o == wanted);
    let same = [ALL_RAISED, ALL_UNCAUGHT]
        .into_iter()
        .find(|words| words.contains(&wanted))
        .unwrap_or_default();
    exact
        .or_else(|| {
            same.iter()
                .find_map(|word| offered.iter().find(|o| *o == word))
        })
        .copied()
}

#[cfg(test)]
mod tests {
    use super::offered_as;

    #[test]
    fn a_word_is_taken_as_it_is_or_as_one_that_means_the_same() {
        assert_eq!(
            offered_as("raised", &["uncaught", "raised"]),
            Some("raised")
        );
        assert_eq!(offered_as("raised", &["uncaught", "all"]), Some("all"));
        assert_eq!(
            offered_as("uncaught", &["user-unhandled", "all"]),
            Some("user-unhandled")
        );
        assert_eq!(offered_as("cpp_catch", &["cpp_catch"]), Some("cpp_catch"));
        assert_eq!(offered_as("rasied", &["raised"]), None);
        assert_eq!(offered_as("uncaught", &["all"]), None);
    }
}
