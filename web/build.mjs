// Writes the page as one zip archive with equal bytes on every machine, and checks its size.
//
// usage: node build.mjs FILE.zip

import { writeFileSync } from "node:fs";
import { gzipSync, zipSync } from "fflate";
import { bundle } from "./bundle.mjs";

/** Bytes after gzip: the whole bundle, and the files that the gallery needs. */
const BUDGET = { whole: 250_000, first: 45_000 };
/** An archive does not tell when it was made. */
const LONG_AGO = new Date(1980, 0, 1);

function checkBudget(files, first) {
  const sizes = [...files].map(([name, bytes]) => [name, gzipSync(bytes, { level: 9, mtime: LONG_AGO }).length]);
  const sum = (of) => of.reduce((total, [, size]) => total + size, 0);
  const whole = sum(sizes);
  const early = sum(sizes.filter(([name]) => first.has(name)));
  for (const [name, size] of sizes) console.log(`${String(size).padStart(7)} ${name}`);
  console.log(`${whole} bytes in all (at most ${BUDGET.whole}), ${early} for the first page (at most ${BUDGET.first})`);
  if (whole > BUDGET.whole || early > BUDGET.first) throw new Error("the page is larger than its budget");
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("usage: node build.mjs FILE.zip");
const { files, first } = await bundle();
checkBudget(files, first);
const entries = [...files].map(([name, bytes]) => [name, [new Uint8Array(bytes), { mtime: LONG_AGO, level: 9, os: 3 }]]);
writeFileSync(target, zipSync(Object.fromEntries(entries)));
