//! What of a breakpoint its adapter does, and in which words it is told, and what omp-debug does in its place: conditions, hit counts, messages,
//! records.

use super::{
    prelude::*,
    rules::{Part, pieces, reached},
};
use crate::{adapters::LogText, previews::path};

/// What of a breakpoint is ours to do in a session. Adapters look at the condition, then count, then print: what comes after
/// something that is ours can only be ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ours {
    pub condition: bool,
    pub hits: bool,
    /// The adapter passes over the hits before; those behind are ours to pass over.
    pub once: bool,
    pub message: bool,
    /// For the values in it alone.
    pub values: bool,
    pub record: bool,
}

impl Ours {
    /// `is_shared`: others are at its address, and the adapter does not tell which one was met.
    pub fn of(
        wish: &Breakpoint,
        can: &Capabilities,
        personality: &Personality,
        is_shared: bool,
    ) -> Self {
        let is_dropped = |condition: &String| {
            is_shared
                || !can.supports_conditional_breakpoints
                || personality.drops_condition(condition)
        };
        let condition = wish.condition.as_ref().is_some_and(is_dropped);
        let rule = wish.hit_condition.as_deref();
        let counts_alone = personality.counts_alone || personality.ignores_hits;
        let is_ours = condition
            || is_shared
            || counts_alone && wish.condition.is_some()
            || !can.supports_hit_conditional_breakpoints;
        let is_number = |rule: &str| rule.trim().parse::<u64>().is_ok_and(|n| n > 0);
        let once = !is_ours && personality.ignores_hits && rule.is_some_and(is_number);
        let hits = rule.is_some() && (is_ours || personality.ignores_hits && !once);
        // The protocol has messages for lines only.
        let prints = can.supports_log_points && matches!(wish.site, BreakpointSite::Source { .. });
        let record = wish.record.is_some();
        let text = wish.log_message.as_deref().unwrap_or_default();
        let has_values = || match personality.log_text {
            LogText::Ours => has_values(&pieces(text)),
            _ => personality.previews && names_parts(&pieces(text)),
        };
        let is_behind = is_shared || condition || hits || once || record || !prints;
        let values = !is_behind && has_values();
        let message = wish.log_message.is_some() && is_behind || values;
        Self {
            condition,
            hits,
            once,
            message,
            values,
            record,
        }
    }

    pub fn any(self) -> bool {
        self.condition || self.hits || self.once || self.message || self.record
    }

    /// For the breakpoint's answer.
    pub fn remark(self, wish: &Breakpoint) -> Option<String> {
        let mut does = Vec::new();
        if self.condition {
            does.push("its condition is evaluated");
        }
        if self.hits {
            does.push("its hits are counted");
        }
        if self.message && !self.values {
            does.push("its message is printed");
        }
        if self.record {
            does.push("its values are recorded");
        }
        let rule = wish.hit_condition.as_deref().filter(|_| self.hits);
        let odd = rule.filter(|rule| reached(rule, 1).is_none());
        let remark = (!does.is_empty()).then(|| format!("{} by omp-debug", does.join(", ")))?;
        Some(match odd {
            Some(rule) => format!(
                "{remark}; `{rule}` is no hit count (N, ==N, >N, >=N, %N): it stops each time"
            ),
            None => remark,
        })
    }
}

/// Condition and hit condition as the adapter is told them.
pub type Refinements = (Option<String>, Option<String>);

pub fn refinements(
    wish: &Breakpoint,
    capabilities: &Capabilities,
    personality: &Personality,
    is_shared: bool,
) -> Refinements {
    let ours = Ours::of(wish, capabilities, personality, is_shared);
    let condition = wish.condition.as_ref().filter(|_| !ours.condition);
    let condition = condition.map(|text| personality.condition(text));
    // One that was told a count before forgets it for another one alone.
    let first = Some("1").filter(|_| is_shared && personality.ignores_hits);
    let hits = wish.hit_condition.as_deref();
    let hits = hits.and_then(|hits| if ours.hits { first } else { Some(hits) });
    (condition, hits.map(|h| personality.hit_condition(h)))
}

/// A logpoint's text as the adapter is told it.
pub fn log_text(text: &str, personality: &Personality) -> String {
    let parts = pieces(text);
    let is_format = match personality.log_text {
        LogText::Plain | LogText::Ours => false,
        LogText::FString => match f_string(&parts) {
            Some(told) if has_values(&parts) => return told,
            _ => has_values(&parts),
        },
        LogText::Percent => true,
    };
    let end = if personality.logs_without_newline {
        "\n"
    } else {
        ""
    };
    if !is_format {
        return format!("{text}{end}");
    }
    let told = parts.iter().map(|part| match part {
        Part::Text(text) => text.replace('%', "%%"),
        Part::Expression(expression) => format!("{{{expression}}}"),
    });
    told.chain([end.to_owned()]).collect()
}

