//! Keys, answers, and both in any pieces.

use proptest::prelude::*;

use super::*;

fn decode(pieces: &[&[u8]]) -> Vec<Decoded> {
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    for piece in pieces {
        decoder.push(piece, false, &mut out);
    }
    out
}

fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Decoded {
    key(code, modifiers)
}

#[test]
fn keys_as_terminals_send_them() {
    let none = KeyModifiers::NONE;
    let control = KeyModifiers::CONTROL;
    for (bytes, code, modifiers) in [
        (&b"a"[..], KeyCode::Char('a'), none),
        (b"A", KeyCode::Char('A'), KeyModifiers::SHIFT),
        ("é".as_bytes(), KeyCode::Char('é'), none),
        (b"\x1b", KeyCode::Esc, none),
        (b"\r", KeyCode::Enter, none),
        (b"\x10", KeyCode::Char('p'), control),
        (b"\x00", KeyCode::Char(' '), control),
        (b"\x1f", KeyCode::Char('7'), control),
        (b"\x7f", KeyCode::Backspace, none),
        (b"\x1bx", KeyCode::Char('x'), KeyModifiers::ALT),
        (b"\x1b\r", KeyCode::Enter, KeyModifiers::ALT),
        (b"\x1b[A", KeyCode::Up, none),
        (b"\x1bOP", KeyCode::F(1), none),
        (b"\x1b[15~", KeyCode::F(5), none),
        (b"\x1b[24~", KeyCode::F(12), none),
        (b"\x1b[23;2~", KeyCode::F(11), KeyModifiers::SHIFT),
        (b"\x1b[1;5C", KeyCode::Right, control),
        (b"\x1b[1;2R", KeyCode::F(3), KeyModifiers::SHIFT),
        (b"\x1b[Z", KeyCode::BackTab, KeyModifiers::SHIFT),
        (b"\x1b[5~", KeyCode::PageUp, none),
        (b"\x1b[[C", KeyCode::F(3), none),
        (b"\x1b[105;5u", KeyCode::Char('i'), control),
        (b"\x1b[27u", KeyCode::Esc, none),
        (b"\x1b[97:65;2u", KeyCode::Char('A'), none),
        (b"\x1b[9;2u", KeyCode::BackTab, KeyModifiers::SHIFT),
        (b"\x1b[57376u", KeyCode::F(13), none),
    ] {
        assert_eq!(decode(&[bytes]), [pressed(code, modifiers)], "{bytes:?}");
    }
    let released = decode(&[b"\x1b[97;1:3u"]);
    assert!(
        matches!(&released[..], [Decoded::Event(Event::Key(k))] if k.kind == KeyEventKind::Release)
    );
    let keypad = decode(&[b"\x1b[57414u"]);
    assert!(matches!(&keypad[..], [Decoded::Event(Event::Key(k))] if k.code == KeyCode::Enter));
}

#[test]
fn mouse_focus_and_pastes() {
    let mouse = |kind, column, row, modifiers| {
        Decoded::Event(Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers,
        }))
    };
    let none = KeyModifiers::NONE;
    for (bytes, wanted) in [
        (
            &b"\x1b[<0;3;4M"[..],
            mouse(MouseEventKind::Down(MouseButton::Left), 2, 3, none),
        ),
        (
            b"\x1b[<2;1;1m",
            mouse(MouseEventKind::Up(MouseButton::Right), 0, 0, none),
        ),
        (
            b"\x1b[<36;9;9M",
            mouse(
                MouseEventKind::Drag(MouseButton::Left),
                8,
                8,
                KeyModifiers::SHIFT,
            ),
        ),
        (
            b"\x1b[<65;300;2M",
            mouse(MouseEventKind::ScrollDown, 299, 1, none),
        ),
        (b"\x1b[I", Decoded::Event(Event::FocusGained)),
        (b"\x1b[O", Decoded::Event(Event::FocusLost)),
        (
            b"\x1b[200~a\x1b[A\r\x1b[201~",
            Decoded::Event(Event::Paste("a\x1b[A\r".to_owned())),
        ),
    ] {
        assert_eq!(decode(&[bytes]), [wanted], "{bytes:?}");
    }
}

