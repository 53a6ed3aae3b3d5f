// Completion and help at the pointer, by dialect and type.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { hoverTooltip } from "@codemirror/view";
import type { Primitive } from "../types.ts";
import { docElement, docOf, type Doc } from "./docs.ts";
import { meets } from "./kinds.ts";
import { callAround, isIn, variablesAbove, wordAround, type Variable, type Vocabulary } from "./vocabulary.ts";

/** What the editor knows of the language now. */
export interface Knowledge {
  words: Vocabulary;
  dialect: string;
}

/** The part of an option that shows help, if there is any. */
const infoOf = (doc: Doc | null) => (doc ? { info: () => docElement(doc) } : {});

/** Puts brackets behind a primitive and the cursor between them. */
function applyCall(view: EditorView, completion: Completion, from: number, to: number): void {
  const hasBracket = view.state.sliceDoc(to, to + 1) === "(";
  const insert = hasBracket ? completion.label : `${completion.label}()`;
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + completion.label.length + 1 }, userEvent: "input.complete" });
}

interface Place {
  /** The type of the argument, or `null` if all fit. */
  expected: string | null;
  isArgument: boolean;
}

function placeOf(before: string, words: Vocabulary): Place {
  const call = callAround(before);
  if (call === null) return { expected: null, isArgument: false };
  const primitive = words.primitives.get(call.name);
  return { expected: primitive?.params[call.argument]?.type ?? null, isArgument: true };
}

function primitiveOptions(place: Place, knowledge: Knowledge): Completion[] {
  const { words, dialect } = knowledge;
  const wantsFunction = place.isArgument && meets("Callable", place.expected);
  const fits = ({ result }: Primitive) => !place.isArgument || wantsFunction || meets(result, place.expected);
  const all = [...words.primitives.values()].filter((it) => isIn(it.dialects, dialect) && fits(it));
  return all.map((it) => ({
    label: it.name,
    detail: `(${it.params.map(({ name }) => name).join(", ")}) → ${it.result}`,
    type: "function",
    boost: place.isArgument && place.expected !== "Callable" ? -20 : 0,
    ...infoOf(docOf(it.name, words, [])),
    ...(!wantsFunction && { apply: applyCall }),
  }));
}

function constantOptions(place: Place, { words, dialect }: Knowledge): Completion[] {
  if (!place.isArgument) return [];
  const all = [...words.constants.values()].filter((it) => isIn(it.dialects, dialect) && meets(it.type, place.expected));
  return all.map((it) => ({ label: it.name, detail: it.value, type: "constant", boost: 5 }));
}

function variableOptions(place: Place, variables: Variable[]): Completion[] {
  const all = variables.filter((it) => meets(it.type, place.expected));
  // Variables whose type is known to fit come first, and later lines before earlier ones.
  const isSure = ({ type }: Variable) => place.expected === null || (type !== null && type !== "Any");
  const boost = (it: Variable) => (isSure(it) ? 20 : 0) + it.line / 100;
  return all.map((it) => ({ label: it.name, detail: it.type === "Any" ? "" : (it.type ?? ""), type: "variable", boost: boost(it) }));
}

export const completionSource =
  (knowledge: () => Knowledge) =>
  (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const word = /\w*$/.exec(before)?.[0] ?? "";
    const rest = before.slice(0, before.length - word.length);
    const isExpression = /(=|return|,|\()\s*$/.test(rest) && !/\bdef\b/.test(rest);
    if (!isExpression || (word === "" && !context.explicit) || /#/.test(rest)) return null;
    const known = knowledge();
    const place = placeOf(rest, known.words);
    const variables = variablesAbove(context.state.doc, line.number, known.words);
    return {
      from: context.pos - word.length,
      options: [...variableOptions(place, variables), ...constantOptions(place, known), ...primitiveOptions(place, known)],
      validFor: /^\w*$/,
    };
  };

export const wordHelp = (knowledge: () => Knowledge) =>
  hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const found = wordAround(line.text, pos - line.from);
    if (found === null) return null;
    const { words } = knowledge();
    const doc = docOf(found.word, words, variablesAbove(view.state.doc, line.number, words));
    if (doc === null) return null;
    return { pos: line.from + found.from, end: line.from + found.to, above: true, create: () => ({ dom: docElement(doc) }) };
  });
