//! The options of `serve`.

use std::path::PathBuf;

use clap::Args;

/// `serve`.
#[derive(Args, Debug, Default)]
pub(crate) struct ServeOptions {
    /// unix:PATH, or HOST:PORT with certificates [default: kernel.sock in the runtime directory]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// This kernel's certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "listen")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, PEM
    #[arg(long, value_name = "FILE", requires = "listen")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Take only clients with a certificate of this authority, PEM
    #[arg(long, value_name = "FILE", requires = "listen")]
    pub(crate) client_ca: Option<PathBuf>,
}
