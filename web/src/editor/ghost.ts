// A previewed word in place of the user's, without a change of the text.

import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

/** The part of a text that another one has in its place. */
export interface Difference {
  from: number;
  to: number;
  insert: string;
}

/** The shortest single part in which two texts differ. */
export function differenceOf(old: string, text: string): Difference {
  let from = 0;
  while (from < old.length && old[from] === text[from]) from += 1;
  let [to, end] = [old.length, text.length];
  while (to > from && end > from && old[to - 1] === text[end - 1]) [to, end] = [to - 1, end - 1];
  return { from, to, insert: text.slice(from, end) };
}

class Ghost extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: Ghost): boolean {
    return this.text === other.text;
  }

  override toDOM(): HTMLElement {
    const word = document.createElement("span");
    word.className = "ghost";
    word.textContent = this.text;
    return word;
  }
}

const setGhost = StateEffect.define<Difference | null>();

function drawn({ from, to, insert }: Difference): DecorationSet {
  const widget = new Ghost(insert);
  return Decoration.set(from === to ? Decoration.widget({ widget, side: 1 }).range(from) : Decoration.replace({ widget }).range(from, to));
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(ghost, transaction) {
    if (transaction.docChanged) return Decoration.none;
    for (const effect of transaction.effects) {
      if (effect.is(setGhost)) return effect.value ? drawn(effect.value) : Decoration.none;
    }
    return ghost;
  },
  provide: (own) => EditorView.decorations.from(own),
});

export const ghosts: Extension = field;

/** Widens a difference to whole words of the text. */
function inWords(old: string, { from, to, insert }: Difference): Difference {
  let [start, end] = [from, to];
  while (/\w/.test(old[start - 1] ?? "")) start -= 1;
  while (/\w/.test(old[end] ?? "")) end += 1;
  return { from: start, to: end, insert: old.slice(start, from) + insert + old.slice(to, end) };
}

/** Shows another text in place of the user's; `null` shows the user's again. Changes over lines stay unshown. */
export function showGhost(view: EditorView, text: string | null): void {
  const old = view.state.doc.toString();
  const found = text === null || text === old ? null : inWords(old, differenceOf(old, text));
  const isInLine = found !== null && !view.state.sliceDoc(found.from, found.to).includes("\n") && !found.insert.includes("\n");
  view.dispatch({ effects: setGhost.of(isInLine ? found : null) });
}
