// The filters of the gallery. They live in the address.

import type { RefObject } from "preact";
import { COLOUR_NAMES } from "../grid/palette.ts";
import { Swatch } from "../parts/swatch.tsx";
import { queryWord, setQuery } from "../router.ts";
import { palette } from "../settings.ts";
import type { SetInfo, TaskLine } from "../types.ts";

export interface Filter {
  text: string;
  badge: string;
  /** The most cells of a side. */
  size: string;
  same: string;
  /** Colours that a task must have. */
  colours: number[];
}

export function filterFromAddress(): Filter {
  const colours = [...queryWord("colours")].map(Number).filter((it) => Number.isInteger(it));
  return { text: queryWord("q"), badge: queryWord("badge"), size: queryWord("size"), same: queryWord("same"), colours };
}

export function passes(filter: Filter, line: TaskLine): boolean {
  const text = filter.text.trim().toLowerCase();
  const has = `${line.id} ${line.program ?? ""}`.toLowerCase();
  return (
    has.includes(text) &&
    (filter.badge === "" || line.badge === filter.badge) &&
    (filter.size === "" || (line.side ?? 0) <= Number(filter.size)) &&
    (filter.same === "" || line.same_size === (filter.same === "yes")) &&
    filter.colours.every((colour) => line.colours.includes(colour))
  );
}

type Choice = readonly (readonly [value: string, word: string])[];

const BADGES: Choice = [["", "any state"], ["solved", "solved"], ["fits", "fits"], ["part", "part"], ["none", "open"]];
const SIZES: Choice = [["", "any size"], ["5", "up to 5 × 5"], ["10", "up to 10 × 10"], ["20", "up to 20 × 20"]];
const SAME: Choice = [["", "any shape"], ["yes", "output as large"], ["no", "other output size"]];

function Select(props: { label: string; name: string; value: string; choice: Choice }) {
  return (
    <select aria-label={props.label} value={props.value} onChange={(event) => setQuery({ [props.name]: event.currentTarget.value })}>
      {props.choice.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  );
}

function Colours({ chosen }: { chosen: number[] }) {
  const toggle = (colour: number) => {
    const rest = chosen.filter((it) => it !== colour);
    const next = rest.length < chosen.length ? rest : [...chosen, colour].sort();
    setQuery({ colours: next.join("") });
  };
  return (
    <fieldset class="colours">
      <legend class="hidden">Colours that a task must have</legend>
      {COLOUR_NAMES[palette.value].map((word, colour) => (
        <Swatch key={colour} colour={colour} label={word} isPressed={chosen.includes(colour)} onPress={() => toggle(colour)} />
      ))}
    </fieldset>
  );
}

interface FiltersProps {
  sets: SetInfo[];
  set: string;
  filter: Filter;
  withPrediction: boolean;
  search: RefObject<HTMLInputElement | null>;
}

export function Filters({ sets, set, filter, withPrediction, search }: FiltersProps) {
  const ids = sets.map((it) => [it.id, `${it.title} (${it.tasks})`] as const);
  return (
    <search class="filters">
      <input
        ref={search}
        type="search"
        aria-label="Search by id or program"
        placeholder="id or program"
        value={filter.text}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
      {sets.length > 1 && <Select label="Data set" name="set" value={set} choice={ids} />}
      <Select label="State" name="badge" value={filter.badge} choice={BADGES} />
      <Select label="Size" name="size" value={filter.size} choice={SIZES} />
      <Select label="Shape of outputs" name="same" value={filter.same} choice={SAME} />
      <Colours chosen={filter.colours} />
      <label class="switch">
        <input type="checkbox" checked={withPrediction} onChange={() => setQuery({ predicted: withPrediction ? null : 1 })} /> My prediction
      </label>
    </search>
  );
}
