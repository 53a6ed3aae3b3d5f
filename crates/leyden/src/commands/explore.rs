//! `leyden explore`: serves the page.

use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context;
use leyden_dsl::meter::CancelToken;
use leyden_explore::{Server, Settings};
use serde_json::json;

use crate::args::{ExploreArgs, Export};
use crate::explore::{App, ENDPOINTS, kept_token};
use crate::failure::Failure;
use crate::output::{Target, remark, write_stdout};
use crate::report::pretty_json;

pub(crate) fn run(args: ExploreArgs, cancel: &CancelToken) -> Result<(), Failure> {
    if let Some(export) = &args.export {
        return write_page(&args, export, cancel);
    }
    let settings = settings(&args)?;
    let server = Server::bind(&settings)
        .with_context(|| format!("cannot listen on {}, port {}", args.host, args.port))
        .map_err(Failure::Other)?;
    let app = Arc::new(App::load(&args, cancel)?);
    let link = server.link();
    tell(&args, &link)?;
    if args.opens_browser && !open(&link) {
        remark("no browser opens here; open the link in one\n");
    }
    let ended = server.run(app.clone(), ENDPOINTS, cancel);
    app.close();
    ended.context("the server").map_err(Failure::Other)?;
    Err(Failure::Stopped("the page is closed".to_owned()))
}

/// A free port has a new token each time; a chosen one keeps its link.
fn settings(args: &ExploreArgs) -> Result<Settings, Failure> {
    let token = (args.port != 0)
        .then(|| kept_token(&args.store))
        .transpose()
        .context("cannot keep the token of the link beside the store")
        .map_err(Failure::Other)?;
    Ok(Settings {
        host: args.host,
        port: args.port,
        token,
    })
}

fn write_page(args: &ExploreArgs, export: &Export, cancel: &CancelToken) -> Result<(), Failure> {
    let app = App::load(args, cancel)?;
    let exported = app.exported(export.task.as_ref(), cancel)?;
    if cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing is written".to_owned()));
    }
    export.target.write(&exported.html)?;
    match &args.json {
        Some(target) => target.write(&pretty_json(&exported.facts)?),
        None => Ok(()),
    }
}

fn tell(args: &ExploreArgs, link: &str) -> Result<(), Failure> {
    if !args.host.is_loopback() {
        remark("warning: others may reach this page; they need the token in the link\n");
    }
    let json_on_stdout = args.json == Some(Target::Stdout);
    if let Some(target) = &args.json {
        target.write(&pretty_json(&json!({ "link": link }))?)?;
    }
    let text = format!("{link}\n");
    if json_on_stdout {
        remark(&text);
        return Ok(());
    }
    write_stdout(&text)
}

/// Opens a link in the user's browser. Gives false if no program for that is found.
fn open(link: &str) -> bool {
    let openers: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["rundll32", "url.dll,FileProtocolHandler"]]
    } else {
        &[&["xdg-open"], &["wslview"]]
    };
    openers.iter().any(|words| {
        let mut command = Command::new(words[0]);
        let command = command.args(&words[1..]).arg(link);
        let quiet = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        quiet.spawn().is_ok()
    })
}
