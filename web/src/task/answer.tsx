// An answer to a test input that the user draws. It is compared only when the user asks.

import { useEffect, useState } from "preact/hooks";
import { get, part } from "../api.ts";
import { countWrong, heightOf, isSameShape, widthOf } from "../grid/draw.ts";
import { blank } from "../grid/painting.ts";
import { Painter, usePainting } from "../parts/painter.tsx";
import { messageOf } from "../parts/problem.tsx";
import type { Grid, Task } from "../types.ts";

/** The likely size of an answer: that of the input if demonstrations keep it, else that of the first output. */
function likely(task: Task, input: Grid): Grid {
  const keepsSize = task.train.every((pair) => isSameShape(pair.input, pair.output));
  const like = keepsSize ? input : (task.train[0]?.output ?? input);
  return blank(heightOf(like), widthOf(like));
}

interface Checked {
  /** The drawing that was compared. */
  grid: Grid;
  right: Grid | null;
  words: string;
}

function compared(grid: Grid, right: Grid | null): Checked {
  if (right === null) return { grid, right, words: "The right output is not known." };
  if (!isSameShape(grid, right)) return { grid, right, words: "✗ Wrong: the size is another one." };
  const n = countWrong(grid, right);
  return { grid, right, words: n === 0 ? "✓ Right." : `✗ Wrong: ${n} ${n === 1 ? "cell differs" : "cells differ"}.` };
}

export function Answer({ task, test }: { task: Task; test: number }) {
  const input = task.test[test]?.input ?? [];
  const painting = usePainting(() => likely(task, input));
  const [checked, setChecked] = useState<Checked | null>(null);
  const { grid } = painting;
  useEffect(() => setChecked(null), [grid]);
  const check = async () => {
    try {
      const path = `sets/${part(task.set)}/tasks/${part(task.id)}/solutions`;
      const { outputs } = await get<{ outputs: (Grid | null)[] }>(path);
      setChecked(compared(grid, outputs[test] ?? null));
    } catch (error) {
      setChecked({ grid, right: null, words: messageOf(error) });
    }
  };
  const cleared = blank(heightOf(grid), widthOf(grid));
  const copies = [
    { label: "Copy the input", grid: input },
    { label: "Clear", grid: cleared },
  ];
  return (
    <div class="task-answer">
      <Painter name={`Test ${test + 1}, your answer`} painting={painting} expected={checked?.right ?? null} copies={copies} />
      <p class="painter-tools">
        <button type="button" class="primary" disabled={!task.has_solutions} onClick={() => void check()}>
          Check
        </button>
        <span role="status">{task.has_solutions ? checked?.words : "The right output is not known."}</span>
      </p>
    </div>
  );
}
