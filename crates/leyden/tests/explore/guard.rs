//! Attacks by raw sockets: each is refused with a sentence, and the server stays well.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::page::{Page, Reply, TASK, json_of, run, wait_for};

/// A name that would steer a page, a shell, a header or the direction of a text.
const EVIL: &str = "<script>alert(1)</script>\"'&\u{202e}\u{7}\r\n";

/// A good request for `about`, with one header in place of another.
fn about(page: &Page, name: &str, value: Option<&str>) -> Reply {
    let own = page.head("GET", "about");
    let others = own
        .trim_end()
        .split("\r\n")
        .filter(|line| !line.starts_with(&format!("{name}: ")));
    let mut lines: Vec<String> = others.map(str::to_owned).collect();
    lines.extend(value.map(|value| format!("{name}: {value}")));
    page.raw(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes())
        .unwrap()
}

#[test]
fn only_the_user_may_call() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let port = page.address.split(':').next_back().unwrap();
    let status = |name: &str, value: Option<&str>| {
        let reply = about(&page, name, value);
        if reply.status >= 400 {
            reply.refusal();
        }
        reply.status
    };
    // A page of another site points its own name at this machine.
    for host in [
        &format!("evil.example:{port}"),
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("127.0.0.1.evil.example:{port}"),
        &format!("localhost.:{port}"),
        &format!("{0}, {0}", page.address),
        "",
    ] {
        assert_eq!(status("Host", Some(host)), 403, "{host}");
    }
    assert_eq!(status("Host", Some(&format!("localhost:{port}"))), 200);
    let missing = about(&page, "Host", None);
    assert!([400, 403].contains(&missing.status), "{}", missing.head);
    let twice = format!("{0}\r\nHost: {0}", page.address);
    assert_eq!(status("Host", Some(&twice)), 403);

    for origin in [
        "null",
        "http://evil.example",
        "https://127.0.0.1",
        &format!("http://localhost:{port}"),
        &format!("http://{}.evil.example", page.address),
    ] {
        assert_eq!(status("Origin", Some(origin)), 403, "{origin}");
    }
    let own = format!("http://{}", page.address);
    assert_eq!(status("Origin", Some(&own)), 200);
    for site in ["cross-site", "same-site", "", "?"] {
        assert_eq!(status("Sec-Fetch-Site", Some(site)), 403, "{site}");
    }

    let token = page.token.clone();
    let longer = format!("Bearer {token}0");
    let shorter = format!("Bearer {}", &token[1..]);
    let other = format!("Bearer {}", "0".repeat(token.len()));
    let long = format!("Bearer {}", token.repeat(500));
    for wrong in [
        "Bearer",
        "Bearer ",
        &token,
        &longer,
        &shorter,
        &other,
        &long,
        "Basic dTpw",
    ] {
        let reply = about(&page, "Authorization", Some(wrong));
        assert_eq!(reply.status, 401, "{wrong}");
        assert!(!reply.text().contains(&token));
    }
    assert_eq!(status("Authorization", None), 401);
    assert_eq!(status("Cookie", Some(&format!("token={token}"))), 200);
    page.is_well();
}

