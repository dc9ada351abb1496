//! The real binary behind its real socket: bootstrap line, grants, both kinds of models, and what
//! becomes of a request that the kernel gives up [MODEL-01], [MODEL-03], [MODEL-05].
#![cfg(test)]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tollgate_proto::grant::{SigningKey, sha256, sign};
use tollgate_proto::model::v1::generate_response::Event;
use tollgate_proto::model::v1::model_client::ModelClient;
use tollgate_proto::model::v1::{DescribeRequest, GenerateRequest, GenerateResponse};
use tollgate_proto::tool::v1::tool_server_client::ToolServerClient;
use tollgate_proto::tool::v1::{GrantClaims, HelloRequest, SignedGrant};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};

const KEY: [u8; 32] = [7; 32];
const SECRET: &str = "sk-very-secret";
const HELLO: &str = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#;

/// A running server, its client, and what grants must name.
struct Server {
    child: Child,
    folder: TempDir,
    channel: Channel,
    instance: String,
}

impl Server {
    /// Starts the binary as a kernel does, with a provider of this address.
    async fn start(base_url: &str) -> Self {
        Self::start_with(
            json!({"providers": {"p": {"base_url": base_url, "api_key_env": "P_KEY"}}}),
        )
        .await
    }

    async fn start_with(settings: serde_json::Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let line = json!({
            "version": 1, "endpoint": {"path": socket}, "server": "model", "session": "s",
            "grant_key": {"id": "k", "hmac_sha256": "07".repeat(32)},
            "kernel_pid": std::process::id(), "roots": [folder.path()], "log": "debug",
            "settings": settings,
        });
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tollgate-model"))
            .env_clear()
            .env("P_KEY", SECRET)
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let channel = connect(&socket).await;
        let hello = HelloRequest {
            protocols: vec![1],
            session: "s".into(),
            frame_bytes_max: 320 * 1024,
            ..HelloRequest::default()
        };
        let hello = ToolServerClient::new(channel.clone()).hello(hello).await.unwrap();
        let instance = hello.into_inner().instance;
        Self { child, folder, channel, instance }
    }

    /// A grant for these bytes.
    fn grant(&self, call_id: &str, request: &str) -> SignedGrant {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let claims = GrantClaims {
            key_id: "k".into(),
            server: "model".into(),
            instance: self.instance.clone(),
            session: "s".into(),
            call_id: call_id.into(),
            attempt: 1,
            tool: "generate".into(),
            schema_sha256: sha256(b"").to_vec().into(),
            arguments_sha256: sha256(request.as_bytes()).to_vec().into(),
            scope: None,
            expires_unix_ms: u64::try_from(now.as_millis()).unwrap() + 30_000,
            nonce: sha256(call_id.as_bytes()).get(..16).unwrap().to_vec().into(),
        };
        sign(&claims, &SigningKey::Hmac(KEY))
    }

    async fn generate(
        &self,
        call_id: &str,
        model: &str,
        request: &str,
        grant: Option<SignedGrant>,
    ) -> Result<Streaming<GenerateResponse>, Status> {
        let request = GenerateRequest {
            session: "s".into(),
            call_id: call_id.into(),
            model: model.into(),
            request: request.to_owned().into(),
            grant,
        };
        Ok(ModelClient::new(self.channel.clone()).generate(request).await?.into_inner())
    }

