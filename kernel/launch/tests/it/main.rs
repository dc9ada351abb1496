//! The launcher as a process: what a server finds when it starts, and what is left when it ends.

#[cfg(test)]
mod start;
#[cfg(test)]
mod support;
#[cfg(test)]
mod warden;
