"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const redraws = [];

// ---- making elements; text is always set as text ----
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
function svg(tag, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
function clickable(node, label, action) {
  node.classList.add("hit");
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", label);
  node.addEventListener("click", action);
  node.addEventListener("keydown", e => {
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); action(); }
  });
}

// ---- numbers ----
function figures(value) {
  const size = Math.abs(value);
  return value.toFixed(size === 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}
function time(ns) {
  const size = Math.abs(ns);
  if (size < 1e3) return figures(ns) + " ns";
  if (size < 1e6) return figures(ns / 1e3) + " µs";
  if (size < 1e9) return figures(ns / 1e6) + " ms";
  if (size < 120e9) return figures(ns / 1e9) + " s";
  if (size < 7200e9) return figures(ns / 60e9) + " min";
  return figures(ns / 3600e9) + " h";
}
const percent = share => (100 * share).toFixed(1) + " %";
const count = n => n.toLocaleString("en-US");
const counted = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

// ---- colours ----
const THEMES = {
  objects: "#c2622d", functional: "#4077b3", grids: "#3c8d7a", sets: "#8a6fb0", tuples: "#b08b2e",
  patches: "#8a6fb0", containers: "#b08b2e",
  arithmetic: "#71879c", colour: "#b5517b", geometry: "#648f3e", lines: "#3f98b5", "(engine)": "#98978f",
};
const SERIES = ["#4077b3", "#c2622d", "#3c8d7a", "#8a6fb0", "#b08b2e", "#b5517b", "#648f3e", "#3f98b5", "#71879c", "#98978f"];
function hash(text) {
  let h = 2166136261;
  for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 16777619) >>> 0;
  return h;
}
// Rows of other layers than execute have no theme.
const rowColour = row => row.layer === "execute" ? themeColour(row.theme || "(engine)") : "#c4beb0";
const themeColour = theme => THEMES[theme] || SERIES[hash(theme) % SERIES.length];
// Equal names have equal colours.
const PARTS = { execute: SERIES[0], "start-up": SERIES[8], load: SERIES[4], generate: SERIES[2], validate: SERIES[3] };
function partColours(rows) {
  const taken = new Set(rows.map(row => PARTS[row.name]));
  const free = SERIES.filter(colour => !taken.has(colour));
  let next = 0;
  return rows.map(row => PARTS[row.name] || free[next++ % free.length]);
}
const ARC = ["#000000", "#0074d9", "#ff4136", "#2ecc40", "#ffdc00", "#aaaaaa", "#f012be", "#ff851b", "#7fdbff", "#870c25"];
// Black or white, whichever reads better.
function inkOn(hex) {
  const channel = k => Math.pow(parseInt(hex.slice(k, k + 2), 16) / 255, 2.2);
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) > 0.28 ? "#000" : "#fff";
}

// ---- sections ----
function section(id, title, explanation) {
  const node = el("section", { id }, el("h2", {}, title));
  if (explanation) node.append(el("p", {}, explanation));
  main.append(node);
  document.getElementById("nav").append(el("a", { href: "#" + id }, title));
  return node;
}
// Draws now and whenever the width changes.
function drawn(parent, draw) {
  const holder = el("div");
  parent.append(holder);
  let width = 0;
  const redraw = () => {
    const now = Math.round(holder.clientWidth) || 700;
    if (now === width) return;
    width = now;
    holder.replaceChildren(draw(now));
  };
  redraws.push(redraw);
  redraw();
  return { again: () => { width = 0; redraw(); } };
}

