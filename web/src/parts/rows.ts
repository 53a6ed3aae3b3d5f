// Keys that move through the rows of a table. A row has one link of the class `row`, or `in-row` if it has others beside it.

import type { Shortcut } from "../keys.tsx";

function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a.row, a.in-row")];
  const now = links.findIndex((link) => link === document.activeElement);
  const next = links[now < 0 ? 0 : Math.max(0, Math.min(links.length - 1, now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

export const rowKeys = (noun: string): Shortcut[] => [
  { keys: ["j"], does: `Next ${noun}; Enter opens it`, run: () => step(1) },
  { keys: ["k"], does: `${noun[0]?.toUpperCase()}${noun.slice(1)} before`, run: () => step(-1) },
];
