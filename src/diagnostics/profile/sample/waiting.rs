//! Wall time: samples of the kernel know only who has a processor, so the threads that wait are added from `/proc`.

use super::states::{StateFilter, States};
use crate::profile::sample::prelude::*;

pub struct WaitingSampler {
    running: Box<dyn Sampler>,
    waiting: States,
}

impl WaitingSampler {
    pub fn with(running: Box<dyn Sampler>, target: &Target, options: &Options) -> Self {
        Self {
            running,
            waiting: States::of(target, options, StateFilter::Waiting),
        }
    }
}

impl Sampler for WaitingSampler {
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        let waiting = self.waiting.take(patience, into)?;
        let running = self.running.take(Duration::ZERO, into)?;
        Ok(SampleBatch {
            samples: waiting.samples + running.samples,
            lost: waiting.lost + running.lost,
            ended: waiting.ended || running.ended,
        })
    }

    fn finish(self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        self.running.finish(into)
    }
}
