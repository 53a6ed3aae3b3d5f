// Draws grids on a canvas.

import type { PaletteName } from "../settings.ts";
import type { Cell, Grid, Picture } from "../types.ts";
import { colourOf, inkOn } from "./palette.ts";

export interface Spot {
  row: number;
  column: number;
}

export interface Look {
  palette: PaletteName;
  numbers: boolean;
  /** Cells that differ from this grid are hatched. */
  expected?: Grid | null | undefined;
  outlined?: Spot | null | undefined;
}

/** Where a picture lies, in points of the canvas. */
export interface Frame {
  x: number;
  y: number;
  /** The side of a cell. */
  cell: number;
}

const LINE = "#5b6068";
const OUTSIDE = "#8d939c";
/** Smaller cells have no lines between them. */
const LEAST_FOR_LINES = 5;
const LEAST_FOR_NUMBERS = 9;
/** In smaller cells, dots of places outside would be a grey mist. */
const LEAST_FOR_DOTS = 8;

export const heightOf = (picture: Picture): number => picture.length;
export const widthOf = (picture: Picture): number => picture[0]?.length ?? 0;

export const isSameShape = (a: Picture, b: Picture): boolean => heightOf(a) === heightOf(b) && widthOf(a) === widthOf(b);

export function isWrong(picture: Picture, expected: Grid, row: number, column: number): boolean {
  return picture[row]?.[column] !== expected[row]?.[column];
}

export function countWrong(picture: Picture, expected: Grid): number {
  let n = 0;
  for (const [row, cells] of picture.entries()) {
    for (const column of cells.keys()) n += isWrong(picture, expected, row, column) ? 1 : 0;
  }
  return n;
}

/** Draws a picture into a frame. */
export function draw(ctx: CanvasRenderingContext2D, picture: Picture, frame: Frame, look: Look): void {
  for (const [row, cells] of picture.entries()) {
    for (const [column, cell] of cells.entries()) fill(ctx, cell, boxOf(frame, row, column), look.palette);
  }
  if (frame.cell >= LEAST_FOR_LINES) lines(ctx, picture, frame);
  if (look.numbers && frame.cell >= LEAST_FOR_NUMBERS) numbers(ctx, picture, frame, look.palette);
  if (look.expected) hatch(ctx, picture, look.expected, frame);
  if (look.outlined) outline(ctx, boxOf(frame, look.outlined.row, look.outlined.column));
}

interface Box {
  x: number;
  y: number;
  side: number;
}

const boxOf = (frame: Frame, row: number, column: number): Box => ({
  x: frame.x + column * frame.cell,
  y: frame.y + row * frame.cell,
  side: frame.cell,
});

function fill(ctx: CanvasRenderingContext2D, cell: Cell, { x, y, side }: Box, palette: PaletteName): void {
  if (cell === ".") {
    if (side < LEAST_FOR_DOTS) return;
    ctx.fillStyle = OUTSIDE;
    const dot = Math.max(1, side / 8);
    ctx.fillRect(x + (side - dot) / 2, y + (side - dot) / 2, dot, dot);
    return;
  }
  ctx.fillStyle = cell === "x" ? OUTSIDE : colourOf(cell, palette);
  ctx.fillRect(x, y, side, side);
  if (cell === "x") cross(ctx, x, y, side);
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, side: number): void {
  ctx.strokeStyle = "#ffffff";
  ctx.lineWidth = Math.max(1, side / 8);
  const edge = side / 4;
  ctx.beginPath();
  ctx.moveTo(x + edge, y + edge);
  ctx.lineTo(x + side - edge, y + side - edge);
  ctx.moveTo(x + side - edge, y + edge);
  ctx.lineTo(x + edge, y + side - edge);
  ctx.stroke();
}

function lines(ctx: CanvasRenderingContext2D, picture: Picture, { x, y, cell }: Frame): void {
  const [height, width] = [heightOf(picture), widthOf(picture)];
  ctx.fillStyle = LINE;
  for (let k = 1; k < height; k += 1) ctx.fillRect(x, y + k * cell, width * cell, 1);
  for (let k = 1; k < width; k += 1) ctx.fillRect(x + k * cell, y, 1, height * cell);
}

function numbers(ctx: CanvasRenderingContext2D, picture: Picture, frame: Frame, palette: PaletteName): void {
  ctx.font = `${Math.round(frame.cell * 0.62)}px ui-monospace, monospace`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const [row, cells] of picture.entries()) {
    for (const [column, cell] of cells.entries()) {
      if (typeof cell !== "number") continue;
      const { x, y, side } = boxOf(frame, row, column);
      ctx.fillStyle = inkOn(colourOf(cell, palette));
      ctx.fillText(String(cell), x + side / 2, y + side / 2 + 1);
    }
  }
}

/** White stripes with dark edges are visible on every colour. */
function hatch(ctx: CanvasRenderingContext2D, picture: Picture, expected: Grid, frame: Frame): void {
  for (const [row, cells] of picture.entries()) {
    for (const column of cells.keys()) {
      if (isWrong(picture, expected, row, column)) stripes(ctx, boxOf(frame, row, column));
    }
  }
}

function stripes(ctx: CanvasRenderingContext2D, { x, y, side }: Box): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, side, side);
  ctx.clip();
  const step = Math.max(4, side / 2);
  for (const [colour, width] of [["#000000", 3], ["#ffffff", 1.5]] as const) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = Math.min(width, side / 3);
    ctx.beginPath();
    for (let k = step / 2; k < 2 * side; k += step) {
      ctx.moveTo(x + k, y);
      ctx.lineTo(x + k - side, y + side);
    }
    ctx.stroke();
  }
  ctx.restore();
}

function outline(ctx: CanvasRenderingContext2D, { x, y, side }: Box): void {
  ctx.lineWidth = 3;
  ctx.strokeStyle = "#000000";
  ctx.strokeRect(x + 0.5, y + 0.5, side, side);
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = "#ffffff";
  ctx.strokeRect(x + 0.5, y + 0.5, side, side);
}

/** The largest cell with which a picture stays within a number of points. */
export function cellFor(picture: Picture, most: number, largest = 28): number {
  const longest = Math.max(heightOf(picture), widthOf(picture), 1);
  return Math.max(2, Math.min(largest, Math.floor(most / longest)));
}

/** Gives a canvas a size in points, sharp on dense screens. */
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const density = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  canvas.style.width = `${width}px`;
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(density, 0, 0, density, 0, 0);
  return ctx;
}
