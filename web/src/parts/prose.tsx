// A sentence of the server: words between backticks are code.

export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((piece, k) => (k % 2 === 1 ? <code key={k}>{piece}</code> : piece))}</>;
}
