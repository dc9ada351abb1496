//! Goal: nothing in a configuration is ignored, and each mistake is told with its place ([CLI-06]).

use std::{collections::BTreeMap, fs, path::Path};

use tempfile::TempDir;
use tollgate_core::{
    authority::rules::{NamePattern, compact},
    name::ServerName,
};
use tollgate_engine::settings::{LocalListen, Reach};

use super::*;
use crate::{args::PostureArg, config::programs::Programs};

/// A home and a workspace with configuration files.
struct World {
    folder: TempDir,
    variables: BTreeMap<&'static str, String>,
    common: Common,
}

impl World {
    fn new(user: &str, project: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !text.is_empty() {
                fs::write(path, text).unwrap();
            }
        };
        write("home/config/config.toml", user);
        write("project/.tollgate/config.toml", project);
        let home = folder.path().join("home").to_string_lossy().into_owned();
        let common = Common { workspace: Some(folder.path().join("project")), ..Common::default() };
        Self { folder, variables: [("TOLLGATE_HOME", home)].into(), common }
    }

    fn load(&self) -> Result<Config, String> {
        let config = load(&self.common, &|name| self.variables.get(name).cloned());
        config.map_err(|error| {
            let folder = self.folder.path().canonicalize().unwrap();
            let text = error.to_string().replace(&*folder.to_string_lossy(), "…");
            text.replace(&*self.folder.path().to_string_lossy(), "…")
        })
    }
}

/// A mistake in the user's file, as it is told.
#[track_caller]
fn check_fault(text: &str, expected: &str) {
    assert_eq!(World::new(text, "").load().unwrap_err(), expected, "{text}");
}

/// What a key is after the user's and the project's file.
#[track_caller]
fn check_project(user: &str, project: &str, key: &str, expected: Result<&str, &str>) {
    let found = World::new(user, project).load();
    let found = found.map(|config| config.values.text(key).unwrap().to_owned());
    assert_eq!(found.as_deref().map_err(String::as_str), expected, "{user} / {project}");
}

#[test]
fn an_unknown_key_is_told_with_its_place_and_the_nearest_name() {
    let file = "…/home/config/config.toml";
    check_fault(
        "\nmodell = \"x\"",
        &format!("{file}:2: modell: there is no such key; did you mean 'model'?"),
    );
    check_fault(
        "[servers.file]\n\n[servers.file.clocks]\nidle = 5",
        &format!(
            "{file}:4: servers.file.clocks.idle: there is no such key; did you mean 'idle_ms'?"
        ),
    );
    check_fault("[zzz]\na=1", &format!("{file}:1: zzz: there is no such key"));
    check_fault(
        "[servers.Upper]\ncommand=[\"x\"]",
        &format!(
            "{file}:1: servers.Upper: 'Upper' is no server name: a lower-case letter, then letters, digits and '-', at most 32"
        ),
    );
}

/// The kernel stands in lists and receipts where a server's name is expected.
#[test]
fn no_server_is_called_as_the_kernel() {
    check_fault(
        "\n[servers.kernel]\ncommand = [\"x\"]",
        "…/home/config/config.toml:2: servers.kernel: is the kernel's own name, by which lists and receipts \
         say that no server has a tool; give the server another one",
    );
}

#[test]
fn a_value_of_another_kind_is_told_with_what_is_expected() {
    let file = "…/home/config/config.toml";
    check_fault(
        "mode = \"plann\"",
        &format!(
            "{file}:1: mode: must be \"plan\" or \"work\" or \"operate\", and is the text \"plann\"; did you mean \"plan\"?"
        ),
    );
    check_fault(
        "[limits]\nturn_calls = \"9\"",
        &format!(
            "{file}:2: limits.turn_calls: must be a whole number from 1 to 1000000, and is the text \"9\""
        ),
    );
    check_fault("limits = 3", &format!("{file}:1: limits: must be a table"));
    check_fault(
        "[servers.x]\ncommand = \"sh -c x\"",
        &format!(
            "{file}:2: servers.x.command: must be a list of texts, and is the text \"sh -c x\""
        ),
    );
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let error = World::new("modle = 1\nmode = 2\n", "").load().unwrap_err();
    assert_eq!(error.lines().count(), 2, "{error}");
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let error = World::new("model = \"x\"\nmode = \n", "").load().unwrap_err();
    assert!(error.starts_with("…/home/config/config.toml:2: "), "{error}");
}

