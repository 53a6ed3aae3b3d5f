// A grid that the user paints, by mouse, finger or keyboard.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { cellFor, draw, heightOf, sized, widthOf, type Spot } from "../grid/draw.ts";
import { labelOf, spotUnder } from "../grid/grid.tsx";
import { flooded, MOST_SIDE, resized, stepped, withCell } from "../grid/painting.ts";
import { COLOUR_NAMES } from "../grid/palette.ts";
import { numbers, palette } from "../settings.ts";
import type { Grid } from "../types.ts";
import { Swatch } from "./swatch.tsx";

/** A grid with its steps back. */
export interface Painting {
  grid: Grid;
  canUndo: boolean;
  /** Changes the grid as one step, or as a part of the step before. */
  change: (to: (grid: Grid) => Grid, isPart?: boolean) => void;
  undo: () => void;
}

const MOST_STEPS = 200;

export function usePainting(start: () => Grid): Painting {
  const [steps, setSteps] = useState<Grid[]>(() => [start()]);
  const grid = steps.at(-1) ?? [];
  const change = (to: (grid: Grid) => Grid, isPart = false) =>
    setSteps((old) => {
      const now = old.at(-1) ?? [];
      const next = to(now);
      if (next === now) return old;
      return isPart ? [...old.slice(0, -1), next] : [...old.slice(-MOST_STEPS), next];
    });
  const undo = () => setSteps((old) => (old.length > 1 ? old.slice(0, -1) : old));
  return { grid, canUndo: steps.length > 1, change, undo };
}

interface PainterProps {
  name: string;
  painting: Painting;
  /** Cells that differ are hatched. */
  expected?: Grid | null;
  /** Grids that the user may begin with. */
  copies: { label: string; grid: Grid }[];
}

const MOST_POINTS = 340;

export function Painter({ name, painting, expected, copies }: PainterProps) {
  const [colour, setColour] = useState(1);
  const [isFilling, setIsFilling] = useState(false);
  return (
    <div class="painter">
      <div class="colours" role="group" aria-label="Colour">
        {COLOUR_NAMES[palette.value].map((word, k) => (
          <Swatch key={k} colour={k} label={word} isPressed={k === colour} onPress={() => setColour(k)} />
        ))}
      </div>
      <div class="painter-tools">
        <button type="button" aria-pressed={isFilling} onClick={() => setIsFilling(!isFilling)}>
          Fill areas
        </button>
        <button type="button" disabled={!painting.canUndo} onClick={painting.undo}>
          Undo
        </button>
        {copies.map(({ label, grid }) => (
          <button key={label} type="button" onClick={() => painting.change(() => grid)}>
            {label}
          </button>
        ))}
        <Size painting={painting} />
      </div>
      <Canvas {...{ name, painting, colour, setColour, isFilling, setIsFilling }} expected={expected ?? null} />
    </div>
  );
}

function Size({ painting }: { painting: Painting }) {
  const [height, width] = [heightOf(painting.grid), widthOf(painting.grid)];
  const side = (label: string, value: number, to: (n: number) => Grid) => {
    const change = (text: string) => {
      const n = Number(text);
      if (Number.isInteger(n) && n >= 1 && n <= MOST_SIDE) painting.change(() => to(n));
    };
    return (
      <label class="side">
        {label}{" "}
        <input type="number" min={1} max={MOST_SIDE} value={value} onChange={(event) => change(event.currentTarget.value)} />
      </label>
    );
  };
  return (
    <>
      {side("Rows", height, (n) => resized(painting.grid, n, width))}
      {side("Columns", width, (n) => resized(painting.grid, height, n))}
    </>
  );
}

interface CanvasProps {
  name: string;
  painting: Painting;
  expected: Grid | null;
  colour: number;
  setColour: (colour: number) => void;
  isFilling: boolean;
  setIsFilling: (isFilling: boolean) => void;
}

function Canvas(props: CanvasProps) {
  const { name, painting, colour, expected } = props;
  const { grid } = painting;
  const [height, width] = [heightOf(grid), widthOf(grid)];
  const canvas = useRef<HTMLCanvasElement>(null);
  const [wanted, setSpot] = useState<Spot>({ row: 0, column: 0 });
  const spot = { row: Math.min(wanted.row, height - 1), column: Math.min(wanted.column, width - 1) };
  const look = { palette: palette.value, numbers: numbers.value === "on", expected, outlined: spot };
  useLayoutEffect(() => {
    const cell = cellFor(grid, MOST_POINTS, 32);
    const ctx = canvas.current && sized(canvas.current, width * cell, height * cell);
    if (ctx) draw(ctx, grid, { x: 0, y: 0, cell }, look);
  }, [grid, look.palette, look.numbers, expected, spot.row, spot.column]);
  /** Whether the stroke of the pointer has changed a cell, so that further cells belong to one step. */
  const hasBegun = useRef(false);
  const paint = (at: Spot, isPart: boolean, as = colour) => {
    const next = props.isFilling ? flooded(grid, at, as) : withCell(grid, at, as);
    if (next === grid) return;
    painting.change(() => next, isPart && hasBegun.current);
    hasBegun.current = true;
  };
  const onPointer = (event: PointerEvent, isPart: boolean) => {
    const at = spotUnder(event, grid);
    if (at === null) return;
    setSpot(at);
    paint(at, isPart);
  };
  const onDown = (event: PointerEvent & { currentTarget: HTMLCanvasElement }) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    hasBegun.current = false;
    onPointer(event, false);
  };
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 1 && !props.isFilling) onPointer(event, true);
  };
  const onKey = (event: KeyboardEvent) => {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key === "z";
    if ((event.ctrlKey || event.metaKey || event.altKey) && !isUndo) return;
    const next = stepped(spot, event.key, height, width);
    if (next !== null) {
      setSpot(next);
      if (event.shiftKey) paint(next, false);
    } else if (isUndo || event.key === "u") painting.undo();
    else if (/^[0-9]$/.test(event.key)) {
      props.setColour(Number(event.key));
      paint(spot, false, Number(event.key));
    } else if (event.key === " " || event.key === "Enter") paint(spot, false);
    else if (event.key === "f") painting.change((it) => flooded(it, spot, colour));
    else return;
    event.preventDefault();
  };
  const value = grid[spot.row]?.[spot.column] ?? 0;
  return (
    <>
      <canvas
        ref={canvas}
        class="grid paintable"
        tabIndex={0}
        role="application"
        aria-roledescription="grid to paint"
        aria-label={labelOf(name, grid, expected)}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onKeyDown={onKey}
      />
      <p class="soft hint">
        <span role="status">
          Row {spot.row + 1}, column {spot.column + 1}: {value} {COLOUR_NAMES[palette.value][value]}.
        </span>{" "}
        Arrows move, digits paint, space paints again, Shift with arrows draws, <kbd>f</kbd> fills, <kbd>u</kbd> undoes.
      </p>
    </>
  );
}
