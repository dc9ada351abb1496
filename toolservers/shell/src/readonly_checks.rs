//! Programs whose words need more than a list of options: little languages, runners, and those that
//! read or write by their first operand. Each check takes the words after the program.
//!
//! Not here: which program has which check (`readonly_table`).

use crate::{
    awk_sed,
    grammar::check_variable,
    readonly::{Options, Sorted, Surroundings, program_file, prove_inner, prove_with_any_words},
    words::{Doubt, Shape, Word},
};

pub(crate) mod git;

type Around<'a> = Surroundings<'a>;

fn known(words: &[Word]) -> Result<Vec<&str>, Doubt> {
    let arguments: Option<Vec<&str>> = words.iter().map(Word::argument).collect();
    arguments.ok_or("a word is not known")
}

/// `cd FOLDER`.
pub(crate) fn one_folder(operands: &[&Word]) -> Result<(), Doubt> {
    if operands.len() <= 1 { Ok(()) } else { Err("there is more than one folder") }
}

/// Operands that cannot begin with a sign by which the program takes them for more than a file's name:
/// `less +!command`, `strings @options`.
pub(crate) fn plain_files(operands: &[&Word]) -> Result<(), Doubt> {
    let begins = |word: &&Word| match &word.shape {
        Shape::Known => word.text.starts_with(['+', '@']),
        Shape::One(prefix) | Shape::Many(prefix) => {
            prefix.is_empty() || prefix.starts_with(['+', '@'])
        }
    };
    if operands.iter().any(begins) { Err("an operand may be a command") } else { Ok(()) }
}

/// `date +FORMAT`; anything else sets the clock.
pub(crate) fn format_of_date(operands: &[&Word]) -> Result<(), Doubt> {
    match operands {
        [] => Ok(()),
        [format] if format.text.starts_with('+') && format.is_operand() => Ok(()),
        _ => Err("the clock could be set"),
    }
}

/// `test` and `[`: `-v` and `-R` evaluate their operand, so each operator must be known.
pub(crate) fn test(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let words = match words.split_last() {
        Some((last, rest)) if last.argument() == Some("]") => rest,
        _ => words,
    };
    if words.iter().any(|word| matches!(word.argument(), Some("-v" | "-R"))) {
        return Err("a test evaluates a variable's name");
    }
    let one = |word: &Word| !matches!(word.shape, Shape::Many(_));
    let all_known = words.iter().all(|word| word.argument().is_some());
    let operator_known = match words {
        [operator, operand] => operator.argument().is_some() && one(operand),
        [left, operator, right] => one(left) && operator.argument().is_some() && one(right),
        _ => false,
    };
    if all_known || operator_known { Ok(()) } else { Err("a test's operator is not known") }
}

/// Tests of `[[` that compute nothing, with one operand and with two. Others do: `-v`, `-eq` and its kin.
const OF_ONE: &[&str] =
    &["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-z", "-n", "-L", "-h", "-S", "-p", "-O", "-G"];
const OF_TWO: &[&str] = &["=", "==", "!=", "=~", "-nt", "-ot", "-ef"];

/// `[[ -f FILE ]]`, `[[ ! A == B ]]`. What stands there as one word stays one.
pub(crate) fn double_brackets(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let not = words.first().is_some_and(|word| word.bare && word.text == "!");
    let inside = words.get(usize::from(not)..).unwrap_or_default();
    let listed = |word: &Word, all: &[&str]| word.bare && all.contains(&word.text.as_str());
    let proven = match inside {
        [operator, _, end] => listed(operator, OF_ONE) && listed(end, &["]]"]),
        [left, operator, _, end] => {
            let begins = left.text.starts_with(['-', '!', '(']);
            !begins && listed(operator, OF_TWO) && listed(end, &["]]"])
        }
        _ => false,
    };
    if proven { Ok(()) } else { Err("a test's operator is not known to compute nothing") }
}

/// `printf FORMAT …`: `-v` and `%n` set variables.
pub(crate) fn printf(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let words = match words.split_first() {
        Some((first, rest)) if first.argument() == Some("--") => rest,
        _ => words,
    };
    let format =
        words.first().ok_or("there is no format")?.argument().ok_or("a format is not known")?;
    if format.starts_with('-') {
        return Err("a variable is set");
    }
    let mut directives = format.split('%').skip(1);
    let sets = |directive: &str| {
        directive
            .trim_start_matches(|c: char| !c.is_ascii_alphabetic() || "hlLjzt".contains(c))
            .starts_with('n')
    };
    if directives.any(sets) { Err("a variable is set") } else { Ok(()) }
}

/// `read [-r] NAME…`.
pub(crate) fn read(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let sorted = Options::new("r", "", "").sort(words)?;
    for name in sorted.operands {
        check_variable(name.argument().ok_or("a variable's name is not known")?)?;
    }
    Ok(())
}

