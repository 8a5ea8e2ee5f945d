//! The decision: what may be done at once, what a person is asked about, and what is refused. Nothing here looks at anything but its
//! arguments.

use super::{
    Actor, ActorKind, Mode, Tier,
    rules::{Rules, Ruling},
};

/// What is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is done.
    Allow,
    /// A person is asked.
    Ask,
    /// It is not done, for this reason.
    Deny(String),
}

impl Verdict {
    /// The same where nobody can be asked: what would have to be is refused.
    #[must_use]
    pub fn closed(self, can_ask: bool) -> Self {
        match self {
            Self::Ask if !can_ask => Self::Deny(
                "it needs a person's consent, and nobody is there who could give it".to_owned(),
            ),
            decided => decided,
        }
    }
}

/// Decides. A person may do everything. A rule that denies holds in every mode; one that allows or asks holds in every mode that lets more
/// be done than looking.
pub fn decide(
    mode: Mode,
    rules: &Rules,
    actor: &Actor,
    tier: Tier,
    action: &str,
    subject: &str,
) -> Verdict {
    if actor.is_human() {
        return Verdict::Allow;
    }
    let looks = tier <= Tier::EvalSafe;
    let freely = looks || mode == Mode::Auto || mode == Mode::Drive && tier == Tier::Control;
    match rules.of(action, subject) {
        Some(Ruling::Deny) => Verdict::Deny(format!("a rule denies {action}")),
        _ if mode == Mode::Observe && !looks => Verdict::Deny(format!(
            "{action} is more than looking, which is all that the mode observe allows"
        )),
        Some(Ruling::Ask) => Verdict::Ask,
        None if mode == Mode::Rules => Verdict::Deny(format!(
            "no rule allows {action}, and the mode rules allows nothing else"
        )),
        None if !freely => Verdict::Ask,
        Some(Ruling::Allow) | None => Verdict::Allow,
    }
}

/// The mode that holds for someone: never above the core's for an agent, whose own may only be lower. A script does what a person
/// typed, so it is held to the core's mode only where that was set below the usual one.
pub fn mode_of(core: Mode, own: Option<Mode>, kind: ActorKind) -> Mode {
    let own = own.unwrap_or(Mode::Auto);
    match kind {
        ActorKind::Human => Mode::Auto,
        ActorKind::Script if core >= Mode::default() => own,
        ActorKind::Script | ActorKind::Agent => own.min(core),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODES: [Mode; 5] = [
        Mode::Observe,
        Mode::Rules,
        Mode::Ask,
        Mode::Drive,
        Mode::Auto,
    ];
    const TIERS: [Tier; 4] = [Tier::Read, Tier::EvalSafe, Tier::Control, Tier::Exec];

    fn agent() -> Actor {
        Actor::new(ActorKind::Agent, "claude-code 2.1")
    }

    /// From what is done to what is not.
    fn strictness(verdict: &Verdict) -> u8 {
        match verdict {
            Verdict::Allow => 0,
            Verdict::Ask => 1,
            Verdict::Deny(_) => 2,
        }
    }

    proptest! {
        #[test]
        fn more_is_never_refused_where_less_is_not(
            mode in prop::sample::select(&MODES[..]),
            lower in prop::sample::select(&TIERS[..]),
            higher in prop::sample::select(&TIERS[..]),
            rulings in prop::collection::vec(prop::sample::select(&[Ruling::Allow, Ruling::Ask, Ruling::Deny][..]), 0..3),
            action in "[a-z_]{1,12}", subject in "\\PC{0,40}", can_ask in any::<bool>(),
        ) {
            let mut rules = Rules::default();
            for ruling in &rulings {
                rules.add("*", None, *ruling).unwrap();
            }
            let judge = |tier| decide(mode, &rules, &agent(), tier, &action, &subject).closed(can_ask);
            let (less, more) = (judge(lower.min(higher)), judge(lower.max(higher)));
            prop_assert!(strictness(&less) <= strictness(&more), "{less:?} {more:?}");
            // Nobody is asked where nobody can answer, and a denial is one everywhere.
            prop_assert!(can_ask || less != Verdict::Ask);
            if rulings.contains(&Ruling::Deny) {
                prop_assert_eq!(strictness(&less), 2);
            }
            // A person is never held up, and someone else never gets more than a higher mode would give.
            let person = decide(mode, &rules, &Actor::default(), higher, &action, &subject);
            prop_assert_eq!(person, Verdict::Allow);
            let open = decide(Mode::Auto, &rules, &agent(), higher, &action, &subject).closed(can_ask);
            prop_assert!(strictness(&open) <= strictness(&judge(higher)));
        }

        #[test]
        fn nobody_is_above_the_core_or_above_what_they_came_with(
            core in prop::sample::select(&MODES[..]), own in prop::option::of(prop::sample::select(&MODES[..])),
        ) {
            let agents = mode_of(core, own, ActorKind::Agent);
            prop_assert!(agents <= core && agents <= own.unwrap_or(Mode::Auto));
            let script = mode_of(core, own, ActorKind::Script);
            prop_assert!(script <= own.unwrap_or(Mode::Auto));
            prop_assert!(core >= Mode::Ask || script <= core);
        }
    }

    #[test]
    fn modes_have_their_own_names_those_of_omp_and_those_of_synwire() {
        for (names, mode) in [
            (&["observe", "plan-only"][..], Mode::Observe),
            (&["rules", "deny-unauthorized"], Mode::Rules),
            (&["ask", "always-ask", "default"], Mode::Ask),
            (&["drive", "write", "accept-edits"], Mode::Drive),
            (&["auto", "yolo", "bypass-all"], Mode::Auto),
        ] {
            for name in names {
                assert_eq!(name.parse(), Ok(mode), "{name}");
            }
            assert_eq!(mode.to_string(), names[0]);
        }
        let error = "Ask".parse::<Mode>().unwrap_err();
        assert!(
            error.contains("observe, rules, ask, drive, auto"),
            "{error}"
        );
    }
}
