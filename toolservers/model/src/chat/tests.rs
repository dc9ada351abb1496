//! Goal: the whole way of a request over a real connection, with the faults that networks and
//! providers have [MODEL-02], [MODEL-03].
//!
//! The peer is a TCP server in this process that plays prepared answers. Time is paused only where
//! no socket is read, since paused time runs ahead of sockets.

use std::sync::{Arc, Mutex};

use futures::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::*;
use crate::event::Event;
use crate::limits::EVENTS_WAITING_MAX;
use crate::models::tests::{models, print};
use crate::settings::{Settings, tests::environment};

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const TEXT: &str = r#"data: {"choices":[{"delta":{"content":"a"}}]}"#;
const END: &str = r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
const DONE: &str = "data: [DONE]";

/// What the peer does after an answer.
#[derive(Clone, Copy)]
enum Then {
    Keep,
    Close,
    /// Waits for the client to go away.
    Hold,
}

/// A provider.
struct Peer {
    settings: String,
    /// Every request as it came, and "connected" and "gone".
    seen: mpsc::Receiver<String>,
}

impl Peer {
    /// Plays these answers, one a request, over any number of connections.
    async fn play(answers: Vec<(String, Then)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, seen) = mpsc::channel(100);
        let answers = Arc::new(Mutex::new(answers.into_iter()));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                sender.send("connected".into()).await.unwrap();
                tokio::spawn(talk(connection, sender.clone(), Arc::clone(&answers)));
            }
        });
        let settings = format!(
            r#"{{"default_provider":"p","providers":{{"p":{{"base_url":"http://{address}/v1","api_key_env":"K"}}}}}}"#
        );
        Self { settings, seen }
    }

    fn models(&self) -> Arc<crate::models::Models> {
        models(&self.settings, &[("K", "sk-secret")])
    }

    fn provider(&self) -> Provider {
        let settings: Settings = serde_json::from_str(&self.settings).unwrap();
        settings.resolve(&environment(&[])).unwrap().find("p", "m").unwrap().0.clone()
    }

    fn requests(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.seen.try_recv().ok())
            .filter(|seen| seen.starts_with("POST"))
            .collect()
    }
}

async fn talk(
    mut connection: TcpStream,
    seen: mpsc::Sender<String>,
    answers: Arc<Mutex<std::vec::IntoIter<(String, Then)>>>,
) {
    while let Some(request) = read_request(&mut connection).await {
        seen.send(request).await.unwrap();
        let next = answers.lock().unwrap().next();
        let Some((answer, then)) = next else { break };
        connection.write_all(answer.as_bytes()).await.unwrap();
        match then {
            Then::Keep => {}
            Then::Close => break,
            Then::Hold => while connection.read_u8().await.is_ok() {},
        }
    }
    drop(seen.send("gone".into()).await);
}

/// Head and body, or none at the end of the connection.
async fn read_request(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.parse().unwrap() {
                return Some(text);
            }
        }
        bytes.push(connection.read_u8().await.ok()?);
    }
}

/// A streamed answer of these events; one HTTP chunk each, as servers do.
fn streamed(events: &[&str]) -> String {
    let chunk = |event: &&str| format!("{:x}\r\n{event}\n\n\r\n", event.len() + 2);
    let chunks: String = events.iter().map(chunk).collect();
    format!("{STREAM}{chunks}")
}

fn whole(events: &[&str]) -> String {
    streamed(events) + "0\r\n\r\n"
}

