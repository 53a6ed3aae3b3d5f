// The facets of the library: how many programs each choice would leave.

import { addressWith } from "../parts/address.ts";
import { isNarrow } from "../parts/narrow.ts";
import { grouped } from "../parts/words.ts";
import { queryWord } from "../router.ts";
import type { Facet } from "../types.ts";

const TITLES: Record<string, string> = { origin: "From", dialect: "Dialect", size: "Lines", state: "Score", task: "Task" };
export const FACETS = Object.keys(TITLES);

export const facetTitle = (name: string): string => TITLES[name] ?? name;

/** More values than these are folded away. */
const MOST_OPEN = 8;

interface ChoiceProps {
  facet: string;
  value: string;
  n: number;
  isChosen: boolean;
}

function Choice({ facet, value, n, isChosen }: ChoiceProps) {
  return (
    <li>
      <a
        class="choice"
        href={addressWith({ [facet]: isChosen ? null : value, offset: null })}
        aria-current={isChosen ? "true" : undefined}
        title={isChosen ? "Choose again to take it away" : undefined}
      >
        <span class="tick" aria-hidden="true">
          {isChosen ? "✓" : ""}
        </span>
        <span class="choice-word">{value}</span>
        <span class="choice-count">
          {grouped(n)} <span class="hidden">programs</span>
        </span>
      </a>
    </li>
  );
}

/** The values of a facet. The chosen one is among those that are not folded away. */
function ordered({ values }: Facet, chosen: string): Facet["values"] {
  const place = values.findIndex((it) => it.value === chosen);
  if (chosen === "" || (place >= 0 && place < MOST_OPEN)) return values;
  const found = values[place] ?? { value: chosen, n: 0 };
  return [found, ...values.filter((it) => it !== found)];
}

function FacetList({ facet }: { facet: Facet }) {
  const chosen = queryWord(facet.name);
  const values = ordered(facet, chosen);
  if (values.length === 0) return null;
  const choice = ({ value, n }: { value: string; n: number }) => (
    <Choice key={value} facet={facet.name} value={value} n={n} isChosen={value === chosen} />
  );
  const folded = values.slice(MOST_OPEN);
  return (
    <section class="facet">
      <h2>{facetTitle(facet.name)}</h2>
      <ul>{values.slice(0, MOST_OPEN).map(choice)}</ul>
      {folded.length > 0 && (
        <details>
          <summary>{grouped(folded.length)} more</summary>
          <ul>{folded.map(choice)}</ul>
        </details>
      )}
      {facet.more > 0 && <p class="soft">{grouped(facet.more)} rarer ones; the search finds them</p>}
    </section>
  );
}

/** A panel beside the table; on a phone it is folded away. */
export function Facets({ facets }: { facets: Facet[] }) {
  const nChosen = FACETS.filter((name) => queryWord(name) !== "").length;
  return (
    <details class="facets" open={!isNarrow.value}>
      <summary>Filters{nChosen > 0 ? ` (${nChosen} chosen)` : ""}</summary>
      {facets.map((facet) => (
        <FacetList key={facet.name} facet={facet} />
      ))}
    </details>
  );
}

/** What is chosen, as links that take it away. They vanish with it, so the focus needs another place. */
export function Chosen({ onRemove }: { onRemove: () => void }) {
  const chosen = FACETS.filter((name) => queryWord(name) !== "");
  if (chosen.length === 0) return null;
  const none = Object.fromEntries(FACETS.map((name) => [name, null]));
  return (
    <p class="chips" onClick={onRemove}>
      {chosen.map((name) => (
        <a key={name} class="chip" href={addressWith({ [name]: null, offset: null })}>
          <span class="hidden">Take away: </span>
          {facetTitle(name)}: {queryWord(name)} <span aria-hidden="true">×</span>
        </a>
      ))}
      {chosen.length > 1 && <a href={addressWith({ ...none, offset: null })}>Take all away</a>}
    </p>
  );
}
