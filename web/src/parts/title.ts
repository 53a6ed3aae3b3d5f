// The title of the window, once the name of the thing is known.

import { useEffect } from "preact/hooks";

export function useTitle(name: string | null): void {
  useEffect(() => {
    if (name !== null) document.title = `${name} · Leyden`;
  }, [name]);
}
