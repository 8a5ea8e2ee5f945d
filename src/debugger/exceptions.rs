//! What exception filters are called: adapters have different words for the same two, and a type stands for those of its name. And those
//! of ours, where a debugger has none: they stop where a runtime comes by on its way to the end.

use super::breakpoint::ExceptionFilter;
use dap::{requests::ExceptionInfoResponse, types::ExceptionBreakpointsFilter};

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
    "panic",
];
/// Words for those that nobody handles, the best first.
const ALL_UNCAUGHT: &[&str] = &[
    UNCAUGHT,
    "unhandled",
    "userUnhandled",
    "user-unhandled",
    "rust_panic",
    "panic",
];

/// A filter of ours.
pub struct OwnFilter {
    /// Its name among the adapter's.
    pub filter: &'static str,
    label: &'static str,
    /// What the program must have the runtime of.
    runtime: &'static str,
    /// What it calls when it has said what is wrong. Which of these there is depends on its age.
    pub functions: &'static [&'static str],
    /// Names of adapters' own filters that make it needless.
    instead: &'static [&'static str],
}

/// Tests that return an error.
pub const TEST_ERROR: &str = "test_error";

/// The variable by which `GoogleTest` stops its own debugger where a test fails.
pub const GTEST_BREAKS: &str = "GTEST_BREAK_ON_FAILURE";

/// Those of ours, all on while nobody chose any.
pub const OWN: &[OwnFilter] = &[
    OwnFilter {
        filter: "panic",
        label: "Rust panics",
        runtime: "rust",
        functions: &["rust_panic", "__rustc::rust_panic"],
        instead: &["rust_panic"],
    },
    OwnFilter {
        filter: TEST_ERROR,
        label: "Rust tests that return an error",
        runtime: "rust test",
        functions: &["std::io::stdio::attempt_print_to_stderr"],
        instead: &[],
    },
    OwnFilter {
        filter: "runtime_error",
        label: "Errors of Fortran, Ada and Pascal that end the program",
        runtime: "run-time errors",
        functions: &[
            "_gfortran_runtime_error",
            "_gfortran_runtime_error_at",
            "_gfortran_os_error_at",
            "_gfortran_error_stop_string",
            "_gfortran_error_stop_numeric",
            "__gnat_notify_unhandled_exception",
            "FPC_BREAK_UNHANDLED_EXCEPTION",
        ],
        instead: &[],
    },
    OwnFilter {
        filter: "sanitizer",
        label: "Sanitizer reports",
        runtime: "sanitizer",
        functions: &["__sanitizer::Die", "__ubsan_on_report", "__tsan_on_report"],
        instead: &[],
    },
];

/// Whether it is one of ours.
pub fn is_own(filter: &str) -> bool {
    OWN.iter().any(|own| own.filter == filter)
}

/// Whether `theirs` is what an adapter has for this one, in place of ours or by the same name.
pub fn stands_for(theirs: &str, filter: &str) -> bool {
    let instead = |own: &OwnFilter| own.filter == filter && own.instead.contains(&theirs);
    theirs == filter || OWN.iter().any(instead)
}

/// Adds those of ours that a program with these runtimes can come to.
pub fn add_own(filters: &mut Vec<ExceptionBreakpointsFilter>, runtimes: &[&str]) {
    for own in OWN.iter().filter(|own| runtimes.contains(&own.runtime)) {
        let has = |f: &ExceptionBreakpointsFilter| {
            f.filter == own.filter || own.instead.contains(&f.filter.as_str())
        };
        if !filters.iter().any(has) {
            filters.push(ExceptionBreakpointsFilter {
                filter: own.filter.to_owned(),
                label: own.label.to_owned(),
                default: Some(true),
                ..ExceptionBreakpointsFilter::default()
            });
        }
    }
}

