//! The commands and their options, as a table and as a page (docs/commands.md).

use std::collections::BTreeMap;

use clap::{Arg, Command};
use serde_json::{Value, json};

use crate::args::sentence;

/// All commands that help shows.
pub(crate) struct Overview {
    commands: Vec<Shown>,
}

/// A command.
struct Shown {
    /// The full name: `leyden profile dsl`.
    name: String,
    about: String,
    usage: String,
    /// Examples and lists.
    after: String,
    arguments: Vec<ShownArg>,
    options: Vec<ShownArg>,
}

/// An option or an argument.
struct ShownArg {
    long: Option<String>,
    short: Option<char>,
    /// `FILE`, `N`.
    value: Option<String>,
    /// The sentence that all commands share.
    meaning: String,
    /// The text that this command adds to the sentence.
    more: String,
    default: Option<String>,
    /// The words that it takes, with their meanings.
    words: Vec<(String, String)>,
}

/// An option with all commands that have it.
struct Row<'a> {
    option: &'a ShownArg,
    commands: Vec<&'a str>,
}

impl Overview {
    pub(crate) fn of(definition: &Command) -> Overview {
        let mut definition = definition.clone();
        definition.build();
        let mut commands = Vec::new();
        let groups = crate::args::GROUPS.iter().flat_map(|(_, names)| *names);
        for name in groups.filter(|name| **name != "help") {
            if let Some(command) = definition.find_subcommand(name) {
                collect(command, "leyden", &mut commands);
            }
        }
        Overview { commands }
    }

    /// By name.
    fn rows(&self) -> BTreeMap<&str, Row<'_>> {
        let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
        for command in &self.commands {
            let of_group = format!("{} ", command.name);
            if self
                .commands
                .iter()
                .any(|it| it.name.starts_with(&of_group))
            {
                continue;
            }
            for option in &command.options {
                let Some(long) = &option.long else { continue };
                let row = rows.entry(long).or_insert(Row {
                    option,
                    commands: Vec::new(),
                });
                let name = command.name.strip_prefix("leyden ");
                row.commands.push(name.unwrap_or(&command.name));
            }
        }
        rows
    }

    /// The table for a terminal.
    pub(crate) fn table(&self) -> String {
        let line = |row: &Row<'_>| {
            let name = row.option.name();
            let (meaning, commands) = (&row.option.meaning, row.commands());
            format!("{name}\n    {meaning}\n    {commands}\n")
        };
        self.rows().values().map(line).collect()
    }

    /// The page of Markdown.
    pub(crate) fn page(&self) -> String {
        let mut page = String::from(
            "# Commands\n\nThis page comes from `leyden options --format md`; `cargo xtask docs` \
             writes it. `leyden help COMMAND` prints one section of it.\n\n## All options\n\nAn \
             option has one meaning in all commands.\n\n| option | short | meaning | commands |\n\
             |---|---|---|---|\n",
        );
        for row in self.rows().values() {
            let option = row.option;
            let short = option.short.map_or(String::new(), |c| format!("`-{c}`"));
            let commands = row.commands();
            let meaning = option.meaning.replace('|', "\\|");
            page += &format!(
                "| `{}` | {short} | {meaning} | {commands} |\n",
                option.long()
            );
        }
        self.commands.iter().for_each(|it| page += &it.section());
        page
    }

    pub(crate) fn to_json(&self) -> Value {
        let command = |command: &Shown| {
            json!({
                "command": command.name,
                "about": command.about,
                "usage": command.usage,
                "arguments": command.arguments.iter().map(ShownArg::to_json).collect::<Vec<_>>(),
                "options": command.options.iter().map(ShownArg::to_json).collect::<Vec<_>>(),
            })
        };
        self.commands.iter().map(command).collect()
    }
}

impl Row<'_> {
    /// The commands, with those of a group together: `run, profile (dsl, batch)`.
    fn commands(&self) -> String {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for command in &self.commands {
            let (group, name) = command.split_once(' ').unwrap_or((command, ""));
            match groups.last_mut() {
                Some((last, names)) if *last == group => names.push(name),
                _ => groups.push((group, vec![name])),
            }
        }
        let group = |(group, names): &(&str, Vec<&str>)| match names.as_slice() {
            [""] => (*group).to_owned(),
            names => format!("{group} ({})", names.join(", ")),
        };
        groups.iter().map(group).collect::<Vec<_>>().join(", ")
    }
}

fn collect(command: &Command, parent: &str, commands: &mut Vec<Shown>) {
    let name = format!("{parent} {}", command.get_name());
    commands.push(Shown::of(command, &name));
    let visible = command.get_subcommands();
    let visible = visible.filter(|it| !it.is_hide_set() && it.get_name() != "help");
    visible.for_each(|it| collect(it, &name, commands));
}