// ---- tables that sort ----
// Columns: { name, value: row => sort key, show: row => text or node, right, class, minor }
// Narrow screens leave minor columns out until they are asked for.
function table(parent, columns, rows, { first = 25, sort = null } = {}) {
  let order = sort, descending = true, all = rows.length <= first + 5;
  const body = el("tbody");
  const classes = column => [column.right ? "n" : "", column.minor ? "minor" : ""].join(" ").trim();
  const heads = columns.map((column, k) => el("th", { class: classes(column) || null, scope: "col" },
    el("button", { type: "button", onclick: () => {
      descending = order === k ? !descending : Boolean(column.right);
      order = k;
      fill();
    } }, column.name)));
  const more = el("button", { type: "button", onclick: () => { all = true; fill(); } });
  const moreLine = el("p", { class: "more" }, more);
  function fill() {
    const sorted = [...rows];
    if (order !== null) {
      const key = columns[order].value, sign = descending ? -1 : 1;
      sorted.sort((a, b) => { const x = key(a), y = key(b); return sign * (x < y ? -1 : x > y ? 1 : 0); });
    }
    heads.forEach((head, k) => {
      if (k === order) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const shown = all ? sorted : sorted.slice(0, first);
    body.replaceChildren(...shown.map(row => el("tr", {}, ...columns.map(column => {
      const cell = column.show ? column.show(row) : column.value(row);
      const content = cell instanceof Node ? cell : String(cell ?? "");
      const node = el("td", { class: `${classes(column)} ${column.class || ""}`.trim() || null }, content);
      if (column.meter) node.append(el("i", { style: `width:${Math.min(100, 100 * column.meter(row))}%` }));
      return node;
    }))));
    moreLine.hidden = all;
    more.textContent = `Show all ${count(rows.length)}`;
  }
  fill();
  const whole = el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body);
  if (columns.some(column => column.minor)) {
    const button = el("button", { type: "button", class: "columns", onclick: () => {
      button.textContent = whole.classList.toggle("full") ? "Fewer columns" : "All columns";
    } }, "All columns");
    parent.append(el("p", { class: "more columns" }, button));
  }
  parent.append(el("div", { class: "scroll" }, whole), moreLine);
}

// ---- head ----
// The title and the verdict are in the page itself.
function head() {
  const node = document.getElementById("head");
  const list = el("dl", { class: "figures" });
  for (const [what, value] of data.figures) list.append(el("div", {}, el("dt", {}, what), el("dd", {}, value)));
  node.append(list);
  const wrong = data.mismatches.length > 0;
  node.append(el("p", { class: wrong ? "sums wrong" : "sums" },
    wrong ? "Does not add up: " + data.mismatches.join("; ") + "." : "Self times, layers, phases and stacks add up to their totals within 2 %."));
}

// ---- the slow path ----
function slow() {
  if (!data.slow.length) return;
  const part = section("slow", "Slow path", "The reference engine runs the programs about which the fast one is not sure. No other change helps as much: on the fast engine such a program is that many times as fast.");
  table(part, [
    { name: "why", value: r => r.why, class: "wide" },
    { name: "at", value: r => r.primitive || "", class: "code" },
    { name: "time", value: r => r.time_ns, show: r => time(r.time_ns), right: true, minor: true },
    { name: "of execute", value: r => r.time_ns, show: r => percent(r.time_ns / (data.execute_ns || 1)), right: true, class: "meter", meter: r => r.time_ns / (data.execute_ns || 1) },
    { name: "fast engine", value: r => r.expected_speedup, show: r => figures(r.expected_speedup) + "×", right: true },
    { name: "programs", value: r => r.n_programs, show: r => count(r.n_programs), right: true, minor: true },
    { name: "runs", value: r => r.n_runs, show: r => count(r.n_runs), right: true, minor: true },
    { name: "how that is known", value: r => r.how, class: "wide", minor: true },
    { name: "for example", value: r => (r.programs || []).join(", "), show: r => examples(r), class: "wide code", minor: true },
  ], data.slow);
}
function examples(r) {
  const names = r.programs || [];
  return names.slice(0, 3).join(", ") + (r.n_programs > Math.min(3, names.length) ? " …" : "");
}

// ---- a bar in parts ----
function stackedBar(parent, parts, total) {
  drawn(parent, width => {
    const root = svg("svg", { viewBox: `0 0 ${width} 34`, role: "img", "aria-label": "Shares: " + parts.map(p => `${p.name} ${percent(p.ns / total)}`).join(", ") });
    let x = 0;
    for (const part of parts) {
      const w = total ? width * part.ns / total : 0;
      if (w < 0.3) { x += w; continue; }
      const rect = svg("rect", { x, y: 0, width: Math.max(w - 1, 0.3), height: 34, fill: part.colour });
      rect.append(svg("title", {}, `${part.name}: ${time(part.ns)}, ${percent(part.ns / total)}`));
      root.append(rect);
      if (w > part.name.length * 7 + 14) {
        const label = svg("text", { x: x + 8, y: 21, style: `fill:${inkOn(part.colour)}` }, part.name);
        label.setAttribute("pointer-events", "none");
        root.append(label);
      }
      x += w;
    }
    return root;
  });
  const legend = el("ul", { class: "legend" });
  for (const part of parts) {
    if (part.ns > 0) legend.append(el("li", {}, el("i", { style: `background:${part.colour}` }), `${part.name} ${time(part.ns)}, ${percent(part.ns / total)}`));
  }
  parent.append(legend);
}

// ---- primitives ----
function primitives() {
  const rows = data.primitives;
  if (!rows.length) return;
  const part = section("primitives", "Primitives", "Self time is the time in a primitive without the primitives it calls; all self times add up to the execute time. The thin line is cumulative time, calls included, so these lines overlap.");
  const top = rows.slice(0, 15), most = Math.max(...top.map(r => Math.max(r.self_ns, Math.min(r.cumulative_ns, data.execute_ns))), 1);
  drawn(part, width => {
    // On a narrow screen the name stands above its bar, and the bar has all of the width.
    const isNarrow = width < 560, step = isNarrow ? 40 : 25;
    const longest = Math.max(...top.map(row => row.name.length));
    const label = isNarrow ? 0 : Math.min(longest * 6.9 + 14, width * 0.34);
    const letters = Math.floor(((isNarrow ? width - 190 : label) - 12) / 6.7);
    const room = isNarrow ? width : width - label - 200;
    const root = svg("svg", { viewBox: `0 0 ${width} ${top.length * step}`, role: "img", "aria-label": "Self time of the primitives that take most" });
    top.forEach((row, k) => {
      const y = k * step, top = isNarrow ? y + 19 : y + 4, w = n => Math.max(1, room * n / most), colour = rowColour(row);
      const name = row.name.length > letters ? row.name.slice(0, letters - 1) + "…" : row.name;
      root.append(svg("text", isNarrow ? { x: 0, y: y + 14 } : { x: label - 10, y: y + 16, "text-anchor": "end" }, name));
      const bar = svg("rect", { x: label, y: top, width: w(row.self_ns), height: 15, rx: 1, fill: colour });
      bar.append(svg("title", {}, `${row.name}: self ${time(row.self_ns)}, cumulative ${time(row.cumulative_ns)}, ${count(row.calls)} calls`));
      root.append(bar);
      const cumulative = Math.min(row.cumulative_ns, most);
      if (cumulative > row.self_ns) root.append(svg("line", { x1: label + w(row.self_ns), x2: label + w(cumulative), y1: top + 7.5, y2: top + 7.5, stroke: colour, "stroke-width": 1.5 }));
      const base = isNarrow ? y + 14 : y + 16;
      root.append(svg("text", { x: width - (isNarrow ? 118 : 132), y: base, class: row.priority, "text-anchor": "end" }, row.priority));
      root.append(svg("text", { x: width - 56, y: base, "text-anchor": "end" }, time(row.self_ns)));
      root.append(svg("text", { x: width, y: base, "text-anchor": "end", class: "soft" }, percent(row.share)));
    });
    return root;
  });
  const legend = el("ul", { class: "legend" });
  for (const theme of data.themes) legend.append(el("li", {}, el("i", { style: `background:${themeColour(theme.theme)}` }), `${theme.theme} ${percent(theme.share)}`));
  const others = 1 - data.themes.reduce((total, theme) => total + theme.share, 0);
  if (others > 0.0005) legend.append(el("li", {}, el("i", { style: "background:#c4beb0" }), `other layers ${percent(others)}`));
  part.append(legend);
  if (data.categories.length) {
    part.append(el("h3", {}, "Execute time by category: themes of primitives, and the engine around them"));
    table(part, [
      { name: "category", value: r => r.name },
      { name: "self", value: r => r.self_ns, show: r => time(r.self_ns), right: true },
      { name: "share", value: r => r.self_ns, show: r => percent(r.share), right: true, class: "meter", meter: r => r.share },
      { name: "calls", value: r => r.calls, show: r => count(r.calls), right: true, minor: true },
      { name: "top five functions, with shares of the category", value: r => r.functions, class: "wide" },
    ], data.categories);
    part.append(el("h3", {}, "Every primitive"));
  }
  const optional = ns => ns === null ? "" : ns < data.resolution_ns ? `< ${data.resolution_ns} ns` : time(ns);
  const columns = [
    { name: "primitive", value: r => r.name, class: "code name" },
    { name: "self", value: r => r.self_ns, show: r => time(r.self_ns), right: true },
    { name: "share", value: r => r.share, show: r => percent(r.share), right: true, class: "meter", meter: r => r.share },
    { name: "priority", value: r => -["HIGH", "MEDIUM", "LOW", ""].indexOf(r.priority), show: r => el("span", { class: r.priority || null }, r.priority) },
    { name: "2×", value: r => r.gains[0], show: r => r.gains[0].toFixed(2) + "×", right: true },
    { name: "35×", value: r => r.gains[3], show: r => r.gains[3].toFixed(2) + "×", right: true, minor: true },
    { name: "calls", value: r => r.calls, show: r => count(r.calls), right: true, minor: true },
    { name: "mean", value: r => r.mean_ns, show: r => time(r.mean_ns), right: true, minor: true },
    { name: "median", value: r => r.median_ns ?? -1, show: r => optional(r.median_ns), right: true, minor: true },
    { name: "p99", value: r => r.p99_ns ?? -1, show: r => optional(r.p99_ns), right: true, minor: true },
    { name: "cumulative", value: r => r.cumulative_ns, show: r => time(r.cumulative_ns), right: true, minor: true },
    { name: "cells", value: r => r.cells, show: r => count(r.cells), right: true, minor: true },
  ];
  // Columns that would say nothing are left out.
  if (rows.some(r => r.faults)) columns.push({ name: "faults", value: r => r.faults, show: r => r.faults ? count(r.faults) : "", right: true, minor: true });
  if (rows.some(r => r.device !== null)) columns.push({ name: "device", value: r => r.device === null ? "" : r.device ? "yes" : "no", minor: true });
  if (rows.some(r => r.expected !== null)) columns.splice(3, 0, { name: "expected", value: r => r.expected ?? -1, show: r => r.expected === null ? "" : percent(r.expected), right: true });
  if (data.n_tasks > 3) columns.push(
    { name: `in tasks of ${data.n_tasks}`, value: r => r.matters, show: r => r.matters ? `${r.matters} ${r.spread}` : "", right: true, minor: true });
  table(part, columns, rows, { sort: 1, first: 20 });
  part.append(el("p", { class: "says" }, "2× and 35×: how many times as fast all of execute becomes if this one alone is that much faster. In tasks: where it takes more than 5 %."));
}

// ---- stacks ----
// With many programs a program is too narrow to see anything in it, so primitives stand right below layers.
const isPart = kind => kind === "program" || kind === "line";
function tree(withPrograms) {
  const root = { name: "all work", kind: "layer", ns: 0, self: 0, calls: 0, children: new Map() };
  for (const [frames, ns, calls] of data.stacks.paths) {
    let node = root;
    node.ns += ns;
    for (const place of frames) {
      if (!withPrograms && isPart(data.stacks.frames[place][1])) continue;
      let child = node.children.get(place);
      if (!child) {
        const [name, kind] = data.stacks.frames[place];
        child = { name, kind, ns: 0, self: 0, calls: 0, children: new Map(), up: node };
        node.children.set(place, child);
      }
      child.ns += ns;
      node = child;
    }
    node.self += ns;
    node.calls += calls;
  }
  const finish = (node, depth) => {
    node.depth = depth;
    node.kids = [...node.children.values()].sort((a, b) => b.ns - a.ns);
    node.kids.forEach(kid => finish(kid, depth + 1));
    node.height = 1 + Math.max(0, ...node.kids.map(kid => kid.height));
  };
  finish(root, 0);
  return root;
}
// Only primitives have a colour; the frames around them are grey.
const KINDS = { layer: "#5d6772", program: "#7c858e", line: "#a7adb3", engine: "#98978f" };
function frameColour(node) {
  if (node.kind !== "primitive") return KINDS[node.kind] || "#98978f";
  const known = data.primitives.find(row => row.name === node.name);
  return themeColour(known ? known.theme || "(engine)" : node.name);
}
function stacks() {
  if (!data.stacks.paths.length) return;
  const programs = data.stacks.frames.filter(([, kind]) => kind === "program").length;
  let withPrograms = programs <= data.most_programs;
  let root = tree(withPrograms);
  const part = section("stacks", "Where the time goes", "From layer to program, line, primitive and the primitives it calls. The width of a box is its time. Click a box to look inside it.");
  const start = () => data.starts_inside && root.kids.find(kid => kid.name === "execute") || root;
  let focus = start(), wanted = "";
  const search = el("input", { type: "search", placeholder: "Find", "aria-label": "Find in the chart", oninput: e => { wanted = e.target.value.trim().toLowerCase(); chart.again(); } });
  const reset = el("button", { type: "button", onclick: () => zoom(root) }, "Show all");
  const says = el("p", { class: "says" }, "\u00a0");
  const found = el("span", { class: "says", style: "margin:0" });
  const names = () => withPrograms ? "Primitives only" : "With programs and lines";
  const depth = el("button", { type: "button", onclick: () => {
    withPrograms = !withPrograms;
    root = tree(withPrograms);
    depth.textContent = names();
    zoom(start());
  } }, names());
  part.append(el("div", { class: "bar-tools" }, reset, search, programs ? depth : "", found));
  const describe = node => {
    const names = [];
    for (let at = node; at; at = at.up) names.unshift(at.name);
    return `${names.join(" › ")}: ${time(node.ns)}, ${percent(node.ns / root.ns)}; self ${time(node.self)}`;
  };
  const zoom = node => { focus = node; reset.disabled = focus === root; chart.again(); says.textContent = describe(node); };
  const matches = node => wanted && node.name.toLowerCase().includes(wanted);
  const chart = drawn(part, width => {
    const row = 22, above = [];
    for (let at = focus.up; at; at = at.up) above.unshift(at);
    const height = (above.length + focus.height) * row;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Icicle chart of call stacks" });
    let hits = 0;
    const box = (node, x, y, w) => {
      if (w < 0.5) return;
      const colour = frameColour(node), dim = wanted && !matches(node);
      const rect = svg("rect", { x, y, width: Math.max(w - 0.8, 0.4), height: row - 1.5, rx: 1, fill: colour, opacity: dim ? 0.25 : 1 });
      rect.append(svg("title", {}, describe(node)));
      if (w > 4) clickable(rect, describe(node), () => zoom(node));
      rect.addEventListener("pointerenter", () => { says.textContent = describe(node); });
      picture.append(rect);
      const letters = Math.floor((w - 10) / 6.6);
      if (letters >= 3) {
        const name = node.name.length > letters ? node.name.slice(0, letters - 1) + "…" : node.name;
        picture.append(svg("text", { x: x + 5, y: y + 14.5, style: `fill:${inkOn(colour)};pointer-events:none`, opacity: dim ? 0.5 : 1 }, name));
      }
    };
    above.forEach((node, k) => box(node, 0, k * row, width));
    const draw = (node, x, y, w) => {
      box(node, x, y, w);
      if (w < 0.5) return;
      for (const kid of node.kids) {
        const part = node.ns ? w * kid.ns / node.ns : 0;
        draw(kid, x, y + row, part);
        x += part;
      }
    };
    draw(focus, 0, above.length * row, width);
    const add = (node, inside) => {
      if (!inside && matches(node)) { hits += node.ns; inside = true; }
      node.kids.forEach(kid => add(kid, inside));
    };
    add(root, false);
    found.textContent = wanted ? `${percent(hits / root.ns)} of all work` : "";
    return picture;
  });
  reset.disabled = focus === root;
  part.append(says);
}

// ---- layers and phases ----
function phases() {
  if (!data.phases.length && !data.layers.length) return;
  const part = section("phases", "Phases and layers", "Every moment belongs to one phase and to one layer, so both add up to the whole run.");
  const grid = el("div", { class: "two" });
  part.append(grid);
  const side = (title, rows) => {
    if (!rows.length) return;
    const box = el("div", {}, el("h3", {}, title));
    grid.append(box);
    const colours = partColours(rows);
    stackedBar(box, rows.map((row, k) => ({ name: row.name, ns: row.self_ns, colour: colours[k] })), data.whole_ns);
  };
  side("Phases", data.phases);
  side("Layers", data.layers);
  if (data.phases.length) table(part, [
    { name: "phase", value: r => r.name },
    { name: "time", value: r => r.self_ns, show: r => time(r.self_ns), right: true },
    { name: "wall", value: r => r.wall_ns, show: r => time(r.wall_ns), right: true, minor: true },
    { name: "share", value: r => r.self_ns, show: r => percent(r.self_ns / (data.whole_ns || 1)), right: true, class: "meter", meter: r => r.self_ns / (data.whole_ns || 1) },
    { name: "scales with", value: r => r.scales_with, minor: true },
    { name: "units", value: r => r.units, show: r => count(r.units), right: true, minor: true },
    { name: "rate", value: r => r.units / r.self_ns, show: r => r.self_ns ? count(Math.round(r.units * 1e9 / r.self_ns)) + " /s" : "", right: true, minor: true },
    { name: "of it once", value: r => r.once_ns, show: r => r.once_ns ? time(r.once_ns) : "", right: true },
  ], data.phases);
}

// ---- axes for times ----
function ticks(low, high) {
  const found = [], steps = Math.log10(high / low) < 2.2 ? [1, 2, 5] : [1];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) found.push(...steps.map(step => step * 10 ** e));
  return found.filter(t => t >= low / 1.0001 && t <= high * 1.0001);
}

