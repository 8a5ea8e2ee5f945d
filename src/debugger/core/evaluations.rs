//! Expressions of a session, one after the other: each has its time, and what an adapter says while it evaluates is no stop.
//!
//! To evaluate an expression may be to run a function of the program. Some debuggers tell of that as of any other run, `continued` and
//! `stopped`, and forget their frames and references over it. So such words are held back until the answer is there. Then the stack is
//! asked for again: where it is what it was, the program stands where it stood, and only the numbers of what is shown are new. Where it
//! is not, something else stopped the program, and that is a stop like any other.

mod queue;
mod settle;
mod watches;

use dap::{client::Reply, message::Body};

use super::prelude::*;
use crate::previews::path::Path;

pub(super) use queue::{Evaluation, Evaluations, Job};

/// How long an adapter that was told to give an evaluation up may take to do so.
const GIVING_UP: Duration = Duration::from_millis(500);

impl Owner {
    /// Evaluates an expression when those before it are done.
    pub fn evaluate_in_turn(&mut self, id: SessionId, job: Job) {
        if let Some(live) = self.live_mut(id) {
            live.evaluations.waiting.push_back(job);
        }
        self.next_evaluation(id);
    }

    /// While this is under way no evaluation begins: until it is said to be over, once for each time.
    pub fn hold_evaluations(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.loading += 1;
        }
    }

    /// What is shown of the frame is being asked for: nothing needs to be again.
    pub fn is_fresh(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.evaluations.renewed = false;
        }
    }

    /// Somebody asks for something, and not an adapter.
    pub fn is_asked(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.evaluations.unasked = 0;
        }
    }

    pub fn release_evaluations(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.loading = live.loading.saturating_sub(1);
        }
        self.next_evaluation(id);
    }

    /// The program is let go: what waits means what was before.
    pub fn drop_evaluations(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let fresh = Evaluations {
            turn: live.evaluations.turn + 1,
            passed: mem::take(&mut live.evaluations.passed),
            ..Evaluations::default()
        };
        let old = mem::replace(&mut live.evaluations, fresh);
        live.loading = 0;
        old.moved.cancel();
        for (_, answer) in old.answers {
            answer(self);
        }
        for job in old.waiting {
            job.end(self, Evaluation::Stale);
        }
    }

    fn next_evaluation(&mut self, id: SessionId) {
        let stop = self.current_stop(id);
        let now = stop.map(|stop| stop.id);
        let frame = stop.and_then(|stop| stop.selected);
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if live.evaluations.busy || live.loading > 0 {
            return;
        }
        let Some(mut job) = live.evaluations.waiting.pop_front() else {
            return self.evaluations_done(id);
        };
        let stuck = live.evaluations.unanswered.clone();
        if job.stop.is_some() && job.stop != now {
            job.end(self, Evaluation::Stale);
            return self.next_evaluation(id);
        }
        if let Some(other) = stuck.filter(|_| job.watch.is_some()) {
            job.end(self, Evaluation::Behind(other));
            return self.next_evaluation(id);
        }
        if job.stop.is_some() && job.arguments.frame_id.is_none() {
            // It was asked before the stack was known.
            job.arguments.frame_id = frame.map(|frame| frame.frame_id);
        }
        self.send_evaluation(id, job);
    }

    fn send_evaluation(&mut self, id: SessionId, mut job: Job) {
        let follow = self.follow(id);
        let Some((live, follow)) = self.live.get_mut(&id).zip(follow) else {
            return job.end(self, Evaluation::Stale);
        };
        let mut limit = if job.command {
            self.config.request_timeout
        } else {
            self.config.settings.eval_timeout
        };
        let mut taken_back = CancellationToken::new();
        if let Some(terms) = &job.terms {
            limit = limit.min(terms.timeout);
            taken_back = terms.taken_back.clone();
            if taken_back.is_cancelled() {
                job.end(self, Evaluation::Answered(Err(RequestError::Cancelled)));
                return self.next_evaluation(id);
            }
        }
        let mut arguments = job.arguments.clone();
        arguments.frame_id = arguments.frame_id.map(|f| live.evaluations.frame(f));
        live.evaluations.busy = true;
        live.evaluations.open += u32::from(!job.command);
        let turn = live.evaluations.turn;
        let mut path = follow.path(&arguments.expression).filter(|_| !job.command);
        if path.as_ref().is_some_and(Path::is_ours) {
            if job.lost.is_none()
                && let Some(path) = path
            {
                let work = walked(follow, arguments, path, limit, taken_back);
                return self.spawn(work, move |owner, walked| {
                    owner.walked(id, turn, job, walked);
                });
            }
            path = None;
        }
        let mut told = arguments.clone();
        if !job.command {
            told.expression = follow.personality.expression(&told.expression);
        }
        // Its answer is waited for however late it comes.
        let answer = follow
            .client
            .in_order()
            .within(Duration::MAX)
            .send::<Evaluate>(&told);
        let seq = answer.seq();
        let limits = (limit, taken_back.clone());
        let asked = follow.clone();
        let lost = job.lost.take();
        let work = async move {
            let (outcome, late) = in_its_time(follow, answer, limit, taken_back).await;
            if !outcome.is_refused(&asked.personality) {
                return (outcome, late);
            }
            // It may name a part that only we can find.
            let walked = match path {
                Some(path) => walked(asked, arguments, path, limits.0, limits.1).await,
                None => lost.map(Err),
            };
            let outcome = match walked {
                Some(Ok(part)) => Evaluation::Answered(Ok(part)),
                Some(Err(Lost::Absent(text) | Lost::Unknown(Some(text)))) => not_there(text),
                Some(Err(Lost::Unknown(None))) | None => outcome,
            };
            (outcome, late)
        };
        self.spawn(work, move |owner, (outcome, late)| {
            let Some(own) = owner.evaluations_of(id, turn) else {
                return job.end(owner, outcome);
            };
            let command = job.command;
            let Some(late) = late else {
                let ordered = outcome.is_of_adapter();
                let then = move |owner: &mut Self| owner.evaluated(id, turn, job, outcome);
                return owner.in_order(id, Some(seq).filter(|_| ordered), then);
            };
            own.busy = false;
            own.unanswered = Some(job.arguments.expression.clone());
            owner.spawn(late, move |owner, _| {
                let then = move |owner: &mut Self| {
                    if let Some(own) = owner.evaluations_of(id, turn) {
                        own.unanswered = None;
                        owner.evaluation_over(id, command, |_, _| {});
                    }
                };
                owner.in_order(id, Some(seq), then);
            });
            job.end(owner, outcome);
            owner.next_evaluation(id);
        });
    }

    /// What an expression names was looked for among the parts of values: what is not there the adapter may know.
    fn walked(
        &mut self,
        id: SessionId,
        turn: u64,
        job: Job,
        walked: Option<Result<EvaluateResponse, Lost>>,
    ) {
        let Some(own) = self.evaluations_of(id, turn) else {
            return job.end(self, Evaluation::Stale);
        };
        let outcome = match walked {
            Some(Ok(part)) => Evaluation::Answered(Ok(part)),
            Some(Err(Lost::Absent(text))) => not_there(text),
            other => {
                own.open = own.open.saturating_sub(1);
                let lost = other.and_then(Result::err).or(Some(Lost::Unknown(None)));
                return self.send_evaluation(id, Job { lost, ..job });
            }
        };
        self.evaluated(id, turn, job, outcome);
    }

    /// An expression was answered, and all that was said before is known.
    fn evaluated(&mut self, id: SessionId, turn: u64, job: Job, outcome: Evaluation) {
        let Some(own) = self.evaluations_of(id, turn) else {
            return job.end(self, outcome);
        };
        own.busy = false;
        self.evaluation_over(id, job.command, move |owner, moved| {
            let outcome = match outcome {
                Evaluation::Answered(Err(error)) if moved => Evaluation::Stopped(error),
                outcome => outcome,
            };
            job.end(owner, outcome);
        });
    }

    /// Does something with an answer once all is known that the adapter said before it.
    pub fn in_order(
        &mut self,
        id: SessionId,
        seq: Option<i64>,
        then: impl FnOnce(&mut Self) + Send + Sync + 'static,
    ) {
        if let Some((live, seq)) = self.live_mut(id).zip(seq) {
            let own = &mut live.evaluations;
            let passed = own.passed.iter().position(|known| *known == seq);
            match passed {
                Some(at) => drop(own.passed.swap_remove(at)),
                None => return own.answers.push((seq, Box::new(then))),
            }
        }
        then(self);
    }

    /// The place of an answer among the events was reached.
    pub fn answered(&mut self, id: SessionId, seq: i64) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let own = &mut live.evaluations;
        match own.answers.iter().position(|(known, _)| *known == seq) {
            Some(at) => {
                let (_, answer) = own.answers.swap_remove(at);
                answer(self);
            }
            None => own.passed.push(seq),
        }
    }

    /// Those of a session, unless they were dropped since.
    fn evaluations_of(&mut self, id: SessionId, turn: u64) -> Option<&mut Evaluations> {
        let own = &mut self.live_mut(id)?.evaluations;
        (own.turn == turn).then_some(own)
    }

    /// Something that may run the program's functions is on its way to the adapter.
    pub fn may_run(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.evaluations.open += 1;
        }
    }

    /// It was answered: what the adapter said meanwhile is looked at, then `then` learns whether the program stands elsewhere.
    pub fn evaluation_over(
        &mut self,
        id: SessionId,
        command: bool,
        then: impl FnOnce(&mut Self, bool) + Send + 'static,
    ) {
        let Some(live) = self.live_mut(id) else {
            return then(self, false);
        };
        let own = &mut live.evaluations;
        own.open = own.open.saturating_sub(u32::from(!command));
        if own.ran && own.open == 0 {
            return self.settle(id, then);
        }
        then(self, false);
        self.next_evaluation(id);
    }

    /// Nothing is left to be evaluated: what is shown of the frame is asked for again if it cannot be opened any more.
    fn evaluations_done(&mut self, id: SessionId) {
        let at = self.current_stop(id);
        let Some((stop, frame)) = at.and_then(|s| Some((s.id, s.selected?))) else {
            return;
        };
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if live.evaluations.renewed {
            self.load_frame(id, stop, frame.frame_id);
        }
    }

    /// Another stop is shown: its frames have numbers of their own.
    pub fn forget_numbers(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            let own = &mut live.evaluations;
            own.frames.clear();
            own.opened.clear();
            own.renewed = false;
        }
    }

    /// The frame's variables are to be asked for again once nothing is evaluated; false when nothing is.
    pub fn reloads_later(&mut self, id: SessionId) -> bool {
        let Some(live) = self.live_mut(id) else {
            return false;
        };
        live.evaluations.renewed |= live.evaluations.open > 0;
        live.evaluations.renewed
    }
}

