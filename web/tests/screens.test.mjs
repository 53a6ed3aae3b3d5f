// Every screen in every look: no error, no request to another host, no serious finding of axe-core, no sideways
// scrolling. The pictures go to the directory of PICTURES, for a look.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LOOKS, openBrowser, Tab } from "./browser.mjs";
import { scratch, Server } from "./server.mjs";
import { filled } from "./material.mjs";

const PICTURES = process.env.PICTURES;
let browser;
let server;
let screens;

before(async () => {
  const dir = scratch();
  const { files, addresses } = await filled(dir);
  server = await new Server(dir, ["--data", "demo", ...files]).start();
  screens = await addresses(server);
  browser = await openBrowser();
  if (PICTURES) mkdirSync(PICTURES, { recursive: true });
});

after(async () => {
  await browser?.close();
  await server?.kill();
});

for (const look of LOOKS) {
  test(`every screen, ${look.name}`, async () => {
    const tab = await Tab.open(browser, server, look);
    for (const [name, address] of Object.entries(screens)) {
      await tab.go(address);
      const findings = await tab.axe();
      assert.deepEqual(findings, [], `${name}: axe-core`);
      assert.deepEqual(await tab.sideways(), [], `${name} scrolls sideways`);
      tab.assertQuiet();
      if (PICTURES) await tab.page.screenshot({ path: join(PICTURES, `${name}-${look.name}.png`), fullPage: true, caret: "initial" });
    }
    await tab.close();
  });
}
