// THE table of screens. A screen is one file of `screens`; it loads when the user first goes there.

import type { ComponentType } from "preact";

export type Params = Record<string, string>;
export type Screen = ComponentType<{ params: Params }>;

export interface Route {
  /** Words behind a colon are parameters. */
  pattern: string;
  /** The name of the place in the navigation; screens without one are reached by links. */
  nav?: string;
  title: (params: Params) => string;
  load: () => Promise<{ default: Screen }>;
}

export const ROUTES: readonly Route[] = [
  {
    pattern: "/",
    nav: "Gallery",
    title: () => "Gallery",
    load: () => import("./screens/gallery.tsx"),
  },
];
