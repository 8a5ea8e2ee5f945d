//! Rows, and how they are printed: each as soon as it is known.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;

use color_eyre::eyre::Result;

use super::options::Options;

/// What a figure may be at most.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// This many times the floor.
    Times(f64),
    /// This much, whatever the floor.
    Most(f64),
    /// Nothing: it is there to be compared.
    Told,
}

/// One figure.
#[derive(Clone, Debug)]
pub struct Row {
    pub goal: &'static str,
    pub what: String,
    pub unit: &'static str,
    pub ours: f64,
    pub floor: Option<f64>,
    pub bound: Bound,
}

/// What measuring a goal gave: figures, and what was left out and why.
#[derive(Debug, Default)]
pub struct Measured {
    pub rows: Vec<Row>,
    pub left_out: Vec<String>,
}

impl Measured {
    /// Takes the rows, or the reason why there are none.
    pub fn add(&mut self, what: &str, rows: Result<Vec<Row>>) {
        match rows {
            Ok(rows) => self.rows.extend(rows),
            Err(error) => self.left_out.push(format!("{what}: {error:#}")),
        }
    }
}

impl Row {
    /// `None` where there is nothing to be under.
    fn is_ok(&self) -> Option<bool> {
        match self.bound {
            Bound::Times(times) => Some(self.ours <= self.floor? * times),
            Bound::Most(most) => Some(self.ours <= most),
            Bound::Told => None,
        }
    }

    fn line(&self) -> String {
        let unit = self.unit;
        let floor = self.floor.map(|f| format!("{} {unit}", number(f)));
        let ratio = self
            .floor
            .filter(|f| *f > 0.0)
            .map(|f| format!("{:.2}", self.ours / f));
        let bound = match self.bound {
            Bound::Times(times) => format!("{times} x"),
            Bound::Most(most) => format!("{} {unit}", number(most)),
            Bound::Told => String::new(),
        };
        let verdict = match self.is_ok() {
            Some(true) => "ok",
            Some(false) => "OVER",
            None => "",
        };
        format!(
            "{:<5} {:<48} {:>12} {:>12} {:>7} {:>9}  {verdict}",
            self.goal,
            self.what,
            format!("{} {unit}", number(self.ours)),
            floor.unwrap_or_default(),
            ratio.unwrap_or_default(),
            bound,
        )
    }
}

/// Three digits that matter, no more.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The middle one; of an even number the lower of the two. 0 of none.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5)
}

/// The value that this share (0 to 1) of all is not above. 0 of none.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let index = (last as f64 * share).round() as usize;
    sorted.get(index.min(last)).copied().unwrap_or(0.0)
}

/// Tells of progress and trouble, beside the table.
pub fn say(text: &str) {
    println!("{text}");
}

/// The table so far.
#[derive(Debug, Default)]
pub struct Table {
    rows: usize,
    over: usize,
    left_out: Vec<String>,
}

impl Table {
    pub fn begin(options: &Options) -> Self {
        let (rounds, quick) = (
            options.rounds,
            if options.quick { ", short jobs" } else { "" },
        );
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().unwrap_or("unknown");
        println!(
            "medians of {rounds} rounds{quick}, floor and ours taking turns; load before: {load}\n"
        );
        let head = ["goal", "what", "ours", "floor", "ratio", "bound"];
        let [goal, what, ours, floor, ratio, bound] = head;
        println!("{goal:<5} {what:<48} {ours:>12} {floor:>12} {ratio:>7} {bound:>9}");
        Self::default()
    }

    pub fn take(&mut self, measured: Measured) {
        for row in &measured.rows {
            println!("{}", row.line());
            self.rows += 1;
            self.over += usize::from(row.is_ok() == Some(false));
        }
        self.left_out.extend(measured.left_out);
    }

    pub fn end(&self, options: &Options) -> ExitCode {
        println!("\n{} figures, {} over their bound", self.rows, self.over);
        for reason in &self.left_out {
            println!("left out: {reason}");
        }
        if options.strict && self.over > 0 {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }
}
