// The value of the cursor's line, large, and help on the word at the cursor.

import type { RefObject } from "preact";
import { GridView } from "../grid/grid.tsx";
import type { LineValue } from "../types.ts";
import { docOf } from "./docs.ts";
import type { Session } from "./session.ts";
import { inShort } from "./values.ts";
import { callAround, variablesAbove, wordAround } from "./vocabulary.ts";

/** The longest side of a picture: one that stands alone is larger. */
const MOST_ALONE = 160;
const MOST = 104;

function Value({ value }: { value: LineValue }) {
  const most = value.pictures.length === 1 ? MOST_ALONE : MOST;
  return (
    <div class="ed-value">
      <p class={value.fault === null ? undefined : "fault"}>{inShort(value.words)}</p>
      <div class="ed-pictures">
        {value.pictures.map((picture, k) => (
          <GridView key={k} grid={picture} name={`Value of line ${value.line}, picture ${k + 1}`} most={most} />
        ))}
      </div>
    </div>
  );
}

const CALL = /=\s*(\w+)\s*\(/;

/** Help on the word at the cursor, else on the call around it, else on the call of the line. */
function WordHelp({ session }: { session: Session }) {
  const { line, column } = session.cursor.value;
  const words = session.words.value;
  const doc = session.view?.state.doc;
  const text = session.text.value.split("\n")[line - 1] ?? "";
  const near = [wordAround(text, column)?.word, callAround(text.slice(0, column))?.name, CALL.exec(text)?.[1]];
  const variables = doc && line <= doc.lines ? variablesAbove(doc, line, words) : [];
  const help = near.map((word) => (word ? docOf(word, words, variables) : null)).find((found) => found !== null) ?? null;
  if (help === null) return <p class="soft">Put the cursor on a word to read about it.</p>;
  return (
    <div class="ed-word">
      <code>{help.head}</code>
      <p>{help.text}</p>
      {help.example && <code class="soft">{help.example}</code>}
    </div>
  );
}

export function Strip({ session, pair, target }: { session: Session; pair: string; target: RefObject<HTMLElement | null> }) {
  const { line } = session.cursor.value;
  const values = (session.evaluation.value?.values ?? []).filter((value) => value.line === line);
  return (
    <section ref={target} class="ed-strip" tabIndex={-1} aria-label={`Line ${line} on ${pair}`}>
      <div>
        <h2>
          Line {line} <span class="soft">on {pair}</span>
        </h2>
        {values.length === 0 && <p class="soft">This line has no value.</p>}
        {values.map((value, k) => (
          <Value key={k} value={value} />
        ))}
      </div>
      <WordHelp session={session} />
    </section>
  );
}
