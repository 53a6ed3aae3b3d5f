// Scrubbing: all replacements of fitting type for the word at the cursor, winners first.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useCall } from "../call.ts";
import { cellFor, draw, heightOf, sized, widthOf } from "../grid/draw.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { palette } from "../settings.ts";
import type { Grid, Variant, Variants } from "../types.ts";
import type { Session } from "./session.ts";

const SIDE = 64;

function Thumb({ grid }: { grid: Grid }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const name = palette.value;
  useLayoutEffect(() => {
    const cell = cellFor(grid, SIDE, 10);
    const ctx = canvas.current && sized(canvas.current, widthOf(grid) * cell, heightOf(grid) * cell);
    if (ctx) draw(ctx, grid, { x: 0, y: 0, cell }, { palette: name, numbers: false });
  }, [grid, name]);
  return <canvas ref={canvas} aria-hidden="true" />;
}

function Option(props: { variant: Variant; isFocused: boolean; onFocus: () => void; onHover: () => void; onTake: () => void }) {
  const { variant, isFocused } = props;
  const isWinner = variant.right === variant.pairs && variant.pairs > 0;
  return (
    <li
      role="option"
      aria-selected={isFocused}
      tabIndex={isFocused ? 0 : -1}
      class={isWinner ? "winner" : undefined}
      onFocus={props.onFocus}
      onPointerEnter={props.onHover}
      onClick={props.onTake}
    >
      <span class="ed-thumb">{variant.grid ? <Thumb grid={variant.grid} /> : <span class="soft">{variant.error ?? "no grid"}</span>}</span>
      <code>
        {variant.token}
        {variant.is_current && <span class="soft"> now</span>}
      </code>
      <span class="soft">
        {isWinner ? "✓ " : ""}
        {variant.right}/{variant.pairs}, {Math.round(variant.credit)} %
      </span>
    </li>
  );
}

export function VariantsPanel({ session, position }: { session: Session; position: number }) {
  const { data, error } = useCall(`variants ${position}`, (signal) => session.variants(position, signal));
  return (
    <section class="ed-tool" aria-labelledby="variants">
      <header>
        <h2 id="variants">
          Variants {data && <span class="soft">of the {data.kind} {data.token}</span>}
        </h2>
        <button type="button" onClick={() => session.closeTool()}>
          Close
        </button>
      </header>
      <Problem error={error} />
      {error !== null && <p class="soft">Put the cursor on a constant, a number or a primitive, and ask again.</p>}
      {data === null && error === null && <Waiting for="variants" />}
      {data !== null && <List session={session} data={data} />}
    </section>
  );
}

function List({ session, data }: { session: Session; data: Variants }) {
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState(0);
  const { variants } = data;
  const options = () => [...(list.current?.children ?? [])] as HTMLElement[];
  // At once: a key that comes with the first picture belongs to the list, not to the text.
  useLayoutEffect(() => options()[0]?.focus({ preventScroll: false }), []);
  const preview = (k: number) => {
    const variant = variants[k];
    if (variant) session.show(variant.is_current ? null : { text: variant.text, change: `${data.token} → ${variant.token}` });
  };
  const take = (k: number) => {
    const variant = variants[k];
    if (variant === undefined) return;
    session.take(variant.text);
    session.closeTool();
  };
  const onKey = (event: KeyboardEvent) => {
    const next = stepped(options(), focused, event.key);
    if (next !== null) options()[next]?.focus();
    else if (event.key === "Enter" || event.key === " ") take(focused);
    else if (event.key === "Escape") session.closeTool();
    else return;
    event.preventDefault();
  };
  const isFocusInside = () => list.current?.contains(document.activeElement) === true;
  return (
    <>
      <p class="soft hint">Arrows and the pointer preview, Enter takes, Escape closes.</p>
      <ul
        ref={list}
        class="ed-variants"
        role="listbox"
        aria-label={`Replacements of ${data.token}`}
        onKeyDown={onKey}
        onPointerLeave={() => (isFocusInside() ? preview(focused) : session.show(null))}
      >
        {variants.map((variant, k) => (
          <Option
            key={variant.token}
            variant={variant}
            isFocused={k === focused}
            onFocus={() => {
              setFocused(k);
              preview(k);
            }}
            onHover={() => preview(k)}
            onTake={() => take(k)}
          />
        ))}
      </ul>
    </>
  );
}

/** The option that a key leads to, in rows as the page shows them. */
function stepped(options: HTMLElement[], now: number, key: string): number | null {
  const within = (k: number) => Math.max(0, Math.min(options.length - 1, k));
  const first = options[0]?.offsetTop ?? 0;
  const below = options.findIndex((option) => option.offsetTop > first);
  const inRow = below < 0 ? options.length : below;
  const steps: Record<string, number> = {
    ArrowRight: now + 1,
    ArrowLeft: now - 1,
    ArrowDown: now + inRow,
    ArrowUp: now - inRow,
    Home: 0,
    End: options.length - 1,
  };
  const next = steps[key];
  return next === undefined ? null : within(next);
}
