// The lines in which two programs differ. A line that only has other numbers of variables is no difference.

import type { Mark } from "./program_text.tsx";

/** A line `target = callee(…)`. */
interface Line {
  text: string;
  target: string;
  callee: string;
}

type Pair = readonly [old: number, now: number];

function linesOf(text: string): Line[] {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => {
    const words = line.trim();
    if (words.startsWith("def ")) return { text: "def", target: "", callee: "def" };
    const [, target = "", value = words] = /^(\w+) = (.*)$/.exec(words) ?? [];
    return { text: value, target, callee: /^\w+/.exec(value)?.[0] ?? value };
  });
}

/** For each pair of places, the number of common callees from there on. */
function lengths(old: Line[], now: Line[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [both, below, right] = [table[i + 1]?.[j + 1] ?? 0, table[i + 1]?.[j] ?? 0, table[i]?.[j + 1] ?? 0];
      (table[i] as number[])[j] = old[i]?.callee === now[j]?.callee ? both + 1 : Math.max(below, right);
    }
  }
  return table;
}

/** Lines of a longest common subsequence of callees. */
function common(old: Line[], now: Line[]): Pair[] {
  const table = lengths(old, now);
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i]?.callee === now[j]?.callee) {
      pairs.push([i, j]);
      [i, j] = [i + 1, j + 1];
    } else if ((table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Also pairs the lines between common ones, in their order. */
function paired(old: Line[], now: Line[]): Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...common(old, now), [old.length, now.length] as const]) {
    for (; i < nextI && j < nextJ; [i, j] = [i + 1, j + 1]) pairs.push([i, j]);
    if (nextI < old.length) pairs.push([nextI, nextJ]);
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return pairs;
}

export interface Marks {
  old: Map<number, Mark>;
  now: Map<number, Mark>;
}

export function marksOf(oldText: string, nowText: string): Marks {
  const [old, now] = [linesOf(oldText), linesOf(nowText)];
  const renamed = new Map<string, string>();
  const targets = new Set(old.map((line) => line.target));
  /** A variable without a partner reads as nothing that the new program has. */
  const inNewNames = (text: string) => text.replace(/\w+/g, (word) => renamed.get(word) ?? (targets.has(word) ? "?" : word));
  const [same, sameNow] = [new Set<number>(), new Set<number>()];
  for (const [i, j] of paired(old, now)) {
    const [before, after] = [old[i], now[j]];
    if (!before || !after) continue;
    if (inNewNames(before.text) === after.text) {
      same.add(i);
      sameNow.add(j);
    }
    if (before.target && after.target) renamed.set(before.target, after.target);
  }
  const rest = (lines: Line[], unmarked: Set<number>, mark: Mark) =>
    new Map([...lines.keys()].filter((k) => !unmarked.has(k)).map((k) => [k, mark]));
  return { old: rest(old, same, "removed"), now: rest(now, sameNow, "added") };
}
