// The pack of small pictures: for each task four bytes of sizes, then two cells to a byte.

import type { Grid } from "../types.ts";

/** A pair in the pack. Its grids are made when they are drawn: most pictures of a large set are never in sight. */
export class Thumb {
  static readonly NONE = new Thumb(new Uint8Array(4), 0);

  readonly #pack: Uint8Array;
  readonly #at: number;

  constructor(pack: Uint8Array, at: number) {
    this.#pack = pack;
    this.#at = at;
  }

  get input(): Grid | null {
    return this.#grid(0, this.#at + 4);
  }

  get output(): Grid | null {
    return this.#grid(2, this.#at + 4 + this.#length(0));
  }

  /** Where the next pair begins. */
  get end(): number {
    return this.#at + 4 + this.#length(0) + this.#length(2);
  }

  #size(field: number): number {
    return this.#pack[this.#at + field] ?? 0;
  }

  /** The bytes of the grid whose height stands in a field. */
  #length(field: number): number {
    return (this.#size(field) * this.#size(field + 1) + 1) >> 1;
  }

  /** Grids of no cells are missing ones. */
  #grid(field: number, from: number): Grid | null {
    const [height, width] = [this.#size(field), this.#size(field + 1)];
    if (height === 0 || width === 0) return null;
    const cell = (k: number) => (((this.#pack[from + (k >> 1)] ?? 0) >> (k % 2 === 0 ? 4 : 0)) & 15);
    return Array.from({ length: height }, (_, row) => Array.from({ length: width }, (_, column) => cell(row * width + column)));
  }
}

/** Takes a pack apart. */
export function unpacked(pack: Uint8Array): Thumb[] {
  const thumbs: Thumb[] = [];
  for (let at = 0; at + 4 <= pack.length; ) {
    const thumb = new Thumb(pack, at);
    thumbs.push(thumb);
    at = thumb.end;
  }
  return thumbs;
}
