//! What a mistyped word was probably meant to be.

/// How alike two words must be (Jaro-Winkler, 0 to 1) for one to be offered in place of the other.
const ALIKE: f64 = 0.75;

/// Those of `known` that are most like `word`, best first, at most `count`; none when nothing is like it.
pub fn nearest<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
    count: usize,
) -> Vec<&'k str> {
    let word = fold(word);
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&word, &fold(name)), name))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    alike
        .into_iter()
        .take(count)
        .map(|(_, name)| name)
        .collect()
}

/// `; did you mean a or b?`, or nothing when nothing is like `word`.
pub fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    question(word, known, str::to_owned)
}

/// The same for names that people give, which may have blanks in them: each is quoted.
pub fn did_you_mean_name<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    question(word, known, |name| format!("{name:?}"))
}

fn question<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
    show: fn(&str) -> String,
) -> String {
    let near = nearest(word, known, 3).into_iter().map(show);
    match near.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [most @ .., last] => format!("; did you mean {} or {last}?", most.join(", ")),
    }
}

/// Case and the way words are joined are no difference.
fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut lower = false;
    for character in word.chars() {
        match character {
            '-' | ' ' => out.push('_'),
            c if c.is_uppercase() => {
                // `frameId` is `frame_id`.
                if lower {
                    out.push('_');
                }
                out.extend(c.to_lowercase());
            }
            c => out.push(c),
        }
        lower = character.is_lowercase();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = [
        "step_over",
        "step_in",
        "step_out",
        "stack_trace",
        "pause",
        "frame_id",
    ];

    #[test]
    fn a_slip_of_the_hand_finds_its_word() {
        assert_eq!(nearest("pasue", KNOWN, 1), ["pause"]);
        assert_eq!(nearest("frameId", KNOWN, 1), ["frame_id"]);
        assert_eq!(nearest("stack-trace", KNOWN, 1), ["stack_trace"]);
        assert_eq!(
            nearest("stepOver", KNOWN, 3),
            ["step_over", "step_out", "step_in"]
        );
        assert!(nearest("qqq", KNOWN, 3).is_empty());
        assert!(nearest("", KNOWN, 3).is_empty());
    }

    #[test]
    fn the_question_names_what_was_found() {
        assert_eq!(did_you_mean("pasue", KNOWN), "; did you mean pause?");
        assert_eq!(
            did_you_mean("stepOver", KNOWN),
            "; did you mean step_over, step_out or step_in?"
        );
        assert_eq!(did_you_mean("\u{1f980}", KNOWN), "");
    }
}
