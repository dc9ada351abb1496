//! `tools search`.

use clap::Args;

/// `tools search`.
#[derive(Args, Debug)]
pub(crate) struct SearchTools {
    /// What the tool must do, in a few words, or its name; `select:a,b`, `server:NAME`, `+word`
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many at most, 1 to 20 [default: 5]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    pub(crate) limit: Option<u8>,
    /// Leave out the first ones
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) skip: u32,
    /// How the query is meant
    #[arg(long, value_name = "KIND", value_parser = ["auto", "name", "regex"])]
    pub(crate) kind: Option<String>,
    /// Only this server's tools
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// How much is told of each: its whole schema, its TypeScript, or its name alone [default: a signature]
    #[arg(long, value_name = "FORMAT", value_parser = ["schema", "types", "names"])]
    pub(crate) format: Option<String>,
}
