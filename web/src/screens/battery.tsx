// One battery: its counts, and its nodes or the programs that get tasks right.

import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { addressWith } from "../parts/address.ts";
import { batteryName } from "../parts/battery_name.ts";
import { Facts } from "../parts/facts.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { useTitle } from "../parts/title.ts";
import { counted, grouped } from "../parts/words.ts";
import { queryWord } from "../router.ts";
import type { BatteryCounts, BatteryLine } from "../types.ts";
import { MatrixView } from "./battery_matrix.tsx";
import { Nodes } from "./battery_nodes.tsx";

interface Data {
  name: string;
  counts: BatteryCounts;
}

async function loaded(id: string, signal: AbortSignal): Promise<Data> {
  const [{ batteries }, counts] = await Promise.all([
    get<{ batteries: BatteryLine[] }>("batteries", {}, signal),
    get<BatteryCounts>(`batteries/${part(id)}`, {}, signal),
  ]);
  const found = batteries.find((it) => it.id === id);
  return { name: found ? batteryName(found) : id, counts };
}

function Counts({ counts }: { counts: BatteryCounts }) {
  const { programs, lines, nodes, saved, depth, shared } = counts;
  const share = lines === 0 ? 0 : Math.round((100 * saved) / lines);
  const shares = `${counted(shared, "node")} ${shared === 1 ? "serves" : "serve"}`;
  return (
    <>
      <Facts
        facts={[
          ["Programs", grouped(programs)],
          ["Lines", grouped(lines)],
          ["Nodes", grouped(nodes)],
          ["Saved", `${grouped(saved)} (${share} %)`],
          ["Shared", grouped(shared)],
          ["Depth", grouped(depth)],
        ]}
      />
      <p class="soft prose">
        The {counted(lines, "line")} of {counted(programs, "program")} need only {counted(nodes, "node")}, because lines that compute equal values
        are one node. {shares} more than one program. The longest way from an input to a result has {counted(depth, "node")}.
      </p>
    </>
  );
}

function Tabs({ isMatrix }: { isMatrix: boolean }) {
  const tab = (word: string, name: string | null, isHere: boolean) => (
    <a href={addressWith({ tab: name, q: null, sort: null, offset: null })} aria-current={isHere ? "page" : undefined}>
      {word}
    </a>
  );
  return (
    <nav class="tabs" aria-label="Views of the battery">
      {tab("Nodes", null, !isMatrix)}
      {tab("Programs × tasks", "matrix", isMatrix)}
    </nav>
  );
}

export default function Battery({ params }: { params: Record<string, string> }) {
  const id = params.id ?? "";
  const { data, error, reload } = useCall(id, (signal) => loaded(id, signal));
  useTitle(data?.name ?? null);
  const isMatrix = queryWord("tab") === "matrix";
  return (
    <main>
      <header class="head">
        <h1>{data?.name ?? "Battery"}</h1>
        <a href="/battery">All batteries</a>
      </header>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the battery" />}
      {data && (
        <>
          <Counts counts={data.counts} />
          <Tabs isMatrix={isMatrix} />
          {isMatrix ? <MatrixView battery={id} /> : <Nodes battery={id} />}
        </>
      )}
    </main>
  );
}
