//! The tool `login`, which says its secrets wherever a server can say something: the value of
//! `OPENAI_API_KEY` in its environment, and its argument `password`.

use tollgate_proto::tool::v1::{
    CommandSubject, Completed, ContentBlock, InjectedMessage, Invalid, Log, Output, PathSubject,
    Preparation, Rendering, Resource, Subject, Truncated, completed::Outcome, content_block::Block,
    output::Channel, prepared, rendering::Rendering as Rendered, resource, server_frame::Frame,
    subject,
};

use crate::{
    how::{Arguments, Call, text},
    session::send,
};

/// Bytes of output: more than the kernel keeps in memory.
const OUTPUT_BYTES: usize = 150 * 1024;
/// Bytes of a piece of output, by which lines are cut anywhere.
const PIECE_BYTES: usize = 997;
/// What the process ends with.
const DEATH: i32 = 9;

/// The variable that this server is handed.
fn key() -> String {
    std::env::var("OPENAI_API_KEY").unwrap_or_default()
}

/// Before a call: title, preview, subjects, or the refusal that quotes what came.
pub(crate) fn prepared(arguments: &Arguments) -> prepared::Result {
    let secrets = format!("{} and {}", key(), arguments.password);
    if arguments.how == "invalid" {
        let message = format!("{secrets} are wrong");
        return prepared::Result::Invalid(Invalid { message, ..Invalid::default() });
    }
    let subjects = [
        subject::Subject::Host(format!("{}.invalid", key())),
        subject::Subject::Command(CommandSubject {
            argv: vec!["login".into(), arguments.password.clone()],
            ..CommandSubject::default()
        }),
        subject::Subject::Path(PathSubject {
            absolute: format!("/nowhere/{}", key()),
            ..PathSubject::default()
        }),
    ];
    prepared::Result::Preparation(Preparation {
        title: secrets.clone(),
        preview: secrets,
        subjects: subjects.map(|subject| Subject { subject: Some(subject) }).to_vec(),
        ..Preparation::default()
    })
}

/// The call.
pub(crate) async fn run(call: &Call, arguments: &Arguments) {
    let secrets = format!("key {} password {}", key(), arguments.password);
    println!("out: {secrets}");
    eprintln!("err: {secrets}");
    send(&call.out, Frame::Log(Log { text: secrets.clone(), ..Log::default() })).await;
    call.progress(secrets.clone()).await;
    match arguments.how.as_str() {
        "die" => std::process::exit(DEATH),
        "fail" => {
            let outcome = Outcome::Failed.into();
            let error_class = secrets.clone();
            call.complete(Completed { outcome, error_class, ..text(&secrets) }).await;
        }
        "large" => call.complete(text(&format!("{secrets}\n").repeat(5000))).await,
        "output" => {
            let whole = format!("{secrets}\n").repeat(OUTPUT_BYTES / secrets.len());
            for piece in whole.as_bytes().chunks(PIECE_BYTES) {
                let (channel, data) = (Channel::Terminal.into(), piece.to_vec().into());
                send(&call.out, Frame::Output(Output { call_id: call.id(), channel, data })).await;
            }
            let truncated =
                Some(Truncated { bytes: whole.len() as u64, in_output: true, lines: 0 });
            call.complete(Completed { truncated, ..text("much") }).await;
        }
        _ => call.complete(everything(&secrets)).await,
    }
}

fn everything(secrets: &str) -> Completed {
    let json = format!("{{\"said\":[{secrets:?}]}}");
    let block = |block: Block| ContentBlock { block: Some(block) };
    let resource = Resource {
        uri: format!("leak:{secrets}"),
        content: Some(resource::Content::Text(secrets.to_owned())),
        ..Resource::default()
    };
    Completed {
        content: vec![
            block(Block::Text(secrets.to_owned())),
            block(Block::Json(json.clone().into())),
            block(Block::Resource(resource)),
        ],
        structured: json.clone().into(),
        metadata: json.into(),
        rendering: Some(Rendering { rendering: Some(Rendered::Text(secrets.to_owned())) }),
        messages: vec![InjectedMessage { content: vec![block(Block::Text(secrets.to_owned()))] }],
        ..text("")
    }
}
