// All pairs of the task with the program's output, beside the expected one.

import type { VNode } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { GridView } from "../grid/grid.tsx";
import { VerdictMark } from "../parts/badge.tsx";
import { OutcomeView } from "../parts/outcome.tsx";
import { setQuery } from "../router.ts";
import type { Grid, Sample } from "../types.ts";
import type { Session } from "./session.ts";
import { goToLine } from "./view.ts";

interface PairProps {
  session: Session;
  number: number;
  name: string;
  input: Grid;
  expected: Grid | null;
  sample: Sample | null;
  isChosen: boolean;
}

const MOST = 150;

export const pairNames = (nTrain: number, nTest: number): string[] => [
  ...Array.from({ length: nTrain }, (_, k) => `Train ${k + 1}`),
  ...Array.from({ length: nTest }, (_, k) => `Test ${k + 1}`),
];

function Figure(props: { word: string; children: VNode }) {
  return (
    <figure>
      {props.children}
      <figcaption>{props.word}</figcaption>
    </figure>
  );
}

function PairRow({ session, number, name, input, expected, sample, isChosen }: PairProps) {
  const onLine = (line: number) => session.view && goToLine(session.view, line);
  const choose = () => setQuery({ pair: number === 0 ? null : number + 1 });
  return (
    <section class={isChosen ? "ed-pair chosen" : "ed-pair"} aria-label={name}>
      <header>
        <button type="button" aria-pressed={isChosen} title="Show the values of lines on this pair" onClick={choose}>
          {name}
        </button>
        {sample && <VerdictMark verdict={sample.verdict} credit={sample.credit} />}
        {sample && <span class="soft fuel">{sample.fuel.toLocaleString("en")} fuel</span>}
        <button type="button" class="wordy" onClick={() => session.openTool({ is: "painter", pair: number })}>
          <span>
            Correct<span class="wide"> by hand</span>
            <span class="hidden">: {name}</span>
          </span>
        </button>
      </header>
      <div class="ed-grids">
        <Figure word="input">
          <GridView grid={input} name={`${name}, input`} most={MOST} />
        </Figure>
        <Figure word="output">
          {sample ? (
            <OutcomeView outcome={sample.outcome} name={`${name}, output`} most={MOST} expected={expected} onLine={onLine} />
          ) : (
            <p class="no-grid">no output</p>
          )}
        </Figure>
        <Figure word="expected">
          {expected ? <GridView grid={expected} name={`${name}, expected`} most={MOST} /> : <p class="no-grid">hidden</p>}
        </Figure>
      </div>
    </section>
  );
}

interface PairsProps {
  session: Session;
  /** The outputs of tests, as far as the user wants to see them. */
  solutions: (Grid | null)[];
  chosen: number;
}

export function Pairs({ session, solutions, chosen }: PairsProps) {
  const { train, test } = session.task;
  const turn = session.turn.value;
  const samples = session.evaluation.value?.samples ?? [];
  useLayoutEffect(() => session.drawn(), [turn]);
  const names = pairNames(train.length, test.length);
  const pairs = [...train, ...test.map(({ input }, k) => ({ input, output: solutions[k] ?? null }))];
  const isOld = !session.isReadable.value;
  return (
    <div class={isOld ? "ed-pairs old" : "ed-pairs"}>
      {pairs.map(({ input, output }, k) => (
        <Kept
          key={k}
          session={session}
          number={k}
          name={names[k] ?? ""}
          input={input}
          expected={output}
          sample={samples[k] ?? null}
          isChosen={k === chosen}
        />
      ))}
    </div>
  );
}

/** A row that is drawn again only if something of it changes. */
function Kept(props: PairProps) {
  const { session, input, expected, sample, isChosen } = props;
  return useMemo(() => <PairRow {...props} />, [session, input, expected, sample, isChosen]);
}

const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;

/** The verdict on all demonstrations, in words. */
export function Summary({ session }: { session: Session }) {
  const { words, tone } = inWords(session);
  return (
    <p class={`ed-summary ${tone}`} role="status">
      {words}
      {session.progress.value === "further" && <span class="soft"> It needs more fuel and goes on …</span>}
    </p>
  );
}

function inWords(session: Session): { words: string; tone: string } {
  const evaluation = session.evaluation.value;
  const preview = session.preview.value;
  if (!session.isReadable.value) {
    const error = session.findings.value.find((finding) => finding.severity === "error");
    return { words: error && !preview ? `! Line ${error.line} has an error` : "! The text cannot be read", tone: "bad" };
  }
  if (evaluation === null) return { words: "Running …", tone: "" };
  const before = preview ? `${preview.change} ` : "";
  const demos = evaluation.samples.filter((sample) => sample.is_demo);
  const right = demos.filter((sample) => sample.verdict === "right").length;
  const all = counted(demos.length, "demonstration");
  if (evaluation.fits) return { words: `✓ ${before}fits ${demos.length === 1 ? "the one demonstration" : `all ${all}`}`, tone: "good" };
  return { words: `✗ ${before}fits ${right} of ${all}, ${Math.round(evaluation.credit ?? 0)} % credit`, tone: "" };
}
