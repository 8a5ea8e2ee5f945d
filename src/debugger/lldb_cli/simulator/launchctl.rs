//! `launchctl list` in a simulator: a table of process id, last status and label, in which an app is found by its bundle id.

/// Why an app has no process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// Installed, started once, and not running.
    #[error(
        "the app {bundle_id:?} is not running in the simulator; start it, or wait for it with --wait-for"
    )]
    NotRunning { bundle_id: String },
    /// Not in the table.
    #[error(
        "the simulator knows no app {bundle_id:?} that was started; check the bundle id, or wait for it with --wait-for"
    )]
    Unknown { bundle_id: String },
    /// The table says something else than a number.
    #[error("launchctl gives {found:?} for the process id of {bundle_id:?}")]
    BadPid {
        bundle_id: String,
        /// What stands there.
        found: String,
    },
}

/// The process of an app.
pub fn process_of(table: &str, bundle_id: &str) -> Result<u32, AppError> {
    let mut error = AppError::Unknown {
        bundle_id: bundle_id.to_owned(),
    };
    for row in table.lines() {
        let mut cells = row.trim().splitn(3, char::is_whitespace).map(str::trim);
        let (Some(pid), Some(_status), Some(label)) = (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        if pid == "PID" || !is_label_of(label, bundle_id) {
            continue;
        }
        match pid.parse::<u32>() {
            Ok(pid) if pid > 0 => return Ok(pid),
            _ if pid == "-" => {
                error = AppError::NotRunning {
                    bundle_id: bundle_id.to_owned(),
                }
            }
            _ => {
                return Err(AppError::BadPid {
                    bundle_id: bundle_id.to_owned(),
                    found: pid.to_owned(),
                });
            }
        }
    }
    Err(error)
}

/// `com.example.shop`, or `UIKitApplication:com.example.shop[6f4b][rb-legacy]`: never a part of another name.
fn is_label_of(label: &str, bundle_id: &str) -> bool {
    let name = label.strip_prefix("UIKitApplication:").unwrap_or(label);
    name.strip_prefix(bundle_id)
        .is_some_and(|rest| rest.is_empty() || (rest.starts_with('[') && rest.ends_with(']')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "PID\tStatus\tLabel\n\
        -\t0\tcom.apple.idle\n\
        410\t0\tUIKitApplication:com.example.shop.widgets[1a2b][rb-legacy]\n\
        411\t0\tUIKitApplication:com.example.shop[6f4b][rb-legacy]\n\
        -\t-9\tUIKitApplication:com.example.gone[77aa][rb-legacy]\n\
        x12\t0\tcom.example.odd\n\
        0\t0\tcom.example.zero\n\
        77 0 com.example.spaces\n\
        odd\n";

    /// S1-46, X-50.
    #[test]
    fn a_label_is_matched_whole_and_a_dash_is_no_process() {
        assert_eq!(process_of(TABLE, "com.example.shop"), Ok(411));
        assert_eq!(process_of(TABLE, "com.example.shop.widgets"), Ok(410));
        assert_eq!(process_of(TABLE, "com.example.spaces"), Ok(77));
        let not_running = |id| matches!(process_of(TABLE, id), Err(AppError::NotRunning { .. }));
        assert!(not_running("com.example.gone") && not_running("com.apple.idle"));
        for odd in ["com.example.odd", "com.example.zero"] {
            assert!(
                matches!(process_of(TABLE, odd), Err(AppError::BadPid { .. })),
                "{odd}"
            );
        }
        for unknown in ["com.example", "example.shop", "Label", "shop"] {
            assert!(
                matches!(process_of(TABLE, unknown), Err(AppError::Unknown { .. })),
                "{unknown}"
            );
        }
        assert!(process_of("\u{0}\t\t\n\n", "x").is_err());
    }
}
