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
import { queryWord } from "../router.ts";
import type { Evaluation, JudgedProgram, Lineage, Pair, ProgramPage, Relative, Sample, Task } from "../types.ts";

/** A program with its results on the demonstrations. */
interface Side {
  program: ProgramPage;
  samples: Sample[];
}

type OnTask = Pick<JudgedProgram, "set" | "task">;

interface Data {
  before: Side | null;
  after: Side;
  /** The task of the outputs. */
  on: OnTask | null;
  /** All tasks whose outputs can be shown: those of the page and of both programs. */
  tasks: OnTask[];
  pairs: Pair[];
}

/** What to load. */
interface Wanted {
  before: string | null;
  after: string;
  /** The task of the page. */
  own: OnTask | null;
  /** The task that the user chose, or nothing. */
  task: string;
}

const programOf = (hash: string, signal: AbortSignal) => get<ProgramPage>(`programs/${part(hash)}`, {}, signal);

async function sideOf(program: ProgramPage, on: OnTask | null, signal: AbortSignal): Promise<Side> {
  if (on === null) return { program, samples: [] };
  const body = { text: program.text, dialect: program.dialect, set: on.set, task: on.task };
  const { samples } = await post<Evaluation>("eval", body, signal);
  return { program, samples: samples.filter((it) => it.is_demo) };
}

function tasksOf(own: OnTask | null, ...programs: (ProgramPage | null)[]): OnTask[] {
  const all = [own, ...programs.map((it) => it?.judged ?? null)].filter((it) => it !== null);
  return all.filter((it, k) => all.findIndex((other) => other.task === it.task) === k);
}

async function loaded(wanted: Wanted, signal: AbortSignal): Promise<Data> {
  const { before, after, own } = wanted;
  const [first, second] = await Promise.all([before === null ? null : programOf(before, signal), programOf(after, signal)]);
  const tasks = tasksOf(own, second, first);
  const on = tasks.find((it) => it.task === wanted.task) ?? tasks[0] ?? null;
  const [oldSide, newSide, task] = await Promise.all([
    first && sideOf(first, on, signal),
    sideOf(second, on, signal),
    on && get<Task>(`sets/${part(on.set)}/tasks/${part(on.task)}`, {}, signal),
  ]);
  return { before: oldSide, after: newSide, on, tasks, pairs: task?.train ?? [] };
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

interface SideTextProps {
  side: Side;
  role: string;
  /** The task of the outputs; scores on others name theirs. */
  task: string | undefined;
  marks: ReadonlyMap<number, Mark> | undefined;
}

function SideText({ side, role, task, marks }: SideTextProps) {
  const { program } = side;
  return (
    <section aria-label={role}>
      <p class="side-head">
        <span class="soft">{role}</span>
        <a class="id" href={programAddress(program.hash)}>
          {program.name}
        </a>
        <ScoreMark fits={program.fits} credit={program.credit} />
        {program.task !== null && program.task !== task && (
          <span class="soft">
            on <span class="id">{program.task}</span>
          </span>
        )}
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
  data: Data;
  on: OnTask;
  roles: [string, string];
}

function Outputs({ data, on, roles }: OutputsProps) {
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
        Outputs on the demonstrations of <TaskChoice tasks={data.tasks} now={on} />
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
  if (isAgainstPage && picked !== lineage.hash) {
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
  if (picked.hash === lineage.hash || parent === lineage.hash) return null;
  const link = (word: string, against: string | null, isNow: boolean) => (
    <a class="button" href={addressWith({ against })} aria-current={isNow ? "true" : undefined}>
      {word}
    </a>
  );
  return (
    <nav class="choices" aria-label="Compare with">
      <span class="soft">Compare with</span>
      {link(parent === undefined ? "nothing" : "its parent", null, !isAgainstPage)}
      {link("this page’s program", "page", isAgainstPage)}
    </nav>
  );
}

interface ComparisonProps {
  lineage: Lineage;
  picked: string;
  isAgainstPage: boolean;
  /** The task of the page. */
  own: OnTask | null;
}

export function Comparison({ lineage, picked, isAgainstPage, own }: ComparisonProps) {
  const relative = lineage.nodes.find((it) => it.hash === picked);
  const isMissing = relative?.is_missing ?? false;
  const subject = subjectOf(lineage, picked, isAgainstPage);
  const { before, after, roles } = subject;
  const task = queryWord("task");
  const key = isMissing ? null : [before, after, own?.set, own?.task, task].join(" ");
  const call = useCall(key, (signal) => loaded({ before, after, own, task }, signal));
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
              {data.before && marks && <SideText side={data.before} role={roles[0]} task={data.on?.task} marks={marks.old} />}
              <SideText side={data.after} role={roles[1]} task={data.on?.task} marks={marks?.now} />
            </div>
          )}
          {data.on && <Outputs data={data} on={data.on} roles={roles} />}
          {!data.on && <p class="soft">No open data set has the task of this program, so there are no outputs to show.</p>}
        </div>
      )}
    </>
  );
}
