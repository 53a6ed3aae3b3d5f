// A graph in layers. Its nodes are links, and arrow keys move along its edges.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface GraphNode {
  id: string;
  layer: number;
  place: number;
  href: string;
  /** The whole node in words, for the pointer and for screen readers. */
  words: string;
  /** Further classes. */
  look?: string;
  content: ComponentChildren;
  /** The change on the edge that leads here. */
  change?: string | undefined;
}

export interface GraphEdge {
  from: string;
  to: string;
}

/** Where layers go: down the page, or to the right. */
export type Direction = "down" | "right";

export interface Sizes {
  width: number;
  height: number;
  /** Between two layers, and between two nodes of a layer. */
  betweenLayers: number;
  betweenNodes: number;
}

interface GraphProps {
  name: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  direction: Direction;
  sizes: Sizes;
  /** The node that the graph is about. */
  current: string;
  chosen?: string | null;
  /** Names of layers. */
  heads?: ReadonlyMap<number, string>;
  onChoose?: (id: string) => void;
}

interface Box {
  x: number;
  y: number;
}

const PADDING = 12;
/** The room for the names of layers, and for the change above a node. */
const HEAD = 22;
const CHANGE = 20;

type Move = "before" | "after" | "previous" | "next";

const MOVES: Record<Direction, Record<string, Move>> = {
  down: { ArrowUp: "before", ArrowDown: "after", ArrowLeft: "previous", ArrowRight: "next" },
  right: { ArrowLeft: "before", ArrowRight: "after", ArrowUp: "previous", ArrowDown: "next" },
};

/** The node that a move leads to. */
function neighbour(nodes: GraphNode[], edges: GraphEdge[], from: GraphNode, move: Move): GraphNode | undefined {
  const distance = (it: GraphNode) => Math.abs(it.place - from.place);
  const nearest = (all: GraphNode[]) => all.toSorted((a, b) => distance(a) - distance(b))[0];
  switch (move) {
    case "before":
      return nearest(nodes.filter((it) => edges.some((edge) => edge.from === it.id && edge.to === from.id)));
    case "after":
      return nearest(nodes.filter((it) => edges.some((edge) => edge.from === from.id && edge.to === it.id)));
    case "previous":
      return nearest(nodes.filter((it) => it.layer === from.layer && it.place < from.place));
    case "next":
      return nearest(nodes.filter((it) => it.layer === from.layer && it.place > from.place));
  }
}

/** The places of all nodes in points, and the size of the whole. */
function laidOut({ nodes, direction, sizes, heads }: GraphProps) {
  const firstLayer = Math.min(...nodes.map((it) => it.layer));
  const firstPlace = Math.min(...nodes.map((it) => it.place));
  const isDown = direction === "down";
  const head = heads ? HEAD : 0;
  const [along, across] = isDown ? [sizes.height, sizes.width] : [sizes.width, sizes.height];
  const boxOf = (layer: number, place: number): Box => {
    const a = (layer - firstLayer) * (along + sizes.betweenLayers);
    const b = (place - firstPlace) * (across + sizes.betweenNodes);
    return isDown ? { x: PADDING + b, y: PADDING + head + a } : { x: PADDING + a, y: PADDING + head + b };
  };
  const boxes = new Map(nodes.map((it) => [it.id, boxOf(it.layer, it.place)]));
  const all = [...boxes.values()];
  const width = Math.max(...all.map((it) => it.x)) + sizes.width + PADDING;
  const height = Math.max(...all.map((it) => it.y)) + sizes.height + PADDING;
  return { boxes, width, height };
}

