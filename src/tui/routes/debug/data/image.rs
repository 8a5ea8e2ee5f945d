//! A picture in half blocks, two points in each cell, one above the other.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use debugger::data::{Content, Picture, Query};
use ratatui::style::Color;

use super::Shows;
use crate::{debug_prelude::*, term::pictures::Pixels};

/// Points that are asked for at most: enough for a screen, and for a file that is worth it.
const PIXELS: (u32, u32) = (800, 800);
/// From dark to bright, where there are no colours.
const SHADES: &[u8] = b" .:-=+*#%@";

/// A picture.
#[derive(Default)]
pub struct ImageView {
    picture: Option<Picture>,
    rgb: Vec<u8>,
    /// Where it was drawn.
    place: Rect,
}

impl ImageView {
    /// The colour of a point, by its part of the way across and down.
    fn at(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let wide = self.picture.as_ref()?.w as usize;
        let at = (y * wide + x) * 3;
        self.rgb.get(at..at + 3)?.try_into().ok()
    }

    fn pixels(&self) -> Option<Pixels<'_>> {
        let picture = self.picture.as_ref()?;
        Some(Pixels {
            wide: picture.w,
            high: picture.h,
            rgb: &self.rgb,
        })
    }

    /// How large it is drawn in points, in so much room.
    fn fit(&self, wide: usize, high: usize) -> Option<(usize, usize)> {
        let picture = self.picture.as_ref().filter(|p| p.w > 0 && p.h > 0)?;
        let (w, h) = (picture.w as usize, picture.h as usize);
        let scale = (wide as f64 / w as f64).min(high as f64 / h as f64);
        // Small ones are made larger by whole numbers, so that each point is seen.
        let scale = if scale > 1.0 { scale.floor() } else { scale };
        let size = |side: usize| ((side as f64 * scale) as usize).max(1);
        Some((size(w), size(h)))
    }
}

impl Shows for ImageView {
    fn wants(&mut self) -> Option<Query> {
        self.picture.is_none().then(|| Query {
            pixels: PIXELS,
            ..Query::default()
        })
    }

    fn take(&mut self, _: &Query, content: &Content) {
        let Content::Image(picture) = content else {
            return;
        };
        self.rgb = STANDARD.decode(&picture.rgb).unwrap_or_default();
        self.picture = Some(Picture {
            rgb: String::new(),
            ..picture.clone()
        });
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let room = (
            usize::from(area.width),
            usize::from(area.height.saturating_sub(1)) * 2,
        );
        let Some((wide, high)) = self.fit(room.0, room.1) else {
            return;
        };
        self.place = Rect {
            width: wide as u16,
            height: high.div_ceil(2) as u16,
            ..area
        };
        let Some(picture) = &self.picture else { return };
        let source = |x: usize, y: usize| {
            self.at(x * picture.w as usize / wide, y * picture.h as usize / high)
        };
        let colours = canvas.theme.number.fg.is_some();
        for row in 0..high.div_ceil(2) {
            for column in 0..wide {
                let (Some(above), below) = (source(column, row * 2), source(column, row * 2 + 1))
                else {
                    continue;
                };
                let (x, y) = (area.x + column as u16, area.y + row as u16);
                let colour = |[r, g, b]: [u8; 3]| Color::Rgb(r, g, b);
                if colours && canvas.symbols.unicode {
                    let style = Style::new().fg(colour(above));
                    let style = below
                        .filter(|_| row * 2 + 1 < high)
                        .map_or(style, |below| style.bg(colour(below)));
                    canvas.glyph(x, y, "▀", style);
                } else {
                    let [red, green, blue] = above.map(usize::from);
                    let bright = (red * 3 + green * 6 + blue) / 10;
                    let shade = SHADES
                        .get(bright * (SHADES.len() - 1) / 255)
                        .copied()
                        .unwrap_or(b' ');
                    canvas.glyph(x, y, &char::from(shade).to_string(), canvas.theme.text);
                }
            }
        }
        let foot = area.row(area.height.saturating_sub(1));
        let small = if (picture.w, picture.h) == (picture.width, picture.height) {
            String::new()
        } else {
            format!(", read as {} × {}", picture.w, picture.h)
        };
        let text = format!("{} × {}{small}", picture.width, picture.height);
        cut_line(canvas, foot, &text, canvas.theme.muted);
    }

    fn saved(&self) -> Option<(&'static str, Vec<u8>)> {
        Some(("png", self.pixels()?.png()?))
    }
}