/// The filter that an adapter means by `wanted`, out of those that it offers.
pub fn offered_as<'o>(wanted: &str, offered: &'o [ExceptionBreakpointsFilter]) -> Option<&'o str> {
    let named = |word: &str| offered.iter().map(|o| &*o.filter).find(|o| *o == word);
    let same = [ALL_RAISED, ALL_UNCAUGHT]
        .into_iter()
        .find(|words| words.contains(&wanted))
        .unwrap_or_default();
    named(wanted).or_else(|| same.iter().find_map(|word| named(word)))
}

/// Types begin with a capital or are qualified; the filters of adapters are not and seldom do. A type may become part of a condition, which
/// it must not end.
fn is_type(word: &str) -> bool {
    let ends_text = |c: char| c.is_control() || "\"'`\\".contains(c);
    let is_named =
        word.contains("::") || word.contains('.') || word.starts_with(char::is_uppercase);
    is_named && !word.contains(ends_text)
}

/// A type, and the filter that stops at it: `KeyError`, `KeyError:uncaught`.
fn split(word: &str) -> Option<(&str, &'static str)> {
    let (name, filter) = match word.rsplit_once(':') {
        Some((name, "caught")) if !name.ends_with(':') => (name, RAISED),
        Some((name, UNCAUGHT)) if !name.ends_with(':') => (name, UNCAUGHT),
        _ => (word, RAISED),
    };
    is_type(name).then_some((name, filter))
}

/// The filter that an adapter is sent for what was chosen, which may be a type.
pub fn sent_as<'o>(wanted: &str, offered: &'o [ExceptionBreakpointsFilter]) -> Option<&'o str> {
    offered_as(wanted, offered).or_else(|| offered_as(split(wanted)?.1, offered))
}

/// Whether a word means something to adapters in general, or is a type; what else one calls a filter is known when it is there.
pub fn is_common(word: &str) -> bool {
    let words = ALL_RAISED.iter().chain(ALL_UNCAUGHT);
    words.copied().any(|known| known == word) || is_own(word) || split(word).is_some()
}

/// The types that were chosen and can be stopped at.
pub fn typed<'c>(
    chosen: Option<&'c [ExceptionFilter]>,
    offered: &[ExceptionBreakpointsFilter],
) -> Vec<&'c ExceptionFilter> {
    misspelt(chosen, offered)
        .filter(|wish| sent_as(&wish.filter, offered).is_some())
        .collect()
}

/// The types of which alone exceptions are to stop a program, where the adapter stops at all that are raised because of them. None where
/// another filter is on whose stops cannot be told from those: of what nobody handles an adapter says so.
pub fn types<'c>(
    chosen: &'c [ExceptionFilter],
    offered: &[ExceptionBreakpointsFilter],
) -> Vec<&'c str> {
    let [raised, uncaught] = [RAISED, UNCAUGHT].map(|word| offered_as(word, offered));
    let (mut types, mut names) = (Vec::new(), Vec::new());
    for wish in chosen
        .iter()
        .filter(|wish| !wish.off && !is_own(&wish.filter))
    {
        match (offered_as(&wish.filter, offered), split(&wish.filter)) {
            (None, Some((name, filter))) if offered_as(filter, offered).is_some() => {
                types.push(name);
            }
            // Filters may be called by types.
            (Some(_), Some((name, _))) => names.push(name),
            (own @ Some(_), None) if own == uncaught && own != raised => {}
            (Some(_), None) => return Vec::new(),
            (None, _) => {}
        }
    }
    if !types.is_empty() {
        types.extend(names);
    }
    types
}

/// The type of an exception, by the adapter's word, which may go on with its text, or be of something else.
pub fn type_of(info: &ExceptionInfoResponse) -> Option<&str> {
    let details = info.details.as_ref();
    let full = details.and_then(|d| d.full_type_name.as_deref().or(d.type_name.as_deref()));
    let mut names = [full.unwrap_or_default(), &info.exception_id].into_iter();
    let name = names.find(|name| !name.is_empty())?.split(": ").next();
    name.filter(|name| is_type(name))
}

