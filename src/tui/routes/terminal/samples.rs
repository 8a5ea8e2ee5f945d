//! Colours to look at: whether a terminal shows what it is told to.

use base::text::ansi;
use ratatui::style::Style;

use crate::theme::Theme;

/// Backgrounds of cells, one after the other; empty in a theme without colours.
#[derive(Debug, Default)]
pub struct Samples {
    /// The sixteen names.
    pub named: Vec<Style>,
    /// Some of the 256.
    pub cube: Vec<Style>,
    /// All hues in 24 bits.
    pub hues: Vec<Style>,
}

/// Cells of the bar with all hues.
const HUES: u8 = 32;

impl Samples {
    /// Those that `theme` can show.
    pub fn of(theme: &Theme) -> Self {
        let cell = |bg| {
            let asked = ansi::Style {
                bg: Some(bg),
                ..ansi::Style::default()
            };
            theme.program_style(asked)
        };
        if cell(ansi::Colour::Indexed(1)).bg.is_none() {
            return Self::default();
        }
        Self {
            named: (0..16).map(|n| cell(ansi::Colour::Indexed(n))).collect(),
            cube: (16..=231)
                .step_by(7)
                .map(|n| cell(ansi::Colour::Indexed(n)))
                .collect(),
            hues: (0..HUES).map(|n| cell(hue(n))).collect(),
        }
    }
}

/// A hue of full value and 85 % saturation.
fn hue(number: u8) -> ansi::Colour {
    const LOW: f64 = 255.0 * 0.15;
    let sixth = f64::from(number) / f64::from(HUES) * 6.0;
    let channel = |offset: f64| {
        let place = (offset + sixth) % 6.0;
        let share = (place.min(4.0 - place)).clamp(0.0, 1.0);
        (255.0 - (255.0 - LOW) * share) as u8
    };
    ansi::Colour::Rgb(channel(5.0), channel(3.0), channel(1.0))
}
