// Changes of programs in words. The store writes them as "kind: line N: what; kind: line N: what".

export interface Change {
  kind: string;
  /** The line, or empty. */
  where: string;
  what: string;
}

export function changesIn(mutation: string): Change[] {
  const parts = mutation.split("; ").filter((it) => it !== "");
  return parts.map((text) => {
    const [kind = "", ...rest] = text.split(": ");
    const where = /^line \d+$/.test(rest[0] ?? "") ? (rest.shift() ?? "") : "";
    return { kind, where, what: rest.join(": ") };
  });
}

/** A change in a few letters: "F → T", "insert tophalf", "from 1e7d0015". */
function inShort({ kind, what }: Change): string {
  const words = what.split(" ");
  if (kind === "insert") return `insert ${words[0]}`;
  if (kind === "delete") return `delete ${words.at(-1)}`;
  if (kind === "crossover") return `from ${words.at(-1)?.replace(/^solve_/, "")}`;
  return what === "" ? kind : what.replace(" to ", " → ");
}

/** The first change in a few letters, and how many more there are. */
export function shortChange(mutation: string): string {
  const [first, ...more] = changesIn(mutation);
  if (first === undefined) return "";
  return more.length > 0 ? `${inShort(first)} +${more.length}` : inShort(first);
}
