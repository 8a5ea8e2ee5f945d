//! Looks by meaning.
//!
//! The only place of the screen that names a colour: everything else asks for `theme.breakpoint` or `theme.muted`. The
//! palettes stay with the sixteen colours the reader chose for their terminal, plus a few neutral tints of the 256-colour cube
//! where sixteen names have none (the bar behind the current line, quiet grey text). [`Theme::mono`] sets no colour at all and
//! says everything with bold, dim, reverse and underline.
//!
//! Leaves to others: finding out what the terminal can do ([`super::term::capabilities`]).

mod symbols;
mod tints;

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};

use super::term::{
    capabilities::{Background, Capabilities, ColourDepth},
    cells::NAMED,
};
use base::text::ansi;

pub use symbols::Symbols;
use tints::Tints;

/// The palettes a person can name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ThemeName {
    /// For light text on a dark background.
    Dark,
    /// For dark text on a light background.
    Light,
    /// No colour at all.
    #[default]
    Mono,
}

impl ThemeName {
    /// Every palette, in the order help shows them.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::Mono];

    /// The name in the configuration file and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Mono => "mono",
        }
    }
}

/// A theme name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no theme {0:?}: use dark, light or mono, or leave the setting out to let the terminal decide"
)]
pub struct UnknownTheme(pub String);

impl FromStr for ThemeName {
    type Err = UnknownTheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|name| name.as_str().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| UnknownTheme(text.to_owned()))
    }
}

/// How each kind of thing looks. Styles are patches: what they leave unset is inherited from what they are drawn on; by default
/// that is all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Theme {
    /// Which palette this is.
    pub name: ThemeName,
    /// Ordinary text: the terminal's own colour.
    pub text: Style,
    /// Text of less importance: units, hints, paths, ids.
    pub muted: Style,
    /// Titles of panels.
    pub title: Style,
    /// Titles of the panel that has the focus.
    pub title_focused: Style,
    /// Frames.
    pub border: Style,
    /// The frame that has the focus.
    pub border_focused: Style,
    /// The one accent: the active tab, the prompt's mark.
    pub accent: Style,
    /// The selected row. Carries a sign that needs no colour.
    pub selection: Style,
    /// The selected row of a panel without the focus.
    pub selection_unfocused: Style,
    pub search_match: Style,
    /// The match the cursor is on.
    pub search_current: Style,
    /// Behind the line that runs next.
    pub current_line: Style,
    /// Behind the line of the frame that was chosen in the stack, when it is not the top one.
    pub selected_frame_line: Style,
    /// The arrow in the gutter.
    pub arrow: Style,
    pub line_number: Style,
    /// A breakpoint the adapter has placed.
    pub breakpoint: Style,
    /// A breakpoint the adapter has not placed (yet).
    pub breakpoint_unverified: Style,
    /// A breakpoint that prints instead of stopping.
    pub logpoint: Style,
    /// A breakpoint with a condition or a hit count.
    pub conditional: Style,
    /// A breakpoint that is switched off.
    pub breakpoint_disabled: Style,
    /// The breakpoint that stopped the program.
    pub breakpoint_hit: Style,
    /// A value that differs from the last stop.
    pub changed_value: Style,
    /// A variable's name.
    pub name_text: Style,
    /// Values at the end of a source line.
    pub inline_value: Style,
    /// Something failed.
    pub error: Style,
    /// Something may fail.
    pub warning: Style,
    /// Something worked; a program that runs.
    pub success: Style,
    /// A neutral message; a program that is stopped.
    pub info: Style,
    /// Source: strings and characters.
    pub string: Style,
    /// Source: numbers and constants.
    pub number: Style,
    /// Source: keywords.
    pub keyword: Style,
    /// Source: comments.
    pub comment: Style,
    /// Source: type names.
    pub type_name: Style,
    /// Source: function names.
    pub function: Style,
    /// Source: macros, attributes, preprocessor.
    pub attribute: Style,
    /// What the program printed to standard output.
    pub stdout: Style,
    /// What the program printed to standard error.
    pub stderr: Style,
    /// What the adapter itself says.
    pub console: Style,
    /// Key names in hints.
    pub key_hint_key: Style,
    /// The words beside them.
    pub key_hint_text: Style,
    /// Hints for what cannot be done now.
    pub key_hint_disabled: Style,
    /// Behind everything that lies over a route.
    pub overlay_bg: Style,
    /// Text typed by the person.
    pub input: Style,
    /// The rail of a scroll bar.
    pub scroll_rail: Style,
    pub scroll_thumb: Style,
    /// The bar at the top and bottom of the screen.
    pub bar: Style,
    /// Colours to tell processes and threads apart, by index modulo their number.
    pub series: [Style; 6],
    /// Behind the blocks of a flame graph, by index modulo their number: text stays readable on each.
    pub flame: [Style; 6],
}

