//! The page: files of a zip archive that is part of the binary.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, Response, StatusCode};
use xxhash_rust::xxh3::xxh3_128;
use zip::ZipArchive;

/// Made by `cargo xtask web`.
const PAGE: &[u8] = include_bytes!("../page.zip");
/// The file for every address that no other file has: the page reads the address itself.
const INDEX: &str = "index.html";

/// The files of the page.
pub(crate) struct Page {
    files: BTreeMap<String, File>,
}

struct File {
    bytes: axum::body::Bytes,
    kind: &'static str,
    tag: String,
}

impl Page {
    pub(crate) fn open() -> io::Result<Page> {
        let mut archive = ZipArchive::new(Cursor::new(PAGE))?;
        let mut files = BTreeMap::new();
        for k in 0..archive.len() {
            let mut entry = archive.by_index(k)?;
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            let name = entry.name()?.into_owned();
            files.insert(name.clone(), File::new(&name, bytes));
        }
        Ok(Page { files })
    }

    /// The file of an address.
    pub(crate) fn answer(&self, path: &str, headers: &HeaderMap) -> Response<Body> {
        let name = path.strip_prefix('/').unwrap_or(path);
        let is_asset = name.starts_with("assets/");
        let found = self.files.get(name);
        let found = found.or_else(|| self.files.get(INDEX).filter(|_| !is_asset));
        match found {
            Some(file) => file.answer(headers),
            None => plain(StatusCode::NOT_FOUND, "there is no such file\n"),
        }
    }
}

impl File {
    fn new(name: &str, bytes: Vec<u8>) -> File {
        File {
            kind: kind_of(name),
            tag: format!("\"{:032x}\"", xxh3_128(&bytes)),
            bytes: bytes.into(),
        }
    }

    fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
        let response = Response::builder()
            .header(CONTENT_TYPE, self.kind)
            .header(ETAG, &self.tag)
            .header(CACHE_CONTROL, "no-cache");
        let response = if known == Some(self.tag.as_str()) {
            response
                .status(StatusCode::NOT_MODIFIED)
                .body(Body::empty())
        } else {
            response.body(Body::from(self.bytes.clone()))
        };
        response.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR, "no answer\n"))
    }
}

/// A short text.
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_the_page_and_no_asset_is_made_up() {
        let page = Page::open().unwrap();
        let status = |path| page.answer(path, &HeaderMap::new()).status();
        assert_eq!(status("/"), 200);
        assert_eq!(status("/task/demo/1e7d0001"), 200);
        assert_eq!(status("/assets/../index.html"), 404);
        assert_eq!(status("/assets/none.js"), 404);
    }

    #[test]
    fn a_known_file_is_not_sent_again() {
        let page = Page::open().unwrap();
        let first = page.answer("/", &HeaderMap::new());
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, first.headers()[ETAG].clone());
        assert_eq!(page.answer("/", &headers).status(), 304);
    }
}
