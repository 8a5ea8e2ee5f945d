//! The coloured palettes: which colour stands for which part.
//!
//! Leaves to others: what each part is used for ([`super::Theme`]).

use ratatui::style::{Color, Modifier, Style};

/// What differs between the coloured palettes.
pub struct Tints {
    /// Text of less importance: at least 4.5:1 on the assumed background.
    pub quiet: Color,
    /// Frames: visible, never loud.
    pub frame: Color,
    /// Line numbers: between frame and quiet.
    pub frame_text: Color,
    pub accent: Color,
    pub red: Color,
    pub green: Color,
    pub yellow: Color,
    pub blue: Color,
    pub purple: Color,
    /// Behind search matches, under black text.
    pub mark: Color,
    pub current_line: Style,
    pub frame_line: Style,
    pub selection_unfocused: Style,
    /// Behind blocks of a flame graph.
    pub flame: [Style; 6],
}

const fn behind(index: u8) -> Style {
    Style::new().bg(Color::Indexed(index))
}

/// Black on a bright one of the sixteen colours.
const fn on(colour: Color) -> Style {
    Style::new().bg(colour).fg(Color::Black)
}

/// The sixteen colours have no quiet ones.
const FLAME_16: [Style; 6] = [
    on(Color::Yellow),
    on(Color::Cyan),
    on(Color::Green),
    on(Color::Magenta),
    on(Color::LightYellow),
    on(Color::LightCyan),
];

impl Tints {
    pub const DARK_256: Self = Self {
        quiet: Color::Indexed(245),
        frame: Color::Indexed(239),
        frame_text: Color::Indexed(242),
        accent: Color::Cyan,
        red: Color::LightRed,
        green: Color::Green,
        yellow: Color::Yellow,
        blue: Color::LightBlue,
        purple: Color::LightMagenta,
        mark: Color::Yellow,
        current_line: behind(17),
        frame_line: behind(236),
        selection_unfocused: behind(237).add_modifier(Modifier::BOLD),
        flame: [
            behind(88),
            behind(24),
            behind(22),
            behind(54),
            behind(238),
            behind(23),
        ],
    };
    pub const DARK_16: Self = Self {
        quiet: Color::Gray,
        frame: Color::DarkGray,
        frame_text: Color::DarkGray,
        current_line: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        frame_line: Style::new().add_modifier(Modifier::UNDERLINED),
        selection_unfocused: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        flame: FLAME_16,
        ..Self::DARK_256
    };
    pub const LIGHT_256: Self = Self {
        quiet: Color::Indexed(241),
        frame: Color::Indexed(250),
        frame_text: Color::Indexed(245),
        // Bright and plain yellow and cyan cannot be read on white; these come from the cube.
        accent: Color::Indexed(25),
        red: Color::Indexed(124),
        green: Color::Indexed(28),
        yellow: Color::Indexed(94),
        blue: Color::Indexed(19),
        purple: Color::Indexed(90),
        mark: Color::Indexed(214),
        current_line: behind(222),
        frame_line: behind(254),
        selection_unfocused: behind(253).add_modifier(Modifier::BOLD),
        flame: [
            behind(223),
            behind(153),
            behind(157),
            behind(225),
            behind(252),
            behind(217),
        ],
    };
    pub const LIGHT_16: Self = Self {
        quiet: Color::DarkGray,
        frame: Color::Gray,
        frame_text: Color::DarkGray,
        accent: Color::Blue,
        red: Color::Red,
        green: Color::Green,
        yellow: Color::Magenta,
        blue: Color::Blue,
        purple: Color::Magenta,
        ..Self::DARK_16
    };
}
