// Parts that the list of runs and the page of a run share.

import { about } from "../api.ts";
import { counted, grouped } from "../parts/words.ts";
import type { RunLine, RunState } from "../types.ts";

const STATES: Record<RunState, { sign: string; word: string; tone: string; title: string }> = {
  running: { sign: "▶", word: "running", tone: "fair", title: "It goes on, even if this page is closed" },
  done: { sign: "✓", word: "done", tone: "good", title: "It has ended by itself" },
  stopped: { sign: "■", word: "stopped", tone: "plain", title: "It can be resumed" },
  failed: { sign: "!", word: "failed", tone: "bad", title: "It ended with an error" },
};

export function StateMark({ state }: { state: RunState }) {
  const { sign, word, tone, title } = STATES[state];
  return (
    <span class={`mark ${tone}`} title={title}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

/** The options of a run in words: "2s for each task, seed 3". */
export function optionWords({ command, options }: RunLine): string {
  const words = [
    options.per_task && `${options.per_task} for each task`,
    options.budget && `${options.budget} in all`,
    options.seed !== null && `seed ${options.seed}`,
    options.library && `library ${options.library}`,
    options.tasks && counted(options.tasks.length, "chosen task"),
  ].filter(Boolean);
  if (words.length > 0) return words.join(", ");
  return command === "solve" ? "4s for each task" : "10m in all";
}

export const setTitle = (set: string): string => about.value?.sets.find((it) => it.id === set)?.title ?? set;

/** What a run has worked through, as a bar beside its number. */
export function Done({ run }: { run: RunLine }) {
  if (run.command === "evolve") return <span>{counted(run.rounds, "round")}</span>;
  if (run.total === 0) return <span>{grouped(run.done)}</span>;
  return (
    <span class="done">
      <progress max={run.total} value={run.done} aria-label="Tasks done" />
      {grouped(run.done)} of {grouped(run.total)}
    </span>
  );
}
