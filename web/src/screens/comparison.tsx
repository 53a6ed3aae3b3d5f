// Two programs side by side: their lines, and their outputs on the demonstrations of a task.

import { get, part, post } from "../api.ts";
import { useCall } from "../call.ts";
import { GridView } from "../grid/grid.tsx";
import { addressWith, programAddress } from "../parts/address.ts";
import { VerdictMark } from "../parts/badge.tsx";
import { changesIn } from "../parts/change.ts";
import { useKept } from "../parts/kept.ts";
import { isNarrow } from "../parts/narrow.ts";
import { marksOf } from "../parts/line_marks.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ProgramText, type Mark } from "../parts/program_text.tsx";
import { ScoreMark } from "../parts/score.tsx";
import type { Evaluation, JudgedProgram, Lineage, Pair, ProgramPage, Relative, Sample, Task } from "../types.ts";

/** A program with its results on the demonstrations. */
interface Side {
  program: ProgramPage;
  samples: Sample[];
}

interface Data {
  before: Side | null;
  after: Side;
  pairs: Pair[];
}

type OnTask = Pick<JudgedProgram, "set" | "task"> | null;

async function sideOf(hash: string, on: OnTask, signal: AbortSignal): Promise<Side> {
  const program = await get<ProgramPage>(`programs/${part(hash)}`, {}, signal);
  if (on === null) return { program, samples: [] };
  const body = { text: program.text, dialect: program.dialect, set: on.set, task: on.task };
  const { samples } = await post<Evaluation>("eval", body, signal);
  return { program, samples: samples.filter((it) => it.is_demo) };
}

async function loaded(before: string | null, after: string, on: OnTask, signal: AbortSignal): Promise<Data> {
  const [first, second, task] = await Promise.all([
    before === null ? null : sideOf(before, on, signal),
    sideOf(after, on, signal),
    on && get<Task>(`sets/${part(on.set)}/tasks/${part(on.task)}`, {}, signal),
  ]);
  return { before: first, after: second, pairs: task?.train ?? [] };
}

function Changes({ mutation }: { mutation: string }) {
  const changes = changesIn(mutation);
  if (changes.length === 0) return null;
  return (
    <ul class="changes" aria-label="Changes">
      {changes.map(({ kind, where, what }, k) => (
        <li key={k}>
          <span class="mark">{kind}</span> {where && <span class="soft">{where}: </span>}
          <code>{what}</code>
        </li>
      ))}
    </ul>
  );
}

function SideText({ side, role, marks }: { side: Side; role: string; marks: ReadonlyMap<number, Mark> | undefined }) {
  const { program } = side;
  return (
    <section aria-label={role}>
      <p class="side-head">
        <span class="soft">{role}</span>
        <a class="id" href={programAddress(program.hash)}>
          {program.name}
        </a>
        <ScoreMark fits={program.fits} credit={program.credit} />
      </p>
      <ProgramText text={program.text} name={`${role}: ${program.name}`} {...(marks ? { marks } : {})} />
    </section>
  );
}

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

function Outputs({ data, roles, task, isAlone }: { data: Data; roles: [string, string]; task: string; isAlone: boolean }) {
  const most = isNarrow.value ? 160 : 150;
  const row = (pair: Pair, k: number) => (
    <li key={k}>
      <h4>Train {k + 1}</h4>
      <div class={`outputs ${data.before ? "two" : ""}`}>
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
      <h3 class={isAlone ? "hidden" : undefined}>
        Outputs on the demonstrations of <span class="id">{task}</span>
      </h3>
      <ol class="pairs">{data.pairs.map(row)}</ol>
    </section>
  );
}

/** What a chosen program is compared with. */
interface Subject {
  before: string | null;
  after: string;
  roles: [string, string];
  mutation: string;
  isParentMissing: boolean;
}

function subjectOf(lineage: Lineage, picked: string, isAgainstPage: boolean): Subject {
  const relative = lineage.nodes.find((it) => it.hash === picked);
  if (isAgainstPage) {
    const isAncestor = (relative?.layer ?? 0) < 0;
    const [before, after] = isAncestor ? [picked, lineage.hash] : [lineage.hash, picked];
    return { before, after, roles: isAncestor ? ["Chosen", "This"] : ["This", "Chosen"], mutation: "", isParentMissing: false };
  }
  const parent = lineage.nodes.find((it) => it.hash === lineage.edges.find((edge) => edge.to === picked)?.from);
  const before = parent && !parent.is_missing ? parent.hash : null;
  const child = picked === lineage.hash ? "This" : "Child";
  return { before, after: picked, roles: ["Parent", child], mutation: relative?.mutation ?? "", isParentMissing: parent?.is_missing ?? false };
}

/** Links between the two things to compare with. */
function Against({ lineage, picked, isAgainstPage }: { lineage: Lineage; picked: Relative; isAgainstPage: boolean }) {
  const parent = lineage.edges.find((it) => it.to === picked.hash)?.from;
  if (picked.hash === lineage.hash || parent === lineage.hash || parent === undefined) return null;
  const link = (word: string, against: string | null, isNow: boolean) => (
    <a class="button" href={addressWith({ against })} aria-current={isNow ? "true" : undefined}>
      {word}
    </a>
  );
  return (
    <nav class="against" aria-label="Compare with">
      <span class="soft">Compare with</span>
      {link("its parent", null, !isAgainstPage)}
      {link("this page’s program", "page", isAgainstPage)}
    </nav>
  );
}

interface ComparisonProps {
  lineage: Lineage;
  picked: string;
  isAgainstPage: boolean;
  on: OnTask;
}

export function Comparison({ lineage, picked, isAgainstPage, on }: ComparisonProps) {
  const relative = lineage.nodes.find((it) => it.hash === picked);
  const isMissing = relative?.is_missing ?? false;
  const subject = subjectOf(lineage, picked, isAgainstPage);
  const { before, after, roles } = subject;
  const key = isMissing ? null : [before, after, on?.set, on?.task].join(" ");
  const call = useCall(key, (signal) => loaded(before, after, on, signal));
  const { data, isOld } = useKept(call);
  if (relative === undefined) return <p class="soft">The chosen program is not in this lineage.</p>;
  if (isMissing) return <p>The store no longer has this ancestor, so there is nothing to compare.</p>;
  // The page shows the text of its own program already.
  const isAlone = before === null && picked === lineage.hash;
  const marks = data && (data.before ? marksOf(data.before.program.text, data.after.program.text) : null);
  return (
    <>
      <Against lineage={lineage} picked={relative} isAgainstPage={isAgainstPage} />
      {subject.isParentMissing && <p>The store no longer has its parent.</p>}
      <Changes mutation={subject.mutation} />
      <Problem error={call.error} onRetry={call.reload} />
      {data === null && call.error === null && <Waiting for="both programs" />}
      {data && (
        <div class="comparison" aria-busy={isOld}>
          {!isAlone && (
            <div class="texts">
              {data.before && marks && <SideText side={data.before} role={roles[0]} marks={marks.old} />}
              <SideText side={data.after} role={roles[1]} marks={marks?.now} />
            </div>
          )}
          {on && <Outputs data={data} roles={roles} task={on.task} isAlone={isAlone} />}
          {!on && <p class="soft">No open data set has the task of this program, so there are no outputs to show.</p>}
        </div>
      )}
    </>
  );
}
