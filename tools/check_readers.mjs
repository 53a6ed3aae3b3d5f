// Opens exported profiles in their programs, in headless Chromium.
// Called by tools/check_readers.py: node check_readers.mjs DIR NODE_MODULES CHROMIUM EXPECTED.json
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";

const [directory, modules, chromium, expectedFile] = process.argv.slice(2);
const require = createRequire(join(modules, "node_modules", "x.js"));
const playwright = require("playwright-core");
const expected = JSON.parse(readFileSync(expectedFile, "utf8"));
const speedscope = join(modules, "node_modules", "speedscope", "dist", "release");
const failures = [];

function check(what, holds, detail = "") {
  console.log(`${holds ? "ok    " : "FAILED"}  ${what}${holds || !detail ? "" : ": " + detail}`);
  if (!holds) failures.push(what);
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = path.startsWith("/data/") ? join(directory, path.slice(6)) : join(speedscope, path === "/" ? "index.html" : path);
    try {
      const body = readFileSync(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] || "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// A page that notes everything that goes wrong in it.
async function watched(browser, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const notes = { errors: [], requests: [] };
  page.on("console", message => { if (["error", "warning"].includes(message.type())) notes.errors.push(message.text()); });
  page.on("pageerror", error => notes.errors.push(String(error)));
  page.on("request", request => notes.requests.push(request.url()));
  return { context, page, notes };
}

async function inSpeedscope(browser, port, name) {
  const { context, page, notes } = await watched(browser);
  await page.goto(`http://127.0.0.1:${port}/#profileURL=/data/${encodeURIComponent(name)}`);
  await page.getByText("Sandwich").first().click({ timeout: 20000 });
  await page.waitForSelector("table tr td", { timeout: 20000 });
  const rows = await page.$$eval("table tr", all => all.map(row => [...row.children].map(cell => cell.innerText.trim())));
  const named = rows.filter(row => row.length === 3 && row[2]);
  const symbols = named.map(row => row[2]);
  for (const symbol of expected.symbols) {
    check(`speedscope, ${name}: lists ${symbol}`, symbols.some(found => found.startsWith(symbol)), symbols.join(" | "));
  }
  const self = named.reduce((sum, row) => sum + parseFloat((row[1].match(/\(([\d.]+)%\)/) || [0, "0"])[1]), 0);
  check(`speedscope, ${name}: self times come to 100 %`, Math.abs(self - 100) < 1.5, `${self}`);
  check(`speedscope, ${name}: no page errors`, notes.errors.filter(e => !/WebGL|GPU stall|GroupMarker|favicon/i.test(e)).length === 0, notes.errors.join(" | "));
  await page.screenshot({ path: join(directory, `speedscope-${name}.png`) });
  await context.close();
}

const LOOKS = [
  ["light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 800 }, colorScheme: "light", isMobile: true, deviceScaleFactor: 2 }],
];

async function asHtml(browser, name) {
  const address = pathToFileURL(join(directory, name)).href;
  for (const [look, options] of LOOKS) {
    const { context, page, notes } = await watched(browser, options);
    await page.goto(address);
    await page.waitForSelector("#about");
    check(`${name}, ${look}: no console errors`, notes.errors.length === 0, notes.errors.join(" | "));
    const outside = notes.requests.filter(url => url !== address && !url.startsWith("data:"));
    check(`${name}, ${look}: no request leaves the file`, outside.length === 0, outside.join(" "));
    const drawn = await page.$$eval("main svg", all => all.filter(s => s.getBoundingClientRect().width > 20 && s.childElementCount > 1).length);
    check(`${name}, ${look}: charts are drawn`, drawn >= 5, `${drawn}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`${name}, ${look}: nothing sticks out`, overflow <= 0, `${overflow} px`);
    const clipped = await page.$$eval(".scroll", all => all.filter(box => box.scrollWidth > box.clientWidth + 1).length);
    check(`${name}, ${look}: no table is clipped`, look === "phone" || clipped === 0, `${clipped}`);
    check(`${name}, ${look}: the verdict comes first`, await verdictIsFirst(page));
    await page.screenshot({ path: join(directory, `${name}-${look}.png`), fullPage: true });
    if (look === "light") await interact(page, name);
    await context.close();
  }
  const { context, page } = await watched(browser, { colorScheme: "light" });
  await page.goto(address);
  await page.pdf({ path: join(directory, `${name}.pdf`), format: "A4", margin: { top: "15mm", bottom: "15mm", left: "12mm", right: "12mm" } });
  await context.close();
}

async function verdictIsFirst(page) {
  return page.evaluate(() => {
    const verdict = document.querySelector(".verdict"), table = document.querySelector("table");
    return Boolean(verdict) && verdict.innerText.endsWith(".") && verdict.getBoundingClientRect().bottom < table.getBoundingClientRect().top;
  });
}

// Without scripts there are the verdict and the tables.
async function withoutScripts(browser, name) {
  for (const [look, options] of LOOKS) {
    const { context, page } = await watched(browser, { ...options, javaScriptEnabled: false });
    await page.goto(pathToFileURL(join(directory, name)).href);
    const shown = await page.locator("table").count();
    check(`${name}, ${look}, without scripts: there are tables`, shown >= 2, `${shown}`);
    check(`${name}, ${look}, without scripts: the verdict is there`, await page.locator(".verdict").first().isVisible());
    await page.screenshot({ path: join(directory, `${name}-plain-${look}.png`), fullPage: true });
    await context.close();
  }
}

// Sorting sorts, and a click on a box of the chart looks inside it.
async function interact(page, name) {
  const firstCell = () => page.$eval("#primitives tbody td", cell => cell.innerText);
  await page.click("#primitives th:first-child button");
  const ascending = await firstCell();
  await page.click("#primitives th:first-child button");
  const descending = await firstCell();
  check(`${name}: tables sort`, ascending < descending, `${ascending} ${descending}`);
  const boxes = () => page.$$eval("#stacks svg rect", all => all.length);
  const before = await boxes();
  await page.locator("#stacks svg rect.hit").nth(2).click();
  const after = await boxes();
  await page.click("#stacks .bar-tools button");
  const reset = await boxes();
  check(`${name}: the chart zooms and comes back`, after < before && reset === before, `${before} ${after} ${reset}`);
}

async function asFlameGraph(browser, name) {
  const { context, page, notes } = await watched(browser);
  await page.goto(pathToFileURL(join(directory, name)).href);
  const titles = await page.$$eval("#frames title", all => all.map(title => title.textContent));
  for (const symbol of expected.symbols) {
    check(`${name}: shows ${symbol}`, titles.some(title => title.startsWith(symbol)), titles.join(" | ").slice(0, 300));
  }
  check(`${name}: no errors`, notes.errors.length === 0, notes.errors.join(" | "));
  await page.screenshot({ path: join(directory, `${name}.png`) });
  await context.close();
}

const browser = await playwright.chromium.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});
const server = await serve();
try {
  for (const name of expected.speedscope) await inSpeedscope(browser, server.address().port, name);
  for (const name of expected.html) await asHtml(browser, name);
  for (const name of [...expected.html, ...expected.plain]) await withoutScripts(browser, name);
  await asFlameGraph(browser, expected.flame);
} catch (error) {
  check("every page opens", false, String(error));
}
await browser.close();
server.close();
process.exit(failures.length ? 1 : 0);
