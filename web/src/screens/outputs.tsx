// Outputs of one or two programs on the demonstrations of a task.

import { GridView } from "../grid/grid.tsx";
import { addressWith } from "../parts/address.ts";
import { VerdictMark } from "../parts/badge.tsx";
import { isNarrow } from "../parts/narrow.ts";
import type { Pair, Sample } from "../types.ts";
import type { Compared, OnTask } from "./compared.ts";

interface OutputProps {
  sample: Sample | undefined;
  role: string;
  pair: Pair;
  most: number;
}

function Output({ sample, role, pair, most }: OutputProps) {
  if (sample === undefined) return null;
  const { grid, error, line, value } = sample.outcome;
  return (
    <figure>
      <figcaption>
        {role} <VerdictMark verdict={sample.verdict} credit={sample.credit} />
      </figcaption>
      {grid && <GridView grid={grid} name={`${sample.name}, ${role}`} expected={pair.output} most={most} />}
      {error && (
        <p>
          <code>{error}</code>
          {typeof line === "number" ? ` in line ${line}` : ""}
        </p>
      )}
      {value && <code class="value">{value}</code>}
    </figure>
  );
}

/** Links between the tasks whose outputs can be shown. */
function TaskChoice({ tasks, now }: { tasks: OnTask[]; now: OnTask }) {
  if (tasks.length < 2) return <span class="id">{now.task}</span>;
  return (
    <>
      {tasks.map(({ task }, k) => (
        <a key={task} class="button id" href={addressWith({ task: k === 0 ? null : task })} aria-current={task === now.task ? "true" : undefined}>
          {task}
        </a>
      ))}
    </>
  );
}

interface OutputsProps {
  data: Compared;
  on: OnTask;
  roles: [string, string];
}

export function Outputs({ data, on, roles }: OutputsProps) {
  const most = isNarrow.value ? 160 : 150;
  const row = (pair: Pair, k: number) => (
    <li key={k}>
      <h4>Train {k + 1}</h4>
      <div class="outputs">
        <figure>
          <figcaption>Input</figcaption>
          <GridView grid={pair.input} name={`train ${k + 1}, input`} most={most} />
        </figure>
        <figure>
          <figcaption>Expected</figcaption>
          <GridView grid={pair.output} name={`train ${k + 1}, expected`} most={most} />
        </figure>
        {data.before && <Output sample={data.before.samples[k]} role={roles[0]} pair={pair} most={most} />}
        <Output sample={data.after.samples[k]} role={roles[1]} pair={pair} most={most} />
      </div>
    </li>
  );
  return (
    <section aria-label="Outputs">
      <h3 class="choices">
        On the demonstrations of <TaskChoice tasks={data.tasks} now={on} />
      </h3>
      <ol class="pairs">{data.pairs.map(row)}</ol>
    </section>
  );
}
