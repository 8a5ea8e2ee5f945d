//! Where the panes of the debug workspace are: four classes of size, dividers that can be moved, tabs for what shares a place.
//!
//! Plain arithmetic on rectangles. Sizes are kept as integer shares of [`WHOLE`], never as cells, so making a window
//! small and large again gives back what was there. What a pane draws is its own business.

mod pane;

use ratatui::layout::Margin;

use super::prelude::*;

pub use pane::Pane;

/// What shares are shares of.
pub const WHOLE: u16 = 10_000;

/// Fewest columns a column of panes may have.
const MIN_COLUMNS: u16 = 20;
/// Fewest rows a pane may have, frame included.
const MIN_ROWS: u16 = 3;

/// How much fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Two columns, every pane but one of the bottom ones in sight.
    Wide,
    /// Two columns, tabs at the right and at the bottom.
    Normal,
    /// One pane at a time.
    Narrow,
    /// One line.
    Tiny,
}

impl Class {
    /// The class of an area (what is left of the screen for the route).
    pub fn of(area: Rect) -> Self {
        match (area.width, area.height) {
            (..40, _) | (_, ..7) => Self::Tiny,
            (140.., 24..) => Self::Wide,
            (80.., 14..) => Self::Normal,
            _ => Self::Narrow,
        }
    }
}

/// A line between panes that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// Between the left and the right column.
    Columns,
    /// Between source and what is below it.
    Bottom,
    /// Below the stack.
    Stack,
    /// Below the scopes (wide only).
    Scopes,
    /// Below the watches (wide only).
    Watches,
}

/// Positions of the dividers in [`WHOLE`]ths of what they divide, in the order of [`Divider`]; those of the right column count
/// from its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shares([u16; 5]);

impl Shares {
    const WIDE: Self = Self([6_000, 7_000, 2_500, 6_000, 8_000]);
    const NORMAL: Self = Self([6_000, 6_500, 4_000, 6_000, 8_000]);

    fn of(self, divider: Divider) -> u16 {
        let share = self.0.get(divider as usize).copied();
        share.unwrap_or(WHOLE / 2)
    }

    fn set(&mut self, divider: Divider, share: u16) {
        if let Some(slot) = self.0.get_mut(divider as usize) {
            *slot = share;
        }
    }

    fn encode(self) -> String {
        self.0.map(|share| share.to_string()).join(" ")
    }

    fn decode(text: &str) -> Option<Self> {
        let numbers: Vec<u16> = text
            .split_whitespace()
            .map(|word| word.parse().ok().filter(|n| (1..WHOLE).contains(n)))
            .collect::<Option<_>>()?;
        let all: [u16; 5] = numbers.try_into().ok()?;
        let [.., stack, scopes, watches] = all;
        (stack < scopes && scopes < watches).then_some(Self(all))
    }
}

/// A divider as drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedDivider {
    pub divider: Divider,
    /// Cells that take hold of it.
    pub handle: Rect,
    /// First row or column of what it divides.
    pub origin: u16,
    /// Cells of what it divides.
    pub length: u16,
    /// Where it is, in cells from `origin`.
    pub at: u16,
    /// Least and greatest place it may be moved to.
    pub limits: (u16, u16),
}

/// A row of tabs as placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabRow {
    pub area: Rect,
    /// What can be chosen.
    pub panes: Vec<Pane>,
    pub active: Pane,
}

impl TabRow {
    /// What to write on the tabs: numbers and names as far as there is room for all.
    pub fn names(&self) -> Vec<String> {
        let full = |p: &Pane| format!("{} {}", p.key(), p.name());
        let forms: [&dyn Fn(&Pane) -> String; 2] = [&full, &|p| p.name().to_owned()];
        // A tab has a blank at both sides, and a rule between it and the next.
        let fits = |names: &Vec<String>| {
            names.iter().map(|n| n.len() + 3).sum::<usize>() <= usize::from(self.area.width) + 1
        };
        forms
            .iter()
            .map(|form| self.panes.iter().map(form).collect())
            .find(fits)
            .unwrap_or_else(|| {
                // The active one has its name, and of the others the first for which there is room.
                let first = self.panes.iter().position(|p| *p == self.active);
                let mut names: Vec<_> = self.panes.iter().map(|p| p.key().to_owned()).collect();
                for at in first.into_iter().chain(0..names.len()) {
                    let mut more = names.clone();
                    if let (Some(name), Some(pane)) = (more.get_mut(at), self.panes.get(at)) {
                        *name = full(pane);
                    }
                    if Some(at) == first || fits(&more) {
                        names = more;
                    }
                }
                names
            })
    }
}