#[test]
fn other_forms_of_requests_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let Page { address, token, .. } = &page;
    let status = |text: &str| page.raw(text.as_bytes()).map_or(0, |reply| reply.status);
    let call = |method: &str, path: &str, more: &str| {
        status(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{more}Connection: close\r\n\r\n"
        ))
    };
    for method in ["PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "BREW"] {
        assert_eq!(call(method, "/api/v1/about", ""), 405, "{method}");
        assert_eq!(call(method, "/", ""), 405, "{method} /");
    }
    assert_eq!(call("POST", "/", "Content-Length: 0\r\n"), 405);
    let connect = call("CONNECT", "evil.example:443", "");
    assert!([0, 400, 403, 404, 405].contains(&connect), "{connect}");
    let whole = call("GET", "http://evil.example/api/v1/about", "");
    assert_eq!(whole, 403, "a whole address names a host, too");
    assert_eq!(status("GET /api/v1/about HTTP/1.0\r\n\r\n"), 403);
    assert_eq!(status("GET / HTTP/1.0\r\n\r\n"), 403);
    for odd in ["nonsense\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n"] {
        assert!([0, 400].contains(&status(odd)), "{odd:?}");
    }
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: multipart/form-data; boundary=x\r\n",
        "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
    ] {
        let more = format!("{kind}Content-Length: 2\r\n");
        assert_eq!(call("POST", "/api/v1/eval", &more), 415, "{kind}");
    }
    // No answer tells another site that it may read it.
    let preflight = format!(
        "OPTIONS /api/v1/eval HTTP/1.1\r\nHost: {address}\r\nOrigin: http://evil.example\r\n\
         Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    );
    let preflight = page.raw(preflight.as_bytes()).unwrap();
    assert_eq!(preflight.status, 403);
    assert!(!preflight.head.to_lowercase().contains("access-control"));
    page.is_well();
}

#[test]
fn every_answer_forbids_other_scripts_and_frames() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let address = &page.address;
    let index = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let foreign = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    let replies = [
        page.raw(index.as_bytes()).unwrap(),
        page.raw(foreign.as_bytes()).unwrap(),
        page.reply("GET", "about", ""),
        page.reply("GET", "none", ""),
    ];
    for reply in replies {
        let head = reply.head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'"));
        assert!(head.contains("frame-ancestors 'none'"), "{head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(!head.contains("set-cookie") && !head.contains("access-control"));
    }
}

#[test]
fn pipelined_requests_are_answered_one_after_another() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let open = page.head("GET", "about").replace("close", "keep-alive");
    let wrong = open.replace(&page.token, "0");
    let last = page.head("GET", "primitives");
    let reply = page
        .raw(format!("{open}\r\n{wrong}\r\n{last}\r\n").as_bytes())
        .unwrap();
    let text = format!("{}\r\n\r\n{}", reply.head, reply.text());
    let statuses: Vec<&str> = text
        .match_indices("HTTP/1.1 ")
        .map(|(at, _)| &text[at + 9..at + 12])
        .collect();
    assert_eq!(statuses, ["200", "401", "200"]);
    page.is_well();
}

/// The endpoints with words in their paths.
fn endpoints_with_words(dir: &std::path::Path) -> Vec<(String, String)> {
    let all = json_of(dir, &["options", "--api", "--json", "-"]);
    let all = all.as_array().unwrap().iter();
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let named = all.map(|it| (text(it, "method"), text(it, "path")));
    named.filter(|(_, path)| path.contains('{')).collect()
}

#[test]
fn no_word_of_a_path_leads_out() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("secret.json"), "{\"a\": []}").unwrap();
    let page = Page::open(dir.path(), &[]);
    let endpoints = endpoints_with_words(dir.path());
    assert!(endpoints.len() > 20, "{endpoints:?}");
    let long = "a".repeat(20_000);
    let words = [
        "..",
        "%2e%2e",
        "..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e%2fsecret.json",
        "%2fetc%2fpasswd",
        "..%5c..%5csecret.json",
        "secret.json",
        "%00",
        "demo%00",
        "r1%00",
        "%ff%fe",
        "%",
        "'%20OR%201=1--",
        "r-1",
        "r18446744073709551616",
        "x0",
        "%E2%80%AE",
        &long,
    ];
    for (method, path) in &endpoints {
        for word in words {
            let mut parts = path.split('/').map(|part| match part.starts_with('{') {
                true => word,
                false => part,
            });
            let first = parts.next().unwrap().to_owned();
            let path = parts.fold(first, |all, part| format!("{all}/{part}"));
            let reply = page.reply(method, &path, "{}");
            let shown: String = path.chars().take(80).collect();
            assert!(
                [400, 404, 405, 414].contains(&reply.status),
                "{method} {shown}: {}",
                reply.head
            );
            if !reply.body.is_empty() {
                let message = reply.refusal();
                assert!(!message.contains("root:"), "{message}");
            }
        }
    }
    for path in [
        "/../secret.json",
        "/assets/../../secret.json",
        "//etc/passwd",
    ] {
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            page.address
        );
        let reply = page.raw(text.as_bytes()).unwrap();
        assert!(!reply.text().contains("\"a\"") && !reply.text().contains("root:"));
    }
    page.is_well();
}