    /// The events of a granted request, printed.
    async fn answer(&self, call_id: &str, model: &str) -> String {
        let grant = self.grant(call_id, HELLO);
        let mut stream = self.generate(call_id, model, HELLO, Some(grant)).await.unwrap();
        let mut printed = Vec::new();
        while let Some(response) = stream.message().await.unwrap() {
            printed.push(match response.event.unwrap() {
                Event::TextDelta(text) => text,
                Event::Finished(finished) => format!("{:?}", finished.stop()),
                Event::Failed(failed) => format!("{:?}: {}", failed.class(), failed.message),
                event @ (Event::ReasoningDelta(_) | Event::ToolCall(_) | Event::Retrying(_)) => {
                    format!("{event:?}")
                }
            });
        }
        printed.join("|")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Connects as soon as the server listens.
async fn connect(socket: &Path) -> Channel {
    let endpoint = Endpoint::from_shared(format!("unix:{}", socket.display())).unwrap();
    for _ in 0..1000 {
        match endpoint.connect().await {
            Ok(channel) => return channel,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    unreachable!("the server does not listen");
}

fn script(folder: &TempDir, json: &serde_json::Value) -> String {
    let path = folder.path().join("script.json");
    std::fs::write(&path, json.to_string()).unwrap();
    format!("script:{}", path.display())
}

#[tokio::test]
async fn a_script_answers_under_a_grant_and_only_so() {
    let server = Server::start("http://127.0.0.1:1").await;
    let model = script(&server.folder, &json!({"steps": [{"text": "ab"}]}));
    assert_eq!(server.answer("1", &model).await, "a|b|End");

    let refused = |answer: Result<Streaming<GenerateResponse>, Status>| answer.unwrap_err().code();
    let denied = Code::PermissionDenied;
    assert_eq!(refused(server.generate("2", &model, HELLO, None).await), denied);
    let other = server.grant("2", "{}");
    assert_eq!(refused(server.generate("2", &model, HELLO, Some(other)).await), denied);
    let used = server.grant("1", HELLO);
    assert_eq!(refused(server.generate("1", &model, HELLO, Some(used)).await), denied);

    let grant = server.grant("3", r#"{"message":[]}"#);
    let fault = server.generate("3", &model, r#"{"message":[]}"#, Some(grant)).await.unwrap_err();
    assert_eq!(fault.code(), Code::InvalidArgument);
    assert!(fault.message().contains("unknown field `message`"), "{}", fault.message());
}

/// `[GATE-70]` Then no file is read but what the network needs, and the network is there.
#[tokio::test]
async fn where_no_model_is_a_file_none_is_read() {
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // By a name, which the C library looks up in its files.
    let base_url = format!("http://localhost:{}", provider.local_addr().unwrap().port());
    let providers = json!({"p": {"base_url": base_url}});
    let settings = json!({"providers": providers, "scripts": false, "sandbox": "required"});
    let server = Server::start_with(settings).await;
    let model = script(&server.folder, &json!({"steps": [{"text": "ab"}]}));
    let refused = server.answer("a", &model).await;
    assert!(refused.contains("cannot be read: Permission denied"), "{refused}");
    let request = server.grant("b", HELLO);
    let _answer = server.generate("b", "p:m", HELLO, Some(request)).await.unwrap();
    let (_asked, _) = provider.accept().await.unwrap();
}

#[tokio::test]
async fn the_models_are_described_without_a_word_to_a_provider() {
    let server = Server::start("http://127.0.0.1:1").await;
    let mut client = ModelClient::new(server.channel.clone());
    let models = client.describe(DescribeRequest {}).await.unwrap().into_inner().models;
    let models: Vec<_> = models
        .iter()
        .map(|model| format!("{} {} {}", model.name, model.available, model.reason))
        .collect();
    let expected = [
        "script:FILE true ",
        "replay:SESSION true ",
        "openai:NAME false OPENAI_API_KEY is not set",
        "p:NAME true ",
    ];
    assert_eq!(models, expected);
}

/// Reads a request's head and body away.
async fn read_request(peer: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        bytes.push(peer.read_u8().await.unwrap());
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.ends_with("}]}"));
        if whole {
            return text.into_owned();
        }
    }
}

/// [MODEL-01]: the key reaches its provider, and nobody else.
#[tokio::test]
async fn a_key_is_sent_and_never_told() {
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::start(&format!("http://{}/v1", provider.local_addr().unwrap())).await;
    let talk = async {
        let (mut peer, _) = provider.accept().await.unwrap();
        let request = read_request(&mut peer).await;
        let body = format!(r#"{{"error":{{"message":"{SECRET} is no key"}}}}"#);
        let head = format!("HTTP/1.1 401 No\r\ncontent-length: {}\r\n\r\n", body.len());
        peer.write_all((head + &body).as_bytes()).await.unwrap();
        request
    };
    let (request, answer) = tokio::join!(talk, server.answer("1", "p:m"));
    assert!(request.contains(&format!("authorization: Bearer {SECRET}")), "{request}");
    assert!(answer.starts_with("Auth: p answered 401 Unauthorized: [key] is no key"), "{answer}");
    let log = server.log();
    assert!(log.contains("a request has no answer"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}

/// [MODEL-03]: the kernel drops its stream, and the provider's connection ends.
#[tokio::test]
async fn a_request_that_is_given_up_is_aborted() {
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::start(&format!("http://{}/v1", provider.local_addr().unwrap())).await;
    let grant = server.grant("1", HELLO);
    let stream = server.generate("1", "p:m", HELLO, Some(grant)).await.unwrap();
    let (mut peer, _) = provider.accept().await.unwrap();
    read_request(&mut peer).await;
    drop(stream);
    let end = tokio::time::timeout(Duration::from_secs(10), peer.read_u8()).await;
    assert!(end.expect("the connection ends").is_err());
}
