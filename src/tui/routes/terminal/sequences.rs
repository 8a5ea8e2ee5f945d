//! Sequences of the test page that a frame cannot hold: links, kinds of underlines, large text, pictures, notifications.
//!
//! Pure: bytes out. Each is written at a place of its own and puts the cursor and the looks back.

use std::fmt::Write as _;

use crate::term::{pictures::Pixels, probe::Pictures};

/// Pixels of the picture.
const WIDE: u16 = 96;
const HIGH: u16 = 64;
/// Cells that it is shown in.
pub const PICTURE_CELLS: (u16, u16) = (16, 4);

/// Writes `what` at a place (0-based) and comes back.
pub fn at(column: u16, row: u16, what: &str) -> String {
    format!("\x1b7\x1b[{};{}H{what}\x1b[0m\x1b8", row + 1, column + 1)
}

/// A link.
pub fn link() -> &'static str {
    "\x1b]8;;https://example.org/\x1b\\a link to example.org\x1b]8;;\x1b\\"
}

/// Kinds of underlines, the last one in a colour of its own.
pub fn underlines() -> String {
    let kinds = [
        ("single", 1),
        ("double", 2),
        ("curly", 3),
        ("dotted", 4),
        ("dashed", 5),
    ];
    let mut out = String::new();
    for (name, kind) in kinds {
        let _ = write!(out, "\x1b[4:{kind}m{name}\x1b[24m  ");
    }
    out.push_str("\x1b[4:3m\x1b[58:2::255:80:80mred curl\x1b[59m\x1b[24m");
    out
}

/// Text of twice the size, for terminals that know it (OSC 66); it takes two rows.
pub fn large() -> &'static str {
    "\x1b]66;s=2;twice as large\x1b\\"
}

/// A notification, in the way the terminal is known to take it.
pub fn notification(terminal: &str) -> &'static str {
    match terminal {
        "kitty" => "\x1b]99;i=omp-debug:d=1;omp-debug: this is a test\x1b\\",
        "ghostty" | "wezterm" | "iterm2" | "warp" => "\x1b]9;omp-debug: this is a test\x1b\\",
        _ => "\x07",
    }
}

/// The picture, a gradient: red to the right, green downwards, blue half.
pub fn picture(how: Pictures) -> String {
    let rgb: Vec<u8> = (0..HIGH)
        .flat_map(|y| (0..WIDE).flat_map(move |x| colour(x, y)))
        .collect();
    let (wide, high) = (WIDE.into(), HIGH.into());
    let picture = Pixels {
        wide,
        high,
        rgb: &rgb,
    };
    picture.sequence(how, PICTURE_CELLS)
}

fn colour(x: u16, y: u16) -> [u8; 3] {
    let part = |n: u16, of: u16| (u32::from(n) * 255 / u32::from(of - 1)) as u8;
    [part(x, WIDE), part(y, HIGH), 128]
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    use super::*;

    #[test]
    fn pictures_in_three_ways() {
        let kitty = picture(Pictures::Kitty);
        assert!(
            kitty.starts_with("\x1b_Ga=T,q=2,f=100,i=32,c=16,r=4,C=1,m="),
            "{kitty:.60}"
        );
        for piece in kitty.split("\x1b\\").filter(|piece| !piece.is_empty()) {
            let data = piece.split_once(';').unwrap().1;
            assert!(data.len() <= 4096 && STANDARD.decode(data).is_ok());
        }
        assert!(
            kitty.contains("m=0;"),
            "the last piece says that it is the last"
        );
        let iterm = picture(Pictures::Iterm);
        let data = iterm.split_once(':').unwrap().1.trim_end_matches('\x07');
        let png = STANDARD.decode(data).unwrap();
        assert!(png.starts_with(b"\x89PNG") && iterm.contains(&format!("size={};", png.len())));
        // The picture unpacks to what was drawn.
        let start = png.windows(4).position(|w| w == b"IDAT").unwrap() + 4;
        let mut rows = Vec::new();
        std::io::Read::read_to_end(
            &mut flate2::read::ZlibDecoder::new(&png[start..]),
            &mut rows,
        )
        .unwrap();
        assert_eq!(rows.len(), usize::from(HIGH) * (1 + 3 * usize::from(WIDE)));
        let sixel = picture(Pictures::Sixel);
        assert!(sixel.starts_with("\x1bP0;1q") && sixel.ends_with("\x1b\\"));
        assert_eq!(sixel.matches('-').count(), usize::from(HIGH / 6));
    }

    #[test]
    fn the_cursor_comes_back() {
        assert_eq!(at(4, 2, "x"), "\x1b7\x1b[3;5Hx\x1b[0m\x1b8");
    }
}