#[test]
fn long_bodies_and_heads_are_cut() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let most = 10 << 20;
    let refused = |reply: Option<Reply>| match reply {
        // The server closes the connection while the client still writes.
        None => true,
        Some(reply) => [413, 431].contains(&reply.status),
    };
    let head = page.head("POST", "eval");
    let mut request = format!("{head}Content-Length: {most}\r\n\r\n").into_bytes();
    request.resize(request.len() + most, b'x');
    assert!(refused(page.raw(&request)), "a long body");
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..160 {
        chunked.extend(b"10000\r\n");
        chunked.resize(chunked.len() + 0x10000, b'x');
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    assert!(refused(page.raw(&chunked)), "a long body in pieces");
    // A client that shows no token is refused before its body is read.
    let start = Instant::now();
    let foreign = head.replace(&page.token, "0");
    let waiting = format!("{foreign}Content-Length: {most}\r\n\r\nxxx");
    let mut stream = page.connect();
    stream.write_all(waiting.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 401");
    assert!(start.elapsed() < Duration::from_secs(8));
    let many = "X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n".repeat(10_000);
    assert!(refused(page.raw(format!("{head}{many}\r\n").as_bytes())));
    let long = format!("{head}X-Filler: {}\r\n\r\n", "x".repeat(most));
    assert!(refused(page.raw(long.as_bytes())));
    // Values that nest deeply, and texts that are no JSON.
    for body in [
        "[".repeat(500_000),
        "{\"text\":".repeat(100_000),
        "nan".to_owned(),
        "\u{0}".to_owned(),
        "\"\\ud800\"".to_owned(),
        String::new(),
    ] {
        assert_eq!(page.reply("POST", "eval", &body).status, 400);
    }
    page.is_well();
}

#[test]
fn slow_clients_are_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let mut no_head = page.connect();
    no_head.write_all(b"GET / HTTP/1.1\r\nX-A: ").unwrap();
    let mut no_body = page.connect();
    let head = page.head("POST", "eval");
    let text = format!("{head}Content-Length: 100\r\n\r\n{{");
    no_body.write_all(text.as_bytes()).unwrap();
    let mut endless = page.connect();
    let text = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    endless.write_all(text.as_bytes()).unwrap();
    let mut drops = endless.try_clone().unwrap();
    std::thread::spawn(move || {
        while drops.write_all(b"1\r\nx\r\n").is_ok() {
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    let start = Instant::now();
    // Meanwhile others are answered.
    page.is_well();
    let text_of = |mut stream: TcpStream| {
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Reply::read(&all).map_or(0, |reply| reply.status)
    };
    assert!([0, 408].contains(&text_of(no_head)));
    assert_eq!(text_of(no_body), 408);
    assert_eq!(text_of(endless), 408);
    assert!(start.elapsed() < Duration::from_secs(60));
    page.is_well();
}

/// A line of /proc/PID/status, in kilobytes.
#[cfg(target_os = "linux")]
fn memory(page: &Page, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", page.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_connections_shut_no_one_out() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    page.is_well();
    let before = memory(&page, "VmRSS:");
    let crowd: Vec<TcpStream> = (0..1_000)
        .filter_map(|k| {
            let mut stream = TcpStream::connect(&page.address).ok()?;
            match k % 3 {
                0 => {}
                1 => stream.write_all(b"GET / HTTP/1.1\r\nX-A: b").ok()?,
                // A client that asks and does not read.
                _ => {
                    let head = page
                        .head("GET", "primitives")
                        .replace("close", "keep-alive");
                    stream
                        .write_all(format!("{head}\r\n").repeat(20).as_bytes())
                        .ok()?;
                }
            }
            Some(stream)
        })
        .collect();
    assert!(crowd.len() > 500, "{}", crowd.len());
    let start = Instant::now();
    page.is_well();
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    let after = memory(&page, "VmHWM:");
    assert!(after < before + (64 << 10), "{before} kB, then {after} kB");
    drop(crowd);
    page.is_well();
}

#[test]
fn a_seventeenth_stream_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let body = json!({ "command": "solve", "set": "demo",
        "options": { "per_task": "60s", "tasks": [TASK] } });
    let run = page.post("runs", &body)["id"].as_str().unwrap().to_owned();
    let head = page.head("GET", &format!("runs/{run}/events"));
    let open = || {
        let mut stream = page.connect();
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        (stream, first)
    };
    let streams: Vec<_> = (0..16).map(|_| open()).collect();
    assert!(streams.iter().all(|(_, first)| first == b"HTTP/1.1 200"));
    assert_eq!(&open().1, b"HTTP/1.1 429");
    drop(streams);
    wait_for("free stream", || {
        (&open().1 == b"HTTP/1.1 200").then_some(())
    });
    page.is_well();
}

/// The names of all elements of an HTML text, and its attributes that could run or load something.
fn elements(html: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut odd) = (Vec::new(), Vec::new());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap();
        let tag = rest[..end].trim_start_matches('/');
        let name: String = tag.chars().take_while(|c| !c.is_whitespace()).collect();
        for attribute in tag.split_whitespace().skip(1) {
            let key = attribute.split('=').next().unwrap().to_lowercase();
            if key.starts_with("on") || ["src", "href", "action", "srcdoc"].contains(&&*key) {
                odd.push(attribute.to_owned());
            }
        }
        names.push(name.trim_end_matches('/').to_lowercase());
        rest = &rest[end..];
    }
    (names, odd)
}

