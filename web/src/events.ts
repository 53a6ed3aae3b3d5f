// Server-sent events over fetch: our token goes into a header, and the browser's own reader sends none.

import { ApiError, isAbort, openStream } from "./api.ts";

export interface Happening {
  id: number;
  kind: string;
  data: unknown;
}

/** A stream that is silent for longer is dead: the server sends a sign of life every 15 seconds. */
const LONGEST_SILENCE = 40_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5000;

/** Takes a stream of text apart into events, as pieces come. */
export class EventReader {
  private rest = "";

  read(piece: string): Happening[] {
    const blocks = (this.rest + piece).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.map(happening).filter((it) => it !== null);
  }
}

/** The event of a block of lines; a block without a kind is a sign of life. */
function happening(block: string): Happening | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const kind = fields.get("event");
  if (kind === undefined) return null;
  return { id: Number(fields.get("id") ?? 0), kind, data: JSON.parse(fields.get("data") ?? "null") };
}

const pause = (time: number): Promise<void> => new Promise((go) => setTimeout(go, time));

async function* happenings(path: string, after: number, signal: AbortSignal): AsyncGenerator<Happening> {
  const silence = new AbortController();
  const response = await openStream(path, after, AbortSignal.any([signal, silence.signal]));
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const reader = new EventReader();
  while (pieces !== undefined) {
    const alarm = setTimeout(() => silence.abort(), LONGEST_SILENCE);
    const { done, value } = await pieces.read().finally(() => clearTimeout(alarm));
    if (done) return;
    yield* reader.read(value);
  }
}

/**
 * Hears the events of a stream behind the event `after` until `end`. A broken stream goes on with the last
 * event that was heard. `reset` says that events are missing: the caller reads the state again and follows anew.
 */
export async function follow(path: string, after: number, signal: AbortSignal, hear: (event: Happening) => void): Promise<void> {
  let last = after;
  let wait = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const event of happenings(path, last, signal)) {
        if (signal.aborted) return;
        hear(event);
        if (event.kind === "end" || event.kind === "reset") return;
        last = event.id;
        wait = FIRST_PAUSE;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError) {
        await pause(LONGEST_PAUSE);
        if (!signal.aborted) hear({ id: last, kind: "reset", data: null });
        return;
      }
      if (!isAbort(error) && !(error instanceof TypeError)) throw error;
    }
    await pause(wait);
    wait = Math.min(2 * wait, LONGEST_PAUSE);
  }
}