/** A curve from the bottom of one node to the top of another. Its last part is straight, with room for the change. */
function curveDown(from: Box, to: Box, { width, height }: Sizes): string {
  const [x1, y1, x2, y2] = [from.x + width / 2, from.y + height, to.x + width / 2, to.y - CHANGE];
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}V${to.y}`;
}

/** A curve to the right. Within a layer, and against the direction, it joins the sides that face each other. */
function curveRight(from: Box, to: Box, { width, height, betweenLayers }: Sizes): string {
  const [y1, y2] = [from.y + height / 2, to.y + height / 2];
  const x1 = from.x > to.x ? from.x : from.x + width;
  const x2 = from.x < to.x ? to.x : to.x + width;
  const bend = Math.max(betweenLayers / 2, Math.abs(x2 - x1) / 2);
  const [bend1, bend2] = [from.x > to.x ? -bend : bend, from.x < to.x ? -bend : bend];
  return `M${x1} ${y1}C${x1 + bend1} ${y1} ${x2 + bend2} ${y2} ${x2} ${y2}`;
}

/** Puts a node into the middle of its frame. */
function centre(frame: HTMLElement, box: Box, sizes: Sizes): void {
  frame.scrollLeft = box.x + sizes.width / 2 - frame.clientWidth / 2;
  frame.scrollTop = box.y + sizes.height / 2 - frame.clientHeight / 2;
}

/** Moves the focus into the graph of the screen. */
export function focusGraph(): void {
  document.querySelector<HTMLElement>(".graph-node[tabindex='0']")?.focus();
}

type Boxes = ReadonlyMap<string, Box>;

/** The edges, with broad invisible ones above them that are easy to hit. */
function Edges({ graph, boxes, near }: { graph: GraphProps; boxes: Boxes; near: string | null }) {
  const { edges, direction, sizes, chosen, onChoose } = graph;
  const edge = ({ from, to }: GraphEdge) => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (!start || !end) return null;
    const d = direction === "down" ? curveDown(start, end, sizes) : curveRight(start, end, sizes);
    const look = to === chosen ? "chosen" : near === from || near === to ? "near" : "";
    return (
      <g key={`${from} ${to}`} class={`edge ${look}`}>
        <path d={d} />
        {onChoose && <path class="target" d={d} onClick={() => onChoose(to)} />}
      </g>
    );
  };
  return (
    <svg width="100%" height="100%" aria-hidden="true">
      {edges.map(edge)}
    </svg>
  );
}

/** The change on each edge, above the node that it leads to. */
function Changes({ graph, boxes }: { graph: GraphProps; boxes: Boxes }) {
  const { nodes, sizes, onChoose } = graph;
  const change = (node: GraphNode) => {
    const box = boxes.get(node.id);
    if (!node.change || !box) return null;
    const style = { left: `${box.x}px`, top: `${box.y - CHANGE}px`, width: `${sizes.width}px` };
    return (
      <span key={node.id} class="graph-change" title={node.change} style={style} onClick={onChoose && (() => onChoose(node.id))}>
        <span>{node.change}</span>
      </span>
    );
  };
  return <div aria-hidden="true">{nodes.map(change)}</div>;
}

/** The names of layers stay at the top while the rest moves. */
function Heads({ graph, boxes }: { graph: GraphProps; boxes: Boxes }) {
  if (!graph.heads) return null;
  const head = ([layer, word]: [number, string]) => {
    const first = graph.nodes.find((it) => it.layer === layer);
    const box = first && boxes.get(first.id);
    if (!box) return null;
    return (
      <span key={layer} style={{ left: `${box.x}px`, width: `${graph.sizes.width}px` }}>
        {word}
      </span>
    );
  };
  return <div class="graph-heads">{[...graph.heads].map(head)}</div>;
}

export function Graph(props: GraphProps) {
  const { name, nodes, edges, direction, sizes, current, chosen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const { boxes, width, height } = laidOut(props);
  /** The node that Tab reaches. */
  const reached = [focused, chosen, current].find((it) => typeof it === "string" && boxes.has(it));
  useLayoutEffect(() => {
    const box = boxes.get(chosen ?? current) ?? boxes.get(current);
    if (frame.current && box) centre(frame.current, box, sizes);
  }, [current, nodes.length]);
  const go = (event: KeyboardEvent) => {
    const move = MOVES[direction][event.key];
    const from = nodes.find((it) => it.id === reached);
    if (move === undefined || from === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = neighbour(nodes, edges, from, move);
    if (to) frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(to.id)}"]`)?.focus();
  };
  const link = (node: GraphNode) => {
    const { x, y } = boxes.get(node.id) ?? { x: 0, y: 0 };
    return (
      <a
        key={node.id}
        data-node={node.id}
        class={`graph-node ${node.id === current ? "current" : ""} ${node.id === chosen ? "chosen" : ""} ${node.look ?? ""}`}
        href={node.href}
        aria-current={node.id === (chosen ?? current) ? "true" : undefined}
        title={node.words}
        tabIndex={node.id === reached ? 0 : -1}
        style={{ left: `${x}px`, top: `${y}px`, width: `${sizes.width}px`, height: `${sizes.height}px` }}
        onFocus={() => setFocused(node.id)}
        onBlur={() => setFocused(null)}
        onPointerEnter={() => setPointed(node.id)}
        onPointerLeave={() => setPointed(null)}
      >
        {node.content}
        <span class="hidden">. {node.words}</span>
      </a>
    );
  };
  return (
    <div ref={frame} class="graph" role="group" aria-label={name} onKeyDown={go}>
      <div class="graph-plane" style={{ width: `${width}px`, height: `${height}px` }}>
        <Edges graph={props} boxes={boxes} near={pointed ?? focused} />
        <Heads graph={props} boxes={boxes} />
        <Changes graph={props} boxes={boxes} />
        {nodes.map(link)}
      </div>
    </div>
  );
}
