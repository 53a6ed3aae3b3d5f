// What the page tells of a word: for the help at the pointer, completion, and the line below the text.

import { signatureOf, type Variable, type Vocabulary } from "./vocabulary.ts";

export interface Doc {
  /** The word with its types or its value. */
  head: string;
  text: string;
  example: string;
}

export function docOf(word: string, words: Vocabulary, variables: Variable[]): Doc | null {
  const variable = variables.find((it) => it.name === word);
  if (variable) {
    const type = variable.type === null || variable.type === "Any" ? "" : `: ${variable.type}`;
    return { head: `${word}${type}`, text: `Variable of line ${variable.line}.`, example: "" };
  }
  const primitive = words.primitives.get(word);
  if (primitive) {
    const { example } = primitive;
    return { head: signatureOf(primitive), text: primitive.doc, example: example ? `${example.call} → ${example.result}` : "" };
  }
  const constant = words.constants.get(word);
  return constant ? { head: `${word} = ${constant.value}`, text: `A constant: ${constant.type}.`, example: "" } : null;
}

/** An element that shows a word's help. */
export function docElement(doc: Doc): HTMLElement {
  const whole = document.createElement("div");
  whole.className = "word-doc";
  const add = (tag: string, text: string) => {
    if (text === "") return;
    const part = document.createElement(tag);
    part.textContent = text;
    whole.append(part);
  };
  add("code", doc.head);
  add("p", doc.text);
  add("code", doc.example);
  return whole;
}
