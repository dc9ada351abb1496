//! Tests of `mix`.

use super::*;

/// [CAT-11b] What words know well is theirs to decide; meaning has its say where they know little.
#[test]
fn the_more_words_know_the_less_meaning_counts() {
    let shares = [0.0, 0.2, 0.5, 0.9, 1.0, 1.5].map(share);
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    assert!((shares[0] - WEIGHTS.meaning).abs() < 1e-6 && shares[4] <= 0.0, "{shares:?}");
}

fn found(index: &Index, text: &str) -> Vec<(usize, u32)> {
    let query = crate::Query::parse(text, Some(20), crate::Kind::Auto, None).unwrap();
    index.search(&query).matches.iter().map(|it| (it.index, it.score.to_bits())).collect()
}

/// [CAT-11b] With the table that comes with the program: nonsense still finds nothing, and Chinese, of which the
/// table knows nothing, finds what it finds without it.
#[test]
fn what_the_table_does_not_know_is_as_without_it() {
    let all = crate::tests::documents(crate::tests::TOOLS);
    let (words, meaning) =
        (Index::new(&all), Index::with_table(&all, crate::WordTable::built_in()));
    for nonsense in ["quantum banana telescope", "telepathic cactus", "qzxwv", "香蕉 望远镜", "🦀"]
    {
        assert_eq!(found(&meaning, nonsense), [], "{nonsense}");
    }
    for chinese in ["创建 问题", "搜索文件", "发送消息到频道", "读取 git_status"] {
        assert_eq!(found(&meaning, chinese).len(), found(&words, chinese).len(), "{chinese}");
    }
    assert_eq!(found(&meaning, "创建 问题"), found(&words, "创建 问题"));
    assert!(!found(&meaning, "创建 问题").is_empty());
}

/// [CAT-11b] A request that shares no word with its tool, nor a synonym, finds it by what it means, and says so.
#[test]
fn a_paraphrase_finds_by_meaning_alone() {
    let all = crate::tests::documents(crate::tests::TOOLS);
    let (words, meaning) =
        (Index::new(&all), Index::with_table(&all, crate::WordTable::built_in()));
    for (text, name) in [("telegram", "mcp_slack_send_message"), ("html", "web_fetch")] {
        let query = crate::Query::parse(text, Some(5), crate::Kind::Auto, None).unwrap();
        assert_eq!(words.search(&query).matches, [], "{text}");
        let found = meaning.search(&query).matches;
        let found: Vec<_> = found.iter().map(|it| (all[it.index].name, it.why)).collect();
        assert_eq!(found, [(name, Why::Meaning)], "{text}");
    }
}
