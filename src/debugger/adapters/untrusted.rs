//! The files around here that wait for a person's trust.

use super::{
    context::Context,
    formatters,
    trust::{Untrusted, grant, look},
    user_files,
};

/// The files around here that name commands, or format values, and wait for a decision.
pub fn pending(context: &Context) -> Vec<Untrusted> {
    let adapters = user_files::found(context).into_iter();
    let adapters = adapters.filter(|file| file.needs_trust).filter_map(|file| {
        let seen = look(context, &file.path)
            .ok()
            .filter(|seen| !seen.trusted)?;
        // One without adapters is asked about when something of it is to be started.
        let commands = user_files::commands(&file.path, &seen.text);
        (!commands.is_empty()).then_some(Untrusted {
            commands,
            path: seen.path,
            sha256: seen.sha256,
        })
    });
    adapters.chain(formatters::pending(context)).collect()
}

/// Trusts all of [`pending`], for a person who said so without being asked; what was trusted.
///
/// # Errors
///
/// As [`grant`].
pub fn grant_all(context: &Context) -> Result<Vec<Untrusted>, String> {
    let files = pending(context);
    files.iter().try_for_each(|file| grant(context, file))?;
    Ok(files)
}
