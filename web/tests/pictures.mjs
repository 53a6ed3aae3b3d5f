// Takes the pictures of docs/explore.md.
//
// usage: node tests/pictures.mjs DIRECTORY

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LOOKS, openBrowser, Tab } from "./browser.mjs";
import { caller, filled, TASK } from "./material.mjs";
import { scratch, Server } from "./server.mjs";

const [target] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const dir = scratch();
const { files, addresses } = await filled(dir);
const server = await new Server(dir, ["--data", "demo", ...files]).start();
const screens = await addresses(server);
const call = caller(server);
const run = await call("runs", { command: "evolve", set: "demo", options: { budget: "8s", seed: 1 } });
const browser = await openBrowser();
const tab = await Tab.open(browser, server, LOOKS[0]);
const { page } = tab;
const take = (name, height) => page.screenshot({ path: join(target, `${name}.png`), clip: { x: 0, y: 0, width: 1280, height }, caret: "initial" });

await tab.go(screens.gallery);
await take("gallery", 560);
await tab.go(`/edit/demo/${TASK}`);
await page.locator(".ed-summary.good").waitFor();
await take("editor", 660);
await page.getByText("EIGHT").first().click();
await page.getByRole("button", { name: "Variants" }).click();
await page.locator(".ed-variants").getByRole("option").first().waitFor();
await page.locator(".ed-tool").screenshot({ path: join(target, "variants.png"), caret: "initial" });
await tab.go(`/runs/${run.id}`);
await page.getByRole("button", { name: "Forget" }).waitFor({ timeout: 60_000 });
await tab.settled();
await take("run", 700);
const { programs } = await call("programs?origin=leyden%20evolve&state=fits&limit=100");
const families = await Promise.all(programs.map((it) => call(`programs/${it.hash}/lineage`)));
const largest = families.reduce((best, it) => (it.nodes.length > best.nodes.length && it.nodes.length < 8 ? it : best), { nodes: [] });
await tab.go(`/program/${largest.hash}`);
await page.locator(".graph-node.current").waitFor();
await page.locator(".family").screenshot({ path: join(target, "program.png"), caret: "initial" });
tab.assertQuiet();
await browser.close();
await server.kill();
