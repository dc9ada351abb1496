//! Programs, run on a thread with a small world around them that answers their calls.

mod calls;
mod console;
mod ends;
mod faults;
mod hostile;
mod surface;
mod values;
mod world;
