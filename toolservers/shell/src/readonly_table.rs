//! Programs that only read, with the options that keep them so. Data; `readonly` applies it.
//!
//! A row for anything means: no option and no operand of any version makes it write a file, start a
//! program, or talk to another host. Everything else lists its options one by one. When in doubt a
//! program or an option is left out: the price is a question.

use crate::{
    readonly::{Operands, Options, Rule},
    readonly_checks as checks,
};

/// Commands of the shell itself; they are not looked for in folders.
pub(crate) const BUILTINS: &[&str] = &[
    ":", "[", "cd", "command", "echo", "exit", "false", "printf", "pwd", "read", "test", "true",
    "type",
];

const fn listed(options: Options) -> Rule {
    Rule::Listed(options, Operands::Free)
}

/// Names, separated by blanks, and what they may be given.
pub(crate) const PROGRAMS: &[(&str, Rule)] = &[
    (": echo exit false pwd true type", Rule::Anything),
    ("cat head tail wc ls stat du df basename dirname realpath readlink", Rule::Anything),
    ("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum", Rule::Anything),
    ("cut tr nl fold fmt paste join comm expand unexpand tac rev column cmp", Rule::Anything),
    ("od hexdump base32 base64 seq expr factor numfmt tsort sleep", Rule::Anything),
    ("grep egrep fgrep jq", Rule::Anything),
    ("whoami id groups uname arch nproc uptime free ps pgrep tty lscpu lsblk", Rule::Anything),
    ("printenv getconf which locale", Rule::Anything),
    ("cd", Rule::Listed(Options::new("LP", "", ""), Operands::Checked(checks::one_folder))),
    ("[ test", Rule::Checked(checks::test)),
    ("printf", Rule::Checked(checks::printf)),
    ("read", Rule::Checked(checks::read)),
    ("command", Rule::Checked(checks::command)),
    ("env", Rule::Listed(Options::NONE, Operands::AtMost(0))),
    ("timeout", Rule::Checked(checks::timeout)),
    ("nice", Rule::Checked(checks::nice)),
    ("xargs", Rule::Checked(checks::xargs)),
    ("find", Rule::Checked(checks::find)),
    ("sed", Rule::Checked(checks::sed)),
    ("awk gawk mawk", Rule::Checked(checks::awk)),
    ("tar", Rule::Checked(checks::tar)),
    ("unzip", Rule::Checked(checks::unzip)),
    (
        "sort",
        listed(Options::new(
            "bdfgiMhnRrVcCmsuz",
            "kt",
            "numeric-sort reverse unique key= field-separator= human-numeric-sort version-sort \
             ignore-case ignore-leading-blanks general-numeric-sort month-sort dictionary-order \
             zero-terminated stable check? merge",
        )),
    ),
    (
        "uniq",
        Rule::Listed(
            Options::new(
                "cdDuiz",
                "fsw",
                "count repeated unique ignore-case skip-fields= skip-chars= check-chars=",
            ),
            Operands::AtMost(1),
        ),
    ),
    ("xxd", Rule::Checked(checks::xxd)),
    ("tree", Rule::Checked(checks::tree)),
    (
        "date",
        Rule::Listed(
            Options::new(
                "uR",
                "dr",
                "utc universal date= reference= rfc-email rfc-3339= iso-8601?",
            ),
            Operands::Checked(checks::format_of_date),
        ),
    ),
    (
        "hostname",
        Rule::Listed(Options::new("dfiIsA", "", "fqdn short domain"), Operands::AtMost(0)),
    ),
    (
        "file",
        listed(Options::new("bhikLNrs0", "FP", "brief mime mime-type mime-encoding dereference")),
    ),
    (
        "diff",
        listed(Options::new(
            "abBcdEiNpqrstTuwy",
            "CUIWxX",
            "unified? context? brief recursive new-file text ignore-case ignore-all-space \
             ignore-space-change ignore-blank-lines ignore-trailing-space side-by-side width= \
             exclude= color? label= report-identical-files strip-trailing-cr suppress-common-lines \
             minimal speed-large-files ignore-matching-lines= no-dereference expand-tabs",
        )),
    ),
    (
        "rg",
        listed(Options::new(
            "0acFhHiIlLnNopPqsSuUvVwx",
            "ABCdefgjmMtTrE",
            "files hidden no-ignore no-ignore-vcs ignore-case case-sensitive smart-case \
                 line-number no-line-number glob= iglob= type= type-not= type-list max-count= \
                 max-depth= max-columns= max-filesize= context= after-context= before-context= count \
                 count-matches files-with-matches files-without-match fixed-strings word-regexp \
                 line-regexp multiline multiline-dotall pcre2 json heading no-heading color= sort= \
                 sortr= stats only-matching replace= with-filename no-filename trim vimgrep column \
                 null passthru invert-match regexp= file= follow unrestricted text no-config \
                 no-messages quiet version encoding= threads=",
        )),
    ),
    ("gcc g++ clang cc make cmake node perl bash", Rule::Checked(checks::only_version)),
];

