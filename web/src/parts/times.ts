// Times and shares as words.

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

const UNITS = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]] as const;

/** Nanoseconds with three digits: "1.23 ms". */
export function nanos(ns: number): string {
  const size = Math.abs(ns);
  if (size >= 60e9) return seconds(ns / 1e9);
  const [unit, scale] = UNITS.findLast(([, least]) => size >= least) ?? UNITS[0];
  const value = ns / scale;
  const digits = Math.abs(value) >= 100 || unit === "ns" ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

/** Seconds for people: "0.4 s", "12 s", "3 min 05 s", "2 h 10 min". */
export function seconds(s: number): string {
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const whole = Math.round(s);
  if (s < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole / 60) % 60).padStart(2, "0")} min`;
}

/** A moment in seconds since 1970, in the user's zone. */
export function moment(epoch: number): string {
  const date = new Date(1000 * epoch);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat("en-GB", isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" }).format(date);
}

/** Round values for the lines of an axis from 0, at most about `n` of them. */
export function ticks(most: number, n: number): number[] {
  if (most <= 0) return [0];
  const rough = most / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => it >= rough) ?? 10 * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => k * step);
}
