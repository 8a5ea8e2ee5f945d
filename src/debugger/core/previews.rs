//! What values show in one line: the parts that it takes are asked for, within a time and a number of requests for each value, and no
//! more once the program goes on. What is made of them is [`crate::previews`]' business.

use super::prelude::*;
use crate::previews::{Known, MOST_PARTS, PREVIEWED_AT_STOP, go, is_ruled, preview, text};

/// How long all parts of a value may take together. Formatters are programs: the first use of one on a busy machine takes long.
const LONGEST: Duration = Duration::from_secs(1);
/// How long the values of a stop may take together before each part is held to [`TIME`].
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a part may take after that: a formatter that hangs does so for each value.
const TIME: Duration = Duration::from_millis(250);
/// How long a value of a stop that was not told in that time may take afterwards, when nothing else is waited for.
const AT_LEISURE: Duration = Duration::from_secs(20);
/// How long the program stands before anybody looks into its values: whoever steps on at once is not kept waiting by what nobody will
/// read.
const STANDING: Duration = Duration::from_millis(50);
/// Where no value took longer at the stop before, all are looked into at once: whoever steps on waits for one of them at most.
const QUICK: Duration = Duration::from_millis(5);
/// Requests for one value.
const MOST_REQUESTS: usize = 24;

impl Owner {
    /// The variables of a frame are known: what they show is found out.
    pub fn load_previews(&self, id: SessionId, stop: StopId, frame_id: i64, scopes: &FrameScopes) {
        let own = scopes.scopes.iter().filter_map(|s| s.variables.as_ref());
        let wanted = own.flat_map(|variables| variables.iter().take(PREVIEWED_AT_STOP));
        let wanted: Vec<_> = wanted.filter(|v| v.wants_preview()).cloned().collect();
        let Some(follow) = self.follow(id).filter(|_| !wanted.is_empty()) else {
            return;
        };
        let moved = follow.moved.clone();
        let at_once = self.live(id).is_some_and(|live| live.has_quick_previews);
        let looking = async move {
            if !at_once {
                time::sleep(STANDING).await;
            }
            follow.look_into(wanted).await
        };
        self.spawn(
            moved.run_until_cancelled_owned(looking),
            move |owner, looks| {
                let Some(looks) = looks else {
                    return;
                };
                if let Some(live) = owner.live_mut(id) {
                    live.has_quick_previews = looks.iter().all(|(_, look)| look.took <= QUICK);
                }
                let mut previews = BTreeMap::new();
                let mut late = VecDeque::new();
                for (variable, look) in looks {
                    if look.is_late {
                        late.push_back(variable.clone());
                    }
                    previews.extend(look.text.map(|text| (variable.variables_reference, text)));
                }
                owner.publish_previews(id, stop, frame_id, previews);
                owner.load_late_previews(id, stop, frame_id, late);
            },
        );
    }

    /// The values for which there was too little time, one after the other, until one takes too long at leisure, too: what hangs once is
    /// not asked again.
    fn load_late_previews(
        &self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        mut late: VecDeque<Variable>,
    ) {
        let Some(variable) = late.pop_front() else {
            return;
        };
        let Ok(follow) = self.follow_at(Some(id), stop) else {
            return;
        };
        let reference = variable.variables_reference;
        let work = async move {
            let until = Instant::now() + AT_LEISURE;
            let look = follow.look(&variable, until, until);
            follow.moved.run_until_cancelled(look).await
        };
        self.spawn(work, move |owner, look| {
            let Some(look) = look.filter(|look| !look.is_late) else {
                return;
            };
            let previews = look.text.map(|text| (reference, text));
            owner.publish_previews(id, stop, frame_id, previews.into_iter().collect());
            owner.load_late_previews(id, stop, frame_id, late);
        });
    }

    fn publish_previews(
        &mut self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        previews: BTreeMap<i64, String>,
    ) {
        let change = Change::Previews {
            stop,
            frame_id,
            previews,
        };
        self.change(id, change);
    }

