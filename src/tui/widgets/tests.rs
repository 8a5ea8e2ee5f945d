//! What widgets promise together: nothing is drawn outside, nothing dangerous is drawn, no size makes them fail.

use proptest::prelude::*;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::{Modifier, Style},
    text::{Line, Span},
};

use super::{
    footer::{self, Hint},
    gutter,
    input::{Completion, Prompt},
    list::{List, ListState},
    paint::{self, Parts as _},
    panel::Panel,
    popup, tabs,
    text_view::TextView,
};
use crate::{
    foreign::foreign,
    theme::{Look, Symbols, Theme},
};

fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y| {
        (area.left()..area.right())
            .map(|x| buffer[(x, y)].symbol())
            .collect()
    };
    (area.top()..area.bottom()).map(row).collect()
}

/// Draws into a fresh buffer of that size, with plain looks.
fn draw(width: u16, height: u16, paint: impl FnOnce(&mut Buffer, Rect, Look<'_>)) -> Buffer {
    let (theme, symbols) = (Theme::mono(), Symbols::UNICODE);
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    paint(
        &mut buffer,
        area,
        Look {
            theme: &theme,
            symbols: &symbols,
        },
    );
    buffer
}

#[test]
fn a_list_builds_only_what_is_in_view() {
    let mut state = ListState::default();
    let mut built = Vec::new();
    let mut show = |state: &mut ListState| {
        built.clear();
        let buffer = draw(6, 3, |buffer, area, look| {
            List::new(look, 1_000_000).draw(buffer, area, state, |row| {
                built.push(row.index);
                Line::raw(row.index.to_string())
            });
        });
        (built.clone(), buffer)
    };
    assert_eq!(show(&mut state).0, [0, 1, 2]);
    state.end(1_000_000);
    let (built, buffer) = show(&mut state);
    assert_eq!(built, [999_997, 999_998, 999_999]);
    assert!(
        buffer[(0, 2)].modifier.contains(Modifier::REVERSED),
        "the selection shows without colour"
    );
    assert_eq!(rows(&buffer)[2], "99999┃");
    state.scroll_by(-10, 1_000_000);
    assert_eq!(
        show(&mut state).0,
        [999_987, 999_988, 999_989],
        "the wheel may leave the selection behind"
    );
    assert_eq!(state.selected(), Some(999_999));
    assert_eq!(state.row_at(2, 1), Some(999_988));
    assert_eq!(state.row_at(5, 1), None, "the scroll bar is no row");
    state.move_by(-1, 1_000_000);
    assert_eq!(show(&mut state).0, [999_996, 999_997, 999_998]);
    state.page_by(-1, 1_000_000);
    assert_eq!(state.selected(), Some(999_996));
    state.shift(5);
    assert_eq!(
        (state.selected(), state.top()),
        (Some(1_000_001), 1_000_001)
    );
}

#[test]
fn an_empty_list_says_what_to_do() {
    let buffer = draw(12, 1, |buffer, area, look| {
        List::new(look, 0).empty("press b to add").draw(
            buffer,
            area,
            &mut ListState::default(),
            |_| Line::default(),
        );
    });
    assert_eq!(rows(&buffer), ["press b to …"]);
}

#[test]
fn a_gutter_shows_mark_number_and_arrow() {
    let cells = [
        gutter::Cell {
            line: Some(9),
            mark: Some(gutter::Mark::Breakpoint),
            hit: true,
            here: Some(gutter::Here::Current),
            ..gutter::Cell::default()
        },
        gutter::Cell {
            line: Some(1234),
            mark: Some(gutter::Mark::Logpoint),
            foreign: true,
            ..gutter::Cell::default()
        },
        gutter::Cell {
            here: Some(gutter::Here::Frame),
            ..gutter::Cell::default()
        },
    ];
    let buffer = draw(gutter::width(1234), 3, |buffer, area, look| {
        for (row, cell) in (0..).zip(cells) {
            gutter::draw(buffer, area.row(row), cell, look);
        }
    });
    assert_eq!(rows(&buffer), ["●    9 ▶ ", "◇ᵃ1234   ", "       ▷ "]);
}

#[test]
fn a_panel_gives_way_from_the_right() {
    let panel = |width| {
        rows(&draw(width, 2, |buffer, area, look| {
            Panel::new(look, "Stack")
                .key("2")
                .badge("12")
                .right("paged")
                .draw(buffer, area);
        }))
        .remove(0)
    };
    assert_eq!(panel(30), "╭─ 2 Stack 12 ─────── paged ─╮");
    assert_eq!(panel(20), "╭─ 2 Stack 12 ─────╮");
    assert_eq!(panel(11), "╭─ 2 St… ─╮");
    assert_eq!(panel(3), "╭─╮");
}

#[test]
fn a_panel_with_the_keyboard_is_told_by_its_lines_where_no_colour_tells() {
    let foot = |theme: &Theme, symbols, focused| {
        let look = Look { theme, symbols };
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 3));
        let panel = Panel::new(look, "Scopes").focused(focused);
        panel.draw(&mut buffer, Rect::new(0, 0, 20, 3));
        buffer[(5, 2)].symbol().to_owned()
    };
    let (dark, mono) = (Theme::dark(), Theme::mono());
    let (unicode, ascii) = (&Symbols::UNICODE, &Symbols::ASCII);
    assert_eq!(foot(&dark, unicode, true), "─");
    assert_eq!(foot(&mono, unicode, true), "━");
    assert_eq!(foot(&mono, unicode, false), "─");
    assert_eq!(foot(&mono, ascii, true), "=");
}