/// Where everything is.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The panes in sight.
    pub panes: Vec<(Pane, Rect)>,
    /// Tabs for those that share a place.
    pub tabs: Vec<TabRow>,
    /// What can be moved.
    pub dividers: Vec<PlacedDivider>,
}

impl Placed {
    /// The pane at a cell.
    pub fn pane_at(&self, at: Position) -> Option<Pane> {
        self.panes
            .iter()
            .find(|(_, r)| r.contains(at))
            .map(|(p, _)| *p)
    }

    /// Where the panes below the source are; in narrow windows where any pane is.
    pub fn bottom(&self) -> Option<Rect> {
        let is_bottom = |(pane, _): &&(Pane, Rect)| Pane::BOTTOM.contains(pane);
        let found = self.panes.iter().find(is_bottom);
        found
            .or_else(|| self.panes.first().filter(|_| self.panes.len() == 1))
            .map(|(_, place)| *place)
    }

    /// Whether a cell is on the frame that a pane draws around itself.
    pub fn is_frame(&self, pane: Pane, at: Position) -> bool {
        self.panes
            .iter()
            .any(|(p, r)| *p == pane && r.contains(at) && !r.inner(Margin::new(1, 1)).contains(at))
    }

    /// The divider at a cell.
    pub fn divider_at(&self, at: Position) -> Option<Divider> {
        self.dividers
            .iter()
            .find(|d| d.handle.contains(at))
            .map(|d| d.divider)
    }

    /// Places a pane, and below it those that share a place under tabs.
    fn over_tabs(
        &mut self,
        area: Rect,
        shares: Shares,
        divider: Divider,
        pane: Pane,
        (panes, active): (Vec<Pane>, Pane),
    ) {
        let least = [MIN_ROWS, MIN_ROWS + 1];
        if let [above, below] = *stack_rows(area, shares, &[divider], &least, self) {
            let (tabs, rest) = tab_row(below, panes, active);
            self.panes.extend([(pane, above), (active, rest)]);
            self.tabs.push(tabs);
        }
    }

    fn divider(&self, divider: Divider) -> Option<&PlacedDivider> {
        self.dividers.iter().find(|d| d.divider == divider)
    }
}

/// A way to move a divider.
#[derive(Clone, Copy, Debug)]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
}

/// The arrangement: what the user chose, independent of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    wide: Shares,
    normal: Shares,
    focus: Pane,
    bottom: Pane,
    side: Pane,
    /// Panes that were asked for, in the order of their numbers.
    opened: Vec<Pane>,
    /// The focused pane has everything to itself.
    pub zoomed: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            wide: Shares::WIDE,
            normal: Shares::NORMAL,
            focus: Pane::Source,
            bottom: Pane::Output,
            side: Pane::Scopes,
            opened: Vec::new(),
            zoomed: false,
        }
    }
}

impl Layout {
    /// The pane that has the keyboard.
    pub fn focus(&self) -> Pane {
        self.focus
    }

    /// Gives a pane the keyboard and brings it to the front of its tabs.
    pub fn set_focus(&mut self, pane: Pane) {
        self.focus = pane;
        self.reveal(pane);
    }

    /// Brings a pane to the front of its tabs without giving it the keyboard.
    pub fn reveal(&mut self, pane: Pane) {
        if pane.is_on_demand() && !self.opened.contains(&pane) {
            self.opened.push(pane);
            self.opened.sort_by_key(|p| p.place());
        }
        if pane.is_below() {
            self.bottom = pane;
        }
        if Pane::SIDE.contains(&pane) {
            self.side = pane;
        }
    }

    /// Takes a pane's tab away that was opened on demand; false = it is not one, or not open.
    pub fn close(&mut self, pane: Pane) -> bool {
        let known = self.opened.len();
        self.opened.retain(|p| *p != pane);
        if self.bottom == pane {
            self.bottom = Pane::Output;
        }
        if self.focus == pane {
            self.set_focus(Pane::Source);
            self.zoomed = false;
        }
        known != self.opened.len()
    }