const OURS: [&str; 25] = [
    "!doctype",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "h1",
    "h2",
    "div",
    "p",
    "section",
    "ol",
    "li",
    "figure",
    "figcaption",
    "code",
    "span",
    "svg",
    "rect",
    "path",
    "g",
    "text",
    "line",
    "br",
];

/// Checks that a page has our elements alone.
fn is_ours(html: &str) {
    let (names, odd) = elements(html);
    let foreign: Vec<&String> = names
        .iter()
        .filter(|name| !OURS.contains(&name.as_str()))
        .collect();
    assert!(foreign.is_empty() && odd.is_empty(), "{foreign:?} {odd:?}");
    assert!(!html.contains("<script"));
}

#[test]
fn hostile_names_stay_text() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let id = "a<b>\"'&\u{202e}c";
    let task = json!({
        "train": [{ "input": [[1]], "output": [[2]] }],
        "test": [{ "input": [[3]], "output": [[4]] }],
    });
    let data = json!({ id: task });
    std::fs::write(here.join("evil.json"), data.to_string()).unwrap();
    let program = format!(
        "def solve_{TASK}(I):\n    \"\"\"{}\"\"\"\n    return hmirror(I)  # </code></li></body>{}\n",
        "<img src=x onerror=alert(1)>",
        EVIL.trim_end()
    );
    std::fs::write(here.join("evil.py"), &program).unwrap();
    let page = Page::open(here, &["--data", "evil.json", "--solvers", "evil.py"]);
    let about = page.get("about");
    let set = about["sets"][1]["id"].as_str().unwrap();
    let tasks = page.reply("GET", &format!("sets/{set}/tasks"), "");
    assert_eq!(
        tasks.json()["tasks"][0]["id"],
        id,
        "JSON gives names as they are"
    );
    let kind = tasks.head.to_lowercase();
    assert!(kind.contains("content-type: application/json"), "{kind}");

    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let shown = page.get(&format!("sets/{set}/tasks/{encoded}"));
    assert_eq!(shown["id"], id);

    let body = json!({ "text": program, "set": set, "task": id });
    let file = page.reply("POST", "export", &body.to_string());
    assert_eq!(file.status, 200, "{}", file.text());
    is_ours(&file.text());
    let disposition = file
        .head
        .lines()
        .find(|line| line.to_lowercase().contains("disposition"));
    let name = disposition.unwrap().split("filename=").nth(1).unwrap();
    assert_eq!(name, "\"abc.html\"", "only plain letters reach the name");

    for task in [None, Some(TASK)] {
        let mut args = vec![
            "explore",
            "--data",
            "demo",
            "--solvers",
            "evil.py",
            "--export",
            "p.html",
        ];
        args.extend(task.into_iter().flat_map(|task| ["--task", task]));
        run(here, &args);
        is_ours(&std::fs::read_to_string(here.join("p.html")).unwrap());
    }
    run(
        here,
        &[
            "explore",
            "--data",
            "evil.json",
            "--solvers",
            "evil.py",
            "--export",
            "p.html",
        ],
    );
    let html = std::fs::read_to_string(here.join("p.html")).unwrap();
    is_ours(&html);
    assert!(html.contains("a&lt;b&gt;"), "the id is there, as text");

    // Refusals quote the caller, as JSON.
    for path in ["programs?sort=", "sets/demo/thumbs?of="] {
        let encoded: String = EVIL.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let reply = page.reply("GET", &format!("{path}{encoded}"), "");
        assert_eq!(reply.status, 400);
        assert!(reply.head.to_lowercase().contains("application/json"));
        reply.json();
    }
    page.is_well();
}

