//! What must be equal: a receipt without ids, times, place in the session, and caller.

use serde_json::Value;

/// Fields that name the call, not the decision.
const OF_THE_CALL: &[&str] = &[
    "type",
    "id",
    "parent",
    "session",
    "turn",
    "step",
    "agent",
    "caller",
    "started_unix_ms",
    "grant_sha256",
    "instance",
    "seq",
    "prev",
];
const OF_ITS_END: &[&str] = &["ended_unix_ms"];

/// The essence of a receipt.
pub(super) fn of(receipt: &Value) -> Value {
    let mut essence = receipt.clone();
    let fields = essence.as_object_mut().expect("a receipt is an object");
    for name in OF_THE_CALL {
        fields.remove(*name);
    }
    if let Some(end) = fields.get_mut("end").and_then(Value::as_object_mut) {
        for name in OF_ITS_END {
            end.remove(*name);
        }
    }
    essence
}

/// "refused: rule", "approved", …: for counting.
pub(super) fn word(essence: &Value) -> String {
    let decision = essence["decision"].as_str().unwrap_or_default();
    match essence["end"]["error_class"].as_str() {
        Some(class) => format!("{decision}: {class}"),
        None => decision.to_owned(),
    }
}
