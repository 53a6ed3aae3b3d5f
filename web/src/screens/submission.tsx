// A submission: its scores, what Kaggle would refuse, and the verdict on each task.

import { useRef } from "preact/hooks";
import { about, get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { addressWith, taskAddress } from "../parts/address.ts";
import { Facts, type Fact } from "../parts/facts.tsx";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { Prose } from "../parts/prose.tsx";
import { rowKeys } from "../parts/rows.ts";
import { counted, grouped } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { Submission, SubmissionTask } from "../types.ts";
import { AttemptMark, AttemptsView, RULES, Score, VERDICTS } from "./submission_parts.tsx";

const PER_PAGE = 50;
const LIST = "tasks";

export default function SubmissionScreen({ params }: { params: Record<string, string> }) {
  const id = params.id ?? "";
  const [set, verdict, from] = [queryWord("set"), queryWord("verdict"), Number(queryWord("from")) || 0];
  const query = { set, verdict, offset: from, limit: PER_PAGE };
  const key = `submission ${id} ${JSON.stringify(query)}`;
  const { data, error, reload } = useCall(key, (signal) => get<Submission>(`submissions/${part(id)}`, query, signal));
  // Another page or filter of the list takes the place of the old one when it is there.
  const before = useRef<{ id: string; data: Submission } | null>(null);
  if (data !== null) before.current = { id, data };
  const shown = error === null && before.current?.id === id ? before.current.data : data;
  return (
    <main class="submission">
      <p class="trail">
        <a href="/submission">Submissions</a>
      </p>
      <h1>{shown?.name ?? about.value?.files.find((file) => file.id === id)?.name ?? id}</h1>
      <Problem error={error} onRetry={reload} />
      {shown === null && error === null && <Waiting for="the submission" />}
      {shown !== null && (
        <>
          <Overview submission={shown} />
          <Problems submission={shown} />
          <Tasks id={id} submission={shown} isOld={data === null} />
        </>
      )}
    </main>
  );
}

function Overview({ submission }: { submission: Submission }) {
  const { scores } = submission;
  const sets = about.value?.sets ?? [];
  const facts: Fact[] = [
    ["Data set", sets.length > 1 ? <SetChoice chosen={submission.set} /> : (sets[0]?.title ?? submission.set)],
    ["Tasks answered", `${grouped(submission.answered)} of ${grouped(submission.set_tasks)}`],
  ];
  return (
    <>
      {"why_not" in scores ? (
        <p>
          There are no scores:{" "}
          <span class="soft">
            <Prose text={scores.why_not} />
          </span>
        </p>
      ) : (
        <dl class="scores">
          {RULES.map(([rule, name, title]) => (
            <div key={rule} title={title}>
              <dt>{name}</dt>
              <dd><Score scores={scores} rule={rule} /></dd>
            </div>
          ))}
        </dl>
      )}
      <Facts facts={facts} />
    </>
  );
}

function SetChoice({ chosen }: { chosen: string }) {
  return (
    <select aria-label="Data set" value={chosen} onChange={(event) => setQuery({ set: event.currentTarget.value, from: null, task: null })}>
      {about.value?.sets.map((set) => (
        <option key={set.id} value={set.id}>
          {set.title}
        </option>
      ))}
    </select>
  );
}

function Problems({ submission }: { submission: Submission }) {
  if (submission.problems === 0) {
    return (
      <p>
        <span class="mark good">
          <span aria-hidden="true">✓</span> complete
        </span>{" "}
        Kaggle would take this file for these tasks.
      </p>
    );
  }
  return (
    <details class="problems">
      <summary>
        <span class="mark bad">
          <span aria-hidden="true">!</span> {counted(submission.problems, "problem")}
        </span>{" "}
        Kaggle would refuse this file for these tasks.
      </summary>
      <ul>
        {submission.listed.map((problem) => (
          <li key={problem.text}>{problem.text}</li>
        ))}
        {submission.listed.length < submission.problems && <li class="soft">and {grouped(submission.problems - submission.listed.length)} more</li>}
      </ul>
    </details>
  );
}

const FILTERS = ["first", "second", "wrong", "missing", "unknown"] as const;

function Tasks({ id, submission, isOld }: { id: string; submission: Submission; isOld: boolean }) {
  const [wanted, task] = [queryWord("verdict"), queryWord("task")];
  const withTruth = queryWord("truth") !== "";
  useKeys([
    ...rowKeys("task"),
    { keys: ["d"], does: "Right outputs, with differences", run: () => setQuery({ truth: withTruth ? null : 1 }) },
  ]);
  return (
    <section aria-labelledby={LIST}>
      <h2 id={LIST}>Tasks</h2>
      <div class="bar">
        <select aria-label="Verdict" value={wanted} onChange={(event) => setQuery({ verdict: event.currentTarget.value, from: null })}>
          <option value="">any verdict</option>
          {FILTERS.map((name) => (
            <option key={name} value={name}>
              {VERDICTS[name].word}
            </option>
          ))}
        </select>
        <label>
          <input type="checkbox" checked={withTruth} onChange={() => setQuery({ truth: withTruth ? null : 1 })} /> Right outputs
        </label>
        <Pager total={submission.total} offset={submission.offset} limit={PER_PAGE} of="tasks" onGo={(from) => setQuery({ from: from || null })} />
      </div>
      {submission.total === 0 && <p class="soft">No task has this verdict.</p>}
      <ul class="task-verdicts" aria-busy={isOld}>
        {submission.tasks.map((row) => (
          <Row key={row.id} row={row} id={id} set={submission.set} isOpen={row.id === task} withTruth={withTruth} />
        ))}
      </ul>
    </section>
  );
}

function Row(props: { row: SubmissionTask; id: string; set: string; isOpen: boolean; withTruth: boolean }) {
  const { row, isOpen } = props;
  const marks = row.verdicts ?? Array.from({ length: row.tests }, () => null);
  return (
    <li>
      <p class="verdict-line">
        <a class="row" href={addressWith({ task: isOpen ? null : row.id })} aria-expanded={isOpen}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> <span class="id">{row.id}</span>
        </a>
        {!row.is_named && <span class="soft">not in the file</span>}
        {marks.map((verdict, k) => (
          <AttemptMark key={k} verdict={verdict} />
        ))}
      </p>
      {isOpen && (
        <div class="attempts">
          <AttemptsView submission={props.id} set={props.set} task={row.id} withTruth={props.withTruth} />
          <p>
            <a href={taskAddress(props.set, row.id)}>To the task</a>
          </p>
        </div>
      )}
    </li>
  );
}