/// `command -v NAME`, `command PROGRAM …`.
pub(crate) fn command(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    match words.first().and_then(Word::argument) {
        Some("-v" | "-V") => Ok(()),
        _ => run_by_a_file(words, around),
    }
}

/// `timeout [OPTION…] SECONDS PROGRAM …`.
pub(crate) fn timeout(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    let mut rest = words;
    loop {
        let (first, after) = rest.split_first().ok_or("there is no command")?;
        let text = first.argument().ok_or("an option is not known")?;
        rest = match text {
            "--foreground" | "--preserve-status" | "-v" | "--verbose" => after,
            "-s" | "-k" | "--signal" | "--kill-after" => match after {
                [value, after @ ..] if value.argument().is_some() && value.is_operand() => after,
                _ => return Err("an option lacks its value"),
            },
            text if text.starts_with(|c: char| c.is_ascii_digit()) => {
                return run_by_a_file(after, around);
            }
            _ => return Err("an option is not known"),
        };
    }
}

/// `nice [-n NUMBER] PROGRAM …`.
pub(crate) fn nice(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    match words {
        [option, number, inner @ ..] if option.argument() == Some("-n") => {
            number.argument().ok_or("a word is not known")?;
            run_by_a_file(inner, around)
        }
        _ => run_by_a_file(words, around),
    }
}

/// A program that is run by another one. What only the shell itself can do is left out.
fn run_by_a_file(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    match words.first().and_then(Word::argument) {
        Some(
            "cd" | "read" | "command" | "type" | ":" | "exit" | "test" | "[" | "[[" | "printf",
        )
        | None => Err("which program is run is not known"),
        Some(program) if program.starts_with('-') => Err("an option is not known"),
        Some(_) => prove_inner(words, around),
    }
}

/// `xargs [OPTION…] PROGRAM …`: the program gets words that nobody knows.
pub(crate) fn xargs(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    let mut rest = words;
    let mut replaced = None;
    while let Some((first, after)) = rest.split_first() {
        let option = first.argument().ok_or("which program is run is not known")?;
        rest = match (option, after) {
            ("-0" | "-r" | "-t" | "--null" | "--no-run-if-empty", _) => after,
            ("-n" | "-L" | "-P" | "-d" | "-s", [value, after @ ..]) if value.is_operand() => {
                value.argument().ok_or("an option's value is not known")?;
                after
            }
            ("-I", [text, after @ ..]) => {
                replaced = Some(text.argument().ok_or("an option's value is not known")?);
                after
            }
            (option, _) if option.starts_with('-') && !glued_number(option) => {
                return Err("an option is not known");
            }
            (option, _) if option.starts_with('-') => after,
            _ => break,
        };
    }
    if rest.is_empty() {
        return program_file("echo", around).map(drop);
    }
    let program = rest.first().and_then(Word::argument).unwrap_or_default();
    if replaced.is_some_and(|text| text.is_empty() || program.contains(text)) {
        return Err("which program is run is not known");
    }
    prove_with_any_words(rest, around)
}

/// `-n1`, `-P4`, `-L1`.
fn glued_number(option: &str) -> bool {
    let number = ["-n", "-L", "-P"].iter().find_map(|name| option.strip_prefix(name));
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// Tests and actions of find that take no word, and those that take one.
const FIND_ALONE: &str = "-print -print0 -ls -prune -o -or -a -and -not ! ( ) , -empty -xdev -mount \
     -follow -depth -d -daystart -executable -readable -writable -quit -true -false -nouser -nogroup -noleaf \
     -ignore_readdir_race -nowarn -warn -H -L -P";
const FIND_VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype \
     -type -xtype -size -newer -anewer -cnewer -mtime -atime -ctime -mmin -amin -cmin -maxdepth \
     -mindepth -perm -user -group -uid -gid -links -inum -samefile -lname -ilname -fstype -printf -used \
     -newermt -newerat -newerct";

/// `find PATH… EXPRESSION`: only tests, printing, and programs that take any words.
pub(crate) fn find(words: &[Word], around: &Around<'_>) -> Result<(), Doubt> {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        rest = match first.argument() {
            None if first.is_operand() => after,
            None => return Err("a word that is not known could be an action"),
            Some("-exec") => {
                let ends = |word: &Word| matches!(word.argument(), Some(";" | "+"));
                let end = after.iter().position(ends).ok_or("an action does not end")?;
                let (inner, after) = after.split_at(end);
                // A word that is not known could be the end of the action.
                let program = *known(inner)?.first().ok_or("an action has no program")?;
                if program.contains("{}") {
                    return Err("which program is run is not known");
                }
                prove_with_any_words(inner, around)?;
                after.get(1..).unwrap_or_default()
            }
            Some(word) if FIND_ALONE.split(' ').any(|listed| listed == word) => after,
            Some(word) if FIND_VALUED.split(' ').any(|listed| listed == word) => {
                let value = after.first().ok_or("a test lacks its value")?;
                if matches!(value.shape, Shape::Many(_)) {
                    return Err("a word that is not known could be an action");
                }
                after.get(1..).unwrap_or_default()
            }
            Some(word) if word.starts_with('-') => return Err("a test or action is not known"),
            Some(_) => after,
        };
    }
    Ok(())
}

