// The runs that began here, a form to start one, two runs compared, and reports of files.

import { useState } from "preact/hooks";
import { about, get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { moment, seconds } from "../parts/times.ts";
import { grouped } from "../parts/words.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { rowKeys } from "../parts/rows.ts";
import { queryWord, setQuery } from "../router.ts";
import type { RunLine } from "../types.ts";
import { ReportView } from "./report.tsx";
import { Done, optionWords, setTitle, StateMark } from "./run_parts.tsx";
import { usePulse } from "./run_pulse.ts";
import { Compare } from "./runs_compare.tsx";
import { RunForm } from "./runs_form.tsx";

const MOST_COMPARED = 2;

const chosenRuns = (): string[] => queryWord("compare").split(",").filter((it) => it !== "");

function toggle(id: string): void {
  const chosen = chosenRuns();
  const next = chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id].slice(-MOST_COMPARED);
  setQuery({ compare: next.join(",") });
}

export default function Runs() {
  const { data, error, reload } = useCall("runs", (signal) => get<{ runs: RunLine[] }>("runs", {}, signal));
  usePulse(data?.runs.some((run) => run.state === "running") ?? false, reload);
  const report = queryWord("report");
  const canRun = about.value?.can_run ?? true;
  const [first, second] = chosenRuns();
  return (
    <main class="runs">
      <h1>Runs</h1>
      {data !== null && <Start canRun={canRun} hasRuns={data.runs.length > 0} />}
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the runs" />}
      {data !== null && <List runs={data.runs} />}
      {first !== undefined && second !== undefined && <Compare key={`${first} ${second}`} ids={[first, second]} />}
      <Reports chosen={report} />
      {report !== "" && <ReportView key={report} id={report} />}
    </main>
  );
}

/** The form; it is folded once there are runs. */
function Start({ canRun, hasRuns }: { canRun: boolean; hasRuns: boolean }) {
  const [isOpen, setOpen] = useState(!hasRuns || queryWord("command") !== "");
  useKeys([{ keys: ["c"], does: "Form for a new run", run: () => setOpen((was) => !was) }]);
  if (!canRun) return <p>This server starts no runs.</p>;
  return (
    <details class="framed start" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Start a run</h2>
      </summary>
      {isOpen && <RunForm />}
    </details>
  );
}

function List({ runs }: { runs: RunLine[] }) {
  const chosen = chosenRuns();
  useKeys(rowKeys("run"));
  if (runs.length === 0) return <p class="soft">No run has begun here yet. The form above starts one.</p>;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs" class="hidden">
        Runs
      </h2>
      <table class="list choose">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Compare</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col" class="wide">
              Work done
            </th>
            <th scope="col" class="number">
              Fit
            </th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col" class="wide">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.id} run={run} isChosen={chosen.includes(run.id)} />
          ))}
        </tbody>
      </table>
      {runs.length > 1 && chosen.length < MOST_COMPARED && <p class="soft">Choose two runs to compare them.</p>}
    </section>
  );
}

function Row({ run, isChosen }: { run: RunLine; isChosen: boolean }) {
  return (
    <tr>
      <td>
        <input type="checkbox" aria-label={`Compare ${run.id}`} checked={isChosen} onChange={() => toggle(run.id)} />
      </td>
      <th scope="row">
        <a class="row" href={`/runs/${part(run.id)}`}>
          {run.id}
        </a>{" "}
        {run.command}
        <span class="soft under">
          {setTitle(run.set)}, {optionWords(run)}
        </span>
        {run.message !== "" && <span class="under bad-words">{run.message}</span>}
      </th>
      <td>
        <StateMark state={run.state} />
      </td>
      <td class="wide">
        <Done run={run} />
      </td>
      <td class="number">{grouped(run.solved)}</td>
      <td class="number">{seconds(run.seconds)}</td>
      <td class="wide">{moment(run.started)}</td>
    </tr>
  );
}

function Reports({ chosen }: { chosen: string }) {
  const reports = (about.value?.files ?? []).filter((file) => file.kind === "report");
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">Reports opened from files</h2>
      {reports.length === 0 && (
        <p class="soft">
          None. <code>leyden solve … --json report.json</code> writes one, and <code>leyden explore report.json</code> opens it.
        </p>
      )}
      <ul class="files">
        {reports.map((file) => (
          <li key={file.id}>
            <a href={file.id === chosen ? "/runs" : `/runs?report=${part(file.id)}`} aria-current={file.id === chosen ? "true" : undefined}>
              {file.name}
            </a>
            {file.id === chosen && <span class="soft"> shown below</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
