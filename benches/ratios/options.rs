//! The command line.

use color_eyre::eyre::{Result, WrapErr as _, bail, eyre};

/// Something to reach: its name, and how it is measured.
pub struct Goal {
    pub name: &'static str,
    pub measure: fn(&Options) -> super::table::Measured,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Names of goals; none = all.
    pub goals: Vec<String>,
    /// How often each figure is taken; the median counts.
    pub rounds: usize,
    /// Shorter jobs as well as fewer rounds.
    pub quick: bool,
    /// Whether a figure over its bound fails the run.
    pub strict: bool,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            goals: Vec::new(),
            rounds: 7,
            quick: false,
            strict: false,
        };
        let mut rounds = None;
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                // Cargo's own.
                "--bench" => {}
                "--quick" => options.quick = true,
                "--strict" => options.strict = true,
                "--rounds" => {
                    let given = words
                        .next()
                        .ok_or_else(|| eyre!("--rounds needs a number, as in --rounds 7"))?;
                    let number: usize = given
                        .parse()
                        .wrap_err_with(|| format!("--rounds {given:?} is not a number"))?;
                    if number == 0 {
                        bail!("--rounds 0 would measure nothing; give 1 or more");
                    }
                    rounds = Some(number);
                }
                option if option.starts_with('-') => {
                    bail!("unknown option {option:?}; there are --rounds N, --quick and --strict")
                }
                goal => {
                    let known: Vec<_> = super::goals().map(|g| g.name).collect();
                    if !known.iter().any(|name| name.eq_ignore_ascii_case(goal)) {
                        bail!("unknown goal {goal:?}; there are {}", known.join(", "));
                    }
                    options.goals.push(goal.to_owned());
                }
            }
        }
        options.rounds = rounds.unwrap_or(if options.quick { 3 } else { 7 });
        Ok(options)
    }

    pub fn wants(&self, goal: &str) -> bool {
        self.goals.is_empty() || self.goals.iter().any(|g| g.eq_ignore_ascii_case(goal))
    }
}
