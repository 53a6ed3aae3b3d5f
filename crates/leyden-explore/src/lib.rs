//! Serves a page and its JSON calls to the browser of one user.
//!
//! This crate knows no tasks and no programs: it takes a table of [`Endpoint`]s, functions from
//! plain values to plain values, and sees to the rest. It listens on the loopback device unless the
//! user names another one, checks host, origin and token of every call, bounds bodies, times,
//! connections and streams, and cancels a call whose browser went away.
//!
//! ```no_run
//! use leyden_explore::{Call, Endpoint, Method, Refusal, Reply, Server, Settings};
//! use serde_json::json;
//!
//! fn greet(name: &String, call: &Call) -> Result<Reply, Refusal> {
//!     Ok(Reply::Json(json!({ "hello": name, "from": call.path("who")? })))
//! }
//! const ENDPOINTS: &[Endpoint<String>] = &[Endpoint {
//!     method: Method::Get,
//!     path: "greet/{who}",
//!     does: "Greets.",
//!     takes: "",
//!     gives: r#"{"hello", "from"}"#,
//!     call: greet,
//! }];
//! let server = Server::bind(&Settings::default())?;
//! println!("{}", server.link());
//! server.run("Leyden".to_owned().into(), ENDPOINTS, &Default::default())?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod call;
mod crowd;
mod events;
mod guard;
mod in_flight;
mod page;
mod routes;
mod server;

pub use call::{Call, Endpoint, Method, Refusal, Reply};
pub use events::{Event, EventLog};
pub use server::{Server, Settings, fresh_token, is_token};