/// The same name, or the same but for what it is qualified with.
pub fn is_of(type_name: &str, wanted: &str) -> bool {
    fn last(name: &str) -> &str {
        let name = name.rsplit("::").next().unwrap_or_default();
        name.rsplit('.').next().unwrap_or_default()
    }
    type_name == wanted
        || last(type_name) == wanted
        || (type_name.ends_with(wanted) && last(type_name) == last(wanted))
}

/// What a person's choice says of the filters that an adapter offers: those that are on, with the adapter's names. None when the choice
/// was made for other adapters, whose filters have other names, or was never made: then the adapter's own defaults hold.
pub fn choice<'c, 'o>(
    chosen: Option<&'c [ExceptionFilter]>,
    offered: &'o [ExceptionBreakpointsFilter],
) -> Option<Vec<(&'o str, &'c ExceptionFilter)>> {
    let chosen = chosen?;
    // That one adapter's kind of exception is off says nothing of what another calls so.
    let is_off = |name: &str| chosen.iter().any(|wish| wish.off && wish.filter == name);
    let mut on: Vec<(&str, &ExceptionFilter)> = Vec::new();
    let by_name = |wish: &&ExceptionFilter| offered.iter().any(|o| o.filter == wish.filter);
    let (own, others): (Vec<_>, Vec<_>) = chosen.iter().filter(|w| !w.off).partition(by_name);
    for wish in own.into_iter().chain(others) {
        let name = offered_as(&wish.filter, offered).filter(|name| !is_off(name));
        if let Some(name) = name
            && on.iter().all(|(known, _)| *known != name)
        {
            on.push((name, wish));
        }
    }
    let is_meant = chosen.is_empty() || !on.is_empty() || offered.iter().any(|o| is_off(&o.filter));
    is_meant.then_some(on)
}

