// Colours of cells. The safe palette keeps its ten colours apart for every kind of colour blindness.

import type { PaletteName } from "../settings.ts";

const PALETTES: Record<PaletteName, readonly string[]> = {
  arc: ["#000000", "#0074d9", "#ff4136", "#2ecc40", "#ffdc00", "#aaaaaa", "#f012be", "#ff851b", "#7fdbff", "#870c25"],
  safe: ["#000000", "#0072b2", "#d55e00", "#009e73", "#f0e442", "#8c8c8c", "#cc79a7", "#e69f00", "#8fd0f5", "#5c1a1b"],
};

export const COLOUR_NAMES: Record<PaletteName, readonly string[]> = {
  arc: ["black", "blue", "red", "green", "yellow", "grey", "magenta", "orange", "sky blue", "maroon"],
  safe: ["black", "blue", "vermilion", "bluish green", "yellow", "grey", "pink", "amber", "sky blue", "brown"],
};

export const colourOf = (cell: number, palette: PaletteName): string => PALETTES[palette][cell] ?? "#000000";

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(colour: string): string {
  const part = (from: number) => Number.parseInt(colour.slice(from, from + 2), 16) / 255;
  const linear = (it: number) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5));
  return light > 0.18 ? "#000000" : "#ffffff";
}
