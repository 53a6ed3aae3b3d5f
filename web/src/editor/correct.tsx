// Painting the meant output: the page looks for the smallest edits that give it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isAbort, post } from "../api.ts";
import { blank } from "../grid/painting.ts";
import { Painter, usePainting } from "../parts/painter.tsx";
import { Problem } from "../parts/problem.tsx";
import type { Edit, Grid } from "../types.ts";
import { pairNames } from "./pairs.tsx";
import type { Session } from "./session.ts";

interface Found {
  tried: number;
  edits: Edit[];
}

export function CorrectPanel({ session, pair }: { session: Session; pair: number }) {
  const { train, test } = session.task;
  const name = pairNames(train.length, test.length)[pair] ?? "";
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    session.closeTool();
  };
  return (
    <section class="ed-tool" aria-labelledby="correct" onKeyDown={onKey}>
      <header>
        <h2 id="correct" tabIndex={-1} ref={title}>
          Paint what {name.toLowerCase()} should give
        </h2>
        <button type="button" onClick={() => session.closeTool()}>
          Close
        </button>
      </header>
      <Correction session={session} pair={pair} name={name} />
    </section>
  );
}

function Correction({ session, pair, name }: { session: Session; pair: number; name: string }) {
  const { train, test } = session.task;
  const input = (train[pair] ?? test[pair - train.length])?.input ?? blank(3, 3);
  const output = session.own?.samples[pair]?.outcome.grid;
  const expected = train[pair]?.output;
  const painting = usePainting(() => session.painted.peek().get(pair) ?? output ?? blank(input.length, input[0]?.length ?? 1));
  const { grid } = painting;
  const isTouched = painting.canUndo || session.painted.value.has(pair);
  useEffect(() => {
    if (painting.canUndo) session.painted.value = new Map(session.painted.peek()).set(pair, grid);
  }, [grid]);
  const copies = [
    ...(output ? [{ label: "Copy the output", grid: output }] : []),
    ...(expected ? [{ label: "Copy the expected", grid: expected }] : []),
    { label: "Copy the input", grid: input },
  ];
  return (
    <>
      <Painter name={`${name}, as you mean it`} painting={painting} copies={copies} />
      <Others session={session} pair={pair} />
      <Search session={session} painted={new Map(session.painted.value).set(pair, grid)} isTouched={isTouched} />
    </>
  );
}

/** Further painted pairs, which an edit must give, too. */
function Others({ session, pair }: { session: Session; pair: number }) {
  const { train, test } = session.task;
  const names = pairNames(train.length, test.length);
  const others = [...session.painted.value.keys()].filter((other) => other !== pair);
  if (others.length === 0) return null;
  const forget = (other: number) => {
    const rest = new Map(session.painted.value);
    rest.delete(other);
    session.painted.value = rest;
  };
  return (
    <p class="painter-tools hint">
      Also as painted:
      {others.map((other) => (
        <button key={other} type="button" onClick={() => forget(other)}>
          {names[other]} <span class="soft">forget</span>
        </button>
      ))}
    </p>
  );
}

function Search({ session, painted, isTouched }: { session: Session; painted: ReadonlyMap<number, Grid>; isTouched: boolean }) {
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isSearching, setIsSearching] = useState(false);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const text = session.text.value;
  // Edits of another text no longer fit.
  useEffect(() => setFound(null), [text]);
  const search = async () => {
    abort.current.abort();
    const { signal } = (abort.current = new AbortController());
    setIsSearching(true);
    setError(null);
    try {
      const grids = [...painted].map(([sample, grid]) => ({ sample, grid }));
      setFound(await post<Found>("repair", { ...session.body(), painted: grids }, signal));
    } catch (failure) {
      if (isAbort(failure)) return;
      setFound(null);
      setError(failure);
    }
    setIsSearching(false);
  };
  return (
    <>
      <p class="painter-tools">
        <button type="button" class="primary" disabled={isSearching || !isTouched} onClick={() => void search()}>
          Find an edit
        </button>
        <span role="status">{isSearching ? "Looking for edits …" : found && told(found)}</span>
        {!isTouched && <span class="soft">Paint the cells that are wrong first.</span>}
      </p>
      <Problem error={error} />
      {found !== null && found.edits.length > 0 && (
        <ul class="ed-edits">
          {found.edits.map((edit) => (
            <EditRow key={edit.text} session={session} edit={edit} />
          ))}
        </ul>
      )}
    </>
  );
}

function told({ tried, edits }: Found): string {
  const programs = `${tried.toLocaleString("en")} programs tried`;
  if (edits.length === 0) return `No edit of one or two words gives this, ${programs}.`;
  return `${edits.length} ${edits.length === 1 ? "edit gives" : "edits give"} this, ${programs}.`;
}

interface ChangedLine {
  number: number;
  old: string;
  now: string;
}

/** The lines that differ. Edits replace words, so both texts have equally many lines. */
function changedLines(before: string, after: string): ChangedLine[] {
  const now = after.split("\n");
  const lines = before.split("\n").map((old, k) => ({ number: k + 1, old: old.trim(), now: (now[k] ?? "").trim() }));
  return lines.filter((line) => line.old !== line.now);
}

function EditRow({ session, edit }: { session: Session; edit: Edit }) {
  const text = session.text.value;
  const take = () => {
    session.take(edit.text);
    session.painted.value = new Map();
    session.closeTool();
  };
  const preview = () => session.show({ text: edit.text, change: edit.change });
  return (
    <li onPointerEnter={preview} onPointerLeave={() => session.show(null)}>
      <div class="ed-diff">
        {changedLines(text, edit.text).map(({ number, old, now }) => (
          <pre key={number}>
            <del>
              {number} − {old}
            </del>
            {"\n"}
            <ins>
              {number} + {now}
            </ins>
          </pre>
        ))}
      </div>
      <span class={edit.fits ? "mark good" : "mark"}>
        {edit.fits ? "✓ fits, " : ""}
        {edit.right}/{edit.pairs}, {Math.round(edit.credit)} %
      </span>
      <button type="button" aria-label={`Take ${edit.change}`} onFocus={preview} onBlur={() => session.show(null)} onClick={take}>
        Take
      </button>
    </li>
  );
}
