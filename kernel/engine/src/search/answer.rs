//! [`Answer`]: what a search found and did, before it is told; and its structured form.
//!
//! Not here: its text ([`super::show`]).

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollgate_core::{
    call::{Caller, RawCall},
    catalog::{Entry, Exposure, Surface, contract::EXECUTE_TOOLS},
    name::ToolName,
    safety::Trust,
    stance::{Mode, Posture},
};
use tollgate_search::{Found, Why};

use super::{
    activate::{Activation, activate},
    ask::{Ask, Format},
    details::Details,
    discover::About,
    limits::{DESCRIPTION_CHARS_MAX, ECHO_CHARS_MAX, NOT_SEARCHED_MAX},
    plain,
    shelf::{Shelf, server_of},
    unsearched::{self, Unsearched},
};
use crate::tools::{Seen, Tools};

/// One tool of an answer.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The tool.
    pub(super) entry: Arc<Entry>,
    /// From 0 to 1.
    pub(super) score: f32,
    /// What found it.
    pub(super) why: Why,
}

/// A name that was picked and is not found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Missing {
    /// As it was asked for, bounded.
    pub(super) name: String,
    /// Why, if it is a tool's that the asker knows of.
    pub(super) why: Option<String>,
}

/// Who asks, and what it can do with an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asker {
    /// Who.
    pub(super) caller: Caller,
    /// Whether it is a model's own call, and not one from within another.
    pub(super) is_direct: bool,
    /// What a model sees.
    pub(super) surface: Surface,
}

impl Asker {
    /// Whoever asks for this call.
    pub(super) fn of(raw: &RawCall, surface: Surface) -> Self {
        let is_direct = raw.caller == Caller::Model && raw.parent.is_none();
        Self { caller: raw.caller, is_direct, surface }
    }

    /// Whether what is found goes into the toolbox: only what the asker can see there.
    pub(super) fn activates(self) -> bool {
        self.is_direct && self.surface == Surface::Full
    }

    /// Whether what is found can only be called by a program.
    pub(super) fn is_program(self) -> bool {
        self.caller == Caller::Program || (self.is_direct && self.surface == Surface::Code)
    }
}

/// What a search found and did.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) ask: Ask,
    pub(super) asker: Asker,
    pub(super) hits: Vec<Hit>,
    /// Matches in all.
    pub(super) total: usize,
    /// Where the next page begins.
    pub(super) next_skip: Option<usize>,
    pub(super) nearest: Vec<ToolName>,
    pub(super) missing: Vec<Missing>,
    pub(super) server_is_unknown: bool,
    pub(super) mode: Mode,
    pub(super) posture: Posture,
    /// Whether there are programs to call tools from.
    pub(super) has_programs: bool,
    /// Tools that are one too many to be found.
    pub(super) left_out: usize,
    /// Deferred tools that are in the requests that follow.
    pub(super) active: Vec<ToolName>,
    pub(super) activation: Activation,
    pub(super) unsearched: Vec<Unsearched>,
    /// Whether the search was about servers, so that those not searched are told with their reasons.
    pub(super) is_about_servers: bool,
    /// Schemas or declarations, of each hit.
    pub(super) details: Details,
}

impl Answer {
    /// What an index found; nothing is activated yet.
    pub(super) fn of(ask: Ask, asker: Asker, seen: &Seen, shelf: &Shelf, found: Found) -> Self {
        let entry = |index: &usize| shelf.entry(*index);
        let hits = found.matches.iter().filter_map(|it| {
            Some(Hit { entry: Arc::clone(entry(&it.index)?), score: it.score, why: it.why })
        });
        let hits: Vec<Hit> = hits.collect();
        let missing = found.missing.iter().map(|name| Missing {
            name: plain::line(name, ECHO_CHARS_MAX),
            why: why_missing(seen, name),
        });
        let details = Details::of(&hits, ask.format);
        Self {
            next_skip: next_skip(&ask, &hits, found.matched_total),
            total: found.matched_total,
            nearest: found.nearest.iter().filter_map(entry).map(|it| it.name.clone()).collect(),
            missing: missing.collect(),
            server_is_unknown: found.server_is_unknown,
            has_programs: seen.view.get(EXECUTE_TOOLS).is_some(),
            mode: seen.mode,
            posture: seen.posture,
            left_out: shelf.left_out(),
            active: Vec::new(),
            activation: Activation::default(),
            unsearched: Vec::new(),
            is_about_servers: false,
            details,
            ask,
            asker,
            hits,
        }
    }

