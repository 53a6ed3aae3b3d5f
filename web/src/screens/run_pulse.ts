// Lists of runs have no stream; they ask again while something goes on.

import { useEffect, useRef } from "preact/hooks";

const PULSE = 2000;

/** Calls a function every two seconds while the page is seen. */
export function usePulse(isOn: boolean, beat: () => void): void {
  const latest = useRef(beat);
  latest.current = beat;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.visibilityState === "visible" && latest.current(), PULSE);
    return () => clearInterval(timer);
  }, [isOn]);
}
