// Verdicts and badges: a sign and a word, and colour only beside them.

import type { Badge, Verdict } from "../types.ts";

type Tone = "good" | "fair" | "bad" | "plain";

const BADGES: Record<Badge, { sign: string; word: string; tone: Tone; title: string }> = {
  solved: { sign: "✓", word: "solved", tone: "good", title: "A known program gets all pairs and all tests right" },
  fits: { sign: "=", word: "fits", tone: "fair", title: "A known program gets all pairs right" },
  part: { sign: "◐", word: "part", tone: "plain", title: "A known program gets some pairs right" },
  none: { sign: "–", word: "open", tone: "plain", title: "No known program gets a pair right" },
};

const VERDICTS: Record<Verdict, { sign: string; word: string; tone: Tone }> = {
  right: { sign: "✓", word: "right", tone: "good" },
  wrong: { sign: "✗", word: "wrong", tone: "bad" },
  fault: { sign: "!", word: "fault", tone: "bad" },
  fuel: { sign: "…", word: "out of fuel", tone: "fair" },
  unknown: { sign: "?", word: "not compared", tone: "plain" },
};

export function BadgeMark(props: { badge: Badge; credit?: number | undefined }) {
  const { sign, word, tone, title } = BADGES[props.badge];
  const credit = props.badge === "part" && props.credit !== undefined ? ` ${Math.round(props.credit)} %` : "";
  return (
    <span class={`mark ${tone}`} title={title}>
      <span aria-hidden="true">{sign}</span> {word}
      {credit}
    </span>
  );
}

export function VerdictMark(props: { verdict: Verdict; credit?: number | null | undefined }) {
  const { sign, word, tone } = VERDICTS[props.verdict];
  const shows = props.verdict === "wrong" && typeof props.credit === "number";
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
      {shows ? `, ${Math.round(props.credit ?? 0)} %` : ""}
    </span>
  );
}

/** A verdict as a sign alone, for narrow places; its words are for screen readers and the pointer. */
export function VerdictSign(props: { name: string; verdict: Verdict }) {
  const { sign, word, tone } = VERDICTS[props.verdict];
  return (
    <span class={`mark sign ${tone}`} title={`${props.name}: ${word}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">
        {props.name}: {word}
      </span>
    </span>
  );
}
