//! Any bytes, cut anywhere, decode to the same items as in one piece; memory stays within the limit; and a frame behind them is
//! found by a client.

#![no_main]

use bytes::{Bytes, BytesMut};
use libfuzzer_sys::fuzz_target;
use omp_debug::dap::codec::{DapCodec, Item};
use tokio_util::codec::{Decoder, Encoder};

/// A limit that the fuzzer can get over.
const LIMIT: usize = 4096;

/// What a stream decodes to: its items, and whether it ended in an error.
fn decode(mut codec: DapCodec, pieces: &[&[u8]]) -> (Vec<Item>, bool) {
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(_) => return (items, true),
            }
        }
        assert!(buffer.len() <= LIMIT + (64 << 10), "{} bytes are held", buffer.len());
    }
    loop {
        match codec.decode_eof(&mut buffer) {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, false),
            Err(_) => return (items, true),
        }
    }
}

fn frames(items: &[Item]) -> Vec<&Bytes> {
    let frames = items.iter().filter_map(|item| match item {
        Item::Frame(frame) => Some(&frame.bytes),
        Item::Noise(_) => None,
    });
    frames.collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((&step, stream)) = data.split_first() else {
        return;
    };
    let pieces: Vec<&[u8]> = stream.chunks(usize::from(step).max(1)).collect();
    for codec in [DapCodec::client, DapCodec::server] {
        let (whole, failed) = decode(codec().at_most(LIMIT), &[stream]);
        let (cut, failed_cut) = decode(codec().at_most(LIMIT), &pieces);
        assert_eq!(frames(&whole), frames(&cut));
        assert_eq!(failed, failed_cut);
        for frame in frames(&whole) {
            assert!(frame.len() <= LIMIT);
        }
    }
    // What we write ourselves comes back as it was.
    let content = Bytes::copy_from_slice(&stream[..stream.len().min(LIMIT)]);
    let mut wire = BytesMut::new();
    if DapCodec::client().encode(content.clone(), &mut wire).is_ok() {
        let (items, failed) = decode(DapCodec::server().at_most(LIMIT), &[&wire]);
        assert_eq!(frames(&items), [&content]);
        assert!(!failed);
    }
});
