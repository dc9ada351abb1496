//! The wire contract between the kernel and tool servers, and nothing else.
//!
//! The `.proto` files are the documentation; `README.md` beside them tells the order of messages.
//! Beside the generated code live the two parts of the contract that protobuf cannot say:
//! [`grant`] (which bytes are signed) and [`bootstrap`] (the line on a server's standard input); and
//! [`socket`], how both ends drive the stream between them.
//!
//! Not here: what a grant means (the kernel's gate), how a server runs tools (the SDK).

pub mod bootstrap;
pub mod grant;
pub mod limits;
pub mod manifest;
pub mod socket;

/// An encoded `FileDescriptorSet` of all packages, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("../golden/descriptors.binpb");

macro_rules! generated {
    ($package:ident, $file:literal) => {
        #[doc = concat!("Package `tollgate.", stringify!($package), ".v1`.")]
        pub mod $package {
            /// Version 1.
            #[allow(
                missing_docs,
                unreachable_pub,
                unused_qualifications,
                clippy::all,
                clippy::pedantic,
                clippy::restriction,
                rustdoc::all,
                reason = "generated code"
            )]
            pub mod v1 {
                include!(concat!("generated/", $file));
            }
        }
    };
}

generated!(tool, "tollgate.tool.v1.rs");
generated!(blob, "tollgate.blob.v1.rs");
generated!(model, "tollgate.model.v1.rs");
generated!(kernel, "tollgate.kernel.v1.rs");

#[cfg(test)]
mod tests;