/// `sed`: only scripts that print.
pub(crate) fn sed(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let options = Options::new(
        "nErsuz",
        "el",
        "quiet silent regexp-extended separate unbuffered null-data expression=",
    );
    let sorted = options.sort(words)?;
    scripts(&sorted, &["e", "expression"])?.into_iter().try_for_each(awk_sed::check_sed)
}

/// `awk`: only programs that print.
pub(crate) fn awk(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    // Options end at the program; what follows it is for the program.
    let mut rest = words;
    let program = loop {
        let (first, after) = rest.split_first().ok_or("there is no program")?;
        let text = first.argument().ok_or("a program is not known")?;
        rest = match text {
            "-F" | "-v" => after.get(1..).ok_or("an option lacks its value")?,
            "--" => {
                break after.first().and_then(Word::argument).ok_or("a program is not known")?;
            }
            text if text.starts_with("-F") || text.starts_with("-v") => after,
            text if text.starts_with('-') => return Err("an option is not known"),
            text => break text,
        };
    };
    // Where one stood for the value of an option, several could hide the program.
    let many = |word: &Word| word.argument().is_none() && !word.is_operand();
    let network = |word: &Word| word.text.starts_with("/inet");
    if words.iter().any(many) || words.iter().any(network) {
        return Err("a word that is not known could be an option");
    }
    awk_sed::check_awk(program)
}

/// The scripts given by options, or else the first operand.
fn scripts<'a>(sorted: &Sorted<'a>, names: &[&str]) -> Result<Vec<&'a str>, Doubt> {
    let given = sorted.options.iter().filter(|(name, _)| names.contains(name));
    let given: Option<Vec<&str>> = given.map(|(_, value)| *value).collect();
    let given = given.ok_or("a script is not known")?;
    if !given.is_empty() {
        return Ok(given);
    }
    let first = sorted.operands.first().ok_or("there is no script")?;
    Ok(vec![first.argument().ok_or("a script is not known")?])
}

/// `xxd FILE`: the second operand is written. Its options are never joined.
pub(crate) fn xxd(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let operands = exact(
        &known(words)?,
        &["-b", "-e", "-E", "-i", "-p", "-u"],
        &["-c", "-l", "-s", "-g", "-o"],
    )?;
    if operands <= 1 { Ok(()) } else { Err("a program could write to one of its operands") }
}

/// `tree`: joined options take their values from later words, so none is joined here.
pub(crate) fn tree(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let alone = [
        "-a",
        "-d",
        "-f",
        "-i",
        "-l",
        "-p",
        "-s",
        "-h",
        "-D",
        "-F",
        "-C",
        "-n",
        "-J",
        "-X",
        "--noreport",
        "--dirsfirst",
        "--gitignore",
        "--du",
    ];
    exact(&known(words)?, &alone, &["-L", "-I", "-P"]).map(drop)
}

/// Checks options that stand alone or before their value, and gives the number of operands.
fn exact(words: &[&str], alone: &[&str], valued: &[&str]) -> Result<usize, Doubt> {
    let mut operands = 0;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if valued.contains(word) {
            let value = words.next().ok_or("an option lacks its value")?;
            if value.starts_with('-') {
                return Err("an option lacks its value");
            }
        } else if word.starts_with('-') {
            if !alone.contains(word) {
                return Err("an option is not known");
            }
        } else {
            operands += 1;
        }
    }
    Ok(operands)
}

/// `tar tf FILE`, in its spellings; a name with a colon is another host.
pub(crate) fn tar(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let words = known(words)?;
    let (mode, rest) = words.split_first().ok_or("there is no mode")?;
    let letters = mode.strip_prefix('-').unwrap_or(mode);
    let lists = letters.contains('t') && letters.ends_with('f');
    let listing = lists && letters.chars().all(|c| "tvzjJf".contains(c));
    let plain = rest.iter().all(|word| !word.starts_with('-') && !word.contains(':'));
    if listing && plain && !rest.is_empty() {
        Ok(())
    } else {
        Err("an archive may be unpacked or written")
    }
}

/// `unzip -l FILE`, `unzip -v FILE`.
pub(crate) fn unzip(words: &[Word], _: &Around<'_>) -> Result<(), Doubt> {
    let sorted = Options::new("lvtqZ1", "", "").sort(words)?;
    if sorted.has(&["l", "v", "t", "Z"]) { Ok(()) } else { Err("an archive may be unpacked") }
}
