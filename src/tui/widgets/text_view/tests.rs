use ratatui::style::Modifier;

use super::*;
use crate::theme::Symbols;

fn drawn(view: &mut TextView, width: u16, height: u16) -> (Vec<String>, Buffer) {
    let (theme, symbols) = (Theme::mono(), Symbols::ASCII);
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    view.draw(
        &mut buffer,
        area,
        Look {
            theme: &theme,
            symbols: &symbols,
        },
    );
    let rows = (0..height)
        .map(|y| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
        })
        .collect();
    (rows, buffer)
}

#[test]
fn wrapping_hangs_and_can_be_switched_off() {
    let mut view = TextView::new("one two three\n\u{1b}x");
    assert_eq!(
        drawn(&mut view, 9, 4).0,
        ["one two  ", "  three  ", "␛x       ", "         "]
    );
    view.set_wrap(false);
    view.scroll_sideways(4);
    assert_eq!(drawn(&mut view, 9, 2).0, ["two thre ", "         "]);
}

#[test]
fn scrolling_stops_at_the_ends() {
    let text: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let mut view = TextView::new(&text.join("\n"));
    assert_eq!(drawn(&mut view, 4, 2).0, ["0  #", "1  |"]);
    view.scroll_by(-3);
    view.page_by(2);
    assert_eq!(drawn(&mut view, 4, 2).0[0], "2  #");
    view.end();
    assert_eq!(drawn(&mut view, 4, 2).0, ["18 |", "19 #"]);
    view.scroll_by(100);
    assert_eq!(view.top_line(), 18);
}

#[test]
fn searching_counts_and_jumps() {
    let text: Vec<String> = (0..50).map(|n| format!("line {n} Ünit")).collect();
    let mut view = TextView::new(&text.join("\n"));
    drawn(&mut view, 20, 5);
    assert_eq!(view.search("ünit", false), Ok(50));
    assert_eq!(view.search("4", false), Ok(15));
    assert_eq!(view.search_status(), "1 of 15");
    view.next_match(-1);
    assert_eq!(view.search_status(), "15 of 15");
    let (rows, buffer) = drawn(&mut view, 20, 5);
    let y = rows
        .iter()
        .position(|row| row.contains("line 49"))
        .expect("the match is in sight") as u16;
    assert!(buffer[(5, y)].modifier.contains(Modifier::REVERSED));
    assert_eq!(view.search("LINE", false), Ok(0));
    assert_eq!(view.search_status(), "no match");
    assert_eq!(view.search("^line 1.? ", true), Ok(11));
    let wrong = view.search("(", true).unwrap_err();
    assert!(wrong.contains("\"(\""), "{wrong}");
    view.next_match(1);
}
