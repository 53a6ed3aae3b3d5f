// Changes of a grid that the user paints. Every change gives a new grid.

import type { Grid } from "../types.ts";
import type { Spot } from "./draw.ts";

/** The longest side of a grid. */
export const MOST_SIDE = 30;

export const blank = (height: number, width: number): Grid => Array.from({ length: height }, () => Array<number>(width).fill(0));

export function withCell(grid: Grid, { row, column }: Spot, colour: number): Grid {
  if (grid[row]?.[column] === colour) return grid;
  return grid.map((cells, k) => (k === row ? cells.with(column, colour) : cells));
}

/** Fills the area of one colour around a cell. */
export function flooded(grid: Grid, start: Spot, colour: number): Grid {
  const old = grid[start.row]?.[start.column];
  if (old === undefined || old === colour) return grid;
  const filled = grid.map((cells) => [...cells]);
  const open = [start];
  for (let spot = open.pop(); spot !== undefined; spot = open.pop()) {
    const { row, column } = spot;
    const cells = filled[row];
    if (cells?.[column] !== old) continue;
    cells[column] = colour;
    open.push({ row: row - 1, column }, { row: row + 1, column }, { row, column: column - 1 }, { row, column: column + 1 });
  }
  return filled;
}

/** A grid of another size; new cells are black. */
export function resized(grid: Grid, height: number, width: number): Grid {
  return blank(height, width).map((cells, row) => cells.map((none, column) => grid[row]?.[column] ?? none));
}

/** The cell beside another one, inside of a grid; `null` for keys that are no arrows. */
export function stepped(spot: Spot, key: string, height: number, width: number): Spot | null {
  const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[key];
  if (step === undefined) return null;
  const within = (k: number, most: number) => Math.max(0, Math.min(most - 1, k));
  return { row: within(spot.row + step[0], height), column: within(spot.column + step[1], width) };
}
