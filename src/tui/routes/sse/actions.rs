//! The table of actions, and when each makes sense.

use super::detail::Mode;
use super::{SseRoute, doing};
use crate::action::{Action, Enabled, Show, View, always};
use crate::app::effect::Effect;
use crate::routes::debug::kit::row;

fn has_frames(s: &SseRoute, _: &View<'_>) -> Enabled {
    if s.model.frames().is_empty() {
        Err("There is no frame.")
    } else {
        Ok(())
    }
}

fn has_source(s: &SseRoute, _: &View<'_>) -> Enabled {
    s.source.as_ref().map(|_| ()).ok_or("Open a stream first.")
}

fn has_several(s: &SseRoute, _: &View<'_>) -> Enabled {
    if s.model.streams().len() > 1 {
        Ok(())
    } else {
        Err("There is one response.")
    }
}

fn has_search(s: &SseRoute, _: &View<'_>) -> Enabled {
    s.search
        .as_ref()
        .map(|_| ())
        .ok_or("Nothing is searched: / does.")
}

fn has_hidden(s: &SseRoute, _: &View<'_>) -> Enabled {
    if s.model.filter().hidden.is_empty() {
        Err("All kinds are shown.")
    } else {
        Ok(())
    }
}

fn has_request(s: &SseRoute, _: &View<'_>) -> Enabled {
    let request = s.stream().and_then(|s| s.response.request.as_ref());
    request
        .map(|_| ())
        .ok_or("What was asked for is not in this recording.")
}

fn replays(s: &SseRoute, _: &View<'_>) -> Enabled {
    s.replay.map(|_| ()).ok_or("R replays what is here first.")
}

fn was_asked(s: &SseRoute, _: &View<'_>) -> Enabled {
    if s.asked {
        Ok(())
    } else {
        Err("S asks first.")
    }
}