#[test]
fn a_project_can_only_tighten() {
    let file = "…/project/.tollgate/config.toml";
    check_project("", "posture = \"never\"", "posture", Ok("never"));
    check_project("", "mode = \"plan\"", "mode", Ok("plan"));
    check_project("posture = \"full-access\"", "posture = \"ask\"", "posture", Ok("ask"));
    check_project("posture = \"never\"", "posture = \"ask\"", "posture", Ok("never"));
    check_project("mode = \"operate\"", "", "mode", Ok("operate"));
    let looser = format!(
        "{file}:1: posture: a project can only tighten, and \"full-access\" is looser than the default"
    );
    check_project("", "posture = \"full-access\"", "posture", Err(&looser));
    let other = format!(
        "{file}:2: servers.x.command: a project can only tighten: mode, posture, workspace_writes, taint, sandbox.mode, sandbox.network, permissions.deny, permissions.ask, tools.deny and servers.NAME.enabled = false; put this into your own config.toml"
    );
    check_project("", "[servers.x]\ncommand = [\"sh\"]", "mode", Err(&other));
}

/// [GATE-13] Each of the keys that a project may tighten, and how.
#[test]
fn a_project_tightens_writes_taint_servers_and_lists() {
    check_project("", "workspace_writes = \"ask\"", "workspace_writes", Ok("ask"));
    let taint = |user: &str, project: &str| World::new(user, project).load().unwrap().extra.taint;
    assert!(taint("taint = false", "taint = true"), "the tighter of the two");
    assert!(!taint("taint = false", ""));
    let config = World::new("", "[servers.shell]\nenabled = false").load().unwrap();
    assert_eq!(config.values.flag("servers.shell.enabled"), Some(false));
    let config = World::new("", "[servers.nobody]\nenabled = false").load().unwrap();
    assert!(config.notes[0].ends_with("there is no server 'nobody'"), "{:?}", config.notes);
    assert!(!config.values.servers().contains(&"nobody"));
    let file = "…/project/.tollgate/config.toml";
    for (text, expected) in [
        (
            "workspace_writes = \"auto\"\ntaint = false",
            ":2: taint: a project can only tighten, and false is looser than the default",
        ),
        (
            "[servers.file]\nenabled = true",
            ":2: servers.file.enabled: a project can only switch a server off",
        ),
        ("[permissions]\nallow = [\"bash\"]", ":2: permissions.allow: there is no such key"),
        ("[permissions]\nask = [\"bash(\"]", ":2: permissions.ask: 'bash(' is no usable pattern"),
    ] {
        let error = World::new("", text).load().unwrap_err();
        assert!(error.starts_with(&format!("{file}{expected}")), "{text}: {error}");
    }
}

/// [GATE-13] Confinement too; further folders are the user's to say.
#[test]
fn a_project_tightens_the_sandbox() {
    for (key, loose, usual, tight) in
        [("mode", "off", "best-effort", "required"), ("network", "on", "ask", "off")]
    {
        let say = |word: &str| format!("[sandbox]\n{key} = {word:?}");
        let path = format!("sandbox.{key}");
        check_project("", &say(tight), &path, Ok(tight));
        check_project(&say(loose), &say(usual), &path, Ok(usual));
        check_project(&say(tight), &say(usual), &path, Ok(tight));
        let error = World::new("", &say(loose)).load().unwrap_err();
        assert!(error.contains("can only tighten") && error.contains("is looser"), "{error}");
    }
    let error = World::new("", "[sandbox]\nwrite = [\"/srv\"]").load().unwrap_err();
    assert!(error.contains(":2: sandbox.write: a project can only tighten"), "{error}");
}

