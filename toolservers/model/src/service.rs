//! `tollgate.model.v1.Model` as gRPC: the grant, the request's bounds and shape, then the models.
//!
//! Order of refusals: size and shape of the message, then the grant, then the request's own shape;
//! so that nothing of a request is read that no grant covers.

use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, StreamExt};
use tollgate_proto::model::v1::model_server::Model;
use tollgate_proto::model::v1::{
    DescribeRequest, DescribeResponse, GenerateRequest, GenerateResponse,
};
use tollgate_sdk::GrantGate;
use tonic::{Response, Status};

use crate::limits::REQUEST_BYTES_MAX;
use crate::models::Models;
use crate::request::Request;

/// What a grant for `Generate` names as its tool.
const TOOL: &str = "generate";

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct ModelService {
    gate: GrantGate,
    models: Arc<Models>,
}

impl ModelService {
    /// A service whose requests pass the gate first.
    pub(crate) fn new(gate: GrantGate, models: Models) -> Self {
        Self { gate, models: Arc::new(models) }
    }
}

#[tonic::async_trait]
impl Model for ModelService {
    type GenerateStream =
        Pin<Box<dyn Stream<Item = Result<GenerateResponse, Status>> + Send + 'static>>;

    async fn describe(
        &self,
        _: tonic::Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        Ok(Response::new(DescribeResponse { models: self.models.list() }))
    }

    async fn generate(
        &self,
        request: tonic::Request<GenerateRequest>,
    ) -> Result<Response<Self::GenerateStream>, Status> {
        let GenerateRequest { session, call_id, model, request, grant } = request.into_inner();
        if request.len() > REQUEST_BYTES_MAX {
            let why = format!("`request` is longer than {REQUEST_BYTES_MAX} bytes");
            return Err(Status::invalid_argument(why));
        }
        self.gate.check(grant.as_ref(), &session, &call_id, TOOL, &request)?;
        let request = Request::parse(&request).map_err(Status::invalid_argument)?;
        tracing::debug!(call_id, model, step = request.step(), "generate");
        let events = Arc::clone(&self.models).answer(&model, request);
        let responses = events.map(|event| Ok(GenerateResponse { event: Some(event) }));
        Ok(Response::new(Box::pin(responses)))
    }
}
