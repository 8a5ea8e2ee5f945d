//! The terminal route, in a terminal that answers what it is asked and in one that does not, or late.

use crate::support;

use base64::Engine as _;
use support::desk::Desk;
use support::pty::{Background, Pty};

fn open(background: Background) -> Desk {
    let desk = Desk::with(|builder| {
        builder
            .background(background)
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
    });
    desk.pty.wait_for("What would you like to look into?");
    desk.pty.key("e");
    desk
}

/// Waits for a row that begins with `label` and says `value`: what is seen may be half a frame.
fn wait_row(pty: &Pty, label: &str, value: &str) {
    pty.wait_until(&format!("{label}: {value}"), |screen| {
        let at = screen.find(label).map(|(_, row)| row);
        at.is_some_and(|row| screen.row(row).contains(value))
    });
}

#[test]
fn a_terminal_that_answers_is_described_by_its_answers() {
    let desk = open(Background::Light);
    let pty = &desk.pty;
    pty.wait_for("all answered that will be");
    wait_row(pty, "Name (XTVERSION)", "emulator(1)");
    wait_row(pty, "Background (OSC 11)", "the light theme");
    wait_row(pty, "Synchronised output", "yes, off");
    wait_row(pty, "Theme changes", "it does not know the question");
    wait_row(pty, "Kitty keyboard", "yes, flags 0");
    wait_row(pty, "Sixel graphics", "no (DA1 lacks 4)");
    wait_row(pty, "Cells", "160x50");
    pty.key("Y");
    pty.wait_for("terminal: ");
    let raw = pty.clipboard().pop().unwrap();
    let text = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("Name (XTVERSION): emulator(1)"), "{text}");
}

#[test]
fn silence_is_said_and_late_answers_are_no_keys() {
    let desk = open(Background::Mute);
    let pty = &desk.pty;
    pty.wait_for("asked, not answered yet");
    pty.wait_for("it does not answer");
    wait_row(pty, "Synchronised output", "no answer within a second");
    // Any of these letters would be a key: q leaves, H goes home, t turns the page.
    pty.send(b"\x1bP>|qHt(1)\x1b\\\x1b]10;rgb:ffff/0000/0000\x1b\\\x1b[?2026;1$y\x1b_Gi=31;EqHt\x1b\\\x1b[?62;52c");
    pty.wait_for("all answered that will be");
    wait_row(pty, "Name (XTVERSION)", "qHt(1)");
    wait_row(pty, "Synchronised output", "yes, on");
    wait_row(pty, "Kitty graphics", "EqHt");
    wait_row(pty, "Clipboard (OSC 52)", "yes");
    // The route is still there, and keys are keys.
    pty.key("t");
    pty.wait_for("look, and judge");
}

#[test]
fn the_page_shows_colours_and_widths_and_is_gone_when_left() {
    let desk = open(Background::Dark);
    let pty = &desk.pty;
    pty.wait_for("all answered that will be");
    pty.key("t");
    pty.wait_for("closed all around");
    // The emulator agrees about how wide the characters are: the bar follows them.
    wait_row(
        pty,
        "漢字かな한글|",
        "the bar stands right behind it, at 12 cells",
    );
    pty.wait_for("announces no way to show one");
    pty.key("p");
    pty.wait_for("a link to example.org");
    pty.wait_for("curly");
    pty.wait_raw("the link's address", |raw| {
        raw.windows(20).any(|w| w == b"\x1b]8;;https://example")
    });
    pty.key("Esc");
    pty.wait_for("Name (XTVERSION)");
    pty.wait_gone("a link to example.org");
}

/// The answer may take as long as it likes: keys typed before it are keys, and it is none.
#[test]
fn keys_typed_before_the_background_is_known_are_not_lost() {
    let desk = Desk::with(|builder| builder.background(Background::Mute));
    let pty = &desk.pty;
    pty.wait_for("What would you like to look into?");
    pty.type_text("l");
    pty.wait_for("following");
    pty.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    pty.key("H");
    pty.wait_for("What would you like to look into?");
    let screen = pty.key("e").wait_for("Background (OSC 11)");
    assert!(screen.contains("Terminal"));
}
