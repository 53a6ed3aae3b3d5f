// Numbers in words.

const groups = new Intl.NumberFormat("en");

/** A number with its thousands apart. */
export const grouped = (n: number): string => groups.format(n);

/** A number with its noun: "1 program", "2 programs". */
export const counted = (n: number, noun: string, nouns = `${noun}s`): string => `${grouped(n)} ${n === 1 ? noun : nouns}`;
