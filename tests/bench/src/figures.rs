//! The figures that are measured, one file each.

mod code_deadline;
mod code_task;
mod perf_01;
mod perf_02;
mod perf_03;
mod perf_04;
mod perf_05;
mod perf_06;
pub(crate) mod perf_07;
mod perf_08;
mod perf_09;
mod perf_10;
pub(crate) mod perf_11;
mod perf_12;
mod perf_13;
mod perf_14;
mod perf_15;
mod steps;

use clap::ValueEnum;

use crate::row::Row;

/// A figure, as the requirements name it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Figure {
    /// A gated call
    #[value(name = "PERF-01")]
    Call,
    /// The gate's decision alone
    #[value(name = "PERF-02")]
    Decision,
    /// Gated calls side by side
    #[value(name = "PERF-03")]
    SideBySide,
    /// From the start to the first model request
    #[value(name = "PERF-04")]
    Start,
    /// A step of a turn
    #[value(name = "PERF-05")]
    Step,
    /// Programs of code mode
    #[value(name = "PERF-06")]
    Program,
    /// Cold start of tool servers
    #[value(name = "PERF-07")]
    ColdServer,
    /// Memory
    #[value(name = "PERF-08")]
    Memory,
    /// The first request's size
    #[value(name = "PERF-09")]
    FirstRequest,
    /// Tool search: speed
    #[value(name = "PERF-10")]
    Search,
    /// Tool search: quality
    #[value(name = "PERF-11")]
    SearchQuality,
    /// Searching and reading files
    #[value(name = "PERF-12")]
    Files,
    /// Much output of a command, a large result of a tool
    #[value(name = "PERF-13")]
    Streams,
    /// From a cancel until nothing is left
    #[value(name = "PERF-14")]
    Cancel,
    /// Growth of costs
    #[value(name = "PERF-15")]
    Growth,
    /// A task as one program, and by direct calls
    #[value(name = "code-task")]
    CodeTask,
    /// Hostile programs, after their deadlines
    #[value(name = "code-deadline")]
    CodeDeadline,
}

/// How much is measured. All rounds alternate between ours and what is beside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Rounds; a figure is the median of its rounds.
    pub(crate) rounds: usize,
    /// Calls of a round, one after the other.
    pub(crate) calls: usize,
    /// Calls of a round, side by side.
    pub(crate) calls_side_by_side: usize,
    /// Processes that a round starts.
    pub(crate) starts: usize,
    /// Turns of a round.
    pub(crate) turns: usize,
    /// Programs of a round, of each kind.
    pub(crate) programs: usize,
    /// Bytes of a command's output, and of a large file.
    pub(crate) stream_bytes: u64,
    /// Bytes of the output during which memory is looked at.
    pub(crate) long_stream_bytes: u64,
}

impl Sizes {
    /// For figures.
    pub(crate) const FULL: Self = Self {
        rounds: 5,
        calls: 3000,
        calls_side_by_side: 8000,
        starts: 20,
        turns: 3,
        programs: 9,
        stream_bytes: 1_000_000_000,
        long_stream_bytes: 10_000_000_000,
    };
    /// To see that it works.
    pub(crate) const QUICK: Self = Self {
        rounds: 2,
        calls: 200,
        calls_side_by_side: 640,
        starts: 2,
        turns: 1,
        programs: 2,
        stream_bytes: 50_000_000,
        long_stream_bytes: 400_000_000,
    };
}

impl Figure {
    /// Measures it here and now.
    ///
    /// # Errors
    /// It could not be measured, and why.
    pub(crate) async fn measure(self, sizes: Sizes) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::Call => Box::pin(perf_01::measure(sizes)).await,
            Self::Decision => perf_02::measure(sizes),
            Self::SideBySide => Box::pin(perf_03::measure(sizes)).await,
            Self::Start => Box::pin(perf_04::measure(sizes)).await,
            Self::Step => Box::pin(perf_05::measure(sizes)).await,
            Self::Program => Box::pin(perf_06::measure(sizes)).await,
            Self::ColdServer => Box::pin(perf_07::measure(sizes)).await,
            Self::Memory => Box::pin(perf_08::measure(sizes)).await,
            Self::FirstRequest => Box::pin(perf_09::measure()).await,
            Self::Search => perf_10::measure(sizes),
            Self::SearchQuality => perf_11::measure(),
            Self::Files => Box::pin(perf_12::measure(sizes)).await,
            Self::Streams => Box::pin(perf_13::measure(sizes)).await,
            Self::Cancel => Box::pin(perf_14::measure(sizes)).await,
            Self::Growth => perf_15::measure(sizes),
            Self::CodeTask => Box::pin(code_task::measure(sizes)).await,
            Self::CodeDeadline => Box::pin(code_deadline::measure(sizes)).await,
        }
    }

    /// "PERF-01".
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Call => "PERF-01",
            Self::Decision => "PERF-02",
            Self::SideBySide => "PERF-03",
            Self::Start => "PERF-04",
            Self::Step => "PERF-05",
            Self::Program => "PERF-06",
            Self::ColdServer => "PERF-07",
            Self::Memory => "PERF-08",
            Self::FirstRequest => "PERF-09",
            Self::Search => "PERF-10",
            Self::SearchQuality => "PERF-11",
            Self::Files => "PERF-12",
            Self::Streams => "PERF-13",
            Self::Cancel => "PERF-14",
            Self::Growth => "PERF-15",
            Self::CodeTask => "code-task",
            Self::CodeDeadline => "code-deadline",
        }
    }
}
