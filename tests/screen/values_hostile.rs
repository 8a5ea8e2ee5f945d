//! What a value shows in one line, of adapters that mean no good: parts that come late, that are themselves once more, that hold
//! escapes. The screen goes on, and says what it does not know.

use crate::support;

use std::fs;

use serde_json::{Value, json};
use support::desk::{Desk, Home};
use support::run::Runs;
use support::{line_of, program_source, tools};

/// The screen at the first line of a program whose values are made of their parts. Whatever is asked for, the parts are these.
fn at_first_line(options: &[&str], parts: Option<&Value>) -> Desk {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    fs::create_dir_all(&folder).unwrap();
    let mut options: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
    options.push("--endless".to_owned());
    if let Some(parts) = parts {
        let file = home.path().join("parts.json");
        fs::write(&file, json!({ "variables": parts }).to_string()).unwrap();
        options.extend([
            "--answer".to_owned(),
            format!("variables={}", file.display()),
        ]);
    }
    let adapter = json!({"command": tools::fake_adapter(), "args": options, "connectMode": "stdio",
        "fileTypes": [".fake"], "personality": {"previews": true}});
    let known = json!({"adapters": {"fake": adapter}});
    fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("program.fake");
    fs::write(&program, "one()\ntwo()\nthree()\n").unwrap();
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    let desk = Desk::at(home, |builder| builder.args(words));
    desk.wait_at("program.fake", 1);
    desk
}

/// It steps: nothing waits for what hangs.
fn goes_on(desk: Desk) {
    desk.pty.key("F10");
    desk.wait_at("program.fake", 2);
    desk.leave_live("e");
}

#[test]
fn a_value_that_is_a_part_of_itself_ends_in_dots() {
    let parts = json!([
        {"name": "me", "value": "", "type": "v::Me", "variablesReference": 1},
        {"name": "x", "value": "1", "type": "int", "variablesReference": 0},
    ]);
    let desk = at_first_line(&[], Some(&parts));
    desk.wait_value("Scopes", "me", "Me {me: Me {me: Me {me: Me {…}, x: 1}");
    goes_on(desk);
}

#[test]
fn wrappers_without_end_are_not_followed() {
    let parts =
        json!([{"name": "value", "value": "0x1000", "type": "Node *", "variablesReference": 1}]);
    let desk = at_first_line(&[], Some(&parts));
    desk.wait_value("Scopes", "value", "0x1000 → 0x1000 → ");
    goes_on(desk);
}

/// More time than one stop gives a value at first: it is there once nothing else is waited for.
#[test]
fn parts_that_come_late_are_shown_when_they_come() {
    let desk = at_first_line(&["--slow", "variables=1200"], None);
    desk.wait_value("Scopes", "order", "dict {id: 7, customer: Custo");
    goes_on(desk);
}

#[test]
fn escapes_in_parts_do_not_reach_the_terminal() {
    let parts = json!([
        {"name": "a\u{1b}[31mb", "value": "\"\u{1b}]0;stolen\u{7}\"", "type": "str", "variablesReference": 0},
        {"name": "order", "value": "", "type": "Order\u{1b}[2J", "variablesReference": 9},
    ]);
    let desk = at_first_line(&[], Some(&parts));
    let screen = desk.wait_value("Scopes", "order", "Order");
    assert!(screen.contains("stolen"), "as text: {}", screen.text());
    let titles = desk.pty.titles();
    assert!(titles.iter().all(|t| !t.contains("stolen")), "{titles:?}");
    goes_on(desk);
}

/// Formatters of GDB that raise, recurse for ever, take their time, end in escapes.
const FORMATTERS: &str = "python
import gdb.printing, itertools, time
class Raising:
    def __init__(self, value): self.value = value
    def to_string(self): raise ValueError('not \\x1b[2J today')
class Recursing(Raising):
    def to_string(self): return self.to_string()
class Late(Raising):
    def to_string(self): time.sleep(60); return 'late'
class Looping(Raising):
    def to_string(self):
        while True: pass
class Endless(Raising):
    def to_string(self): return 'endless'
    def children(self): return ((str(i), self.value) for i in itertools.count())
class Escaping(Raising):
    def to_string(self): return '\\x1b]0;title\\x07\\x1b[31mred'
class Parts(Raising):
    def to_string(self): return 'parts'
    def children(self): raise MemoryError('none')
printers = gdb.printing.RegexpCollectionPrettyPrinter('hostile')
for name, printer in dict(Order=Raising, Derived=Recursing, Both=Late, Bits=Escaping, Node=Parts, Color=Looping, Level=Endless).items():
    printers.add_printer(name, '^%s$' % name, printer)
gdb.printing.register_pretty_printer(None, printers)
end
";

#[test]
fn formatters_that_fail_take_no_other_row_with_them() {
    require!(gdb);
    let runs = Runs::new();
    runs.home.file("work/.gdbinit", FORMATTERS);
    let source = program_source("values.cpp");
    let at = format!("{}:{}", source.display(), line_of(&source, "values"));
    let program = tools::cpp_values();
    let program = program.to_str().unwrap();
    let words = ["--trust", "--adapter", "gdb", "-b", &at, "--max-stops", "1"];
    let ran = runs.run(&[&words[..], &[program]].concat());
    let locals = &ran.one("breakpoint_hit")["locals"];
    let shown = |name: &str| {
        let field = &locals[name];
        let text = field["preview"]
            .as_str()
            .or_else(|| field["value"].as_str());
        text.unwrap_or_else(|| panic!("{name}: {locals:#}"))
    };
    for (name, beginning) in [
        ("order", "<not "),
        ("derived", "<maximum recursion"),
        ("root", "<none>"),
        ("both", "<… its formatter takes too long>"),
        ("color", "<… its formatter takes too long>"),
        ("level", "endless"),
        ("list", "[3, 1, 2]"),
        ("map", "(1) {\"a\": 1}"),
    ] {
        assert!(
            shown(name).starts_with(beginning),
            "{name}: {}",
            shown(name)
        );
    }
}

