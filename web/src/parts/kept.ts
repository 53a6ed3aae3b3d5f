// Old data stay on the page until the new are there, so that nothing flickers.

import { useRef } from "preact/hooks";
import type { Loaded } from "../call.ts";

export interface Kept<T> {
  data: T | null;
  /** Whether the data belong to an earlier call. */
  isOld: boolean;
}

/** The data of a call, or those of the call before while it waits. */
export function useKept<T>({ data, error }: Loaded<T>): Kept<T> {
  const last = useRef<T | null>(null);
  if (data !== null) last.current = data;
  if (error !== null) last.current = null;
  return { data: last.current, isOld: data === null };
}
