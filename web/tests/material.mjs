// A directory with everything that the page can show: a store with ancestors, a battery, profiles,
// submissions, a report, and a run.

import { leyden } from "./server.mjs";

/** A task of the built-in data. */
export const TASK = "1e7d0001";

/** Makes the files. Gives them, and a function to the addresses of all screens. */
export async function filled(dir) {
  leyden(dir, "evolve", "--data", "demo", "--library", "public", "--store", "own.db", "--rounds", "20", "--seed", "1");
  leyden(dir, "card", "--data", "demo", "--count", "30", "--seed", "3", "--out", "a.batt");
  for (const name of ["a.json", "b.json"]) leyden(dir, "profile", "batch", "--data", "demo", "--json", name);
  const solve = (out, fuel, report) => leyden(dir, "solve", "--data", "demo", "--fuel-per-task", fuel, "--library", "none", "--out", out, "--json", report);
  solve("good.json", "3000000", "good-report.json");
  solve("poor.json", "30000", "poor-report.json");
  const files = ["a.batt", "a.json", "b.json", "good.json", "poor.json", "good-report.json"];
  return { files, addresses };
}

/** Calls the server as a script does. */
export function caller(server) {
  const token = new URL(server.link).hash.slice("#token=".length);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return async (path, body) => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const reply = await fetch(`${server.origin}/api/v1/${path}`, init);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
}

async function addresses(server) {
  const call = caller(server);
  const { files } = await call("about");
  const id = (kind, k = 0) => files.filter((it) => it.kind === kind)[k].id;
  const { programs } = await call(`programs?origin=${encodeURIComponent("leyden evolve")}&sort=-lines&limit=1`);
  const { nodes } = await call("batteries/shelf/nodes?sort=-programs&limit=1");
  const run = await call("runs", { command: "solve", set: "demo", options: { per_task: "50ms", library: "none" } });
  return {
    gallery: "/",
    predicted: "/?predicted=1",
    task: `/task/demo/${TASK}`,
    editor: `/edit/demo/${TASK}`,
    library: "/library",
    program: `/program/${programs[0].hash}`,
    batteries: "/battery",
    battery: "/battery/shelf",
    matrix: "/battery/shelf?tab=matrix",
    node: `/battery/shelf/${nodes[0].id}`,
    profiles: "/profile",
    profile: `/profile/${id("profile")}`,
    "two-profiles": `/profile/${id("profile")}/${id("profile", 1)}`,
    runs: "/runs",
    run: `/runs/${run.id}`,
    submissions: "/submission",
    submission: `/submission/${id("submission")}`,
    "two-submissions": `/submission/${id("submission")}/${id("submission", 1)}`,
  };
}
