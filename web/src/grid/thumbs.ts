// The pack of small pictures: for each task four bytes of sizes, then two cells to a byte.

import type { Grid } from "../types.ts";

export interface Thumb {
  input: Grid | null;
  output: Grid | null;
}

/** Takes a pack apart; grids of no cells are missing ones. */
export function unpacked(pack: Uint8Array): Thumb[] {
  const thumbs: Thumb[] = [];
  let at = 0;
  const take = (height: number, width: number): Grid | null => {
    const from = at;
    at += Math.ceil((height * width) / 2);
    if (height === 0 || width === 0) return null;
    const cell = (k: number) => (((pack[from + (k >> 1)] ?? 0) >> (k % 2 === 0 ? 4 : 0)) & 15);
    return Array.from({ length: height }, (_, row) => Array.from({ length: width }, (_, column) => cell(row * width + column)));
  };
  while (at + 4 <= pack.length) {
    const [inHeight, inWidth, outHeight, outWidth] = pack.subarray(at, at + 4) as unknown as [number, number, number, number];
    at += 4;
    thumbs.push({ input: take(inHeight, inWidth), output: take(outHeight, outWidth) });
  }
  return thumbs;
}
