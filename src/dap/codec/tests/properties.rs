//! What holds for every stream, whatever is in it and however it is cut.

use proptest::prelude::*;

use super::*;

/// Junk that is no frame by accident: what looks like a length header, or ends like one, may cost a frame by right.
fn junk() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[ -9;-~\r\n\té€]{0,80}".prop_map(String::into_bytes),
        prop::collection::vec(
            any::<u8>().prop_filter("no colon", |byte| *byte != b':'),
            0..80
        ),
        Just(b"Content-Type: text\r\n".to_vec()),
        Just(b"Content-Length: x\r\nHost: y\r\n\r\n".to_vec()),
    ]
}

fn cut_up(bytes: &[u8], cuts: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    ends.extend([0, bytes.len()]);
    ends.sort_unstable();
    ends.windows(2)
        .map(|range| bytes[range[0]..range[1]].to_vec())
        .collect()
}

fn as_slices(pieces: &[Vec<u8>]) -> Vec<&[u8]> {
    pieces.iter().map(Vec::as_slice).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_partition_gives_the_same_messages(
        contents in prop::collection::vec("[^\u{0}]{0,60}", 0..8),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let bytes: Vec<u8> = contents.iter().flat_map(|content| frame(content)).collect();
        for codec in [DapCodec::client, DapCodec::server] {
            let (items, error) = decode(codec(), &as_slices(&cut_up(&bytes, &cuts)));
            prop_assert!(error.is_none(), "{error:?}");
            prop_assert_eq!(&frames(&items), &contents);
        }
    }

    #[test]
    fn junk_between_frames_never_loses_one(
        parts in prop::collection::vec((junk(), "\\{[a-z]{0,20}\\}"), 0..6),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes: Vec<u8> = parts.iter().flat_map(|(junk, content)| [junk.clone(), frame(content)].concat()).collect();
        let (items, error) = decode(DapCodec::client(), &as_slices(&cut_up(&bytes, &cuts)));
        prop_assert!(error.is_none(), "{error:?}");
        let contents: Vec<String> = parts.into_iter().map(|(_, content)| content).collect();
        prop_assert_eq!(frames(&items), contents);
    }

    #[test]
    fn a_server_always_closes_on_junk(
        good in 0_usize..3,
        junk in "[!-9;-~]{1,60}",
        tail in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let bytes = [frame(GOOD).repeat(good), junk.into_bytes(), b"\r\n".to_vec(), tail, frame(GOOD)].concat();
        let (items, error) = decode(DapCodec::server(), &[&bytes]);
        prop_assert!(error.is_some());
        prop_assert_eq!(frames(&items).len(), good);
    }

    #[test]
    fn memory_follows_what_came(
        announced in 0_u64..u64::MAX,
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..2000), 0..20),
    ) {
        let mut codec = DapCodec::client();
        let mut buffer = BytesMut::from(format!("Content-Length: {announced}\r\n\r\n").as_bytes());
        let mut came = buffer.len();
        for piece in pieces {
            came += piece.len();
            buffer.extend_from_slice(&piece);
            while let Ok(Some(_)) = codec.decode(&mut buffer) {}
            prop_assert!(buffer.capacity() <= 2 * came + (64 << 10));
            prop_assert!(codec.junk.capacity() <= 2 * KEPT_JUNK);
            prop_assert!(codec.block.bytes.capacity() <= 2 * MAX_HEADER);
        }
    }
}