impl Theme {
    /// The style of text, or of text that matters less.
    pub fn text_if(&self, is_text: bool) -> Style {
        if is_text { self.text } else { self.muted }
    }

    /// The palette for `capabilities`, or the one a person asked for. Without colour it is always [`Theme::mono`].
    pub fn choose(wanted: Option<ThemeName>, capabilities: &Capabilities) -> Self {
        if capabilities.colour == ColourDepth::None {
            return Self::mono();
        }
        let name = wanted.unwrap_or(match capabilities.background {
            Background::Dark => ThemeName::Dark,
            Background::Light => ThemeName::Light,
        });
        Self::named(name, capabilities.colour)
    }

    /// A palette by name for a terminal of that colour depth.
    pub fn named(name: ThemeName, depth: ColourDepth) -> Self {
        let tints = match (name, depth) {
            (ThemeName::Mono, _) | (_, ColourDepth::None) => return Self::mono(),
            (ThemeName::Dark, ColourDepth::Ansi16) => Tints::DARK_16,
            (ThemeName::Dark, _) => Tints::DARK_256,
            (ThemeName::Light, ColourDepth::Ansi16) => Tints::LIGHT_16,
            (ThemeName::Light, _) => Tints::LIGHT_256,
        };
        Self::coloured(name, &tints)
    }

    /// Light text on dark, 256 colours.
    pub fn dark() -> Self {
        Self::named(ThemeName::Dark, ColourDepth::Indexed256)
    }

    /// Dark text on light, 256 colours.
    pub fn light() -> Self {
        Self::named(ThemeName::Light, ColourDepth::Indexed256)
    }

