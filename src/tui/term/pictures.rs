//! Pictures as terminals take them, that are not made of cells: by the protocol of kitty, by that of iTerm2, as sixels; and as PNG.
//!
//! Pure: bytes out. Where they are shown, and whether the terminal knows them, is left to others.

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, Crc, write::ZlibEncoder};
use ratatui::layout::Rect;

use super::probe::Pictures;

/// A picture: red, green and blue of each point, row by row.
pub struct Pixels<'p> {
    /// Points in a row.
    pub wide: u32,
    /// Rows.
    pub high: u32,
    /// All of them.
    pub rgb: &'p [u8],
}

/// Takes pictures of ours away that are not made of cells.
pub const FORGET: &str = "\x1b_Ga=d,d=I,i=32,q=2\x1b\\";
/// Steps of each colour in a sixel picture, and rows of points that it has together.
const STEPS: u16 = 6;
const BAND: usize = 6;

impl Pixels<'_> {
    /// At a place, and the cursor where it was.
    pub fn at(&self, how: Pictures, place: Rect) -> String {
        let picture = self.sequence(how, (place.width, place.height));
        format!("\x1b7\x1b[{};{}H{picture}\x1b8", place.y + 1, place.x + 1)
    }

    /// In so many columns and rows of cells, where the cursor is.
    pub fn sequence(&self, how: Pictures, (columns, rows): (u16, u16)) -> String {
        let png = || self.png().unwrap_or_default();
        match how {
            Pictures::Kitty => {
                // Replaced by number each time it is shown; nothing is answered.
                let data = STANDARD.encode(png());
                let mut out = String::new();
                let mut begin = format!("a=T,q=2,f=100,i=32,c={columns},r={rows},C=1,");
                let mut rest = data.as_str();
                // In pieces as long as the protocol allows.
                while !rest.is_empty() {
                    let (piece, then) = rest.split_at_checked(4096).unwrap_or((rest, ""));
                    let more = u8::from(!then.is_empty());
                    let _ = write!(out, "\x1b_G{begin}m={more};{piece}\x1b\\");
                    begin.clear();
                    rest = then;
                }
                out
            }
            Pictures::Iterm => {
                let png = png();
                let data = STANDARD.encode(&png);
                format!(
                    "\x1b]1337;File=inline=1;size={};width={columns};height={rows};preserveAspectRatio=0:{data}\x07",
                    png.len()
                )
            }
            Pictures::Sixel => self.sixel(),
        }
    }

    /// As a file; none where there are fewer points than it has to have.
    pub fn png(&self) -> Option<Vec<u8>> {
        let row = self.wide as usize * 3;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        for at in 0..self.high as usize {
            // Each row begins with the number of its filter: none.
            packed.write_all(&[0]).ok()?;
            packed
                .write_all(self.rgb.get(at * row..(at + 1) * row)?)
                .ok()?;
        }
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut head = [self.wide.to_be_bytes(), self.high.to_be_bytes()].concat();
        // Eight bits a colour, red green blue, nothing else.
        head.extend([8, 2, 0, 0, 0]);
        for (name, data) in [
            (b"IHDR", head),
            (b"IDAT", packed.finish().ok()?),
            (b"IEND", Vec::new()),
        ] {
            let mut sum = Crc::new();
            sum.update(name);
            sum.update(&data);
            out.extend(u32::try_from(data.len()).ok()?.to_be_bytes());
            out.extend(name);
            out.extend(&data);
            out.extend(sum.sum().to_be_bytes());
        }
        Some(out)
    }

    /// Six rows at a time, each colour of a small palette for itself.
    fn sixel(&self) -> String {
        let (wide, high) = (self.wide as usize, self.high as usize);
        let mut out = format!("\x1bP0;1q\"1;1;{wide};{high}");
        for colour in 0..STEPS.pow(3) {
            let part = |unit: u16| colour / unit % STEPS * 100 / (STEPS - 1);
            let _ = write!(out, "#{colour};2;{};{};{}", part(36), part(6), part(1));
        }
        let step = |part: u8| u16::from(part) * (STEPS - 1) / 255;
        for band in 0..high.div_ceil(BAND) {
            if band > 0 {
                out.push('-');
            }
            let mut colours: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
            for y in band * BAND..((band + 1) * BAND).min(high) {
                for x in 0..wide {
                    let at = (y * wide + x) * 3;
                    let Some([red, green, blue]) = self.rgb.get(at..at + 3) else {
                        continue;
                    };
                    let colour = step(*red) * 36 + step(*green) * 6 + step(*blue);
                    let columns = colours.entry(colour).or_insert_with(|| vec![0; wide]);
                    if let Some(bits) = columns.get_mut(x) {
                        *bits |= 1 << (y % BAND);
                    }
                }
            }
            for (at, (colour, columns)) in colours.into_iter().enumerate() {
                let _ = write!(out, "{}#{colour}", if at > 0 { "$" } else { "" });
                for run in columns.chunk_by(|a, b| a == b) {
                    let bits = char::from(run.first().copied().unwrap_or(0) + b'?');
                    let _ = write!(out, "!{}{bits}", run.len());
                }
            }
        }
        out.push_str("\x1b\\");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points above two: red, blue; black, white.
    const RGB: [u8; 12] = [255, 0, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255];

    #[test]
    fn each_protocol_byte_by_byte() {
        let picture = Pixels {
            wide: 2,
            high: 2,
            rgb: &RGB,
        };
        let png = picture.png().unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82"));
        let data = STANDARD.encode(&png);
        assert_eq!(
            picture.sequence(Pictures::Kitty, (4, 1)),
            format!("\x1b_Ga=T,q=2,f=100,i=32,c=4,r=1,C=1,m=0;{data}\x1b\\")
        );
        assert_eq!(
            picture.sequence(Pictures::Iterm, (4, 1)),
            format!(
                "\x1b]1337;File=inline=1;size={};width=4;height=1;preserveAspectRatio=0:{data}\x07",
                png.len()
            )
        );
        let sixel = picture.sequence(Pictures::Sixel, (4, 1));
        let (palette, bands) = sixel.split_at(sixel.rfind("#215;2;100;100;100").unwrap() + 18);
        assert!(palette.starts_with("\x1bP0;1q\"1;1;2;2#0;2;0;0;0#1;2;0;0;20#2;2;0;0;40"));
        // Black below at the left, blue above at the right, red above at the left, white below at the right.
        assert_eq!(bands, "#0!1A!1?$#5!1?!1@$#180!1@!1?$#215!1?!1A\x1b\\");
        assert_eq!(
            Pixels {
                wide: 2,
                high: 3,
                rgb: &RGB
            }
            .png(),
            None
        );
        let _ = Pixels {
            wide: 9,
            high: 9,
            rgb: &RGB,
        }
        .sixel();
    }
}
