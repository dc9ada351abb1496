//! Every bound of the command line: unit, source, and what happens at it.

use std::time::Duration;

/// Bytes of a prompt or of JSON arguments read from standard input; more is an error.
pub(crate) const STDIN_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Bytes of one configuration file; a longer one is an error.
pub(crate) const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a line that a person types as an answer; more is taken as it is, up to here.
pub(crate) const ANSWER_BYTES_MAX: usize = 4096;
/// How long the signal of a terminal that went away is waited for; without it nobody has answered.
pub(crate) const HANG_UP_WITHIN: Duration = Duration::from_secs(2);
/// Questions that wait for a person; a further call waits until there is room.
pub(crate) const QUESTIONS_WAITING: usize = 16;
/// Bytes of a line of `--approvals stdio`; a longer one is passed over, and told.
pub(crate) const STDIO_LINE_BYTES_MAX: usize = 64 * 1024;
/// Lines of standard input that wait to be obeyed; more wait in the pipe.
pub(crate) const STDIO_LINES_WAITING: usize = 16;
/// Bytes of a message to the model with a no.
pub(crate) const MESSAGE_BYTES_MAX: usize = 4096;
/// Lines of a call's output that are shown; the rest is counted.
pub(crate) const OUTPUT_LINES_SHOWN: usize = 5;
/// Lines of a diff that are shown after a call; the rest is counted.
pub(crate) const DIFF_LINES_SHOWN: usize = 40;
/// Lines of an approval card's arguments, and of its preview, before it is folded; those between are
/// counted, and told to be unseen.
pub(crate) const CARD_LINES_SHOWN: usize = 300;
/// Lines of their end, which is shown whatever is folded.
pub(crate) const CARD_TAIL_LINES_SHOWN: usize = 100;
/// Blanks in a row that a card shows as they are; a longer run is a number. An indentation fits.
pub(crate) const BLANKS_SHOWN: usize = 40;
/// Columns assumed when nobody can be asked, and for what is no terminal.
pub(crate) const COLUMNS_DEFAULT: usize = 100;
/// Columns below which nothing is cut any shorter.
pub(crate) const COLUMNS_MIN: usize = 20;
/// Rows of a list unless `--limit` says otherwise.
pub(crate) const LIST_ROWS_DEFAULT: usize = 20;
/// Lines of a server's log unless `--lines` says otherwise.
pub(crate) const LOG_LINES_DEFAULT: usize = 100;
/// Bytes read from the end of a server's log; older lines are in the file.
pub(crate) const LOG_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Whether a local model server listens: a connection on this host is made in well under this, or never.
pub(crate) const PROBE_MAX: Duration = Duration::from_millis(200);
/// How long `servers stop` waits for a server to end before it says that it has not.
pub(crate) const STOP_MAX: Duration = Duration::from_secs(5);
/// How often `servers stop` looks.
pub(crate) const STOP_LOOK: Duration = Duration::from_millis(20);

/// Events that are held back while a card waits for its answer; beyond it the session waits too.
pub(crate) const EVENTS_HELD_MAX: usize = 4096;