const ANSWERS: &[u8] = b"\x1b[?62;4;52c\x1b[?2026;2$y\x1b[?0u\x1bP>|kitty(0.40)\x1b\\\x1b]11;rgb:1e1e/1e1e/1e1e\x07\x1b_Gi=31;OK\x1b\\\x1bP1+r4D73=aa\x1b\\\x1b[6;18;9t";

fn answers() -> Vec<Decoded> {
    [
        Answer::Attributes(vec![62, 4, 52]),
        Answer::Mode(2026, 2),
        Answer::KeyboardFlags(0),
        Answer::Version("kitty(0.40)".to_owned()),
        Answer::Colour(11, "rgb:1e1e/1e1e/1e1e".to_owned()),
        Answer::Graphics(31, "OK".to_owned()),
        Answer::Capability("4d73".to_owned(), true),
        Answer::Pixels(6, 18, 9),
    ]
    .map(Decoded::Answer)
    .to_vec()
}

#[test]
fn answers_are_told_from_keys_wherever_they_are_cut() {
    assert_eq!(decode(&[ANSWERS]), answers());
    let mut mixed = b"q".to_vec();
    mixed.extend_from_slice(ANSWERS);
    mixed.extend_from_slice(b"\x1b[B");
    let mut wanted = vec![pressed(KeyCode::Char('q'), KeyModifiers::NONE)];
    wanted.extend(answers());
    wanted.push(pressed(KeyCode::Down, KeyModifiers::NONE));
    for cut in 1..mixed.len() {
        let (one, two) = mixed.split_at(cut);
        // Cut right behind an escape nobody can tell, without waiting, that it is not the key.
        if one.ends_with(b"\x1b") {
            continue;
        }
        assert_eq!(decode(&[one, two]), wanted, "cut at {cut}");
    }
}

#[test]
fn what_nobody_knows_is_dropped_whole_and_what_is_cut_off_ends() {
    for bytes in [
        &b"\x1b[?1;2;3x"[..],
        b"\x1b]52;c;c2VjcmV0\x07",
        b"\x1b[>0;10;1c",
        b"\x1bPunknown\x1b\\",
        b"\x1b_Gi=x;OK\x1b\\",
        b"\x1b[99999999999999u",
        b"\x1b[<0;0;0M",
        b"\x1b[3;7R",
        b"\xff",
    ] {
        let mut all = bytes.to_vec();
        all.push(b'k');
        let k = pressed(KeyCode::Char('k'), KeyModifiers::NONE);
        assert_eq!(decode(&[&all]), [k], "{bytes:?}");
    }
    // An answer that was given up: the next sequence is whole.
    assert_eq!(
        decode(&[b"\x1b]11;rgb:\x1b[A"]),
        [pressed(KeyCode::Up, KeyModifiers::NONE)]
    );
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    decoder.push(b"\x1b]", false, &mut out);
    assert!(out.is_empty() && decoder.is_doubtful());
    decoder.flush(&mut out);
    assert_eq!(out, [pressed(KeyCode::Char(']'), KeyModifiers::ALT)]);
    decoder.push(&vec![b'x'; LONGEST_ANSWER * 2], false, &mut Vec::new());
    decoder.push(b"\x1b]", false, &mut out);
    decoder.push(&vec![b'x'; LONGEST_ANSWER * 2], false, &mut out);
    assert!(!decoder.is_doubtful(), "an endless string holds no memory");
}

proptest! {
    #[test]
    fn bytes_never_hurt_and_pieces_do_not_matter(
        bytes in prop::collection::vec(prop_oneof![Just(0x1b_u8), Just(b'['), Just(b']'), Just(b'M'), any::<u8>()], 0..60),
        cut in 0_usize..60,
    ) {
        let cut = cut.min(bytes.len());
        let (one, two) = bytes.split_at(cut);
        let mut whole = Vec::new();
        let mut cut_up = Vec::new();
        Decoder::default().push(&bytes, true, &mut whole);
        let mut decoder = Decoder::default();
        decoder.push(one, true, &mut cut_up);
        decoder.push(two, true, &mut cut_up);
        prop_assert_eq!(whole, cut_up);
    }
}
