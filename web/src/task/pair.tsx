// A pair of a task: its grids side by side, with the cell under the pointer outlined in all of them.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { download } from "../download.ts";
import { cellFor, heightOf, widthOf, type Spot } from "../grid/draw.ts";
import { GridView } from "../grid/grid.tsx";
import { COLOUR_NAMES } from "../grid/palette.ts";
import { gridAsPng } from "../grid/texts.ts";
import { VerdictMark } from "../parts/badge.tsx";
import { OutcomeView } from "../parts/outcome.tsx";
import { palette } from "../settings.ts";
import type { Grid, Sample } from "../types.ts";

interface PairProps {
  task: string;
  /** "Train 1", for example. */
  name: string;
  input: Grid;
  output: Grid | null;
  /** Stands in place of an output that is not there. */
  missing: string;
  /** The chosen program's result on this pair. */
  sample: Sample | null;
  showsDifference: boolean;
  children?: ComponentChildren;
}

/** Points of a phone's width for three grids beside each other. */
const MOST_OF_PHONE = 280;
const WIDTH_OF_WORDS = 96;

/** The cell under the pointer, in words. */
const pointed = signal("");

export function PointedLine() {
  return (
    <p class={pointed.value ? "task-pointed filled" : "task-pointed"} role="status">
      {pointed.value || <span class="soft">Point at a cell, or choose one with arrows in a focused grid.</span>}
    </p>
  );
}

function inWords(name: string, spot: Spot, grids: [string, Grid | null | undefined][]): string {
  const cell = ([word, grid]: [string, Grid | null | undefined]) => {
    const colour = grid?.[spot.row]?.[spot.column];
    return colour === undefined ? null : `${word} ${colour} ${COLOUR_NAMES[palette.value][colour]}`;
  };
  const cells = grids.map(cell).filter((it) => it !== null);
  return `${name}, row ${spot.row + 1}, column ${spot.column + 1}: ${cells.join(", ")}`;
}

const sizeOf = (grid: Grid): string => `${heightOf(grid)} × ${widthOf(grid)}`;

export function PairCard({ task, name, input, output, missing, sample, showsDifference, children }: PairProps) {
  const [spot, setSpot] = useState<Spot | null>(null);
  const title = useId();
  const given = sample?.outcome.grid;
  const onHover = (at: Spot | null) => {
    setSpot(at);
    pointed.value = at === null ? "" : inWords(name, at, [["input", input], ["output", output], ["program", given]]);
  };
  const most = sample ? 208 : 164;
  const widths = [input, output, given].map((grid) => (grid ? cellFor(grid, most) * widthOf(grid) : WIDTH_OF_WORDS));
  const isNarrow = widths.reduce((sum, width) => sum + width, 0) <= MOST_OF_PHONE;
  const figure = (word: string, grid: Grid, expected: Grid | null = null) => (
    <figure>
      <GridView grid={grid} name={`${name}, ${word}`} most={most} expected={expected} outlined={spot} onHover={onHover} />
      <figcaption>
        {word} <PngButton grid={grid} name={`${task} ${name} ${word}`} />
      </figcaption>
    </figure>
  );
  return (
    <section class="task-pair" aria-labelledby={title}>
      <h3 id={title}>
        {name}
        <span class="soft">
          {sizeOf(input)}
          {output && sizeOf(output) !== sizeOf(input) ? ` → ${sizeOf(output)}` : ""}
        </span>
        {sample && <VerdictMark verdict={sample.verdict} credit={sample.credit} />}
      </h3>
      <div class={sample && !isNarrow ? "task-grids three" : "task-grids"}>
        {figure("input", input)}
        <span class="task-arrow" aria-hidden="true">
          →
        </span>
        {output ? figure("output", output) : <p class="no-grid">{missing}</p>}
        {sample &&
          (given ? (
            figure("program", given, showsDifference ? output : null)
          ) : (
            <figure>
              <OutcomeView outcome={sample.outcome} name={`${name}, program`} most={most} />
              <figcaption>program</figcaption>
            </figure>
          ))}
      </div>
      {children}
    </section>
  );
}

function PngButton({ grid, name }: { grid: Grid; name: string }) {
  const save = async () => {
    const blob = await gridAsPng(grid);
    if (blob) download(`${name.toLowerCase().replaceAll(/\W+/g, "-")}.png`, blob);
  };
  return (
    <button type="button" class="wordy" aria-label={`Download ${name} as PNG`} onClick={() => void save()}>
      PNG
    </button>
  );
}
