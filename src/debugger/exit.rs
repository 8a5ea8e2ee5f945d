//! What an exit code says besides its number.

/// Signals that end programs, with the numbers that they have on every platform of ours.
const DEADLY: &[(i64, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
];

/// Of those, the ones that a program's own -1 or -2 is not taken for.
const FIRST_AS_A_BYTE: i64 = 4;

/// The signal of which an exit code speaks: 137 as shells have it, -9 as the system's calls, 247 as adapters that keep one byte
/// of that. A program may also have chosen the number, so this is a guess and is to be told as one.
pub fn signal_of(exit_code: i64) -> Option<(i64, &'static str)> {
    let named = |number: i64| DEADLY.iter().find(|(n, _)| *n == number).copied();
    match exit_code {
        -64..0 => named(-exit_code),
        129..192 => named(exit_code - 128),
        192..256 => named(256 - exit_code).filter(|(number, _)| *number >= FIRST_AS_A_BYTE),
        _ => None,
    }
}

/// A signal's number by its name, on this machine.
pub fn signal_named(name: &str) -> Option<i32> {
    let here = [("SIGBUS", libc::SIGBUS), ("SIGSYS", libc::SIGSYS)];
    if let Some((_, number)) = here.iter().find(|(known, _)| *known == name) {
        return Some(*number);
    }
    let (number, _) = DEADLY.iter().find(|(_, known)| *known == name)?;
    i32::try_from(*number).ok()
}

/// `exit code 247, as after signal 9 (SIGKILL)`
pub fn words(exit_code: i64) -> String {
    format!("exit code {}", number(exit_code))
}

/// `247, as after signal 9 (SIGKILL)`
pub fn number(exit_code: i64) -> String {
    match signal_of(exit_code) {
        Some((number, name)) => format!("{exit_code}, as after signal {number} ({name})"),
        None => exit_code.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_read_out_of_the_usual_spellings() {
        for code in [137, -9, 247] {
            assert_eq!(signal_of(code), Some((9, "SIGKILL")), "{code}");
        }
        assert_eq!(signal_of(139), Some((11, "SIGSEGV")));
        // -1 and -2 are a program's own words.
        for code in [0, 1, 3, 127, 128, 200, 254, 255, 256, 1000, i64::MIN] {
            assert_eq!(signal_of(code), None, "{code}");
        }
        assert_eq!(signal_named("SIGSEGV"), Some(11));
        assert_eq!(signal_named("step"), None);
        assert_eq!(words(247), "exit code 247, as after signal 9 (SIGKILL)");
        assert_eq!(words(3), "exit code 3");
    }
}
