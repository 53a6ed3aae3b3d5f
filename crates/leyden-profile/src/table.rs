//! Tables as text, Markdown, HTML and csv.

use std::borrow::Cow;

use crate::html::escape_text;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of finished cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes an empty table. Columns align left; a `>` before the name makes a column of numbers.
    pub fn new(columns: &[&str]) -> Self {
        let column = |name: &&str| match name.strip_prefix('>') {
            Some(name) => (name.to_owned(), Align::Right),
            None => ((*name).to_owned(), Align::Left),
        };
        Self {
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Missing cells are empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn cell(row: &[String], k: usize) -> &str {
        row.get(k).map_or("", String::as_str)
    }

    fn width(&self, k: usize) -> usize {
        let cells = self
            .rows
            .iter()
            .map(|row| Self::cell(row, k).chars().count());
        cells
            .max()
            .unwrap_or(0)
            .max(self.columns[k].0.chars().count())
    }

    /// Writes aligned text with a rule below the head.
    pub fn to_text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|k| self.width(k)).collect();
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        let lines = [&names, &rule].into_iter().chain(&self.rows);
        lines
            .map(|row| self.text_line(row, &widths) + "\n")
            .collect()
    }

    fn text_line(&self, row: &[String], widths: &[usize]) -> String {
        let cells: Vec<String> = widths
            .iter()
            .enumerate()
            .map(|(k, &width)| match self.columns[k].1 {
                Align::Left => format!("{:<width$}", Self::cell(row, k)),
                Align::Right => format!("{:>width$}", Self::cell(row, k)),
            })
            .collect();
        cells.join("  ").trim_end().to_owned()
    }

    /// Writes Markdown.
    pub fn to_markdown(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let rule = self.columns.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        let rule: Vec<String> = rule.collect();
        let lines = [&names, &rule].into_iter().chain(&self.rows);
        lines.map(|row| self.markdown_line(row)).collect()
    }

    fn markdown_line(&self, row: &[String]) -> String {
        let cells = (0..self.columns.len()).map(|k| escape_markdown(Self::cell(row, k)));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    }

    /// Writes an HTML element.
    pub fn to_html(&self) -> String {
        let cell = |tag: &str, k: usize, text: &str| {
            let class = match self.columns[k].1 {
                Align::Left => "",
                Align::Right => " class=\"n\"",
            };
            format!("<{tag}{class}>{}</{tag}>", escape_text(text))
        };
        let head = self.columns.iter().enumerate();
        let head: String = head.map(|(k, (name, _))| cell("th", k, name)).collect();
        let row = |row: &Vec<String>| {
            let cells = (0..self.columns.len()).map(|k| cell("td", k, Self::cell(row, k)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = self.rows.iter().map(row).collect();
        format!("<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table>")
    }

    /// Writes csv as in RFC 4180: commas, and quotes where needed.
    pub fn to_csv(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let line = |row: &Vec<String>| {
            let cells = (0..self.columns.len()).map(|k| escape_csv(Self::cell(row, k)));
            cells.collect::<Vec<_>>().join(",") + "\r\n"
        };
        [&names].into_iter().chain(&self.rows).map(line).collect()
    }
}

fn escape_markdown(cell: &str) -> String {
    escape_html_in_markdown(cell)
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// Escapes HTML. Markdown passes HTML on to the page, so a name must not be able to contain any.
pub(crate) fn escape_html_in_markdown(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    visible(&escaped).into_owned()
}

/// Replaces every control character except the end of a line and the tab by a picture. A name from
/// a file must not be able to steer a terminal.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) {
        Cow::Owned(text.chars().map(picture).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// The picture of a control character. Unicode has pictures only for those of ASCII.
fn picture(c: char) -> char {
    match c {
        '\u{7f}' => '\u{2421}',
        c if is_hidden(c) && c.is_ascii() => {
            char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn escape_csv(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["name", ">calls"]);
        table.row(vec!["fill".to_owned(), "12".to_owned()]);
        table.row(vec!["a|b, \"c\"".to_owned()]);
        table
    }

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(visible("plain\ttext\n"), "plain\ttext\n");
        assert_eq!(visible("a\u{1b}[31m\u{7f}\u{9b}b"), "a␛[31m␡\u{fffd}b");
    }

    #[test]
    fn text_is_aligned() {
        let expected = "name      calls\n────────  ─────\nfill         12\na|b, \"c\"\n";
        assert_eq!(table().to_text(), expected);
    }

    #[test]
    fn markdown_and_csv_are_escaped() {
        let markdown = "| name | calls |\n| --- | ---: |\n| fill | 12 |\n| a\\|b, \"c\" |  |\n";
        assert_eq!(table().to_markdown(), markdown);
        let mut hostile = Table::new(&["task"]);
        hostile.row(vec!["<img src=x onerror=alert(1)>&amp;\u{1b}".to_owned()]);
        let row = "| &lt;img src=x onerror=alert(1)>&amp;amp;␛ |\n";
        assert!(
            hostile.to_markdown().ends_with(row),
            "{}",
            hostile.to_markdown()
        );
        let csv = "name,calls\r\nfill,12\r\n\"a|b, \"\"c\"\"\",\r\n";
        assert_eq!(table().to_csv(), csv);
        let html = table().to_html();
        assert!(
            html.contains("<th>name</th><th class=\"n\">calls</th>"),
            "{html}"
        );
        assert!(html.contains("<td>a|b, &quot;c&quot;</td>"), "{html}");
    }
}
