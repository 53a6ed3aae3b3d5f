// Stacks as a tree of boxes for a flame graph.

import type { Stacks } from "../types.ts";

/** A call with everything below it. */
export interface Box {
  /** The positions of its frames, outermost first, with dots between: its place in the address. */
  path: string;
  frame: number;
  self: number;
  total: number;
  calls: number;
  depth: number;
  parent: Box | null;
  children: Box[];
}

export function treeOf(stacks: Stacks): Box {
  const root: Box = { path: "", frame: -1, self: 0, total: 0, calls: 0, depth: 0, parent: null, children: [] };
  for (const { frames, self_ns, calls } of stacks.paths) {
    let box = root;
    root.total += self_ns;
    for (const frame of frames) {
      box = childOf(box, frame);
      box.total += self_ns;
    }
    box.self += self_ns;
    box.calls += calls;
  }
  sort(root);
  return root;
}

function childOf(parent: Box, frame: number): Box {
  const known = parent.children.find((it) => it.frame === frame);
  if (known !== undefined) return known;
  const path = parent.path === "" ? String(frame) : `${parent.path}.${frame}`;
  const box: Box = { path, frame, self: 0, total: 0, calls: 0, depth: parent.depth + 1, parent, children: [] };
  parent.children.push(box);
  return box;
}

/** Larger ones come first. */
function sort(box: Box): void {
  box.children.sort((a, b) => b.total - a.total);
  box.children.forEach(sort);
}

/** The box of a path; the deepest one that is there. */
export function boxAt(root: Box, path: string): Box {
  let box = root;
  for (const frame of path.split(".").filter((it) => it !== "")) {
    const next = box.children.find((it) => it.frame === Number(frame));
    if (next === undefined) break;
    box = next;
  }
  return box;
}

/** A box at its place: `from` and `to` are shares of the width. */
export interface Placed {
  box: Box;
  row: number;
  from: number;
  to: number;
}

/** The boxes of a window: the ancestors of the zoomed box in full width, and what is below it. */
export function placed(zoom: Box, least: number): Placed[] {
  const above: Placed[] = [];
  for (let box: Box | null = zoom; box !== null; box = box.parent) above.unshift({ box, row: box.depth, from: 0, to: 1 });
  const below: Placed[] = [];
  const place = (box: Box, from: number, to: number): void => {
    let at = from;
    for (const child of box.children) {
      const end = at + ((to - from) * child.total) / Math.max(1, box.total);
      if (end - at >= least) {
        below.push({ box: child, row: child.depth, from: at, to: end });
        place(child, at, end);
      }
      at = end;
    }
  };
  place(zoom, 0, 1);
  return [...above, ...below];
}
