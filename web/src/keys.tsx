// Keys: each screen names its own, and the help dialog lists those that work now.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "./parts/dialog.tsx";

export interface Shortcut {
  /** The key, as in `KeyboardEvent.key`; further ones do the same. */
  keys: string[];
  does: string;
  run: () => void;
}

const active = signal<Shortcut[][]>([]);
export const isHelpOpen = signal(false);

/** Keys that work while a component is there, from its first picture on. Later ones win. */
export function useKeys(shortcuts: Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map((it) => it.keys.join(" ")).join("|");
  useLayoutEffect(() => {
    const own = shortcuts.map((it, k) => ({ ...it, run: () => latest.current[k]?.run() }));
    active.value = [...active.value, own];
    return () => {
      active.value = active.value.filter((it) => it !== own);
    };
  }, [names]);
}

const WRITABLE = "input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable=true]";

/** Whether a key writes text where the event comes from, even inside of a shadow tree. */
function isWriting(event: KeyboardEvent): boolean {
  const origin = event.composedPath()[0];
  return origin instanceof Element && origin.closest(WRITABLE) !== null;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
  if (document.querySelector("dialog[open]") !== null) return;
  const all = active.value.toReversed().flat();
  const found = all.find((it) => it.keys.includes(event.key));
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

export function startKeys(): void {
  document.addEventListener("keydown", onKey);
}

const SHOWN: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };

export function Help() {
  if (!isHelpOpen.value) return null;
  const row = (shortcut: Shortcut) => (
    <tr key={shortcut.keys.join()}>
      <td>
        {shortcut.keys.map((key) => (
          <kbd key={key}>{SHOWN[key] ?? key}</kbd>
        ))}
      </td>
      <td>{shortcut.does}</td>
    </tr>
  );
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <table class="keys">
        <tbody>{active.value.toReversed().flat().map(row)}</tbody>
      </table>
    </Dialog>
  );
}
