//! Sessions of child processes: announced by an adapter, reached on a connection of their own, kept within bounds.
//!
//! An adapter announces a child by the request `startDebugging` or by an event of its own, on the connection of the session
//! whose process made it; so a tree of processes becomes a tree of sessions. `startDebugging` is answered once there is a
//! connection to the child, or when there will be none: debuggees hold a new process until somebody comes for it, and a
//! refusal is what lets it run on. What is said over that connection is what the adapter handed over, unchanged; the
//! handshake itself is in `handshake`. How children end is in `shutdown`.

use dap::message::Request as DapRequest;

use super::{
    live::{ChildSpec, PendingChild},
    prelude::*,
};
use crate::adapters::Children;

/// Child sessions that may live at a time: a fork bomb must not become ours.
const MOST_LIVE: usize = 256;
/// Ended child sessions that are kept to be looked at; older ones are forgotten.
const MOST_ENDED: usize = 64;
/// For how long children that are passed over are counted before the number is told.
const COUNTING: Duration = Duration::from_millis(100);

/// A child as its adapter announces it.
struct Announced {
    request: StartRequest,
    /// Where to connect; without it, where its parent's adapter listens.
    address: Option<(String, u16)>,
    configuration: Value,
}

/// What becomes of an announcement.
enum AnnouncementOutcome {
    /// A session of its own.
    Session(SessionId),
    /// It has one already.
    Known,
}

impl Announced {
    /// What `startDebugging` asks for.
    fn asked(arguments: &Value) -> Option<Self> {
        let configuration = arguments.get("configuration").filter(|c| c.is_object())?;
        let launch = arguments.text_of("request") == Some("launch");
        Some(Self {
            request: if launch {
                StartRequest::Launch
            } else {
                StartRequest::Attach
            },
            address: configuration.get("connect").and_then(address_in),
            configuration: configuration.clone(),
        })
    }

    /// What an adapter's own event tells. Today's body is the child's attach configuration; before there was `connect` it had
    /// `host` and `port` beside the rest; the oldest wraps what the root was started with, and tells only the port.
    fn told(body: Value) -> Self {
        let root = body.get("rootStartRequest");
        let oldest = root
            .and_then(|root| root.get("arguments"))
            .and_then(Value::as_object)
            .map(|arguments| from_root(arguments, &body));
        let configuration = oldest.unwrap_or(body);
        let address = configuration.get("connect").and_then(address_in);
        Self {
            request: StartRequest::Attach,
            address: address.or_else(|| address_in(&configuration)),
            configuration,
        }
    }

    /// The values that tell this child from others; none when the adapter's children have no such.
    fn identity(configuration: &Value, habits: &Children) -> Vec<Value> {
        let keys = habits.identity_keys.iter();
        keys.filter_map(|key| configuration.get(key))
            .filter(|value| !value.is_null())
            .cloned()
            .collect()
    }
}