fn plain(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

fn hello() -> Request {
    Request::parse(br#"{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#)
        .unwrap()
}

/// The single toucher of whole requests: the answers of a peer, the printed events, and the number
/// of requests that it took.
async fn check(answers: Vec<(String, Then)>, expected: &str, requests: usize) -> Vec<String> {
    let mut peer = Peer::play(answers).await;
    let events: Vec<_> = peer.models().answer("m", hello()).collect().await;
    let printed = print(&events);
    assert!(
        printed == expected
            || expected.strip_suffix('…').is_some_and(|start| printed.starts_with(start)),
        "\n got {printed}\nwant {expected}"
    );
    let seen = peer.requests();
    assert_eq!(seen.len(), requests);
    seen
}

#[tokio::test]
async fn a_request_is_sent_and_its_answer_streamed() {
    let seen = check(vec![(whole(&[TEXT, END, DONE]), Then::Keep)], "[a] End", 1).await;
    let request = seen[0].to_ascii_lowercase();
    assert!(request.starts_with("post /v1/chat/completions http/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: bearer sk-secret\r\n"), "{request}");
    assert!(request.contains("user-agent: tollgate/"), "{request}");
    assert!(request.ends_with(r#""messages":[{"content":"hi","role":"user"}]}"#), "{request}");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let answer = || (whole(&[TEXT, END, DONE]), Then::Keep);
    let mut peer = Peer::play(vec![answer(), answer(), answer()]).await;
    let models = peer.models();
    for _ in 0..3 {
        let events: Vec<_> = Arc::clone(&models).answer("m", hello()).collect().await;
        assert_eq!(print(&events), "[a] End");
    }
    let seen: Vec<String> = std::iter::from_fn(|| peer.seen.try_recv().ok()).collect();
    assert_eq!(seen.iter().filter(|seen| *seen == "connected").count(), 1, "{seen:?}");
}

/// [MODEL-03]
#[tokio::test]
async fn passing_faults_are_tried_again() {
    for status in
        ["429 Too Many Requests", "503 Service Unavailable", "408 Request Timeout", "409 Conflict"]
    {
        let answers = vec![
            (plain(status, "retry-after: 0\r\n", "{}"), Then::Keep),
            (whole(&[TEXT, END, DONE]), Then::Keep),
        ];
        check(answers, "Retrying(1)[a] End", 2).await;
    }
    let answers = vec![(plain("500 Oops", "retry-after: 0\r\n", ""), Then::Keep); 9];
    let expected = "Retrying(1) Retrying(2) Retrying(3) Network (may pass): p answered 500 Internal Server Error (gave up after 4 tries)";
    check(answers, expected, 4).await;
}

/// [MODEL-03]: a connection that breaks before any token is a passing fault.
#[tokio::test]
async fn a_cut_before_any_token_is_tried_again() {
    let answers = vec![(STREAM.to_owned(), Then::Close), (whole(&[TEXT, END, DONE]), Then::Keep)];
    check(answers, "Retrying(1)[a] End", 2).await;
}

/// [MODEL-03]: what was shown is not shown twice.
#[tokio::test]
async fn a_cut_after_a_token_ends_the_answer() {
    let answers = vec![(streamed(&[TEXT]), Then::Close)];
    check(answers, "[a] Network (may pass): the connection to p at http://127.0.0.1…", 1).await;
    let answers =
        vec![(streamed(&[TEXT, r#"data: {"error":{"message":"up","code":429}}"#]), Then::Hold)];
    check(answers, "[a] Rate (may pass): p reported an error in its answer: up", 1).await;
}

#[tokio::test]
async fn a_cut_after_the_end_does_no_harm() {
    check(vec![(streamed(&[TEXT, END]), Then::Close)], "[a] End", 1).await;
    check(vec![(streamed(&[TEXT, END, DONE]), Then::Hold)], "[a] End", 1).await;
}

#[tokio::test]
async fn lasting_faults_are_not_tried_again() {
    let echo = r#"{"error":{"message":"Incorrect key sk-secret"}}"#;
    check(
        vec![(plain("401 Unauthorized", "", echo), Then::Keep)],
        "Auth: p answered 401 Unauthorized: Incorrect key [key]; check the provider's key",
        1,
    )
    .await;
    check(
        vec![(plain("302 Found", "location: http://127.0.0.1:1/\r\n", ""), Then::Keep)],
        "Invalid: p answered 302 Found; redirects are not followed; correct `base_url`",
        1,
    )
    .await;
    check(
        vec![(plain("429 Slow", "retry-after: 3600\r\n", "{}"), Then::Keep)],
        "Rate (may pass): p answered 429 Too Many Requests: {} (try again in 3600 s)",
        1,
    )
    .await;
    check(
        vec![(plain("200 OK", "content-type: text/html\r\n", "<html>"), Then::Keep)],
        "Protocol: p answered with text/html instead of an event stream; check…",
        1,
    )
    .await;
    check(
        vec![(whole(&["data: <garbage>"]), Then::Keep)],
        "Protocol: p sent what is not of the Chat Completions format…",
        1,
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_read() {
    let body = r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    let json = plain("200 OK", "content-type: application/json; charset=utf-8\r\n", body);
    check(vec![(json, Then::Keep)], "[a] End", 1).await;
    let error = plain(
        "200 OK",
        "content-type: application/json\r\n",
        r#"{"error":{"message":"m","code":"insufficient_quota"}}"#,
    );
    check(vec![(error, Then::Keep)], "Quota: p reported an error in its answer: m…", 1).await;
}

/// [MODEL-03]: cancellation reaches the provider.
#[tokio::test]
async fn dropping_the_stream_aborts_the_request() {
    for answer in [streamed(&[TEXT]), String::new()] {
        let mut peer = Peer::play(vec![(answer.clone(), Then::Hold)]).await;
        let mut events = peer.models().answer("m", hello());
        if answer.is_empty() {
            // Before the head of the answer: the request has arrived.
            let waiting = futures::poll!(events.next());
            assert!(waiting.is_pending());
            while peer.seen.recv().await.is_some_and(|seen| !seen.starts_with("POST")) {}
        } else {
            assert!(matches!(events.next().await, Some(Event::TextDelta(_))));
        }
        drop(events);
        while peer.seen.recv().await.expect("the peer lives") != "gone" {}
    }
}

#[tokio::test]
async fn a_closed_port_is_told() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut provider = Peer::play(Vec::new()).await.provider();
    provider.endpoint.set_port(Some(closed.port())).unwrap();
    let failure = Http::default().post(&provider, Bytes::new()).await.unwrap_err();
    assert_eq!((failure.class, failure.retryable), (Class::Network, true));
    let told = format!("p at http://{closed} cannot be reached: error sending request: ");
    assert!(failure.message.starts_with(&told), "{}", failure.message);
    assert!(failure.message.contains("refused") && failure.message.contains("check that it runs"));
}

/// A stream of these pieces, which then says nothing more.
async fn read_silent(pieces: &'static [&str]) -> Result<Answer, Failure> {
    let provider = Peer {
        settings: r#"{"providers":{"p":{"base_url":"http://localhost"}}}"#.into(),
        seen: mpsc::channel(1).1,
    }
    .provider();
    let (sender, _events) = mpsc::channel(EVENTS_WAITING_MAX);
    let mut outlet = Outlet::new(sender, Vec::new());
    let pieces = pieces.iter().map(|piece| Ok(Bytes::from_static(piece.as_bytes())));
    let source = stream::iter(pieces).chain(stream::pending());
    read(source, &provider, Assembler::new("p", 0), &mut outlet).await
}

#[tokio::test(start_paused = true)]
async fn silence_ends_an_open_answer() {
    let before = tokio::time::Instant::now();
    let failure = read_silent(&[TEXT, "\n\n", ": ping\n\n"]).await.unwrap_err();
    assert_eq!(failure, Failure::passing(Class::Network, "p said nothing for 90 s"));
    assert_eq!(before.elapsed(), IDLE_WAIT);
}

#[tokio::test(start_paused = true)]
async fn silence_after_the_end_is_waited_for_shortly() {
    let before = tokio::time::Instant::now();
    read_silent(&[TEXT, "\n\n", END, "\n\n"]).await.unwrap();
    assert_eq!(before.elapsed(), TRAILER_WAIT);
    read_silent(&[DONE, "\n\n"]).await.unwrap();
    assert!(before.elapsed() <= TRAILER_WAIT + DRAIN_WAIT + Duration::from_millis(1));
}

#[tokio::test]
async fn a_call_is_sent_whole_at_the_end() {
    let call = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a"}}]}}]}"#;
    let rest = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]},"finish_reason":"tool_calls"}]}"#;
    check(vec![(whole(&[TEXT, call, rest, DONE]), Then::Keep)], r#"[a] x=f{"a":1} Tools"#, 1).await;
}
