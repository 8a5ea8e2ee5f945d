//! TCP sockets that wait for nothing: small messages go out at once, and what is read is acknowledged at once.

use std::{
    io,
    os::fd::AsFd,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    net::{TcpStream, tcp},
};

/// Both halves of a connection. Waiting to fill a packet costs 40 ms for each message; best effort, as it is only speed.
pub fn prompt(stream: TcpStream) -> (QuickAck, tcp::OwnedWriteHalf) {
    drop(stream.set_nodelay(true));
    let (read, write) = stream.into_split();
    (QuickAck(read), write)
}

/// Acknowledges what is read at once. Linux forgets the setting with each read, and an adapter that sends header and
/// body apart (debugpy, java) would wait 40 ms for our delayed acknowledgement.
#[derive(Debug)]
pub struct QuickAck(tcp::OwnedReadHalf);

impl AsyncRead for QuickAck {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.0).poll_read(context, buffer);
        #[cfg(target_os = "linux")]
        // A wish, not a need: without it the connection is only slower.
        rustix::net::sockopt::set_tcp_quickack(self.0.as_ref().as_fd(), true).ok();
        result
    }
}
