// A profile: its sentence, its sums, tables by primitive, task, layer, phase and line, and its stacks.

import { about, get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { addressWith } from "../parts/address.ts";
import { Facts, type Fact } from "../parts/facts.tsx";
import { FlameGraph } from "../parts/flame_graph.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { Prose } from "../parts/prose.tsx";
import { nanos, percent } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import { queryWord } from "../router.ts";
import type { Profile } from "../types.ts";
import { sumsOf } from "./profile_sums.ts";
import { TABLES } from "./profile_tables.tsx";

export default function ProfileScreen({ params }: { params: Record<string, string> }) {
  const id = params.id ?? "";
  const { data, error, reload } = useCall(`profile ${id}`, (signal) => get<Profile>(`profiles/${part(id)}`, {}, signal));
  const files = (about.value?.files ?? []).filter((file) => file.kind === "profile");
  return (
    <main class="profile">
      <p class="trail">
        <a href="/profile">Profiles</a>
      </p>
      <h1>{files.find((file) => file.id === id)?.name ?? id}</h1>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the profile" />}
      {data !== null && <Body profile={data} />}
      {data !== null && files.length > 1 && (
        <p class="others">
          Compare with{" "}
          {files
            .filter((file) => file.id !== id)
            .map((file) => (
              <a key={file.id} href={`/profile/${part(id)}/${part(file.id)}`}>
                {file.name}
              </a>
            ))}
        </p>
      )}
    </main>
  );
}

function Body({ profile }: { profile: Profile }) {
  const { totals, accuracy } = profile;
  const facts: Fact[] = [
    ["Subject", profile.title],
    ["Whole run", nanos(totals.whole_ns)],
    ["Execute time", nanos(totals.execute_ns)],
    ["Runs", grouped(totals.runs)],
    ...accuracy.map(({ what, right, of }): Fact => [`Right ${what}`, `${grouped(right)} of ${grouped(of)}`]),
    ["Cost of measuring", `${percent(profile.recorder.share_of_execute)} of execute`],
  ];
  return (
    <>
      {profile.verdict !== "" && (
        <p class="verdict">
          <Prose text={profile.verdict} />
        </p>
      )}
      <Facts facts={facts} />
      {profile.notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
      <Sums profile={profile} />
      <Tables profile={profile} />
      {profile.stacks.paths.length > 0 && (
        <section aria-labelledby="stacks">
          <h2 id="stacks">Stacks</h2>
          <FlameGraph stacks={profile.stacks} />
        </section>
      )}
      <Setting profile={profile} />
    </>
  );
}

function Sums({ profile }: { profile: Profile }) {
  const sums = sumsOf(profile);
  const off = sums.filter((sum) => !sum.isRight);
  return (
    <details class="numbers">
      <summary>
        {off.length === 0 ? (
          <>
            <span class="mark good">
              <span aria-hidden="true">✓</span> sums
            </span>{" "}
            {counted(sums.length, "sum")} add up within 2 %
          </>
        ) : (
          <>
            <span class="mark bad">
              <span aria-hidden="true">!</span> sums
            </span>{" "}
            {off.map((sum) => sum.parts).join(", ")} {off.length === 1 ? "does" : "do"} not add up
          </>
        )}
      </summary>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Parts</th>
            <th scope="col" class="number">
              Together
            </th>
            <th scope="col">Whole</th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col">Adds up</th>
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.parts}>
              <th scope="row">{sum.parts}</th>
              <td class="number">{nanos(sum.together)}</td>
              <td>{sum.whole}</td>
              <td class="number">{nanos(sum.ns)}</td>
              <td>{sum.isRight ? "✓ yes" : "✗ no"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Tables({ profile }: { profile: Profile }) {
  const there = TABLES.filter((table) => table.count(profile) > 0);
  const wanted = queryWord("table");
  const shown = there.find((table) => table.name === wanted) ?? (profile.kind === "lines" ? there.find((it) => it.name === "lines") : undefined) ?? there[0];
  if (shown === undefined) return null;
  return (
    <section aria-labelledby="tables">
      <h2 id="tables" class="hidden">
        Tables
      </h2>
      <nav class="table-tabs" aria-label="Tables">
        {there.map((table) => (
          <a key={table.name} href={addressWith({ table: table.name, sort: null, from: null })} aria-current={table === shown ? "true" : undefined}>
            {table.title} <span class="soft">{grouped(table.count(profile))}</span>
          </a>
        ))}
      </nav>
      <p class="soft">{shown.about(profile)}</p>
      <shown.Table profile={profile} />
    </section>
  );
}

function Setting({ profile }: { profile: Profile }) {
  const { setting } = profile;
  const { hardware } = setting;
  const facts: Fact[] = [
    ["Command", <code>{setting.command}</code>],
    ["Date", setting.date.replace("T", " ").replace("Z", " UTC")],
    ["Machine", `${hardware.cpu}, ${counted(hardware.cores, "core")}, ${hardware.os}`],
    ...(setting.data ? [["Data", `${setting.data.name}, ${counted(setting.data.n_tasks, "task")}`] as const] : []),
    ...(setting.programs ? [["Programs", `${setting.programs.name}, ${counted(setting.programs.n_programs, "program")}`] as const] : []),
    ["Jobs", grouped(setting.jobs)],
  ];
  return (
    <section aria-labelledby="setting">
      <h2 id="setting">Setting</h2>
      <Facts facts={facts} />
    </section>
  );
}
