//! Goal: one kernel a socket, and none that anybody could reach.

use super::*;

async fn bind(path: &Path) -> Result<Bound, ServeError> {
    Bound::bind(&Listen::Unix(path.to_owned())).await
}

#[tokio::test]
async fn a_socket_is_private_and_goes_with_its_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.sock");
    let bound = bind(&path).await.unwrap();
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(bound.address(), format!("unix:{}", path.display()));
    let taken = bind(&path).await.unwrap_err();
    assert!(matches!(taken, ServeError::Taken { pid: Some(pid), .. } if pid == std::process::id()));
    drop(bound);
    assert!(!path.exists(), "the socket is removed");
    bind(&path).await.unwrap();
}

#[tokio::test]
async fn a_socket_of_a_dead_kernel_is_replaced_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.sock");
    // As `kill -9` leaves it: a socket that nobody listens on.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    drop(bind(&path).await.unwrap());
    let other = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert!(matches!(bind(&path).await, Err(ServeError::Taken { pid: None, .. })));
    drop(other);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "mine").unwrap();
    assert!(matches!(bind(&path).await, Err(ServeError::NoSocket { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[tokio::test]
async fn tcp_needs_its_certificates() {
    let nowhere = PathBuf::from("/nowhere.pem");
    let files = TlsFiles { cert: nowhere.clone(), key: nowhere.clone(), client_ca: nowhere };
    let address = "127.0.0.1:0".parse().unwrap();
    let error = Bound::bind(&Listen::Tcp(address, files)).await.unwrap_err();
    assert!(error.to_string().contains("/nowhere.pem"), "{error}");
}
