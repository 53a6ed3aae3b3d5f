// All tasks of a data set as small pictures.

import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { about, get, getBytes, part } from "../api.ts";
import { useCall } from "../call.ts";
import { Thumb, unpacked } from "../grid/thumbs.ts";
import { useKeys } from "../keys.tsx";
import { BadgeMark } from "../parts/badge.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ThumbCanvas } from "../parts/thumb.tsx";
import { navigate, queryWord, setQuery } from "../router.ts";
import type { TaskLine } from "../types.ts";
import { Filters, filterFromAddress, passes } from "./gallery_filters.tsx";

interface Shown {
  line: TaskLine;
  first: Thumb;
  predicted: Thumb | null;
}

/** About as many cards as a window shows. */
const FIRST_CARDS = 60;

interface Data {
  shown: Shown[];
  /** When the replies were there. */
  at: number;
}

async function loaded(set: string, withPrediction: boolean, signal: AbortSignal): Promise<Data> {
  const thumbs = (of: string) => getBytes(`sets/${part(set)}/thumbs`, { of }, signal);
  const [list, first, predicted] = await Promise.all([
    get<{ tasks: TaskLine[] }>(`sets/${part(set)}/tasks`, {}, signal),
    thumbs("first"),
    withPrediction ? thumbs("predicted") : null,
  ]);
  const at = performance.now();
  const [all, guesses] = [unpacked(first), predicted && unpacked(predicted)];
  const shown = list.tasks.map((line, k) => ({ line, first: all[k] ?? Thumb.NONE, predicted: guesses?.[k] ?? null }));
  return { shown, at };
}

export const taskAddress = (set: string, task: string): string => `/task/${part(set)}/${part(task)}`;

function Card({ set, shown }: { set: string; shown: Shown }) {
  const { line } = shown;
  return (
    <li data-task={line.id}>
      <a class="card" href={taskAddress(set, line.id)}>
        <ThumbCanvas first={shown.first} predicted={shown.predicted} />
        <span class="card-foot">
          <span class="id">{line.id}</span>
          <BadgeMark badge={line.badge} credit={line.credit} />
        </span>
      </a>
    </li>
  );
}

/** Moves the focus among cards. */
function step(by: number): void {
  const cards = [...document.querySelectorAll<HTMLAnchorElement>(".cards a.card")];
  const now = cards.findIndex((card) => card === document.activeElement);
  const next = cards[Math.max(0, Math.min(cards.length - 1, now < 0 ? 0 : now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function rowLength(): number {
  const [first, ...rest] = document.querySelectorAll<HTMLElement>(".cards > li");
  const below = rest.findIndex((card) => card.offsetTop > (first?.offsetTop ?? 0));
  return below < 0 ? rest.length + 1 : below + 1;
}

function editFocused(set: string): void {
  const task = document.activeElement?.closest<HTMLElement>("[data-task]")?.dataset.task;
  if (task !== undefined) navigate(`/edit/${part(set)}/${part(task)}`);
}

/** Measures the time from the replies to the first pictures, once for each reply. */
function useMeasure(data: Data | null): void {
  useLayoutEffect(() => {
    if (data === null) return;
    const onDrawn = () => performance.measure("gallery-drawn", { start: data.at, end: performance.now() });
    document.addEventListener("thumbs-drawn", onDrawn, { once: true });
    return () => document.removeEventListener("thumbs-drawn", onDrawn);
  }, [data]);
}

/** How many cards stand on the page: those in sight first, and all when these are drawn. */
function useCardLimit(data: Data | null): number {
  const [grown, setGrown] = useState<Data | null>(null);
  useLayoutEffect(() => {
    if (data === null) return;
    const grow = () => setTimeout(() => setGrown(data));
    document.addEventListener("thumbs-drawn", grow, { once: true });
    return () => document.removeEventListener("thumbs-drawn", grow);
  }, [data]);
  return grown === data ? Infinity : FIRST_CARDS;
}

export default function Gallery() {
  const sets = about.value?.sets ?? [];
  const set = queryWord("set") || sets[0]?.id || "";
  const withPrediction = queryWord("predicted") !== "";
  const key = set === "" ? null : `${set} ${withPrediction}`;
  const { data, error, reload } = useCall(key, (signal) => loaded(set, withPrediction, signal));
  const search = useRef<HTMLInputElement>(null);
  const filter = filterFromAddress();
  const limit = useCardLimit(data);
  useMeasure(data);
  useKeys([
    { keys: ["/"], does: "Search", run: () => search.current?.focus() },
    { keys: ["j", "ArrowRight"], does: "Next task", run: () => step(1) },
    { keys: ["k", "ArrowLeft"], does: "Task before", run: () => step(-1) },
    { keys: ["ArrowDown"], does: "Task below", run: () => step(rowLength()) },
    { keys: ["ArrowUp"], does: "Task above", run: () => step(-rowLength()) },
    { keys: ["e"], does: "Edit the focused task", run: () => editFocused(set) },
    { keys: ["d"], does: "My prediction, with differences", run: () => setQuery({ predicted: withPrediction ? null : 1 }) },
  ]);
  const cards = useMemo(() => {
    const all = new Map<Shown, VNode>();
    for (const shown of data?.shown ?? []) all.set(shown, <Card key={shown.line.id} set={set} shown={shown} />);
    return all;
  }, [data, set]);
  const visible = [...cards].filter(([shown]) => passes(filter, shown.line)).map(([, card]) => card);
  return (
    <main class="gallery">
      <h1 class="hidden">Gallery</h1>
      <Filters sets={sets} set={set} filter={filter} withPrediction={withPrediction} search={search} />
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the tasks" />}
      {data !== null && (
        <>
          <p class="count" role="status">
            {visible.length === data.shown.length ? `${visible.length} tasks` : `${visible.length} of ${data.shown.length} tasks`}
          </p>
          <ul class="cards">{visible.slice(0, limit)}</ul>
        </>
      )}
    </main>
  );
}
