// Which program of a battery gets the demonstrations of which task right.

import { about, get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { editAddress, programAddress, taskAddress } from "../parts/address.ts";
import { useKept } from "../parts/kept.ts";
import { isNarrow } from "../parts/narrow.ts";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { rowKeys, useLastRow } from "../parts/rows.ts";
import { grouped } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { Matrix } from "../types.ts";

/** A phone has room for fewer tasks. */
const LIMITS = { narrow: 3, wide: 10 };

type Row = Matrix["rows"][number];
type Column = Matrix["tasks"][number];

function Cell({ set, row, task, right }: { set: string; row: Row; task: Column; right: number }) {
  if (right === 0) {
    return (
      <td class="hit none">
        <span aria-hidden="true">·</span>
        <span class="hidden">none</span>
      </td>
    );
  }
  const isWhole = right === task.demos;
  const isOwn = row.task === task.id;
  const words = `${right} of ${task.demos} right${isOwn ? ", its own task" : ""}`;
  const content = (
    <span class={`mark ${isWhole ? "good" : "plain"} ${isOwn ? "own" : ""}`} title={words}>
      <span aria-hidden="true">{isWhole ? "✓" : "◐"}</span> {right}/{task.demos}
    </span>
  );
  return (
    <td class="hit">
      {row.hash === null ? (
        content
      ) : (
        <a href={editAddress(set, task.id, row.hash)}>
          {content}
          <span class="hidden"> edit it for this task</span>
        </a>
      )}
    </td>
  );
}

function Line({ matrix, row }: { matrix: Matrix; row: Row }) {
  return (
    <tr>
      <th scope="row" class="id">
        {row.hash === null ? (
          row.name
        ) : (
          <a class="in-row" href={programAddress(row.hash)}>
            {row.name}
          </a>
        )}
      </th>
      {matrix.tasks.map((task, k) => (
        <Cell key={task.id} set={matrix.set} row={row} task={task} right={row.right[k] ?? 0} />
      ))}
    </tr>
  );
}

function Table({ matrix, isOld }: { matrix: Matrix; isOld: boolean }) {
  return (
    <table class="list matrix" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">Program</th>
          {matrix.tasks.map((task) => (
            <th key={task.id} scope="col" class="hit">
              <a class="id" href={taskAddress(matrix.set, task.id)}>
                {task.id}
              </a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {matrix.rows.map((row, k) => (
          <Line key={k} matrix={matrix} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Legend() {
  return (
    <p class="soft legend">
      Demonstrations that a program gets right. <span class="mark good">✓ 3/3</span> all, <span class="mark">◐ 1/3</span> some,{" "}
      <span aria-hidden="true">·</span>
      <span class="hidden">empty</span> none; <span class="mark own">framed</span> its own task. Test outputs play no part.
    </p>
  );
}

function SetChoice({ set }: { set: string }) {
  const sets = about.value?.sets ?? [];
  if (sets.length < 2) return null;
  return (
    <select aria-label="Data set" value={set} onChange={(event) => setQuery({ set: event.currentTarget.value, offset: null })}>
      {sets.map((it) => (
        <option key={it.id} value={it.id}>
          {it.title} ({grouped(it.tasks)})
        </option>
      ))}
    </select>
  );
}

export function MatrixView({ battery }: { battery: string }) {
  const set = queryWord("set") || (about.value?.sets[0]?.id ?? "");
  const limit = isNarrow.value ? LIMITS.narrow : LIMITS.wide;
  const query = { set, offset: queryWord("offset"), limit };
  const key = set === "" ? null : JSON.stringify([battery, query]);
  const call = useCall(key, (signal) => get<Matrix>(`batteries/${part(battery)}/matrix`, query, signal));
  const { data, isOld } = useKept(call);
  const go = (offset: number) => setQuery({ offset: offset || null }, { push: true });
  const step = (by: number) => {
    const next = (data?.offset ?? 0) + by;
    if (data && next >= 0 && next < data.total) go(next);
  };
  useKeys([
    { keys: ["]"], does: "Next tasks", run: () => step(limit) },
    { keys: ["["], does: "Tasks before", run: () => step(-limit) },
    ...rowKeys("program"),
  ]);
  useLastRow(data !== null);
  return (
    <section class="listing" aria-label="Programs and tasks">
      <div class="filters">
        <SetChoice set={set} />
        {data && <Pager total={data.total} offset={data.offset} limit={limit} of="tasks" onGo={go} />}
      </div>
      <Legend />
      <Problem error={call.error} onRetry={call.reload} />
      {data === null && call.error === null && <Waiting for="the matrix: all programs run on these tasks" />}
      {data && data.rows.length > 0 && <Table matrix={data} isOld={isOld} />}
      {data?.rows.length === 0 && <p>No program gets a demonstration of these tasks right.</p>}
      {data && data.more > 0 && <p class="soft">{grouped(data.more)} further programs get some demonstration right; the best are shown.</p>}
    </section>
  );
}
