//! The reference of the calls (docs/explore-api.md), from THE list.

use std::fmt::Write;

use leyden_explore::Endpoint;
use serde_json::{Value, json};

use super::{App, ENDPOINTS};
use crate::report::style::rendered;

const INTRODUCTION: &str = "\
# The calls of `leyden explore`

The page of `leyden explore` is made of these calls, and scripts may use them, too. `cargo xtask docs` writes this page
from the list in `crates/leyden/src/explore/table.rs`; a test calls every entry.

```sh
leyden explore --data demo --no-open --json link.json
```

The server prints a link such as `http://127.0.0.1:41234/#token=…`. The token behind `#token=` goes into a header of
every call:

```python
import json, urllib.request
link = json.load(open('link.json'))['link']
address, token = link.split('/#token=')
request = urllib.request.Request(f'{address}/api/v1/about', headers={'Authorization': f'Bearer {token}'})
print(json.load(urllib.request.urlopen(request)))
```

## Rules

- All paths begin with `/api/v1/`. A word in braces stands for a part of the path. Characters other than letters,
  digits and `-._~` are percent-encoded.
- `GET` calls take the named fields in the query, `POST` calls in a JSON object with `Content-Type: application/json`.
  A field before the first semicolon is needed in a `POST` call; the others may be missing.
- Every refusal is `{\"error\": \"a sentence\"}` with one of these statuses:

| status | meaning |
|---|---|
| 400 | a field is missing or wrong |
| 401 | the token is missing or wrong |
| 403 | another site calls, or the name of the server is not its own |
| 404 | there is no such call, data set, task, program or run |
| 405 | the path has no such method |
| 408 | the body took longer than 10 seconds |
| 409 | the state does not allow it: a third run, or a run that goes on |
| 413 | the body has more than 1 MB |
| 415 | the body is not declared as JSON |
| 429 | 16 streams are open already |
| 500 | the server failed, for example because the disk is full |

- No call gives a test output unless `solutions`, `tests` or `truth` asks for it.
- Streams of events have the form of [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html).
  Each event has a number; the header `Last-Event-ID` continues behind one. A silent stream sends a comment every 15
  seconds.
";

/// The page.
pub(crate) fn page() -> String {
    rendered(|text| {
        text.push_str(INTRODUCTION);
        let mut theme = "";
        for endpoint in ENDPOINTS {
            let own = endpoint.path.split('/').next().unwrap_or_default();
            if own != theme {
                writeln!(text, "\n## {own}")?;
                theme = own;
            }
            write_endpoint(text, endpoint)?;
        }
        Ok(())
    })
}

fn write_endpoint(text: &mut String, endpoint: &Endpoint<App>) -> std::fmt::Result {
    let Endpoint {
        method,
        path,
        does,
        takes,
        gives,
        ..
    } = endpoint;
    writeln!(text, "\n### `{} {path}`\n\n{does}", method.name())?;
    if !takes.is_empty() {
        writeln!(text, "\n- Takes {takes}.")?;
    }
    let line_before = if takes.is_empty() { "\n" } else { "" };
    if gives.starts_with('{') {
        writeln!(text, "{line_before}- Gives `{gives}`.")
    } else {
        writeln!(text, "{line_before}- Gives {}.", form(gives))
    }
}

/// The name of a form without fields of its own.
fn form(gives: &str) -> &str {
    match gives {
        "bytes" => "bytes",
        "events" => "a stream of events",
        "file" => "an HTML file",
        "profile" => "a profile",
        "report" => "a report",
        other => other,
    }
}

/// The list as JSON.
pub(crate) fn to_json() -> Value {
    let entry = |it: &Endpoint<App>| {
        json!({
            "method": it.method.name(), "path": it.path, "does": it.does, "takes": it.takes,
            "gives": it.gives,
        })
    };
    ENDPOINTS.iter().map(entry).collect()
}