/// Every action, most important first.
pub(super) const ROWS: &[Action<SseRoute>] = &[
    row(
        "sse.view",
        "next view: pretty, raw, message, request",
        &["v"],
        Show::Bar("view"),
        has_source,
        |s, cx| s.turn(1, cx),
    ),
    row(
        "sse.open-selected",
        "in full",
        &["enter"],
        Show::Bar("full"),
        always,
        SseRoute::enter,
    ),
    row(
        "sse.search",
        "search",
        &["/"],
        Show::Bar("search"),
        has_frames,
        |s, _| s.start_search(),
    ),
    row(
        "sse.kinds",
        "kinds of events",
        &["f"],
        Show::Footer,
        has_frames,
        |s, _| s.choose_kinds(),
    ),
    row(
        "sse.next-response",
        "next response",
        &["]"],
        Show::Footer,
        has_several,
        |s, cx| s.step_stream(1, cx),
    ),
    row(
        "sse.previous-response",
        "previous response",
        &["["],
        Show::HelpOnly,
        has_several,
        |s, cx| s.step_stream(-1, cx),
    ),
    row(
        "sse.together",
        "all responses as they came, or one",
        &["a"],
        Show::Footer,
        has_several,
        SseRoute::all_together,
    ),
    row(
        "sse.copy",
        "copy",
        &["y"],
        Show::Footer,
        has_frames,
        SseRoute::copy,
    ),
    row(
        "sse.save",
        "save as NDJSON",
        &["s"],
        Show::Footer,
        has_frames,
        |s, cx| s.save(cx),
    ),
    row(
        "sse.replay",
        "replay",
        &["R"],
        Show::Footer,
        has_frames,
        SseRoute::start_replay,
    ),
    row(
        "sse.follow",
        "newest, and follow",
        &["end", "G"],
        Show::Footer,
        has_source,
        SseRoute::follow,
    ),
    row(
        "sse.open",
        "open a file",
        &["o"],
        Show::Footer,
        always,
        |_, cx| doing::ask_for_a_file(cx),
    ),
    row(
        "sse.next-pane",
        "next pane",
        &["tab"],
        Show::HelpOnly,
        has_source,
        |s, cx| s.next_pane(1, cx),
    ),
    row(
        "sse.previous-pane",
        "previous pane",
        &["shift-tab"],
        Show::HelpOnly,
        has_source,
        |s, cx| s.next_pane(2, cx),
    ),
    row(
        "sse.zoom",
        "all room for what is in full",
        &["z"],
        Show::HelpOnly,
        has_source,
        |s, _| s.zoomed = !s.zoomed,
    ),
    row(
        "sse.view-back",
        "previous view",
        &["V"],
        Show::HelpOnly,
        has_source,
        |s, cx| s.turn(3, cx),
    ),
    row(
        "sse.message",
        "the message and back",
        &["t"],
        Show::HelpOnly,
        has_source,
        |s, cx| {
            let to = if s.mode == Mode::Message {
                Mode::Pretty
            } else {
                Mode::Message
            };
            s.set_mode(to, cx);
        },
    ),
    row(
        "sse.copy-response",
        "copy all frames of the response",
        &["Y"],
        Show::HelpOnly,
        has_frames,
        |s, cx| s.copy_response(cx),
    ),
    row(
        "sse.copy-all",
        "copy everything",
        &["ctrl-c"],
        Show::HelpOnly,
        has_frames,
        |s, cx| s.copy_everything(cx),
    ),
    row(
        "sse.copy-curl",
        "copy the request for curl",
        &["C"],
        Show::HelpOnly,
        has_request,
        |s, cx| s.copy_curl(cx),
    ),
    row(
        "sse.next-match",
        "next match",
        &["n"],
        Show::HelpOnly,
        has_search,
        |s, cx| s.next_match(false, cx),
    ),
    row(
        "sse.previous-match",
        "previous match",
        &["N"],
        Show::HelpOnly,
        has_search,
        |s, cx| s.next_match(true, cx),
    ),
    row(
        "sse.next-notable",
        "next error or pause",
        &["e"],
        Show::HelpOnly,
        has_frames,
        |s, cx| s.next_notable(false, cx),
    ),
    row(
        "sse.previous-notable",
        "previous error or pause",
        &["E"],
        Show::HelpOnly,
        has_frames,
        |s, cx| s.next_notable(true, cx),
    ),
    row(
        "sse.show-all",
        "show all kinds",
        &["x"],
        Show::HelpOnly,
        has_hidden,
        SseRoute::show_all,
    ),
    row(
        "sse.secrets",
        "show secrets (asks), or hide them again",
        &["S"],
        Show::HelpOnly,
        has_source,
        SseRoute::ask_for_secrets,
    ),
    row(
        "sse.secrets-now",
        "show secrets, once that was asked",
        &[],
        Show::HelpOnly,
        was_asked,
        |s, cx| s.show_secrets(true, cx),
    ),
    row(
        "sse.replay-pause",
        "pause the replay, or go on",
        &["space"],
        Show::HelpOnly,
        replays,
        SseRoute::pause_replay,
    ),
    row(
        "sse.replay-step",
        "replay one frame",
        &["."],
        Show::HelpOnly,
        replays,
        |s, cx| s.step_replay(false, cx),
    ),
    row(
        "sse.replay-step-back",
        "take one frame back",
        &[","],
        Show::HelpOnly,
        replays,
        |s, cx| s.step_replay(true, cx),
    ),
    row(
        "sse.replay-faster",
        "replay twice as fast",
        &["+", "="],
        Show::HelpOnly,
        replays,
        |s, cx| s.set_pace(true, cx),
    ),
    row(
        "sse.replay-slower",
        "replay half as fast",
        &["-"],
        Show::HelpOnly,
        replays,
        |s, cx| s.set_pace(false, cx),
    ),
    row(
        "sse.wrap",
        "wrap what is in full, or not",
        &["w"],
        Show::HelpOnly,
        has_source,
        |s, _| {
            let wraps = s.detail.wraps();
            s.detail.set_wrap(!wraps);
        },
    ),
    row(
        "sse.left",
        "left in lines that are not wrapped",
        &["left"],
        Show::HelpOnly,
        always,
        |s, _| s.detail.scroll_sideways(-8),
    ),
    row(
        "sse.right",
        "right in lines that are not wrapped",
        &["right"],
        Show::HelpOnly,
        always,
        |s, _| s.detail.scroll_sideways(8),
    ),
    row(
        "sse.up",
        "up",
        &["up", "k"],
        Show::HelpOnly,
        always,
        |s, cx| s.vertical(-1, cx),
    ),
    row(
        "sse.down",
        "down",
        &["down", "j"],
        Show::HelpOnly,
        always,
        |s, cx| s.vertical(1, cx),
    ),
    row(
        "sse.page-up",
        "a page up",
        &["pageup", "ctrl-b"],
        Show::HelpOnly,
        always,
        |s, cx| s.page(-1, cx),
    ),
    row(
        "sse.page-down",
        "a page down",
        &["pagedown", "ctrl-f"],
        Show::HelpOnly,
        always,
        |s, cx| s.page(1, cx),
    ),
    row(
        "sse.first",
        "the beginning",
        &["home", "g"],
        Show::HelpOnly,
        always,
        SseRoute::first,
    ),
    row(
        "sse.reload",
        "read anew",
        &["r"],
        Show::HelpOnly,
        has_source,
        SseRoute::reload,
    ),
    row(
        "sse.close",
        "close the stream: others can be opened",
        &["c"],
        Show::HelpOnly,
        has_source,
        SseRoute::close,
    ),
    row(
        "sse.back",
        "end the replay or the search, then back",
        &["esc"],
        Show::HelpOnly,
        always,
        |s, cx| {
            if !s.leave_something(cx) {
                cx.emit(Effect::Invoke("app.back".to_owned()));
            }
        },
    ),
];