/// The attach of a child of which only the root's start is told.
fn from_root(arguments: &Map<String, Value>, body: &Value) -> Value {
    let mut child = arguments.clone();
    let attached = arguments.text_of("request") == Some("attach");
    if !attached || !child.contains_key("host") {
        child.put("host", "127.0.0.1");
    }
    child.put("request", "attach");
    for key in ["port", "processId"] {
        if let Some(value) = body.get(key) {
            child.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(pid) = body.integer_of("processId") {
        child.put("name", format!("Child process {pid}"));
    }
    Value::Object(child)
}

fn address_in(value: &Value) -> Option<(String, u16)> {
    let host = value.text_of("host");
    let port = value.get("port").and_then(Value::as_u64)?;
    let port = u16::try_from(port).ok().filter(|port| *port > 0)?;
    Some((host.unwrap_or("127.0.0.1").to_owned(), port))
}

impl Owner {
    /// `startDebugging`.
    pub fn start_debugging(&mut self, parent: SessionId, request: &DapRequest) {
        let Some(client) = self.client(parent) else {
            return;
        };
        let asked = PendingChild {
            client,
            request: request.clone(),
        };
        let Some(announced) = Announced::asked(&request.arguments.value()) else {
            return asked.refuse("startDebugging needs a `configuration` object");
        };
        match self.child_announced(parent, announced) {
            Ok(AnnouncementOutcome::Session(child)) => {
                if let Some(live) = self.live_mut(child) {
                    live.asked = Some(asked);
                }
            }
            Ok(AnnouncementOutcome::Known) => asked.grant(),
            Err(why) => asked.refuse(&why),
        }
    }

    /// An event by which the adapter announces a child.
    pub fn child_told(&mut self, parent: SessionId, body: Value) {
        // There is nobody to answer; that it was passed over has been said.
        let _ = self.child_announced(parent, Announced::told(body));
    }

    fn child_announced(
        &mut self,
        parent: SessionId,
        announced: Announced,
    ) -> Result<AnnouncementOutcome, String> {
        let Some((live, session)) = self.live(parent).zip(self.session(parent)) else {
            return Err("the session is gone".to_owned());
        };
        let ended_by_us = live.ending && live.ended_by_program.is_none();
        if ended_by_us || live.goodbye.is_some() || self.shutting_down.is_some() {
            return Err("the session is being ended".to_owned());
        }
        let identity = Announced::identity(&announced.configuration, &live.personality.children);
        if self.is_known(parent, &identity) {
            return Ok(AnnouncementOutcome::Known);
        }
        let Announced {
            request,
            address,
            configuration,
        } = announced;
        let (Some(address), Some(resolved)) = (
            address
                .map(|(host, port)| Address::Port(host, port))
                .or_else(|| live.address.clone()),
            live.plan.resolved.clone(),
        ) else {
            return Err(self.pass_over_child(parent, "its adapter does not say where to connect"));
        };
        let children = self.hub.state.live().filter(|s| s.parent.is_some()).count();
        if children >= MOST_LIVE {
            let why = format!("there are {MOST_LIVE} at a time at most");
            return Err(self.pass_over_child(parent, &why));
        }
        let name = configuration.text_of("name").unwrap_or("child").to_owned();
        let habits = &live.personality.children;
        let mut pids = habits.pid_keys.iter();
        let named = || {
            let found = habits.pid_in_name.as_ref()?.captures(&name)?;
            found.get(1)?.as_str().parse().ok()
        };
        let told = pids.find_map(|key| configuration.get(key)?.as_i64());
        let pid = told.or_else(named);
        let exception_filters = self.filters_below(session, &name);
        let child = Session {
            parent: Some(parent),
            target: name.clone(),
            name,
            pid,
            kind: session.kind,
            cwd: session.cwd.clone(),
            exception_filters,
            ..Session::default()
        };
        let origin = Origin::Child(Box::new(ChildSpec {
            resolved,
            address,
            request,
            configuration,
            identity,
            family: live.plan.family.clone(),
            foreign_types: live.plan.foreign_types.clone(),
        }));
        let child = self.open(child, origin, None);
        // The program's entry is met by the first child where the program runs in one.
        let parent = self
            .live_mut(parent)
            .filter(|l| l.personality.program_in_child);
        let goal = parent.and_then(|live| live.goal.take());
        if let Some(live) = self.live_mut(child) {
            live.goal = goal;
        }
        Ok(AnnouncementOutcome::Session(child))
    }

    /// Whether this child was announced before and is being debugged. A process that replaces itself keeps its number and is
    /// announced by itself, so it is another one than its parent's child of that number.
    fn is_known(&self, parent: SessionId, identity: &[Value]) -> bool {
        let is_it = |spec: &ChildSpec| !identity.is_empty() && spec.identity == identity;
        let mut same = self
            .origins
            .iter()
            .filter(|(_, origin)| matches!(origin, Origin::Child(spec) if is_it(spec)));
        same.any(|(id, _)| {
            self.session(*id)
                .is_some_and(|s| s.parent == Some(parent) && s.phase.is_live())
        })
    }

    /// Counts a child that is not debugged. The first one of a session is told of, all are counted: an adapter may announce
    /// them faster than anyone can read.
    fn pass_over_child(&mut self, parent: SessionId, why: &str) -> String {
        let why = format!("A child process is not debugged: {why}.");
        let Some(live) = self.live_mut(parent) else {
            return why;
        };
        live.passed_over += 1;
        let first = live.passed_over == 1;
        if !mem::replace(&mut live.counting, true) {
            self.spawn(time::sleep(COUNTING), move |owner, ()| {
                owner.tell_passed_over(parent);
            });
        }
        if first {
            let hint = "others are only counted, beside the session's name";
            self.warn_with(parent, &why, hint);
        }
        why
    }

    fn tell_passed_over(&mut self, parent: SessionId) {
        let Some(live) = self.live_mut(parent) else {
            return;
        };
        live.counting = false;
        let count = live.passed_over;
        self.change(parent, Change::ChildrenPassedOver { count });
    }

    /// A child's start failed: nobody asked for it, so nobody is told but by this. It ran before we came, so it runs on.
    pub fn child_failed(&mut self, id: SessionId, why: &str) {
        let name = self.session(id).map(|s| s.name.clone()).unwrap_or_default();
        self.warn(
            id,
            format!("The child process {name} is not debugged: {why}"),
        );
    }

    /// The sessions of a session's children that have an adapter yet.
    pub fn live_children(&self, id: SessionId) -> Vec<SessionId> {
        self.hub
            .state
            .sessions
            .iter()
            .filter(|s| s.parent == Some(id) && self.live.contains_key(&s.id))
            .map(|s| s.id)
            .collect()
    }

    /// Forgets the oldest ended children when there are too many; never one that is looked at, or whose own children are known.
    pub fn forget_old_children(&mut self) {
        let state = &self.hub.state;
        let over = |s: &&Session| {
            s.parent.is_some() && s.phase == Phase::Terminated && !self.live.contains_key(&s.id)
        };
        let ended = state.sessions.iter().filter(over).count();
        let old: Vec<_> = state
            .sessions
            .iter()
            .filter(over)
            .filter(|s| state.focus != Some(s.id))
            .filter(|s| {
                state
                    .sessions
                    .iter()
                    .all(|other| other.parent != Some(s.id))
            })
            .take(ended.saturating_sub(MOST_ENDED))
            .map(|s| s.id)
            .collect();
        for session in old {
            self.origins.remove(&session);
            self.hub.publish(EventKind::SessionCleared { session });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_child_is_reached_is_read_in_each_form() {
        let told = |body| Announced::told(body).address;
        let here = |port| Some(("127.0.0.1".to_owned(), port));
        assert_eq!(
            told(json!({"connect": {"host": "10.0.0.1", "port": 7}})),
            Some(("10.0.0.1".to_owned(), 7))
        );
        assert_eq!(told(json!({"connect": {"port": 7}})), here(7));
        assert_eq!(told(json!({"port": 7, "subProcessId": 3})), here(7));
        for bad in [
            json!({}),
            json!({"connect": 7}),
            json!({"port": 0}),
            json!({"port": 65_536}),
            json!({"port": "7"}),
            json!({"connect": {"host": "x"}}),
            json!([]),
        ] {
            assert_eq!(told(bad.clone()), None, "{bad}");
        }
        // The `port` of a configuration that is asked for may be anything.
        let asked = json!({"request": "attach", "configuration": {"port": 9229}});
        assert_eq!(Announced::asked(&asked).unwrap().address, None);
        assert!(Announced::asked(&json!({"configuration": 7})).is_none());
        assert!(Announced::asked(&json!("x")).is_none());
    }

    #[test]
    fn the_oldest_announcement_becomes_an_attach_like_the_roots() {
        let body = json!({"processId": 42, "parentProcessId": 41, "port": 5678,
            "rootStartRequest": {"command": "launch",
                "arguments": {"request": "launch", "type": "python", "host": "far", "justMyCode": true}}});
        let announced = Announced::told(body);
        assert_eq!(
            announced.configuration,
            json!({"request": "attach", "type": "python", "host": "127.0.0.1", "port": 5678,
                "justMyCode": true, "processId": 42, "name": "Child process 42"})
        );
        assert_eq!(announced.address, Some(("127.0.0.1".to_owned(), 5678)));
    }

    #[test]
    fn children_are_told_apart_by_what_their_adapter_numbers_them_by() {
        let habits = Children {
            identity_keys: vec!["subProcessId".to_owned(), "processId".to_owned()],
            ..Children::default()
        };
        let one = json!({"subProcessId": 3, "name": "a"});
        let again = json!({"subProcessId": 3, "name": "b"});
        let other = json!({"subProcessId": 4, "name": "a"});
        let nameless = json!({"name": "a", "subProcessId": null});
        let identity = |c| Announced::identity(c, &habits);
        assert_eq!(identity(&one), identity(&again));
        assert_ne!(identity(&one), identity(&other));
        assert!(identity(&nameless).is_empty());
    }
}
