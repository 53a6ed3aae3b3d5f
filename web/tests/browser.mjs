// Chromium, and pages that note everything that goes wrong in them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Chromium of its own accord asks hosts of its maker; these switches keep it quiet. */
const QUIET = ["disable-background-networking", "disable-component-update", "disable-sync", "disable-quic", "no-first-run", "disable-gpu", "no-sandbox"];

export const openBrowser = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET.map((it) => `--${it}`) });

/** Widths, themes and palettes: the tests visit every screen in each. */
export const LOOKS = [
  { name: "wide-light", width: 1280, theme: "light", palette: "arc" },
  { name: "wide-dark-safe", width: 1280, theme: "dark", palette: "safe" },
  { name: "phone-light-safe", width: 390, theme: "light", palette: "safe" },
  { name: "phone-dark", width: 390, theme: "dark", palette: "arc" },
];

/** Runs in the page. */
function standingOut() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const out = [...document.querySelectorAll("body *")].filter((it) => it.getBoundingClientRect().right > clientWidth + 0.5);
  return [`the page is ${scrollWidth} wide`, ...out.slice(0, 4).map((it) => it.outerHTML.slice(0, 200))];
}

/** A page in one look. `quiet` checks that nothing went wrong in it. */
export class Tab {
  static async open(browser, server, look = LOOKS[0]) {
    const context = await browser.newContext({
      viewport: { width: look.width, height: look.width < 500 ? 844 : 900 },
      colorScheme: look.theme,
      acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const tab = new Tab();
    Object.assign(tab, { context, server, look, wrong: [], outside: [], page: await context.newPage() });
    tab.watch();
    await tab.page.addInitScript((palette) => localStorage.getItem("leyden-palette") ?? localStorage.setItem("leyden-palette", palette), look.palette);
    await tab.page.goto(server.link);
    await tab.page.locator("nav a").first().waitFor();
    return tab;
  }

  watch() {
    const { page, server } = this;
    page.on("console", (message) => message.type() === "error" && this.wrong.push(message.text()));
    page.on("pageerror", (error) => this.wrong.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(server.origin) && !/^(data|blob):/.test(url)) this.outside.push(url);
    });
  }

  /** Goes to an address without loading the page again, as a link does. */
  async go(address) {
    const title = await this.page.title();
    const from = new URL(this.page.url()).pathname;
    await this.page.evaluate((it) => {
      const link = document.createElement("a");
      link.href = it;
      document.body.append(link);
      link.click();
      link.remove();
    }, address);
    // The old screen stands until the code of the new one is there.
    if (address.split("?")[0] !== from) await this.page.waitForFunction((old) => document.title !== old, title);
    await this.settled();
  }

  /** Waits until nothing loads any more. */
  async settled() {
    await this.page.waitForFunction(() => document.querySelector("main h1") !== null && document.querySelector(".waiting") === null);
    await this.page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))));
  }

  /** The serious findings of axe-core, a line each. */
  async axe() {
    const isThere = await this.page.evaluate(() => "axe" in window);
    // The policy of the page forbids inline scripts; the debugger may still add one.
    if (!isThere) await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = violations.filter((it) => it.impact === "serious" || it.impact === "critical");
    return serious.map((it) => `${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  }

  /** The elements that stand out of the window at its right side, outermost first, once the page has had time to fit in. */
  async sideways() {
    for (let k = 0; k < 20; k += 1) {
      const out = await this.page.evaluate(standingOut);
      if (out.length === 0 || k === 19) return out;
      await this.page.waitForTimeout(100);
    }
  }

  assertQuiet(allowed = []) {
    const wrong = this.wrong.filter((text) => !allowed.some((it) => text.includes(it)));
    assert.deepEqual(wrong, [], "errors in the console");
    assert.deepEqual(this.outside, [], "requests that leave the server");
  }

  close() {
    return this.context.close();
  }
}
