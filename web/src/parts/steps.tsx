// Counts over time as step lines, with the numbers in a table.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { seconds, ticks } from "./times.ts";
import { grouped } from "./words.ts";

export type Point = readonly [seconds: number, count: number];

export interface StepLine {
  name: string;
  points: readonly Point[];
}

interface StepsProps {
  /** What the counts count: "tasks that fit". */
  of: string;
  /** At most two; the second one is dashed. */
  lines: StepLine[];
}

const HEIGHT = 200;
const EDGE = { left: 40, right: 12, top: 12, bottom: 24 };
/** A table of more rows is of no use; it then has every n-th change. */
const MOST_ROWS = 50;

/** The width of an element, as it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

interface Scale {
  x: (time: number) => number;
  y: (count: number) => number;
}

function pathOf(points: readonly Point[], { x, y }: Scale): string {
  let path = `M${x(0)} ${y(0)}`;
  for (const [time, count] of points) path += `H${x(time).toFixed(1)}V${y(count).toFixed(1)}`;
  return path;
}

/** The count at a time: that of the last point up to it. */
export function countAt(points: readonly Point[], time: number): number {
  return points.findLast(([at]) => at <= time)?.[1] ?? 0;
}

export function Steps({ of, lines }: StepsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [at, setAt] = useState<number | null>(null);
  const longest = Math.max(1, ...lines.map((line) => line.points.at(-1)?.[0] ?? 0));
  const most = Math.max(1, ...lines.map((line) => Math.max(0, ...line.points.map(([, count]) => count))));
  const inner = Math.max(1, width - EDGE.left - EDGE.right);
  const scale: Scale = {
    x: (time) => EDGE.left + (time / longest) * inner,
    y: (count) => HEIGHT - EDGE.bottom - (count / most) * (HEIGHT - EDGE.top - EDGE.bottom),
  };
  const onMove = (event: PointerEvent) => {
    const time = ((event.offsetX - EDGE.left) / inner) * longest;
    setAt(time >= 0 && time <= longest ? time : null);
  };
  const ends = lines.map((line) => `${line.name}: ${grouped(line.points.at(-1)?.[1] ?? 0)}`).join(", ");
  return (
    <figure class="steps">
      {lines.length > 1 && <Legend lines={lines} />}
      <div ref={frame}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`Number of ${of} over ${seconds(longest)}. ${ends}`}
            onPointerMove={onMove}
            onPointerLeave={() => setAt(null)}
          >
            <Axes scale={scale} longest={longest} most={most} width={width} />
            {lines.map((line, k) => (
              <path key={line.name} class={`line of-${k}`} d={pathOf(line.points, scale)} />
            ))}
            {at !== null && <line class="at" x1={scale.x(at)} x2={scale.x(at)} y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />}
          </svg>
        )}
      </div>
      <figcaption>
        {at === null
          ? `Number of ${of} over time`
          : `After ${seconds(at)}: ${lines.map((line) => `${lines.length > 1 ? `${line.name} ` : ""}${countAt(line.points, at)}`).join(", ")}`}
      </figcaption>
      <Numbers of={of} lines={lines} />
    </figure>
  );
}

function Legend({ lines }: { lines: StepLine[] }) {
  return (
    <ul class="legend">
      {lines.map((line, k) => (
        <li key={line.name}>
          <svg width="28" height="8" aria-hidden="true">
            <path class={`line of-${k}`} d="M0 4H28" />
          </svg>{" "}
          {line.name}
        </li>
      ))}
    </ul>
  );
}

/** A label of the axis of times, without needless parts. */
function shortTime(time: number, longest: number): string {
  if (longest >= 7200) return `${+(time / 3600).toFixed(2)} h`;
  if (longest >= 120) return `${+(time / 60).toFixed(2)} min`;
  return `${+time.toFixed(3)} s`;
}

function Axes(props: { scale: Scale; longest: number; most: number; width: number }) {
  const { x, y } = props.scale;
  const unit = props.longest >= 7200 ? 3600 : props.longest >= 120 ? 60 : 1;
  const times = ticks(props.longest / unit, Math.max(2, Math.min(8, props.width / 90))).map((it) => it * unit);
  return (
    <g class="axes" aria-hidden="true">
      {ticks(props.most, 5)
        .filter(Number.isInteger)
        .map((count) => (
          <g key={`y${count}`}>
            <line x1={EDGE.left} x2={props.width - EDGE.right} y1={y(count)} y2={y(count)} />
            <text x={EDGE.left - 6} y={y(count)} dy="0.32em" text-anchor="end">
              {count}
            </text>
          </g>
        ))}
      {times.map((time) => (
        <text key={`x${time}`} x={x(time)} y={HEIGHT - 6} text-anchor={x(time) > props.width - 40 ? "end" : "middle"}>
          {shortTime(time, props.longest)}
        </text>
      ))}
    </g>
  );
}

/** The moments at which a count changes. */
function changesOf(lines: StepLine[]): number[] {
  const times = new Set<number>();
  for (const { points } of lines) {
    let before = 0;
    for (const [time, count] of points) {
      if (count !== before) times.add(time);
      before = count;
    }
  }
  const all = [...times].sort((a, b) => a - b);
  const every = Math.ceil(all.length / MOST_ROWS);
  return all.filter((_, k) => k % every === 0 || k === all.length - 1);
}

function Numbers({ of, lines }: StepsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="numbers" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map((line) => (
                <th key={line.name} scope="col" class="number">
                  {lines.length > 1 ? line.name : of}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changesOf(lines).map((time) => (
              <tr key={time}>
                <th scope="row">{seconds(time)}</th>
                {lines.map((line) => (
                  <td key={line.name} class="number">
                    {grouped(countAt(line.points, time))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
