//! Writes profiles, in several forms.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use leyden_profile::Profile;
use leyden_profile::csv::CsvTable;
use leyden_profile::report::ReportOptions;
use leyden_store::{read_text, write_atomic};

use super::machine;
use crate::failure::Failure;
use crate::output::{Target, print, remark};

/// The form of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A report for the terminal
    Text,
    /// Everything, to be read again by `refilter` and `compare`
    Json,
    /// The main table for a spreadsheet
    Csv,
    /// A report as Markdown
    Md,
    /// For speedscope.app
    Speedscope,
    /// A line for each stack, for flame graph tools
    Collapsed,
    /// A flame graph
    Svg,
    /// For `go tool pprof`
    Pprof,
    /// A page with charts, in one file
    Html,
}

impl Format {
    /// The forms that belong to suffixes of files.
    pub(crate) const SUFFIXES: [(&str, Format); 10] = [
        (".speedscope.json", Format::Speedscope),
        (".json", Format::Json),
        (".csv", Format::Csv),
        (".md", Format::Md),
        (".collapsed", Format::Collapsed),
        (".folded", Format::Collapsed),
        (".svg", Format::Svg),
        (".pb.gz", Format::Pprof),
        (".pprof", Format::Pprof),
        (".html", Format::Html),
    ];
}

/// The outputs that the user wants.
pub(crate) struct Outputs {
    pub(crate) format: Format,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
    pub(crate) report: Option<PathBuf>,
    pub(crate) options: ReportOptions,
}

impl Outputs {
    /// Writes files first, because the text on the terminal speaks of them. Renders everything
    /// before it writes anything.
    pub(crate) fn write(&self, profile: &Profile, more: &str) -> Result<(), Failure> {
        let main = self.render(profile, more)?;
        let text = || profile.report(&self.options).to_text() + more;
        if let Some(target) = &self.json {
            target.write(&profile.to_json())?;
        }
        if let Some(directory) = &self.report {
            let path = write_report(directory, kind_name(profile), &text())?;
            remark(&format!("report: {}\n", path.display()));
        }
        match &self.out {
            Some(Target::File(path)) => write_atomic(path, &main).map_err(Failure::writing),
            _ if self.json == Some(Target::Stdout) => {
                remark(&text());
                Ok(())
            }
            _ if self.format == Format::Text => print(&String::from_utf8_lossy(&main)),
            _ => write_bytes(&main),
        }
    }

    fn render(&self, profile: &Profile, more: &str) -> Result<Vec<u8>, Failure> {
        let report = || profile.report(&self.options);
        Ok(match self.format {
            Format::Text => (report().to_text() + more).into_bytes(),
            Format::Md => (report().to_markdown() + more).into_bytes(),
            Format::Json => profile.to_json().into_bytes(),
            Format::Csv => profile.to_csv(CsvTable::main_of(profile.kind)).into_bytes(),
            Format::Speedscope => profile.to_speedscope().into_bytes(),
            Format::Collapsed => profile.to_collapsed().into_bytes(),
            Format::Svg => profile
                .to_flame_graph()
                .map_err(|error| Failure::Other(error.into()))?
                .into_bytes(),
            Format::Pprof => profile.to_pprof()?,
            Format::Html => profile.to_html().into_bytes(),
        })
    }
}

fn write_bytes(bytes: &[u8]) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

fn kind_name(profile: &Profile) -> String {
    format!("{:?}", profile.kind).to_lowercase()
}

/// Writes a report under a name that has the time in it, and makes the directory if it is missing.
pub(crate) fn write_report(directory: &Path, name: String, text: &str) -> Result<PathBuf, Failure> {
    fs::create_dir_all(directory).map_err(|error| Failure::system(directory, &error))?;
    let time: String = machine::now().chars().filter(|c| *c != ':').collect();
    let path = directory.join(format!("leyden-{name}-{time}.txt"));
    write_atomic(&path, text.as_bytes()).map_err(Failure::writing)?;
    Ok(path)
}

/// Reads a profile from JSON.
pub(crate) fn read(path: &Path) -> Result<Profile, Failure> {
    let profile = Profile::from_json(&read_text(path)?);
    profile.map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
}
