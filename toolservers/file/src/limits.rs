//! Every number of the file server: its unit, its reason, and what happens at it.
//!
//! Not here: the kernel's bounds on a whole result (the SDK enforces them).

/// Lines that one `read` shows at most; a notice names the next offset.
pub(crate) const READ_LINES_MAX: u64 = 2_000;

/// Bytes of text that one `read` shows at most, notices apart; whole lines, unless one line is
/// longer than this.
pub(crate) const READ_BYTES_MAX: usize = 50 * 1024;

/// Bytes of a file that is held in memory whole: what `write` and `edit` replace, and what a `read`
/// hashes so that a later write can tell a change. A larger file is read by windows only.
pub(crate) const WHOLE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Bytes of a file in another encoding than UTF-8 that `edit` takes: it needs an offset for each
/// byte of the decoded text.
pub(crate) const DECODED_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes of an image that fits a result (the SDK's bound); a larger one is scaled down.
pub(crate) const IMAGE_BYTES_MAX: usize = 192 * 1024;

/// Pixels of the long side of an image that models take as it is; a larger one is scaled down.
pub(crate) const IMAGE_SIDE_MAX: u32 = 1_568;

/// Pixels of an image that is decoded; a larger one is refused by its header.
pub(crate) const IMAGE_PIXELS_MAX: u64 = 50_000_000;

/// Pixels of a side of an image that is decoded.
pub(crate) const IMAGE_DECODED_SIDE_MAX: u32 = 65_535;

/// Bytes of memory for a decoded image; one that needs more is refused.
pub(crate) const IMAGE_DECODED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Tries to make an image fit, each with three quarters of the sides of the one before.
pub(crate) const IMAGE_TRIES_MAX: u32 = 12;

/// Bytes of a line of a text that is made of a document; a longer one is broken there, so that each
/// line can be shown whole.
pub(crate) const MADE_LINE_BYTES_MAX: usize = 4 * 1024;

/// Seconds for the pages of a PDF: the pages after it are left out, and the result says so.
pub(crate) const PDF_SECONDS_MAX: u64 = 10;

/// Seconds after which nobody waits for a PDF any longer: its worker is on a page that does not end.
pub(crate) const PDF_GIVEN_UP_SECONDS: u64 = 15;

/// Milliseconds between two looks at whether a call that waits for a PDF is stopped.
pub(crate) const PDF_LOOK_MS: u64 = 20;

/// PDFs that are worked on at once, those that nobody waits for among them; a further one is refused.
pub(crate) const PDF_WORKERS_MAX: usize = 3;

/// Bytes of stack of a PDF's worker: the parser goes 100 levels deep.
pub(crate) const PDF_STACK_BYTES: usize = 16 * 1024 * 1024;

/// Bytes that one stream of a PDF may inflate to.
pub(crate) const PDF_STREAM_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Numbers, names, texts and containers of a PDF, of the file and of its object streams; each takes
/// about 100 bytes of memory. A file with more is refused.
pub(crate) const PDF_TOKENS_MAX: usize = 4_000_000;

/// Tokens of a page's content, or of a form's; one operator may take the memory of all of them. A page with
/// more is not read.
pub(crate) const PDF_CONTENT_TOKENS_MAX: usize = 2_000_000;

/// Bytes of tables of characters of all fonts of a PDF, inflated; fonts after it are read as Latin-1.
pub(crate) const PDF_FONT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Pages of a PDF that are looked at; the rest is counted.
pub(crate) const PDF_PAGES_MAX: usize = 5_000;

/// Bytes of text of a PDF; pages after it are left out.
pub(crate) const PDF_TEXT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Forms (content within content) of one page.
pub(crate) const PDF_FORMS_MAX: u32 = 256;

/// Forms within one another, and saved states of drawing.
pub(crate) const PDF_DEPTH_MAX: usize = 32;

/// Texts of documents that are kept while their files are the same; the one unused for longest goes.
pub(crate) const DOCUMENTS_KEPT_MAX: usize = 4;

/// Bytes of an output of a notebook's cell that are shown; the rest is counted.
pub(crate) const NOTEBOOK_OUTPUT_BYTES_MAX: usize = 8 * 1024;

/// Windows that sessions have read, remembered so that they need not be sent again; the oldest goes.
pub(crate) const SEEN_MAX: usize = 256;

/// Steps of a turn after which a window is sent again though it is unchanged.
pub(crate) const SEEN_STEPS_MAX: u32 = 8;

/// Bytes of a window below which it is sent again: a sentence would hardly be shorter.
pub(crate) const SEEN_BYTES_MIN: usize = 1_024;

/// Bytes read from a file at once.
pub(crate) const BLOCK_BYTES: usize = 64 * 1024;

/// Bytes at the start of a file that tell its kind: as many as `git` looks at.
pub(crate) const HEAD_BYTES: usize = 8 * 1024;

/// Bytes that are not ASCII-only, in blocks, from which an encoding is guessed; more makes the guess
/// slower, hardly better.
pub(crate) const GUESS_BYTES_MAX: usize = 256 * 1024;

/// Bytes between two marks of a line index: a deep window starts at most this far before its line.
pub(crate) const INDEX_STEP_BYTES: u64 = 4 * 1024 * 1024;

/// Marks of one line index; a larger file has its later part scanned.
pub(crate) const INDEX_MARKS_MAX: usize = 65_536;

/// Files with a line index; the one unused for longest makes room.
pub(crate) const INDEX_FILES_MAX: usize = 16;

/// Edits of one call.
pub(crate) const EDITS_MAX: usize = 256;

/// Places of one edit with `all`.
pub(crate) const PLACES_MAX: usize = 100_000;

/// Line numbers that a message lists; the rest is counted.
pub(crate) const LINES_TOLD_MAX: usize = 12;

/// Bytes of text in which a near miss is looked for; a larger file gets the plain answer.
pub(crate) const NEAR_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Near misses of one `old` that are looked for; that there are several is what counts.
pub(crate) const NEAR_PLACES_MAX: usize = 100;

/// Pairs of bytes of a line by which its likeness to another is judged.
pub(crate) const LIKENESS_PAIRS_MAX: usize = 400;

/// Bytes of a file's text that a message about a near miss quotes.
pub(crate) const QUOTE_BYTES_MAX: usize = 1_500;

/// Faults of one `edit` that its message tells; the rest is counted.
pub(crate) const FAULTS_TOLD_MAX: usize = 12;

/// Bytes of a message about a call that cannot work (the SDK's bound).
pub(crate) const INVALID_BYTES_MAX: usize = 4 * 1024;

/// Bytes of a diff in an approval card (the SDK's bound is 64 KiB, a card's header needs some).
pub(crate) const PREVIEW_BYTES_MAX: usize = 60 * 1024;

/// Bytes of a diff in the result that the model reads; it wrote the edit itself.
pub(crate) const DIFF_BYTES_MAX: usize = 8 * 1024;

/// Bytes of a diff in metadata, as JSON text (the whole object has 64 KiB).
pub(crate) const DIFF_JSON_BYTES_MAX: usize = 48 * 1024;

/// Milliseconds for the lines of a diff; after it, what is left is shown as replaced.
pub(crate) const DIFF_MS_MAX: u64 = 300;

/// Unchanged lines around a change in a diff.
pub(crate) const DIFF_CONTEXT_LINES: usize = 3;

/// Symbolic links on the way to one file, as many as Linux follows.
pub(crate) const LINKS_MAX: usize = 40;

/// Names of a directory that are looked at for a message or for strays.
pub(crate) const NAMES_MAX: usize = 10_000;

/// Names that a message proposes for one that does not exist.
pub(crate) const NEAREST_MAX: usize = 3;

/// Names that a message shows of a directory.
pub(crate) const NAMES_TOLD_MAX: usize = 20;

/// Bytes of a path in an argument: `PATH_MAX` of Linux.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;

/// Tries for a temporary name before the write is given up.
pub(crate) const TEMPORARY_TRIES_MAX: u32 = 8;

/// Directories remembered as free of strays; past it the memory starts anew.
pub(crate) const SWEPT_MAX: usize = 1_024;

/// Calls whose preview is remembered until they run; the oldest makes room.
pub(crate) const PREVIEWS_MAX: usize = 256;

/// Entries that one walk looks at; what is beyond is not counted, and the result says so.
pub(crate) const WALK_ENTRIES_MAX: usize = 300_000;

/// Directories inside one another that a walk enters; each holds a descriptor open.
pub(crate) const WALK_DEPTH_MAX: usize = 128;

/// Bytes of a file of ignore rules that are read; rules after them do not hold.
pub(crate) const IGNORE_BYTES_MAX: u64 = 128 * 1024;

/// Globs of one argument, and bytes of each.
pub(crate) const GLOBS_MAX: usize = 64;

/// Bytes of a glob.
pub(crate) const GLOB_BYTES_MAX: usize = 1_024;

/// Levels that `list` shows unless told otherwise.
pub(crate) const LIST_DEPTH: usize = 2;

/// Entries that one `list` shows; fewer levels are shown until they fit.
pub(crate) const LIST_ENTRIES_MAX: usize = 1_000;

/// Bytes of text that `list`, `find` and `grep` show each, notices apart.
pub(crate) const FOUND_BYTES_MAX: usize = 40 * 1024;

/// Paths that one `find` shows; the rest is counted.
pub(crate) const FIND_PATHS_MAX: usize = 500;

/// Matches that one `grep` shows unless told otherwise.
pub(crate) const GREP_MATCHES: usize = 100;

/// Matches, or files, that one `grep` shows at most; the rest is counted.
pub(crate) const GREP_MATCHES_MAX: usize = 1_000;

/// Lines around a match that `grep` shows at most.
pub(crate) const GREP_CONTEXT_MAX: usize = 20;

/// Bytes of a line that `grep` shows; of a longer one, the part around the match.
pub(crate) const GREP_LINE_BYTES_MAX: usize = 400;

/// Bytes of memory for one line, or for a whole file when matches may span lines; a file that needs
/// more is not searched, and the result says so.
pub(crate) const GREP_HEAP_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of a regular expression.
pub(crate) const REGEX_BYTES_MAX: usize = 4 * 1024;

/// Bytes of a compiled regular expression; a larger one is refused.
pub(crate) const REGEX_HEAP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of a patch.
pub(crate) const PATCH_BYTES_MAX: usize = 1024 * 1024;

/// Files of one patch; as many observations fit a result.
pub(crate) const PATCH_FILES_MAX: usize = 64;

/// Bytes of a path in the metadata of a patch.
pub(crate) const PATCH_PATH_BYTES_MAX: usize = 80;

/// Lines of a file that a patch changes; what is known of each takes memory.
pub(crate) const PATCH_LINES_MAX: usize = 1_000_000;

/// Entries of a tree that one call moves or deletes.
pub(crate) const TREE_ENTRIES_MAX: u64 = 200_000;

/// Directories inside one another in such a tree; each holds a descriptor open.
pub(crate) const TREE_DEPTH_MAX: usize = 128;

/// Bytes that one call copies to another file system.
pub(crate) const COPY_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Bytes of the names of a file's extended attributes: Linux has no more.
pub(crate) const ATTRIBUTES_BYTES_MAX: usize = 64 * 1024;

/// Bytes of an extended attribute: Linux has no more.
pub(crate) const ATTRIBUTE_BYTES_MAX: usize = 64 * 1024;

/// Bytes that the trash holds; the oldest goes for good before it would hold more.
pub(crate) const TRASH_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Things that the trash holds; the oldest goes for good before it would hold more.
pub(crate) const TRASH_ITEMS_MAX: usize = 500;

/// Bytes of what the trash notes of one thing.
pub(crate) const TRASH_NOTE_BYTES_MAX: u64 = 32 * 1024;

/// Things of the trash that one `restore` lists; the rest is counted.
pub(crate) const TRASH_LISTED_MAX: usize = 100;

/// Milliseconds that a call waits for another server that is at the same trash.
pub(crate) const TRASH_LOCK_MS_MAX: u64 = 5_000;

/// Milliseconds between two tries for it.
pub(crate) const TRASH_LOCK_STEP_MS: u64 = 10;

/// Entries that a search for other names of a file looks at; beyond it a name counts as not found.
pub(crate) const TWINS_ENTRIES_MAX: usize = 300_000;

/// Names that one search remembers, of all files with several.
pub(crate) const TWINS_FOUND_MAX: usize = 50_000;

/// Other names of one file that a call says; more count as not found.
pub(crate) const TWINS_TOLD_MAX: usize = 64;

/// Milliseconds for which a search is used again.
pub(crate) const TWINS_MS_MAX: u64 = 10_000;

/// Milliseconds by which the clock of a file system may be behind.
pub(crate) const TWINS_CLOCK_MS: u64 = 1_000;

/// Roots whose last search is remembered.
pub(crate) const TWINS_ROOTS_MAX: usize = 8;