/// [GATE-13] [GATE-20] Rules add up over files and options, and each knows whose it is and where.
#[test]
fn rules_add_up_and_know_their_place() {
    let mut world = World::new(
        "[permissions]\ndeny = [\"bash(a *)\"]\n[tools]\nallow = [\"read\", \"bash\"]\ndeny = [\"x\"]",
        "[permissions]\nask = [\"bash(b *)\"]\n[tools]\ndeny = [\"y_*\"]",
    );
    world.common.allow = vec!["bash(c *)".into()];
    world.common.deny = vec!["bash(d *)".into()];
    let extra = world.load().unwrap().extra;
    let told: Vec<String> = extra
        .rules
        .iter()
        .map(|rule| {
            let origin = rule.origin.rsplit('/').next().unwrap();
            format!("{:?} {:?} {} {origin}", rule.source, rule.action, compact::show(rule))
        })
        .collect();
    assert_eq!(
        told,
        [
            "User Deny bash(a *) config.toml:2",
            "Project Ask bash(b *) config.toml:2",
            "User Deny bash(d *) --deny",
            "User Allow bash(c *) --allow",
        ]
    );
    let names = |patterns: &[NamePattern]| -> Vec<String> {
        patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect()
    };
    assert_eq!(names(&extra.lists.deny), ["x", "y_*"]);
    assert_eq!(names(extra.lists.allow.as_deref().unwrap()), ["read", "bash"]);
    world.common.deny = vec!["bash(".into()];
    assert!(world.load().unwrap_err().starts_with("--deny: 'bash('"));
}

/// [GATE-51] More managed files by one variable, which only adds.
#[test]
fn managed_files_are_those_of_the_machine_and_of_the_variable() {
    let mut world = World::new("", "");
    world.variables.insert("TOLLGATE_MANAGED", "/a.toml::/b.toml".into());
    let places = policy::places(&world.load().unwrap().places);
    let files = ["/etc/tollgate/managed.toml", "/a.toml", "/b.toml"];
    assert_eq!(places.managed, files.map(PathBuf::from));
}

#[test]
fn a_project_that_is_looser_than_its_user_is_told() {
    let config = World::new("posture = \"never\"", "posture = \"ask\"").load().unwrap();
    assert_eq!(config.notes.len(), 1, "{:?}", config.notes);
}

#[test]
fn a_resumed_session_stays_as_tight_as_it_was_left() {
    use tollgate_core::stance::{Mode, Posture, Stance};
    let check = |user: &str, flag, left: (Mode, Posture), expected: (Mode, Posture)| {
        let mut world = World::new(user, "");
        world.common.posture = flag;
        let mut config = world.load().unwrap();
        project::keep_tight(&mut config.values, Stance { mode: left.0, posture: left.1 });
        assert_eq!(stance(&config), Stance { mode: expected.0, posture: expected.1 }, "{user}");
    };
    check("", None, (Mode::Plan, Posture::Never), (Mode::Plan, Posture::Never));
    check("", None, (Mode::Work, Posture::FullAccess), (Mode::Work, Posture::Ask));
    let ask = Some(PostureArg::Ask);
    check("mode = \"plan\"", ask, (Mode::Work, Posture::Never), (Mode::Plan, Posture::Ask));
}

#[test]
fn later_layers_win_and_say_who_they_are() {
    let mut world = World::new("model = \"user\"\nposture = \"never\"", "");
    let source = |world: &World, key: &str| {
        let said = world.load().unwrap().values.get(key).unwrap().clone();
        let source = said.source.to_string();
        (said.value.as_str().unwrap().to_owned(), source.rsplit('/').next().unwrap().to_owned())
    };
    assert_eq!(source(&world, "model"), ("user".into(), "config.toml:1".into()));
    assert_eq!(source(&world, "mode"), ("work".into(), "built in".into()));
    let given = world.folder.path().join("given.toml");
    fs::write(&given, "\nmodel = \"given\"").unwrap();
    world.common.config = Some(given);
    assert_eq!(source(&world, "model"), ("given".into(), "given.toml:2".into()));
    world.variables.insert("TOLLGATE_MODEL", "variable".into());
    assert_eq!(source(&world, "model"), ("variable".into(), "TOLLGATE_MODEL".into()));
    world.common.model = Some("flag".into());
    world.common.posture = Some(PostureArg::Ask);
    assert_eq!(source(&world, "model"), ("flag".into(), "--model".into()));
    assert_eq!(source(&world, "posture"), ("ask".into(), "--posture".into()));
}

