//! Receipts and snapshots as a client gets them: JSON, in bounded pages.

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_core::{
    catalog::{Catalog, Exposure},
    digest::Digest,
    receipt::{Receipt, Record},
};
use tollgate_engine::servers::wire;
use tollgate_proto::tool::v1::Caller;

use crate::limits::{
    PAGE_BYTES_MAX, PAGE_RECEIPTS_MAX, RECEIPT_ARGUMENTS_BYTES_MAX, SNAPSHOT_BYTES_MAX,
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

/// The tools of a model request, as many as fit, and who may call tools among them.
pub(crate) fn snapshot(catalog: &Catalog) -> (Bytes, Vec<Caller>) {
    let array = catalog.request_tools();
    let mut tools: Vec<Value> = serde_json::from_slice(&array).unwrap_or_default();
    let all = tools.len();
    let text = |tools: &[Value]| {
        let omitted = all - tools.len();
        json!({ "tools": tools, "tools_sha256": Digest::of(&array), "omitted": omitted })
            .to_string()
    };
    let mut snapshot = text(&tools);
    while snapshot.len() > SNAPSHOT_BYTES_MAX && tools.pop().is_some() {
        snapshot = text(&tools);
    }
    // Whatever a manifest says.
    let mut callers = vec![Caller::Model, Caller::User];
    let eager = catalog.list().into_iter().filter(|entry| entry.exposure == Exposure::Eager);
    for caller in eager.flat_map(|entry| &entry.callers).map(|caller| wire::caller(*caller)) {
        if !callers.contains(&caller) {
            callers.push(caller);
        }
    }
    (snapshot.into(), callers)
}
