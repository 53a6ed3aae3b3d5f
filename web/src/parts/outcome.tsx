// The outcome of a program on a pair: its grid, or why there is none.

import { GridView } from "../grid/grid.tsx";
import type { Grid, Outcome } from "../types.ts";

interface OutcomeProps {
  outcome: Outcome;
  name: string;
  most: number;
  /** Cells that differ are hatched. */
  expected?: Grid | null | undefined;
  onLine?: ((line: number) => void) | undefined;
}

export function OutcomeView({ outcome, name, most, expected, onLine }: OutcomeProps) {
  if (outcome.grid) return <GridView grid={outcome.grid} name={name} most={most} expected={expected} />;
  if (outcome.error === undefined) return <p class="no-grid">{`no grid: ${outcome.value}`}</p>;
  const { line } = outcome;
  const place = typeof line === "number" && (onLine ? <button type="button" class="wordy" onClick={() => onLine(line)}>line {line}</button> : `line ${line}`);
  return (
    <p class="no-grid">
      <span>
        {outcome.error}
        {place && <> in {place}</>}
      </span>
    </p>
  );
}