// ---- tasks ----
function grid(rows) {
  const height = rows.length, width = Math.max(...rows.map(row => row.length), 1);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `A grid of ${height} by ${width}`, "shape-rendering": "crispEdges" });
  rows.forEach((row, i) => [...row].forEach((cell, j) => root.append(svg("rect", { x: j, y: i, width: 1, height: 1, fill: ARC[cell] || "#fff", stroke: "#8888", "stroke-width": 0.04 }))));
  return root;
}
function tasks() {
  const rows = data.tasks;
  if (!rows.length) return;
  const outliers = rows.filter(r => r.z !== null);
  const part = section("tasks", "Tasks", outliers.length
    ? `A ring marks an outlier: ${outliers.length} of ${counted(rows.length, "task")}. The logarithm of its time is more than 3.5 robust deviations above the median.`
    : rows.length < 5 ? null : `No outliers among ${rows.length} tasks.`);
  const timed = rows.filter(r => r.self_ns > 0);
  const hinted = timed.length > 0 && timed.every(r => r.hint > 0);
  if (timed.length > 1) {
    const says = el("p", { class: "says" }, "\u00a0");
    drawn(part, width => {
      const height = 280, left = 62, bottom = 34, top = 10, right = 12;
      const ys = timed.map(r => r.self_ns), low = Math.min(...ys) / 1.3, high = Math.max(...ys) * 1.3;
      const log = (v, a, b) => (Math.log(Math.max(v, a)) - Math.log(a)) / (Math.log(b) - Math.log(a));
      const y = v => height - bottom - (height - bottom - top) * log(v, low, high);
      const xs = timed.map(r => r.hint), xlow = Math.min(...xs) / 1.1, xhigh = Math.max(...xs) * 1.1;
      const rank = new Map([...timed].sort((a, b) => a.self_ns - b.self_ns).map((r, k) => [r, k]));
      const x = r => left + (width - left - right) * (hinted ? log(r.hint, xlow, xhigh) : (rank.get(r) + 0.5) / timed.length);
      const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Time of each task" });
      for (const t of ticks(low, high)) root.append(
        svg("line", { x1: left, x2: width - right, y1: y(t), y2: y(t), class: "axis" }),
        svg("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end", class: "soft" }, time(t)));
      root.append(svg("line", { x1: left, x2: width - right, y1: y(data.median_task_ns), y2: y(data.median_task_ns), stroke: "var(--mark)", "stroke-dasharray": "4 4" }));
      root.append(svg("text", { x: width - right, y: height - 8, "text-anchor": "end", class: "soft" }, hinted ? "expected size, cells × lines (log)" : "tasks, fastest first"));
      root.append(svg("text", { x: width - right, y: y(data.median_task_ns) - 5, "text-anchor": "end", class: "soft" }, "median"));
      // A label must not cover the other rings and earlier labels.
      const labels = outliers.map(r => [x(r) - 9, x(r) + 9, y(r.self_ns)]);
      const isFree = (a, b, at) => labels.every(([l, r, y0]) => b < l || a > r || Math.abs(at - y0) > 13);
      for (const r of [...timed].sort((a, b) => b.self_ns - a.self_ns)) {
        const text = `${r.id}: ${time(r.self_ns)}` + (r.top ? `, most in ${r.top}` : "") + (r.z === null ? "" : `, outlier (z ${r.z.toFixed(1)})`);
        const dot = svg("circle", { cx: x(r), cy: y(r.self_ns), r: timed.length > 300 ? 2.5 : 4, fill: r.right === false ? "none" : "#4077b3", stroke: "#4077b3", "stroke-width": 1.3, "fill-opacity": 0.75 });
        dot.append(svg("title", {}, text));
        dot.addEventListener("pointerenter", () => { says.textContent = text; });
        root.append(dot);
        if (r.z !== null) {
          const late = x(r) > width - 110;
          root.append(svg("circle", { cx: x(r), cy: y(r.self_ns), r: 8, fill: "none", stroke: "var(--bad)", "stroke-width": 1.5 }));
          // Labels that would cover each other are left out; hovering and the table name them all.
          const size = r.id.length * 7.2, from = x(r) + (late ? -12 - size : 12);
          if (isFree(from, from + size, y(r.self_ns))) {
            labels.push([from, from + size, y(r.self_ns)]);
            root.append(svg("text", { x: x(r) + (late ? -12 : 12), y: y(r.self_ns) + 4, "text-anchor": late ? "end" : "start" }, r.id));
          }
        }
      }
      return root;
    });
    const known = rows.some(r => r.right !== null);
    part.append(says);
    if (known) part.append(el("ul", { class: "legend" },
      el("li", {}, el("i", { style: "background:#4077b3;border-radius:50%" }), "right"),
      el("li", {}, el("i", { style: "border:1.5px solid #4077b3;border-radius:50%" }), "not right")));
  }
  const shown = [...rows].filter(r => r.picture && r.picture.input.length).sort((a, b) => b.self_ns - a.self_ns).slice(0, 12);
  if (shown.length) {
    part.append(el("ul", { class: "pictures" }, ...shown.map(r => {
      const pair = el("div", {}, grid(r.picture.input));
      if (r.picture.output.length) pair.append(el("span", { "aria-hidden": "true" }, "→"), grid(r.picture.output));
      return el("li", {}, el("figure", {}, pair, el("figcaption", {}, el("b", {}, r.id), ` ${time(r.self_ns)}`, r.top ? `, ${r.top}` : "")));
    })));
  }
  table(part, [
    { name: "task", value: r => r.id, class: "code" },
    { name: "time", value: r => r.self_ns, show: r => time(r.self_ns), right: true },
    { name: "share", value: r => r.self_ns, show: r => percent(r.self_ns / (data.execute_ns || 1)), right: true, class: "meter", meter: r => r.self_ns / (data.execute_ns || 1) },
    { name: "per sample", value: r => r.samples ? r.self_ns / r.samples : 0, show: r => r.samples ? time(r.self_ns / r.samples) : "", right: true, minor: true },
    { name: "samples", value: r => r.samples, right: true, minor: true },
    { name: "runs", value: r => r.runs, show: r => count(r.runs), right: true, minor: true },
    { name: "faults", value: r => r.faults, show: r => r.faults ? count(r.faults) : "", right: true, minor: true },
    { name: "most time in", value: r => r.top, class: "wide" },
    { name: "z", value: r => r.z ?? -99, show: r => r.z === null ? "" : r.z.toFixed(1), right: true, minor: true },
    { name: "right", value: r => r.right === null ? "" : r.right ? "yes" : "no", minor: true },
  ], rows, { sort: 1, first: 15 });
}

