// The way through a list in pages.

interface PagerProps {
  total: number;
  offset: number;
  limit: number;
  /** Names the list, for screen readers and beside the numbers: "programs". */
  of?: string;
  onGo: (offset: number) => void;
}

/** The first row of the last page. */
const lastOffset = (total: number, limit: number): number => Math.max(0, Math.ceil(total / limit) - 1) * limit;

export function Pager({ total, offset, limit, of = "rows", onGo }: PagerProps) {
  const last = lastOffset(total, limit);
  const end = Math.min(offset + limit, total);
  const button = (word: string, sign: string, to: number, isUseless: boolean) => (
    <button type="button" aria-label={word} title={word} disabled={isUseless} onClick={() => onGo(to)}>
      <span aria-hidden="true">{sign}</span>
    </button>
  );
  const number = new Intl.NumberFormat("en");
  return (
    <nav class="pager" aria-label={`Pages of ${of}`}>
      <span role="status">{total === 0 ? `No ${of}` : `${number.format(Math.min(offset + 1, total))}–${number.format(end)} of ${number.format(total)} ${of}`}</span>
      {total > limit && (
        <>
          {button("First page", "⇤", 0, offset === 0)}
          {button("Page before", "←", Math.max(0, offset - limit), offset === 0)}
          {button("Next page", "→", Math.min(last, offset + limit), offset >= last)}
          {button("Last page", "⇥", last, offset >= last)}
        </>
      )}
    </nav>
  );
}
