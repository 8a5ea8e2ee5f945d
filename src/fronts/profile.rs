//! `profile`: what the command line says becomes a profile, and the end of it an exit code.

use omp_debug::cli::ProfileArgs;
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::profile::Profile;
use omp_debug::diagnostics::profile::sample::Tools;
use omp_debug::headless::profile::{self, ProfileError, Wanted};
use omp_debug::headless::profile_take;
use omp_debug::text::sanitise::sanitise;

use super::{FAILED, Failure, USAGE, say};

fn failure(error: &ProfileError) -> Failure {
    Failure::new(if error.is_usage() { USAGE } else { FAILED }, error)
}

/// `profile`.
pub fn profile(args: &ProfileArgs, context: &Context) -> Result<u8, Failure> {
    let cancel = Cancel::default();
    let wanted = Wanted {
        diff: args.diff.as_ref().map(|file| context.cwd.join(file)),
        format: args.format,
        output: args.output.as_ref().map(|file| context.cwd.join(file)),
        force: args.force,
    };
    let profile = match &args.file {
        Some(file) => {
            profile::read(file, &mut std::io::stdin(), &cancel).map_err(|error| failure(&error))?
        }
        None => taken(args, context)?,
    };
    for note in &profile.notes {
        say(&format!("omp-debug: {}", sanitise(note)));
    }
    let said = profile::write(&profile, &wanted, &mut std::io::stdout(), &cancel)
        .map_err(|error| failure(&error))?;
    if let Some(said) = said {
        say(&format!("omp-debug: {said}"));
    }
    Ok(0)
}

/// The profile of a process, or of this one.
fn taken(args: &ProfileArgs, context: &Context) -> Result<Profile, Failure> {
    let wanted = profile_take::Wanted {
        pid: args.pid,
        seconds: args.seconds,
        rate: args.rate,
        wall: args.wall,
        thread: args.thread,
        children: args.children,
        with: args.with.clone(),
    };
    let tools = Tools::of(&context.env, &context.data_dir);
    profile_take::run(&wanted, &tools, &mut |text| {
        say(&format!("omp-debug: {text}"))
    })
    .map_err(|error| {
        let code = if error.is_usage() { USAGE } else { FAILED };
        Failure::new(code, error)
    })
}
