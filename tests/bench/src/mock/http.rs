//! As much of HTTP/1.1 as one known client needs: a head, a body with its length, an answer.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Bytes of one request at most; a longer one ends the connection.
const REQUEST_BYTES_MAX: usize = 64 * 1024 * 1024;
/// What is between head and body.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// What has come of a connection and was not used yet.
#[derive(Debug, Default)]
pub(super) struct Input(Vec<u8>);

impl Input {
    /// Waits for a whole request and takes its body; `None`: the peer has closed.
    ///
    /// # Errors
    /// The connection broke, or the request has no form that is known here.
    pub(super) async fn request(
        &mut self,
        stream: &mut TcpStream,
    ) -> std::io::Result<Option<Vec<u8>>> {
        loop {
            if let Some((head, whole)) = size(&self.0)
                && self.0.len() >= whole
            {
                let body = self.0.drain(..whole).skip(head).collect();
                return Ok(Some(body));
            }
            if self.0.len() > REQUEST_BYTES_MAX {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
            if stream.read_buf(&mut self.0).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// Bytes of the head of the request that begins here, and of all of it, once the head is whole.
fn size(input: &[u8]) -> Option<(usize, usize)> {
    let head = input.windows(BLANK_LINE.len()).position(|window| window == BLANK_LINE)?;
    let text = String::from_utf8_lossy(input.get(..head)?).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let body = length.and_then(|length| length.trim().parse::<usize>().ok()).unwrap_or(0);
    let head = head + BLANK_LINE.len();
    Some((head, head + body))
}

/// Writes an answer of events.
///
/// # Errors
/// The connection broke.
pub(super) async fn respond(stream: &mut TcpStream, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes()).await
}

#[cfg(test)]
mod tests;