// ---- lines ----
function lines() {
  if (!data.lines.length) return;
  const part = section("lines", "Lines", "The time of a line includes all that it calls. Lines do not call each other, so their times do not overlap.");
  data.sources.forEach((source, k) => {
    const rows = data.lines.filter(line => line.source === k);
    if (!rows.length) return;
    const total = rows.reduce((sum, line) => sum + line.time_ns, 0) || 1;
    part.append(el("h3", { class: "code" }, source));
    const columns = [
      { name: "line", value: r => r.line, right: true },
      { name: "time", value: r => r.time_ns, show: r => r.hits ? time(r.time_ns) : "", right: true },
      { name: "share", value: r => r.time_ns, show: r => r.hits ? percent(r.time_ns / total) : "", right: true, class: "meter", meter: r => r.time_ns / total },
      { name: "source", value: r => r.text, class: "code source" },
      { name: "hits", value: r => r.hits, show: r => r.hits ? count(r.hits) : "", right: true, minor: true },
      { name: "per hit", value: r => r.hits ? r.time_ns / r.hits : 0, show: r => r.hits ? time(r.time_ns / r.hits) : "", right: true, minor: true },
    ];
    if (rows.some(r => r.reference_ns)) columns.push({ name: "slow path", value: r => r.reference_ns || 0, show: r => r.reference_ns ? percent(r.reference_ns / (r.time_ns || 1)) : "", right: true, minor: true });
    if (rows.some(r => r.n_shared > 1)) columns.push({ name: "shared by", value: r => r.n_shared || 0, show: r => r.n_shared > 1 ? `${r.n_shared}: ${r.shared_by.join(", ")}${r.n_shared > r.shared_by.length ? " …" : ""}` : "", class: "wide", minor: true });
    table(part, columns, rows, { first: 60 });
  });
}

