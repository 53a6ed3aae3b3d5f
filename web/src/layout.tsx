// The frame of every screen: navigation, display settings, the banner, and the screen itself.

import { useEffect, useState } from "preact/hooks";
import { about, connection, get, returns } from "./api.ts";
import { Help, isHelpOpen, useKeys } from "./keys.tsx";
import { messageOf, Problem, Waiting } from "./parts/problem.tsx";
import { match, navigate, path } from "./router.ts";
import { ROUTES, type Params, type Route, type Screen } from "./routes.ts";
import { numbers, otherPalette, palette, tables, theme, toggled, type Theme } from "./settings.ts";
import type { About } from "./types.ts";

interface Found {
  route: Route;
  params: Params;
}

function found(address: string): Found | null {
  for (const route of ROUTES) {
    const params = match(route.pattern, address);
    if (params !== null) return { route, params };
  }
  return null;
}

function Navigation() {
  const current = found(path.value)?.route;
  const isHere = (route: Route) => route === current || (route.pattern !== "/" && path.value.startsWith(`${route.pattern}/`));
  return (
    <nav aria-label="Screens">
      {ROUTES.filter((route) => route.nav !== undefined).map((route) => (
        <a key={route.pattern} href={route.pattern} aria-current={isHere(route) ? "page" : undefined}>
          {route.nav}
        </a>
      ))}
    </nav>
  );
}

const THEMES: Record<Theme, string> = { auto: "as the system", light: "light", dark: "dark" };

function Display() {
  return (
    <details class="display">
      <summary>Display</summary>
      <div class="menu">
        <label>
          Theme{" "}
          <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
            {Object.entries(THEMES).map(([name, word]) => (
              <option key={name} value={name}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={palette.value === "safe"} onChange={otherPalette} /> Colour-blind safe palette
        </label>
        <label>
          <input type="checkbox" checked={numbers.value === "on"} onChange={() => toggled(numbers)} /> Numbers in cells
        </label>
        <label>
          <input type="checkbox" checked={tables.value === "on"} onChange={() => toggled(tables)} /> Grids as tables
        </label>
        <button type="button" onClick={() => (isHelpOpen.value = true)}>
          Keys
        </button>
      </div>
    </details>
  );
}

function Banner() {
  if (connection.value === "up") return null;
  const isGone = connection.value === "gone";
  return (
    <p class="banner" role="alert">
      {isGone
        ? "The server does not answer. This page asks again every second and goes on by itself."
        : "The server does not know this page’s token. Open the link that `leyden explore` printed."}
    </p>
  );
}

function NoSuchPage() {
  return (
    <main>
      <h1>There is no such page</h1>
      <p>
        <a href="/">To the gallery</a>
      </p>
    </main>
  );
}

const loaded = new Map<Route, Screen>();

function Outlet() {
  const here = found(path.value);
  const [, setTurn] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const route = here?.route;
  useEffect(() => {
    setError(null);
    if (!here || loaded.has(here.route)) return;
    here.route.load().then(
      (module) => {
        loaded.set(here.route, module.default);
        setTurn((n) => n + 1);
      },
      (failure: unknown) => setError(failure),
    );
  }, [route, returns.value]);
  useEffect(() => {
    document.title = here ? `${here.route.title(here.params)} · Leyden` : "Leyden";
  }, [path.value]);
  if (!here) return <NoSuchPage />;
  const Found = loaded.get(here.route);
  if (Found) return <Found key={route?.pattern} params={here.params} />;
  return <main>{error === null ? <Waiting for="the screen" /> : <Problem error={new Error(`the screen does not load: ${messageOf(error)}`)} />}</main>;
}

export function Layout() {
  const nReturns = returns.value;
  useEffect(() => {
    get<About>("about").then(
      (it) => (about.value = it),
      () => undefined,
    );
  }, [nReturns]);
  useKeys([
    { keys: ["n"], does: "Numbers in cells", run: () => toggled(numbers) },
    { keys: ["p"], does: "Other palette", run: otherPalette },
    { keys: ["g"], does: "To the gallery", run: () => navigate("/") },
    { keys: ["?"], does: "This help", run: () => (isHelpOpen.value = true) },
  ]);
  return (
    <>
      <a class="skip" href="#content">
        To the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          Leyden
        </a>
        <Navigation />
        <Display />
      </header>
      <Banner />
      <div id="content" tabIndex={-1}>
        <Outlet />
      </div>
      <Help />
    </>
  );
}
