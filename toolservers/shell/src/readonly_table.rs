//! Programs that only read, with the options that keep them so. Data; `readonly` applies it.
//!
//! A row for anything means: no option and no operand of any version makes it write a file, start a
//! program, or talk to another host. Everything else lists its options one by one. When in doubt a
//! program or an option is left out: the price is a question.
//!
//! Not here: git (`git`).

use crate::{
    readonly::{Operands, Options, Rule},
    readonly_checks as checks,
};

pub(crate) mod git;

/// Commands of the shell itself; they are not looked for in folders.
pub(crate) const BUILTINS: &[&str] = &[
    ":", "[", "[[", "cd", "command", "echo", "exit", "false", "printf", "pwd", "read", "test",
    "true", "type",
];

/// Programs that run others by their names alone, and which.
pub(crate) const HELPERS: &[(&str, &str)] = &[
    ("egrep fgrep", "grep"),
    ("tar", "gzip bzip2 xz zstd lzip lzma lzop compress"),
    ("zcat", "gzip sh"),
    ("bzcat", "bzip2"),
    ("which", "sh"),
];

const fn listed(options: Options) -> Rule {
    Rule::Listed(options, Operands::Free)
}

/// The options of some program, and operands that are certainly names of files.
const fn of_files(options: Options) -> Rule {
    Rule::Listed(options, Operands::Checked(checks::plain_files))
}

/// Names, separated by blanks, and what they may be given.
pub(crate) const PROGRAMS: &[(&str, Rule)] = &[
    (": echo exit false pwd true type", Rule::Anything),
    ("cat head tail wc ls dir vdir stat du df basename dirname realpath readlink", Rule::Anything),
    ("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum", Rule::Anything),
    ("cut tr nl fold fmt paste join comm expand unexpand tac rev column cmp pr", Rule::Anything),
    ("od hexdump hd base32 basenc seq expr factor numfmt tsort sleep yes look", Rule::Anything),
    ("grep egrep fgrep", Rule::Anything),
    ("whoami id groups uname nproc uptime free ps tty lscpu lsblk lsmod", Rule::Anything),
    ("who users logname hostid pidof pwdx pstree namei pathchk findmnt", Rule::Anything),
    ("printenv which whereis locale cal", Rule::Anything),
    ("arch", Rule::Listed(Options::NONE, Operands::AtMost(0))),
    ("mount", Rule::Listed(Options::NONE, Operands::AtMost(0))),
    ("getconf", Rule::Listed(Options::new("a", "", ""), Operands::AtMost(2))),
    (
        "pgrep",
        listed(Options::new("aflnovwxc", "dgGPstuU", "list-name list-full full count exact")),
    ),
    ("base64", listed(Options::new("di", "w", "decode ignore-garbage wrap="))),
    ("bc", listed(Options::new("lqsw", "", "mathlib quiet standard warn"))),
    ("cd", Rule::Listed(Options::new("LP", "", ""), Operands::Checked(checks::one_folder))),
    ("[ test", Rule::Checked(checks::test)),
    ("[[", Rule::Checked(checks::double_brackets)),
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
    ("zcat bzcat xzcat lzcat zstdcat", of_files(Options::NONE)),
    ("less more", of_files(Options::NONE)),
    (
        "strings",
        of_files(Options::new("afo", "net", "all print-file-name bytes= radix= encoding=")),
    ),
    ("nm", of_files(Options::new("aACDgnrSu", "", "debug-syms demangle dynamic extern-only"))),
    (
        "readelf",
        of_files(Options::new("aehlSsdrnVWIAg", "", "all file-header sections symbols wide")),
    ),
    ("objdump", of_files(Options::new("adDfhprRstTxC", "j", "disassemble syms file-headers"))),
    ("iconv", listed(Options::new("cls", "ft", "from-code= to-code= list silent"))),
    (
        "shuf",
        listed(Options::new("erz", "in", "echo repeat zero-terminated head-count= input-range=")),
    ),
    (
        "jq",
        listed(Options::new(
            "acCehjMnrRsS",
            "fL",
            "arg argjson args ascii-output color-output compact-output exit-status from-file help indent= \
             join-output jsonargs monochrome-output null-input raw-input raw-output raw-output0 rawfile \
             seq slurp slurpfile sort-keys stream stream-errors tab unbuffered version",
        )),
    ),
    (
        "sort",
        listed(Options::new(
            "bdfgiMhnRrVcCmsuz",
            "kt",
            "numeric-sort reverse unique key= field-separator= human-numeric-sort version-sort \
             ignore-case ignore-leading-blanks general-numeric-sort month-sort dictionary-order \
             zero-terminated stable check? merge random-sort",
        )),
    ),
    (
        "uniq",
        Rule::Listed(
            Options::new(
                "cdDuiz",
                "fsw",
                "count repeated unique ignore-case skip-fields= skip-chars= check-chars= \
                 all-repeated? group? zero-terminated",
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
            )
            .glued("I"),
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
            "abBcdEiNpqrstTuwyZ",
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
            "0acFhHiIlLnNopPqsSuUvVwx.b",
            "ABCdefgjmMtTrE",
            "files hidden no-ignore no-ignore-vcs ignore-case case-sensitive smart-case \
                 line-number no-line-number glob= iglob= type= type-not= type-list max-count= \
                 max-depth= max-columns= max-filesize= context= after-context= before-context= count \
                 count-matches files-with-matches files-without-match fixed-strings word-regexp \
                 line-regexp multiline multiline-dotall pcre2 json heading no-heading color= sort= \
                 sortr= stats only-matching replace= with-filename no-filename trim vimgrep column \
                 null passthru invert-match regexp= file= follow unrestricted text no-config \
                 no-messages quiet version encoding= threads= pretty no-ignore-parent \
                 no-ignore-global no-ignore-dot one-file-system line-buffered byte-offset binary \
                 glob-case-insensitive max-columns-preview include-zero context-separator=",
        )),
    ),
    (
        "fd fdfind",
        listed(Options::new(
            "HIusigFaLp01q",
            "dtEeSjc",
            "hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex \
             fixed-strings absolute-path follow full-path print0 max-depth= min-depth= exact-depth= \
             type= extension= exclude= size= changed-within= changed-before= owner= color= threads= \
             max-results= one-file-system quiet version",
        )),
    ),
    ("cargo rustc python python3", Rule::Version(&["--version", "-V"])),
    ("node perl", Rule::Version(&["--version", "-v"])),
    ("gcc g++ clang cc make cmake bash ruby", Rule::Version(&["--version"])),
];