// ---- projections ----
function projections() {
  const rows = data.projections;
  if (!rows.length) return;
  const part = section("projections", "More tasks", "How long runs of other sizes would take. The bar is the 95 % interval; a wide one means that this run says little about slow tasks. One-time costs are counted once.");
  drawn(part, width => {
    const step = 46, left = Math.min(190, width * 0.36), right = 20, top = 4, height = top + rows.length * step + 26;
    const low = Math.min(...rows.map(r => r.estimate.low_ns)) / 1.25, high = Math.max(...rows.map(r => r.estimate.high_ns)) * 1.25;
    const x = v => left + (width - left - right) * (Math.log(Math.max(v, low)) - Math.log(low)) / (Math.log(high) - Math.log(low) || 1);
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Projected times with intervals" });
    for (const t of ticks(low, high).filter((_, k, all) => width > 600 || all.length < 5 || k % 2 === 0)) root.append(
      svg("line", { x1: x(t), x2: x(t), y1: top, y2: height - 22, class: "axis" }),
      svg("text", { x: x(t), y: height - 6, "text-anchor": "middle", class: "soft" }, time(t)));
    rows.forEach((r, k) => {
      const y = top + k * step + 20, e = r.estimate;
      root.append(svg("text", { x: 0, y: y - 1 }, counted(r.n_tasks, "task")));
      if (r.what_if) root.append(svg("text", { x: 0, y: y + 14, class: "soft" }, r.what_if));
      root.append(svg("line", { x1: x(e.low_ns), x2: x(e.high_ns), y1: y, y2: y, stroke: "#4077b3", "stroke-width": 7, "stroke-opacity": 0.35, "stroke-linecap": "round" }));
      const dot = svg("circle", { cx: x(e.ns), cy: y, r: 5, fill: "#4077b3" });
      dot.append(svg("title", {}, `${time(e.ns)} (${time(e.low_ns)} to ${time(e.high_ns)})`));
      root.append(dot, svg("text", { x: x(e.ns), y: y - 10, "text-anchor": "middle" }, time(e.ns)));
    });
    return root;
  });
  table(part, [
    { name: "tasks", value: r => r.n_tasks, show: r => count(r.n_tasks), right: true },
    { name: "what if", value: r => r.what_if },
    { name: "time", value: r => r.estimate.ns, show: r => time(r.estimate.ns), right: true },
    { name: "from", value: r => r.estimate.low_ns, show: r => time(r.estimate.low_ns), right: true },
    { name: "to", value: r => r.estimate.high_ns, show: r => time(r.estimate.high_ns), right: true },
    { name: "cap", value: r => r.cap_ns, show: r => time(r.cap_ns), right: true, minor: true },
    { name: "once", value: r => r.once_ns, show: r => time(r.once_ns), right: true, minor: true },
    { name: "without outliers", value: r => r.without_outliers_ns, show: r => time(r.without_outliers_ns), right: true, minor: true },
  ], rows);
  part.append(el("p", { class: "says" }, data.cap));
  if (!data.budgets.length) return;
  part.append(el("h3", {}, "Budgets"));
  table(part, [
    { name: "budget", value: r => r.budget, show: r => `${r.budget} on ${r.workers} worker${r.workers > 1 ? "s" : ""}` },
    { name: "tasks", value: r => r.n_tasks, show: r => count(r.n_tasks), right: true },
    { name: "what if", value: r => r.what_if },
    { name: "runs", value: r => r.expected, show: r => count(r.expected), right: true },
    { name: "at least", value: r => r.at_least, show: r => count(r.at_least), right: true },
    { name: "at most", value: r => r.at_most, show: r => count(r.at_most), right: true, minor: true },
    { name: "each takes", value: r => r.run.ns, show: r => time(r.run.ns), right: true, minor: true },
  ], data.budgets);
}

