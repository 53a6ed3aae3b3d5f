// Colours of the text: a small tokeniser for the programs, which are a part of Python.

import { HighlightStyle, indentService, StreamLanguage, syntaxHighlighting, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const KEYWORDS = new Set(["def", "return", "import", "from", "as", "lambda", "if", "else", "for", "in", "not", "and", "or", "None"]);

interface State {
  /** The quotes of a string that goes on over lines. */
  quotes: string;
}

function token(stream: StringStream, state: State): string | null {
  if (state.quotes !== "") return longString(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^("""|''')/)) {
    state.quotes = stream.current();
    return longString(stream, state);
  }
  if (stream.match(/^"[^"]*"?/) || stream.match(/^'[^']*'?/)) return "string";
  if (stream.match(/^\d+(\.\d+)?/)) return "number";
  if (stream.match(/^[A-Za-z_]\w*/)) return nameStyle(stream.current());
  stream.next();
  return "punctuation";
}

function longString(stream: StringStream, state: State): string {
  const isClosed = stream.skipTo(state.quotes) === true;
  if (isClosed) {
    stream.match(state.quotes);
    state.quotes = "";
  } else stream.skipToEnd();
  return "string";
}

function nameStyle(name: string): string {
  if (KEYWORDS.has(name)) return "keyword";
  if (/^([a-z]\d+|[IOCS])$/.test(name)) return "variableName";
  return /^(True|False|[A-Z][A-Z0-9_]*)$/.test(name) ? "atom" : "primitive";
}

const program = StreamLanguage.define<State>({
  name: "program",
  startState: () => ({ quotes: "" }),
  token,
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", '"', "'"] } },
  tokenTable: { primitive: tags.function(tags.variableName) },
});

/** A line begins below the one before, or one step further behind a colon. */
const indentation = indentService.of((context, pos) => {
  const line = context.state.doc.lineAt(pos);
  const before = pos > line.from || line.number === 1 ? line.text.slice(0, pos - line.from) : context.state.doc.line(line.number - 1).text;
  const own = /^\s*/.exec(before)?.[0].length ?? 0;
  return before.trimEnd().endsWith(":") ? own + context.unit : own;
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--code-constant)" },
  { tag: [tags.number, tags.atom], color: "var(--code-constant)" },
  { tag: tags.function(tags.variableName), color: "var(--code-primitive)" },
]);

export const language = [program, indentation, syntaxHighlighting(colours)];
