// The calls behind a comparison of two programs.

import { get, part, post } from "../api.ts";
import type { Evaluation, JudgedProgram, Pair, ProgramPage, Sample, Task } from "../types.ts";

/** A program with its results on the demonstrations. */
export interface Side {
  program: ProgramPage;
  samples: Sample[];
}

export type OnTask = Pick<JudgedProgram, "set" | "task">;

export interface Compared {
  before: Side | null;
  after: Side;
  /** The task of the outputs. */
  on: OnTask | null;
  /** All tasks whose outputs can be shown: those of the page and of both programs. */
  tasks: OnTask[];
  pairs: Pair[];
}

/** What to load. */
export interface Wanted {
  before: string | null;
  after: string;
  /** The task of the page. */
  own: OnTask | null;
  /** The task that the user chose, or nothing. */
  task: string;
}

const programOf = (hash: string, signal: AbortSignal) => get<ProgramPage>(`programs/${part(hash)}`, {}, signal);

async function sideOf(program: ProgramPage, on: OnTask | null, signal: AbortSignal): Promise<Side> {
  if (on === null) return { program, samples: [] };
  const body = { text: program.text, dialect: program.dialect, set: on.set, task: on.task };
  const { samples } = await post<Evaluation>("eval", body, signal);
  return { program, samples: samples.filter((it) => it.is_demo) };
}

function tasksOf(own: OnTask | null, ...programs: (ProgramPage | null)[]): OnTask[] {
  const all = [own, ...programs.map((it) => it?.judged ?? null)].filter((it) => it !== null);
  return all.filter((it, k) => all.findIndex((other) => other.task === it.task) === k);
}

export async function compared(wanted: Wanted, signal: AbortSignal): Promise<Compared> {
  const { before, after, own } = wanted;
  const [first, second] = await Promise.all([before === null ? null : programOf(before, signal), programOf(after, signal)]);
  const tasks = tasksOf(own, second, first);
  const on = tasks.find((it) => it.task === wanted.task) ?? tasks[0] ?? null;
  const [oldSide, newSide, task] = await Promise.all([
    first && sideOf(first, on, signal),
    sideOf(second, on, signal),
    on && get<Task>(`sets/${part(on.set)}/tasks/${part(on.task)}`, {}, signal),
  ]);
  return { before: oldSide, after: newSide, on, tasks, pairs: task?.train ?? [] };
}