// ---- what to do ----
const gain = value => (value < 9.995 ? value.toFixed(2) : Math.round(value)) + "×";
function steps() {
  const advice = data.advice;
  if (!advice.steps.length && !advice.combined.length && !data.repeats.length && !data.what_ifs.length) return;
  const left = advice.outliers.length ? ` and ${counted(advice.outliers.length, "outlier")}` : "";
  const part = section("steps", "First steps", `Shares refer to the work that every task repeats (${time(advice.recurring_ns)}), without one-time costs${left}. ${advice.judged}`);
  if (advice.steps.length) table(part, [
    { name: "step", value: r => r.what, class: "wide" },
    { name: "saves", value: r => r.saved, show: r => percent(r.saved), right: true, class: "meter", meter: r => r.saved },
    { name: "speedup", value: r => r.gain, show: r => gain(r.gain), right: true },
    { name: "effort", value: r => r.effort },
  ], advice.steps, { first: 10 });
  if (advice.combined.length) {
    part.append(el("h3", {}, "The most that all primitives of a priority can save"));
    table(part, [
      { name: "which", value: r => r.which },
      { name: "of", value: r => r.n_tasks ?? 0, show: r => r.n_tasks === null ? "the execute time of this run" : `a run of ${counted(r.n_tasks, "task")}`, class: "wide" },
      { name: "saves", value: r => r.saved_ns, show: r => time(r.saved_ns), right: true },
      { name: "of", value: r => r.total_ns, show: r => time(r.total_ns), right: true, minor: true },
      { name: "speedup", value: r => r.gain, show: r => gain(r.gain), right: true },
      { name: "primitives", value: r => r.n_primitives, right: true, minor: true },
    ], advice.combined);
  }
  if (data.what_ifs.length) {
    part.append(el("h3", {}, "Imagined speedups"));
    table(part, [
      { name: "what if", value: r => r.what_if, class: "code" },
      { name: "execute time", value: r => r.execute_ns, show: r => time(r.execute_ns), right: true, minor: true },
      { name: "becomes", value: r => r.execute_becomes_ns, show: r => time(r.execute_becomes_ns), right: true },
      { name: "speedup", value: r => r.execute_ns / r.execute_becomes_ns, show: r => gain(r.execute_ns / (r.execute_becomes_ns || 1)), right: true },
      { name: "whole run", value: r => r.whole_ns, show: r => time(r.whole_ns), right: true, minor: true },
      { name: "becomes", value: r => r.whole_becomes_ns, show: r => time(r.whole_becomes_ns), right: true, minor: true },
      { name: "speedup", value: r => r.whole_ns / r.whole_becomes_ns, show: r => gain(r.whole_ns / (r.whole_becomes_ns || 1)), right: true, minor: true },
    ], data.what_ifs);
  }
  if (data.repeats.length) {
    part.append(el("h3", {}, "Repeated work"));
    table(part, [
      { name: "work", value: r => r.what, class: "code wide" },
      { name: "times", value: r => r.times, show: r => count(r.times), right: true, minor: true },
      { name: "different", value: r => r.distinct, show: r => count(r.distinct), right: true, minor: true },
      { name: "self", value: r => r.self_ns, show: r => time(r.self_ns), right: true },
      { name: "advice", value: r => r.advice, class: "wide" },
    ], data.repeats);
  }
}

