// A call of the server as a value of a component: loading, there, or failed.

import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort, returns } from "./api.ts";

export interface Loaded<T> {
  data: T | null;
  error: unknown;
  /** Asks again and keeps the old data until the new are there. */
  reload: () => void;
}

/**
 * Makes a call each time that its key changes, or that the server comes back. An old call is given up.
 * A key of `null` makes no call.
 */
export function useCall<T>(key: string | null, call: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string | null; data: T | null; error: unknown }>({ key, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const latest = useRef(call);
  latest.current = call;
  const nReturns = returns.value;
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ key, data, error: null }),
      (error: unknown) => {
        if (isAbort(error) || abort.signal.aborted) return;
        setState((old) => ({ key, data: old.key === key ? old.data : null, error }));
      },
    );
    return () => abort.abort();
  }, [key, turn, nReturns]);
  const isOurs = state.key === key;
  return {
    data: isOurs ? state.data : null,
    error: isOurs ? state.error : null,
    reload: () => setTurn((n) => n + 1),
  };
}
