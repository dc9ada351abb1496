//! Tests of `text`.

use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let mut found = Vec::new();
    words(text, |word| found.push(word.to_owned()));
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn cases_are_taken_apart() {
    check("read_file", &["read", "file"]);
    check("web-search", &["web", "search"]);
    check("createPullRequest", &["create", "pull", "request"]);
    check("HTTPServer parseJSON", &["http", "server", "parse", "json"]);
    check("sha256Sum base64", &["sha256", "sum", "base64"]);
    check("git.status: github/issues", &["git", "status", "github", "issues"]);
}

#[test]
fn cjk_runs_become_pairs_and_mixed_text_keeps_its_words() {
    check("读取文件", &["读取", "取文", "文件"]);
    check("搜索 网页", &["搜索", "网页"]);
    check("用git提交代码", &["用", "git", "提交", "交代", "代码"]);
    check("ファイル検索", &["ファ", "ァイ", "イル", "ル検", "検索"]);
    check("图", &["图"]);
}

#[test]
fn other_letters_are_words_in_lower_case() {
    check("Größe ÄNDERN", &["größe", "ändern"]);
    check("Найти файл", &["найти", "файл"]);
}

/// B125: what is no text is no words.
#[test]
fn signs_controls_and_emoji_are_only_between_words() {
    check("", &[]);
    check(" \t\n * [ \u{0}\u{1b}[31m", &["31m"]);
    check("🙂🚀 ", &[]);
    check("a\u{202e}b", &["a", "b"]);
}

#[test]
fn a_word_of_64_kib_is_cut_at_its_bound() {
    let mut count = 0;
    let most = |word: &str| {
        count += 1;
        assert!(word.len() <= WORD_BYTES_MAX);
    };
    words(&"x".repeat(64 * 1024), most);
    assert_eq!(count, 1);
    words(&"é".repeat(64 * 1024), |word| assert!(word.len() <= WORD_BYTES_MAX));
}

#[test]
fn a_beginning_never_ends_within_a_character() {
    assert_eq!(beginning("abc", 2), "ab");
    assert_eq!(beginning("añb", 2), "a");
    assert_eq!(beginning("añb", 99), "añb");
}

#[test]
fn spellings_of_a_name_are_one() {
    for name in ["web_search", "web-search", "webSearch", "Web.Search", "web search"] {
        assert_eq!(joined(name), "websearch");
    }
}
