//! A table of a million rows: how soon it is there beside the debugger's own first answer, a page, and what it takes of our memory.

use color_eyre::eyre::{Result, eyre};
use serde_json::json;

use super::mcp::Client;
use super::options::{Goal, Options};
use super::programs;
use super::support::tools;
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[Goal {
    name: "DATA",
    measure: frame,
}];

const PROGRAM: &str = "import numpy as np
import pandas as pd
n = 1_000_000
df = pd.DataFrame({f'c{i}': np.arange(n) * (i + 0.5) for i in range(7)})
df['name'] = [f'n{i % 1000}' for i in range(n)]
print(len(df))
";
/// Pages that are looked at, and rows of one.
const PAGES: u64 = 200;
const ROWS: u64 = 100;

fn frame(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("DATA", rows(options));
    measured
}

fn rows(options: &Options) -> Result<Vec<Row>> {
    let row = |what: &str, unit, ours, floor, bound| Row {
        goal: "DATA",
        what: format!("DataFrame 1,000,000 × 8: {what}"),
        unit,
        ours,
        floor,
        bound,
    };
    let venv = tools::test_home().join("venv/bin");
    let mut path = venv.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let program = programs::folder()?.join("frame.py");
    std::fs::write(&program, PROGRAM)?;
    let (mut opened, mut own, mut pages, mut grown) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.rounds.min(5) {
        let mut client = Client::start(&path)?;
        client.greet()?;
        client.call("debug_set_breakpoint", &json!({"file": program, "line": 6}))?;
        let launch = json!({"program": program, "adapter": "debugpy"});
        client.call("debug_launch", &launch)?;
        client.call("debug_wait", &json!({"timeout": 60}))?;
        let before = client.resident()?;
        own.push(
            client
                .call("debug_evaluate_hover", &json!({"expression": "df"}))?
                .0,
        );
        opened.push(client.call("debug_data", &json!({"expression": "df"}))?.0);
        for page in 0..PAGES {
            let first = page * 4_999;
            let rows = format!("{first}..{}", first + ROWS);
            let page = json!({"expression": "df", "rows": rows});
            pages.push(client.call("debug_data", &page)?.0);
        }
        grown.push(client.resident()? - before);
        client.call("debug_terminate", &json!({}))?;
    }
    pages.sort_by(f64::total_cmp);
    let slow = pages
        .get(pages.len() * 95 / 100)
        .ok_or_else(|| eyre!("no pages"))?;
    Ok(vec![
        row(
            "there",
            "ms",
            median(&opened),
            Some(median(&own)),
            Bound::Most(300.0),
        ),
        row("a page, 95 of 100", "ms", *slow, None, Bound::Most(50.0)),
        row(
            "memory of ours for 200 pages",
            "MB",
            median(&grown),
            None,
            Bound::Most(30.0),
        ),
    ])
}
