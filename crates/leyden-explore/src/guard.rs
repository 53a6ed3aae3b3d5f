//! The checks of host, origin and token that come before anything else is read.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, Uri};

use crate::call::Refusal;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Everything that a request must show.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: String,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, token: String) -> Guard {
        Guard { address, token }
    }

    /// Refuses names that are not ours: a page of another site may point its name at this machine.
    /// A whole address in place of a path names a host, too.
    pub(crate) fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = text_of(headers, &HOST).unwrap_or_default();
        let named = uri.authority().map_or(host, Authority::as_str);
        if self.is_own(host) && self.is_own(named) {
            return Ok(());
        }
        Err(Refusal::new(403, "this name is not one of this server"))
    }

    /// Refuses calls that a page of another site makes.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_foreign = match text_of(headers, &ORIGIN) {
            None => headers.contains_key(ORIGIN),
            Some(origin) => {
                let host = text_of(headers, &HOST).unwrap_or_default();
                origin.strip_prefix("http://") != Some(host)
            }
        };
        let site = text_of(headers, &FETCH_SITE).unwrap_or("none");
        if is_foreign || !["none", "same-origin"].contains(&site) {
            return Err(Refusal::new(403, "another site may not call this server"));
        }
        Ok(())
    }

    /// Refuses calls without the token of the link.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let given = text_of(headers, &AUTHORIZATION).unwrap_or_default();
        let given = given.strip_prefix("Bearer ").unwrap_or_default();
        if is_same(given.as_bytes(), self.token.as_bytes()) {
            return Ok(());
        }
        let message = "the token is missing or of another server; open the link that it printed";
        Err(Refusal::new(401, message))
    }

    fn is_own(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else {
            return self.address.port() == 80 && self.is_own_name(host);
        };
        port.parse() == Ok(self.address.port()) && self.is_own_name(name)
    }

    /// An address cannot be pointed elsewhere, as a name can.
    fn is_own_name(&self, name: &str) -> bool {
        let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let given: Option<IpAddr> = bare.unwrap_or(name).parse().ok();
        let own = self.address.ip();
        match given {
            Some(ip) => ip == own || own.is_unspecified(),
            None => {
                name.eq_ignore_ascii_case("localhost")
                    && (own.is_loopback() || own.is_unspecified())
            }
        }
    }
}

/// Refuses bodies that a form of another page could send.
pub(crate) fn check_type(method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = text_of(headers, &CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if method == Method::POST && kind != "application/json" {
        return Err(Refusal::new(415, "expected Content-Type: application/json"));
    }
    Ok(())
}

fn text_of<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok();
    first.filter(|_| all.next().is_none())
}

/// Compares without telling by its time how much is right.
fn is_same(given: &[u8], expected: &[u8]) -> bool {
    let differs = given
        .iter()
        .zip(expected)
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == expected.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_is_own(address: &str, host: &str) -> bool {
        let guard = Guard::new(address.parse().unwrap(), "t".into());
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        guard.check_host(&Uri::from_static("/"), &headers).is_ok()
    }

    #[test]
    fn only_own_names_pass() {
        for host in ["127.0.0.1:81", "localhost:81", "LOCALHOST:81"] {
            assert!(host_is_own("127.0.0.1:81", host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:82",
            "evil.example:81",
            "",
            "127.0.0.2:81",
            "localhost.:81",
        ] {
            assert!(!host_is_own("127.0.0.1:81", host), "{host}");
        }
        assert!(host_is_own("[::1]:81", "[::1]:81"));
        assert!(host_is_own("0.0.0.0:81", "192.168.0.7:81"));
        assert!(!host_is_own("0.0.0.0:81", "evil.example:81"));
        let guard = Guard::new("127.0.0.1:81".parse().unwrap(), "t".into());
        let headers = HeaderMap::from_iter([(HOST, "127.0.0.1:81".parse().unwrap())]);
        let passes = |uri| guard.check_host(&Uri::from_static(uri), &headers).is_ok();
        assert!(passes("http://localhost:81/api/v1/about"));
        assert!(!passes("http://evil.example:81/"));
    }

    #[test]
    fn other_sites_may_not_call() {
        let guard = Guard::new("127.0.0.1:81".parse().unwrap(), "t".into());
        let passes = |origin: Option<&str>, site: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "localhost:81".parse().unwrap());
            origin.map(|it| headers.insert(ORIGIN, it.parse().unwrap()));
            site.map(|it| headers.insert(FETCH_SITE, it.parse().unwrap()));
            guard.check_origin(&headers).is_ok()
        };
        assert!(passes(None, None));
        assert!(passes(Some("http://localhost:81"), Some("same-origin")));
        assert!(!passes(Some("http://127.0.0.1:81"), None));
        assert!(!passes(Some("https://localhost:81"), None));
        assert!(!passes(Some("null"), None));
        assert!(!passes(None, Some("cross-site")));
        assert!(!passes(None, Some("same-site")));
    }

    #[test]
    fn the_token_is_needed_exactly_once() {
        let guard = Guard::new("127.0.0.1:81".parse().unwrap(), "abc".into());
        let passes = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            guard.check_token(&headers).is_ok()
        };
        assert!(passes(&["Bearer abc"]));
        for wrong in [
            &[][..],
            &["abc"],
            &["Bearer abd"],
            &["Bearer ab"],
            &["Bearer "],
            &["Bearer abc", "Bearer abc"],
        ] {
            assert!(!passes(wrong), "{wrong:?}");
        }
    }
}
