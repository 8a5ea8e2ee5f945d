//! Where Python's tests stop: at what fails one, and at nothing that only looks like it.

use crate::support;

use serde_json::Value;
use support::run::{Ran, Runs};
use support::tools;

const SHOP: &str = "def boom(x):\n    raise ValueError(x)\n\ndef deny(x):\n    assert x == 0\n";

/// Nothing in here fails. Its module answers for names that are not there, as packages do that load late.
const PASSES: &str = r#"
import asyncio, contextlib, unittest
import pytest
from shop import boom, deny

def __getattr__(name):
    raise AttributeError(name)

def test_skip():
    pytest.skip("no")

def test_import_or_skip():
    pytest.importorskip("nosuchmodule")

def test_xfail_call():
    pytest.xfail("known")

@pytest.mark.xfail
def test_xfail():
    assert 1 == 2

@pytest.mark.xfail(raises=ValueError)
def test_xfail_raises():
    boom(1)

def test_xfail_late(request):
    request.node.add_marker(pytest.mark.xfail)
    boom(1)

def test_raises_call():
    pytest.raises(ValueError, boom, 1)

def test_raises_lines():
    with pytest.raises(
        ValueError, match="1"
    ):
        boom(1)

def test_raises_several():
    with (
        pytest.raises(ValueError),
        open("/dev/null"),
    ):
        boom(1)

def test_suppress():
    with contextlib.suppress(ValueError):
        boom(1)

@contextlib.contextmanager
def quiet():
    try:
        yield
    except ValueError:
        pass

def test_own_manager():
    with quiet():
        boom(1)

def test_caught():
    try:
        list(map(boom, [1]))
    except ValueError:
        pass

class Unit(unittest.TestCase):
    def test_skip(self):
        self.skipTest("no")

    def test_raises(self):
        self.assertRaises(ValueError, boom, 1)

    def test_regex(self):
        self.assertRaisesRegex(ValueError, "1", boom, 1)

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_expected_part(self):
        with self.subTest(i=1):
            deny(1)

class Waits(unittest.IsolatedAsyncioTestCase):
    async def late(self):
        await asyncio.sleep(0)
        boom(1)

    async def test_task(self):
        with self.assertRaises(ValueError):
            await asyncio.create_task(self.late())

    async def test_gather(self):
        with pytest.raises(ValueError):
            await asyncio.gather(self.late(), asyncio.sleep(0))

    async def test_wait_for(self):
        with pytest.raises(ValueError):
            await asyncio.wait_for(self.late(), 60)
"#;

/// What fails is marked, in the order in which it fails.
const FAILS: &str = r#"
import asyncio, unittest
import pytest
from shop import boom, deny

def test_plain():
    one = 1
    assert one == len("ab")  # FAILS

def test_other_type():
    with pytest.raises(KeyError):
        boom(2)  # FAILS

def test_other_text():
    with pytest.raises(ValueError, match="seven"):  # FAILS
        boom(3)

def test_none():
    with pytest.raises(ValueError):  # FAILS
        pass

def test_call():
    pytest.raises(KeyError, boom, 4)  # FAILS

def test_after():
    with pytest.raises(ValueError):
        boom(5)
    boom(6)  # FAILS

def test_told():
    pytest.fail("told")  # FAILS

@pytest.mark.xfail(raises=KeyError)
def test_other_xfail():
    boom(7)  # FAILS

@pytest.mark.xfail(False, reason="elsewhere")
def test_no_xfail():
    boom(8)  # FAILS

@pytest.fixture
def broken():
    boom(9)  # FAILS

def test_fixture(broken):
    pass

@pytest.fixture
def leaves():
    yield 1
    boom(10)  # FAILS

def test_end(leaves):
    pass

async def waits():
    await asyncio.sleep(0)
    boom(11)  # FAILS

def test_async():
    asyncio.run(waits())

def test_except():
    try:
        boom(12)  # FAILS
    except KeyError:
        pass

def test_finally():
    try:
        boom(13)  # FAILS
    finally:
        pass

class Lazy:
    def __getattr__(self, name):
        raise AttributeError(name)  # FAILS

def test_attribute():
    Lazy().missing

def test_parts(subtests):
    for i in range(2):
        with subtests.test(i=i):
            deny(i)  # FAILS

class Unit(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(1, 2)  # FAILS

    def test_parts(self):
        for i in range(2):
            with self.subTest(i=i):
                deny(i)  # FAILS

    def test_raises(self):
        self.assertRaises(KeyError, boom, 20)  # FAILS

class Waits(unittest.IsolatedAsyncioTestCase):
    async def test_alone(self):
        async def late():
            await asyncio.sleep(0)
            boom(22)  # FAILS
        task = asyncio.create_task(late())
        while not task.done():
            await asyncio.sleep(0)

    async def test_task(self):
        async def late():
            await asyncio.sleep(0)
            boom(21)  # FAILS
        with self.assertRaises(KeyError):
            await asyncio.create_task(late())
"#;

fn tested(runs: &Runs, test: &str, command: &str) -> Ran {
    runs.file("shop.py", SHOP);
    runs.file("test_it.py", test);
    runs.run(&["--test", command, "--break-on-test-failure"])
}

/// The line of the test's own file in a stop's stack.
fn line(stop: &Value) -> Option<u64> {
    let frames = stop["stack_trace"].as_array()?;
    let is_test = |frame: &&Value| frame["file"].as_str().unwrap_or("").ends_with("test_it.py");
    frames.iter().find(is_test)?["line"].as_u64()
}

#[test]
fn what_passes_is_skipped_or_expected_stops_no_test_run() {
    require!(debugpy);
    if tools::required("pytest", tools::find(&["pytest"])).is_none() {
        return;
    }
    let runs = Runs::new();
    for command in ["pytest -q test_it.py", "python3 -m unittest test_it"] {
        let ran = tested(&runs, PASSES, command);
        assert!(ran.of("exception_thrown").is_empty(), "{ran:#?}");
        assert_eq!(ran.code, Some(0), "{ran:#?}");
    }
}

#[test]
fn every_kind_of_failure_stops_a_test_run_where_it_is() {
    require!(debugpy);
    if tools::required("pytest", tools::find(&["pytest"])).is_none() {
        return;
    }
    let runs = Runs::new();
    let ran = tested(&runs, FAILS, "pytest -q test_it.py");
    let lines = FAILS.lines().zip(1..);
    let fails: Vec<u64> = lines
        .filter(|(text, _)| text.ends_with("# FAILS"))
        .map(|(_, line)| line)
        .collect();
    let stops = ran.of("exception_thrown");
    let told: Vec<u64> = stops.iter().filter_map(|stop| line(stop)).collect();
    assert_eq!(told, fails, "{ran:#?}");
    // What pytest makes of an assertion is no variable of the test.
    let locals = stops.iter().filter_map(|stop| stop["locals"].as_object());
    let names = locals.flat_map(|locals| locals.keys());
    let made: Vec<_> = names.filter(|name| name.starts_with('@')).collect();
    assert!(made.is_empty(), "{made:?}");
    // An assertion without a text has none.
    let bare = |stop: &&&Value| stop["location"]["function"] == "deny";
    let bare = stops.iter().find(bare).unwrap();
    assert_eq!(bare["exception"]["type"], "AssertionError");
    assert_eq!(bare["exception"]["message"], Value::Null);
    assert_eq!(bare["locals"]["x"]["value"], 1);
}
