//! What is redacted of each thing that is kept or shown: every text that somebody else had a say in.

use std::path::PathBuf;

use tollgate_core::{
    authority::Why,
    call::{Block, Outcome},
    receipt::{Question, Receipt},
    safety::Subject,
};

use super::Redactor;
use crate::{approval::Card, event::Body, store::session::SessionRecord};

impl Redactor {
    /// A call's outcome. Pictures and sounds stay: they are no text.
    pub(crate) fn outcome(&self, outcome: &mut Outcome) {
        if self.is_empty() {
            return;
        }
        self.blocks(&mut outcome.content);
        outcome.messages.iter_mut().for_each(|message| self.blocks(message));
        self.value(&mut outcome.structured);
        self.value(&mut outcome.metadata);
        self.hide(&mut outcome.rendering);
        self.hide(&mut outcome.error_class);
    }

    pub(crate) fn blocks(&self, blocks: &mut [Block]) {
        for block in blocks {
            match block {
                Block::Text { text } => self.hide(text),
                Block::Json { value } => self.value(value),
                Block::Resource { uri, media_type, text } => {
                    [uri, media_type, text].into_iter().for_each(|text| self.hide(text));
                }
                Block::Image { media_type, .. } | Block::Audio { media_type, .. } => {
                    self.hide(media_type);
                }
            }
        }
    }

    /// A receipt, finished or not.
    pub(crate) fn receipt(&self, receipt: &mut Receipt) {
        if self.is_empty() {
            return;
        }
        self.hide(&mut receipt.tool);
        let said = [&mut receipt.asked_as, &mut receipt.instance, &mut receipt.rule];
        said.into_iter().flatten().for_each(|text| self.hide(text));
        if let Some(facts) = &mut receipt.server_facts {
            self.hide(&mut facts.name);
            self.hide(&mut facts.version);
        }
        self.hide(&mut receipt.confinement);
        self.value(&mut receipt.arguments);
        receipt.coercions.iter_mut().for_each(|it| self.hide(&mut it.pointer));
        receipt.subjects.iter_mut().for_each(|subject| self.subject(subject));
        receipt.layers.iter_mut().for_each(|note| self.hide(note.reason.to_mut()));
        if let Some(end) = &mut receipt.end {
            self.hide(&mut end.error_class);
            self.hide(&mut end.error);
        }
    }

    /// A record of a session. Its head has nothing that anybody but the user said.
    pub(crate) fn record(&self, record: &mut SessionRecord) {
        match record {
            SessionRecord::User { text, .. }
            | SessionRecord::TurnEnd { text, .. }
            | SessionRecord::Note { text } => self.hide(text),
            SessionRecord::Assistant(answer) => {
                let texts = [&mut answer.text, &mut answer.reasoning, &mut answer.carried];
                texts.into_iter().for_each(|text| self.hide(text));
                for call in &mut answer.tool_calls {
                    self.hide(&mut call.name);
                    self.hide(&mut call.arguments);
                }
            }
            SessionRecord::ToolResult(result) => {
                self.hide(&mut result.name);
                self.blocks(&mut result.content);
                self.value(&mut result.metadata);
            }
            SessionRecord::Inject { messages } => {
                messages.iter_mut().for_each(|message| self.blocks(message));
            }
            SessionRecord::Observed { files } => {
                files.iter_mut().for_each(|file| self.hide(&mut file.path));
            }
            SessionRecord::Cwd { path } => self.path(path),
            SessionRecord::Grants { rules } => rules.iter_mut().for_each(|rule| self.hide(rule)),
            SessionRecord::Tainted(taint) => {
                self.hide(&mut taint.tool);
                self.hide(&mut taint.source);
            }
            SessionRecord::Session(_)
            | SessionRecord::Request { .. }
            | SessionRecord::Stance(_)
            | SessionRecord::End => {}
        }
    }

    /// An event.
    pub(crate) fn body(&self, body: &mut Body) {
        if self.is_empty() {
            return;
        }
        match body {
            Body::TurnStarted { prompt: text }
            | Body::AssistantMessage { text, .. }
            | Body::ModelRetrying { reason: text, .. }
            | Body::ToolProgress { text, .. }
            | Body::GuardianJudged { reason: text, .. }
            | Body::TurnCompleted { text, .. }
            | Body::Error { message: text, .. } => self.hide(text),
            Body::AssistantDelta { text, reasoning } => {
                self.hide(text);
                self.hide(reasoning);
            }
            Body::ToolCall { name, arguments, .. } => {
                self.hide(name);
                self.value(arguments);
            }
            Body::ToolStarted { title, .. } => self.hide(title),
            Body::ApprovalRequested { card, .. } => self.card(card),
            Body::ToolResult { name, content, metadata, rendering, receipt, .. } => {
                self.hide(name);
                self.blocks(content);
                self.value(metadata);
                self.hide(rendering);
                self.receipt(receipt);
            }
            Body::SessionStarted { .. }
            | Body::RequestPrepared { .. }
            | Body::StanceChanged { .. }
            | Body::CatalogChanged { .. }
            | Body::ApprovalDecided { .. }
            | Body::SessionEnded {} => {}
        }
    }

    /// A question, answered or not.
    pub(crate) fn question(&self, question: &mut Question) {
        if self.is_empty() {
            return;
        }
        question.why.iter_mut().for_each(|why| self.why(why));
        self.hide(&mut question.said);
        question.stored.iter_mut().for_each(|rule| self.hide(rule));
    }

    /// A card.
    pub(crate) fn card(&self, card: &mut Card) {
        if self.is_empty() {
            return;
        }
        self.hide(&mut card.title);
        self.hide(&mut card.preview);
        self.value(&mut card.arguments);
        card.subjects.iter_mut().for_each(|subject| self.subject(subject));
        card.why.iter_mut().for_each(|why| self.why(why));
        card.commands.iter_mut().chain(&mut card.offer).for_each(|text| self.hide(text));
        if let Some(wish) = &mut card.escalation {
            self.hide(&mut wish.justification);
        }
        if let Some(reach) = &mut card.reach {
            reach.hosts.iter_mut().for_each(|host| self.hide(host));
        }
    }

    pub(crate) fn why(&self, why: &mut Why) {
        self.hide(&mut why.reason);
        if let Some(rule) = &mut why.rule {
            self.hide(rule);
        }
    }

    pub(crate) fn subject(&self, subject: &mut Subject) {
        match subject {
            Subject::Path { absolute, relative, .. } => {
                self.path(absolute);
                if let Some(relative) = relative {
                    self.path(relative);
                }
            }
            Subject::Command { argv, operator, .. } => {
                argv.iter_mut().for_each(|word| self.hide(word));
                self.hide(operator);
            }
            Subject::Host { host } => self.hide(host),
            Subject::Repo { path } => self.path(path),
            Subject::Mcp { server, tool } => {
                self.hide(server);
                self.hide(tool);
            }
            Subject::Tool { name } => self.hide(name),
            Subject::Unknown => {}
        }
    }

    fn path(&self, path: &mut PathBuf) {
        let text = path.to_string_lossy().into_owned();
        let told = self.text(text.clone());
        if told != text {
            *path = told.into();
        }
    }
}
