//! A served page, and requests to it byte by byte.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A task of the built-in data.
pub(crate) const TASK: &str = "1e7d0001";
/// Longer waits are failures.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn leyden(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leyden"));
    command
        .current_dir(dir)
        .env("LEYDEN_CACHE", dir.join("cache"))
        .env("LEYDEN_STORE", dir.join("own.db"))
        .env_remove("XDG_DATA_HOME");
    command
}

pub(crate) fn run(dir: &Path, args: &[&str]) -> Output {
    let output = leyden(dir).args(args).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    output
}

pub(crate) fn json_of(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_slice(&run(dir, args).stdout).unwrap()
}

/// Waits until something is there.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// A page that is served until it is dropped.
pub(crate) struct Page {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    errors: PathBuf,
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Takes a response apart. `None` if the server closed the connection without one.
    pub(crate) fn read(bytes: &[u8]) -> Option<Reply> {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        Some(Reply {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head,
            body: bytes[end + 4..].to_vec(),
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message of a refusal: one sentence.
    pub(crate) fn refusal(&self) -> String {
        assert!(self.status >= 400, "{}", self.head);
        let message = self.json()["error"].as_str().unwrap().to_owned();
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        message
    }
}

impl Page {
    pub(crate) fn open(dir: &Path, args: &[&str]) -> Page {
        let always = ["explore", "--data", "demo", "--no-open", "--json", "-"];
        let errors = dir.join("errors.txt");
        let mut child = leyden(dir)
            .args(always)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let link = lines
            .map(Result::unwrap)
            .find(|line| line.contains("http://"));
        let link = link.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(&errors).unwrap()));
        let link = link.split("http://").nth(1).unwrap();
        let (address, token) = link.split_once("/#token=").unwrap();
        Page {
            child,
            address: address.to_owned(),
            token: token.trim_end_matches('"').to_owned(),
            errors,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The head of a good call, without its empty line.
    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        let Page { address, token, .. } = self;
        format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nConnection: close\r\n"
        )
    }

    /// Sends bytes and reads to the end.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Reply> {
        let mut stream = self.connect();
        // A server that refuses a request need not read all of it.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Reply::read(&all)
    }

    pub(crate) fn reply(&self, method: &str, path: &str, body: &str) -> Reply {
        let length = body.len();
        let head = self.head(method, path);
        let text = format!("{head}Content-Length: {length}\r\n\r\n{body}");
        self.raw(text.as_bytes()).unwrap()
    }

    /// The status and the body.
    pub(crate) fn answer(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let reply = self.reply(method, path, body);
        (reply.status, reply.text())
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.answer("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let (status, reply) = self.answer("POST", path, &body.to_string());
        assert_eq!(status, 200, "{path}: {reply}");
        serde_json::from_str(&reply).unwrap()
    }

    /// The status and the message of a call that is refused.
    pub(crate) fn refusal(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        let reply = self.reply(method, path, &body.to_string());
        (reply.status, reply.refusal())
    }

    /// Checks that the server answers and never panicked.
    pub(crate) fn is_well(&self) {
        assert_eq!(self.get("about")["sets"][0]["id"], "demo");
        let errors = std::fs::read_to_string(&self.errors).unwrap();
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
