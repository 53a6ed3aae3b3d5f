// Keys that move through the rows of a table. A row has one link of the class `row`, or `in-row` if it has others beside it.

import { useEffect } from "preact/hooks";
import type { Shortcut } from "../keys.tsx";

const LINKS = "a.row, a.in-row";

function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(LINKS)];
  const now = links.findIndex((link) => link === document.activeElement);
  const next = links[now < 0 ? 0 : Math.max(0, Math.min(links.length - 1, now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

export const rowKeys = (noun: string): Shortcut[] => [
  { keys: ["j"], does: `Next ${noun}; Enter opens it`, run: () => step(1) },
  { keys: ["k"], does: `${noun[0]?.toUpperCase()}${noun.slice(1)} before`, run: () => step(-1) },
];

/** For each screen the address of the row that the user opened last. */
const opened = new Map<string, string>();

function remember(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(LINKS) : null;
  if (link) opened.set(location.pathname, link.href);
}

function focusLast(): void {
  const href = opened.get(location.pathname);
  const last = [...document.querySelectorAll<HTMLAnchorElement>(LINKS)].find((link) => link.href === href);
  if (!last || document.activeElement !== document.body) return;
  last.focus();
  last.scrollIntoView({ block: "nearest" });
}

/** On the way back to a table, the focus goes to the row that the user came from. */
export function useLastRow(isThere: boolean): void {
  useEffect(() => {
    if (!isThere) return;
    focusLast();
    // The router follows links at the document; this must come before it.
    document.addEventListener("click", remember, true);
    return () => document.removeEventListener("click", remember, true);
  }, [isThere]);
}
