// The page when its server dies and returns, and runs that outlive their tab and their server.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, Tab } from "./browser.mjs";
import { TASK } from "./material.mjs";
import { leyden, scratch, Server } from "./server.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser?.close());

/** A port that stays, so that the link stays. */
async function fixed(dir, args) {
  const first = await new Server(dir, args).start();
  await first.kill();
  return new Server(dir, args, first.port).start();
}

/** Chromium reports calls that a killed server does not answer, or not to the end. */
const REFUSED = ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING"];

test("a page goes on when its server comes back", async () => {
  const server = await fixed(scratch(), ["--data", "demo"]);
  const { link } = server;
  const tab = await Tab.open(browser, server);
  const { page } = tab;
  await tab.go(`/edit/demo/${TASK}`);
  await page.locator(".ed-summary.good").waitFor();
  await server.kill();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# one");
  await page.getByRole("alert").filter({ hasText: "does not answer" }).first().waitFor();
  await server.start();
  assert.equal(server.link, link, "a chosen port keeps its link");
  await page.getByRole("alert").filter({ hasText: "does not answer" }).first().waitFor({ state: "detached" });
  await page.locator(".cm-content").click();
  await page.keyboard.type(" two");
  await page.locator(".ed-summary.good").waitFor();
  tab.assertQuiet(REFUSED);
  await tab.close();
  await server.kill();
});

test("a run outlives its tab, and a kill leaves it to be resumed", async () => {
  const dir = scratch();
  const server = await fixed(dir, ["--data", "demo"]);
  const first = await Tab.open(browser, server);
  await first.go("/runs");
  await first.page.getByLabel(/^evolve/).check();
  await first.page.getByLabel("Time in all").fill("10m");
  await first.page.getByRole("button", { name: "Start" }).click();
  await first.page.getByRole("heading", { name: "Run r1" }).waitFor();
  await first.page.locator(".finds li").first().waitFor({ timeout: 60_000 });
  first.assertQuiet();
  await first.close();

  const second = await Tab.open(browser, server);
  await second.go("/runs/r1");
  await second.page.getByRole("button", { name: "Stop" }).waitFor();
  await server.kill();
  const checked = JSON.parse(leyden(dir, "library", "check", "--store", "own.db", "--json", "-"));
  assert.equal(checked.is_sound, true);
  await server.start();
  const resume = second.page.getByRole("button", { name: "Resume" });
  await resume.waitFor({ timeout: 30_000 });
  await resume.click();
  await second.page.getByRole("button", { name: "Stop" }).click();
  await resume.waitFor({ timeout: 30_000 });
  second.assertQuiet(REFUSED);
  await second.close();
  await server.kill();
});

test("hostile names stay text", async () => {
  const dir = scratch();
  const evil = `<img src=x onerror="document.title='owned'">'"\u202E&amp;`;
  const task = { train: [{ input: [[1]], output: [[1]] }], test: [{ input: [[2]] }] };
  writeFileSync(join(dir, "evil.json"), JSON.stringify({ [evil]: task }));
  writeFileSync(join(dir, "evil.py"), "def solve_a(I):\n    return I\n");
  const server = await new Server(dir, ["--data", "evil.json", "--solvers", "evil.py"]).start();
  const tab = await Tab.open(browser, server);
  await tab.settled();
  const links = await tab.page.locator(".card").evaluateAll((all) => all.map((it) => it.getAttribute("href")));
  for (const address of [...links, ...links.map((it) => it.replace("/task/", "/edit/")), "/library", `/library?q=${encodeURIComponent(evil)}`, `/task/${encodeURIComponent(evil)}/x`]) {
    await tab.go(address);
    assert.equal(await tab.page.locator("img").count(), 0, address);
    assert.doesNotMatch(await tab.page.title(), /^owned$/);
  }
  tab.assertQuiet(["404", "400"]);
  await tab.close();
  await server.kill();
});