/// Whether there is one in it that names a part as only we find it.
fn names_parts(parts: &[Part<'_>]) -> bool {
    let is_ours = |part: &Part<'_>| match part {
        Part::Expression(expression) => path::parse(expression).is_some_and(|p| p.is_ours()),
        Part::Text(_) => false,
    };
    parts.iter().any(is_ours)
}

fn has_values(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|p| matches!(p, Part::Expression(_)))
}

/// All of a text as one expression, a Python f-string; none where Python before 3.12 could not read it. What is text has no brace in it,
/// as the adapter counts them.
fn f_string(parts: &[Part<'_>]) -> Option<String> {
    let plain = |text: &str| {
        let text = text.replace('\\', r"\\").replace('\n', r"\n");
        let text = text.replace('{', r"\x7b").replace('}', r"\x7d");
        text.replace('\'', r"\'").replace('"', "\\\"")
    };
    let (mut told, mut expressions) = (String::new(), String::new());
    for part in parts {
        match part {
            Part::Text(text) => told += &plain(text),
            Part::Expression(expression) => {
                // As there, a brace that is written twice is one.
                let inner = expression.strip_prefix('{');
                if inner.is_some_and(|inner| inner.ends_with('}')) {
                    told += &plain(expression);
                } else {
                    told.extend(["{ ", expression, "}"]);
                    expressions += expression;
                }
            }
        }
    }
    let quote = ["'", "\"", "'''", "\"\"\""]
        .into_iter()
        .find(|quote| !expressions.contains(quote) && !expressions.contains('\\'))?;
    Some(format!("{{f{quote}{told}{quote}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn a_text_with_values_is_an_f_string_to_python() {
        let python = Personality {
            log_text: LogText::FString,
            ..Personality::default()
        };
        for (text, told) in [
            ("50% done", "50% done"),
            ("{i:03d}% {{x}} }", r"{f'{ i:03d}% \x7bx\x7d \x7d'}"),
            ("it's {d['a']!r}", r#"{f"it\'s { d['a']!r}"}"#),
            // Before Python 3.12 there is no backslash in an expression.
            (r"{'\n'}%", r"{'\n'}%%"),
        ] {
            assert_eq!(log_text(text, &python), told);
        }
    }

    #[test]
    fn what_follows_something_of_ours_is_ours() {
        let wish = |site| Breakpoint {
            condition: Some("x".to_owned()),
            hit_condition: Some("2".to_owned()),
            log_message: Some("m".to_owned()),
            ..Breakpoint::new(BreakpointId(1), site)
        };
        let line = wish(BreakpointSite::Source {
            path: "a".into(),
            line: 1,
            column: None,
        });
        let function = wish(BreakpointSite::Function {
            name: "f".to_owned(),
        });
        let all = Capabilities {
            supports_conditional_breakpoints: true,
            supports_hit_conditional_breakpoints: true,
            supports_log_points: true,
            ..Capabilities::default()
        };
        let told = |ours: Ours| (ours.condition, ours.hits, ours.message);
        let records = Breakpoint {
            record: Record::written("x"),
            condition: None,
            ..line.clone()
        };
        let ours = Ours::of(&records, &all, &Personality::default(), false);
        assert!(ours.record && ours.message && !ours.hits, "{ours:?}");
        assert_eq!(
            told(Ours::of(&line, &all, &Personality::default(), false)),
            (false, false, false)
        );
        let alone = Personality {
            counts_alone: true,
            ..Personality::default()
        };
        assert_eq!(
            told(Ours::of(&line, &all, &alone, false)),
            (false, true, true)
        );
        let counts = Breakpoint {
            condition: None,
            ..line.clone()
        };
        assert_eq!(
            told(Ours::of(&counts, &all, &alone, false)),
            (false, false, false)
        );
        assert_eq!(
            told(Ours::of(&function, &all, &Personality::default(), false)),
            (false, false, true)
        );
        let no_conditions = Capabilities {
            supports_conditional_breakpoints: false,
            ..all.clone()
        };
        assert_eq!(
            told(Ours::of(
                &line,
                &no_conditions,
                &Personality::default(),
                false
            )),
            (true, true, true)
        );
        let no_counts = Capabilities {
            supports_hit_conditional_breakpoints: false,
            ..all
        };
        assert_eq!(
            told(Ours::of(&line, &no_counts, &Personality::default(), false)),
            (false, true, true)
        );
        let shared = Ours::of(&line, &no_counts, &Personality::default(), true);
        assert_eq!(told(shared), (true, true, true));
    }
}
