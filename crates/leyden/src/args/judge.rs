//! Arguments of `leyden judge`.

use std::path::PathBuf;

use clap::Args;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_lang::Language;

use super::shared::{
    LowDialect, LowFuel, LowJobs, LowJson, LowOut, LowSpec, outputs, refuse_two_on_stdout,
};
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::load::{Choice, WantedTasks};

/// Judge the programs that another program proposes
///
/// `leyden judge` reads proposals as lines of JSON and writes a verdict for each, in their order and
/// at once: whether the program fits all demonstrations of its task, partial credit from 0 to 100, the
/// first wrong cell, and errors with their line. A proposal that makes no sense gets a verdict with
/// an error, too, and the process goes on until the input ends. It never looks at test outputs.
///
/// With --mcp, a language model calls it through the Model Context Protocol.
///
/// docs/judge.md describes the lines and shows a proposer.
#[derive(Args)]
#[command(after_long_help = "\
A proposal and its verdict:
  {\"id\": 1, \"task\": \"1e7d0001\", \"program\": \"def solve(I):\\n    return vmirror(I)\\n\"}
  {\"id\":1,\"task\":\"1e7d0001\",\"fit\":false,\"credit\":63.5,\"right\":0,\"pairs\":3,\"fuel\":1011,
   \"first_wrong\":{\"column\":2,\"demo\":0,\"expected\":1,\"got\":0,\"kind\":\"cell\",\"row\":2},\"error\":null}

Examples:
  leyden judge --data demo proposals.jsonl
  my_proposer | leyden judge --data arc1:training --fuel 1000000 | my_reader
  leyden judge --data demo --outputs proposals.jsonl --out verdicts.jsonl
  leyden judge --data arc2:evaluation --mcp")]
pub(super) struct LowJudge {
    /// The proposals (`-`: standard input, the default)
    #[arg(value_name = "FILE", conflicts_with = "mcp")]
    file: Option<PathBuf>,
    #[command(flatten)]
    data: LowSpec,
    #[command(flatten)]
    dialect: LowDialect,
    /// Also write the result on each demonstration and each test input
    #[arg(long, conflicts_with = "mcp", help_heading = "Output")]
    outputs: bool,
    /// Speak the Model Context Protocol on standard input and output
    #[arg(long, conflicts_with_all = ["out", "jobs"], help_heading = "Output")]
    mcp: bool,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    jobs: LowJobs,
    #[command(flatten)]
    fuel: LowFuel,
}

/// The partner of the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    /// A proposer that writes lines.
    Lines {
        /// The file of proposals; `None` for standard input.
        file: Option<PathBuf>,
        /// Where verdicts go.
        out: Target,
        /// Whether verdicts have outputs.
        with_outputs: bool,
        n_threads: usize,
    },
    /// A language model.
    Mcp,
}

pub(crate) struct JudgeArgs {
    pub(crate) tasks: WantedTasks,
    pub(crate) language: Language,
    pub(crate) fuel: u64,
    pub(crate) talk: Talk,
    pub(crate) json: Option<Target>,
}

impl LowJudge {
    pub(super) fn validate(self) -> Result<JudgeArgs, Failure> {
        let (out, json) = outputs(self.out, self.json)?;
        let out = out.unwrap_or(Target::Stdout);
        refuse_two_on_stdout([&Some(out.clone()), &json])?;
        let file = self.file.filter(|path| path.as_os_str() != "-");
        let talk = match self.mcp {
            true => Talk::Mcp,
            false => Talk::Lines {
                file,
                out,
                with_outputs: self.outputs,
                n_threads: self.jobs.n_threads(),
            },
        };
        Ok(JudgeArgs {
            tasks: WantedTasks {
                data: self.data.data,
                solutions: None,
                choice: Choice::default(),
            },
            language: self.dialect.validate()?,
            fuel: self.fuel.fuel.unwrap_or(DEFAULT_FUEL),
            talk,
            json,
        })
    }
}
