//! `simctl list devices`: which simulators there are, and which one a person means.

use super::{names, xcrun::Xcrun};
use crate::prelude::*;

const AVAILABLE: &[&str] = &["simctl", "list", "devices", "available", "-j"];
const ALL: &[&str] = &["simctl", "list", "devices", "-j"];

/// One simulator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Device {
    /// Its id.
    pub udid: String,
    /// What people call it.
    pub name: String,
    /// `Booted`, `Shutdown`, …
    #[serde(default)]
    pub state: String,
    #[serde(default = "yes", rename = "isAvailable")]
    is_available: bool,
    #[serde(rename = "availabilityError")]
    availability_error: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct DeviceList {
    devices: BTreeMap<String, Vec<Device>>,
}

impl Device {
    fn is_booted(&self) -> bool {
        self.state == "Booted"
    }

    /// Refuses one that does not run.
    pub fn booted(&self) -> Result<(), String> {
        if self.is_booted() {
            return Ok(());
        }
        let Self {
            name, state, udid, ..
        } = self;
        let state = if state.is_empty() {
            "not running"
        } else {
            state
        };
        Err(format!(
            "the simulator {name:?} is {state}; start it with: xcrun simctl boot {udid}"
        ))
    }

    fn is(&self, wanted: &str) -> bool {
        self.udid.eq_ignore_ascii_case(wanted) || self.name == wanted
    }
}

/// Reads what `simctl` prints: devices by runtime, those without a usable runtime left out.
pub fn parse(text: &str) -> Result<Vec<Device>, String> {
    let listed: DeviceList = serde_json::from_slice(text.as_bytes()).map_err(|error| {
        let head: String = text.chars().take(80).collect();
        format!("printed no list of devices: {error}; it begins with {head:?}")
    })?;
    Ok(listed.devices.into_values().flatten().collect())
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub fn looks_like_a_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The one that is meant, among those available.
pub fn choose<'a>(devices: &'a [Device], wanted: &str) -> Result<Option<&'a Device>, String> {
    let available = devices.iter().filter(|device| device.is_available);
    let found: Vec<_> = available.filter(|device| device.is(wanted)).collect();
    let booted: Vec<_> = found
        .iter()
        .copied()
        .filter(|device| device.is_booted())
        .collect();
    match (found.as_slice(), booted.as_slice()) {
        ([], _) => Ok(None),
        // Of several with one name, the one that runs is meant.
        ([one], _) | (_, [one]) => Ok(Some(one)),
        (several, _) => {
            let list = several.iter();
            let list = list.map(|d| format!("  {}  {}  {}", d.udid, d.state, d.name));
            Err(format!(
                "several simulators are called {wanted:?}; give the UUID of one:\n{}",
                list.joined("\n")
            ))
        }
    }
}

/// Asks for the devices, and gives the one that is meant, with what a person should know about that.
pub async fn device(
    xcrun: &Xcrun,
    wanted: Option<&str>,
) -> Result<(Device, Vec<(Severity, String)>), String> {
    let devices = list(xcrun, AVAILABLE).await?;
    let known = || {
        let known: Vec<_> = devices.iter().map(|d| d.name.as_str()).take(20).collect();
        names(&known)
    };
    let Some(wanted) = wanted else {
        return Err(format!(
            "no simulator is named and none was used before; give --simulator NAME or UUID ({})",
            known()
        ));
    };
    if let Some(device) = choose(&devices, wanted)? {
        let mut notes = Vec::new();
        if looks_like_a_uuid(wanted) && device.name == wanted {
            notes.push((
                Severity::Warning,
                format!(
                    "The simulator is called {wanted:?}, which looks like a UUID; its own is {}.",
                    device.udid
                ),
            ));
        }
        return Ok((device.clone(), notes));
    }
    // One that exists and cannot be used is another matter than one that does not exist.
    let all = list(xcrun, ALL).await?;
    match all.iter().find(|device| device.is(wanted)) {
        Some(device) => {
            let why = device.availability_error.as_deref();
            let why = why.unwrap_or("its runtime is not usable");
            Err(format!(
                "the simulator {wanted:?} exists but is unavailable: {why}"
            ))
        }
        None => Err(format!("there is no simulator {wanted:?}; {}", known())),
    }
}

async fn list(xcrun: &Xcrun, args: &[&str]) -> Result<Vec<Device>, String> {
    let text = xcrun.run(args).await?;
    parse(&text).map_err(|what| format!("`xcrun {}` {what}", args.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"devices": {
        "com.apple.CoreSimulator.SimRuntime.iOS-17-5": [
            {"udid": "AAAAAAAA-0000-0000-0000-000000000001", "name": "iPhone 15", "state": "Shutdown", "isAvailable": true},
            {"udid": "AAAAAAAA-0000-0000-0000-000000000002", "name": "iPad", "state": "Shutdown", "isAvailable": true}
        ],
        "com.apple.CoreSimulator.SimRuntime.iOS-18-0": [
            {"udid": "AAAAAAAA-0000-0000-0000-000000000003", "name": "iPhone 15", "state": "Booted", "isAvailable": true},
            {"udid": "AAAAAAAA-0000-0000-0000-000000000004", "name": "iPad", "state": "Shutdown", "isAvailable": true},
            {"udid": "AAAAAAAA-0000-0000-0000-000000000005", "name": "Old", "isAvailable": false, "availabilityError": "runtime profile not found"}
        ],
        "com.apple.CoreSimulator.SimRuntime.watchOS-11-0": []
    }}"#;

    fn chosen(wanted: &str) -> Result<Option<String>, String> {
        let devices = parse(LIST).unwrap();
        choose(&devices, wanted)
            .map(|found| found.map(|device| device.udid.chars().last().unwrap().to_string()))
    }

    /// S1-45.
    #[test]
    fn a_simulator_is_meant_by_its_name_or_its_uuid() {
        assert_eq!(
            chosen("iPhone 15"),
            Ok(Some("3".into())),
            "the one that runs"
        );
        assert_eq!(
            chosen("aaaaaaaa-0000-0000-0000-000000000001"),
            Ok(Some("1".into()))
        );
        assert_eq!(chosen("iPhone 1"), Ok(None));
        assert_eq!(chosen("Old"), Ok(None), "not available");
        let several = chosen("iPad").unwrap_err();
        assert!(
            several.contains("000000000002") && several.contains("000000000004"),
            "{several}"
        );
    }

    /// X-49.
    #[test]
    fn uuids_are_known_by_their_form() {
        assert!(looks_like_a_uuid("AAAAAAAA-0000-0000-0000-00000000000f"));
        for other in [
            "",
            "iPhone 15",
            "AAAAAAAA-0000-0000-0000-00000000000",
            "GAAAAAAA-0000-0000-0000-000000000000",
        ] {
            assert!(!looks_like_a_uuid(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_list_is_quoted() {
        assert_eq!(parse(r#"{"devices": {}}"#), Ok(Vec::new()));
        for odd in [
            "",
            "xcrun: error: no",
            "[]",
            r#"{"devices": [1]}"#,
            "\u{0}\u{1}",
        ] {
            let error = parse(odd).unwrap_err();
            assert!(error.contains("no list of devices"), "{error}");
        }
    }
}
