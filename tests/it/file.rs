//! [FILE-01..05], [FILE-10..30]: the tools of files, driven through the kernel and alone.

mod races;
mod read;
mod tools;
mod write;
