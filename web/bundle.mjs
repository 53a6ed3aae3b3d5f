// The files of the page, as esbuild makes them.

import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
/** The modules that the first page loads. */
const FIRST = ["src/main.tsx", "src/screens/gallery.tsx"];

/** Gives all files by name, and the names of those that the first page needs. */
export async function bundle() {
  const bundled = await build({
    absWorkingDir: HERE,
    entryPoints: ["src/main.tsx"],
    outdir: "page",
    entryNames: "assets/[name]",
    chunkNames: "assets/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
  });
  return { files: filesOf(bundled.outputFiles), first: firstOf(bundled.metafile) };
}

function filesOf(outputFiles) {
  const made = outputFiles.map((file) => [`assets/${basename(file.path)}`, file.contents]);
  const kept = [
    ["index.html", readFileSync(join(HERE, "index.html"))],
    ["assets/icon.svg", readFileSync(join(HERE, "icon.svg"))],
  ];
  return new Map([...kept, ...made].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The outputs that the modules of the first page need, with all that they import statically. */
function firstOf({ outputs }) {
  const open = Object.keys(outputs).filter((name) => FIRST.includes(outputs[name].entryPoint));
  const found = new Set(["index.html", "assets/main.css", "assets/icon.svg"]);
  while (open.length > 0) {
    const name = open.pop();
    const place = `assets/${basename(name)}`;
    if (found.has(place)) continue;
    found.add(place);
    const needed = outputs[name].imports.filter((it) => it.kind === "import-statement");
    open.push(...needed.map((it) => it.path));
  }
  return found;
}
