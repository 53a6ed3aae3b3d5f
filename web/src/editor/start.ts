// The text that the editor begins with.

import { get, part } from "../api.ts";
import type { Task } from "../types.ts";
import { textOf } from "./link.ts";

export interface Start {
  text: string;
  /** The text of the program that the user edits, before any change. */
  original: string;
  /** The hash of that program, if there is one. */
  parent: string | null;
}

export const TEMPLATE = "def solve(I):\n    O = identity(I)\n    return O\n";

/** The text of the link, else that of a program, else the template. */
export async function startOf(task: Task, program: string, fragment: string, signal: AbortSignal): Promise<Start> {
  const saved = await textOf(fragment);
  const original = program === "" ? TEMPLATE : await textOfProgram(task, program, signal);
  return { text: saved ?? original, original, parent: program || null };
}

async function textOfProgram(task: Task, hash: string, signal: AbortSignal): Promise<string> {
  const known = task.programs.find((it) => it.hash === hash);
  return known?.text ?? (await get<{ text: string }>(`programs/${part(hash)}`, {}, signal)).text;
}
