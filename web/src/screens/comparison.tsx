// Two programs side by side: their lines, and their outputs on the demonstrations of a task.

import { useCall } from "../call.ts";
import { addressWith, programAddress } from "../parts/address.ts";
import { changesIn } from "../parts/change.ts";
import { useKept } from "../parts/kept.ts";
import { marksOf } from "../parts/line_marks.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ProgramText, type Mark } from "../parts/program_text.tsx";
import { ScoreMark } from "../parts/score.tsx";
import { queryWord } from "../router.ts";
import type { Lineage, Relative } from "../types.ts";
import { compared, type OnTask, type Side } from "./compared.ts";
import { Outputs } from "./outputs.tsx";

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

/** The two programs of a comparison. */
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
  const call = useCall(key, (signal) => compared({ before, after, own, task }, signal));
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
