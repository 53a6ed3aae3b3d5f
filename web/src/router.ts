// Every state of the page is an address: a path, a query, and for texts a fragment.

import { computed, signal } from "@preact/signals";

export interface Place {
  path: string;
  query: URLSearchParams;
  fragment: string;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), fragment: location.hash.slice(1) };
}

export const place = signal<Place>(here());

const reread = (): void => {
  place.value = here();
};

/** Goes to an address of this page. */
export function navigate(address: string, options: { replace?: boolean } = {}): void {
  if (address === location.pathname + location.search + location.hash) return;
  if (options.replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  const before = place.value.path;
  reread();
  if (place.value.path !== before) window.scrollTo(0, 0);
}

/** Changes words of the query; `null` and the empty text remove one. */
export function setQuery(changes: Record<string, string | number | null>, options: { push?: boolean } = {}): void {
  const words = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") words.delete(name);
    else words.set(name, String(value));
  }
  const text = words.toString();
  navigate(location.pathname + (text ? `?${text}` : "") + location.hash, { replace: !options.push });
}

/** A word of the query; empty if it is missing. */
export const queryWord = (name: string): string => place.value.query.get(name) ?? "";

/** The parameters of a pattern such as `/task/:set/:id` in a path, or `null` if it does not fit. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [k, word] of wanted.entries()) {
    const text = given[k] ?? "";
    if (word.startsWith(":")) found[word.slice(1)] = decoded(text);
    else if (word !== text) return null;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Links of this page do not load it again. */
function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.composedPath().find((it): it is HTMLAnchorElement => it instanceof HTMLAnchorElement);
  if (link === undefined || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.pathname.startsWith("/assets/")) return;
  if (link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}

export function startRouter(): void {
  addEventListener("popstate", reread);
  addEventListener("hashchange", reread);
  document.addEventListener("click", onClick);
}

/** The path alone, so that a change of the query redraws only its readers. */
export const path = computed(() => place.value.path);
