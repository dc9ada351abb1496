//! Receipts and snapshots as a client gets them: JSON, in bounded pages.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use tollgate_core::{
    catalog::{Toolbox, View, snapshot::Snapshot},
    digest::Digest,
    receipt::{Receipt, Record},
};
use tollgate_engine::{secrets::Redactor, servers::wire, snapshot::Inspected};
use tollgate_proto::tool::v1::Caller;

use crate::limits::{
    PAGE_BYTES_MAX, PAGE_RECEIPTS_MAX, RECEIPT_ARGUMENTS_BYTES_MAX, SNAPSHOT_BYTES_MAX,
    SNAPSHOT_REST_BYTES_MAX,
};

#[cfg(test)]
mod tests;

/// One receipt as JSON text, without arguments that are too large.
pub(crate) fn receipt(receipt: &Receipt) -> Bytes {
    json_of(serde_json::to_value(receipt).unwrap_or_default(), receipt.arguments_bytes)
}

fn record(record: &Record) -> Option<Bytes> {
    let (Record::Decided(receipt) | Record::Receipt(receipt)) = record else { return None };
    Some(json_of(serde_json::to_value(record).unwrap_or_default(), receipt.arguments_bytes))
}

fn json_of(mut receipt: Value, arguments_bytes: u64) -> Bytes {
    if arguments_bytes > RECEIPT_ARGUMENTS_BYTES_MAX
        && let Some(fields) = receipt.as_object_mut()
    {
        fields.insert("arguments".to_owned(), Value::Null);
        fields.insert("arguments_omitted".to_owned(), true.into());
    }
    receipt.to_string().into()
}

/// The page of receipts that begins at a number, and the number of the next.
pub(crate) fn receipts(records: &[Record], from: usize) -> (Vec<Bytes>, Option<usize>) {
    let (mut page, mut bytes, mut next) = (Vec::new(), 0, from);
    for found in records.iter().skip(from) {
        if let Some(text) = record(found) {
            let is_full = page.len() >= PAGE_RECEIPTS_MAX || bytes + text.len() > PAGE_BYTES_MAX;
            if is_full && !page.is_empty() {
                return (page, Some(next));
            }
            bytes += text.len();
            page.push(text);
        }
        next += 1;
    }
    (page, None)
}

/// What a client is told of a model request's tools.
#[derive(Serialize)]
struct Tools<'a> {
    tools: Vec<&'a RawValue>,
    tools_sha256: Digest,
    omitted: usize,
    /// They are those of the latest prepared request, and not of one that is still to come.
    prepared: bool,
    snapshot: Option<&'a Snapshot>,
}

/// The tools of the latest prepared request, or before that of the first, as many as fit, with what else is
/// known of it; and who may call tools among them.
pub(crate) fn snapshot(
    view: &View,
    prepared: Option<&Inspected>,
    secrets: &Redactor,
) -> (Bytes, Vec<Caller>) {
    let field = view.tools_field(&Toolbox::default());
    let (bytes, tools_sha256) = match prepared {
        Some(inspected) => {
            (inspected.tools.as_deref().unwrap_or_default().into(), inspected.tools_sha256)
        }
        None => (secrets.bytes(&field.bytes), field.sha256),
    };
    // What cannot be read is told in the snapshot.
    let all: Vec<&RawValue> = serde_json::from_slice(&bytes).unwrap_or_default();
    let mut left = SNAPSHOT_BYTES_MAX - SNAPSHOT_REST_BYTES_MAX;
    let fits = |tool: &&&RawValue| {
        let size = tool.get().len() + 1;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    };
    let tools: Vec<&RawValue> = all.iter().take_while(fits).copied().collect();
    let page = Tools {
        omitted: all.len() - tools.len(),
        tools,
        tools_sha256,
        prepared: prepared.is_some(),
        snapshot: prepared.map(|inspected| &inspected.snapshot),
    };
    // Whatever a manifest says.
    let mut callers = vec![Caller::Model, Caller::User];
    for caller in
        field.carried.iter().flat_map(|entry| &entry.callers).map(|caller| wire::caller(*caller))
    {
        if !callers.contains(&caller) {
            callers.push(caller);
        }
    }
    // JSON text, digests and numbers cannot fail to serialise.
    (serde_json::to_vec(&page).unwrap_or_default().into(), callers)
}
