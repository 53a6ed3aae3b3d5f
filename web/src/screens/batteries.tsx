// The batteries that are open: the programs of all files as one, and those that the user named.

import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { batteryName } from "../parts/battery_name.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { rowKeys, useLastRow } from "../parts/rows.ts";
import { grouped } from "../parts/words.ts";
import type { BatteryCounts, BatteryLine } from "../types.ts";

interface Counted extends BatteryLine {
  counts: BatteryCounts;
}

async function loaded(signal: AbortSignal): Promise<Counted[]> {
  const { batteries } = await get<{ batteries: BatteryLine[] }>("batteries", {}, signal);
  const counted = async (line: BatteryLine) => ({ ...line, counts: await get<BatteryCounts>(`batteries/${part(line.id)}`, {}, signal) });
  return Promise.all(batteries.map(counted));
}

function Row({ battery }: { battery: Counted }) {
  const { counts } = battery;
  const share = counts.lines === 0 ? 0 : Math.round((100 * counts.saved) / counts.lines);
  return (
    <tr>
      <th scope="row">
        <a class="row" href={`/battery/${part(battery.id)}`}>
          {batteryName(battery)}
        </a>
      </th>
      <td class="number">{grouped(counts.programs)}</td>
      <td class="number wide">{grouped(counts.lines)}</td>
      <td class="number">{grouped(counts.nodes)}</td>
      <td class="number">{share} %</td>
      <td class="number wide">{grouped(counts.depth)}</td>
    </tr>
  );
}

function Table({ batteries }: { batteries: Counted[] }) {
  const head = (word: string, look = "number") => (
    <th scope="col" class={look}>
      {word}
    </th>
  );
  return (
    <table class="list">
      <thead>
        <tr>
          {head("Battery", "")}
          {head("Programs")}
          {head("Lines", "number wide")}
          {head("Nodes")}
          {head("Saved")}
          {head("Depth", "number wide")}
        </tr>
      </thead>
      <tbody>
        {batteries.map((battery) => (
          <Row key={battery.id} battery={battery} />
        ))}
      </tbody>
    </table>
  );
}

export default function Batteries() {
  const { data, error, reload } = useCall("batteries", loaded);
  useKeys(rowKeys("battery"));
  useLastRow(data !== null);
  return (
    <main class="medium">
      <header class="head">
        <h1>Batteries</h1>
        <p class="soft">A battery is many programs as one graph. Lines that compute equal values are one node, and each node runs once.</p>
      </header>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the batteries" />}
      {data && <Table batteries={data} />}
      {data?.length === 1 && (
        <p class="soft">
          Open others: <code>leyden card --out a.batt</code> makes one, and <code>leyden explore a.batt</code> shows it.
        </p>
      )}
    </main>
  );
}
