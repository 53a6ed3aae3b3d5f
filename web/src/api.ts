// Calls of the server, with their failures as values that the page can show.

import { signal } from "@preact/signals";
import { token } from "./token.ts";
import type { About } from "./types.ts";

/** Whether the server answers: `gone` is no answer, `stranger` is an answer that refuses our token. */
export type Connection = "up" | "gone" | "stranger";

export const connection = signal<Connection>("up");
/** Rises each time that the server comes back, so that screens ask again. */
export const returns = signal(0);
/** What is open; the layout loads it at the start. */
export const about = signal<About | null>(null);

/** A refusal of the server, in its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const PAUSE = 1000;

/** A word as a part of a path. */
export const part = (word: string): string => encodeURIComponent(word);

type Query = Record<string, string | number | boolean | null | undefined>;

function addressOf(path: string, query: Query): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") words.set(name, String(value));
  }
  const text = words.toString();
  return `/api/v1/${path}${text ? `?${text}` : ""}`;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${token()}`);
  let response: Response;
  try {
    response = await fetch(address, { ...init, headers, cache: "no-store" });
  } catch (error) {
    if (!init.signal?.aborted) lost();
    throw error;
  }
  connection.value = response.status === 401 ? "stranger" : "up";
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const said = body !== null && typeof body === "object" && "error" in body ? body.error : null;
  const message = typeof said === "string" ? said : messageIn(said);
  return new ApiError(response.status, message ?? `the server answered ${response.status}`);
}

function messageIn(said: unknown): string | null {
  const has = said !== null && typeof said === "object" && "message" in said;
  return has && typeof said.message === "string" ? said.message : null;
}

let isWaiting = false;

/** Asks again until the server answers. */
function lost(): void {
  connection.value = "gone";
  if (isWaiting) return;
  isWaiting = true;
  const ask = async () => {
    try {
      await send("/api/v1/about", {});
    } catch (error) {
      if (!(error instanceof ApiError)) {
        setTimeout(ask, PAUSE);
        return;
      }
    }
    isWaiting = false;
    if (connection.value === "up") returns.value += 1;
  };
  setTimeout(ask, PAUSE);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await send(addressOf(path, query), { signal: signal ?? null });
  return (await response.json()) as T;
}

export async function getBytes(path: string, query: Query = {}, signal?: AbortSignal): Promise<Uint8Array> {
  const response = await send(addressOf(path, query), { signal: signal ?? null });
  return new Uint8Array(await response.arrayBuffer());
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null };
  return (await (await send(addressOf(path, {}), init)).json()) as T;
}

/** Makes a call whose reply is a file. */
export async function postForFile(path: string, body: unknown): Promise<{ name: string; blob: Blob }> {
  const headers = { "Content-Type": "application/json" };
  const response = await send(addressOf(path, {}), { method: "POST", headers, body: JSON.stringify(body) });
  const name = /filename="([^"]*)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { name: name ?? "page.html", blob: await response.blob() };
}

export async function remove<T>(path: string): Promise<T> {
  return (await (await send(addressOf(path, {}), { method: "DELETE" })).json()) as T;
}

/** Opens a stream of events behind the event `after`. */
export async function openStream(path: string, after: number, signal: AbortSignal): Promise<Response> {
  const headers = { "Last-Event-ID": String(after), Accept: "text/event-stream" };
  return send(addressOf(path, {}), { headers, signal });
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
