//! Goal: nothing listens in the open.

use std::path::Path;

use super::*;

#[track_caller]
fn wrong(address: &str, options: &ServeOptions, part: &str) {
    let error = where_to(address, options).unwrap_err().chain();
    assert!(error.contains(part), "{address}: {error}");
}

/// [KERN-02] [I12] A Unix socket, or TCP with all certificates.
#[test]
fn an_address_is_a_socket_or_has_certificates() {
    let plain = ServeOptions::default();
    let file = |name: &str| Some(PathBuf::from(name));
    let tls = ServeOptions {
        listen: None,
        tls_cert: file("c"),
        tls_key: file("k"),
        client_ca: file("a"),
    };
    assert!(
        matches!(where_to("unix:/k", &plain), Ok(Listen::Unix(path)) if path == Path::new("/k"))
    );
    assert!(matches!(where_to("unix:k", &plain), Ok(Listen::Unix(path)) if path.is_absolute()));
    assert!(matches!(where_to("127.0.0.1:1", &tls), Ok(Listen::Tcp(..))));
    wrong("127.0.0.1:1", &plain, "--client-ca");
    wrong("127.0.0.1:1", &ServeOptions { client_ca: None, ..tls_of(&tls) }, "--client-ca");
    wrong("unix:/k", &tls, "certificates");
    for address in ["localhost:1", "/k", "", "http://127.0.0.1:1"] {
        wrong(address, &tls, "unix:PATH");
    }
}

fn tls_of(options: &ServeOptions) -> ServeOptions {
    ServeOptions {
        listen: None,
        tls_cert: options.tls_cert.clone(),
        tls_key: options.tls_key.clone(),
        client_ca: options.client_ca.clone(),
    }
}
