//! Terminal modes, read back from the bytes that switched them.

use std::collections::BTreeMap;

/// Control sequences `ESC [ parameters final` in order.
fn sequences(raw: &[u8]) -> impl Iterator<Item = (&[u8], u8)> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let at = rest.windows(2).position(|pair| pair == b"\x1b[")?;
        rest = &rest[at + 2..];
        loop {
            let end = rest
                .iter()
                .position(|byte| matches!(byte, 0x40..=0x7e | 0x1b))?;
            if rest[end] != b'\x1b' {
                let found = (&rest[..end], rest[end]);
                rest = &rest[end + 1..];
                return Some(found);
            }
            // A sequence that was cut short, by a kill for example: a new one begins.
            let at = rest[end..].windows(2).position(|pair| pair == b"\x1b[")?;
            rest = &rest[end + at + 2..];
        }
    })
}

pub(super) fn switches(raw: &[u8]) -> Vec<(u16, bool)> {
    sequences(raw)
        .filter(|(parameters, last)| parameters.starts_with(b"?") && matches!(last, b'h' | b'l'))
        .flat_map(|(parameters, last)| {
            let text = String::from_utf8_lossy(&parameters[1..]).into_owned();
            let modes: Vec<_> = text
                .split(';')
                .filter_map(|mode| mode.parse().ok())
                .collect();
            modes.into_iter().map(move |mode| (mode, last == b'h'))
        })
        .collect()
}

pub(super) fn dec_modes(raw: &[u8]) -> BTreeMap<u16, bool> {
    switches(raw).into_iter().collect()
}

/// How many sets of keyboard flags (`CSI > flags u`) are pushed.
pub(super) fn keyboard_depth(raw: &[u8]) -> i32 {
    let mut depth = 0;
    for (parameters, last) in sequences(raw).filter(|(_, last)| *last == b'u') {
        match (parameters.first(), last) {
            (Some(b'>'), _) => depth += 1,
            (Some(b'<'), _) => {
                let text = String::from_utf8_lossy(&parameters[1..]);
                // Popping an empty stack is allowed and does nothing.
                depth = (depth - text.parse().unwrap_or(1)).max(0);
            }
            _ => {}
        }
    }
    depth
}
