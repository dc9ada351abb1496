//! Files for the script model: what it says and calls, one step a request.

use serde_json::{Value, json};

/// A script in the making.
#[derive(Clone, Debug, Default)]
pub struct Script {
    steps: Vec<Value>,
    guardian: Vec<Value>,
    strict: bool,
}

impl Script {
    /// A script without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Fails on the first failed result, instead of going on.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// One more step, as the script's file has it.
    #[must_use]
    pub fn step(mut self, step: Value) -> Self {
        self.steps.push(step);
        self
    }

    /// A step with one call.
    #[must_use]
    pub fn call(self, name: &str, arguments: Value) -> Self {
        self.calls([(name, arguments)])
    }

    /// A step with several calls.
    #[must_use]
    pub fn calls<'a>(self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls: Vec<Value> = calls
            .into_iter()
            .map(|(name, arguments)| json!({ "name": name, "arguments": arguments }))
            .collect();
        self.step(json!({ "tool_calls": calls }))
    }

    /// A step that ends a turn.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.step(json!({ "text": text }))
    }

    /// One more entry of `guardian`, as the script's file has it.
    #[must_use]
    pub fn guardian(mut self, entry: Value) -> Self {
        self.guardian.push(entry);
        self
    }

    /// The file's content.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { steps, guardian, strict } = self;
        json!({ "steps": steps, "guardian": guardian, "strict": strict }).to_string()
    }
}
