//! Commands of git that only read in a plain repository, with their options. Data; `readonly` applies it.
//!
//! An option with `=` takes the next word too, so it must do so in git: where a value is only taken behind
//! `=`, the next word is an operand, and for some commands that makes a branch or a tag.

use crate::{
    readonly::{Operands, Options, Rule},
    readonly_checks::git as checks,
};

use super::listed;

/// Options that diffs share, and those of walks through history.
pub(crate) const DIFF: Options = Options::new(
    "bcEFimpPqrRsuwzWtD",
    "GnSUlLX",
    "abbrev? abbrev-commit after= all all-match ancestry-path anchored= author= author-date-order \
     basic-regexp before= binary boundary branches? break-rewrites? cached cc cherry cherry-mark \
     cherry-pick children clear-decorations color-moved? color-moved-ws= color-words? color? committer= \
     compact-summary count cumulative date-order date= decorate-refs-exclude= decorate-refs= decorate? \
     dense diff-algorithm= diff-filter= diff-merges= dirstat-by-file? dirstat? do-walk dst-prefix= \
     encoding= exclude= exit-code expand-tabs? extended-regexp find-copies-harder find-copies? \
     find-object= find-renames? first-parent fixed-strings follow format= full-diff full-history \
     full-index function-context glob= graph grep-reflog= grep= histogram ignore-all-space \
     ignore-blank-lines ignore-case ignore-cr-at-eol ignore-matching-lines= ignore-missing \
     ignore-space-at-eol ignore-space-change ignore-submodules? indent-heuristic inter-hunk-context= \
     invert-grep irreversible-delete ita-invisible-in-index left-only left-right line-prefix= log-size \
     max-age= max-count= max-parents= merge-base merges min-age= min-parents= minimal name-only \
     name-status no-abbrev no-abbrev-commit no-color no-color-moved no-commit-id no-decorate no-expand-tabs \
     no-ext-diff no-index no-indent-heuristic no-max-parents no-merges no-min-parents no-notes no-patch \
     no-prefix no-relative no-rename-empty no-renames no-textconv no-walk? not notes? null numstat objects \
     oneline parents patch patch-with-raw patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex \
     pretty? quiet raw reflog regexp-ignore-case relative-date relative? remotes? remove-empty \
     rename-empty reverse right-only root shortstat show-linear-break? show-pulls simplify-by-decoration \
     simplify-merges since-as-filter= since= skip= source sparse src-prefix= staged stat? summary tags? \
     text topo-order unified? until= walk-reflogs word-diff-regex= word-diff?",
)
.glued("BCM")
.numeric();

/// Commands of git that only read, given a plain repository.
pub(crate) const GIT: &[(&str, Rule)] = &[
    ("diff log show whatchanged rev-list diff-tree diff-index diff-files range-diff", listed(DIFF)),
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
            "bsvz",
            "",
            "short branch show-stash long verbose porcelain? untracked-files? ignored? null \
             ahead-behind no-ahead-behind renames no-renames find-renames? column? no-column",
        )
        .glued("u")),
    ),
    ("branch", Rule::Checked(checks::branch)),
    ("tag", Rule::Checked(checks::tag)),
    ("remote", Rule::Checked(checks::remote)),
    ("stash", Rule::Checked(checks::stash)),
    ("reflog", Rule::Checked(checks::reflog)),
    ("worktree", Rule::Checked(checks::list)),
    ("notes", Rule::Checked(checks::notes)),
    ("config", Rule::Checked(checks::config)),
    (
        "symbolic-ref",
        Rule::Listed(Options::new("q", "", "quiet short recurse no-recurse"), Operands::AtMost(1)),
    ),
    ("rev-parse ls-files ls-tree merge-base name-rev show-ref cherry", Rule::Anything),
    ("count-objects check-ignore check-attr check-ref-format show-branch var", Rule::Anything),
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
            "bceflnpstw",
            "LS",
            "porcelain line-porcelain incremental show-email show-name show-number date= since= root \
             first-parent abbrev= ignore-rev= color-lines color-by-age \
             minimal progress no-progress until= reverse",
        )
        .glued("CM")),
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

/// For `branch`: what lists without a pattern.
pub(crate) const BRANCH: Options = Options::new(
    "alrvi",
    "",
    "list sort= format= contains= no-contains= merged= no-merged= points-at= column? no-column color? \
     no-color ignore-case all remotes verbose show-current abbrev? no-abbrev",
);
/// For `tag`, likewise.
pub(crate) const TAG: Options = Options::new(
    "li",
    "",
    "list sort= format= contains= no-contains= merged= no-merged= points-at= column? no-column color? \
     ignore-case omit-empty",
)
.glued("n");
