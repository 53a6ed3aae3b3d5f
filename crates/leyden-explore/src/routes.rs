//! From requests to calls, and from replies to responses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{Query, RawPathParams, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{MethodRouter, delete, get, post};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::call::{Call, Endpoint, Method, Refusal, Reply};
use crate::crowd::{Busy, Seat};
use crate::events::Hold;
use crate::guard::{Guard, check_type};
use crate::in_flight::InFlight;
use crate::page::Page;

/// The most bytes of a body.
const MOST_BODY: usize = 1 << 20;
/// A body that takes longer is given up.
const SLOWEST_BODY: Duration = Duration::from_secs(10);
/// At most this many streams of events at a time.
const MOST_STREAMS: usize = 16;

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The page may load only its own files, and no other page may show it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// The state that all requests share.
pub(crate) struct Shared<A> {
    pub(crate) app: Arc<A>,
    pub(crate) guard: Guard,
    pub(crate) page: Page,
    pub(crate) in_flight: InFlight,
    streams: Arc<Semaphore>,
    calls: Semaphore,
}

impl<A> Shared<A> {
    /// At most `most_calls` calls compute at a time.
    pub(crate) fn new(app: Arc<A>, guard: Guard, page: Page, most_calls: usize) -> Shared<A> {
        Shared {
            app,
            guard,
            page,
            in_flight: InFlight::default(),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            calls: Semaphore::new(most_calls),
        }
    }
}

type Share<A> = Arc<Shared<A>>;
/// The words of a path, unless they are no text.
type Words = Result<RawPathParams, RawPathParamsRejection>;

