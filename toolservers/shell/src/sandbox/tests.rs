//! Goal: what a grant says becomes the plan of a launcher, and nothing wider. `[GATE-70, 71, 72]`

use std::fs;

use super::*;

/// A home with caches, and two folders that a grant may name.
struct Ground {
    folder: tempfile::TempDir,
    sandbox: Sandbox,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["home/.npm", "home/.ssh", "w", "more"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let settings = Settings { sandbox_write: vec![at("more")], ..Settings::default() };
        let sandbox = Sandbox::new(&settings, Some(at("home")));
        *sandbox.tier() = Tier::Plain;
        Self { folder, sandbox }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// The folders that may be changed, by the end of their paths.
    fn writable(&self, sandbox: Level) -> Vec<String> {
        let scope =
            Scope { write_roots: vec![self.at("w"), self.at("gone")], sandbox, ..Scope::default() };
        let below = self.at("");
        let all = self.sandbox.writable(&scope);
        all.iter().map(|it| it.strip_prefix(&below).unwrap().display().to_string()).collect()
    }
}

#[test]
fn each_level_may_change_what_it_says() {
    let ground = Ground::new();
    assert!(ground.writable(Level::ReadOnly).is_empty());
    assert_eq!(ground.writable(Level::WorkspaceWrite), ["w", "more"]);
    assert_eq!(ground.writable(Level::Network), ["w", "more", "home/.npm"]);
}

/// A place is closed by a mount, which needs namespaces; a plan without them does not pretend.
#[test]
fn places_are_closed_only_where_they_can_be() {
    let reach = || Reach { held: vec!["/w/.git/hooks".into()], masked: vec!["/w/secret".into()] };
    let mut plain = Plan::default();
    Sandbox::close(&mut plain, reach());
    assert!(plain.held.is_empty() && plain.masked.is_empty());
    let mut plan = Plan { holder: Some(1), ..Plan::default() };
    Sandbox::close(&mut plan, reach());
    assert_eq!((plan.held, plan.masked), (reach().held, reach().masked));
}

#[test]
fn a_command_that_did_not_begin_is_no_command() {
    let by = Confinement::By(Box::default());
    let report = |text: &str| Report::parse(text.as_bytes());
    let held = report("confined namespaces places\ncode 3\n");
    assert_eq!(by.told(Some(&held), true).unwrap(), "namespaces places");
    let failed = report("failed cannot mount\n");
    assert!(by.told(Some(&failed), true).unwrap_err().to_string().contains("cannot mount"));
    assert!(by.told(None, true).is_err() && by.told(Some(&report("")), true).is_err());
    assert_eq!(by.told(None, false).unwrap(), "", "stopped before it began");
    assert_eq!(Confinement::Off.told(None, true).unwrap(), "off");
}
