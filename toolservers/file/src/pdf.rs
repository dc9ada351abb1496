//! The text of a PDF, page by page, of whoever's making.
//!
//! A PDF is parsed on a thread of its own that the call waits for: parsers of PDFs have been made to
//! hang and to fail. A worker that does not end is left behind, and no more than [`PDF_WORKERS_MAX`]
//! work at once; a panic there is a PDF that cannot be read.
//!
//! Invariants: the call ends within [`PDF_GIVEN_UP_SECONDS`], or soon after it is stopped (test
//! `a_worker_that_does_not_end_is_left_behind`); memory is bounded by the bytes and tokens of the file
//! and of what it inflates to (`pdf/load`).
//!
//! Not here: the window (`made`), which files are PDFs (`magic`).

mod fonts;
mod load;
mod page;
mod show;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    failed::{Class, Failed},
    limits::{
        PDF_GIVEN_UP_SECONDS, PDF_LOOK_MS, PDF_PAGES_MAX, PDF_SECONDS_MAX, PDF_STACK_BYTES,
        PDF_TEXT_BYTES_MAX, PDF_WORKERS_MAX,
    },
    made::{Made, Of, broken},
};

/// How long a worker may go on.
#[derive(Clone, Debug)]
struct Watch {
    deadline: Instant,
    given_up: Arc<AtomicBool>,
}

impl Watch {
    fn new() -> Self {
        let deadline = Instant::now() + Duration::from_secs(PDF_SECONDS_MAX);
        Self { deadline, given_up: Arc::default() }
    }