/// The routes of a table.
pub(crate) fn router<A>(shared: Share<A>, endpoints: &'static [Endpoint<A>]) -> Router
where
    A: Send + Sync + 'static,
{
    let mut by_path: BTreeMap<String, MethodRouter<Share<A>>> = BTreeMap::new();
    for endpoint in endpoints {
        let path = format!("/api/v1/{}", endpoint.path);
        let methods = by_path.remove(&path).unwrap_or_default();
        by_path.insert(path, methods.merge(route(endpoint)));
    }
    let by_path = by_path.into_iter();
    let router = by_path.fold(Router::new(), |router, (path, methods)| {
        router.route(&path, methods)
    });
    router
        .fallback(page)
        .method_not_allowed_fallback(|| async {
            refused(&Refusal::new(405, "this path has no such method"))
        })
        .layer(from_fn_with_state(shared.clone(), guarded))
        .with_state(shared)
}

fn route<A>(endpoint: &'static Endpoint<A>) -> MethodRouter<Share<A>>
where
    A: Send + Sync + 'static,
{
    let handler = move |State(shared): State<Share<A>>, words: Words, request: Request| {
        answer(shared, endpoint, words, request)
    };
    match endpoint.method {
        Method::Get => get(handler),
        Method::Post => post(handler),
        Method::Delete => delete(handler),
    }
}

/// Checks a request before all else, and marks every response.
async fn guarded<A>(State(shared): State<Share<A>>, request: Request, next: Next) -> Response<Body>
where
    A: Send + Sync + 'static,
{
    let busy = busy(&request);
    let mut response = match check(&shared.guard, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refused(&refusal),
    };
    drop(busy);
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Keeps the seat of the connection until the result is dropped.
fn busy(request: &Request) -> Option<Busy> {
    let seat = request.extensions().get::<Arc<Seat>>();
    seat.map(|seat| seat.busy())
}

fn check(guard: &Guard, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    guard.check_host(request.uri(), headers)?;
    if is_call(request.uri().path()) {
        guard.check_origin(headers)?;
        guard.check_token(headers)?;
        check_type(request.method(), headers)?;
    }
    Ok(())
}

fn is_call(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

async fn page<A>(State(shared): State<Share<A>>, request: Request) -> Response<Body> {
    let path = request.uri().path();
    if is_call(path) {
        return refused(&Refusal::missing("there is no such call"));
    }
    if request.method() != axum::http::Method::GET {
        return refused(&Refusal::new(405, "pages can only be read"));
    }
    shared.page.answer(path, request.headers())
}

async fn answer<A>(
    shared: Share<A>,
    endpoint: &'static Endpoint<A>,
    words: Words,
    request: Request,
) -> Response<Body>
where
    A: Send + Sync + 'static,
{
    let busy = busy(&request);
    let replied = reply(&shared, endpoint, words, request).await;
    let responded = replied.and_then(|reply| response(&shared, reply, busy));
    responded.unwrap_or_else(|refusal| refused(&refusal))
}

async fn reply<A>(
    shared: &Share<A>,
    endpoint: &'static Endpoint<A>,
    words: Words,
    request: Request,
) -> Result<(Reply, Option<u64>), Refusal>
where
    A: Send + Sync + 'static,
{
    let call = read_call(endpoint.method, words, request).await?;
    let _turn = shared.calls.acquire().await;
    let under_way = shared.in_flight.enter(call.cancel.clone());
    let last_event = call.last_event;
    let app = shared.app.clone();
    let done = tokio::task::spawn_blocking(move || (endpoint.call)(&app, &call));
    let replied = done.await;
    drop(under_way);
    let replied = replied.map_err(|_| Refusal::new(500, "the call failed; this is a bug"))?;
    replied.map(|reply| (reply, last_event))
}

async fn read_call(method: Method, words: Words, request: Request) -> Result<Call, Refusal> {
    let words = words.map_err(|_| Refusal::bad("the path is no text"))?;
    let words = words
        .iter()
        .map(|(name, word)| (name.to_owned(), word.to_owned()));
    let query = Query::<BTreeMap<String, String>>::try_from_uri(request.uri());
    let Query(query) = query.map_err(|_| Refusal::bad("the query cannot be read"))?;
    let last_event = last_event(request.headers())?;
    let words = words.collect();
    let body = if method == Method::Post {
        read_body(request.into_body()).await?
    } else {
        Value::Null
    };
    Ok(Call {
        words,
        query,
        body,
        last_event,
        ..Call::default()
    })
}

fn last_event(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let number = headers
        .get(LAST_EVENT)
        .map(|it| it.to_str().ok()?.parse().ok());
    match number {
        None => Ok(None),
        Some(None) => Err(Refusal::bad("Last-Event-ID: expected a whole number")),
        Some(number) => Ok(number),
    }
}

async fn read_body(body: Body) -> Result<Value, Refusal> {
    let read = tokio::time::timeout(SLOWEST_BODY, to_bytes(body, MOST_BODY)).await;
    let read = read.map_err(|_| Refusal::new(408, "the body takes too long"))?;
    let message = format!("the body is broken or has more than {MOST_BODY} bytes");
    let bytes = read.map_err(|_| Refusal::new(413, message))?;
    serde_json::from_slice(&bytes).map_err(|error| Refusal::bad(format!("the body: {error}")))
}

fn response<A>(
    shared: &Shared<A>,
    (reply, last_event): (Reply, Option<u64>),
    busy: Option<Busy>,
) -> Result<Response<Body>, Refusal> {
    Ok(match reply {
        Reply::Json(value) => with_type("application/json", value.to_string().into_bytes()),
        Reply::JsonText(text) => with_type("application/json", text.into_bytes()),
        Reply::Bytes(bytes) => with_type("application/octet-stream", bytes),
        Reply::File { name, html } => attached(&name, html)?,
        Reply::Events(log) => {
            let permit = shared.streams.clone().try_acquire_owned();
            let full = |_| Refusal::new(429, format!("{MOST_STREAMS} streams are open already"));
            let hold = Hold {
                _permit: permit.map_err(full)?,
                _busy: busy,
            };
            let stream = log.stream(last_event, hold);
            let mut response = Response::new(Body::new(stream));
            mark(&mut response, "text/event-stream");
            response
        }
    })
}

fn with_type(kind: &'static str, bytes: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes));
    mark(&mut response, kind);
    response
}

fn attached(name: &str, html: String) -> Result<Response<Body>, Refusal> {
    let mut response = with_type("text/html; charset=utf-8", html.into_bytes());
    let plain: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
        .collect();
    let value = HeaderValue::try_from(format!("attachment; filename=\"{plain}\""));
    let value = value.map_err(|_| Refusal::bad("this name cannot be the name of a file"))?;
    response.headers_mut().insert(CONTENT_DISPOSITION, value);
    Ok(response)
}

fn refused(refusal: &Refusal) -> Response<Body> {
    let mut response = with_type(
        "application/json",
        refusal.to_json().to_string().into_bytes(),
    );
    *response.status_mut() =
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    response
}

fn mark(response: &mut Response<Body>, kind: &'static str) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
