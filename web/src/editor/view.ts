// The text editor: CodeMirror in a shadow tree, because the page's policy forbids style elements in the document.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { linter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState, type Transaction } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import type { PaletteName } from "../settings.ts";
import type { Finding, LineValue } from "../types.ts";
import { completionSource, wordHelp, type Knowledge } from "./completion.ts";
import { differenceOf, ghosts } from "./ghost.ts";
import { language } from "./language.ts";
import { theme } from "./theme.ts";
import { showValues, valueGutter } from "./values.ts";

export interface EditorEvents {
  /** The text is another one; `start` is the time before the editor drew it. */
  onText: (text: string, start: number) => void;
  onCursor: (line: number, column: number) => void;
  onVariants: (position: number) => void;
  onSave: () => void;
  onLeave: () => void;
  knowledge: () => Knowledge;
}

function keys(events: EditorEvents) {
  const always = (run: () => void) => () => {
    run();
    return true;
  };
  const variants = (view: EditorView) => {
    events.onVariants(view.state.selection.main.head);
    return true;
  };
  return keymap.of([
    { key: "Alt-Enter", run: variants },
    { key: "Mod-s", run: always(events.onSave), preventDefault: true },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    indentWithTab,
    { key: "Escape", run: always(events.onLeave) },
  ]);
}

/** With Ctrl or Cmd, a press on a word asks for its variants. */
const presses = (events: EditorEvents) =>
  EditorView.domEventHandlers({
    mousedown(event, view) {
      if (event.button !== 0 || !(event.ctrlKey || event.metaKey)) return false;
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (position === null) return false;
      event.preventDefault();
      view.dispatch({ selection: { anchor: position } });
      events.onVariants(position);
      return true;
    },
  });

function told(events: EditorEvents, transactions: readonly Transaction[], view: EditorView): void {
  const start = performance.now();
  const isChange = transactions.some((it) => it.docChanged);
  view.update(transactions);
  const { doc, selection } = view.state;
  if (isChange || transactions.some((it) => it.selection)) {
    const line = doc.lineAt(selection.main.head);
    events.onCursor(line.number, selection.main.head - line.from);
  }
  if (isChange) events.onText(doc.toString(), start);
}

export function openEditor(host: HTMLElement, text: string, events: EditorEvents): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const extensions = [
    lineNumbers(),
    history(),
    indentUnit.of("    "),
    language,
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    autocompletion({ override: [completionSource(events.knowledge)], icons: false }),
    wordHelp(events.knowledge),
    linter(null),
    valueGutter,
    ghosts,
    keys(events),
    presses(events),
    theme,
    EditorView.contentAttributes.of({ "aria-label": "Program", tabindex: "0" }),
  ];
  return new EditorView({
    state: EditorState.create({ doc: text, selection: { anchor: endOfFirstCall(text) }, extensions }),
    root,
    parent: root,
    dispatchTransactions: (transactions, view) => told(events, transactions, view),
  });
}

/** The end of the first line with a value. */
function endOfFirstCall(text: string): number {
  const start = text.indexOf("\n") + 1;
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** Puts findings under the text and values beside it, in one step. */
export function showResults(view: EditorView, findings: Finding[], values: LineValue[] | null, palette: PaletteName): void {
  const { doc } = view.state;
  const drawn = values ? [showValues(doc, values, palette)] : [];
  const lint = setDiagnostics(
    view.state,
    findings.map((finding) => diagnosticOf(finding, doc.length)),
  ).effects;
  view.dispatch({ effects: [...drawn, ...(Array.isArray(lint) ? lint : lint ? [lint] : [])] });
}

const PROPOSAL = /did you mean `([^`]+)`/;

function diagnosticOf(finding: Finding, length: number): Diagnostic {
  const [from, to] = [Math.min(finding.from, length), Math.min(Math.max(finding.to, finding.from), length)];
  const proposal = PROPOSAL.exec(finding.help ?? "")?.[1];
  const replace = (view: EditorView, start: number, end: number) => view.dispatch({ changes: { from: start, to: end, insert: proposal ?? "" } });
  return {
    from,
    to,
    severity: finding.severity,
    message: [finding.message, finding.label, finding.help].filter((it) => it).join(" — "),
    ...(proposal !== undefined && { actions: [{ name: `Replace by ${proposal}`, apply: replace }] }),
  };
}

/** Replaces the text by another one as one step that can be undone; equal beginnings and ends stay. */
export function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  const { from, to, insert } = differenceOf(old, text);
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true });
}

export function goToLine(view: EditorView, number: number): void {
  const { doc } = view.state;
  const line = doc.line(Math.max(1, Math.min(doc.lines, number)));
  view.dispatch({ selection: { anchor: line.to }, scrollIntoView: true });
  view.focus();
}