#[test]
fn hostile_programs_end() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let deep = format!(
        "def solve(I):\n    return {}I{}\n",
        "hmirror(".repeat(5_000),
        ")".repeat(5_000)
    );
    let wide = format!(
        "def solve(I):\n{}    return I\n",
        "    x1 = hmirror(I)\n".repeat(20_000)
    );
    let texts = [
        deep,
        wide,
        "def solve(I):\n    x1 = interval(ZERO, 9223372036854775807, ONE)\n    return x1\n"
            .to_owned(),
        "def solve(I):\n    x1 = power(hmirror, 999)\n    O = x1(I)\n    return O\n".to_owned(),
        "import os\nos.system('true')\n".to_owned(),
        format!("def solve(I):\n    return '{}'\n", EVIL.trim_end()),
        "\u{202e}def solve(I): return I".to_owned(),
        "\0".repeat(1_000),
    ];
    for text in &texts {
        let body = json!({ "text": text, "set": "demo", "task": TASK, "sample": 0, "tests": true });
        let reply = page.reply("POST", "eval", &body.to_string());
        assert!([200, 400].contains(&reply.status), "{}", reply.head);
        reply.json();
        for path in ["variants", "repair", "export", "library"] {
            let mut body = body.clone();
            body["position"] = 9.into();
            body["painted"] = json!([]);
            let reply = page.reply("POST", path, &body.to_string());
            assert!(
                reply.status < 500,
                "{path}: {} {}",
                reply.head,
                reply.text()
            );
        }
    }
    let body = |name: &str, value: Value| {
        let mut body =
            json!({ "text": "def solve(I):\n    return I\n", "set": "demo", "task": TASK });
        body[name] = value;
        body
    };
    for (name, value) in [
        ("fuel", json!(-1)),
        ("fuel", json!(u64::MAX)),
        ("fuel", json!("much")),
        ("sample", json!(u64::MAX)),
        ("sample", json!(1e300)),
        ("dialect", json!(EVIL)),
        ("set", json!(EVIL)),
        ("task", json!("../../etc/passwd")),
        ("text", json!([1])),
        ("tests", json!("yes")),
    ] {
        let (status, _) = page.refusal("POST", "eval", &body(name, value));
        assert!([400, 404].contains(&status), "{name}");
    }
    page.is_well();
}
