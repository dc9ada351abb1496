//! Every number of this server: its unit, where it comes from, and what happens at the bound.

use std::time::Duration;

/// Lines of each kept part of an output that are searched for refusals of the sandbox, from the end.
pub(crate) const DENIED_LINES_MAX: usize = 2_000;

/// Refusals of the sandbox that a result tells; the rest is counted.
pub(crate) const DENIALS_TOLD_MAX: usize = 3;

/// Processes of all commands of this server, with namespaces: a fork bomb stops here, and an ordinary build
/// is far from it.
pub(crate) const CONFINED_PROCESSES_MAX: u64 = 4096;

/// Processes of a command that is to end, above which its namespaces are ended instead of each of them: a fork
/// bomb leaves the machine no time to look at all of them. Other commands of the session end with them.
pub(crate) const FLOOD_PROCESSES: usize = 512;

/// How long the launcher of commands may take to say what it could do; it takes some 10 ms.
pub(crate) const HOLDER_PATIENCE: Duration = Duration::from_secs(5);

/// Seconds that a command may run when the call does not say (`[SHELL-01]`).
pub(crate) const TIMEOUT_SECONDS_DEFAULT: u32 = 120;

/// Seconds that a call may ask for (`[SHELL-01]`); the schema says it, so a larger one is refused.
/// `bash::Input` repeats the number, because an attribute takes a literal.
pub(crate) const TIMEOUT_SECONDS_MAX: u32 = 600;

/// Between TERM and KILL (`[SHELL-03]`).
pub(crate) const TERM_GRACE: Duration = Duration::from_millis(500);

/// How long killing is repeated before the survivors are told of; a process in an uninterruptible
/// system call cannot be waited for.
pub(crate) const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// How long a call waits for a background process to be stopped: the grace, the killing, the reaping,
/// and room for a busy machine.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks at the process table while a tree ends: a member whose parent lives, or that another
/// process adopted, sends no signal to this one when it dies.
pub(crate) const KILL_LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Bytes of one command: what Linux takes as one argument (`MAX_ARG_STRLEN`, 128 KiB with its end).
pub(crate) const COMMAND_BYTES_MAX: usize = 128 * 1024 - 1;

/// Bytes of a text that a process reads as its input: under what a pipe of Linux takes with nobody
/// reading, and so that a person is shown all of it.
pub(crate) const INPUT_BYTES_MAX: usize = 30 * 1024;

/// Seconds that a process may take to read a text before the write gives up.
pub(crate) const WRITE_PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of what was typed and has no line end yet, kept to judge the next text with it.
pub(crate) const TYPED_BYTES_MAX: usize = 4096;

/// Running background processes of one session; a further one is refused.
pub(crate) const PROCESSES_MAX: usize = 16;

/// Running background processes of all sessions.
pub(crate) const PROCESSES_OF_ALL_MAX: usize = 64;

/// Ended background processes of one session that can still be read; the oldest is forgotten first.
pub(crate) const ENDED_MAX: usize = 16;

/// Ended background processes of all sessions, likewise.
pub(crate) const ENDED_OF_ALL_MAX: usize = 64;

/// Ids of forgotten processes that are still told from ids that never were.
pub(crate) const FORGOTTEN_MAX: usize = 256;

/// Bytes of cleaned output that are kept of a background process, its newest lines.
pub(crate) const KEPT_BYTES_MAX: usize = 256 * 1024;

/// Lines that are kept of a background process: empty ones cost memory too.
pub(crate) const KEPT_LINES_MAX: usize = 10_000;

/// Bytes of one line of a background process that are kept, from its end.
pub(crate) const KEPT_LINE_BYTES_MAX: usize = 16 * 1024;

/// Bytes read at once from a background process: 64 that write without end leave the server time.
pub(crate) const BACKGROUND_CHUNK_BYTES: usize = 8 * 1024;

/// Characters of output that one call shows of a background process.
pub(crate) const SHOWN_CHARS_MAX: usize = RESULT_CHARS_MAX - NOTICE_CHARS_MAX;

/// Seconds that a call waits for a background process when it does not say.
pub(crate) const WAIT_SECONDS_DEFAULT: u32 = 30;

