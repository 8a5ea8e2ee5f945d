//! Our exports are accepted by those they are for: speedscope's own schema, and a browser that draws the picture.
//! (`go tool pprof` is asked in `src/diagnostics/profile/export/tests.rs`.)

use crate::support;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use support::procs::Watchdog;
use support::tools;

const FIXTURES: [&str; 5] = [
    "node.cpuprofile",
    "go.pb.gz",
    "perf-script.txt",
    "py-spy.folded",
    "py-spy.speedscope.json",
];

/// A profile of another tool as a file of ours.
fn exported(folder: &Path, fixture: &str, name: &str) -> PathBuf {
    let output = Command::new(tools::omp_debug())
        .arg("profile")
        .arg(support::root().join("tests/profiles").join(fixture))
        .args(["--force", "-o", name])
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{fixture}: {said}");
    folder.join(name)
}

#[test]
fn speedscopes_own_schema_is_kept() {
    let schema = require!(speedscope_schema);
    let text = std::fs::read_to_string(&schema).expect("the schema");
    let schema = serde_json::from_str(&text).expect("JSON");
    let schema = jsonschema::draft7::new(&schema).expect("a schema");
    // One that cannot say no proves nothing.
    assert!(!schema.is_valid(&serde_json::json!({"profiles": [{"type": "sampled"}]})));
    let folder = tempfile::tempdir().expect("a folder");
    for fixture in FIXTURES {
        let file = exported(folder.path(), fixture, "a.speedscope.json");
        let text = std::fs::read_to_string(file).expect("what was written");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let wrong: Vec<String> = schema
            .iter_errors(&value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{fixture}: {wrong:?}");
        let profiles = value["profiles"].as_array().expect("profiles");
        assert!(!profiles.is_empty(), "{fixture}");
    }
}

/// Pixels as red, green, blue, row after row.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A PNG of eight bits a channel that is not interlaced, as browsers write it: <https://www.w3.org/TR/png-3/>.
    fn read(file: &Path) -> Self {
        let bytes = std::fs::read(file).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "no PNG");
        let number = |at: usize| {
            let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
            u32::from_be_bytes(word) as usize
        };
        let (mut at, mut packed, mut head) = (8, Vec::new(), None);
        while at + 8 <= bytes.len() {
            let length = number(at);
            let data = &bytes[at + 8..at + 8 + length];
            match &bytes[at + 4..at + 8] {
                b"IHDR" => {
                    head = Some((number(at + 8), number(at + 12), data[8], data[9], data[12]));
                }
                b"IDAT" => packed.extend_from_slice(data),
                _ => {}
            }
            at += length + 12;
        }
        let Some((width, height, 8, colour, 0)) = head else {
            panic!("another kind of PNG: {head:?}");
        };
        let channels = match colour {
            2 => 3,
            6 => 4,
            other => panic!("colours of kind {other}"),
        };
        let mut raw = Vec::new();
        flate2::read::ZlibDecoder::new(packed.as_slice())
            .read_to_end(&mut raw)
            .expect("its data");
        let mut above = vec![0_u8; width * channels];
        let mut pixels = Vec::with_capacity(width * height);
        for line in raw.chunks_exact(1 + width * channels) {
            let mut row = line[1..].to_vec();
            for at in 0..row.len() {
                let left = at.checked_sub(channels).map_or(0, |left| row[left]);
                let corner = at.checked_sub(channels).map_or(0, |left| above[left]);
                let up = above[at];
                let guess = match line[0] {
                    0 => 0,
                    1 => left,
                    2 => up,
                    3 => u8::midpoint(left, up),
                    4 => nearest(left, up, corner),
                    other => panic!("a filter {other}"),
                };
                row[at] = row[at].wrapping_add(guess);
            }
            pixels.extend(row.chunks_exact(channels).map(|p| [p[0], p[1], p[2]]));
            above = row;
        }
        assert_eq!(pixels.len(), width * height);
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Part of the pixels, from 0 to 1.
    fn part(&self, is: impl Fn(&[u8; 3]) -> bool) -> f64 {
        self.pixels.iter().filter(|p| is(p)).count() as f64 / self.pixels.len() as f64
    }
}

/// PNG's guess from three neighbours.
fn nearest(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i32::from);
    let guess = a + b - c;
    let (to_left, to_up, to_corner) = ((guess - a).abs(), (guess - b).abs(), (guess - c).abs());
    if to_left <= to_up && to_left <= to_corner {
        left
    } else if to_up <= to_corner {
        up
    } else {
        corner
    }
}

fn drawn(chromium: &Path, folder: &Path, file: &Path) -> Picture {
    let _dog = Watchdog::new("chromium", Duration::from_mins(2));
    let picture = folder.join("seen.png");
    let _ = std::fs::remove_file(&picture);
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("browser").display()
        ))
        .arg("--window-size=1200,600")
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", file.display()))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("the browser runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(picture.is_file(), "no picture: {said}");
    Picture::read(&picture)
}

#[test]
fn a_browser_draws_the_flame_graph() {
    // A browser is large, and not every machine lets one run: it is looked with where it was asked for.
    let Some(chromium) = tools::chromium() else {
        eprintln!("skipped: there is no browser; tests/setup --browser gets one");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    // Flames go from yellow to red, and nothing else in the picture does.
    let is_warm = |[r, g, b]: &[u8; 3]| *r > 180 && *b < 100 && g < r;
    let is_dark = |p: &[u8; 3]| p.iter().all(|c| *c < 80);
    let broken = folder.path().join("broken.svg");
    std::fs::write(&broken, "<svg xmlns='http://www.w3.org/2000/svg'/>").expect("a file");
    let nothing = drawn(&chromium, folder.path(), &broken);
    assert!(nothing.part(is_warm) < 0.001 && nothing.part(is_dark) < 0.001);
    for fixture in FIXTURES {
        let svg = exported(folder.path(), fixture, "a.svg");
        let seen = drawn(&chromium, folder.path(), &svg);
        assert_eq!((seen.width, seen.height), (1200, 600), "{fixture}");
        let (warm, dark) = (seen.part(is_warm), seen.part(is_dark));
        assert!(warm > 0.05, "{fixture}: {warm:.3} of it are flames");
        assert!(dark > 0.001, "{fixture}: {dark:.4} of it is text");
    }
}
