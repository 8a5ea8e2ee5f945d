//! The glyphs, for terminals that have Unicode and for those that do not.

use crate::term::capabilities::Capabilities;

/// The glyphs, in two spellings of the same widths (one cell each, unless said otherwise).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbols {
    /// Whether these are the Unicode ones.
    pub unicode: bool,
    /// A breakpoint the adapter has placed.
    pub breakpoint: &'static str,
    /// One it has not placed.
    pub breakpoint_unverified: &'static str,
    /// One with a condition or a hit count.
    pub conditional: &'static str,
    /// One that prints.
    pub logpoint: &'static str,
    /// One that is switched off.
    pub breakpoint_disabled: &'static str,
    /// Behind a breakpoint that an agent or a script set.
    pub foreign: &'static str,
    /// A line where a breakpoint can be.
    pub possible: &'static str,
    /// The line that runs next.
    pub arrow: &'static str,
    /// The line of the chosen frame.
    pub frame_arrow: &'static str,
    /// A row that can be opened.
    pub collapsed: &'static str,
    /// A row that is open.
    pub expanded: &'static str,
    /// A row without children.
    pub leaf: &'static str,
    /// "There is more to load."
    pub more: &'static str,
    /// Cut text.
    pub ellipsis: &'static str,
    /// Between parts of a path or a title.
    pub separator: &'static str,
    /// Behind a value that changed.
    pub changed: &'static str,
    /// In front of what failed.
    pub error: &'static str,
    /// In front of a warning.
    pub warning: &'static str,
    /// In front of what worked.
    pub success: &'static str,
    /// A program that runs.
    pub running: &'static str,
    /// A program that is stopped.
    pub paused: &'static str,
    /// A program that has ended.
    pub ended: &'static str,
    /// Before what the person types.
    pub prompt: &'static str,
    /// A scroll bar's rail.
    pub scroll_rail: &'static str,
    pub scroll_thumb: &'static str,
    pub scroll_mark: &'static str,
    /// Eight heights, lowest first.
    pub bars: [&'static str; 8],
    /// Frames.
    pub border: ratatui::symbols::border::Set<'static>,
    /// The frame of what has the keyboard, where no colour tells.
    pub border_focused: ratatui::symbols::border::Set<'static>,
    /// A vertical rule between two columns.
    pub vertical: &'static str,
    /// A horizontal rule.
    pub horizontal: &'static str,
}

impl Symbols {
    /// The sign in front of a row that can be opened.
    pub fn fold(&self, is_open: bool) -> &'static str {
        if is_open {
            self.expanded
        } else {
            self.collapsed
        }
    }

    /// For terminals with a Unicode locale.
    pub const UNICODE: Self = Self {
        unicode: true,
        breakpoint: "●",
        breakpoint_unverified: "○",
        conditional: "◆",
        logpoint: "◇",
        breakpoint_disabled: "⊘",
        foreign: "ᵃ",
        possible: "·",
        arrow: "▶",
        frame_arrow: "▷",
        collapsed: "▸",
        expanded: "▾",
        leaf: " ",
        more: "⋯",
        ellipsis: "…",
        separator: "›",
        changed: "*",
        error: "✗",
        warning: "▲",
        success: "✓",
        running: "▶",
        paused: "‖",
        ended: "■",
        prompt: "›",
        scroll_rail: "│",
        scroll_thumb: "┃",
        scroll_mark: "◂",
        bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        border: ratatui::symbols::border::ROUNDED,
        border_focused: ratatui::symbols::border::THICK,
        vertical: "│",
        horizontal: "─",
    };

    /// For everything else.
    pub const ASCII: Self = Self {
        unicode: false,
        breakpoint: "B",
        breakpoint_unverified: "b",
        conditional: "?",
        logpoint: "L",
        breakpoint_disabled: "x",
        foreign: "a",
        possible: ".",
        arrow: ">",
        frame_arrow: "}",
        collapsed: "+",
        expanded: "-",
        more: "~",
        ellipsis: "~",
        separator: ">",
        error: "X",
        warning: "!",
        success: "+",
        running: ">",
        paused: "=",
        ended: ".",
        prompt: ">",
        scroll_rail: "|",
        scroll_thumb: "#",
        scroll_mark: "<",
        bars: [".", ".", ":", ":", "-", "=", "+", "#"],
        border: ratatui::symbols::border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        },
        border_focused: ratatui::symbols::border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "=",
            horizontal_bottom: "=",
        },
        vertical: "|",
        horizontal: "-",
        ..Self::UNICODE
    };

    /// The spelling `capabilities` can show.
    pub const fn choose(capabilities: &Capabilities) -> &'static Self {
        if capabilities.unicode {
            &Self::UNICODE
        } else {
            &Self::ASCII
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::text::width::width;

    #[test]
    fn glyphs_have_equal_widths() {
        let glyphs = |s: &Symbols| {
            let mut all = vec![
                s.breakpoint,
                s.breakpoint_unverified,
                s.conditional,
                s.logpoint,
                s.breakpoint_disabled,
                s.foreign,
                s.possible,
                s.arrow,
                s.frame_arrow,
                s.collapsed,
                s.expanded,
                s.leaf,
                s.more,
                s.ellipsis,
                s.separator,
                s.changed,
                s.error,
                s.warning,
                s.success,
                s.running,
                s.paused,
                s.ended,
                s.prompt,
                s.scroll_rail,
                s.scroll_thumb,
                s.scroll_mark,
                s.vertical,
                s.horizontal,
            ];
            all.extend(s.bars);
            all
        };
        for glyph in glyphs(&Symbols::UNICODE)
            .into_iter()
            .chain(glyphs(&Symbols::ASCII))
        {
            assert_eq!(width(glyph), 1, "{glyph:?}");
        }
        assert!(glyphs(&Symbols::ASCII).iter().all(|glyph| glyph.is_ascii()));
    }
}