#[test]
fn a_variable_that_means_nothing_is_a_mistake() {
    let mut world = World::new("", "");
    world.variables.insert("TOLLGATE_MODE", "paln".into());
    let error = world.load().unwrap_err();
    assert!(
        error.starts_with("TOLLGATE_MODE: must be \"plan\"")
            && error.ends_with("did you mean \"plan\"?"),
        "{error}"
    );
}

#[test]
fn a_configuration_file_that_is_named_and_not_there_is_a_mistake() {
    let mut world = World::new("", "");
    world.common.config = Some("/no/such.toml".into());
    assert_eq!(world.load().unwrap_err(), "/no/such.toml: --config names a file that is not there");
}

#[test]
fn a_script_begins_where_it_was_said() {
    let mut world = World::new("model = \"script:s.json\"", "");
    let model = |world: &World| world.load().unwrap().values.text("model").unwrap().to_owned();
    assert!(model(&world).ends_with("/home/config/s.json"), "{}", model(&world));
    world.common.model = Some("script:/abs.json".into());
    assert_eq!(model(&world), "script:/abs.json");
}

/// What a server of the user's file becomes: "local …", "remote …" or the fault.
#[track_caller]
fn check_server(text: &str, expected: &str) {
    let world = World::new(text, "");
    let config = world.load().unwrap();
    let own = world.folder.path().join("bin");
    fs::create_dir_all(&own).unwrap();
    fs::copy("/bin/sh", own.join("tollgate-file")).unwrap();
    let programs = Programs { own: vec![own], path: vec!["/bin".into()] };
    let (settings, faults) = settings(&config, Path::new("/x/tollgate"), &programs);
    let found = match settings
        .servers
        .get(&ServerName::try_from("file").unwrap())
        .map(|server| &server.reach)
    {
        Some(Reach::Local { program, args, listen, warden }) => {
            let program = program.file_name().unwrap().display();
            let listen = if *listen == LocalListen::Path { " path" } else { "" };
            format!("local {program} {args:?}{listen}{}", if *warden { " warden" } else { "" })
        }
        Some(Reach::Remote { endpoint, tls, .. }) => {
            format!("remote {endpoint} tls={}", tls.is_some())
        }
        None => {
            let fault = faults.iter().find(|fault| fault.server == "file");
            fault.map_or("none".to_owned(), |fault| {
                format!("{}: {}", fault.fault.key, fault.fault.what)
            })
        }
    };
    assert!(found.starts_with(expected), "{text}: {found}");
}

#[test]
fn a_server_is_started_here_or_reached_elsewhere() {
    check_server("", "local tollgate-file []");
    check_server("[servers.file]\nenabled = false", "none");
    check_server("[servers.file]", "local tollgate-file []");
    check_server(
        "[servers.file]\ncommand = [\"sh\", \"-c\"]\nlisten = \"path\"\nwarden = true",
        "local sh [\"-c\"] path warden",
    );
    let remote = "[servers.file]\nendpoint = \"https://h:1\"\ngrant_key_file = \"k\"\ngrant_key_id = \"i\"\nroots = [\"/srv\"]\n";
    check_server(
        &format!("{remote}tls = {{ ca = \"a\", cert = \"b\", key = \"c\" }}"),
        "remote https://h:1 tls=true",
    );
    check_server(remote, "servers.file.tls: needs `ca`, `cert` and `key`");
    check_server(&remote.replace("https", "http"), "remote http://h:1 tls=false");
    check_server(
        &remote.replace("https", "http").replace("\"/srv\"", ""),
        "servers.file.roots: needs at least one absolute folder",
    );
    check_server(
        "[servers.file]\ncommand = [\"sh\"]\nendpoint = \"http://h\"",
        "servers.file.endpoint: stands beside `command`",
    );
}

