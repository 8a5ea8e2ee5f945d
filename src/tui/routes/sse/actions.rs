//! The table of actions, and when each makes sense.

use super::{SseRoute, detail::Mode, execution};
use crate::kit::prelude::*;

gates! { SseRoute, s;
    has_frames: !s.model.frames().is_empty(), "There is no frame.";
    has_source: s.source.is_some(), "Open a stream first.";
    has_several: s.model.streams().len() > 1, "There is one response.";
    has_search: s.search.is_some(), "Nothing is searched: / does.";
    has_request: s.stream().is_some_and(|s| s.response.request.is_some()), "What was asked for is not in this recording.";
    replays: s.replay.is_some(), "R replays what is here first.";
}

/// Every action, most important first.
pub const ROWS: &[Action<SseRoute>] = rows![
    "sse.view" "next view: pretty, raw, message, request" ["v"]: Bar("view") if has_source => |s, cx| s.turn(1, cx);
    "sse.open-selected" "in full" ["enter"]: Bar("full") => SseRoute::enter;
    "sse.search" "search" ["/"]: Bar("search") if has_frames => |s, _| s.start_search();
    "sse.kinds" "kinds of events" ["f"]: Footer if has_frames => |s, _| s.choose_kinds();
    "sse.next-response" "next response" ["]"]: Footer if has_several => |s, cx| s.step_stream(1, cx);
    "sse.previous-response" "previous response" ["["] if has_several => |s, cx| s.step_stream(-1, cx);
    "sse.together" "all responses as they came, or one" ["a"]: Footer if has_several => SseRoute::all_together;
    "sse.copy" "copy" ["y"]: Footer if has_frames => SseRoute::copy;
    "sse.save" "save as NDJSON" ["s"]: Footer if has_frames => |s, cx| s.save(cx);
    "sse.replay" "replay" ["R"]: Footer if has_frames => SseRoute::start_replay;
    "sse.follow" "newest, and follow" ["end", "G"]: Footer if has_source => SseRoute::follow;
    "sse.open" "open a file" ["o"]: Footer => |_, cx| execution::ask_for_a_file(cx);
    "sse.next-pane" "next pane" ["tab"] if has_source => |s, cx| s.next_pane(1, cx);
    "sse.previous-pane" "previous pane" ["shift-tab"] if has_source => |s, cx| s.next_pane(-1, cx);
    "sse.zoom" "all room for what is in full" ["z"] if has_source => |s, _| s.zoomed = !s.zoomed;
    "sse.view-back" "previous view" ["V"] if has_source => |s, cx| s.turn(-1, cx);
    "sse.message" "the message and back" ["t"] if has_source => |s, cx| {
        let is_it = s.mode == Mode::Message;
        s.set_mode(if is_it { Mode::Pretty } else { Mode::Message }, cx);
    };
    "sse.copy-response" "copy all frames of the response" ["Y"] if has_frames => |s, cx| s.copy_response(cx);
    "sse.copy-all" "copy everything" ["ctrl-c"] if has_frames => |s, cx| s.copy_everything(cx);
    "sse.copy-curl" "copy the request for curl" ["C"] if has_request => |s, cx| s.copy_curl(cx);
    "sse.next-match" "next match" ["n"] if has_search => |s, cx| s.next_match(false, cx);
    "sse.previous-match" "previous match" ["N"] if has_search => |s, cx| s.next_match(true, cx);
    "sse.next-notable" "next error or pause" ["e"] if has_frames => |s, cx| s.next_notable(false, cx);
    "sse.previous-notable" "previous error or pause" ["E"] if has_frames => |s, cx| s.next_notable(true, cx);
    "sse.show-all" "show all kinds" ["x"] if |s, _| when(!s.model.filter().hidden.is_empty(), "All kinds are shown.") => SseRoute::show_all;
    "sse.secrets" "show secrets (asks), or hide them again" ["S"] if has_source => SseRoute::ask_for_secrets;
    "sse.secrets-now" "show secrets, once that was asked" [] if |s, _| when(s.asked, "S asks first.") => |s, cx| s.show_secrets(true, cx);
    "sse.replay-pause" "pause the replay, or go on" ["space"] if replays => SseRoute::pause_replay;
    "sse.replay-step" "replay one frame" ["."] if replays => |s, cx| s.step_replay(false, cx);
    "sse.replay-step-back" "take one frame back" [","] if replays => |s, cx| s.step_replay(true, cx);
    "sse.replay-faster" "replay twice as fast" ["+", "="] if replays => |s, cx| s.set_pace(true, cx);
    "sse.replay-slower" "replay half as fast" ["-"] if replays => |s, cx| s.set_pace(false, cx);
    "sse.wrap" "wrap what is in full, or not" ["w"] if has_source => |s, _| {
        let wraps = s.detail.wraps();
        s.detail.set_wrap(!wraps);
    };
    "sse.left" "left in lines that are not wrapped" ["left"] => |s, _| s.detail.scroll_sideways(-8);
    "sse.right" "right in lines that are not wrapped" ["right"] => |s, _| s.detail.scroll_sideways(8);
    lines "sse" "up" "down";
    "sse.first" "the beginning" ["home", "g"] => |s, cx| s.edge(false, cx);
    "sse.reload" "read anew" ["r"] if has_source => SseRoute::reload;
    "sse.close" "close the stream: others can be opened" ["c"] if has_source => SseRoute::close;
    "sse.back" "end the replay or the search, then back" ["esc"] => |s, cx| {
        if !s.leave_something(cx) {
            cx.back();
        }
    };
];
