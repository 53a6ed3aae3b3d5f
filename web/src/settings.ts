// How the user likes to see things. The browser keeps it.

import { effect, signal, type Signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
export type PaletteName = "arc" | "safe";

function kept<T extends string>(name: string, all: readonly T[]): Signal<T> {
  const key = `leyden-${name}`;
  const found = all.find((it) => it === localStorage.getItem(key));
  const value = signal<T>(found ?? (all[0] as T));
  effect(() => localStorage.setItem(key, value.value));
  return value;
}

export const theme = kept<Theme>("theme", ["auto", "light", "dark"]);
export const palette = kept<PaletteName>("palette", ["arc", "safe"]);
/** Whether cells show their numbers. */
export const numbers = kept("numbers", ["off", "on"]);
/** Whether grids are tables of numbers, for screen readers. */
export const tables = kept("tables", ["off", "on"]);

export const toggled = (setting: Signal<"off" | "on">): void => {
  setting.value = setting.value === "on" ? "off" : "on";
};

export const otherPalette = (): void => {
  palette.value = palette.value === "arc" ? "safe" : "arc";
};

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