impl Shown {
    fn of(command: &Command, name: &str) -> Shown {
        let text = |text: Option<&clap::builder::StyledStr>| {
            text.map(ToString::to_string).unwrap_or_default()
        };
        let about = command.get_long_about().or(command.get_about());
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        let is_visible = |arg: &&Arg| !arg.is_hide_set() && !is_of_clap(arg);
        let (arguments, options) = command
            .get_arguments()
            .filter(is_visible)
            .partition::<Vec<&Arg>, _>(|arg| arg.is_positional());
        let mut options: Vec<ShownArg> = options.into_iter().map(ShownArg::of).collect();
        options.sort_by(|a, b| a.long.cmp(&b.long));
        Shown {
            name: name.to_owned(),
            about: text(about),
            usage: usage.trim().to_owned(),
            after: text(command.get_after_long_help()),
            arguments: arguments.into_iter().map(ShownArg::of).collect(),
            options,
        }
    }

    fn section(&self) -> String {
        let about = self.about.split_once("\n\n");
        let (first, rest) = about.unwrap_or((&self.about, ""));
        let about = format!("{first}.\n\n{rest}");
        let about = escaped(about.trim_end());
        let mut text = format!("\n## {}\n\n{about}\n\n", self.name);
        text += &format!("```text\n{}\n```\n", self.usage);
        for (title, args) in [("Arguments", &self.arguments), ("Options", &self.options)] {
            if !args.is_empty() {
                let lines: String = args.iter().map(ShownArg::line).collect();
                text += &format!("\n{title}:\n\n{lines}");
            }
        }
        if !self.after.is_empty() {
            text += &format!("\n```text\n{}\n```\n", self.after.trim_end());
        }
        text
    }
}

/// Does every command have it? clap explains these options.
fn is_of_clap(arg: &Arg) -> bool {
    ["help", "version"].contains(&arg.get_id().as_str())
}

impl ShownArg {
    fn of(arg: &Arg) -> ShownArg {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let long_help = arg.get_long_help().map(ToString::to_string);
        let more = long_help
            .as_deref()
            .and_then(|text| text.split_once("\n\n"));
        let takes_value = arg.get_action().takes_values();
        let values = arg.get_value_names().unwrap_or_default();
        let values: Vec<&str> = values.iter().map(clap::builder::Str::as_str).collect();
        let told = help.split_once(" [default: ");
        let told = told.map(|(_, rest)| rest.trim_end_matches(']').to_owned());
        let defaults = arg.get_default_values().first();
        let default = defaults.filter(|_| takes_value);
        let default = default.map(|value| value.to_string_lossy().into_owned());
        let n_values = arg.get_num_args().map(|range| range.max_values());
        let is_list = n_values.is_some_and(|n| n > 1);
        let words = arg.get_possible_values();
        let words = words
            .iter()
            .filter(|word| takes_value && !word.is_hide_set());
        ShownArg {
            long: arg.get_long().map(str::to_owned),
            short: arg.get_short(),
            value: takes_value.then(|| values.join(" ") + if is_list { "..." } else { "" }),
            meaning: sentence(&help).to_owned(),
            more: more.map_or(String::new(), |(_, more)| more.to_owned()),
            default: told.or(default),
            words: words
                .map(|word| {
                    let help = word.get_help().map(ToString::to_string);
                    (word.get_name().to_owned(), help.unwrap_or_default())
                })
                .collect(),
        }
    }

    /// `--data SPEC`, or `TASK` of an argument.
    fn long(&self) -> String {
        let value = self.value.as_deref().unwrap_or_default();
        let words = [
            self.long.as_ref().map(|it| format!("--{it}")),
            Some(value.to_owned()),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        words.join(" ").trim_end().to_owned()
    }

    /// `-d, --data SPEC`.
    fn name(&self) -> String {
        let short = self.short.map_or(String::new(), |c| format!("-{c}, "));
        format!("{short}{}", self.long())
    }

    fn line(&self) -> String {
        let mut line = format!("- `{}`: {}.", self.name(), escaped(&self.meaning));
        if !self.more.is_empty() {
            line += &format!(" {}", escaped(&self.more).replace("\n\n", " "));
        }
        if let Some(default) = &self.default {
            line += &format!(" Default: {}.", escaped(default));
        }
        if !self.words.is_empty() {
            let word = |(name, help): &(String, String)| {
                if help.is_empty() {
                    format!("`{name}`")
                } else {
                    format!("`{name}` ({})", escaped(help))
                }
            };
            let words: Vec<String> = self.words.iter().map(word).collect();
            line += &format!(" One of {}.", words.join(", "));
        }
        line + "\n"
    }

    fn to_json(&self) -> Value {
        let words: Vec<&str> = self.words.iter().map(|(name, _)| name.as_str()).collect();
        json!({
            "long": self.long,
            "short": self.short,
            "value": self.value,
            "meaning": self.meaning,
            "more": self.more,
            "default": self.default,
            "words": words,
        })
    }
}

/// Text with the characters escaped that mean something in Markdown.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace('{', "\\{")
}
