//! Hosts as texts name them: in addresses, with a user, with a port.
//!
//! Not here: which words of a command name hosts (`taint`), patterns of hosts (`rules`).

#[cfg(test)]
mod tests;

/// "host:port" of an address with a scheme in a word of a command.
pub(super) fn host_of(word: &str) -> Option<&str> {
    word.split_once("://").map(|(_, address)| host_part(address))
}

/// "host" or "host:port" of "user@host:port/path".
pub(super) fn host_part(address: &str) -> &str {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

/// As hosts are compared: in lower case, without the dot that may end a full name.
pub(super) fn folded(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// "example.com" of "example.com:443"; an IPv6 address keeps its colons.
pub(super) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((bare, port))
            if port.bytes().all(|byte| byte.is_ascii_digit())
                && (!bare.contains(':') || bare.ends_with(']')) =>
        {
            bare.trim_end_matches('.')
        }
        Some(_) | None => host,
    }
}

/// Whether a host, with its port or without, is this machine itself.
pub(super) fn is_loopback(host: &str) -> bool {
    let host = folded(host);
    let bare = without_port(&host).trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<std::net::IpAddr>();
    bare == "localhost"
        || bare.ends_with(".localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}
