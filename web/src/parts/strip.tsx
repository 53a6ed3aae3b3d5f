// All tasks of a run as a strip of small squares. The strip is one stop of the tab key; arrows go on.

import { useRef } from "preact/hooks";
import type { RunTask, TaskState } from "../types.ts";

export const TASK_STATES: Record<TaskState, { sign: string; word: string; does: string }> = {
  fits: { sign: "✓", word: "fits", does: "A program fits all demonstrations" },
  none: { sign: "–", word: "none", does: "The search ended without a program that fits" },
  open: { sign: "·", word: "open", does: "Not finished yet" },
};

interface StripProps {
  tasks: RunTask[];
  addressOf: (task: string) => string;
}

export function Strip({ tasks, addressOf }: StripProps) {
  const list = useRef<HTMLUListElement>(null);
  const links = () => [...(list.current?.querySelectorAll("a") ?? [])];
  const onKey = (event: KeyboardEvent) => {
    const all = links();
    const now = all.findIndex((it) => it === document.activeElement);
    const next = all[placeAfter(event.key, now, all)];
    if (now < 0 || next === undefined) return;
    event.preventDefault();
    all[now]?.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  };
  return (
    <ul ref={list} class="strip" onKeyDown={onKey}>
      {tasks.map(({ id, state }, k) => (
        <li key={id}>
          <a
            class={state}
            href={addressOf(id)}
            tabIndex={k === 0 ? 0 : -1}
            title={`${id}: ${TASK_STATES[state].word}`}
            aria-label={`${id}: ${TASK_STATES[state].word}`}
          >
            <span aria-hidden="true">{TASK_STATES[state].sign}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Where a key leads among links in rows; a place outside means nowhere. */
function placeAfter(key: string, now: number, all: HTMLElement[]): number {
  const first = all[0]?.offsetTop ?? 0;
  const below = all.findIndex((it) => it.offsetTop > first);
  const perRow = below < 0 ? all.length : below;
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow };
  if (key === "Home") return 0;
  if (key === "End") return all.length - 1;
  return key in steps ? now + (steps[key] ?? 0) : -1;
}
