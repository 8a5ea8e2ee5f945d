use super::*;

/// Red, green, blue of the 256-colour palette beyond the sixteen that a terminal lets its reader choose.
fn rgb(colour: Color) -> Option<[u8; 3]> {
    let Color::Indexed(index @ 16..) = colour else {
        return None;
    };
    if index >= 232 {
        return Some([8 + (index - 232) * 10; 3]);
    }
    let level = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
    let index = index - 16;
    Some([level(index / 36), level(index / 6 % 6), level(index % 6)])
}

fn luminance(rgb: [u8; 3]) -> f64 {
    let [r, g, b] = rgb.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.03928 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn our_own_tints_can_be_read() {
    for (theme, background, foreground) in [
        (Theme::dark(), [0x1e; 3], [0xd0; 3]),
        (Theme::light(), [0xff; 3], [0x20; 3]),
    ] {
        for (what, style) in [
            ("muted", theme.muted),
            ("accent", theme.accent),
            ("error", theme.error),
            ("warning", theme.warning),
            ("success", theme.success),
            ("keyword", theme.keyword),
            ("string", theme.string),
            ("number", theme.number),
            ("comment", theme.comment),
            ("type", theme.type_name),
        ] {
            let Some(colour) = style.fg.and_then(rgb) else {
                continue;
            };
            let ratio = contrast(colour, background);
            assert!(ratio >= 4.5, "{:?} {what}: {ratio:.2}", theme.name);
        }
        for (what, style) in [
            ("current line", theme.current_line),
            ("frame line", theme.selected_frame_line),
            ("selection", theme.selection_unfocused),
        ] {
            let bar = style.bg.and_then(rgb).unwrap();
            assert!(
                contrast(bar, foreground) >= 4.5,
                "text on the {:?} {what}",
                theme.name
            );
            assert!(
                contrast(bar, background) >= 1.05,
                "the {:?} {what} is invisible",
                theme.name
            );
        }
        for (number, style) in theme.flame.iter().enumerate() {
            let block = style.bg.and_then(rgb).unwrap();
            assert!(
                contrast(block, foreground) >= 4.5 && contrast(block, background) >= 1.05,
                "block {number} of {:?}",
                theme.name
            );
        }
    }
}

#[test]
fn selection_needs_no_colour() {
    for name in ThemeName::ALL {
        for depth in [
            ColourDepth::None,
            ColourDepth::Ansi16,
            ColourDepth::Indexed256,
            ColourDepth::True,
        ] {
            let theme = Theme::named(name, depth);
            assert!(
                theme.selection.add_modifier.contains(Modifier::REVERSED),
                "{name:?} {depth:?}"
            );
            assert!(!theme.selection_unfocused.add_modifier.is_empty());
        }
    }
}

#[test]
fn mono_has_no_colour_anywhere() {
    let text = format!("{:?}", Theme::mono());
    for word in [
        "Indexed", "Rgb", "fg(", "bg(", ".red(", ".cyan(", "Red", "Cyan",
    ] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let red = ansi::Style {
        fg: Some(ansi::Colour::Indexed(1)),
        bold: true,
        ..ansi::Style::default()
    };
    assert_eq!(
        Theme::mono().program_style(red),
        Style::new().add_modifier(Modifier::BOLD)
    );
    assert_eq!(Theme::dark().program_style(red).fg, Some(Color::Red));
}

#[test]
fn names_are_read_and_refused() {
    assert_eq!("Light".parse(), Ok(ThemeName::Light));
    let refused = "solarized".parse::<ThemeName>().unwrap_err().to_string();
    assert!(
        refused.contains("\"solarized\"") && refused.contains("mono"),
        "{refused}"
    );
}
