//! What was packed, member by member: the last member of a report, so that nothing has to be packed twice.

use base::text::hex::hexadecimal;

use super::{outcome::Outcome, plan::Plan};
use crate::prelude::*;

/// What says that a manifest is one of ours.
pub const FORMAT: &str = "omp-debug report";
/// The member's name.
pub const NAME: &str = "manifest.json";

/// The manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// Which program wrote it.
    #[serde(default)]
    pub generator: String,
    /// When, in UTC.
    #[serde(default)]
    pub created: String,
    /// Whether secrets were taken out.
    #[serde(default)]
    pub redacted: bool,
    /// Secrets that were replaced, in all members.
    #[serde(default)]
    pub secrets_replaced: u64,
    /// The session that it is about, and why that one.
    #[serde(default)]
    pub session: Value,
    /// In the order of the archive.
    pub members: Vec<ManifestMember>,
    /// What is not in it, and why.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// One member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManifestMember {
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Of these bytes, in hexadecimal digits.
    pub sha256: String,
    /// `text`, which was searched for secrets, or `binary`, which is as it was.
    pub kind: String,
    /// How many.
    #[serde(default)]
    pub secrets_replaced: u64,
    /// By what they were known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, u64>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What of it was cut, and what else should be known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Something that is not in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// What it would be called.
    pub name: String,
    pub why: String,
}

impl Manifest {
    pub(super) fn of(plan: &Plan, outcome: &Outcome, redactor: Option<&Redactor>) -> Self {
        let redactor_here = redactor.map(Redactor::counting_anew);
        let clean = |text: &str| match &redactor_here {
            Some(redactor) => redactor.redact(text).into_owned(),
            None => text.to_owned(),
        };
        let mut notes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for note in outcome.notes.iter().filter(|note| !note.left_out) {
            let of_member = notes.entry(note.member.as_str()).or_default();
            of_member.push(clean(&note.text));
        }
        let members = outcome.packed.iter().map(|packed| {
            let planned = plan.members.get(packed.index);
            let name = planned.map_or(packed.name.as_str(), |planned| planned.name.as_str());
            ManifestMember {
                name: packed.name.clone(),
                size: packed.size,
                sha256: hexadecimal(&packed.sha256),
                kind: if packed.text { "text" } else { "binary" }.to_owned(),
                secrets_replaced: packed.replaced.total(),
                by: packed
                    .replaced
                    .iter()
                    .map(|(kind, count)| (kind.label().to_owned(), count))
                    .collect(),
                from: planned
                    .and_then(|planned| planned.from.as_deref())
                    .map(clean),
                notes: notes.remove(name).unwrap_or_default(),
            }
        });
        let mut session = plan.session.as_ref().map_or(Value::Null, |session| {
            json!({"file": session.path.to_string_lossy(), "chosen": session.why.label()})
        });
        if let Some(redactor) = &redactor_here {
            redactor.redact_json(&mut session);
        }
        Self {
            format: FORMAT.to_owned(),
            version: 1,
            generator: concat!("omp-debug ", env!("CARGO_PKG_VERSION")).to_owned(),
            created: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            redacted: redactor.is_some(),
            secrets_replaced: outcome.replaced(),
            session,
            members: members.collect(),
            left_out: outcome
                .notes
                .iter()
                .filter(|note| note.left_out)
                .map(|note| LeftOut {
                    name: clean(&note.member),
                    why: clean(&note.text),
                })
                .collect(),
        }
    }
}
