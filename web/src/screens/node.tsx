// One node of a battery: its line, its neighbours, and the programs that need it.

import { useEffect, useRef } from "preact/hooks";
import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { nodeAddress, programAddress } from "../parts/address.ts";
import { Facts } from "../parts/facts.tsx";
import { focusGraph, Graph, type GraphNode, type Sizes } from "../parts/graph.tsx";
import { useKept } from "../parts/kept.ts";
import { isNarrow } from "../parts/narrow.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { counted, grouped } from "../parts/words.ts";
import type { BatteryProgram, NodePage } from "../types.ts";

const SIZES: Sizes = { width: 220, height: 44, betweenLayers: 56, betweenNodes: 8 };

/** Names of the layers, from left to right. */
const HEADS: ReadonlyMap<number, string> = new Map([
  [-2, "Arguments of these"],
  [-1, "Arguments"],
  [0, "This node"],
  [1, "Users"],
]);

type Near = NodePage["nodes"][number];

/** How far a layer must move so that all layers have one middle. */
function shiftOf(page: NodePage): (layer: number) => number {
  const count = (layer: number) => page.nodes.filter((it) => it.layer === layer).length;
  const most = Math.max(...page.nodes.map((it) => count(it.layer)));
  return (layer) => (most - count(layer)) / 2;
}

function content(node: Near) {
  return (
    <>
      <code>{node.line}</code>
      <span class="soft">
        <span class="id">{node.id}</span> · {counted(node.programs, "program")}
      </span>
    </>
  );
}

function Neighbourhood({ battery, page }: { battery: string; page: NodePage }) {
  const shift = shiftOf(page);
  const nodes: GraphNode[] = page.nodes.map((it) => ({
    id: it.id,
    layer: it.layer,
    place: it.place + shift(it.layer),
    href: nodeAddress(battery, it.id),
    words: it.text,
    content: content(it),
  }));
  const edges = page.edges.map(([from, to]) => ({ from, to }));
  return <Graph name="Neighbourhood" nodes={nodes} edges={edges} direction="right" sizes={SIZES} current={page.id} heads={HEADS} />;
}

/** On a phone the layers stand one below the other. The lines name their arguments, so edges are not missed. */
function Layers({ battery, page }: { battery: string; page: NodePage }) {
  const link = (node: Near) => {
    const isThis = node.id === page.id;
    return (
      <li key={node.id}>
        <a class={`graph-node flat ${isThis ? "current" : ""}`} href={nodeAddress(battery, node.id)} aria-current={isThis ? "true" : undefined}>
          {content(node)}
        </a>
      </li>
    );
  };
  const layer = ([number, word]: [number, string]) => {
    const nodes = page.nodes.filter((it) => it.layer === number);
    if (nodes.length === 0) return null;
    return (
      <section key={number}>
        <h3>{word}</h3>
        <ul>{nodes.map(link)}</ul>
      </section>
    );
  };
  return <div class="layers">{[...HEADS].map(layer)}</div>;
}

function Programs({ page }: { page: NodePage }) {
  const program = (it: BatteryProgram, k: number) => (
    <li key={k} class="id">
      {it.hash === null ? it.name : <a href={programAddress(it.hash)}>{it.name}</a>}
    </li>
  );
  const nMore = page.n_programs - page.programs.length;
  return (
    <section class="panel" aria-labelledby="programs">
      <h2 id="programs">Programs that need it</h2>
      <ul class="names">{page.programs.map(program)}</ul>
      {nMore > 0 && <p class="soft">and {grouped(nMore)} more</p>}
    </section>
  );
}

function Around({ battery, page }: { battery: string; page: NodePage }) {
  const nHidden = page.users - page.nodes.filter((it) => it.layer === 1).length;
  return (
    <section class="panel" aria-labelledby="around">
      <h2 id="around">Neighbourhood</h2>
      {!isNarrow.value && <p class="soft">Arguments stand to the left, users to the right. Arrow keys walk, Enter goes there.</p>}
      {isNarrow.value ? <Layers battery={battery} page={page} /> : <Neighbourhood battery={battery} page={page} />}
      {nHidden > 0 && <p class="soft">{counted(nHidden, "user is", "users are")} not shown.</p>}
    </section>
  );
}

/** Keeps the focus in the graph while the user walks from node to node. */
function useWalk(id: string | undefined): () => void {
  const isWalking = useRef(false);
  useEffect(() => {
    if (isWalking.current) focusGraph();
    isWalking.current = false;
  }, [id]);
  return () => (isWalking.current = true);
}

export default function Node({ params }: { params: Record<string, string> }) {
  const [battery, name] = [params.id ?? "", params.node ?? ""];
  const call = useCall(`${battery} ${name}`, (signal) => get<NodePage>(`batteries/${part(battery)}/nodes/${part(name)}`, {}, signal));
  const { data, isOld } = useKept(call);
  const onWalk = useWalk(data?.id);
  useKeys([{ keys: ["l"], does: "To the neighbourhood; arrow keys walk, Enter goes there", run: focusGraph }]);
  return (
    <main aria-busy={isOld}>
      <header class="head">
        <h1>
          Node <span class="mono">{name}</span>
        </h1>
        <a href={`/battery/${part(battery)}`}>All nodes of the battery</a>
      </header>
      <Problem error={call.error} onRetry={call.reload} />
      {data === null && call.error === null && <Waiting for="the node" />}
      {data && (
        <>
          <pre class="expression-box" tabIndex={0} role="region" aria-label="Expression">
            {data.text}
          </pre>
          <Facts
            facts={[
              ["Line", <code>{data.line}</code>],
              ["Programs", grouped(data.n_programs)],
              ["Users", grouped(data.users)],
              ["Depth", grouped(data.depth)],
              ["Dialect", data.dialect],
            ]}
          />
          <div onClick={onWalk} class="panel">
            <Around battery={battery} page={data} />
          </div>
          <Programs page={data} />
        </>
      )}
    </main>
  );
}