function circumstances() {
  const part = section("about", "How this was measured");
  const list = el("dl", { class: "facts" });
  for (const [what, value] of data.facts) list.append(el("dt", {}, what), el("dd", {}, value));
  part.append(list);
  for (const note of data.notes) part.append(el("p", { style: "margin-top:1rem" }, note));
  document.getElementById("foot").append("Made by leyden. This file loads nothing from elsewhere.");
}

function look() {
  const order = ["auto", "light", "dark"];
  let k = 0;
  const button = el("button", { type: "button", onclick: () => {
    k = (k + 1) % 3;
    if (k) document.documentElement.dataset.look = order[k];
    else delete document.documentElement.dataset.look;
    button.textContent = "Look: " + order[k];
  } }, "Look: auto");
  document.getElementById("nav").append(button);
}

head();
slow();
const ORDER = {
  pipeline: [phases, projections, steps, tasks, primitives, stacks, lines],
  framework: [phases, primitives, stacks, steps, tasks, lines, projections],
  lines: [lines, stacks, primitives, tasks, phases, steps, projections],
};
(ORDER[data.kind] || [primitives, steps, stacks, tasks, phases, lines, projections]).forEach(draw => draw());
circumstances();
look();
let waiting = null;
addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => redraws.forEach(redraw => redraw()));
});
