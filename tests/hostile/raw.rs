//! Servers that do not even speak gRPC.

use std::{
    io::{self, Write as _},
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::start::Start;

/// Bytes of noise on each log.
const NOISE_BYTES: usize = 10 * 1024 * 1024;

/// Set once noise was made; a second call of [`noise`] would say nothing new.
static MADE: AtomicBool = AtomicBool::new(false);

/// Writes lines, an endless line, control sequences and no UTF-8 to both logs.
pub(crate) fn noise() -> io::Result<()> {
    if MADE.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let mut block = b"{\"level\":\"info\"} \x1b[31mnoise\x1b[0m\r\xff\xfe\0".repeat(64);
    block.push(b'\n');
    let endless = vec![b'x'; NOISE_BYTES / 4];
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let mut written = 0;
    while written < NOISE_BYTES {
        out.write_all(&block)?;
        err.write_all(&block)?;
        written += block.len();
    }
    out.write_all(&endless)?;
    err.write_all(&endless)?;
    out.write_all(b"\nthe noise is over\n")
}

/// Takes connections, reads, and never answers.
pub(crate) async fn silent(start: Start) -> anyhow::Result<()> {
    let mut held = Vec::new();
    loop {
        held.push(start.listener.accept().await?);
    }
}

/// Answers the HTTP/2 preface with HTTP/1 and garbage.
pub(crate) async fn http1(start: Start) -> anyhow::Result<()> {
    loop {
        let (mut stream, _) = start.listener.accept().await?;
        let mut request = [0; 64];
        let bytes = stream.read(&mut request).await?;
        let answer =
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello\xff\xff\xff\xff\0\0garbage";
        if bytes > 0 {
            stream.write_all(answer).await?;
        }
    }
}
