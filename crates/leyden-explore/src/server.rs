//! Listening, within limits.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use leyden_dsl::meter::CancelToken;

use crate::call::Endpoint;
use crate::crowd::{Crowd, Seat};
use crate::guard::Guard;
use crate::page::Page;
use crate::routes::{Shared, router};

/// At most this many connections at a time. A new one takes the place of an idle one.
const MOST_CONNECTIONS: usize = 128;
/// A connection is closed if it does not send the head of a request within this time.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);
/// The head of a request has at most this many bytes.
const MOST_HEAD: usize = 32 << 10;
/// The pause after a failed `accept`, which happens when the process has no free file handle.
const PAUSE: Duration = Duration::from_millis(50);
/// The server looks this often whether it shall end.
const GLANCE: Duration = Duration::from_millis(20);
/// Bytes of the token: 128 bits cannot be guessed.
const TOKEN_BYTES: usize = 16;

/// Where to listen.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address; by default only this machine reaches it.
    pub host: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The secret that every call shows; `None` draws one.
    pub token: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            token: None,
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Takes the port.
    pub fn bind(settings: &Settings) -> io::Result<Server> {
        let listener = TcpListener::bind((settings.host, settings.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let token = settings.token.clone().map_or_else(fresh_token, Ok)?;
        Ok(Server {
            listener,
            address,
            token,
        })
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The secret that every call shows.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The link of the page. Browsers never send the part with the token.
    pub fn link(&self) -> String {
        let ip = match self.address.ip() {
            ip if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            ip => ip,
        };
        let address = SocketAddr::new(ip, self.address.port());
        format!("http://{address}/#token={}", self.token)
    }

    /// Answers until `cancel` is cancelled. Calls that still run then are cancelled, too.
    pub fn run<A>(
        self,
        app: Arc<A>,
        endpoints: &'static [Endpoint<A>],
        cancel: &CancelToken,
    ) -> io::Result<()>
    where
        A: Send + Sync + 'static,
    {
        let guard = Guard::new(self.address, self.token);
        let most_calls = most_calls();
        let shared = Arc::new(Shared::new(app, guard, Page::open()?, most_calls));
        let router = router(shared.clone(), endpoints);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(most_calls)
            .build()?;
        let ended = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            accept(listener, &router, cancel).await;
            Ok(())
        });
        shared.in_flight.cancel_all();
        runtime.shutdown_background();
        ended
    }
}

/// The number of calls that compute at a time: a little more than the processor can take, so that a
/// long call does not hold up a short one. The allocator keeps memory for each thread: after 2,000
/// calls by eight clients at once the server had 59 MB, and 29 MB after calls by one client.
fn most_calls() -> usize {
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    (n_cores + 2).clamp(4, 16)
}

/// Takes connections until the token is cancelled; a token cannot wake a task that waits.
async fn accept(listener: tokio::net::TcpListener, router: &Router, cancel: &CancelToken) {
    let crowd = Crowd::new(MOST_CONNECTIONS);
    while !cancel.is_cancelled() {
        let Ok(accepted) = tokio::time::timeout(GLANCE, listener.accept()).await else {
            continue;
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Some(seat) = crowd.enter() else {
            continue;
        };
        let number = seat.number();
        let task = tokio::spawn(converse(stream, router.clone(), seat));
        crowd.serve(number, task.abort_handle());
    }
}

/// Answers the requests of one connection. A connection that breaks needs no answer.
async fn converse(stream: tokio::net::TcpStream, router: Router, seat: Seat) {
    let _ = stream.set_nodelay(true);
    let (router, seat) = (TowerToHyperService::new(router), Arc::new(seat));
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(seat.clone());
        router.call(request)
    });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(SLOWEST_HEAD)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Draws a token.
pub fn fresh_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a text has the form of a token.
pub fn is_token(text: &str) -> bool {
    text.len() == 2 * TOKEN_BYTES && text.bytes().all(|it| it.is_ascii_hexdigit())
}