    /// Whether the time is over or nobody waits any longer.
    fn is_over(&self) -> bool {
        self.given_up.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

/// What a PDF has.
#[derive(Debug)]
struct Pages {
    /// Of the document.
    count: usize,
    /// The text of the first of them; `None`: the page could not be read.
    texts: Vec<Option<String>>,
}

/// Why a PDF has nothing for a reader.
#[derive(Debug, Eq, PartialEq)]
enum Fault {
    Encrypted,
    Broken(String),
    /// So many pages without text.
    NoText(usize),
    TooManyTokens,
    TimeOver,
    Stopped,
    Busy,
}

/// The text of a PDF. `stopped` is asked while the call waits.
///
/// # Errors
/// `unreadable` for a PDF that is damaged, encrypted or has no text, `too_large` for one over a bound,
/// `cancelled`.
pub(crate) fn made(
    shown: &str,
    bytes: Vec<u8>,
    stopped: &dyn Fn() -> bool,
) -> Result<Made, Failed> {
    let size = bytes.len();
    let pages = work(move |watch| load::pages(&bytes, watch), stopped);
    pages.and_then(|pages| assemble(&pages)).map_err(|fault| told(fault, shown, size))
}

/// Runs a worker and waits for it.
fn work(
    job: impl FnOnce(&Watch) -> Result<Pages, Fault> + Send + 'static,
    stopped: &dyn Fn() -> bool,
) -> Result<Pages, Fault> {
    let slot = Slot::take().ok_or(Fault::Busy)?;
    let watch = Watch::new();
    let (sender, receiver) = sync_channel(1);
    let theirs = watch.clone();
    let worker = move || {
        let done = catch_unwind(AssertUnwindSafe(|| job(&theirs)));
        let done = done.unwrap_or_else(|_| Err(Fault::Broken("its parser failed".to_owned())));
        // Nobody waits any longer: then the answer is for nobody.
        drop(sender.send(done));
        drop(slot);
    };
    let builder = thread::Builder::new().name("pdf".to_owned()).stack_size(PDF_STACK_BYTES);
    builder.spawn(worker).map_err(|error| Fault::Broken(format!("no thread: {error}")))?;
    let done = wait(&receiver, stopped);
    watch.given_up.store(true, Ordering::Relaxed);
    done
}

fn wait(
    receiver: &Receiver<Result<Pages, Fault>>,
    stopped: &dyn Fn() -> bool,
) -> Result<Pages, Fault> {
    let given_up = Instant::now() + Duration::from_secs(PDF_GIVEN_UP_SECONDS);
    loop {
        match receiver.recv_timeout(Duration::from_millis(PDF_LOOK_MS)) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Fault::Broken("its parser ended".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if stopped() => return Err(Fault::Stopped),
            Err(RecvTimeoutError::Timeout) if Instant::now() >= given_up => {
                return Err(Fault::TimeOver);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Workers that have not ended.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// One of [`PDF_WORKERS_MAX`]; given back when it is dropped.
struct Slot;

impl Slot {
    fn take() -> Option<Self> {
        let more = |working| (working < PDF_WORKERS_MAX).then_some(working + 1);
        WORKING.try_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The pages as one text, each after a line with its number.
fn assemble(pages: &Pages) -> Result<Made, Fault> {
    let Pages { count, texts } = pages;
    let empty = texts.iter().flatten().filter(|text| text.trim().is_empty()).count();
    let unread = texts.iter().filter(|text| text.is_none()).count();
    if empty + unread == texts.len() {
        let why = "none of its pages can be read".to_owned();
        return Err(if empty > 0 { Fault::NoText(*count) } else { Fault::Broken(why) });
    }
    let (mut text, mut starts, mut line) = (String::new(), Vec::new(), 1_u64);
    for (page, of_page) in (1..).zip(texts) {
        let of_page = match of_page {
            None => "(this page cannot be read)",
            Some(of_page) if of_page.trim().is_empty() => "(no text on this page)",
            Some(of_page) => of_page,
        };
        let lines = broken(of_page);
        starts.push(line);
        line += 1 + lines.lines().count() as u64;
        text.extend([&format!("[page {page} of {count}]\n"), &lines].map(String::as_str));
        if text.len() >= PDF_TEXT_BYTES_MAX {
            break;
        }
    }
    let notices = notices(*count, starts.len(), empty, unread);
    Ok(Made::new(text, Of::Pdf { pages: *count, starts }, notices))
}

fn notices(count: usize, shown: usize, empty: usize, unread: usize) -> Vec<String> {
    let mut notices = vec![format!(
        "the text of a PDF document of {}; its layout is lost",
        counted(count, "page")
    )];
    if shown < count {
        notices.push(format!(
            "only pages 1-{shown} are in this text: the rest is over {PDF_SECONDS_MAX} seconds, \
             {PDF_TEXT_BYTES_MAX} bytes of text or {PDF_PAGES_MAX} pages. With bash: pdftotext -f {}",
            shown + 1
        ));
    }
    if empty > 0 {
        notices.push(format!("{} without text: pictures, or blank", counted(empty, "page")));
    }
    if unread > 0 {
        notices.push(format!("{} could not be read", counted(unread, "page")));
    }
    notices
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn told(fault: Fault, shown: &str, size: usize) -> Failed {
    let (class, why) = match fault {
        Fault::Encrypted => (
            Class::Unreadable,
            "it is encrypted. If only changes need a password, its text can be had with bash: pdftotext; \
             with the password a copy without it: qpdf --decrypt"
                .to_owned(),
        ),
        Fault::Broken(why) => (Class::Unreadable, format!("{why}; it is damaged, or no PDF after all")),
        Fault::NoText(pages) => (
            Class::Unreadable,
            format!(
                "none of its {} has text: they are pictures (scanned or drawn). Make images of them, for \
                 example with bash: pdftoppm -png -r 100, and read these",
                counted(pages, "page")
            ),
        ),
        Fault::TooManyTokens => (
            Class::TooLarge,
            "it has too many objects. Take a part of it, for example with bash: pdftotext -f 1 -l 50"
                .to_owned(),
        ),
        Fault::TimeOver => (
            Class::TooLarge,
            format!(
                "it took longer than {PDF_SECONDS_MAX} seconds. Take a part of it, for example with bash: \
                 pdftotext -f 1 -l 50"
            ),
        ),
        Fault::Busy => (
            Class::TooLarge,
            format!("{PDF_WORKERS_MAX} other documents are being worked on; try again later"),
        ),
        Fault::Stopped => {
            return Failed::new(Class::Cancelled, format!("reading {shown} was stopped"));
        }
    };
    let message = format!("{shown} is a PDF document, {size} bytes, that cannot be shown: {why}");
    Failed::new(class, message)
}

#[cfg(test)]
mod tests;
