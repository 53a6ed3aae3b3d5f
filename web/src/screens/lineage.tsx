// Where a program comes from and what was made of it.

import { addressWith } from "../parts/address.ts";
import { changesIn, shortChange } from "../parts/change.ts";
import { Graph, type GraphNode, type Sizes } from "../parts/graph.tsx";
import { scoreInWords } from "../parts/score.tsx";
import { counted } from "../parts/words.ts";
import { setQuery } from "../router.ts";
import type { Lineage, Relative } from "../types.ts";

const SIZES: Sizes = { width: 124, height: 46, betweenLayers: 50, betweenNodes: 10 };

/** A name without the task, if it is this one. */
export function shortName(relative: Relative, task: string | null | undefined): string {
  if (relative.name === undefined) return relative.hash.slice(0, 8);
  const bare = relative.name.replace(/^solve_/, "");
  return task && bare.startsWith(`${task}_`) ? bare.slice(task.length + 1) : bare;
}

const nShown = (lineage: Lineage, hash: string): number => lineage.edges.filter((it) => it.from === hash).length;

function inWords(relative: Relative, isRoot: boolean, nHidden: number): string {
  if (relative.is_missing) return `${relative.hash.slice(0, 8)}, missing: the store no longer has it`;
  const made = isRoot ? "" : changesIn(relative.mutation ?? "").map((it) => `, ${it.kind} ${it.what}`).join("");
  const more = nHidden > 0 ? `, ${counted(nHidden, "child", "children")} more than shown` : "";
  return `${relative.name}: ${scoreInWords({ fits: relative.fits, credit: relative.credit })}, ${counted(relative.lines ?? 0, "line")}${made}${more}`;
}

function content(relative: Relative, name: string, nHidden: number) {
  const { fits, credit } = relative;
  if (relative.is_missing) {
    return (
      <>
        <span class="graph-name">{name}</span>
        <span class="soft">? missing</span>
      </>
    );
  }
  return (
    <>
      <span class="graph-name">{name}</span>
      <span class={fits ? "fair" : "soft"}>
        {fits ? "= " : ""}
        {scoreInWords({ fits, credit })}
        {nHidden > 0 && ` · +${nHidden}`}
      </span>
    </>
  );
}

function node(relative: Relative, lineage: Lineage): GraphNode {
  const isRoot = !lineage.edges.some((it) => it.to === relative.hash);
  const nHidden = relative.layer < 0 ? 0 : relative.children - nShown(lineage, relative.hash);
  const isPage = relative.hash === lineage.hash;
  const task = lineage.nodes.find((it) => it.hash === lineage.hash)?.task;
  return {
    id: relative.hash,
    layer: relative.layer,
    place: relative.place,
    href: addressWith({ pick: isPage ? null : relative.hash, against: null, task: null }),
    words: inWords(relative, isRoot, nHidden),
    look: relative.is_missing ? "missing" : "",
    content: content(relative, shortName(relative, task), nHidden),
    change: isRoot ? undefined : shortChange(relative.mutation ?? ""),
  };
}

function Explanation({ lineage }: { lineage: Lineage }) {
  const above = lineage.nodes.filter((it) => it.layer < 0);
  const below = lineage.nodes.filter((it) => it.layer > 0);
  const nMissing = above.filter((it) => it.is_missing).length;
  return (
    <p class="soft">
      {counted(above.length, "ancestor")} above{nMissing > 0 ? ` (${nMissing} missing from the store)` : ""}, {counted(below.length, "descendant")}{" "}
      below. Choose a program to see what changed; arrow keys move along the lines.
    </p>
  );
}

interface LineageProps {
  lineage: Lineage;
  picked: string;
}

export function LineageGraph({ lineage, picked }: LineageProps) {
  if (lineage.nodes.length < 2) {
    return <p class="soft">It has no parent and no children in the store. Runs of “evolve” make them, and so does “Save” in the editor.</p>;
  }
  return (
    <>
      <Explanation lineage={lineage} />
      <Graph
        name="Lineage"
        nodes={lineage.nodes.map((it) => node(it, lineage))}
        edges={lineage.edges}
        direction="down"
        sizes={SIZES}
        current={lineage.hash}
        chosen={picked}
        onChoose={(hash) => setQuery({ pick: hash === lineage.hash ? null : hash, against: null, task: null }, { push: true })}
      />
    </>
  );
}
