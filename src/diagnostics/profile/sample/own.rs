//! omp-debug itself: a timer of our own, and a signal to whichever of our threads runs when it is up. No kernel has to permit it.
//!
//! Addresses get their names at the end, so it shows nothing before that.

use pprof::{ProfilerGuard, ProfilerGuardBuilder};

use crate::profile::sample::prelude::*;

/// What holds locks that unwinding a stack needs: a signal in there would wait for itself.
const UNSAFE: &[&str] = &["libc.", "libgcc", "pthread", "vdso"];

pub struct OwnSampler(ProfilerGuard<'static>);

impl OwnSampler {
    pub fn start(target: &Target, options: &Options) -> Result<Self> {
        if target.pid != std::process::id() || options.children || options.thread.is_some() {
            return Err(SampleError::Unfit(
                "our own timer sees all threads of omp-debug itself, and no other process"
                    .to_owned(),
            ));
        }
        let builder = ProfilerGuardBuilder::default();
        let rate = i32::try_from(options.rate).unwrap_or(i32::MAX);
        let guard = builder.frequency(rate).blocklist(UNSAFE).build();
        // There is one for the whole process.
        let guard = guard.map_err(SampleError::about("looking at omp-debug"))?;
        Ok(Self(guard))
    }
}

impl Sampler for OwnSampler {
    fn is_live(&self) -> bool {
        false
    }

    fn take(&mut self, patience: Duration, _into: &mut Builder) -> Result<SampleBatch> {
        std::thread::sleep(patience);
        Ok(SampleBatch::default())
    }

    fn finish(self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        let report = self.0.report().build();
        let report = report.map_err(SampleError::about("reading our samples"))?;
        let mut taken = SampleBatch::default();
        for (seen, count) in &report.data {
            let thread = into.thread(Thread {
                pid: Some(std::process::id()),
                tid: None,
                name: seen.thread_name.as_str().into(),
            });
            // The innermost comes first, and so does what was inlined.
            let symbols = seen.frames.iter().rev().flat_map(|at| at.iter().rev());
            let frames = symbols.map(|symbol| Frame {
                file: (symbol.filename.as_ref()).map(|file| file.to_string_lossy().into()),
                line: symbol.lineno,
                ..Frame::named(symbol.name())
            });
            let Some(stack) = into.stack_of_frames(frames) else {
                continue;
            };
            let weight = u64::try_from(*count).unwrap_or(0);
            taken.samples += weight;
            into.sample(Sample {
                stack,
                thread,
                weight,
                at: Sample::NO_TIME,
            });
        }
        Ok(taken)
    }
}
