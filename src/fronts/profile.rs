//! `profile`: what the command line says becomes a profile, and the end of it an exit code.

use omp_debug::cli::ProfileArgs;
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::profile::Profile;
use omp_debug::diagnostics::profile::export::Format;
use omp_debug::diagnostics::profile::sample::Tools;
use omp_debug::diagnostics::profile::take::Request;
use omp_debug::headless::profile::{self, ProfileError, Wanted};
use omp_debug::headless::profile_take;
use omp_debug::text::sanitise::sanitise;

use super::{FAILED, Failure, USAGE, say};

fn failure(error: &ProfileError) -> Failure {
    Failure::new(if error.is_usage() { USAGE } else { FAILED }, error)
}

/// `profile`. `work` does what follows --.
pub fn profile(
    args: &ProfileArgs,
    context: &Context,
    work: &mut dyn FnMut() -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let cancel = Cancel::default();
    // Before anything is read or taken.
    if let (Some(output), None) = (&args.output, args.format)
        && let Some(why) = Format::unknown(output)
    {
        return Err(Failure::new(USAGE, format!("--output {why}")));
    }
    let wanted = Wanted {
        diff: args.diff.as_ref().map(|file| context.cwd.join(file)),
        format: args.format,
        output: args.output.as_ref().map(|file| context.cwd.join(file)),
        force: args.force,
    };
    let mut code = 0;
    let profile = match &args.file {
        None if !args.command.is_empty() => {
            let request = request(args)?.ok_or_else(|| Failure::new(USAGE, "--self"))?;
            let tools = Tools::of(&context.env, &context.data_dir);
            let (profile, done) = profile_take::beside(&request, &tools, work);
            code = done?;
            profile.map_err(|error| Failure::new(FAILED, error))?
        }
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
    Ok(code)
}

/// What the options say of a profile that is to be taken.
fn wanted(args: &ProfileArgs) -> profile_take::Wanted {
    profile_take::Wanted {
        pid: args.pid,
        seconds: args.seconds,
        rate: args.rate,
        wall: args.wall,
        thread: args.thread,
        children: args.children,
        inspect: args.inspect,
        with: args.with.clone(),
    }
}

/// What the screen is to take, if it is not a file that is opened. Without a time it is taken until a person has seen enough.
pub fn request(args: &ProfileArgs) -> Result<Option<Request>, Failure> {
    if args.file.is_some() {
        return Ok(None);
    }
    let request = wanted(args).request();
    let mut request = request.map_err(|why| Failure::new(USAGE, why))?;
    if args.seconds.is_none() {
        request.duration = None;
    }
    Ok(Some(request))
}

/// The profile of a process, or of this one.
fn taken(args: &ProfileArgs, context: &Context) -> Result<Profile, Failure> {
    let tools = Tools::of(&context.env, &context.data_dir);
    let mut wanted = wanted(args);
    // Without a screen there is nothing that takes time.
    wanted.wall |= args.itself;
    let mut progress = |text: &str| say(&format!("omp-debug: {text}"));
    profile_take::run(&wanted, &tools, &mut progress).map_err(|error| {
        let code = if error.is_usage() { USAGE } else { FAILED };
        Failure::new(code, error)
    })
}
