// Parts that the page of a submission and that of two share: verdicts, scores and attempts.

import { part, get } from "../api.ts";
import { useCall } from "../call.ts";
import { GridView } from "../grid/grid.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { percent } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import type { Attempted, Attempts, AttemptsAtTest, Grid, Scores } from "../types.ts";

export const VERDICTS: Record<Attempted | "unknown", { sign: string; word: string; tone: string }> = {
  first: { sign: "✓", word: "first attempt", tone: "good" },
  second: { sign: "✓", word: "second attempt", tone: "good" },
  wrong: { sign: "✗", word: "wrong", tone: "bad" },
  missing: { sign: "–", word: "missing", tone: "fair" },
  unknown: { sign: "?", word: "not known", tone: "plain" },
};

export function AttemptMark({ verdict }: { verdict: Attempted | null }) {
  const { sign, word, tone } = VERDICTS[verdict ?? "unknown"];
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

/** The three rules of scoring. */
export const RULES = [
  ["outputs", "Outputs right", "Each test output counts once: the rule of ARC Prize on Kaggle"],
  ["tasks", "Mean of tasks", "Each task counts once, with the share of its outputs that are right"],
  ["solved", "Tasks solved", "A task counts if all of its outputs are right"],
] as const;

export function Score({ scores, rule }: { scores: Scores; rule: (typeof RULES)[number][0] }) {
  if ("why_not" in scores) return <>–</>;
  const score = scores[rule];
  if (typeof score === "number") return <>{percent(score)}</>;
  return (
    <>
      {percent(score.share)}{" "}
      <span class="soft of">
        {grouped(score.right)} of {grouped(score.of)}
      </span>
    </>
  );
}

/** Two names for one submission, or one for each of two, make labels unique. */
interface AttemptsProps {
  submission: string;
  name?: string;
  set: string;
  task: string;
  withTruth: boolean;
  /** Only this test. */
  only?: number;
}

export function AttemptsView(props: AttemptsProps) {
  const { submission, set, task, withTruth } = props;
  const query = { set, ...(withTruth && { truth: 1 }) };
  const key = `attempts ${submission} ${set} ${task} ${withTruth}`;
  const { data, error, reload } = useCall(key, (signal) => get<Attempts>(`submissions/${part(submission)}/tasks/${part(task)}`, query, signal));
  if (error !== null) return <Problem error={error} onRetry={reload} />;
  if (data === null) return <Waiting for="the attempts" />;
  const tests = data.tests.map((test, k) => ({ test, k })).filter(({ k }) => props.only === undefined || k === props.only);
  return (
    <>
      {tests.length === 0 && <p class="soft">The task has no tests.</p>}
      {tests.map(({ test, k }) => (
        <Test key={k} test={test} name={props.name ? `${props.name}, test ${k + 1}` : `Test ${k + 1}`} withTruth={withTruth} />
      ))}
      {withTruth && !data.has_solutions && <p class="soft">The right outputs are not known.</p>}
    </>
  );
}

const MOST = 200;

function Test({ test, name, withTruth }: { test: AttemptsAtTest; name: string; withTruth: boolean }) {
  const [first, second] = test.attempts;
  const isRepeated = first != null && second != null && JSON.stringify(first) === JSON.stringify(second);
  const truth = withTruth ? test.output : null;
  return (
    <div class="test">
      <h3>
        {name} {test.verdict !== null && <AttemptMark verdict={test.verdict} />}
      </h3>
      <div class="grids">
        <Shown name={`${name}, input`} title="Input" grid={test.input} />
        <Shown name={`${name}, first attempt`} title="First attempt" grid={first ?? null} expected={truth} />
        {isRepeated ? (
          <p class="soft none">The second attempt equals the first.</p>
        ) : (
          <Shown name={`${name}, second attempt`} title="Second attempt" grid={second ?? null} expected={truth} />
        )}
        {truth !== null && <Shown name={`${name}, right output`} title="Right output" grid={truth} />}
      </div>
    </div>
  );
}

const sizeOf = (grid: Grid): string => `${grid.length} × ${grid[0]?.length ?? 0}`;

/** How a grid differs from the right one, in words. */
function difference(grid: Grid, expected: Grid): string {
  if (sizeOf(grid) !== sizeOf(expected)) return `other size than ${sizeOf(expected)}`;
  const n = grid.flatMap((cells, row) => cells.filter((cell, column) => cell !== expected[row]?.[column])).length;
  return n === 0 ? "all cells right" : `${counted(n, "cell")} wrong`;
}

function Shown(props: { name: string; title: string; grid: Grid | null; expected?: Grid | null }) {
  const { grid, expected } = props;
  return (
    <figure class="shown">
      <figcaption>
        {props.title}
        {grid !== null && <span class="soft"> {sizeOf(grid)}</span>}
        {grid !== null && expected != null && <span class="soft">, {difference(grid, expected)}</span>}
      </figcaption>
      {grid === null ? <p class="soft none">No attempt</p> : <GridView grid={grid} name={props.name} most={MOST} expected={expected ?? null} />}
    </figure>
  );
}