/// [CLI-09]: the places looked in, and what helps.
#[test]
fn a_program_that_is_nowhere_is_told_with_the_places() {
    check_server(
        "[servers.file]\ncommand = [\"no-such\"]",
        "servers.file.command: the program 'no-such' was not found; looked for ",
    );
    check_server(
        "[servers.file]\ncommand = [\"./no-such\"]",
        "servers.file.command: the program './no-such' was not found",
    );
    let programs = Programs { own: vec!["/a".into(), "/b".into()], path: vec!["/bin".into()] };
    let missing = programs.find("tollgate-shell", true).unwrap_err();
    assert_eq!(missing.to_string(), "/a/tollgate-shell, /b/tollgate-shell");
    let missing = programs.find("no-such", false).unwrap_err();
    assert_eq!(missing.to_string(), "/a/no-such, /b/no-such and in PATH");
}

#[test]
fn a_server_of_which_nothing_is_said_is_a_mistake() {
    let config = World::new("[servers.empty]", "").load().unwrap();
    let programs = Programs { own: Vec::new(), path: Vec::new() };
    let (_, faults) = settings(&config, Path::new("/x/tollgate"), &programs);
    let fault = faults.iter().find(|fault| fault.server == "empty").unwrap();
    assert!(fault.fault.what.starts_with("is missing; a server needs `command"), "{fault:?}");
}

/// [CODE-16] The switch reaches the engine, and is told where it contradicts the surface.
#[test]
fn code_mode_is_switched_off_by_a_key() {
    let programs = Programs { own: Vec::new(), path: Vec::new() };
    let is_on = |text: &str| {
        let config = World::new(text, "").load().unwrap();
        settings(&config, Path::new("/x/tollgate"), &programs).0.tools.code_mode
    };
    assert!(is_on("") && is_on("[features]\ncode_mode = true"));
    assert!(!is_on("[features]\ncode_mode = false"));
    let mut world = World::new("[features]\ncode_mode = false", "");
    world.common.surface = Some("code".into());
    let error = world.load().unwrap_err();
    assert!(error.contains("config.toml:2: features.code_mode: is false"), "{error}");
    assert!(error.contains("'code' (--surface)"), "{error}");
}

#[test]
fn the_directories_follow_home_and_xdg() {
    let check = |variables: &[(&str, &str)], expected: [&str; 3]| {
        let lookup = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let places = dirs::places(&lookup).unwrap();
        let engine = &places.engine;
        let found = [&places.config, &engine.state, &engine.cache]
            .map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(found, expected, "{variables:?}");
    };
    check(&[("TOLLGATE_HOME", "/t"), ("HOME", "/h")], ["/t/config", "/t/state", "/t/cache"]);
    check(
        &[("HOME", "/h")],
        ["/h/.config/tollgate", "/h/.local/state/tollgate", "/h/.cache/tollgate"],
    );
    check(
        &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_STATE_HOME", "relative")],
        ["/c/tollgate", "/h/.local/state/tollgate", "/h/.cache/tollgate"],
    );
}

/// [CLI-06]: every key is documented, and nothing else is.
#[test]
fn the_readme_has_every_key() {
    let readme = include_str!("../../README.md");
    let documented: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .filter(|(_, rest)| rest.matches('|').count() == 4)
        .map(|(key, _)| key)
        .collect();
    let known: Vec<String> = keys::KEYS.iter().map(|key| key.path.replace('*', "NAME")).collect();
    assert_eq!(documented, known);
    for key in keys::KEYS {
        let default =
            if key.default.is_empty() { "–".to_owned() } else { format!("`{}`", key.default) };
        let row = format!(
            "| `{}` | {} | {default} | {} |",
            key.path.replace('*', "NAME"),
            key.kind.describe(),
            key.meaning
        );
        assert!(readme.contains(&row), "missing in README.md:\n{row}");
    }
}

#[test]
fn the_built_in_layer_fits_its_own_keys() {
    for (key, said) in built_in::values().one {
        let path: Vec<&str> = key.split('.').collect();
        let keys::Found::Key(found) = keys::find(&path) else { panic!("{key}") };
        file::checked(found.kind, &said.value, Path::new("/")).unwrap();
    }
    for key in keys::KEYS.iter().filter(|key| !key.default.is_empty()) {
        let value = built_in::default(key.default).unwrap();
        file::checked(key.kind, &value, Path::new("/")).unwrap();
    }
}
