// The way through a list in pages.

import { grouped } from "./words.ts";

interface PagerProps {
  total: number;
  offset: number;
  limit: number;
  /** Names the rows, for example "programs". */
  of?: string;
  /** Whether another pager of the list stands above it. */
  isSecond?: boolean;
  onGo: (offset: number) => void;
}

/** The first row of the last page. */
const lastOffset = (total: number, limit: number): number => Math.max(0, Math.ceil(total / limit) - 1) * limit;

/** The rows of a page in words, for example "51–100 of 963 programs". */
function rowsInWords({ total, offset, limit, of = "rows" }: PagerProps): string {
  if (total === 0) return `No ${of}`;
  const [first, last] = [Math.min(offset + 1, total), Math.min(offset + limit, total)];
  return `${grouped(first)}–${grouped(last)} of ${grouped(total)} ${of}`;
}

export function Pager(props: PagerProps) {
  const { total, offset, limit, of = "rows", isSecond = false, onGo } = props;
  const last = lastOffset(total, limit);
  // A disabled button would lose the focus when the user arrives at an end.
  const button = (word: string, sign: string, to: number, isUseful: boolean) => (
    <button type="button" aria-label={word} title={word} aria-disabled={!isUseful} onClick={() => isUseful && onGo(to)}>
      <span aria-hidden="true">{sign}</span>
    </button>
  );
  return (
    <nav class="pager" aria-label={isSecond ? `Pages of ${of}, below the list` : `Pages of ${of}`}>
      <span class="count" role={isSecond ? undefined : "status"}>{rowsInWords(props)}</span>
      {total > limit && (
        <span class="pager-buttons">
          {button("First page", "«", 0, offset > 0)}
          {button("Page before", "‹", Math.max(0, offset - limit), offset > 0)}
          {button("Next page", "›", Math.min(last, offset + limit), offset < last)}
          {button("Last page", "»", last, offset < last)}
        </span>
      )}
    </nav>
  );
}