/// Milliseconds that a command of an old name may run when the call does not say, as those names had it.
pub(crate) const OLD_TIMEOUT_MS_DEFAULT: u64 = 120_000;

/// Milliseconds that a call of an old name may run or wait; what asks for more gets that, as of old.
pub(crate) const OLD_TIMEOUT_MS_MAX: u64 = 600_000;

/// Milliseconds that the old action `wait` waits when the call does not say.
pub(crate) const OLD_WAIT_MS_DEFAULT: u64 = 30_000;

/// Milliseconds that the old action `interact` waits for output when the call does not say.
pub(crate) const OLD_INTERACT_MS_DEFAULT: u64 = 1_000;

/// Bytes of an id that a message quotes.
pub(crate) const ID_BYTES_MAX: usize = 64;

/// Characters of a command in a list of processes.
pub(crate) const LISTED_CHARS_MAX: usize = 100;

/// Bytes of a justification, from the protocol: a person reads all of it.
pub(crate) const JUSTIFICATION_BYTES_MAX: usize = 1024;

/// Bytes read from the pipe at once, and the most that one piece of output holds.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// Bytes still read after the command has ended when the pipe does not say its capacity: what a
/// pipe of Linux buffers. What comes later was written by background processes.
pub(crate) const PIPE_BYTES: usize = 64 * 1024;

/// Between two progress lines of one call.
pub(crate) const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

/// Characters of a progress line.
pub(crate) const PROGRESS_CHARS_MAX: usize = 200;

/// Characters of the result's text in all (`[SHELL-02]`).
pub(crate) const RESULT_CHARS_MAX: usize = 30_000;

/// Characters of the output's beginning that are kept, in whole lines.
pub(crate) const HEAD_CHARS_MAX: usize = 4_000;

/// Characters kept free for notices and for the last line, which is never cut.
pub(crate) const NOTICE_CHARS_MAX: usize = 1_200;

/// Characters of the output's end that are kept, in whole lines.
pub(crate) const TAIL_CHARS_MAX: usize = RESULT_CHARS_MAX - HEAD_CHARS_MAX - NOTICE_CHARS_MAX;

/// Bytes of one line that are kept, from its end; the rest is counted.
pub(crate) const LINE_BYTES_MAX: usize = 4 * TAIL_CHARS_MAX;

/// Bytes of one control sequence. A longer one was none: what follows is text again.
pub(crate) const SEQUENCE_BYTES_MAX: usize = 4096;

/// Time for parsing one line; past it the line is opaque. Ordinary lines take under 1 ms.
pub(crate) const PARSE_TIME_MAX: Duration = Duration::from_millis(100);

/// Lists inside lists of a line that is proven read-only; deeper ones are not.
pub(crate) const NESTING_MAX: usize = 64;

/// Scripts inside scripts (`sh -c "sh -c …"`) and wrappers inside wrappers that are followed.
pub(crate) const SCRIPTS_DEEP_MAX: usize = 6;

/// Bytes that are shown of a part of a line that computes something; such parts can nest.
pub(crate) const EVALUATED_BYTES_MAX: usize = 256;

/// Subjects of one call, from the protocol. The last says how many more there were.
pub(crate) const SUBJECTS_MAX: usize = 256;

/// Words of one subject, from the protocol.
pub(crate) const SUBJECT_WORDS_MAX: usize = 256;

/// Bytes of the words of one subject, from the protocol.
pub(crate) const SUBJECT_BYTES_MAX: usize = 16 * 1024;

/// Symbolic links on the way to one file, as many as Linux follows.
pub(crate) const LINKS_MAX: usize = 40;

/// Names of a line of which it is looked up where they lead, each from every folder that the line goes to;
/// a line with more is not all known. A lookup takes some 10 µs.
pub(crate) const LINK_LOOKUPS_MAX: usize = 2048;

/// Folders that a line goes to from which names are looked up.
pub(crate) const LINKED_FOLDERS_MAX: usize = 8;

/// Bytes of the preview, from the protocol.
pub(crate) const PREVIEW_BYTES_MAX: usize = 64 * 1024;

/// Characters of the title.
pub(crate) const TITLE_CHARS_MAX: usize = 80;

