// What adds up to what in a profile, as docs/profile-format.md says.

import type { Profile } from "../types.ts";

export interface Sum {
  parts: string;
  together: number;
  whole: string;
  ns: number;
  isRight: boolean;
}

const ALLOWED = 0.02;

const sum = (values: number[]): number => values.reduce((all, it) => all + it, 0);

export function sumsOf(profile: Profile): Sum[] {
  const { totals } = profile;
  const selfs = (rows: { self_ns: number }[]) => sum(rows.map((it) => it.self_ns));
  const all: [parts: string, rows: readonly unknown[], together: number, whole: string, ns: number][] = [
    ["Layers", profile.layers, selfs(profile.layers), "whole run", totals.whole_ns],
    ["Phases", profile.phases, selfs(profile.phases), "whole run", totals.whole_ns],
    ["Stacks", profile.stacks.paths, selfs(profile.stacks.paths), "whole run", totals.whole_ns],
    ["Primitives", profile.primitives, selfs(profile.primitives), "execute time", totals.execute_ns],
    ["Tasks and the time outside of them", profile.tasks, selfs(profile.tasks) + totals.outside_tasks_ns, "execute time", totals.execute_ns],
    [
      "Lines and the time outside of them",
      profile.lines,
      sum(profile.lines.map((it) => it.time_ns)) + (totals.outside_lines_ns ?? 0),
      "execute time",
      totals.execute_ns,
    ],
    ["Slow path", profile.slow_path, sum(profile.slow_path.map((it) => it.time_ns)), "reference engine", totals.reference_ns ?? 0],
  ];
  return all
    .filter(([, rows]) => rows.length > 0)
    .map(([parts, , together, whole, ns]) => ({ parts, together, whole, ns, isRight: Math.abs(together - ns) <= ALLOWED * Math.max(ns, 1) }));
}
