// A flame graph: the width of a box is its time with all calls below. The graph is one stop of the tab key; arrows
// move among boxes, Enter zooms in, Escape zooms out.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { queryWord, setQuery } from "../router.ts";
import type { Stacks } from "../types.ts";
import { addressWith } from "./address.ts";
import { boxAt, placed, treeOf, type Box, type Placed } from "./flame.ts";
import { nanos, percent } from "./times.ts";
import { grouped } from "./words.ts";

const ROW = 20;
/** Narrower boxes are not drawn. */
const LEAST = 2;
const LETTER = 6.7;

interface FlameProps {
  stacks: Stacks;
}

export function FlameGraph({ stacks }: FlameProps) {
  const root = useMemo(() => treeOf(stacks), [stacks]);
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const zoom = boxAt(root, queryWord("zoom"));
  const [chosen, setChosen] = useState<Box>(zoom);
  useEffect(() => setChosen(zoom), [zoom]);
  const nameOf = (box: Box) => stacks.frames[box.frame]?.name ?? "all";
  const boxes = useMemo(() => (width > 0 ? placed(zoom, LEAST / width) : []), [zoom, width]);
  const rows = 1 + Math.max(0, ...boxes.map((it) => it.row));
  const go = (box: Box) => setQuery({ zoom: box.path }, { push: true });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") go(chosen);
    else if (event.key === "Escape" && zoom.parent !== null) go(zoom.parent);
    else {
      const next = neighbour(event.key, chosen, boxes);
      if (next === null) return;
      setChosen(next);
    }
    event.preventDefault();
  };
  const about = (box: Box) =>
    `${nameOf(box)}${box.frame >= 0 ? `, ${stacks.frames[box.frame]?.kind}` : ""}: ${nanos(box.total)}, ${percent(box.total / Math.max(1, root.total))} of all, ${nanos(box.self)} itself${box.calls > 0 ? `, ${grouped(box.calls)} calls` : ""}`;
  return (
    <div class="flame">
      <p class="flame-way">
        {wayTo(zoom).map((box, k) => (
          <span key={box.path}>
            {k > 0 && <span aria-hidden="true"> › </span>}
            <button type="button" class="quiet" aria-current={box === zoom ? "true" : undefined} onClick={() => go(box)}>
              {nameOf(box)}
            </button>
          </span>
        ))}
      </p>
      <div
        ref={frame}
        class="flame-frame"
        tabIndex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label="Arrow keys move, Enter zooms in, Escape zooms out; the table below has the numbers"
        aria-describedby="flame-chosen"
        onKeyDown={onKey}
      >
        <svg width={width} height={rows * ROW} aria-hidden="true">
          {boxes.map((it) => (
            <Rect
              key={it.box.path}
              placed={it}
              width={width}
              name={nameOf(it.box)}
              kind={stacks.frames[it.box.frame]?.kind ?? "all"}
              isChosen={it.box === chosen}
              isAbove={it.box.depth < zoom.depth}
              onPoint={setChosen}
              onPress={go}
            />
          ))}
        </svg>
      </div>
      <p id="flame-chosen" class="flame-words" role="status">
        {about(chosen)}
      </p>
      <Below zoom={zoom} root={root} nameOf={nameOf} />
    </div>
  );
}

interface RectProps {
  placed: Placed;
  width: number;
  name: string;
  kind: string;
  isChosen: boolean;
  isAbove: boolean;
  onPoint: (box: Box) => void;
  onPress: (box: Box) => void;
}

function Rect({ placed: { box, row, from, to }, width, name, kind, isChosen, isAbove, onPoint, onPress }: RectProps) {
  const [x, wide] = [from * width, (to - from) * width];
  const room = Math.floor((wide - 8) / LETTER);
  const shown = name.length <= room ? name : room >= 4 ? `${name.slice(0, room - 1)}…` : "";
  return (
    <g class={`box ${kind}${isChosen ? " chosen" : ""}${isAbove ? " above" : ""}`} onPointerEnter={() => onPoint(box)} onClick={() => onPress(box)}>
      <rect x={x + 0.5} y={row * ROW + 0.5} width={Math.max(1, wide - 1)} height={ROW - 1} rx="2" />
      {shown !== "" && (
        <text x={x + 5} y={row * ROW + 14}>
          {shown}
        </text>
      )}
    </g>
  );
}

/** A box with its ancestors, outermost first. */
function wayTo(box: Box): Box[] {
  return box.parent === null ? [box] : [...wayTo(box.parent), box];
}

/** The box that an arrow key leads to. */
function neighbour(key: string, box: Box, boxes: Placed[]): Box | null {
  if (key === "ArrowUp") return box.parent;
  const isThere = (other: Box | undefined) => (other !== undefined && boxes.some((it) => it.box === other) ? other : null);
  if (key === "ArrowDown") return isThere(box.children[0]);
  const row = boxes.filter((it) => it.box.depth === box.depth).map((it) => it.box);
  if (key === "ArrowRight") return row[row.indexOf(box) + 1] ?? null;
  if (key === "ArrowLeft") return row[row.indexOf(box) - 1] ?? null;
  return null;
}

/** The zoomed box as a table: its own time, and each call below. */
function Below({ zoom, root, nameOf }: { zoom: Box; root: Box; nameOf: (box: Box) => string }) {
  const [isOpen, setOpen] = useState(false);
  const share = (ns: number) => percent(ns / Math.max(1, root.total));
  return (
    <details class="numbers" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <table class="list">
          <caption class="hidden">Below {nameOf(zoom)}</caption>
          <thead>
            <tr>
              <th scope="col">Below {nameOf(zoom)}</th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col" class="number">
                Share
              </th>
              <th scope="col" class="number">
                Itself
              </th>
            </tr>
          </thead>
          <tbody>
            {zoom.self > 0 && (
              <tr>
                <th scope="row">{nameOf(zoom)} itself</th>
                <td class="number">{nanos(zoom.self)}</td>
                <td class="number">{share(zoom.self)}</td>
                <td class="number">{nanos(zoom.self)}</td>
              </tr>
            )}
            {zoom.children.map((box) => (
              <tr key={box.path}>
                <th scope="row">{box.children.length > 0 ? <a href={addressWith({ zoom: box.path })}>{nameOf(box)}</a> : nameOf(box)}</th>
                <td class="number">{nanos(box.total)}</td>
                <td class="number">{share(box.total)}</td>
                <td class="number">{nanos(box.self)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
