// Grids and tasks as texts and pictures for other programs.

import { palette } from "../settings.ts";
import type { Grid, Pair, Picture } from "../types.ts";
import { draw, heightOf, widthOf } from "./draw.ts";

/** A task in the form of the public data sets; unknown outputs are left out. */
export function taskAsJson(train: Pair[], test: { input: Grid; output?: Grid | null }[]): string {
  const pair = ({ input, output }: { input: Grid; output?: Grid | null }) => (output ? { input, output } : { input });
  return JSON.stringify({ train: train.map(pair), test: test.map(pair) });
}

export function gridAsNumpy(grid: Grid): string {
  const rows = grid.map((cells) => `[${cells.join(", ")}]`);
  return `np.array([${rows.join(",\n          ")}])`;
}

export function taskAsNumpy(train: Pair[], test: { input: Grid; output?: Grid | null }[]): string {
  const lines = ["import numpy as np", ""];
  const add = (name: string, grid: Grid) => lines.push(`${name} = ${gridAsNumpy(grid)}`);
  for (const [k, { input, output }] of train.entries()) {
    add(`train_${k + 1}_input`, input);
    add(`train_${k + 1}_output`, output);
  }
  for (const [k, { input, output }] of test.entries()) {
    add(`test_${k + 1}_input`, input);
    if (output) add(`test_${k + 1}_output`, output);
  }
  return `${lines.join("\n")}\n`;
}

const PNG_CELL = 24;

export async function gridAsPng(grid: Picture): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = widthOf(grid) * PNG_CELL;
  canvas.height = heightOf(grid) * PNG_CELL;
  const ctx = canvas.getContext("2d");
  if (ctx === null) return null;
  draw(ctx, grid, { x: 0, y: 0, cell: PNG_CELL }, { palette: palette.value, numbers: false });
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