    /// What these variables show, for whoever shows them.
    pub fn previews(
        &self,
        session: Option<SessionId>,
        stop: StopId,
        variables: Vec<Variable>,
    ) -> Handled {
        let follow = self.follow_at(session, stop)?;
        later(async move {
            let looks = follow.look_into(variables).await;
            let shown = looks.into_iter().map(|(variable, look)| Variable {
                preview: look.text,
                ..variable
            });
            Ok(Reply::Variables {
                variables: shown.collect(),
            })
        })
    }
}

impl Follow {
    /// What a variable shows as far as that is known without asking.
    pub fn at_a_glance(&self, variable: &Variable) -> Option<String> {
        if let Some(short) = self.personality.value_in_short(&variable.value) {
            return Some(short);
        }
        let part = Part::from(variable);
        if !(self.personality.previews || is_ruled(&part)) {
            let is_go = self.personality.go_values;
            return is_go.then(|| go::shown(&variable.value)).flatten();
        }
        if let Some(own) = preview(&part, &Known::new(), self.pointers) {
            return Some(own.text);
        }
        let has_parts = variable.variables_reference > 0;
        text(&variable.value).or_else(|| has_parts.then(|| variable.value.clone()))
    }

    /// The same variables, with what they show: one after the other, as adapters answer.
    async fn look_into(&self, variables: Vec<Variable>) -> Vec<(Variable, PreviewOutcome)> {
        let patient = Instant::now() + PATIENCE;
        let mut looks = Vec::with_capacity(variables.len());
        for variable in variables {
            let began = Instant::now();
            let look = self.look(&variable, patient, began + LONGEST).await;
            let took = began.elapsed();
            looks.push((variable, PreviewOutcome { took, ..look }));
        }
        looks
    }

    /// What a single variable shows.
    pub async fn shown(&self, variable: &Variable) -> Option<String> {
        self.looked_into(variable, Instant::now() + PATIENCE).await
    }

    /// What a variable shows; until `patient`, each part of it may take as long as all of them.
    pub async fn looked_into(&self, variable: &Variable, patient: Instant) -> Option<String> {
        let until = Instant::now() + LONGEST;
        self.look(variable, patient, until).await.text
    }

    /// The same, with all parts until `until`.
    async fn look(&self, variable: &Variable, patient: Instant, until: Instant) -> PreviewOutcome {
        let part = Part::from(variable);
        let wants = (self.personality.previews || is_ruled(&part)) && !variable.is_lazy();
        if !wants {
            let short = || self.at_a_glance(variable);
            return PreviewOutcome::whole(variable.preview.clone().or_else(short));
        }
        let mut known = Known::new();
        let Some(mut shown) = preview(&part, &known, self.pointers) else {
            return PreviewOutcome::whole(self.at_a_glance(variable));
        };
        let mut asked = 0;
        while !shown.lacks.is_empty() && asked < MOST_REQUESTS && !self.moved.is_cancelled() {
            shown.lacks.truncate(MOST_REQUESTS - asked);
            asked += shown.lacks.len();
            let sent: Vec<_> = shown
                .lacks
                .iter()
                .map(|at| (*at, self.parts_of(*at, Some((0, MOST_PARTS)))))
                .collect();
            for (at, answer) in sent {
                let limit = until.min(patient.max(Instant::now() + TIME));
                let Ok(answer) = timeout_at(limit, answer).await else {
                    return PreviewOutcome {
                        text: preview(&part, &known, self.pointers).map(|shown| shown.text),
                        is_late: true,
                        took: Duration::ZERO,
                    };
                };
                known.insert(at, parts_of(answer));
            }
            let Some(more) = preview(&part, &known, self.pointers) else {
                return PreviewOutcome::whole(None);
            };
            shown = more;
        }
        PreviewOutcome::whole(Some(shown.text))
    }
}

/// What a look at a value found.
struct PreviewOutcome {
    text: Option<String>,
    /// Parts were not there in time.
    is_late: bool,
    /// As far as somebody measured it.
    took: Duration,
}

impl PreviewOutcome {
    fn whole(text: Option<String>) -> Self {
        Self {
            text,
            is_late: false,
            took: Duration::ZERO,
        }
    }
}

fn parts_of(answer: Result<VariablesResponse, RequestError>) -> Vec<Part> {
    match answer {
        Ok(answer) => Part::parts_of(&answer.variables),
        Err(_) => vec![Part {
            value: "✗".to_owned(),
            ..Part::default()
        }],
    }
}
