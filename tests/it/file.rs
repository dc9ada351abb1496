//! [FILE-01..05], [FILE-10..30]: the tools of files, driven through the kernel and alone.

mod read;
mod races;
mod tools;
mod write;