    /// Puts what is meant into the toolbox, if the asker can see it there.
    pub(super) fn act(&mut self, tools: &Tools) {
        if self.asker.activates() {
            self.activation = activate(tools, &self.hits);
        }
        self.active = tools.active();
    }

    /// Takes in what could not be searched.
    pub(super) fn tell_of_servers(&mut self, seen: &Seen, about: &About, now_unix_ms: u64) {
        self.unsearched = unsearched::of(seen, &about.wanted, now_unix_ms);
        self.is_about_servers = about.is_about_servers;
    }

    /// Whether a model's next request carries the tool.
    pub(super) fn is_active(&self, entry: &Entry) -> bool {
        let is_carried = match entry.exposure {
            Exposure::Eager => true,
            Exposure::Deferred => self.active.contains(&entry.name),
            Exposure::Hidden => false,
        };
        is_carried && self.asker.surface.shows(entry.name.as_str())
    }

    /// The whole of it as JSON.
    pub(super) fn structured(&self) -> Value {
        let Activation { activated, evicted, too_large, no_room } = &self.activation;
        let large = too_large.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes }));
        let missing = self.missing.iter().map(|it| &it.name);
        let unsearched: Vec<_> = self.unsearched.iter().take(NOT_SEARCHED_MAX).collect();
        let mut all = json!({
            "matches": self.hits.iter().map(|hit| self.match_of(hit)).collect::<Vec<_>>(),
            "matched_total": self.total,
            "shown": self.hits.len(),
            "skipped": self.ask.skip,
            "nearest": self.nearest,
            "missing": missing.collect::<Vec<_>>(),
            "activated": activated,
            "evicted": evicted,
            "too_large": large.collect::<Vec<_>>(),
            "no_room": no_room,
            "not_searched": unsearched,
            "not_searched_total": self.unsearched.len(),
        });
        if let (Some(next), Some(all)) = (self.next_skip, all.as_object_mut()) {
            all.insert("next_skip".to_owned(), next.into());
        }
        all
    }

    fn match_of(&self, hit: &Hit) -> Value {
        let entry = &hit.entry;
        let mut of = Map::new();
        let mut put = |key: &str, value: Value| of.insert(key.to_owned(), value);
        put("name", entry.name.as_str().into());
        put("description", plain::first_sentence(&entry.description, DESCRIPTION_CHARS_MAX).into());
        put("server", server_of(entry).into());
        put("trusted", (entry.trust == Trust::Trusted).into());
        put("score", rounded(hit.score).into());
        put("why", hit.why.word().into());
        put("signature", signature(entry).into());
        put("exposure", json!(entry.exposure));
        put("active", self.is_active(entry).into());
        if let Some(text) = self.details.get(&entry.name) {
            match self.ask.format {
                Format::Schema => {
                    let value = serde_json::from_str(text).unwrap_or_default();
                    put("input_schema", value);
                }
                Format::Types => {
                    put("types", text.into());
                }
                Format::Card | Format::Names => {}
            }
        }
        if let Some(bytes) = self.details.omitted(&entry.name) {
            put("omitted_bytes", bytes.into());
        }
        Value::Object(of)
    }

    /// A few facts beside the content.
    pub(super) fn metadata(&self) -> Value {
        json!({
            "matched_total": self.total,
            "shown": self.hits.len(),
            "activated": self.activation.activated,
            "evicted": self.activation.evicted,
            "not_searched": self.unsearched.len(),
        })
    }
}

/// A tool's call on one line.
pub(super) fn signature(entry: &Entry) -> String {
    tollgate_types::signature(entry.name.as_str(), &entry.input_schema)
}

/// To thousandths, so that it is short wherever it is shown.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

/// A page has the asked number of matches, or all that are named; what else stands on the first one because
/// its name is a word of the query comes again in its own place.
fn next_skip(ask: &Ask, hits: &[Hit], total: usize) -> Option<usize> {
    let named = hits.iter().filter(|hit| hit.why >= Why::ShortName).count();
    let next = ask.skip.saturating_add(hits.len().min(ask.limit().max(named)));
    (!hits.is_empty() && next < total).then_some(next)
}

/// Why a tool that the asker may know of cannot be found.
fn why_missing(seen: &Seen, name: &str) -> Option<String> {
    let entry = seen.view.get(name)?;
    if entry.is_synthetic() {
        return Some("it is this search".to_owned());
    }
    let (mode, posture) = (seen.mode, seen.posture);
    Some(match mode {
        Mode::Plan => "it may change something, and the mode is plan".to_owned(),
        Mode::Work | Mode::Operate => {
            format!("it may change something, and the posture is {}", posture.as_str())
        }
    })
}
