// Beside each line its value for the chosen pair, as small pictures and words. Only lines in view are drawn.

import { RangeSet, RangeSetBuilder, StateEffect, StateField, type Extension, type Text } from "@codemirror/state";
import { EditorView, gutter, GutterMarker } from "@codemirror/view";
import { draw, heightOf, widthOf } from "../grid/draw.ts";
import type { PaletteName } from "../settings.ts";
import type { LineValue, Picture } from "../types.ts";

/** The longest side of a small picture, in points. */
const SIDE = 32;
const MOST_PICTURES = 6;

class ValueMarker extends GutterMarker {
  constructor(
    readonly values: LineValue[],
    readonly palette: PaletteName,
  ) {
    super();
  }

  override eq(other: ValueMarker): boolean {
    const isEqual = this.values.length === other.values.length && this.values.every((value, k) => value === other.values[k]);
    return isEqual && this.palette === other.palette;
  }

  override toDOM(): HTMLElement {
    const whole = document.createElement("div");
    whole.className = "line-value";
    // A line with calls in calls has several values; the last one is its own.
    const last = this.values.at(-1);
    if (last === undefined) return whole;
    whole.title = last.words;
    for (const picture of last.pictures.slice(0, MOST_PICTURES)) whole.append(smallCanvas(picture, this.palette));
    const words = document.createElement("span");
    words.textContent = last.fault === null ? inShort(last.words) : `! ${last.fault}`;
    if (last.fault !== null) words.className = "fault";
    whole.append(words);
    return whole;
  }
}

/** The words of a value with a word in place of each whole grid. */
export const inShort = (words: string): string => words.replaceAll(/\(\((?:\d+, ){2,}.*?(?:\)\)|…|$)/g, "a grid");

function smallCanvas(picture: Picture, palette: PaletteName): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const density = devicePixelRatio || 1;
  const longest = Math.max(heightOf(picture), widthOf(picture), 1);
  // A whole number of the screen's own points, so that cells have sharp edges.
  const cell = Math.max(1, Math.min(8 * density, Math.floor((SIDE * density) / longest))) / density;
  const [width, height] = [widthOf(picture) * cell, heightOf(picture) * cell];
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  // Pictures of more cells than points are shrunk.
  const scale = Math.min(1, SIDE / Math.max(width, height));
  canvas.style.width = `${width * scale}px`;
  canvas.style.height = `${height * scale}px`;
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(density, 0, 0, density, 0, 0);
  if (ctx) draw(ctx, picture, { x: 0, y: 0, cell }, { palette, numbers: false });
  return canvas;
}

type Markers = RangeSet<ValueMarker>;

const setMarkers = StateEffect.define<Markers>();

const field = StateField.define<Markers>({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    let now = markers.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarkers)) now = effect.value;
    }
    return now;
  },
});

/** The effect that puts values beside their lines. */
export function showValues(doc: Text, values: LineValue[], palette: PaletteName): StateEffect<Markers> {
  const byLine = new Map<number, LineValue[]>();
  for (const value of values) byLine.set(value.line, [...(byLine.get(value.line) ?? []), value]);
  const builder = new RangeSetBuilder<ValueMarker>();
  for (const [line, found] of [...byLine].sort(([a], [b]) => a - b)) {
    if (line < 1 || line > doc.lines) continue;
    const { from } = doc.line(line);
    builder.add(from, from, new ValueMarker(found, palette));
  }
  return setMarkers.of(builder.finish());
}

/** Goes to the line whose value is pressed. */
function choose(view: EditorView, line: { from: number }, event: Event): boolean {
  event.preventDefault();
  view.dispatch({ selection: { anchor: view.state.doc.lineAt(line.from).to } });
  view.focus();
  return true;
}

export const valueGutter: Extension = [
  field,
  gutter({ class: "values", side: "after", markers: (view) => view.state.field(field), domEventHandlers: { mousedown: choose } }),
];
