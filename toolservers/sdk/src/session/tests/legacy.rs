//! Calls by an old name: prepared, granted and run by the handler of that name's own schema ([CAT-07]).

use schemars::JsonSchema;
use serde::Deserialize;
use tollgate_proto::tool::v1::{
    Prepare, Start,
    completed::{Outcome, Rejection},
    kernel_frame, prepared,
    server_frame::Frame,
};

use super::{text, words};
use crate::{
    Call, Context, Failure, Invalid, Preparation, Reply, Safety, Tool,
    erased::Registered,
    testing::{Kernel, World, signed},
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadInput {
    #[expect(dead_code, reason = "it chose this variant")]
    action: String,
    file_path: String,
}

/// `File` with action "read".
struct FileRead;

impl Tool for FileRead {
    type Input = ReadInput;
    const NAME: &'static str = "File";
    const DESCRIPTION: &'static str = "For tests.";
    async fn prepare(&self, input: &ReadInput, _: &Context) -> Result<Preparation, Invalid> {
        Ok(Preparation::new(Safety::READ).title(format!("reads {}", input.file_path)))
    }
    async fn call(&self, input: ReadInput, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(format!("read {}", input.file_path)))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteInput {
    #[expect(dead_code, reason = "it chose this variant")]
    action: String,
    file_path: String,
    content: String,
}

/// `File` with action "write".
struct FileWrite;

impl Tool for FileWrite {
    type Input = WriteInput;
    const NAME: &'static str = "File";
    const DESCRIPTION: &'static str = "For tests.";
    async fn prepare(&self, input: &WriteInput, _: &Context) -> Result<Preparation, Invalid> {
        Ok(Preparation::new(Safety::WRITE).title(format!("writes {}", input.file_path)))
    }
    async fn call(&self, input: WriteInput, _: Call) -> Result<Reply, Failure> {
        Ok(Reply::text(format!("wrote {} to {}", input.content, input.file_path)))
    }
}

const READ: &str = r#"{"action":"read","file_path":"a"}"#;
const WRITE: &str = r#"{"action":"write","file_path":"a","content":"c"}"#;

async fn world() -> (World, Kernel) {
    let world = World::with(|server| {
        let server = server.legacy_when("probe", ("action", "read"), FileRead);
        server.legacy_when("probe", ("action", "write"), FileWrite)
    })
    .await;
    let kernel = world.attach().await;
    (world, kernel)
}

/// A `Start` whose grant names the schema of `T`.
fn start<T: Tool>(world: &World, tool: T, call_id: &str, arguments: &str) -> Start {
    let mut claims = world.claims(call_id, arguments);
    claims.tool = T::NAME.into();
    claims.schema_sha256 = Registered::new(tool).schema_sha256.to_vec().into();
    Start {
        tool: T::NAME.into(),
        arguments: arguments.to_owned().into(),
        grant: Some(signed(&claims)),
        ..world.call(call_id, "answer", 0)
    }
}

/// The title, or the pointer and the message of what is invalid.
async fn prepared(kernel: &mut Kernel, arguments: &str) -> String {
    let prepare = Prepare {
        call_id: "call-1".into(),
        tool: "File".into(),
        arguments: arguments.to_owned().into(),
        ..Prepare::default()
    };
    kernel.send(kernel_frame::Frame::Prepare(prepare)).await;
    let Frame::Prepared(said) = kernel.next().await else { panic!("not prepared") };
    match said.result.unwrap() {
        prepared::Result::Preparation(said) => said.title,
        prepared::Result::Invalid(invalid) => format!("{} {}", invalid.pointer, invalid.message),
    }
}

#[tokio::test]
async fn an_old_name_is_prepared_and_run_by_its_own_handlers() {
    let (world, mut kernel) = world().await;
    assert_eq!(prepared(&mut kernel, READ).await, "reads a");
    assert_eq!(prepared(&mut kernel, WRITE).await, "writes a");
    let (frames, completed) = kernel.call(start(&world, FileRead, "call-1", READ)).await;
    assert_eq!((words(&frames), text(&completed)), (vec!["accepted"], "read a"));
    let (frames, completed) = kernel.call(start(&world, FileWrite, "call-2", WRITE)).await;
    assert_eq!((words(&frames), text(&completed)), (vec!["accepted"], "wrote c to a"));
    assert_eq!(world.ran(), 0, "the canonical tool ran");
}

/// What fits one variant is not bent into another.
#[tokio::test]
async fn each_variant_takes_its_own_arguments_only() {
    let (world, mut kernel) = world().await;
    let mixed = r#"{"action":"read","file_path":"a","content":"c"}"#;
    assert!(prepared(&mut kernel, mixed).await.starts_with("/content unknown field"));
    let (_, completed) = kernel.call(start(&world, FileRead, "call-1", mixed)).await;
    assert_eq!(
        (completed.outcome(), completed.error_class.as_str()),
        (Outcome::Failed, "invalid_arguments")
    );
}

#[tokio::test]
async fn a_call_that_no_variant_takes_does_not_run() {
    let (world, mut kernel) = world().await;
    let arguments = r#"{"action":"patch","file_path":"a"}"#;
    let why = "action must be one of: read, write";
    assert_eq!(prepared(&mut kernel, arguments).await, format!("/action {why}"));
    let (frames, completed) = kernel.call(start(&world, FileRead, "call-1", arguments)).await;
    assert_eq!((words(&frames), completed.rejection()), (vec![], Rejection::UnknownTool));
    assert_eq!(text(&completed), why);
}

/// A person allowed a read; the bytes say write, and nothing is written.
#[tokio::test]
async fn the_grant_of_one_variant_runs_no_other() {
    let (world, mut kernel) = world().await;
    let (frames, completed) = kernel.call(start(&world, FileRead, "call-1", WRITE)).await;
    assert_eq!((words(&frames), completed.rejection()), (vec![], Rejection::SchemaChanged));

    // Nor does a grant of the canonical tool run the old name.
    let mut start = start(&world, FileRead, "call-2", READ);
    start.grant = Some(signed(&world.claims("call-2", READ)));
    let (_, completed) = kernel.call(start).await;
    assert_eq!(completed.rejection(), Rejection::GrantAudience);
}
