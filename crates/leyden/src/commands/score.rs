//! `leyden score`: scores a submission.

use leyden_grid::Task;
use leyden_store::submission::{Draft, ScoreCard};

use crate::args::ScoreArgs;
use crate::commands::answered::Answered;
use crate::failure::Failure;
use crate::output::{Target, say};
use crate::report::palette::Palette;
use crate::report::score::{self, Summary};
use crate::report::{pretty_json, score_html};

pub(crate) fn run(args: ScoreArgs) -> Result<(), Failure> {
    let answered = Answered::read(&args.answered, &args.submission)?;
    let Answered { data, draft, .. } = &answered;
    let card = ScoreCard::of(draft, &data.tasks)?;
    let summary = Summary {
        submission: args.submission.display().to_string(),
        data_name: &data.name,
        data_hash: &data.hash,
        card: &card,
        n_problems: answered.problems().len(),
        missing: answered.missing(),
    };
    write(&args, &summary, draft, &data.tasks)
}

/// Renders everything before it writes anything.
fn write(
    args: &ScoreArgs,
    summary: &Summary<'_>,
    draft: &Draft,
    tasks: &[Task],
) -> Result<(), Failure> {
    let palette = Palette::named(args.palette);
    let html = args
        .html
        .as_ref()
        .map(|_| score_html::page(summary, draft, tasks, &palette));
    let json = args.json.as_ref();
    let json = json
        .map(|_| pretty_json(&score::json(summary)))
        .transpose()?;
    let mut is_stdout_taken = false;
    for (target, text) in [(&args.html, html), (&args.json, json)] {
        if let (Some(target), Some(text)) = (target, text) {
            target.write(&text)?;
            is_stdout_taken |= *target == Target::Stdout;
        }
    }
    say(&score::text(summary, !args.summary), is_stdout_taken)
}