    /// No colour: only bold, dim, reverse, underline and italic.
    pub fn mono() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let dim = plain.add_modifier(Modifier::DIM);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        let reverse = plain.add_modifier(Modifier::REVERSED);
        Self {
            muted: dim,
            title_focused: bold,
            border: dim,
            border_focused: bold,
            accent: bold,
            selection: reverse.add_modifier(Modifier::BOLD),
            selection_unfocused: underlined,
            search_match: underlined,
            search_current: reverse.add_modifier(Modifier::UNDERLINED),
            current_line: bold.add_modifier(Modifier::UNDERLINED),
            selected_frame_line: underlined,
            arrow: bold,
            line_number: dim,
            breakpoint: bold,
            logpoint: bold,
            conditional: bold,
            breakpoint_disabled: dim,
            breakpoint_hit: bold,
            changed_value: bold,
            inline_value: dim,
            error: bold,
            warning: underlined,
            keyword: bold,
            comment: dim,
            stderr: bold,
            console: dim,
            key_hint_key: bold,
            key_hint_disabled: dim,
            scroll_rail: dim,
            series: [
                plain,
                bold,
                underlined,
                dim,
                bold.add_modifier(Modifier::UNDERLINED),
                plain,
            ],
            flame: [underlined; 6],
            ..Self::default()
        }
    }

    fn coloured(name: ThemeName, tints: &Tints) -> Self {
        let plain = Style::new();
        let fg = |colour| Style::new().fg(colour);
        let bold = Modifier::BOLD;
        let quiet = fg(tints.quiet);
        Self {
            name,
            muted: quiet,
            title: quiet,
            title_focused: plain.add_modifier(bold),
            border: fg(tints.frame),
            border_focused: fg(tints.accent),
            accent: fg(tints.accent),
            // One bar of the terminal's own two colours: a row's own ones would make a patchwork of it.
            selection: plain
                .fg(Color::Reset)
                .bg(Color::Reset)
                .add_modifier(Modifier::REVERSED | bold),
            selection_unfocused: tints.selection_unfocused,
            search_match: fg(Color::Black).bg(tints.mark),
            search_current: fg(Color::Black)
                .bg(tints.mark)
                .add_modifier(bold | Modifier::UNDERLINED),
            current_line: tints.current_line,
            selected_frame_line: tints.frame_line,
            arrow: fg(tints.yellow).add_modifier(bold),
            line_number: fg(tints.frame_text),
            breakpoint: fg(tints.red),
            breakpoint_unverified: quiet,
            logpoint: fg(tints.purple),
            conditional: fg(tints.yellow),
            breakpoint_disabled: quiet,
            breakpoint_hit: fg(tints.red).add_modifier(bold),
            changed_value: fg(tints.yellow).add_modifier(bold),
            name_text: fg(tints.accent),
            inline_value: quiet.add_modifier(Modifier::ITALIC),
            error: fg(tints.red),
            warning: fg(tints.yellow),
            success: fg(tints.green),
            info: fg(tints.accent),
            string: fg(tints.green),
            number: fg(tints.purple),
            keyword: fg(tints.blue),
            comment: quiet.add_modifier(Modifier::ITALIC),
            type_name: fg(tints.yellow),
            function: fg(tints.accent),
            attribute: fg(tints.purple),
            stderr: fg(tints.red),
            console: quiet,
            key_hint_key: fg(tints.accent),
            key_hint_text: quiet,
            key_hint_disabled: fg(tints.frame),
            scroll_rail: fg(tints.frame),
            scroll_thumb: quiet,
            bar: quiet,
            series: [
                fg(tints.accent),
                fg(tints.green),
                fg(tints.yellow),
                fg(tints.purple),
                fg(tints.blue),
                fg(tints.red),
            ],
            flame: tints.flame,
            ..Self::default()
        }
    }

    /// How a look that a program asked for is shown: its colours only where this theme has any.
    pub fn program_style(&self, asked: ansi::Style) -> Style {
        let mut style = Style::new();
        if self.name != ThemeName::Mono {
            style.fg = asked.fg.map(colour_of);
            style.bg = asked.bg.map(colour_of);
        }
        for (wanted, modifier) in [
            (asked.bold, Modifier::BOLD),
            (asked.dim, Modifier::DIM),
            (asked.italic, Modifier::ITALIC),
            (asked.underline, Modifier::UNDERLINED),
            (asked.reverse, Modifier::REVERSED),
            (asked.strike, Modifier::CROSSED_OUT),
        ] {
            if wanted {
                style = style.add_modifier(modifier);
            }
        }
        style
    }

    /// The colour that tells process or thread number `index` from its neighbours.
    pub fn series(&self, index: usize) -> Style {
        nth(&self.series, index)
    }

    /// Behind block number `index` of a flame graph.
    pub fn flame(&self, index: usize) -> Style {
        nth(&self.flame, index)
    }
}

fn nth(styles: &[Style], index: usize) -> Style {
    let style = styles.get(index % styles.len());
    style.copied().unwrap_or_default()
}

fn colour_of(colour: ansi::Colour) -> Color {
    match colour {
        // The first sixteen by name, because as indexes they would escape the reader's own palette on some terminals.
        ansi::Colour::Indexed(index) => NAMED
            .get(usize::from(index))
            .copied()
            .unwrap_or(Color::Indexed(index)),
        ansi::Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// Everything a widget needs to know about looks.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Styles.
    pub theme: &'a Theme,
    /// Glyphs.
    pub symbols: &'a Symbols,
}

#[cfg(test)]
mod tests;
