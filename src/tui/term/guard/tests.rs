use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use super::*;

/// A pseudo-terminal: the emulator's end and ours.
pub(crate) fn pty() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = rustix::fs::open(
        &name,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .unwrap();
    (master, slave)
}

/// All that was written to the terminal so far. The kernel hands it over when it likes: a mark of ours says where it ends.
pub(crate) fn seen(master: &OwnedFd) -> String {
    const MARK: &[u8] = b"\x01mark\x02";
    let name = ptsname(master, Vec::new()).unwrap();
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(&name, flags, Mode::empty()).unwrap();
    rustix::io::write(&slave, MARK).unwrap();
    let mut all = Vec::new();
    while !all.ends_with(MARK) {
        let mut bytes = [0; 4096];
        let count = rustix::io::read(master, &mut bytes).unwrap();
        all.extend_from_slice(&bytes[..count]);
    }
    all.truncate(all.len() - MARK.len());
    String::from_utf8_lossy(&all).into_owned()
}

fn guard_with(slave: &OwnedFd, options: Options) -> TerminalGuard {
    TerminalGuard::enter_on(
        slave.try_clone().unwrap(),
        slave.try_clone().unwrap(),
        options,
    )
    .unwrap()
}

/// The settings in force, in a form that can be compared.
fn modes(slave: &OwnedFd) -> String {
    format!("{:?}", termios::tcgetattr(slave).unwrap())
}

/// A guard with every mode switched on.
pub(crate) fn guard(slave: &OwnedFd) -> TerminalGuard {
    guard_with(slave, ALL)
}

const ALL: Options = Options {
    mouse: true,
    kitty_keyboard: true,
};

#[test]
fn everything_is_put_back_once() {
    let (master, slave) = pty();
    let before = modes(&slave);
    let guard = guard_with(&slave, ALL);
    let entered = seen(&master);
    for mode in [
        "?1049h", "?25l", "?2004h", "?1004h", "?1002h", "?1006h", ">1u",
    ] {
        assert!(entered.contains(mode), "{mode} in {entered:?}");
    }
    assert!(!entered.contains("?1003h"));
    assert_ne!(modes(&slave), before);
    assert_eq!(format!("{:?}", lock(&guard.tty.found)), before);

    guard.leave();
    guard.leave();
    drop(guard);
    let left = seen(&master);
    assert_eq!(left, [KITTY_OFF, LEAVE].concat());
    assert_eq!(modes(&slave), before);
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let (master, slave) = pty();
    let before = modes(&slave);
    let slave_of_thread = slave.try_clone().unwrap();
    let died = thread::spawn(move || {
        let _guard = guard_with(&slave_of_thread, ALL);
        panic!("on purpose");
    })
    .join();
    assert!(died.is_err());
    assert!(seen(&master).ends_with(LEAVE));
    assert_eq!(modes(&slave), before);
}

#[test]
fn the_mouse_can_be_let_go() {
    let (master, slave) = pty();
    let guard = guard_with(
        &slave,
        Options {
            mouse: false,
            kitty_keyboard: false,
        },
    );
    assert!(!seen(&master).contains("?1000h"));
    guard.set_mouse(true).unwrap();
    assert_eq!(seen(&master), MOUSE_ON);
    guard.set_mouse(false).unwrap();
    assert_eq!(seen(&master), MOUSE_OFF);
    guard.leave();
    seen(&master);
    guard.set_mouse(true).unwrap();
    guard.enter_again().unwrap();
    assert!(seen(&master).contains(MOUSE_ON), "remembered while away");
}

#[test]
fn a_terminal_that_takes_nothing_does_not_hold_us_up() {
    let (_master, slave) = pty();
    let guard = guard_with(&slave, ALL);
    rustix::io::ioctl_fionbio(&slave, true).unwrap();
    while rustix::io::write(&slave, &[b'x'; 4096]).is_ok() {}
    guard.leave();
    assert!(!guard.is_inside());
}

#[test]
fn asserting_the_modes_again_leaves_nothing_behind() {
    let (master, slave) = pty();
    let guard = guard(&slave);
    seen(&master);
    guard.reassert().unwrap();
    let again = seen(&master);
    assert_eq!(
        again.matches(KITTY_ON).count(),
        again.matches(KITTY_OFF).count()
    );
    guard.leave();
    seen(&master);
    guard.reassert().unwrap();
    assert!(!guard.is_inside(), "a terminal we have left stays left");
}