/// What somebody typed that no filter is called, a type or a mistake: what was chosen among the filters of another adapter is none of it.
pub fn misspelt<'c>(
    chosen: Option<&'c [ExceptionFilter]>,
    offered: &[ExceptionBreakpointsFilter],
) -> impl Iterator<Item = &'c ExceptionFilter> {
    let chosen = chosen.unwrap_or_default();
    let is_of_a_list = chosen.iter().any(|wish| wish.off);
    chosen.iter().filter(move |wish| {
        let is_typed = !is_of_a_list || wish.by_type && !wish.off;
        is_typed && offered_as(&wish.filter, offered).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(names: &[&str]) -> Vec<ExceptionBreakpointsFilter> {
        let filter = |name: &&str| ExceptionBreakpointsFilter {
            filter: (*name).to_owned(),
            ..ExceptionBreakpointsFilter::default()
        };
        names.iter().map(filter).collect()
    }

    /// `-raised` is off.
    fn wishes(words: &[&str]) -> Vec<ExceptionFilter> {
        let wish = |word: &&str| ExceptionFilter {
            off: word.starts_with('-'),
            ..ExceptionFilter::named(word.trim_start_matches('-'))
        };
        words.iter().map(wish).collect()
    }

    #[test]
    fn a_choice_made_for_one_adapter_leaves_the_defaults_of_another() {
        let cpp = offers(&["cpp_throw", "cpp_catch"]);
        let said = |words: &[&str]| -> Option<Vec<String>> {
            let wishes = wishes(words);
            let on = choice(Some(&wishes), &cpp)?;
            Some(on.iter().map(|(name, _)| (*name).to_owned()).collect())
        };
        let on = |names: &[&str]| Some(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert_eq!(choice(None, &cpp), None);
        // Of Python's list: none is one of these.
        assert_eq!(said(&["-raised", "uncaught", "-userUnhandled"]), None);
        // What is on there is on here, by its name here, unless it is off by that.
        assert_eq!(said(&["raised", "uncaught"]), on(&["cpp_throw"]));
        assert_eq!(
            said(&["raised", "-cpp_throw", "cpp_catch"]),
            on(&["cpp_catch"])
        );
        assert_eq!(said(&["-cpp_throw", "-cpp_catch", "uncaught"]), on(&[]));
        assert_eq!(said(&["raised", "cpp_throw"]), on(&["cpp_throw"]));
        // Nothing at all is nothing anywhere.
        assert_eq!(said(&[]), on(&[]));
        let wrong = |words: &[&str]| misspelt(Some(&wishes(words)), &cpp).count();
        assert_eq!(wrong(&["rasied", "raised"]), 1);
        assert_eq!(wrong(&["uncaught", "-raised"]), 0);
        // Which may be filters of another adapter.
        assert_eq!(wrong(&["uncaught", "-raised", "RuntimeError"]), 0);
        let typed = ExceptionFilter {
            by_type: true,
            ..ExceptionFilter::named("KeyError")
        };
        let both = [wishes(&["-raised"]), vec![typed]].concat();
        assert_eq!(misspelt(Some(&both), &cpp).count(), 1);
    }

    #[test]
    fn a_word_is_taken_as_it_is_or_as_one_that_means_the_same() {
        assert_eq!(
            offered_as("raised", &offers(&["uncaught", "raised"])),
            Some("raised")
        );
        assert_eq!(
            offered_as("raised", &offers(&["uncaught", "all"])),
            Some("all")
        );
        assert_eq!(
            offered_as("uncaught", &offers(&["user-unhandled", "all"])),
            Some("user-unhandled")
        );
        assert_eq!(
            offered_as("cpp_catch", &offers(&["cpp_catch"])),
            Some("cpp_catch")
        );
        assert_eq!(offered_as("rasied", &offers(&["raised"])), None);
        assert_eq!(offered_as("uncaught", &offers(&["all"])), None);
    }

    #[test]
    fn a_type_stands_for_the_filter_that_stops_at_it() {
        let python = offers(&["raised", "uncaught"]);
        for (word, sent) in [
            ("KeyError", Some("raised")),
            ("shop.StockError:caught", Some("raised")),
            ("KeyError:uncaught", Some("uncaught")),
            ("std::uncaught", Some("raised")),
            ("uncaught", Some("uncaught")),
            ("rasied", None),
            ("E\" || end() || \"", None),
        ] {
            assert_eq!(sent_as(word, &python), sent, "{word}");
        }
        // What is offered is no type.
        assert_eq!(sent_as("Notice", &offers(&["Notice", "*"])), Some("Notice"));
        assert_eq!(sent_as("Notice", &offers(&["uncaught"])), None);
        let meant = |words: &[&str], offered: &[ExceptionBreakpointsFilter]| {
            types(&wishes(words), offered).join(" ")
        };
        assert_eq!(
            meant(&["KeyError", "a.B:uncaught", "uncaught"], &python),
            "KeyError a.B"
        );
        // Everything that is raised, or what an adapter may say the same of.
        assert_eq!(meant(&["KeyError", "all"], &python), "");
        let more = offers(&["raised", "uncaught", "userUnhandled"]);
        assert_eq!(meant(&["KeyError", "userUnhandled"], &more), "");
        assert_eq!(meant(&["-KeyError"], &python), "");
        // Nothing is stopped at because of it.
        assert_eq!(meant(&["KeyError"], &offers(&["uncaught"])), "");
        let ruby = offers(&["any", "RuntimeError"]);
        assert_eq!(
            meant(&["KeyError", "RuntimeError"], &ruby),
            "KeyError RuntimeError"
        );
        assert_eq!(meant(&["RuntimeError"], &ruby), "");
    }

    #[test]
    fn types_are_matched_by_their_last_name() {
        for (name, wanted, is) in [
            ("KeyError", "KeyError", true),
            ("shop.StockError", "StockError", true),
            ("shop.StockError", "shop.StockError", true),
            ("shop.OtherError", "shop.StockError", false),
            ("other.NotStockError", "StockError", false),
            (
                "System.NullReferenceException",
                "System.NullReferenceException",
                true,
            ),
            ("std::bad_cast", "std::bad_alloc", false),
        ] {
            assert_eq!(is_of(name, wanted), is, "{name} {wanted}");
        }
    }
}
