//! Values as data, on each debugger: rows, sums, lines, texts, bytes, pictures; and values that would rather not be looked at.

use crate::support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use omp_debug::debugger::permission::Caller;
use omp_debug::debugger::tool::{Tool, ToolError, ToolResult};
use omp_debug::debugger::{Command, Core, CoreHandle};
use serde_json::{Value, json};
use support::core::Home;
use support::procs::Watchdog;
use support::{line_of, program_source, tools};

const PATIENCE: Duration = Duration::from_secs(20);

/// A program that stands where its values are.
struct Stand {
    home: Home,
    core: CoreHandle,
    tool: Tool,
    _watchdog: Watchdog,
}

impl Stand {
    async fn at(adapter: &str, program: &Path, source: &Path, args: &[&str]) -> Self {
        let home = Home::new();
        let mut config = home.config_with_codelldb(PATIENCE);
        config.settings.eval_timeout = 4 * PATIENCE;
        let env = Arc::make_mut(&mut config.context.env);
        if let Some(script) = tools::js_debug() {
            let script = script.to_str().unwrap().to_owned();
            env.insert("JS_DEBUG_DAP_SERVER".to_owned(), script);
        }
        let core = Core::start(config);
        let tool = Tool::open(core.clone()).await.unwrap();
        let stand = Self {
            home,
            core,
            tool,
            _watchdog: Watchdog::new("values as data", Duration::from_mins(3)),
        };
        let line = line_of(source, "stop");
        stand
            .done("set_breakpoint", json!({"file": source, "line": line}))
            .await;
        let launch = json!({"program": program, "adapter": adapter, "args": args, "timeout": 60});
        let mut at = stand.done("launch", launch).await;
        if !at.text.contains("topped at") {
            at = stand.done("wait", json!({"timeout": 60})).await;
        }
        assert!(at.text.contains("topped at"), "{}", at.text);
        stand
    }

    async fn call(&self, action: &str, arguments: &Value) -> Result<ToolResult, ToolError> {
        let arguments = arguments.as_object().unwrap();
        self.tool
            .call(&Caller::default(), action, arguments, None)
            .await
    }

    async fn done(&self, action: &str, arguments: Value) -> ToolResult {
        let result = self.call(action, &arguments).await;
        result.unwrap_or_else(|error| panic!("{action} {arguments}: {error:?}"))
    }

    /// What is told of an expression, without blanks at the ends of lines.
    async fn told(&self, expression: &str, more: &Value) -> String {
        // How many rows are read for it depends on how busy the machine is.
        let mut arguments = json!({"expression": expression, "timeout": 120});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        match self.call("data", &arguments).await {
            Ok(result) => result.text,
            Err(error) => error.error,
        }
    }