/// Options that diffs share, and those of walks through history.
pub(crate) const DIFF: Options = Options::new(
    "bcEFimMpPqrRsuwz",
    "CGnSUlLX",
    "all abbrev? abbrev-commit after= all-match author= before= binary boundary branches? cached cherry \
     cherry-mark cherry-pick clear-decorations color? color-words? committer= compact-summary cc \
     date= date-order decorate? diff-algorithm= diff-filter= dirstat? exit-code expand-tabs? \
     extended-regexp find-copies? find-copies-harder find-renames? first-parent fixed-strings follow \
     format= full-index function-context graph grep= histogram ignore-all-space ignore-blank-lines \
     ignore-case ignore-cr-at-eol ignore-space-at-eol ignore-space-change inter-hunk-context= \
     left-only left-right max-count= max-parents= merge-base merges min-parents= minimal name-only \
     name-status no-color no-decorate no-ext-diff no-index no-merges no-notes no-patch no-prefix \
     no-renames no-textconv not null numstat oneline patch patch-with-stat patience pickaxe-all \
     pickaxe-regex pretty? quiet raw regexp-ignore-case relative? relative-date remotes? reverse \
     right-only shortstat simplify-by-decoration since= skip= source staged stat? summary tags? text \
     topo-order unified= until= walk-reflogs word-diff? word-diff-regex=",
)
.numeric();

const LISTING: &str = "list sort= format= contains= no-contains= merged= no-merged= points-at= \
     column? no-column color? ignore-case";

/// Commands of git that only read, given a plain repository.
pub(crate) const GIT: &[(&str, Rule)] = &[
    ("diff log show rev-list diff-tree diff-index diff-files range-diff", listed(DIFF)),
    (
        "shortlog",
        listed(Options::new(
            "censC",
            "",
            "numbered summary email committer since= until= no-merges all",
        )),
    ),
    ("--version version", listed(Options::new("", "", "build-options"))),
    (
        "status",
        listed(Options::new(
            "bsuvz",
            "",
            "short branch show-stash long verbose porcelain? untracked-files? ignored? null \
             ahead-behind no-ahead-behind renames no-renames find-renames? column? no-column",
        )),
    ),
    ("branch", Rule::Checked(checks::git_branch)),
    ("tag", Rule::Checked(checks::git_tag)),
    ("remote", Rule::Checked(checks::git_remote)),
    ("stash", Rule::Checked(checks::git_stash)),
    ("reflog", Rule::Checked(checks::git_reflog)),
    ("worktree", Rule::Checked(checks::git_list)),
    ("config", Rule::Checked(checks::git_config)),
    (
        "symbolic-ref",
        Rule::Listed(Options::new("q", "", "quiet short recurse no-recurse"), Operands::AtMost(1)),
    ),
    ("rev-parse ls-files ls-tree merge-base name-rev show-ref cherry", Rule::Anything),
    ("count-objects check-ignore check-attr", Rule::Anything),
    (
        "for-each-ref",
        listed(Options::new(
            "",
            "",
            "count= sort= format= contains= no-contains= merged= points-at=",
        )),
    ),
    (
        "describe",
        listed(Options::new(
            "",
            "",
            "all tags always long first-parent abbrev= match= exclude= candidates= exact-match contains",
        )),
    ),
    ("cat-file", listed(Options::new("epst", "", "batch-check? batch? follow-symlinks"))),
    (
        "blame annotate",
        listed(Options::new(
            "bceflMnpstwC",
            "L",
            "porcelain line-porcelain incremental show-email show-name show-number date= since= root \
             first-parent abbrev= ignore-rev= color-lines color-by-age",
        )),
    ),
    (
        "grep",
        listed(
            Options::new(
                "acEFGhHiIlLnopPqrvwWz",
                "ABCefm",
                "cached untracked no-index no-exclude-standard exclude-standard text ignore-case \
                 word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp \
                 fixed-strings line-number column files-with-matches name-only files-without-match \
                 null only-matching count color? no-color break heading show-function context= \
                 after-context= before-context= function-context max-depth= max-count= and or not \
                 all-match quiet recursive no-recursive",
            )
            .numeric(),
        ),
    ),
];

/// For `branch` and `tag`: what lists without a pattern.
pub(crate) const BRANCH: Options =
    Options { long: LISTING_BRANCH, ..Options::new("alrvi", "", "") };
const LISTING_BRANCH: &str = "list sort= format= contains= no-contains= merged= no-merged= points-at= \
     column? no-column color? ignore-case all remotes verbose show-current abbrev=";
pub(crate) const TAG: Options = Options::new("li", "", LISTING);
