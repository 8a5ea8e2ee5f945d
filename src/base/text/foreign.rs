//! What properties are tried with; the tests of other rooms include this file as well.

use proptest::prelude::*;

/// Text rich in what `sanitise` exists for; plain random text would hardly ever contain it.
pub fn foreign() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{1b}]0;title\u{7}",
        "\u{9b}2J",
        "\0",
        "\r\n",
        "\n",
        "\t",
        "\u{7f}",
        "\u{202e}",
        "\u{200b}",
        "\u{200d}",
        "\u{301}",
        "\u{e0041}",
        "\u{feff}",
        "👩\u{200d}💻",
        "日本",
        "é",
        "e\u{301}",
        "ｶﾞ",
        "🇩🇪",
        "\u{fe0f}",
        "☺\u{fe0f}",
        "กำ",
        "\u{600}",
        "한",
        "\u{1100}\u{1161}",
        "a",
        " ",
        "-->",
    ]);
    prop::collection::vec(
        prop_oneof![3 => odd.prop_map(String::from), 1 => any::<String>()],
        0..24,
    )
    .prop_map(|parts| parts.concat())
}
