// A run as it is now: its state, and then what its events change.

import { useEffect, useState } from "preact/hooks";
import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { follow } from "../events.ts";
import type { Run, RunNews } from "../types.ts";

export interface LiveRun {
  run: Run | null;
  error: unknown;
  reload: () => void;
}

export const runCall = (id: string, signal: AbortSignal): Promise<Run> => get<Run>(`runs/${part(id)}`, {}, signal);

type Curve = Run["curve"];

/** A curve with one more point. Of a level stretch its two ends stay. */
function curveAfter(curve: Curve, point: Curve[number]): Curve {
  const [before, last] = [curve.at(-2), curve.at(-1)];
  if (last === undefined) return [point];
  if (point[0] < last[0]) return curve;
  const isLevel = before?.[1] === point[1] && last[1] === point[1];
  const isLastOver = isLevel || point[0] === last[0];
  return [...(isLastOver ? curve.slice(0, -1) : curve), point];
}

/** The run after an event. An event that the state has already changes nothing. */
export function runAfter(run: Run, { task, find, ...numbers }: RunNews): Run {
  const isKnown = find !== undefined && run.finds.some((it) => it.task === find.task && it.program === find.program);
  return {
    ...run,
    ...numbers,
    tasks: task === undefined ? run.tasks : run.tasks.map((it) => (it.id === task.id ? task : it)),
    finds: find === undefined || isKnown ? run.finds : [...run.finds, find],
    curve: curveAfter(run.curve, [numbers.seconds, numbers.solved]),
  };
}

export function useRun(id: string): LiveRun {
  const { data, error, reload } = useCall(`run ${id}`, (signal) => runCall(id, signal));
  const [live, setLive] = useState<{ from: Run; run: Run } | null>(null);
  useEffect(() => {
    if (data?.state !== "running") return;
    const abort = new AbortController();
    void follow(`runs/${part(id)}/events`, data.last_event, abort.signal, (event) => {
      if (event.kind === "reset") return reload();
      setLive((old) => ({ from: data, run: runAfter(old?.from === data ? old.run : data, event.data as RunNews) }));
    });
    return () => abort.abort();
  }, [data]);
  return { run: live !== null && live.from === data ? live.run : data, error, reload };
}
