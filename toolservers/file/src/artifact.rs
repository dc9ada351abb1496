//! What `read` sees of an artifact: asked of the kernel piece by piece, and seen as a file is.
//!
//! An artifact of at most [`WHOLE_BYTES_MAX`] is read to its end, a larger one until its window is
//! known. There is no index: an artifact is read from its first byte each time. It has no name, so a
//! notebook is shown as the JSON that it is.
//!
//! Not here: which artifacts there are, and for whom (the kernel).

use tollgate_sdk::CancellationToken;

use crate::{
    failed::{Class, Failed},
    limits::{BLOCK_BYTES, WHOLE_BYTES_MAX},
    magic::{self, Content},
    outcome::blocking,
    pass::Pass,
    pdf,
    picture::picture,
    view::{TextView, View, binary, check_whole},
    window::Wanted,
};

/// What a path that names an artifact begins with.
const PREFIX: &str = "artifact:";

/// The name of an artifact.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ArtifactId {
    /// As a path argument has it.
    path: String,
}

impl ArtifactId {
    /// The artifact that a path argument names; `None`: it names a file.
    ///
    /// # Errors
    /// `invalid_path` for anything else after the prefix than 64 hex digits.
    pub(crate) fn of_path(path: &str) -> Result<Option<Self>, Failed> {
        let Some(digits) = path.strip_prefix(PREFIX) else { return Ok(None) };
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() == 64 && digits.bytes().all(is_digit) {
            return Ok(Some(Self { path: path.to_owned() }));
        }
        let message = "an artifact is named by `artifact:` and all of its 64 hex digits in lower case, \
                       as the result that mentions it has them; a file of such a name is \
                       `./artifact:…`";
        Err(Failed::new(Class::InvalidPath, message))
    }

    /// As a path argument and in messages.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// SHA-256 of its content, 64 hex digits.
    pub(crate) fn digits(&self) -> &str {
        self.path.strip_prefix(PREFIX).unwrap_or(&self.path)
    }
}

/// An artifact and a way to its bytes: `piece(start, count)` gives `count` bytes from `start` on, at
/// most [`BLOCK_BYTES`], or fewer at the end.
pub(crate) struct Artifact<'a, P> {
    pub(crate) id: &'a ArtifactId,
    pub(crate) piece: P,
    /// Fires when the call must stop.
    pub(crate) cancelled: CancellationToken,
}

impl<P, F> Artifact<'_, P>
where
    P: Fn(u64, usize) -> F,
    F: Future<Output = Result<Vec<u8>, Failed>>,
{
    /// Looks at the artifact through a window.
    ///
    /// # Errors
    /// Those of `piece`; `binary`, `unreadable` and `too_large` for an image or a PDF, `past_end`.
    pub(crate) async fn view(&self, wanted: Wanted) -> Result<View, Failed> {
        let shown = self.id.path();
        let first = (self.piece)(0, BLOCK_BYTES).await?;
        match magic::content(&first) {
            Content::Text => View::text(self.text(first, wanted).await?, wanted, shown),
            Content::Binary(magic::PDF) => self.pdf(first, wanted).await,
            Content::Binary(kind) => Err(binary(shown, kind, self.size(&first, 0).await?)),
            Content::Image(media_type) => {
                let data = self.whole(first, &format!("an image ({media_type})")).await?;
                let (shown, cancelled) = (shown.to_owned(), self.cancelled.clone());
                let stopped = move || cancelled.is_cancelled();
                let seen = blocking(move || picture(&shown, media_type, data, &stopped)).await?;
                Ok(View::Image(seen))
            }
        }
    }

    async fn pdf(&self, first: Vec<u8>, wanted: Wanted) -> Result<View, Failed> {
        let bytes = self.whole(first, magic::PDF).await?;
        let size = bytes.len() as u64;
        let (shown, cancelled) = (self.id.path().to_owned(), self.cancelled.clone());
        let made = blocking(move || pdf::made(&shown, bytes, &|| cancelled.is_cancelled())).await?;
        View::text(made.view(wanted, size, None), wanted, self.id.path())
    }

    /// All of it, of which `first` was read.
    async fn whole(&self, first: Vec<u8>, kind: &str) -> Result<Vec<u8>, Failed> {
        let size = self.size(&first, 0).await?;
        check_whole(self.id.path(), kind, size)?;
        let mut bytes = first;
        for start in (BLOCK_BYTES as u64..size).step_by(BLOCK_BYTES) {
            bytes.extend((self.piece)(start, BLOCK_BYTES).await?);
        }
        Ok(bytes)
    }

    /// Reads until the window is known and, of at most [`WHOLE_BYTES_MAX`], all of it is.
    async fn text(&self, first: Vec<u8>, wanted: Wanted) -> Result<TextView, Failed> {
        let mut pass = Pass::new(wanted, &first, (1, 0));
        let (mut block, mut start) = (first, 0);
        loop {
            pass.feed(&block);
            let end = start + block.len() as u64;
            if pass.is_ended() || end > WHOLE_BYTES_MAX && pass.is_done() {
                let (size, total) = (self.size(&block, start).await?, pass.total());
                return Ok(pass.finish(size, total));
            }
            start = end;
            block = (self.piece)(start, BLOCK_BYTES).await?;
        }
    }

    /// The size, of which `block` was read from `start` on. If it goes on after that, it is measured
    /// by asking where there still is a byte.
    async fn size(&self, block: &[u8], start: u64) -> Result<u64, Failed> {
        // It is at least `least` and less than `past`.
        let mut least = start + block.len() as u64;
        if block.len() < BLOCK_BYTES {
            return Ok(least);
        }
        let mut past = least + 1;
        while let Some(further) = past.checked_mul(2)
            && !(self.piece)(past - 1, 1).await?.is_empty()
        {
            (least, past) = (past, further);
        }
        while least + 1 < past {
            let middle = least + (past - least) / 2;
            if (self.piece)(middle - 1, 1).await?.is_empty() {
                past = middle;
            } else {
                least = middle;
            }
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests;
