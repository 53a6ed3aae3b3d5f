// The words of the language, and what the text around a place tells of them.

import type { Text } from "@codemirror/state";
import { get } from "../api.ts";
import type { Primitive, Words } from "../types.ts";
import { kindOfValue } from "./kinds.ts";

export interface Constant {
  name: string;
  value: string;
  type: string;
  dialects: string[];
}

export interface Vocabulary {
  primitives: Map<string, Primitive>;
  constants: Map<string, Constant>;
}

export const NO_WORDS: Vocabulary = { primitives: new Map(), constants: new Map() };

let loading: Promise<Vocabulary> | null = null;

/** Loads the words, once for all editors. */
export function loadVocabulary(): Promise<Vocabulary> {
  loading ??= get<Words>("primitives").then(vocabularyOf, (error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

function vocabularyOf({ primitives, constants }: Words): Vocabulary {
  return {
    primitives: new Map(primitives.map((it) => [it.name, it])),
    constants: new Map(constants.map((it) => [it.name, { ...it, type: kindOfValue(it.value) }])),
  };
}

/** Whether a word belongs to a dialect; the dialect of batteries has the words of its base. */
export const isIn = (dialects: string[], dialect: string): boolean =>
  dialect === "" || dialects.some((name) => name === dialect || dialect.startsWith(`${name}-`));

export const signatureOf = ({ name, params, result }: Primitive): string =>
  `${name}(${params.map((it) => `${it.name}: ${it.type}`).join(", ")}) → ${result}`;

export interface Variable {
  name: string;
  /** `null` if the text does not tell. */
  type: string | null;
  line: number;
}

const DEFINITION = /^\s*def\s+\w+\s*\(([^)]*)\)/;
const ASSIGNMENT = /^\s*([A-Za-z_]\w*)\s*=\s*(?:([A-Za-z_]\w*)\s*(\(?))?/;

/** The variables of the lines from the last `def` to a line, without it. */
export function variablesAbove(doc: Text, line: number, words: Vocabulary): Variable[] {
  let found: Variable[] = [];
  for (let number = 1; number < line; number += 1) {
    const { text } = doc.line(number);
    const parameters = DEFINITION.exec(text)?.[1];
    if (parameters !== undefined) found = parametersOf(parameters, number);
    const [, name, value, bracket] = ASSIGNMENT.exec(text) ?? [];
    if (name === undefined) continue;
    found = found.filter((it) => it.name !== name);
    found.push({ name, type: typeOf(value, bracket === "(", found, words), line: number });
  }
  return found;
}

function parametersOf(text: string, line: number): Variable[] {
  const names = text.split(",").map((it) => it.trim());
  return names.filter((name) => /^\w+$/.test(name)).map((name) => ({ name, type: name === "I" ? "Grid" : null, line }));
}

function typeOf(value: string | undefined, isCall: boolean, known: Variable[], words: Vocabulary): string | null {
  if (value === undefined) return null;
  if (isCall) return words.primitives.get(value)?.result ?? null;
  const variable = known.find((it) => it.name === value);
  return variable?.type ?? words.constants.get(value)?.type ?? (words.primitives.has(value) ? "Callable" : null);
}

/** The call around the end of a piece of a line, and the number of arguments before that place. */
export function callAround(before: string): { name: string; argument: number } | null {
  let [depth, argument] = [0, 0];
  for (let k = before.length - 1; k >= 0; k -= 1) {
    const letter = before[k];
    if (letter === ")") depth += 1;
    else if (letter === "(" && depth > 0) depth -= 1;
    else if (letter === "," && depth === 0) argument += 1;
    else if (letter === "(") {
      const name = /(\w+)\s*$/.exec(before.slice(0, k))?.[1];
      return name === undefined ? null : { name, argument };
    }
  }
  return null;
}

/** The word around a place of a line. */
export function wordAround(text: string, column: number): { word: string; from: number; to: number } | null {
  const isLetter = (k: number) => /\w/.test(text[k] ?? "");
  let [from, to] = [column, column];
  while (isLetter(from - 1)) from -= 1;
  while (isLetter(to)) to += 1;
  return from === to ? null : { word: text.slice(from, to), from, to };
}
