// The nodes of a battery, with search, order and pages.

import { useRef } from "preact/hooks";
import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { nodeAddress } from "../parts/address.ts";
import { useKept } from "../parts/kept.ts";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { rowKeys, useLastRow } from "../parts/rows.ts";
import { useSettled } from "../parts/settled.ts";
import { SortHead } from "../parts/sortable.tsx";
import { grouped } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { NodeLine, NodeList } from "../types.ts";

const LIMIT = 50;

function Row({ battery, node }: { battery: string; node: NodeLine }) {
  return (
    <tr>
      <th scope="row">
        <a class="row id" href={nodeAddress(battery, node.id)}>
          {node.id}
        </a>
      </th>
      <td class="expression">
        <code>{node.text}</code>
      </td>
      <td class="number">{grouped(node.programs)}</td>
      <td class="number wide">{grouped(node.users)}</td>
      <td class="number wide">{grouped(node.depth)}</td>
    </tr>
  );
}

function Table({ battery, list, isOld }: { battery: string; list: NodeList; isOld: boolean }) {
  const sort = queryWord("sort") || "programs";
  const onSort = (name: string) => setQuery({ sort: name === "programs" ? null : name, offset: null });
  const heads = { sort, onSort };
  const counts = { ...heads, isNumeric: true, isDescending: true };
  return (
    <table class="list nodes" aria-busy={isOld}>
      <thead>
        <tr>
          <SortHead name="id" title="The order of the battery" {...heads}>
            Node
          </SortHead>
          <SortHead name="text" {...heads}>
            Expression
          </SortHead>
          <SortHead name="programs" title="Programs that need the node" {...counts}>
            Programs
          </SortHead>
          <SortHead name="users" title="Nodes that read the node" look="wide" {...counts}>
            Users
          </SortHead>
          <SortHead name="depth" title="The longest way from an input" look="wide" {...counts}>
            Depth
          </SortHead>
        </tr>
      </thead>
      <tbody>
        {list.nodes.map((node) => (
          <Row key={node.id} battery={battery} node={node} />
        ))}
      </tbody>
    </table>
  );
}

export function Nodes({ battery }: { battery: string }) {
  const query = { q: useSettled(queryWord("q")), sort: queryWord("sort"), offset: queryWord("offset"), limit: LIMIT };
  const key = JSON.stringify([battery, query]);
  const call = useCall(key, (signal) => get<NodeList>(`batteries/${part(battery)}/nodes`, query, signal));
  const { data, isOld } = useKept(call);
  const search = useRef<HTMLInputElement>(null);
  useKeys([{ keys: ["/"], does: "Search", run: () => search.current?.focus() }, ...rowKeys("node")]);
  useLastRow(data !== null);
  const onGo = (offset: number) => {
    setQuery({ offset: offset || null }, { push: true });
    search.current?.scrollIntoView({ block: "nearest" });
  };
  const pages = data && { total: data.total, offset: data.offset, limit: LIMIT, of: "nodes", onGo };
  return (
    <section class="listing" aria-label="Nodes">
      <search class="filters">
        <input
          ref={search}
          type="search"
          aria-label="Search expressions"
          placeholder="words of the expression"
          value={queryWord("q")}
          onInput={(event) => setQuery({ q: event.currentTarget.value, offset: null })}
        />
        {pages && <Pager {...pages} />}
      </search>
      <Problem error={call.error} onRetry={call.reload} />
      {data === null && call.error === null && <Waiting for="the nodes" />}
      {data && data.nodes.length > 0 && <Table battery={battery} list={data} isOld={isOld} />}
      {data?.nodes.length === 0 && <p>No node has these words. Primitives and constants are searched, for example “fill TWO”.</p>}
      {pages && data.total > LIMIT && data.nodes.length > 10 && <Pager {...pages} isSecond />}
    </section>
  );
}
