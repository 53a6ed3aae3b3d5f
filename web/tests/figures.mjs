// Measures the page: how long the gallery of 1,120 tasks takes to draw, and how long a key stroke takes to its
// verdict, over the best known program of each task. `leyden show`, a plain process, is measured beside it.
//
// usage: node tests/figures.mjs [TASKS]     (by default all 400 of ARC-AGI-1 training; `leyden get` fetches them)

import { performance } from "node:perf_hooks";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOOKS, openBrowser, Tab } from "./browser.mjs";
import { caller } from "./material.mjs";
import { leyden, scratch, Server } from "./server.mjs";

const SET = "arc1:training";
const N_CARDS = 1_120;
const STROKES = [..."#f"];
const PAUSE = 80;
const nTasks = Number(process.argv[2] ?? 400);

const sorted = (times) => times.toSorted((a, b) => a - b);
const quantile = (times, share) => sorted(times)[Math.min(times.length - 1, Math.floor(times.length * share))];
const row = (name, times) => console.log(`${name.padEnd(52)} p50 ${quantile(times, 0.5).toFixed(1)} ms   p95 ${quantile(times, 0.95).toFixed(1)} ms   n ${times.length}`);

/** A data set of 1,120 tasks: those of training, and changed copies of them. */
function manyTasks(dir) {
  const all = Object.entries(JSON.parse(leyden(dir, "augment", "--data", SET, "--n", "3", "--out", "-")));
  writeFileSync(join(dir, "many.json"), JSON.stringify(Object.fromEntries(all.slice(0, N_CARDS))));
  return "many.json";
}

async function gallery(browser, dir) {
  const server = await new Server(dir, ["--data", manyTasks(dir), "--solvers", join(dir, "none.py")]).start();
  const drawn = [];
  for (let k = 0; k < 7; k += 1) {
    const tab = await Tab.open(browser, server, LOOKS[0]);
    await tab.page.locator(".count").waitFor();
    const measured = await tab.page.waitForFunction(() => performance.getEntriesByName("gallery-drawn")[0]?.duration);
    if (k === 0) console.log(`gallery: ${await tab.page.locator(".count").innerText()}`);
    drawn.push(await measured.jsonValue());
    await tab.close();
  }
  row("gallery, from its data to the first pictures", drawn);
  await server.kill();
}

/** Types a short comment at the end of each program, and reads how long the verdict of each key takes. */
async function strokes(browser, dir) {
  const server = await new Server(dir, ["--data", SET]).start();
  const call = caller(server);
  const { tasks } = await call(`sets/${encodeURIComponent(SET)}/tasks`);
  const tab = await Tab.open(browser, server, LOOKS[0]);
  const { page } = tab;
  const times = [];
  for (const { id, program } of tasks.slice(0, nTasks)) {
    if (program === null) continue;
    await tab.go(`/edit/${encodeURIComponent(SET)}/${id}`);
    await page.locator(".ed-summary:not(:empty)").filter({ hasNotText: "Running" }).waitFor();
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    for (const key of STROKES) times.push(await stroke(page, key));
  }
  const whole = (some) => some.map((it) => it.duration);
  row("key stroke to verdict", whole(times));
  row("  of which the server runs the program", times.map((it) => it.millis));
  row("  of which everything else", times.map((it) => it.duration - it.millis));
  row("the first stroke on each page", whole(times.filter((_, k) => k % STROKES.length === 0)));
  tab.assertQuiet();
  await server.kill();
}

async function stroke(page, key) {
  await page.evaluate(() => performance.clearMeasures("verdict"));
  await page.keyboard.press(key);
  // As a quick typist; a question at every frame would hold the page up.
  await page.waitForTimeout(PAUSE);
  const measured = await page.waitForFunction(() => {
    const entry = performance.getEntriesByName("verdict").at(-1);
    return entry && { duration: entry.duration, millis: entry.detail.millis };
  });
  return measured.jsonValue();
}

function plain(dir) {
  const times = [];
  for (let k = 0; k < 20; k += 1) {
    const started = performance.now();
    leyden(dir, "show", "00d62c1b", "--data", SET);
    times.push(performance.now() - started);
  }
  row("a process of `leyden show`, for comparison", times);
}

const dir = scratch();
writeFileSync(join(dir, "none.py"), "def solve_00000000(I):\n    return I\n");
const browser = await openBrowser();
plain(dir);
await gallery(browser, dir);
await strokes(browser, dir);
await browser.close();
