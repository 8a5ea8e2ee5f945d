//! Files of variables: `NAME=value` lines with `export`, quotes and comments. Reading the file is its user's business.

/// The definitions of a text, in its order: the line (from 1), the name, the value.
pub fn definitions(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=')?;
        let name = name.trim();
        let is_name = !name.is_empty() && !name.starts_with('#');
        is_name.then(|| (index + 1, name, unquoted(value.trim())))
    })
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.split_once(quote))
        {
            return inner;
        }
    }
    value
        .split_once(" #")
        .map_or(value, |(value, _)| value.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_define_nothing_are_passed_over() {
        let text = "# c\nexport A='x y' # z\nB=\"q\"\n\nbroken\n=1\nC=a=b # note\nD=\n";
        let found: Vec<_> = definitions(text).collect();
        assert_eq!(
            found,
            [
                (2, "A", "x y"),
                (3, "B", "q"),
                (7, "C", "a=b"),
                (8, "D", "")
            ]
        );
    }
}
