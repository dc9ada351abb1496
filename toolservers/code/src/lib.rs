//! Code mode: `execute_tools` runs one JavaScript program that calls tools through the kernel's gate.
//!
//! The straight line of a program: [`source`] (what the model wrote becomes one script, or a diagnostic)
//! → [`engine`] (a fresh QuickJS runtime on a thread of its own, pumped until it ends or is told to stop)
//! → the tool (calls go to the kernel and come back, the value is bounded).
//!
//! Not here: any decision about a call, receipts, and clocks. They are the kernel's.

pub mod confine;
pub mod engine;
pub mod limits;
pub mod settings;
pub mod source;
pub mod tool;
