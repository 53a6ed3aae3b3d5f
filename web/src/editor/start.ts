// The text that the editor begins with.

import { get, part } from "../api.ts";
import type { Task } from "../types.ts";
import { textOf } from "./link.ts";

export interface Start {
  text: string;
  /** The text of the program that the user edits, before any change. */
  original: string;
  /** The name and the hash of that program, if there is one. */
  name: string;
  parent: string | null;
}

export const TEMPLATE = "def solve(I):\n    O = identity(I)\n    return O\n";

/** The text of the link, else that of a program, else the template. */
export async function startOf(task: Task, program: string, fragment: string, signal: AbortSignal): Promise<Start> {
  const saved = await textOf(fragment);
  const { name, text: original } = program === "" ? { name: "", text: TEMPLATE } : await programOf(task, program, signal);
  return { text: saved ?? original, original, name, parent: program || null };
}

async function programOf(task: Task, hash: string, signal: AbortSignal): Promise<{ name: string; text: string }> {
  const known = task.programs.find((it) => it.hash === hash);
  return known ?? (await get<{ name: string; text: string }>(`programs/${part(hash)}`, {}, signal));
}
