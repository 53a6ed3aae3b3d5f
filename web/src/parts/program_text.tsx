// The text of a program with numbered lines, quiet colours, and marks on lines.

export type Mark = "added" | "removed";

interface ProgramTextProps {
  text: string;
  /** Names the text, for screen readers. */
  name: string;
  /** Marked lines, counted from 0. */
  marks?: ReadonlyMap<number, Mark>;
}

type Kind = "comment" | "keyword" | "constant" | "primitive" | "variable";

/** Words of a line. A gap between two words is plain text. */
const WORDS = /(?<comment>#.*)|\b(?:(?<keyword>def|return)|(?<variable>x\d+|[IO])|(?<constant>[A-Z][A-Z0-9_]*|\d+)|(?<primitive>[a-z_]\w*))\b/g;
const SIGNS: Record<Mark, { sign: string; word: string }> = {
  added: { sign: "+", word: "added: " },
  removed: { sign: "−", word: "removed: " },
};

function kindOf(match: RegExpMatchArray): Kind | null {
  const found = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined);
  return (found?.[0] as Kind | undefined) ?? null;
}

function coloured(line: string) {
  const shown = [];
  let end = 0;
  for (const match of line.matchAll(WORDS)) {
    shown.push(line.slice(end, match.index));
    shown.push(
      <span key={match.index} class={`word ${kindOf(match)}`}>
        {match[0]}
      </span>,
    );
    end = match.index + match[0].length;
  }
  shown.push(line.slice(end));
  return shown;
}

export function ProgramText({ text, name, marks }: ProgramTextProps) {
  const lines = text.trimEnd().split("\n");
  const line = (words: string, k: number) => {
    const mark = marks?.get(k);
    return (
      <span key={k} class={`line ${mark ?? ""}`}>
        {marks && (
          <span class="sign" aria-hidden="true">
            {mark ? SIGNS[mark].sign : " "}
          </span>
        )}
        {mark && <span class="hidden">{SIGNS[mark].word}</span>}
        <code>{coloured(words)}</code>
        {"\n"}
      </span>
    );
  };
  return (
    <pre class="program" tabIndex={0} role="region" aria-label={name}>
      {lines.map(line)}
    </pre>
  );
}