/// What a command has evaluated, and what it makes of it.
pub fn evaluation(
    id: SessionId,
    stop: Option<StopId>,
    arguments: EvaluateArguments,
    command: bool,
    then: impl FnOnce(&mut Owner, Evaluation) -> Handled + Send + Sync + 'static,
) -> Handled {
    held(move |owner, answer| {
        let job = Job {
            stop,
            arguments,
            command,
            watch: None,
            lost: None,
            terms: owner.terms.clone(),
            then: Box::new(|owner, outcome| {
                let handled = then(owner, outcome);
                owner.answer(handled, answer);
            }),
        };
        owner.evaluate_in_turn(id, job);
    })
}

/// What a path leads to among the parts of values, in the time of an evaluation.
async fn walked(
    follow: Follow,
    arguments: EvaluateArguments,
    path: Path,
    limit: Duration,
    taken_back: CancellationToken,
) -> Option<Result<EvaluateResponse, Lost>> {
    let walk = async {
        Some(match follow.walk(&arguments, &path).await? {
            Ok(part) => Ok(follow.value(part).await),
            Err(lost) => Err(lost),
        })
    };
    let walked = taken_back.run_until_cancelled(timeout(limit, walk));
    walked.await?.ok()?
}

/// What a path names is not there.
fn not_there(text: String) -> Evaluation {
    Evaluation::Answered(Err(RequestError::Failed {
        command: "evaluate".to_owned(),
        text,
        body: Body::default(),
    }))
}

/// Waits for an answer for as long as an evaluation may take, and a little longer for an adapter that can give it up. What is still to
/// come is handed back.
async fn in_its_time(
    follow: Follow,
    answer: Reply<Evaluate>,
    limit: Duration,
    taken_back: CancellationToken,
) -> (Evaluation, Option<Reply<Evaluate>>) {
    let mut answer = answer;
    let outcome = |given_up| Evaluation::Late { limit, given_up };
    let unwanted = tokio::select! {
        biased;
        answer = &mut answer => {
            let answered = match answer {
                Ok(answer) => Evaluation::Answered(Ok(follow.value(answer).await)),
                Err(RequestError::Failed { text, .. }) if follow.personality.eval_given_up.fit(&text) => outcome(true),
                Err(error) => Evaluation::Answered(Err(error)),
            };
            return (answered, None);
        }
        () = taken_back.cancelled() => true,
        () = time::sleep(limit) => false,
    };
    let told = follow.client.interrupt(answer.seq());
    if told && timeout(GIVING_UP, &mut answer).await.is_ok() {
        return (outcome(true), None);
    }
    let outcome = if unwanted {
        Evaluation::Answered(Err(RequestError::Cancelled))
    } else {
        outcome(false)
    };
    (outcome, Some(answer))
}
