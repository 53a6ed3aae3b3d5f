// A report of `solve` that was opened as a file: its tasks with their best programs.

import { useState } from "preact/hooks";
import { about, get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { seconds } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import { taskAddress } from "../parts/address.ts";
import { Facts, type Fact } from "../parts/facts.tsx";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ProgramText } from "../parts/program_text.tsx";
import { queryWord, setQuery } from "../router.ts";
import type { Report, ReportAnswer, ReportRow } from "../types.ts";

const PER_PAGE = 25;

/** The open data set of a name that a report has. */
const setNamed = (name: string): string => about.value?.sets.find((set) => set.title === name)?.id ?? name;

export function ReportView({ id }: { id: string }) {
  const withTests = queryWord("tests") !== "";
  const query = withTests ? { tests: 1 } : {};
  const { data, error, reload } = useCall(`report ${id} ${withTests}`, (signal) => get<Report>(`reports/${part(id)}`, query, signal));
  const name = about.value?.files.find((file) => file.id === id)?.name ?? id;
  return (
    <section class="report" aria-labelledby="report">
      <h2 id="report">{name}</h2>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the report" />}
      {data !== null && <ReportFacts report={data} />}
      {data !== null && (!data.rows ? <Evolved report={data} /> : <Rows rows={data.rows} set={setNamed(data.data ?? "")} withTests={withTests} />)}
    </section>
  );
}

const NAMES: [keyof Report, string][] = [
  ["data", "Data set"],
  ["tried", "Tasks tried"],
  ["fit_all_demos", "Fit the demonstrations"],
  ["solved", "Tests right"],
  ["known_programs", "Known programs"],
  ["stop_reason", "Stopped by"],
  ["seed", "Seed"],
  ["library", "Known programs"],
  ["rounds", "Rounds"],
  ["evaluations", "Evaluations"],
  ["transferred", "Fit by known programs"],
  ["evolved", "Fit by evolved ones"],
  ["new", "New among them"],
  ["improved", "Made shorter"],
  ["right_on_tests", "Right on tests"],
];

function ReportFacts({ report }: { report: Report }) {
  const known = NAMES.filter(([name]) => report[name] !== undefined && report[name] !== null);
  const shown = (value: Report[keyof Report]) => (typeof value === "number" ? grouped(value) : String(value));
  return <Facts facts={known.map(([name, word]): Fact => [word, shown(report[name])])} />;
}

/** What a report of `evolve` tells about tasks. */
function Evolved({ report }: { report: Report }) {
  const set = setNamed(report.data ?? "");
  const { evolved_tasks: tasks = [], best_partial: partial = [] } = report;
  return (
    <div class="sides">
      <section>
        <h3>Evolved for {counted(tasks.length, "task")}</h3>
        <TaskList set={set} tasks={tasks.map((id) => [id, ""])} />
      </section>
      <section>
        <h3>Nearest of the others</h3>
        <TaskList set={set} tasks={partial.map(([id, credit]) => [id, `${Math.floor(credit)} %`])} />
      </section>
    </div>
  );
}

function TaskList({ set, tasks }: { set: string; tasks: readonly (readonly [id: string, words: string])[] }) {
  return (
    <ul class="ids">
      {tasks.map(([id, words]) => (
        <li key={id}>
          <a class="id" href={taskAddress(set, id)}>
            {id}
          </a>
          {words !== "" && ` ${words}`}
        </li>
      ))}
    </ul>
  );
}

const bestOf = (row: ReportRow): ReportAnswer | undefined => row.answers?.[0]?.[0];
const fits = (row: ReportRow): boolean => {
  const best = bestOf(row);
  return best !== undefined && best.demos_reproduced === best.demos;
};

function Rows({ rows, set, withTests }: { rows: ReportRow[]; set: string; withTests: boolean }) {
  const only = queryWord("fit");
  const shown = rows.filter((row) => only === "" || fits(row) === (only === "yes"));
  const offset = Math.min(Number(queryWord("from")) || 0, Math.max(0, shown.length - 1));
  const n = rows.filter(fits).length;
  const choice = (value: string, word: string) => (
    <button type="button" aria-pressed={only === value} onClick={() => setQuery({ fit: only === value ? null : value, from: null })}>
      {word}
    </button>
  );
  return (
    <>
      <p class="state-choice">
        {choice("yes", `✓ fits ${n}`)}
        {choice("no", `– none ${rows.length - n}`)}
        <label>
          <input type="checkbox" checked={withTests} onChange={() => setQuery({ tests: withTests ? null : 1 })} /> With the results on tests
        </label>
      </p>
      <Pager total={shown.length} offset={offset} limit={PER_PAGE} of="tasks" onGo={(to) => setQuery({ from: to || null })} />
      <ul class="finds">
        {shown.slice(offset, offset + PER_PAGE).map((row) => (
          <Row key={row.task} row={row} set={set} />
        ))}
      </ul>
    </>
  );
}

function Row({ row, set }: { row: ReportRow; set: string }) {
  const [isOpen, setOpen] = useState(false);
  const best = bestOf(row);
  const tests = (row.answers ?? []).map((attempts) => attempts.some((it) => it.is_right)).filter(Boolean).length;
  const tellsTests = (row.answers ?? []).some((attempts) => attempts.some((it) => it.is_right !== undefined));
  return (
    <li>
      <p class="find">
        <a class="id" href={taskAddress(set, row.task)}>
          {row.task}
        </a>
        <span class={`mark ${fits(row) ? "good" : ""}`}>{best === undefined ? "no answer" : `${fits(row) ? "✓ fits" : "–"} ${best.demos_reproduced} of ${best.demos}`}</span>
        {best !== undefined && <span class="mark">{best.source}</span>}
        {best !== undefined && <span class="soft">{best.bits.toFixed(1)} bits</span>}
        {tellsTests && (
          <span class="soft">
            tests {tests} of {row.answers?.length}
          </span>
        )}
        {row.wall_s !== undefined && <span class="soft">{seconds(row.wall_s)}</span>}
      </p>
      {best !== undefined && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Program</summary>
          {isOpen && <ProgramText text={best.program} name={`Program for ${row.task}`} />}
        </details>
      )}
    </li>
  );
}
