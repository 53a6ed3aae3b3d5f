// The first pair of a task as one small canvas. Only canvases near the window are drawn.

import { useLayoutEffect, useRef } from "preact/hooks";
import { cellFor, draw, heightOf, isSameShape, sized, widthOf, type Look } from "../grid/draw.ts";
import type { Thumb } from "../grid/thumbs.ts";
import { palette, type PaletteName } from "../settings.ts";
import type { Grid } from "../types.ts";

const SIDE = 72;
const GAP = 12;

interface ThumbProps {
  first: Thumb;
  predicted: Thumb | null;
}

const undrawn = new WeakMap<Element, () => void>();

/** Draws canvases that come near, all of one frame in one pass. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      undrawn.get(entry.target)?.();
      undrawn.delete(entry.target);
      observer.unobserve(entry.target);
    }
    document.dispatchEvent(new Event("thumbs-drawn"));
  },
  { rootMargin: "400px" },
);

function drawCentred(ctx: CanvasRenderingContext2D, grid: Grid | null, left: number, look: Look): void {
  if (grid === null) return;
  const cell = cellFor(grid, SIDE, 12);
  const [width, height] = [widthOf(grid) * cell, heightOf(grid) * cell];
  draw(ctx, grid, { x: left + Math.floor((SIDE - width) / 2), y: Math.floor((SIDE - height) / 2), cell }, look);
}

function drawThumb(canvas: HTMLCanvasElement, { first, predicted }: ThumbProps, name: PaletteName): void {
  const ctx = sized(canvas, 2 * SIDE + GAP, SIDE);
  if (ctx === null) return;
  const look = { palette: name, numbers: false };
  const [expected, guess] = [first.output, predicted?.output];
  const isComparable = guess && expected && isSameShape(guess, expected);
  drawCentred(ctx, first.input, 0, look);
  drawCentred(ctx, predicted ? (guess ?? null) : expected, SIDE + GAP, { ...look, expected: isComparable ? expected : null });
  ctx.fillStyle = "#8d939c";
  ctx.fillRect(SIDE + 3, SIDE / 2, GAP - 6, 1);
}

export function ThumbCanvas(props: ThumbProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const name = palette.value;
  useLayoutEffect(() => {
    const own = canvas.current;
    if (own === null) return;
    undrawn.set(own, () => drawThumb(own, props, name));
    observer.observe(own);
    return () => observer.unobserve(own);
  }, [props.first, props.predicted, name]);
  return <canvas ref={canvas} class="thumb" aria-hidden="true" width={2 * SIDE + GAP} height={SIDE} />;
}
