//! Calls that need a person's consent, where the client can ask one: by a request to it (revision 2025-11-25), or by an answer that asks
//! for input, upon which the client calls once more (2026-07-28). What is consented to is what waits in the core, and nothing else.

use debugger::{
    ids::ApprovalId,
    permission::{Approval, Consent, SharingChange},
};
use rmcp::{
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ElicitRequest,
        ElicitRequestParams, InputRequest, InputRequiredResult, ServerRequest,
    },
    service::{Peer, RoleServer},
};

use super::{
    answer,
    seat::{Pending, Seat, Work},
};
use crate::prelude::*;

/// The name of the one question in an answer that asks for input.
const QUESTION: &str = "consent";

/// How long a client may take to call once more, when it waits for something else meanwhile.
const ABANDONED: Duration = Duration::from_secs(20);

/// How the client asks.
pub(super) enum ConsentMethod {
    /// It is asked while the call waits.
    Request(Peer<RoleServer>),
    /// It calls once more.
    Again,
}

/// What was asked for anew, after the client asked its person.
pub(super) async fn again(seat: &Arc<Seat>, request: CallToolRequestParams) -> CallToolResponse {
    let state = request.request_state.unwrap_or_default();
    let refuse = |what: &str| {
        let what = format!("{what}: call again without requestState");
        let error = ToolError::usage(&request.name, what);
        CallToolResponse::from(answer::refused(error, seat, answer::NORMAL))
    };
    let Some(pending) = lock(&seat.pending).remove(&state) else {
        return refuse("nothing waits under this requestState any more");
    };
    // Consent to one thing is consent to nothing else. Dropping the call withdraws what waits.
    if pending.name != request.name || pending.arguments != request.arguments {
        return refuse("the call is another one than the one that consent was asked for");
    }
    let given = request.input_responses.unwrap_or_default();
    let consent = given.get(QUESTION).map_or_else(|| deny(None), consent_of);
    decide(seat, pending.approval, consent).await;
    let (name, arguments) = (pending.name, pending.arguments);
    wait(seat, pending.work, &name, arguments, &ConsentMethod::Again).await
}

/// Waits for a call, and asks the client's person where that is needed.
pub(super) async fn wait(
    seat: &Arc<Seat>,
    mut work: Work,
    name: &str,
    arguments: Option<Map<String, Value>>,
    way: &ConsentMethod,
) -> CallToolResponse {
    let joined = |done: Result<CallToolResult, tokio::task::JoinError>| {
        done.unwrap_or_else(|error| {
            let error = ToolError::usage(name, format!("the call failed: {error}"));
            answer::refused(error, seat, answer::NORMAL)
        })
    };
    let told = match &seat.person {
        Some(person) => person.subscribe().await,
        None => None,
    };
    let Some((state, mut events)) = told else {
        return joined((&mut work).await).into();
    };
    let mut waiting = state
        .sharing
        .approvals
        .into_iter()
        .find(|approval| claim(seat, approval));
    loop {
        let approval = if let Some(approval) = waiting.take() {
            approval
        } else {
            tokio::select! {
                biased;
                done = &mut work => return joined(done).into(),
                // Actions are done one after the other: what the client never came back for must not hold up what it wants now.
                () = tokio::time::sleep(ABANDONED), if !lock(&seat.pending).is_empty() => {
                    lock(&seat.pending).clear();
                    continue;
                }
                asked = next(seat, &mut events) => match asked {
                    Some(approval) => approval,
                    None => return joined((&mut work).await).into(),
                },
            }
        };
        let question = question(&approval);
        match way {
            ConsentMethod::Request(peer) => {
                let asked =
                    peer.send_request(ServerRequest::ElicitRequest(ElicitRequest::new(question)));
                tokio::select! {
                    biased;
                    // Somebody answered on a screen, or nobody in time.
                    done = &mut work => return joined(done).into(),
                    answer = asked => {
                        let consent = match answer {
                            Ok(ClientResult::ElicitResult(result)) => {
                                consent_of(&serde_json::to_value(result).unwrap_or_default())
                            }
                            _ => deny(Some("the client could not ask".to_owned())),
                        };
                        decide(seat, approval.id, consent).await;
                    }
                }
            }
            ConsentMethod::Again => {
                let questions = [(
                    QUESTION.to_owned(),
                    InputRequest::Elicitation(ElicitRequest::new(question)),
                )];
                // The hash is of what was asked; what stands in it tells nothing.
                let state = format!("{}-{}", approval.id.0, approval.hash);
                let pending = Pending {
                    work,
                    approval: approval.id,
                    name: name.to_owned(),
                    arguments,
                };
                lock(&seat.pending).insert(state.clone(), pending);
                return InputRequiredResult::new(Some(questions.into()), Some(state)).into();
            }
        }
    }
}

/// Whether it is this client's, and nobody was asked about it yet.
fn claim(seat: &Seat, approval: &Approval) -> bool {
    let id = approval.id.0;
    seat.caller.actor.is_same(&approval.actor) && seat.claimed.fetch_max(id, Ordering::Relaxed) < id
}

/// The next thing of this client that waits for consent.
async fn next(seat: &Seat, events: &mut Subscription) -> Option<Approval> {
    loop {
        for event in events.next().await? {
            if let EventKind::Sharing {
                change: SharingChange::Asked { approval },
            } = event.kind
                && claim(seat, &approval)
            {
                return Some(*approval);
            }
        }
    }
}

async fn decide(seat: &Seat, approval: ApprovalId, consent: Consent) {
    if let Some(person) = &seat.person {
        // It may have been settled meanwhile; the call then says how.
        let _ = person.request(Command::Decide { approval, consent }).await;
    }
}

fn question(approval: &Approval) -> ElicitRequestParams {
    let place = Some(&approval.place).filter(|place| !place.is_empty());
    let message = format!(
        "{} wants to {}:\n{}\n{}{}",
        approval.actor,
        approval.action.replace('_', " "),
        approval.subject,
        place
            .map(|place| format!("at {place}\n"))
            .unwrap_or_default(),
        approval.warning,
    );
    let mut properties = json!({"for": {
        "type": "string", "title": "Allow", "enum": ["once", "every action of this kind, until the program goes on"], "default": "once",
    }});
    if let Some(fields) = properties.as_object_mut().filter(|_| approval.editable) {
        let instead = json!({"type": "string", "title": "Do this instead", "description": "Left empty, it is done as asked."});
        fields.insert("instead".to_owned(), instead);
    }
    let schema = json!({"type": "object", "properties": properties});
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: serde_json::from_value(schema)
            .unwrap_or_else(|_| rmcp::model::ElicitationSchema::new(BTreeMap::default())),
    }
}

/// What a person said: only what was accepted is allowed.
fn consent_of(result: &Value) -> Consent {
    if result.get("action").and_then(Value::as_str) != Some("accept") {
        return deny(None);
    }
    let field = |name: &str| {
        result
            .pointer(&format!("/content/{name}"))
            .and_then(Value::as_str)
    };
    match (
        field("instead").filter(|text| !text.trim().is_empty()),
        field("for"),
    ) {
        (Some(subject), _) => Consent::Edited {
            subject: subject.to_owned(),
        },
        (None, Some("every action of this kind, until the program goes on")) => Consent::ThisStop,
        _ => Consent::Once,
    }
}

fn deny(reason: Option<String>) -> Consent {
    Consent::Deny { reason }
}
