// Two profiles: what moved, and whether it is more than noise.

import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { addressWith } from "../parts/address.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Facts } from "../parts/facts.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { Prose } from "../parts/prose.tsx";
import { nanos } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { ChangeVerdict, ProfileChange, ProfileComparison } from "../types.ts";

const VERDICTS: Record<ChangeVerdict, { sign: string; word: string; tone: string }> = {
  faster: { sign: "▼", word: "faster", tone: "good" },
  slower: { sign: "▲", word: "slower", tone: "bad" },
  same: { sign: "≈", word: "noise", tone: "plain" },
  new: { sign: "+", word: "new", tone: "fair" },
  gone: { sign: "−", word: "gone", tone: "fair" },
  incomparable: { sign: "?", word: "nothing to compare", tone: "plain" },
};

const TABLES = [
  ["primitives", "Primitives"],
  ["layers", "Layers"],
  ["tasks", "Tasks that moved"],
] as const;

export default function TwoProfiles({ params }: { params: Record<string, string> }) {
  const [a, b] = [params.id ?? "", params.other ?? ""];
  const path = `profiles/${part(a)}/against/${part(b)}`;
  const { data, error, reload } = useCall(path, (signal) => get<ProfileComparison>(path, {}, signal));
  return (
    <main class="profile">
      <p class="trail">
        <a href="/profile">Profiles</a>
      </p>
      <h1>{data === null ? "Two profiles" : `${data.a} and ${data.b}`}</h1>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the comparison" />}
      {data !== null && <Comparison data={data} a={a} b={b} />}
    </main>
  );
}

function Comparison({ data, a, b }: { data: ProfileComparison; a: string; b: string }) {
  const { total } = data;
  return (
    <>
      <p class="verdict">
        <Prose text={data.sentence} />
      </p>
      <Facts
        facts={[
          ["First", <Side id={a} name={data.a} ns={total.a_ns} />],
          ["Second", <Side id={b} name={data.b} ns={total.b_ns} />],
          ["Difference", differenceOf(total)],
          ["Verdict", <Mark verdict={total.verdict} />],
          ["Tasks in common", grouped(data.n_tasks)],
        ]}
      />
      {data.warnings.map((text) => (
        <p key={text} class="warning">
          <span class="mark fair">
            <span aria-hidden="true">!</span> note
          </span>{" "}
          {text}
        </p>
      ))}
      <Tables data={data} />
      <p>
        <a href={`/profile/${part(b)}/${part(a)}`}>Swap the two</a>
      </p>
    </>
  );
}

function Side({ id, name, ns }: { id: string; name: string; ns: number }) {
  return (
    <>
      <a href={`/profile/${part(id)}`}>{name}</a> {nanos(ns)}
    </>
  );
}

function Mark({ verdict }: { verdict: ChangeVerdict }) {
  const { sign, word, tone } = VERDICTS[verdict];
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

const signed = (value: number, text: string): string => `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;

const ratioOf = ({ a_ns, b_ns }: ProfileChange): number => (a_ns > 0 ? b_ns / a_ns - 1 : 0);

function differenceOf(change: ProfileChange): string {
  const difference = change.b_ns - change.a_ns;
  const ratio = ratioOf(change);
  return `${signed(difference, nanos(Math.abs(difference)))}, ${signed(ratio, `${Math.abs(100 * ratio).toFixed(1)} %`)}`;
}

function Tables({ data }: { data: ProfileComparison }) {
  const wanted = queryWord("table");
  const shown = TABLES.find(([name]) => name === wanted)?.[0] ?? "primitives";
  const isMoved = queryWord("moved") !== "";
  const rows = data[shown].filter((row) => !isMoved || row.verdict !== "same");
  return (
    <section aria-labelledby="tables">
      <h2 id="tables" class="hidden">
        Tables
      </h2>
      <nav class="table-tabs" aria-label="Tables">
        {TABLES.map(([name, title]) => (
          <a key={name} href={addressWith({ table: name, sort: null, from: null })} aria-current={name === shown ? "true" : undefined}>
            {title} <span class="soft">{grouped(data[name].length)}</span>
          </a>
        ))}
      </nav>
      <p>
        <label>
          <input type="checkbox" checked={isMoved} onChange={() => setQuery({ moved: isMoved ? null : 1, from: null })} /> Only what moved
        </label>
      </p>
      {rows.length === 0 ? <p class="soft">{shown === "tasks" || isMoved ? "Nothing moved beyond noise." : "Neither profile has this table."}</p> : <Changes of={shown} rows={rows} data={data} />}
      <p class="soft">{counted(rows.filter((row) => row.verdict === "same").length, "difference")} within noise.</p>
    </section>
  );
}

function Changes({ of, rows, data }: { of: string; rows: ProfileChange[]; data: ProfileComparison }) {
  const change = (row: ProfileChange) => row.b_ns - row.a_ns;
  return (
    <DataTable<ProfileChange>
      of={of}
      rows={rows}
      columns={[
        { name: "name", head: "Name", value: (row) => row.name },
        { name: "a", head: data.a, value: (row) => row.a_ns, shown: (row) => nanos(row.a_ns), isNumeric: true, isWide: true },
        { name: "b", head: data.b, value: (row) => row.b_ns, shown: (row) => nanos(row.b_ns), isNumeric: true, isWide: true },
        { name: "change", head: "Difference", value: change, shown: (row) => signed(change(row), nanos(Math.abs(change(row)))), isNumeric: true },
        {
          name: "ratio",
          head: "Change",
          value: ratioOf,
          shown: (row) => (row.a_ns > 0 ? signed(ratioOf(row), `${Math.abs(100 * ratioOf(row)).toFixed(0)} %`) : "–"),
          isNumeric: true,
        },
        {
          name: "allowed",
          head: "Noise up to",
          title: "The change that means nothing",
          value: (row) => row.allowed,
          shown: (row) => `${(100 * row.allowed).toFixed(0)} %`,
          isNumeric: true,
          isWide: true,
        },
        {
          name: "share",
          head: "Of the total",
          value: (row) => Math.abs(row.of_total),
          shown: (row) => signed(row.of_total, `${Math.abs(100 * row.of_total).toFixed(1)} %`),
          isNumeric: true,
          isWide: true,
        },
        { name: "verdict", head: "Verdict", value: (row) => row.verdict, shown: (row) => <Mark verdict={row.verdict} /> },
      ]}
    />
  );
}
