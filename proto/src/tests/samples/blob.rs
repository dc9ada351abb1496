//! `tollgate.blob.v1`.

use crate::blob::v1::{
    ReadRequest, ReadResponse, StatRequest, StatResponse, WriteHeader, WriteRequest, WriteResponse,
};

use super::{
    Sample, b, s, sample, sha,
    tool::{blob, grant},
};

pub(super) fn all() -> Vec<Sample> {
    let session = s("session-1");
    let read = ReadRequest {
        session: session.clone(),
        sha256: sha(7),
        offset: 65_536,
        grant: Some(grant()),
    };
    let header = WriteHeader { session: session.clone(), blob: Some(blob()), grant: Some(grant()) };
    vec![
        sample(
            "tollgate.blob.v1.StatRequest",
            "",
            StatRequest { session, sha256: vec![sha(7), sha(8)] },
        ),
        sample("tollgate.blob.v1.StatResponse", "", StatResponse { present: vec![blob()] }),
        sample("tollgate.blob.v1.ReadRequest", "", read),
        sample("tollgate.blob.v1.ReadResponse", "", ReadResponse { data: b("any bytes") }),
        sample(
            "tollgate.blob.v1.WriteRequest",
            "",
            WriteRequest { header: Some(header), data: b("any bytes") },
        ),
        sample("tollgate.blob.v1.WriteResponse", "", WriteResponse { blob: Some(blob()) }),
    ]
}
