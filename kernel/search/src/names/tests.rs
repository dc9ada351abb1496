//! Tests of `names`.

use super::*;

#[test]
fn what_looks_like_a_name_is_one() {
    for token in ["create_issue", "git.status", "a-b", "readFile", "server:tool"] {
        assert!(is_identifier(token), "{token}");
    }
    for token in ["Read", "search", "READ", "文件"] {
        assert!(!is_identifier(token), "{token}");
    }
}

#[test]
fn nearness_is_the_share_of_common_pairs() {
    let of = |one: &str, two: &str| Pairs::of(one).shared(two);
    assert_eq!(of("read", "read"), 100);
    assert_eq!(of("abc", "xyz"), 0);
    assert!(of("gitstatus", "gitstats") > 80);
    assert_eq!(of("", ""), 0);
}