/// Variables that are declared and not made yet: what lies there is what lay there before.
const UNMADE: &str = r"use std::{borrow::Cow, collections::*, hint::black_box, path::PathBuf, rc::Rc};
#[inline(never)] fn fill(with: u64) { black_box(&[with; 4000]); }
#[inline(never)] fn look(go: bool) {
    let text: String; let list: Vec<u64>; let table: HashMap<u32, String>; let tree: BTreeMap<u32, String>; let trees: BTreeSet<u32>;
    let queue: VecDeque<u8>; let some: Option<String>; let slice: &[u64]; let counted: Rc<Vec<u8>>; let path: PathBuf; let cow: Cow<'static, str>;
    let boxed: Box<String>; let either: Result<Vec<u8>, Option<u8>>; let set: HashSet<String>; let str: &str;
    black_box(go); // MARK: unmade
    if go {
        (text, list, table, tree, trees) = Default::default();
        (queue, some, slice, counted, path, cow) = Default::default();
        (boxed, set, str) = Default::default();
        either = Ok(vec![]);
        black_box((&text, &list, &table, &tree, &trees, &queue, &some, &slice, &counted, &path, &cow, &boxed, &either, &set, &str));
    }
}
fn main() {
    let own = Box::leak(Box::new([3u64; 100]));
    let at = own.as_ptr() as u64;
    own.fill(at);
    for with in [0xaaaa_aaaa_aaaa_aaaa, u64::MAX, 2, at] { fill(with); look(false); }
}
";

/// They say that they cannot be read, at once, and no formatter tells how it failed.
fn assert_unmade(adapter: &str) {
    let runs = Runs::new();
    let source = runs.home.file("work/unmade.rs", UNMADE);
    let program = tools::build_rust(&source, &runs.home.path().join("work/unmade"));
    let at = format!("{}:{}", source.display(), line_of(&source, "unmade"));
    let words = ["--adapter", adapter, "-b", &at, "--max-stops", "4"];
    let ran = runs.run(&[&words[..], &[program.to_str().unwrap()]].concat());
    let stops = ran.of("breakpoint_hit");
    assert_eq!(stops.len(), 4, "{adapter}: {ran:#?}");
    for stop in stops {
        for name in ["text", "list", "table", "tree", "trees", "queue", "set"] {
            let field = &stop["locals"][name];
            let text = field["preview"]
                .as_str()
                .or_else(|| field["value"].as_str());
            assert_eq!(text, Some("<not readable>"), "{adapter} {name}: {field:#}");
        }
    }
    let told = ran.of("output");
    let is_trace = |e: &&&Value| e["text"].as_str().unwrap_or_default().contains("Traceback");
    assert!(!told.iter().any(|e| is_trace(&e)), "{adapter}: {told:#?}");
}

#[test]
fn what_is_not_made_yet_takes_lldb_dap_no_time() {
    require!(lldb_dap);
    assert_unmade("lldb-dap");
}

#[test]
fn what_is_not_made_yet_takes_codelldb_no_time() {
    require!(codelldb);
    assert_unmade("codelldb");
}

/// As [`UNMADE`], of C++, at the first line of `main`: libstdc++'s formatters make all parts of a container to count them.
const UNMADE_CPP: &str = r"#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
__attribute__((noinline)) void fill(unsigned long with) {
  volatile unsigned long there[4000];
  for (auto& word : there) word = with;
}
__attribute__((noinline)) int look(int go) {
  static int made = go; // MARK: unmade
  std::deque<char> queue; std::set<int> set; std::map<std::string, int> map; std::unordered_map<int, int> table;
  std::vector<char> list(go, 'x'); std::shared_ptr<int> shared; std::string text(go, 'x');
  return made + list.size() + queue.size() + set.size() + map.size() + table.size() + text.size() + (shared ? 1 : 0);
}
int main() {
  static unsigned long own[100];
  auto at = (unsigned long)own;
  for (auto& word : own) word = at;
  int sum = 0;
  for (unsigned long with : {0xaaaaaaaaaaaaaaaaul, ~0ul, 2ul, at}) { fill(with); sum += look(2); }
  return sum & 1;
}
";

#[test]
fn what_is_not_made_yet_takes_gdb_no_time() {
    require!(gdb);
    let runs = Runs::new();
    let source = runs.home.file("work/unmade.cpp", UNMADE_CPP);
    let program = tools::build_cpp(&source, &runs.home.path().join("work/unmade"));
    let at = format!("{}:{}", source.display(), line_of(&source, "unmade"));
    let words = ["--adapter", "gdb", "-b", &at, "--max-stops", "4"];
    let ran = runs.run(&[&words[..], &[program.to_str().unwrap()]].concat());
    let stops = ran.of("breakpoint_hit");
    assert_eq!(stops.len(), 4, "{ran:#?}");
    for stop in stops {
        let locals = stop["locals"].as_object().unwrap();
        for name in ["queue", "set", "map", "table", "list", "shared", "text"] {
            assert!(locals.contains_key(name), "{name}: {stop:#}");
        }
    }
}
