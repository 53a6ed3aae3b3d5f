// One walk through every screen by mouse, one by keyboard alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LOOKS, openBrowser, Tab } from "./browser.mjs";
import { filled } from "./material.mjs";
import { scratch, Server } from "./server.mjs";

/** The output is `vmirror` of the input above `hmirror` of it. */
const TASK = "1e7d0025";
const PHONE = LOOKS.find((look) => look.width === 390);
let browser;
let server;

before(async () => {
  const dir = scratch();
  const { files } = await filled(dir);
  server = await new Server(dir, ["--data", "demo", ...files]).start();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.kill();
});

/** Pastes a text in place of the whole text of the editor, which has the focus. */
async function paste(page, text) {
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
}

async function write(page, text) {
  await page.locator(".cm-content").focus();
  await paste(page, text);
}

const program = (...lines) => `def solve(I):\n${lines.map((line) => `    ${line}\n`).join("")}`;

for (const look of [LOOKS[0], PHONE]) {
  test(`by mouse, ${look.name}`, async () => {
    const tab = await Tab.open(browser, server, look);
    const { page } = tab;
    const nav = async (name) => {
      await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name }).click();
      await tab.settled();
    };

    await page.getByRole("searchbox").first().fill(TASK);
    await page.getByText("1 of 50 tasks").waitFor();
    await page.locator(`[data-task="${TASK}"] a`).click();
    await page.getByRole("heading", { name: `Task ${TASK}` }).waitFor();
    // Test outputs are hidden until the user asks.
    await page.getByText("hidden", { exact: true }).first().waitFor();
    await page.getByRole("checkbox", { name: "Show test outputs" }).check();
    await page.getByRole("img", { name: /^Test 1, output/ }).first().waitFor();
    assert.match(page.url(), /tests=1/);

    await page.getByRole("link", { name: "Edit from scratch" }).click();
    await page.locator(".cm-content").waitFor();
    await write(page, program("return vmiror(I)"));
    await page.locator(".ed-summary.bad").waitFor();
    await page.locator(".ed-findings").filter({ hasText: "vmiror" }).waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    await write(page, program("x1 = hmirror(I)", "x2 = hmirror(I)", "return vconcat(x1, x2)"));
    await page.locator(".ed-summary:not(.bad)").filter({ hasText: /fits|credit/ }).waitFor();

    await page.getByText("hmirror").first().click();
    await page.getByRole("button", { name: "Variants" }).click();
    const winner = page.locator(".ed-variants").getByRole("option").first();
    await winner.waitFor();
    assert.match(await winner.innerText(), /vmirror/, "winners stand first");
    const before = page.url();
    await winner.click();
    await page.locator(".ed-summary.good").waitFor();
    assert.match(await page.locator(".cm-content").innerText(), /x1 = vmirror\(I\)/);
    await page.waitForURL((url) => url.href !== before);
    await page.reload();
    await page.locator(".ed-summary.good").waitFor();
    assert.match(await page.locator(".cm-content").innerText(), /x1 = vmirror\(I\)/, "the text lives in the link");
    await page.getByRole("button", { name: "Save to the library" }).click();
    await page.locator(".ed-news a").click();
    await page.getByRole("heading", { name: "Lineage" }).waitFor();

    await nav("Library");
    await page.getByRole("searchbox").fill("vmirror vconcat");
    await page.locator("tbody tr").first().waitFor();
    assert.ok((await page.locator("tbody tr").count()) >= 2, "the solver and the saved program");
    await nav("Batteries");
    await page.getByRole("link", { name: "a.batt" }).click();
    await tab.settled();
    await page.locator("tbody tr a").first().click();
    await page.locator(".graph-node.current").waitFor();
    await nav("Profiles");
    await page.locator("main").getByRole("link", { name: "a.json" }).first().click();
    await page.getByRole("table").first().waitFor();
    await nav("Submissions");
    await page.locator("main").getByRole("link", { name: "good.json" }).first().click();
    await page.getByRole("heading", { name: "good.json" }).waitFor();

    await nav("Runs");
    if (!(await page.getByLabel("Time for each task").isVisible())) await page.getByText("Start a run").click();
    await page.getByLabel("Time for each task").fill("20ms");
    await page.getByLabel("Known programs", { exact: true }).selectOption("none");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { name: /^Run r/ }).waitFor();
    await page.getByText("50 of 50").first().waitFor({ timeout: 60_000 });
    await nav("Gallery");
    tab.assertQuiet();
    await tab.close();
  });
}