    /// Holds a table: expressions, what else is asked, and what is told.
    async fn tells(&self, rows: &[(&str, Value, &str)]) {
        let mut wrong = Vec::new();
        for (expression, more, expected) in rows {
            let told = self.told(expression, more).await;
            if !told.contains(expected) {
                wrong.push(format!("{expression} {more}:\n{told}\nand not\n{expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }

    async fn end(self) {
        let ended = tokio::time::timeout(PATIENCE, self.core.request(Command::Shutdown)).await;
        ended.unwrap().unwrap();
        let home = self.home;
        let check = omp_debug::tasks::blocking(move || home.mark.assert_none_left(PATIENCE));
        check.await.unwrap();
    }
}

/// A list of lists, of which one is empty and one has but one element.
const GRID: &str = "   0  1\n0  1  2\n1\n2  3";

/// What every language has: `orders`, `counts`, `line`, `chosen`. `name` is how a field is written.
async fn common(stand: &Stand, name: fn(&str) -> String) {
    let head = format!("{:4} {:10} {}", name("id"), name("customer"), name("price"));
    let head = head.split_whitespace().collect::<Vec<_>>().join("  ");
    let squeezed = |text: String| {
        let lines = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join("  "));
        lines.collect::<Vec<_>>().join("\n").replace(".0\n", "\n")
    };
    let page = squeezed(stand.told("orders", &json!({"rows": "110..112"})).await);
    let rows = format!("120  ×  3\n{head}\n110  110  cust110  165\n111  111  cust111  166.5\n");
    assert!(page.contains(&rows), "{page}\nand not\n{rows}");
    let sort = json!({"rows": "0..1", "sort": format!("-{}", name("price"))});
    let sorted = squeezed(stand.told("orders", &sort).await);
    assert!(
        sorted.contains(&format!("{head}\n119  119  cust119  178.5\n")),
        "{sorted}"
    );
    let filter = format!("{} >= 177 and {} ~ T118", name("price"), name("customer"));
    let filtered = squeezed(stand.told("orders", &json!({"filter": filter})).await);
    assert!(
        filtered.contains(&format!("{head}\n118  118  cust118  177")),
        "{filtered}"
    );
    assert!(!filtered.contains("cust119"), "{filtered}");
    stand
        .tells(&[
            ("counts", json!({}), "   value\na  1\nb  2"),
            ("line", json!({"as": "series"}), "min 1, max 4, mean 2.5"),
            (
                "line",
                json!({"as": "series"}),
                "Each point is 1 value: 1 4 2.5",
            ),
            (
                "orders",
                json!({"as": "stats"}),
                "120 values, 0 none, 120 distinct, min 0",
            ),
            (
                "orders",
                json!({"as": "image"}),
                "cannot be shown as image; it can as table, stats, series.",
            ),
            (
                "orders",
                json!({"compare": "orders"}),
                "(0 of 120 rows differ from orders.)",
            ),
            (
                "orders",
                json!({"compare": "counts"}),
                " lines differ from counts.)",
            ),
            (
                "orders",
                json!({"sort": "none such"}),
                "There is no column 'none such'.",
            ),
        ])
        .await;
}

async fn native(adapter: &str, program: &Path, source: &str) {
    let stand = Stand::at(adapter, program, &program_source(source), &[]).await;
    common(&stand, str::to_owned).await;
    // What is no table is compared part by part.
    let parts = stand
        .told("orders[1]", &json!({"compare": "orders[2]"}))
        .await;
    assert!(parts.contains("~ id") && parts.contains("2 → 1"), "{parts}");
    let chosen = stand.told("chosen", &json!({})).await;
    assert!(chosen.contains("0  1   cust1     1.5"), "{chosen}");
    stand.tells(&[("grid", json!({}), GRID)]).await;
    if source == "data.rs" {
        let sums = (
            "names",
            json!({"as": "stats"}),
            "4 values, 0 none, 3 distinct, min a, max c",
        );
        // What of a variant has no fields is told all the same.
        let shapes = (
            "shapes",
            json!({}),
            "   value\n0  Round(1)\n1  Wide(2, 3)\n2  Flat",
        );
        stand.tells(&[sums, shapes]).await;
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn native_programs_by_gdb() {
    require!(gdb);
    native("gdb", &tools::rust_data(), "data.rs").await;
    native("gdb", &tools::cpp_data(), "data.cpp").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn native_programs_by_lldb_dap() {
    require!(lldb_dap);
    native("lldb-dap", &tools::rust_data(), "data.rs").await;
    native("lldb-dap", &tools::cpp_data(), "data.cpp").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn native_programs_by_codelldb() {
    require!(codelldb);
    native("codelldb", &tools::cpp_data(), "data.cpp").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn go_programs() {
    require!(dlv);
    let source = program_source("data.go");
    let stand = Stand::at("dlv", &tools::go_data(), &source, &[]).await;
    let capital = |name: &str| {
        let (first, rest) = name.split_at(1);
        first.to_uppercase() + rest
    };
    common(&stand, capital).await;
    stand
        .tells(&[
            ("chosen", json!({}), "0  1   cust1     1.5"),
            ("grid", json!({}), GRID),
            ("mixed", json!({"rows": "1..3"}), "1  5\n2  x"),
            // A key is no position.
            ("names", json!({}), "700  a"),
            // What is plain beside records is shown, and so are they.
            ("mixed", json!({}), "cust1"),
        ])
        .await;
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ruby_programs() {
    require!(rdbg);
    let source = program_source("data.rb");
    let stand = Stand::at("rdbg", &source, &source, &[]).await;
    stand.tells(&[("grid", json!({}), GRID)]).await;
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn javascript_programs() {
    require!(node);
    require!(js_debug);
    let source = program_source("data.js");
    let stand = Stand::at("js-debug-adapter", &source, &source, &[]).await;
    common(&stand, str::to_owned).await;
    stand
        .tells(&[
            (
                "chosen",
                json!({}),
                "Object 2 × 2\n   a  b\n0  1  x\n1  2  y",
            ),
            // What has no columns beside what has is shown all the same.
            (
                "mixed",
                json!({}),
                "       value\nlist   [1, 2, 3]\nn      5\no      {k: 1}\non     1970-01-01T00:00:00.000Z\ntotal  (getter)",
            ),
            (
                "text",
                json!({"rows": "1..4"}),
                "string 13\n\"a\"\n(characters 1 to 4 of 13)",
            ),
            (
                "line",
                json!({"as": "bytes", "rows": "0..8"}),
                "AAAAAAAA8D8=",
            ),
            // A getter is the program's own.
            ("hostile", json!({}), "(getter)  ␛[31mred"),
            ("nope", json!({}), "nope is not defined"),
            ("1 +", json!({}), "SyntaxError"),
        ])
        .await;
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_programs() {
    require!(debugpy);
    let source = program_source("data.py");
    let packages = tools::python_packages();
    let stand = Stand::at("debugpy", &source, &source, &[packages.to_str().unwrap()]).await;
    common(&stand, str::to_owned).await;
    stand
        .tells(&[
            (
                "records",
                json!({}),
                "list 3 × 3\n   id  customer  price\n0  0   cust0     0.0",
            ),
            ("columns", json!({}), "   a  b\n0  1  0.5\n1  2  NaN"),
            // What has no columns beside what has is shown all the same.
            (
                "mixed",
                json!({}),
                "   value\n_  ['meow']\nc  true\na  1\ns  x",
            ),
            (
                "mixed",
                json!({"as": "stats"}),
                "4 values, 0 none, 4 distinct",
            ),
            (
                "late",
                json!({"rows": "59..62"}),
                "59  {'k': 59}\n60  last\n61",
            ),
            ("nested", json!({}), "   0  1\n0  1  2\n1  3  4"),
            ("text", json!({}), "str 13\n{\"a\": [1, 2]}"),
            (
                "matrix",
                json!({"rows": "1..2"}),
                "ndarray 3 × 4\n   0    1    2    3\n1  4.0  5.0  6.0  7.0",
            ),
            // Infinite is a value, and has no mean; what is none is none.
            (
                "masked",
                json!({"as": "stats"}),
                "5 values, 2 none, 3 distinct, min 1.0, max inf",
            ),
            ("masked", json!({}), "MaskedArray 5"),
            (
                "matrix",
                json!({"as": "bytes", "rows": "8..16"}),
                "AAAAAAAA8D8=",
            ),
            ("picture", json!({}), "(a picture of 6 × 4)"),
            (
                "picture",
                json!({"as": "table", "rows": "0..1"}),
                "[0, 0]  255  128  0",
            ),
            // Three dimensions are no picture where they hold no colours.
            (
                "cube",
                json!({"rows": "3..5"}),
                "ndarray 2 × 3 × 4\n        0   1   2   3\n[1, 0]  12  13  14  15\n[1, 1]  16",
            ),
            ("pairs", json!({}), "ndarray 2\n   a  b"),
            (
                "frame[['c1']]",
                json!({"rows": "0..1"}),
                "DataFrame 1000000 × 1\n",
            ),
            // Many values of which few are different are all counted, and of many different ones it is said that there are more.
            (
                "flags",
                json!({"as": "stats"}),
                "200000 values, 0 none, 2 distinct",
            ),
            (
                "frame.c1",
                json!({"as": "stats"}),
                "1000000 values, 0 none, at least 100000 distinct",
            ),
            (
                "days",
                json!({"as": "stats"}),
                "3 values, 1 none, 2 distinct, min 2024-01-01, max 2024-03-01",
            ),
            (
                "odd",
                json!({"as": "stats"}),
                "No mean of value: 1 infinite.",
            ),
            (
                "frame",
                json!({"rows": "500000..500001"}),
                "500000  250000.0  750000.0",
            ),
            (
                "frame",
                json!({"rows": "0..1", "sort": "-c3"}),
                "DataFrame 1000000 × 8",
            ),
            (
                "frame",
                json!({"rows": "0..1", "sort": "-c3"}),
                "\n999999  499999.5",
            ),
            (
                "frame",
                json!({"filter": "c0 < 2 and name ~ n3"}),
                "\n3  1.5  4.5",
            ),
            (
                "frame.c1",
                json!({"as": "series"}),
                "max 1499998.5, mean 749999.25",
            ),
            (
                "frame",
                json!({"as": "stats"}),
                "- name (str): 1000000 values, 0 none, 1000 distinct, min n0, max n999",
            ),
            (
                "{'tags': [['a', i] for i in range(12)]}",
                json!({"as": "stats"}),
                "min ['a', 0], max ['a', 11]",
            ),
            // No method of a class of the program's own is called.
            ("hostile", json!({}), "list 2\n   total\n0  1\n1  2"),
            (
                "in_a_row",
                json!({}),
                "0  Hangs(total=1)\n1  Raises(total=2)",
            ),
            ("objects", json!({"sort": "o"}), "Hangs(total=1)"),
            (
                "objects",
                json!({"as": "stats"}),
                "2 values, 0 none, 1 distinct",
            ),
            // What could drive a terminal is shown.
            ("control", json!({}), "a␛[31m\n0  ␛[2Jred\\u{202e}"),
            (
                "wide",
                json!({"columns": "999998..1000009"}),
                "   999998  999999\n0  999998  999999",
            ),
            ("odd", json!({"as": "stats"}), "3 values, 1 none"),
            (
                "odd",
                json!({"as": "series"}),
                "Each point is 1 value: 1 NaN NaN",
            ),
            // A list that is another one at the next page.
            (
                "changing",
                json!({"rows": "998..1002"}),
                "998  998\n999  999\n(rows 998 to 1000 of 1000",
            ),
            (
                "changing.clear() or changing",
                json!({"rows": "998..1002"}),
                "list 0",
            ),
            ("nope", json!({}), "name 'nope' is not defined"),
            ("1 +", json!({}), "SyntaxError"),
            ("len", json!({"as": "table"}), "cannot be shown as table"),
        ])
        .await;
    let picture = stand.done("data", json!({"expression": "picture"})).await;
    let picture = &picture.details["data"]["content"]["image"];
    assert!(
        picture["rgb"].as_str().unwrap().starts_with("/4AAAAAA"),
        "{picture}"
    );
    // Where they are no tables, they say what shape they have.
    for (expression, shown) in [
        ("frame", "DataFrame 1000000 × 8: c0, c1, c2,"),
        ("frame.c1", "Series float64[1000000] 'c1' 0.0, 1.5, 3.0,"),
        ("frame.dtypes", "float64, float64,"),
        ("summed", "Series float64[2] 3.0, 1.5"),
        ("objects.o", "Hangs(…), Hangs(…)"),
        (
            "matrix",
            "float64[3, 4] 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, …",
        ),
        ("matrix[0]", "array([0., 1., 2., 3.])"),
        ("type(frame)()", "DataFrame 0 × 0"),
        (
            "__import__('collections').deque([1, 2], maxlen=5)",
            "deque([1, 2], maxlen=5)",
        ),
    ] {
        let told = stand
            .done("evaluate", json!({"expression": expression}))
            .await;
        assert!(told.text.contains(shown), "{expression}: {}", told.text);
    }
    // Opened, a table has its columns and a column its first values, and neither what pandas keeps for its own use.
    for (expression, parts) in [
        ("frame", "c0 c1 c2 c3 c4 c5 c6 name"),
        ("summed", "count mean"),
    ] {
        let told = stand
            .done("evaluate", json!({"expression": expression}))
            .await;
        let reference = &told.details["evaluation"]["variablesReference"];
        let told = stand
            .done("variables", json!({"variable_ref": reference}))
            .await;
        let variables = told.details["variables"].as_array().unwrap().iter();
        let names: Vec<_> = variables.map(|v| v["name"].as_str().unwrap()).collect();
        assert_eq!(names.join(" "), parts, "{}", told.text);
    }
    // Nothing is left behind in the program, and nothing was imported.
    let left = stand
        .done(
            "evaluate",
            json!({"expression": "[n for n in globals() if n in ('page', 'names', 'Rows')]"}),
        )
        .await;
    assert!(left.text.contains("[]"), "{}", left.text);
    stand.end().await;
}

/// A program that has imported neither pandas nor numpy is not made to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_imported() {
    require!(debugpy);
    let source = program_source("data.py");
    let packages = tools::python_packages();
    let words = [packages.to_str().unwrap(), "plain"];
    let stand = Stand::at("debugpy", &source, &source, &words).await;
    common(&stand, str::to_owned).await;
    let loaded = "[m for m in ('numpy', 'pandas', 'polars', 'PIL', 'pyarrow') if m in sys.modules]";
    let loaded = stand.done("evaluate", json!({"expression": loaded})).await;
    assert!(loaded.text.contains("[]"), "{}", loaded.text);
    stand.end().await;
}

/// At an earlier stop what was seen is kept; frames and threads are asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_is_compared_with_itself_elsewhere() {
    require!(debugpy);
    let source = program_source("beside.py");
    let stand = Stand::at("debugpy", &source, &source, &[]).await;
    stand.done("data", json!({"expression": "rows"})).await;
    stand.done("data", json!({"expression": "text"})).await;
    stand.done("continue", json!({"timeout": 60})).await;
    let threads = stand.done("threads", json!({})).await.text;
    let thread = threads.lines().find(|line| line.contains("other"));
    let digits = |text: &str| {
        text.chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    let thread = thread.map(digits).unwrap_or_default();
    let there = format!("thread {thread}");
    stand
        .tells(&[
            (
                "rows",
                json!({"compare": "stop 1"}),
                "     id   price\n+ 0  100  0.0\n  1  0    0.0\n~ 2  1    1.5 → 99.0\n  3  2    3.0\n- 3  3    4.5\n  4  4    6.0\n(3 of 6 rows differ from stop 1 (look).)",
            ),
            (
                "rows",
                json!({"compare": "stop 1", "rows": "2..3"}),
                "     id  price\n~ 2  1   1.5 → 99.0\n(rows 2 to 3 of 6; ask with rows)",
            ),
            (
                "text",
                json!({"compare": "stop 1"}),
                "~ 2    \"a\": 1,        \"a\": 2,\n  3",
            ),
            // It was in sight, and nobody asked for it.
            ("total", json!({"compare": "stop 1"}), "~ 1  1              2\n(1 of 1 lines differ from stop 1 (look).)"),
            ("rows", json!({"compare": "frame 1 first"}), "(3 of 6 rows differ from main first.)"),
            ("rows", json!({"compare": "frame 1"}), "(0 of 5 rows differ from main.)"),
            ("rows", json!({"compare": there}), &format!("differ from {there} other.)")),
            ("rows", json!({"compare": "stop 9"}), "There was no stop 9."),
            ("rows", json!({"compare": "frame 70"}), "There is no such frame"),
            ("rows + rows", json!({"compare": "stop 1"}), "Nothing was kept of rows + rows at stop 1"),
            ("rows", json!({"compare": "nope"}), "name 'nope' is not defined"),
        ])
        .await;
    stand.end().await;
}
