use proptest::prelude::*;

use super::*;

fn size(width: u16, height: u16) -> Rect {
    Rect::new(0, 0, width, height)
}

#[test]
fn each_class_shows_what_fits() {
    use Pane::{Breakpoints, Output, Scopes, Source, Stack, Watches};
    let layout = Layout::default();
    let seen = |area| {
        let placed = layout.place(area);
        placed.panes.iter().map(|(p, _)| *p).collect::<Vec<_>>()
    };
    assert_eq!(
        seen(size(200, 50)),
        [Source, Output, Stack, Scopes, Watches, Breakpoints]
    );
    assert_eq!(seen(size(80, 21)), [Source, Output, Stack, Scopes]);
    assert_eq!(seen(size(60, 21)), [Source]);
    assert_eq!(seen(size(39, 9)), [Source]);
    assert_eq!(seen(size(39, 3)), []);
    assert_eq!(layout.place(size(200, 50)).panes[0].1, size(120, 35));
}

#[test]
fn a_divider_stays_where_it_was_dragged_after_any_resize() {
    let mut layout = Layout::default();
    let area = size(200, 50);
    layout.drag(
        Divider::Columns,
        Position::new(97, 3),
        area,
        &layout.clone().place(area),
    );
    let placed = layout.place(area);
    assert_eq!(placed.panes[0].1.width, 97);
    for width in (80..400).chain((80..400).rev()) {
        let _ = layout.place(size(width, 50));
    }
    assert_eq!(layout.place(area), placed);
}

#[test]
fn what_is_remembered_comes_back_and_nonsense_is_ignored() {
    let mut layout = Layout::default();
    assert!(layout.nudge(Direction::Right, size(100, 40)));
    layout.set_focus(Pane::Scopes);
    assert!(layout.nudge(Direction::Down, size(200, 50)));
    let mut again = Layout::default();
    again.decode(&layout.encode());
    assert_eq!((again.wide, again.normal), (layout.wide, layout.normal));
    assert_ne!(again.wide, Shares::WIDE);
    for bad in [
        "wide 1 2 3",
        "wide 0 0 0 0 0",
        "normal 9 9 9 5 1",
        "wide 99999 1 2 3 4",
        "x",
        "",
    ] {
        let mut layout = Layout::default();
        layout.decode(&[bad.to_owned()]);
        assert_eq!(layout, Layout::default(), "{bad}");
    }
}

#[test]
fn panes_on_demand_have_a_tab_while_they_are_open() {
    let mut layout = Layout::default();
    let below = |layout: &Layout| layout.place(size(100, 30)).tabs[0].panes.clone();
    assert_eq!(below(&layout), [Pane::Output, Pane::Repl, Pane::Terminal]);
    layout.set_focus(Pane::Memory);
    layout.set_focus(Pane::Disassembly);
    assert_eq!(
        below(&layout),
        [
            Pane::Output,
            Pane::Repl,
            Pane::Terminal,
            Pane::Disassembly,
            Pane::Memory
        ]
    );
    layout.cycle(true);
    assert_eq!(layout.focus(), Pane::Memory);
    layout.cycle(true);
    assert_eq!(layout.focus(), Pane::Source);
    assert!(
        layout
            .place(size(100, 30))
            .panes
            .iter()
            .any(|(p, _)| *p == Pane::Memory)
    );
    assert!(layout.close(Pane::Memory));
    assert!(!layout.close(Pane::Memory));
    assert_eq!(
        below(&layout),
        [Pane::Output, Pane::Repl, Pane::Terminal, Pane::Disassembly]
    );
    layout.set_focus(Pane::Disassembly);
    layout.close(Pane::Disassembly);
    assert_eq!(layout.focus(), Pane::Source);
    assert!(
        layout
            .place(size(100, 30))
            .panes
            .iter()
            .any(|(p, _)| *p == Pane::Output)
    );
}

#[test]
fn tabs_follow_the_focus() {
    let mut layout = Layout::default();
    layout.set_focus(Pane::Repl);
    layout.set_focus(Pane::Breakpoints);
    let panes: Vec<_> = layout
        .place(size(100, 30))
        .panes
        .iter()
        .map(|(p, _)| *p)
        .collect();
    assert_eq!(
        panes,
        [Pane::Source, Pane::Repl, Pane::Stack, Pane::Breakpoints]
    );
    layout.cycle(false);
    layout.cycle(false);
    assert_eq!(layout.focus(), Pane::Scopes);
    layout.set_focus(Pane::Repl);
    layout.cycle(true);
    assert_eq!(layout.focus(), Pane::Source);
}

#[test]
fn tabs_say_as_much_as_fits() {
    let mut row = TabRow {
        area: size(33, 1),
        panes: Pane::SIDE.to_vec(),
        active: Pane::Watches,
    };
    assert_eq!(row.names(), ["Scopes", "Watches", "Breakpoints"]);
    row.area.width = 40;
    assert_eq!(row.names(), ["3 Scopes", "4 Watches", "5 Breakpoints"]);
    row.area.width = 31;
    assert_eq!(row.names(), ["3 Scopes", "4 Watches", "5"]);
    row.area.width = 24;
    assert_eq!(row.names(), ["3", "4 Watches", "5"]);
}

proptest! {
    #[test]
    fn rectangles_tile_the_area(width in 0u16..300, height in 0u16..100, pane in 0usize..7,
                                drags in prop::collection::vec((0usize..5, 0u16..320, 0u16..120), 0..6)) {
        let area = Rect::new(3, 2, width, height);
        let mut layout = Layout::default();
        layout.set_focus(Pane::ALL[pane]);
        let all = [Divider::Columns, Divider::Bottom, Divider::Stack, Divider::Scopes, Divider::Watches];
        for (divider, x, y) in drags {
            let placed = layout.place(area);
            layout.drag(all[divider], Position::new(x, y), area, &placed);
        }
        let placed = layout.place(area);
        let mut covered = 0u32;
        let rects: Vec<Rect> = placed.panes.iter().map(|(_, r)| *r).chain(placed.tabs.iter().map(|t| t.area)).collect();
        for (i, r) in rects.iter().enumerate() {
            prop_assert_eq!(r.intersection(area), *r);
            covered += u32::from(r.width) * u32::from(r.height);
            for other in rects.iter().skip(i + 1) {
                prop_assert!(r.intersection(*other).is_empty(), "{:?} {:?}", r, other);
            }
        }
        if Class::of(area) != Class::Tiny {
            prop_assert_eq!(covered, u32::from(width) * u32::from(height));
            for (pane, r) in &placed.panes {
                prop_assert!(r.height >= MIN_ROWS && r.width >= MIN_COLUMNS, "{:?} {:?}", pane, r);
            }
        }
        let mut back = Layout::default();
        back.decode(&layout.encode());
        prop_assert_eq!(back.wide, layout.wide);
    }
}
