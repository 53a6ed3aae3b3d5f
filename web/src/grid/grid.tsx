// A grid on the page: a canvas with a label, or a table of numbers if the user prefers tables.

import { useLayoutEffect, useRef } from "preact/hooks";
import { numbers, palette, tables } from "../settings.ts";
import type { Grid, Picture } from "../types.ts";
import { cellFor, countWrong, draw, heightOf, isSameShape, isWrong, sized, widthOf, type Spot } from "./draw.ts";
import { stepped } from "./painting.ts";

export interface GridProps {
  grid: Picture;
  /** Begins the label, for example "Train 1, input". */
  name: string;
  /** The most points of the longer side. */
  most?: number;
  /** Cells that differ are hatched, if the shapes are equal. */
  expected?: Grid | null | undefined;
  outlined?: Spot | null | undefined;
  /** Hears of the cell under the pointer, or of the cell that arrows choose. */
  onHover?: ((spot: Spot | null) => void) | undefined;
}

const DEFAULT_MOST = 220;

/** The label of a grid. */
export function labelOf(name: string, grid: Picture, expected?: Grid | null): string {
  const size = `${heightOf(grid)} rows, ${widthOf(grid)} columns`;
  if (!expected || !isSameShape(grid, expected)) return `${name}: ${size}`;
  const n = countWrong(grid, expected);
  return `${name}: ${size}, ${n === 0 ? "all cells right" : `${n} ${n === 1 ? "cell" : "cells"} wrong`}`;
}

/** The cell under the pointer. */
export function spotUnder(event: PointerEvent, grid: Picture): Spot | null {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * heightOf(grid));
  const column = Math.floor(((event.clientX - box.left) / box.width) * widthOf(grid));
  const isInside = row >= 0 && row < heightOf(grid) && column >= 0 && column < widthOf(grid);
  return isInside ? { row, column } : null;
}

export function GridView(props: GridProps) {
  const expected = props.expected && isSameShape(props.grid, props.expected) ? props.expected : null;
  if (tables.value === "on") return <GridTable {...props} expected={expected} />;
  return <GridCanvas {...props} expected={expected} />;
}

function GridCanvas({ grid, name, most = DEFAULT_MOST, expected, outlined, onHover }: GridProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = { palette: palette.value, numbers: numbers.value === "on", expected, outlined };
  useLayoutEffect(() => {
    const cell = cellFor(grid, most);
    const ctx = canvas.current && sized(canvas.current, widthOf(grid) * cell, heightOf(grid) * cell);
    if (ctx) draw(ctx, grid, { x: 0, y: 0, cell }, look);
  }, [grid, most, look.palette, look.numbers, expected, outlined?.row, outlined?.column]);
  const label = labelOf(name, grid, expected);
  if (!onHover) return <canvas ref={canvas} class="grid" role="img" aria-label={label} />;
  const onKey = (event: KeyboardEvent) => {
    const next = stepped(outlined ?? { row: 0, column: -1 }, event.key, heightOf(grid), widthOf(grid));
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onHover(next);
  };
  return (
    <canvas
      ref={canvas}
      class="grid"
      role="img"
      aria-label={`${label}. Arrows choose a cell.`}
      tabIndex={0}
      onPointerMove={(event) => onHover(spotUnder(event, grid))}
      onPointerLeave={() => onHover(null)}
      onKeyDown={onKey}
      onBlur={() => onHover(null)}
    />
  );
}

function GridTable({ grid, name, expected }: GridProps) {
  const cell = (value: number | string, row: number, column: number) => {
    const isBad = expected ? isWrong(grid, expected, row, column) : false;
    return (
      <td key={column} class={isBad ? "wrong" : undefined}>
        {value}
        {isBad && <span class="hidden"> wrong</span>}
      </td>
    );
  };
  return (
    <div class="grid-table" tabIndex={0} role="region" aria-label={labelOf(name, grid, expected)}>
      <table>
        <tbody>
          {grid.map((cells, row) => (
            <tr key={row}>{cells.map((value, column) => cell(value, row, column))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
