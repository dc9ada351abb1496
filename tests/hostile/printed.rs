//! `BEHAVIOUR --manifest --settings FILE`: what a server prints instead of serving, for the behaviours that
//! know the option. All others go on as if it were not there, and wait for their line.

use std::{
    fs,
    io::{Write as _, stdout},
    path::PathBuf,
    process::{Command, ExitCode},
};

use prost::Message as _;
use tollgate_proto::tool::v1::DescribeResponse;

use crate::{behaviour::Behaviour, manifest, start::Settings, told};

/// Bytes of one write of a program that never stops.
const BABBLE_BYTES: usize = 64 * 1024;

/// Whether the manifest is to be printed, and with which settings.
pub(crate) fn asked(words: &mut impl Iterator<Item = String>) -> Option<Settings> {
    if words.next()? != "--manifest" {
        return None;
    }
    let file = words.nth(1).map(PathBuf::from).unwrap_or_default();
    let text = fs::read_to_string(file).unwrap_or_default();
    Some(serde_json::from_str(&text).unwrap_or_default())
}

/// Prints it.
pub(crate) fn print(behaviour: Behaviour, settings: &Settings) -> anyhow::Result<ExitCode> {
    if let Some(prints) = &settings.prints {
        fs::OpenOptions::new().create(true).append(true).open(prints)?.write_all(b"printed\n")?;
    }
    let printed = match behaviour {
        Behaviour::Shifty => manifest::of(Behaviour::Plain),
        Behaviour::Told => told::of(&settings.tools),
        Behaviour::Sources | Behaviour::Printing => manifest::of(behaviour),
        Behaviour::Garbled => {
            stdout().write_all(b"\xff\xfe no manifest at all\n")?;
            return Ok(ExitCode::SUCCESS);
        }
        Behaviour::Forged => {
            let (mut manifest, tools) = manifest::of(behaviour);
            manifest.digest = vec![9; 32].into();
            (manifest, tools)
        }
        Behaviour::Babbling => loop {
            stdout().write_all(&[b'z'; BABBLE_BYTES])?;
        },
        Behaviour::Stuck => {
            let mut child = Command::new("sleep").arg("600").spawn()?;
            child.wait()?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            eprintln!("--manifest: unknown option");
            return Ok(ExitCode::from(2));
        }
    };
    let (manifest, tools) = printed;
    let page = DescribeResponse { manifest: Some(manifest), tools, ..DescribeResponse::default() };
    stdout().write_all(&page.encode_to_vec())?;
    Ok(ExitCode::SUCCESS)
}