#[test]
fn a_footer_keeps_what_matters() {
    let hint = |key, title, priority| Hint {
        key,
        title,
        enabled: true,
        priority,
    };
    let hints = [
        hint("F5", "go on", 1),
        hint("F10", "over", 0),
        hint("?", "help", 2),
        hint("w", "wrap", 9),
    ];
    let footer = |width| {
        let mut places = Vec::new();
        let buffer = draw(width, 1, |buffer, area, look| {
            places = footer::draw(buffer, area, &hints, look);
        });
        (rows(&buffer).remove(0), places)
    };
    assert_eq!(
        footer(40).0.trim_end(),
        "F5 go on  F10 over  ? help  w wrap"
    );
    let (text, places) = footer(28);
    assert_eq!(text.trim_end(), "F5 go on  F10 over  ? help …");
    assert_eq!(places[1], (Rect::new(10, 0, 8, 1), 1));
    assert_eq!(footer(12).0.trim_end(), "F10 over …");
    assert_eq!(footer(3).0.trim_end(), "…");
}

#[test]
fn tabs_keep_the_active_one_in_sight() {
    let names = ["Source", "Output", "Logs"];
    let mut places = Vec::new();
    let mut show = |width, active| {
        rows(&draw(width, 1, |buffer, area, look| {
            places = tabs::draw(buffer, area, &names, active, look);
        }))
        .remove(0)
    };
    assert_eq!(show(30, 0).trim_end(), " Source │ Output │ Logs");
    assert_eq!(show(10, 2).trim_end(), " Logs");
    assert_eq!(places, [(Rect::new(0, 0, 6, 1), 2)]);
}

#[test]
fn boxes_stay_on_the_screen() {
    let screen = Rect::new(0, 0, 20, 10);
    assert_eq!(popup::centred(screen, 10, 4), Rect::new(5, 3, 10, 4));
    assert_eq!(popup::beside(screen, 2, 3, 6, 4), Rect::new(2, 4, 6, 4));
    assert_eq!(popup::beside(screen, 18, 8, 6, 4), Rect::new(14, 4, 6, 4));
}

#[test]
fn sideways_lines_keep_their_columns() {
    let line = Line::from_iter([Span::raw("ab"), Span::raw("日本"), Span::raw("cd")]);
    let buffer = draw(5, 1, |buffer, area, _| {
        paint::line(buffer, area, &line, 3);
    });
    assert_eq!(
        rows(&buffer),
        [" 本 cd"],
        "the half of a wide character is a blank; a wide cell has a blank behind it"
    );
}

/// Every widget at once, with foreign text everywhere.
fn everything(buffer: &mut Buffer, area: Rect, look: Look<'_>, texts: &[String]) {
    let text = |n: usize| texts.get(n % texts.len().max(1)).map_or("", String::as_str);
    let inner = popup::draw(
        buffer,
        area,
        Panel::new(look, text(0))
            .key("1")
            .badge(text(1))
            .right(text(2)),
        look,
    );
    let mut list = ListState::default();
    list.select(Some(3));
    List::new(look, texts.len() * 9)
        .empty(text(3))
        .marks(&[(2, Style::new())])
        .draw(buffer, inner, &mut list, |row| Line::raw(text(row.index)));
    for y in 0..area.height {
        let cell = gutter::Cell {
            line: Some(u64::MAX),
            mark: Some(gutter::Mark::Disabled),
            ..gutter::Cell::default()
        };
        gutter::draw(buffer, area.row(y), cell, look);
    }
    let mut view = TextView::new(&texts.concat());
    let _ = view.search(text(1), false);
    view.draw(buffer, area, look);
    view.set_wrap(false);
    view.scroll_sideways(3);
    view.draw(buffer, inner, look);
    let mut prompt = Prompt::new(text(0));
    prompt.paste(text(1));
    let cursor = prompt.draw(buffer, area, text(2), text(3), look);
    assert!(cursor.is_none_or(|cursor| area.contains(cursor)));
    prompt.complete(
        (0..3)
            .map(|n| Completion {
                text: text(n).into(),
                label: text(n).into(),
                detail: text(n + 1).into(),
                replaces: None,
            })
            .collect(),
    );
    prompt.draw_completions(buffer, area, cursor.unwrap_or(Position::ORIGIN), look);
    let hints: Vec<_> = texts
        .iter()
        .map(|t| Hint {
            key: t,
            title: t,
            enabled: t.is_empty(),
            priority: 0,
        })
        .collect();
    let names: Vec<&str> = texts.iter().map(String::as_str).collect();
    let places = [
        footer::draw(buffer, area, &hints, look),
        tabs::draw(buffer, area, &names, names.len() / 2, look),
    ];
    for (place, _) in places.concat() {
        assert_eq!(place, place.intersection(area));
    }
}

proptest! {
    #[test]
    fn no_size_and_no_text_harms(width in 0u16..40, height in 0u16..20, texts in prop::collection::vec(foreign(), 1..5)) {
        // The area lies inside a larger buffer whose margin must stay untouched.
        let outside = Rect::new(0, 0, width + 6, height + 6);
        let area = Rect::new(3, 3, width, height);
        for (theme, symbols) in [(Theme::dark(), Symbols::UNICODE), (Theme::mono(), Symbols::ASCII)] {
            let look = Look { theme: &theme, symbols: &symbols };
            let mut buffer = Buffer::empty(outside);
            everything(&mut buffer, area, look, &texts);
            for position in outside.positions() {
                let symbol = buffer[position].symbol();
                prop_assert!(!symbol.contains(char::is_control), "{symbol:?}");
                if !area.contains(position) {
                    prop_assert_eq!(symbol, " ", "drawn outside of {} at {}", area, position);
                }
            }
            // The screen's edge instead of a margin.
            everything(&mut Buffer::empty(Rect::new(0, 0, width, height)), Rect::new(0, 0, width, height), look, &texts);
        }
    }
}
