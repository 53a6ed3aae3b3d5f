// Two submissions: scores side by side, and the test inputs for which their attempts differ.

import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { addressWith, taskAddress } from "../parts/address.ts";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { Prose } from "../parts/prose.tsx";
import { rowKeys } from "../parts/rows.ts";
import { counted } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { DifferingTest, TwoSubmissions } from "../types.ts";
import { AttemptMark, AttemptsView, RULES, Score } from "./submission_parts.tsx";

const PER_PAGE = 50;

interface Ids {
  a: string;
  b: string;
}

export default function TwoSubmissionsScreen({ params }: { params: Record<string, string> }) {
  const ids = { a: params.id ?? "", b: params.other ?? "" };
  const query = { set: queryWord("set"), offset: Number(queryWord("from")) || 0, limit: PER_PAGE };
  const key = `submissions ${ids.a} ${ids.b} ${JSON.stringify(query)}`;
  const path = `submissions/${part(ids.a)}/against/${part(ids.b)}`;
  const { data, error, reload } = useCall(key, (signal) => get<TwoSubmissions>(path, query, signal));
  return (
    <main class="submission">
      <p class="trail">
        <a href="/submission">Submissions</a>
      </p>
      <h1>{data === null ? "Two submissions" : `${data.a.name} and ${data.b.name}`}</h1>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="both submissions" />}
      {data !== null && <Both data={data} ids={ids} />}
    </main>
  );
}

function Both({ data, ids }: { data: TwoSubmissions; ids: Ids }) {
  const { scores } = data.a;
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
        <ScoreTable data={data} ids={ids} />
      )}
      <p>
        <a href={`/submission/${part(ids.b)}/${part(ids.a)}`}>Swap the two</a>
      </p>
      <Differences data={data} ids={ids} />
    </>
  );
}

function ScoreTable({ data, ids }: { data: TwoSubmissions; ids: Ids }) {
  const { a, b } = data;
  return (
    <table class="list two">
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col" class="number">
            <a href={`/submission/${part(ids.a)}`}>{a.name}</a>
          </th>
          <th scope="col" class="number">
            <a href={`/submission/${part(ids.b)}`}>{b.name}</a>
          </th>
        </tr>
      </thead>
      <tbody>
        {RULES.map(([rule, name, title]) => (
          <tr key={rule}>
            <th scope="row" title={title}>
              {name}
            </th>
            <td class="number">
              <Score scores={a.scores} rule={rule} />
            </td>
            <td class="number">
              <Score scores={b.scores} rule={rule} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row" title="Test outputs that only this one has right">
            Right only here
          </th>
          <td class="number">{counted(data.only_a, "output")}</td>
          <td class="number">{counted(data.only_b, "output")}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Differences({ data, ids }: { data: TwoSubmissions; ids: Ids }) {
  const chosen = queryWord("test");
  const withTruth = queryWord("truth") !== "";
  useKeys([
    ...rowKeys("test"),
    { keys: ["d"], does: "Right outputs, with differences", run: () => setQuery({ truth: withTruth ? null : 1 }) },
  ]);
  return (
    <section aria-labelledby="differences">
      <h2 id="differences">Where they differ</h2>
      <div class="bar">
        <label>
          <input type="checkbox" checked={withTruth} onChange={() => setQuery({ truth: withTruth ? null : 1 })} /> Right outputs
        </label>
        <Pager total={data.total} offset={data.offset} limit={PER_PAGE} of="test inputs" onGo={(from) => setQuery({ from: from || null })} />
      </div>
      {data.total === 0 && <p class="soft">All attempts are equal.</p>}
      <ul class="task-verdicts">
        {data.rows.map((row) => {
          const name = `${row.task}.${row.test}`;
          return <Row key={name} row={row} name={name} data={data} ids={ids} isOpen={name === chosen} withTruth={withTruth} />;
        })}
      </ul>
    </section>
  );
}

const ATTEMPTS = (differs: [boolean, boolean]): string => {
  if (differs[0] && differs[1]) return "both attempts differ";
  return differs[0] ? "the first attempts differ" : "the second attempts differ";
};

function Row(props: { row: DifferingTest; name: string; data: TwoSubmissions; ids: Ids; isOpen: boolean; withTruth: boolean }) {
  const { row, data, ids, isOpen, withTruth } = props;
  const attempts = (submission: string, name: string) => (
    <AttemptsView submission={submission} name={name} set={data.set} task={row.task} only={row.test} withTruth={withTruth} />
  );
  return (
    <li>
      <p class="verdict-line">
        <a class="row" href={addressWith({ test: isOpen ? null : props.name })} aria-expanded={isOpen}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> <span class="id">{row.task}</span> test {row.test + 1}
        </a>
        {(row.a !== null || row.b !== null) && (
          <span>
            <AttemptMark verdict={row.a} /> <span aria-hidden="true">→</span>
            <span class="hidden">in {data.a.name},</span> <AttemptMark verdict={row.b} />
            <span class="hidden">in {data.b.name}</span>
          </span>
        )}
        <span class="soft">{ATTEMPTS(row.differs)}</span>
      </p>
      {isOpen && (
        <div class="attempts">
          {attempts(ids.a, data.a.name)}
          {attempts(ids.b, data.b.name)}
          <p>
            <a href={taskAddress(data.set, row.task)}>To the task</a>
          </p>
        </div>
      )}
    </li>
  );
}