/** Presses Tab until the focus is on something of this name. */
async function tabTo(page, name) {
  for (let k = 0; k < 120; k += 1) {
    const found = await page.evaluate(() => {
      const it = document.activeElement;
      return it === null ? "" : (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent ?? "").trim();
    });
    if (name instanceof RegExp ? name.test(found) : found === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not come to ${name}`);
}

for (const look of [LOOKS[1], PHONE]) {
  test(`by keyboard alone, ${look.name}`, async () => {
    const tab = await Tab.open(browser, server, look);
    const { page } = tab;
    const keys = page.keyboard;
    const nav = async (name) => {
      await page.evaluate(() => document.activeElement?.blur());
      await tabTo(page, name);
      await keys.press("Enter");
      await tab.settled();
    };
    await tab.settled();
    await page.locator(".card").first().waitFor();
    await keys.press("/");
    await keys.type(TASK);
    await page.getByText("1 of 50 tasks").waitFor();
    await keys.press("Tab");
    await tabTo(page, new RegExp(TASK));
    await keys.press("Enter");
    await page.getByRole("heading", { name: `Task ${TASK}` }).waitFor();
    await page.locator(".task-pairs canvas, .task-pairs table").first().waitFor();
    await keys.press("e");
    await page.locator(".ed-summary.good").waitFor();

    await keys.press("i");
    await paste(page, program("x1 = hmirror(I)", "x2 = hmirror(I)", "x3 = vconcat(x1, x2)", `return replace(x3, ${look.width}, 0)`));
    await page.locator(".ed-summary:not(.good)").waitFor();
    await keys.press("Control+Home");
    await keys.press("ArrowDown");
    for (let k = 0; k < 11; k += 1) await keys.press("ArrowRight");
    await keys.press("Alt+Enter");
    await page.locator(".ed-variants").getByRole("option").first().waitFor();
    await keys.press("ArrowRight");
    await keys.press("ArrowLeft");
    await keys.press("Enter");
    await page.locator(".ed-summary.good").waitFor();
    await keys.press("Control+s");
    await page.locator(".ed-news a").waitFor();
    await keys.press("Escape");

    // Paint: spoil a right output, and let the search find no edit, or an edit, for it.
    await keys.press("c");
    await tabTo(page, /as you mean it/);
    await keys.press("3");
    await tabTo(page, "Find an edit");
    await keys.press("Enter");
    await page.locator(".ed-tool [role=status]").filter({ hasText: /programs tried/ }).waitFor({ timeout: 30_000 });
    await keys.press("Escape");
    await page.locator(".ed-tool").waitFor({ state: "detached" });
    await keys.press("Escape");
    await keys.press("t");
    await page.getByRole("heading", { name: `Task ${TASK}` }).waitFor();

    await nav("Library");
    await keys.press("/");
    // The program that this walk saved; the one of the mouse calls no `replace` and has no parent.
    const found = page.waitForResponse(/programs\?.*replace/);
    await keys.type("hand replace");
    await found;
    await page.locator('table[aria-busy="false"] tr').filter({ hasText: "edited by hand" }).first().waitFor();
    await keys.press("Tab");
    await page.evaluate(() => document.activeElement?.blur());
    await keys.press("j");
    await keys.press("Enter");
    await page.getByRole("heading", { name: "Lineage" }).waitFor();
    await page.locator(".graph-node.current").waitFor();
    await keys.press("l");
    await page.locator(".graph-node:focus").waitFor();

    await nav("Batteries");
    await tabTo(page, "a.batt");
    await keys.press("Enter");
    await page.locator("tbody tr").first().waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    await keys.press("j");
    await keys.press("Enter");
    await page.locator(".graph-node.current").waitFor();
    await nav("Profiles");
    await tabTo(page, /^a\.json/);
    await keys.press("Enter");
    await page.getByRole("table").first().waitFor();
    await nav("Submissions");
    await tabTo(page, /^good\.json/);
    await keys.press("Enter");
    await page.getByRole("heading", { name: "good.json" }).waitFor();

    await nav("Runs");
    if (!(await page.getByLabel("Time for each task").isVisible())) {
      await tabTo(page, "Start a run");
      await keys.press("Enter");
    }
    await tabTo(page, "Time for each task");
    await keys.type("5s");
    await tabTo(page, "Start");
    await keys.press("Enter");
    await page.getByRole("heading", { name: /^Run r/ }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    await keys.press("s");
    await page.getByRole("button", { name: "Resume" }).waitFor({ timeout: 30_000 });
    await keys.press("x");
    await tabTo(page, "Forget it");
    await keys.press("Enter");
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
    await keys.press("?");
    await page.getByRole("dialog").waitFor();
    await keys.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    tab.assertQuiet();
    await tab.close();
  });
}
