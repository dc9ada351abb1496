//! Bounds of the wire that both sides hold, in one place. Each is written in the `.proto` files too.

/// Bytes of an encoded frame. Below gRPC's default of 4 MiB, so that every stock client works.
pub const FRAME_BYTES_MAX: usize = 320 * 1024;
/// Bytes that the decoder accepts in one message before it gives up: a frame with room to spare, so
/// that a peer that is a little over gets a sentence instead of a broken stream.
pub const MESSAGE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Bytes of arguments, and of everything in one `Completed`; larger ones are blobs.
pub const INLINE_BYTES_MAX: usize = 256 * 1024;
/// Bytes in one `Output` frame or one piece of a blob.
pub const OUTPUT_BYTES_MAX: usize = 64 * 1024;
/// `Output` bytes that a call may send before the first `Credit`.
pub const OUTPUT_CREDIT_BYTES: u32 = 256 * 1024;
/// Open `Host` requests of one call.
pub const HOST_REQUESTS_MAX: usize = 32;
/// Bytes of one `Progress` text.
pub const PROGRESS_BYTES_MAX: usize = 1024;
/// Bytes of a status message with its details; longer ones are lost in HTTP/2 trailers.
pub const STATUS_BYTES_MAX: usize = 3 * 1024;
/// HTTP/2 window of one stream: sixteen calls' credit. Measured: 4 MiB / 8 MiB / 1 MiB frames move
/// 1 MiB in 0.7 of the time that the defaults take.
pub const STREAM_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// HTTP/2 window of a connection. At least two streams' worth, so that an unread stream (a blob)
/// cannot stop the session.
pub const CONNECTION_WINDOW_BYTES: u32 = 16 * 1024 * 1024;
/// Largest HTTP/2 frame.
pub const HTTP2_FRAME_BYTES: u32 = 1024 * 1024;
/// HTTP/2 streams of one connection: sessions, blobs, health. tonic's own default is "no limit".
pub const HTTP2_STREAMS_MAX: u32 = 256;
/// Cancelled streams that a server remembers; the default of 20 lets a burst of cancels kill others.
pub const HTTP2_RESETS_MAX: usize = 4096;
