//! Goal: however a host is written, it is the same host.

use super::*;

#[test]
fn a_host_is_seen_in_every_address() {
    for (word, host, bare) in [
        ("https://Example.com/x", "example.com", "example.com"),
        ("--url=http://a.test:80?q", "a.test:80", "a.test"),
        ("ssh://git@a.test:22/r", "a.test:22", "a.test"),
        ("http://u:p@ss@a.test#x", "a.test", "a.test"),
        ("http://a.test.:80", "a.test.:80", "a.test"),
        ("http://a.test.", "a.test", "a.test"),
        ("http://[::1]:80/", "[::1]:80", "[::1]"),
        ("http://2001:db8::1", "2001:db8::1", "2001:db8::1"),
    ] {
        let found = folded(host_of(word).unwrap());
        assert_eq!((found.as_str(), without_port(&found)), (host, bare), "{word}");
    }
    assert_eq!(host_of("a.test/x"), None);
    assert_eq!(host_part("git@a.test:r/x"), "a.test:r");
}
