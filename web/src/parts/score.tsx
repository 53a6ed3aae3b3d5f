// How well a program does on a task: it fits, has a part of the credit, or has no score.

interface ScoreProps {
  fits: boolean | null | undefined;
  credit: number | null | undefined;
}

/** A credit in percent. Only a program that fits has 100. */
export const percent = (credit: number): string => `${Math.min(99, Math.floor(credit))} %`;

export function scoreInWords({ fits, credit }: ScoreProps): string {
  if (fits) return "fits";
  return typeof credit === "number" ? percent(credit) : "no score";
}

export function ScoreMark(props: ScoreProps) {
  const sign = props.fits ? "=" : typeof props.credit === "number" ? "◐" : "–";
  return (
    <span class={`mark ${props.fits ? "fair" : "plain"}`}>
      <span aria-hidden="true">{sign}</span> {scoreInWords(props)}
    </span>
  );
}