    /// The panes there are: those that always are, and those that were asked for.
    fn all(&self) -> Vec<Pane> {
        let there = |p: &Pane| !p.is_on_demand() || self.opened.contains(p);
        Pane::ALL.into_iter().filter(there).collect()
    }

    /// Those below the source.
    fn below(&self) -> Vec<Pane> {
        Pane::BOTTOM.iter().chain(&self.opened).copied().collect()
    }

    /// The next pane in the order of their numbers, `forward` or back. The terminal is passed over: it would keep the key
    /// that is to lead on.
    pub fn cycle(&mut self, forward: bool) {
        let all = self.all();
        let at = all.iter().position(|p| *p == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { all.len() - 1 };
        let along = (1..=all.len()).filter_map(|n| all.get((at + n * step) % all.len()));
        if let Some(pane) = along.copied().find(|p| *p != Pane::Terminal) {
            self.set_focus(pane);
        }
    }

    /// Whether the keyboard is in a pane that another tab hides, were this one brought to the front.
    pub fn would_hide(&self, pane: Pane) -> bool {
        self.focus != pane && pane.is_below() && self.focus.is_below()
    }

    /// All dividers back where they were at first, nothing zoomed.
    pub fn reset(&mut self) {
        (self.wide, self.normal, self.zoomed) = (Shares::WIDE, Shares::NORMAL, false);
    }

    /// What to remember.
    pub fn encode(&self) -> Vec<String> {
        vec![
            format!("wide {}", self.wide.encode()),
            format!("normal {}", self.normal.encode()),
        ]
    }

    /// Takes over what was remembered; anything unreadable leaves that part as it is.
    pub fn decode(&mut self, lines: &[String]) {
        for line in lines {
            match line.split_once(' ') {
                Some(("wide", rest)) => self.wide = Shares::decode(rest).unwrap_or(self.wide),
                Some(("normal", rest)) => self.normal = Shares::decode(rest).unwrap_or(self.normal),
                _ => {}
            }
        }
    }

    /// Rectangles for `area`. A tiny one gets none: the route draws one line instead.
    pub fn place(&self, area: Rect) -> Placed {
        match Class::of(area) {
            Class::Tiny => {
                // One line says where it stands; the pane with the keyboard gets the rest, if that is worth its frame.
                let rest = area.below(1);
                let pane = (rest.height >= MIN_ROWS).then_some((self.focus, rest));
                Placed {
                    panes: pane.into_iter().collect(),
                    ..Placed::default()
                }
            }
            _ if self.zoomed => Placed {
                panes: vec![(self.focus, area)],
                ..Placed::default()
            },
            Class::Narrow => {
                let (tabs, rest) = tab_row(area, self.all(), self.focus);
                Placed {
                    panes: vec![(self.focus, rest)],
                    tabs: vec![tabs],
                    dividers: Vec::new(),
                }
            }
            Class::Normal => self.columns(area, self.normal, false),
            Class::Wide => self.columns(area, self.wide, true),
        }
    }

    fn columns(&self, area: Rect, shares: Shares, wide: bool) -> Placed {
        let mut placed = Placed::default();
        let at = cells(area.width, shares.of(Divider::Columns)).clamp(
            MIN_COLUMNS,
            area.width.saturating_sub(MIN_COLUMNS).max(MIN_COLUMNS),
        );
        placed.dividers.push(PlacedDivider {
            divider: Divider::Columns,
            handle: Rect {
                x: area.x + at.saturating_sub(1),
                width: 2,
                ..area
            }
            .intersection(area),
            origin: area.x,
            length: area.width,
            at,
            limits: (MIN_COLUMNS, area.width.saturating_sub(MIN_COLUMNS)),
        });
        let (left, right) = (area.first(at), area.after(at));
        let tabs = (self.below(), self.bottom);
        placed.over_tabs(left, shares, Divider::Bottom, Pane::Source, tabs);
        if wide {
            let dividers = [Divider::Stack, Divider::Scopes, Divider::Watches];
            let panes = [Pane::Stack, Pane::Scopes, Pane::Watches, Pane::Breakpoints];
            let rows = stack_rows(right, shares, &dividers, &[MIN_ROWS; 4], &mut placed);
            placed.panes.extend(panes.into_iter().zip(rows));
        } else {
            let tabs = (Pane::SIDE.to_vec(), self.side);
            placed.over_tabs(right, shares, Divider::Stack, Pane::Stack, tabs);
        }
        placed
    }

    /// Moves a divider to a cell (a column for [`Divider::Columns`], else a row). `placed` is what `area` was placed as.
    pub fn drag(&mut self, divider: Divider, to: Position, area: Rect, placed: &Placed) {
        if let Some(p) = placed.divider(divider) {
            let cell = if divider == Divider::Columns {
                to.x
            } else {
                to.y
            };
            self.move_to(*p, cell.saturating_sub(p.origin), area);
        }
    }

    /// Moves the divider beside the focused pane by two columns or one row; false when there is none in that direction.
    pub fn nudge(&mut self, direction: Direction, area: Rect) -> bool {
        let placed = self.place(area);
        let wanted = match (direction, self.focus) {
            (Direction::Left | Direction::Right, _) => Divider::Columns,
            (_, pane) if pane == Pane::Source || pane.is_below() => Divider::Bottom,
            (_, Pane::Stack) => Divider::Stack,
            (_, Pane::Scopes) if Class::of(area) == Class::Wide => Divider::Scopes,
            (_, _) if Class::of(area) == Class::Wide => Divider::Watches,
            _ => Divider::Stack,
        };
        let Some(p) = placed.divider(wanted) else {
            return false;
        };
        let to = match direction {
            Direction::Left => p.at.saturating_sub(2),
            Direction::Right => p.at + 2,
            Direction::Up => p.at.saturating_sub(1),
            Direction::Down => p.at + 1,
        };
        self.move_to(*p, to, area);
        true
    }

    fn move_to(&mut self, p: PlacedDivider, at: u16, area: Rect) {
        let (least, most) = p.limits;
        let at = at.clamp(least, most.max(least));
        let share = share(p.length, at);
        match Class::of(area) {
            Class::Wide => self.wide.set(p.divider, share),
            Class::Normal => self.normal.set(p.divider, share),
            Class::Narrow | Class::Tiny => {}
        }
    }
}

/// Cells of `length` up to a share of it.
fn cells(length: u16, share: u16) -> u16 {
    ((u32::from(length) * u32::from(share) + u32::from(WHOLE) / 2) / u32::from(WHOLE)) as u16
}

/// The share at which [`cells`] gives `at` again, for any length below [`WHOLE`].
fn share(length: u16, at: u16) -> u16 {
    let length = u32::from(length.max(1));
    ((u32::from(at) * u32::from(WHOLE) + length / 2) / length).clamp(1, u32::from(WHOLE) - 1) as u16
}

/// Cuts a column into rows at the dividers; `least` are the fewest rows of each part.
fn stack_rows(
    area: Rect,
    shares: Shares,
    dividers: &[Divider],
    least: &[u16],
    placed: &mut Placed,
) -> Vec<Rect> {
    let mut rows = Vec::with_capacity(least.len());
    let mut top = 0;
    for (i, divider) in dividers.iter().enumerate() {
        let below: u16 = least.iter().skip(i + 1).sum();
        let low = top + least.get(i).copied().unwrap_or(MIN_ROWS);
        let high = area.height.saturating_sub(below).max(low);
        let at = cells(area.height, shares.of(*divider)).clamp(low, high);
        rows.push(part(area, top, at));
        // The divider may go down only as far as the next one leaves room.
        let next = dividers
            .get(i + 1)
            .map_or(area.height, |next| cells(area.height, shares.of(*next)));
        let room = next.saturating_sub(least.get(i + 1).copied().unwrap_or(MIN_ROWS));
        placed.dividers.push(PlacedDivider {
            divider: *divider,
            handle: part(area, at, at.saturating_add(1)),
            origin: area.y,
            length: area.height,
            at,
            limits: (low, room.min(high).max(low)),
        });
        top = at;
    }
    rows.push(part(area, top, area.height));
    rows
}

fn part(area: Rect, from: u16, to: u16) -> Rect {
    Rect {
        y: area.y + from,
        height: to.saturating_sub(from),
        ..area
    }
    .intersection(area)
}

fn tab_row(area: Rect, panes: Vec<Pane>, active: Pane) -> (TabRow, Rect) {
    let (area, rest) = split(area, 1);
    let row = TabRow {
        area,
        panes,
        active,
    };
    (row, rest)
}

#[cfg(test)]
mod tests;
