//! Where a request ends.

use super::size;

#[track_caller]
fn check(input: &str, expected: Option<(usize, usize)>) {
    assert_eq!(size(input.as_bytes()), expected, "{input:?}");
}

#[test]
fn a_request_ends_with_its_body() {
    check("POST / HTTP/1.1\r\nContent-Length: 2\r\n", None);
    check("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n", Some((38, 40)));
    check("POST / HTTP/1.1\r\ncontent-length:2\r\n\r\n{}GET", Some((37, 39)));
    check("GET / HTTP/1.1\r\n\r\n", Some((18, 18)));
}
