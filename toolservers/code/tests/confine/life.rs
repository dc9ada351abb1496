//! What must still work in a confined process.

use std::{
    io::{Read, Write},
    os::unix::net,
    time::{Duration, SystemTime},
};

use rquickjs::{Context, Runtime};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
};

/// tokio as the server uses it: the listening socket is there before, connections come after.
pub(crate) fn serve(confine: impl FnOnce()) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let listener = UnixListener::bind(&path).unwrap();
        // A peer that has dialled already; a confined process cannot.
        let mut peer = net::UnixStream::connect(&path).unwrap();
        confine();
        peer.write_all(b"ask").unwrap();
        let (mut connection, _) = listener.accept().await.unwrap();
        assert_eq!(connection.peer_cred().unwrap().uid(), nix::unistd::geteuid().as_raw());
        answer(&mut connection).await;
        let mut answered = [0; 6];
        peer.read_exact(&mut answered).unwrap();
        assert_eq!(&answered, b"answer");
        tokio::time::timeout(Duration::from_millis(20), connection.read_u8()).await.unwrap_err();
        let length = tokio::task::spawn_blocking(|| vec![1_u8; 1 << 24].len());
        assert_eq!(length.await.unwrap(), 1 << 24);
        drop(peer);
        connection.read_u8().await.unwrap_err();
    });
    println!("accepted, answered, waited, worked beside");
}

async fn answer(connection: &mut UnixStream) {
    let mut asked = [0; 3];
    connection.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"ask");
    let parts = [b"ans".as_slice(), b"wer"].map(std::io::IoSlice::new);
    assert_eq!(connection.write_vectored(&parts).await.unwrap(), 6);
    connection.flush().await.unwrap();
}

/// A program in a fresh runtime on a thread of its own, as the engine runs one.
pub(crate) fn program(confine: impl FnOnce()) {
    confine();
    let script = r#"
        const half = new Array(300000).fill(1).map((n, i) => n * i).sort((a, b) => b - a);
        const found = "aXbXc".replace(/X(?=c)/u, "-").length + half.length / 300000;
        const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
        date.toLocaleString();
        JSON.stringify([found, typeof Promise.all, date.toISOString(), Math.random() < 1 && Date.now() > 0])
    "#;
    let thread = std::thread::Builder::new().name("program".into()).stack_size(4 << 20);
    let running = thread.spawn(move || {
        let runtime = Runtime::new().unwrap();
        runtime.set_memory_limit(64 << 20);
        let context = Context::full(&runtime).unwrap();
        context.with(|program| program.eval::<String, _>(script).unwrap())
    });
    println!("{}", running.unwrap().join().unwrap());
    // Threads come and go, as many as programs at once.
    for _ in 0..4 {
        let many = (0..8).map(|_| std::thread::spawn(|| vec![7_u8; 1 << 22].len()));
        let many: Vec<_> = many.collect();
        assert!(many.into_iter().all(|thread| thread.join().is_ok_and(|length| length == 1 << 22)));
    }
    assert!(SystemTime::now() > SystemTime::UNIX_EPOCH);
    std::thread::sleep(Duration::from_millis(1));
}

/// Allocations within and over the address space of the usual settings.
pub(crate) fn memory(confine: impl FnOnce()) {
    confine();
    for (name, bytes) in [("within", 1 << 30), ("over", 12_usize << 30)] {
        let mut held = Vec::<u8>::new();
        let had = held.try_reserve_exact(bytes).is_ok();
        println!("{name}: {}", if had { "ok" } else { "refused" });
    }
}

/// Fills the stack of a thread, which ends the process.
pub(crate) fn overflow() {
    fn deeper(level: u64) -> u64 {
        if level == u64::MAX { 0 } else { std::hint::black_box(deeper(level + 1)) + 1 }
    }
    let thread = std::thread::Builder::new().name("deep".into()).stack_size(64 * 1024);
    thread.spawn(|| deeper(0)).unwrap().join().unwrap();
}