/// Bytes of a git configuration file that is looked at; a larger one is not trusted.
pub(crate) const GIT_CONFIG_BYTES_MAX: u64 = 64 * 1024;

/// Names of the temporary folder that are looked at for what killed processes left; more wait for a
/// later start.
pub(crate) const TEMPORARY_NAMES_MAX: usize = 10_000;

/// Files that a killed process can have left in its folder: one a running command, and the start-up
/// file. A folder with more is none of ours.
pub(crate) const DESK_FILES_MAX: usize = 1024;

/// Running terminals of one session; a further one is refused.
pub(crate) const TERMINALS_MAX: usize = 8;

/// Running terminals of all sessions.
pub(crate) const TERMINALS_OF_ALL_MAX: usize = 32;

/// How long a terminal lasts that no call names; then it is ended.
pub(crate) const TERMINAL_IDLE_MAX: Duration = Duration::from_secs(2 * 60 * 60);

/// Rows of a terminal when the call does not say.
pub(crate) const TERMINAL_ROWS: u16 = 24;

/// Rows that a terminal has at least: programs that fill the screen fail on fewer.
pub(crate) const TERMINAL_ROWS_MIN: u16 = 4;

/// Rows that a terminal may have. `asked` of `terminal` repeats these bounds in the schema.
pub(crate) const TERMINAL_ROWS_MAX: u16 = 100;

/// Columns of a terminal when the call does not say.
pub(crate) const TERMINAL_COLS: u16 = 80;

/// Columns that a terminal has at least.
pub(crate) const TERMINAL_COLS_MIN: u16 = 20;

/// Columns that a terminal may have; at most 20,000 characters are on a screen with `TERMINAL_ROWS_MAX`.
pub(crate) const TERMINAL_COLS_MAX: u16 = 200;

/// Characters of what scrolled off a screen that one call shows; the screen fits beside it.
pub(crate) const SCROLLED_CHARS_MAX: usize = 8_000;

/// Bytes of a control sequence with parameters that reaches the emulator; longer ones mean nothing.
pub(crate) const SCREEN_SEQUENCE_BYTES_MAX: usize = 64;

/// Bytes that a terminal answers to one piece of output.
pub(crate) const TERMINAL_ANSWER_BYTES_MAX: usize = 256;

/// Keys that one call presses after its text.
pub(crate) const KEYS_MAX: usize = 64;

/// Bytes of a line that a terminal which collects lines takes; Linux drops what comes after them
/// (`N_TTY_BUF_SIZE` without the line end).
pub(crate) const TTY_LINE_BYTES_MAX: usize = 4095;

/// How long a screen stands still to be called settled.
pub(crate) const SETTLED: Duration = Duration::from_millis(150);

/// How long a call that opened a terminal or typed into it waits for the screen to settle.
pub(crate) const SETTLE_PATIENCE: Duration = Duration::from_secs(2);

/// Places of a line on a screen that may end a prompt, of which each is read as if a command followed.
pub(crate) const PROMPTS_MAX: usize = 4;

/// Findings of one runner that are kept; the rest is counted.
pub(crate) const FINDINGS_MAX: usize = 50;

/// Characters of a finding's name, and of its message.
pub(crate) const FINDING_CHARS_MAX: usize = 240;

/// Bytes of a project's file that are read to find what it runs; a larger one is passed over.
pub(crate) const PROJECT_FILE_BYTES_MAX: u64 = 256 * 1024;

/// Names of a folder that are looked at for tests of Python.
pub(crate) const PROJECT_NAMES_MAX: usize = 2000;

/// Runners or verifiers of one project that are told.
pub(crate) const CHECKS_MAX: usize = 16;

/// Bytes of a filter.
pub(crate) const FILTER_BYTES_MAX: usize = 1024;

/// Seconds that tests or verifiers may run when the call does not say.
pub(crate) const CHECKS_SECONDS_DEFAULT: u32 = 300;

/// Calls that were judged and not yet run, of which the line is remembered.
pub(crate) const JUDGED_MAX: usize = 64;

/// Lines of the output's end that are shown where no finding says what went wrong.
pub(crate) const LAST_LINES: usize = 40;
